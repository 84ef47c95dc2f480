//! Programs in IR text that call the C library, and the checks that every answer about them must pass.

use crate::MODELS;
use raddle_engine::{FailureKind, Model, Options, ReplayEnd, Strategy, Summary};
use raddle_interleave::{explore, replay};
use raddle_ir::{Verified, text};
use std::path::Path;

/// The number of interleavings that the search without reduction may visit.
const INTERLEAVINGS: u64 = 20_000;

/// The whole library as one text. Files declare the functions that they use from other files; these
/// declarations are removed.
fn library() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/library");
    let entries = std::fs::read_dir(path).expect("the library is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.retain(|path| path.extension() == Some("rir".as_ref()));
    paths.sort();
    let mut all = String::new();
    for path in paths {
        let source = std::fs::read_to_string(path).expect("a readable file");
        let defined = source.lines().filter(|line| !line.starts_with("func @"));
        defined.for_each(|line| all += &format!("{line}\n"));
    }
    all
}

/// A program that may call everything in the library.
pub(super) fn program(source: &str) -> Verified {
    let source = format!("{source}\n{}", library());
    text::load("test.rir", source.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// `main` with registers `%i`, `%j` (`i32`), `%l` (`i64`), `%p`, `%q` (`ptr`), `%t`, `%u` (`i64`) and
/// `%ok` (`i1`), and other items.
pub(super) fn main(items: &str, body: &str) -> Verified {
    program(&format!(
        "{items}
         thread main = @main()
         {}",
        function("@main()", body)
    ))
}

/// A function with the registers of [`main`]; it returns nothing at its end.
pub(super) fn function(head: &str, body: &str) -> String {
    format!(
        "func {head} {{
             reg %i: i32, %j: i32, %l: i64, %p: ptr, %q: ptr, %t: i64, %u: i64, %ok: i1
           entry:
             {body}
             ret
         }}\n"
    )
}

pub(super) fn run(program: &Verified, model: Model, strategy: Strategy) -> Summary {
    let mut options = Options { strategy, keep_going: true, ..Options::new(model) };
    options.count_traces = true;
    options.limits.executions = Some(INTERLEAVINGS);
    explore(program, &options)
}

/// The answer of the optimal search, after a check that it abandons no execution and that all failures
/// replay. It must find the same number of traces and the same failures as Source-DPOR and, if that ends
/// within its limit, as a search without reduction.
pub(super) fn checked(program: &Verified, model: Model) -> Summary {
    let optimal = run(program, model, Strategy::Optimal);
    assert_eq!(optimal.stopped, None, "{model}");
    assert_eq!(optimal.redundant, 0, "{model}: {optimal:?}");
    assert_eq!(optimal.traces, Some(optimal.executions + optimal.blocked), "{model}");
    for strategy in [Strategy::Source, Strategy::Exhaustive] {
        let other = run(program, model, strategy);
        let name = strategy.name();
        if other.stopped.is_none() {
            assert_eq!(other.traces, optimal.traces, "traces of {name} under {model}");
            assert_eq!(kinds(&other), kinds(&optimal), "{name} under {model}");
        } else {
            assert_eq!(strategy, Strategy::Exhaustive, "too large");
        }
    }
    for failure in &optimal.failures {
        let replayed = replay(program, &Options::new(model), &failure.schedule);
        let ReplayEnd::Failed(sites) = &replayed.end else { panic!("{failure:?}: {replayed:?}") };
        assert!(sites.iter().any(|site| site.message == failure.message), "{failure:?}");
    }
    optimal
}

fn kinds(summary: &Summary) -> Vec<(FailureKind, String)> {
    let mut kinds: Vec<_> =
        summary.failures.iter().map(|failure| (failure.kind, failure.message.clone())).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

/// No failure, and this many executions under every model.
pub(super) fn safe(program: &Verified, executions: u64) {
    for model in MODELS {
        let found = checked(program, model);
        assert!(found.failures.is_empty(), "{model}: {:?}", found.failures);
        assert_eq!((found.executions, found.blocked), (executions, 0), "{model}");
    }
}

/// A program of one thread: one execution, and no failure.
pub(super) fn computes(program: &Verified) {
    for model in MODELS {
        let found = run(program, model, Strategy::Optimal);
        assert!(found.failures.is_empty(), "{model}: {:?}", found.failures);
        assert_eq!((found.executions, found.blocked, found.cut), (1, 0, 0), "{model}");
    }
}

/// No failure under any model, with any number of executions.
pub(super) fn correct(program: &Verified) {
    for model in MODELS {
        let found = checked(program, model);
        assert!(found.failures.is_empty(), "{model}: {:?}", found.failures);
    }
}

/// Under every model, some execution fails in this way, and none fails in another way.
pub(super) fn fails(program: &Verified, kind: FailureKind, message: &str) {
    for model in MODELS {
        let found = checked(program, model);
        assert!(!found.failures.is_empty(), "{model}: no failure; expected {message}");
        for failure in &found.failures {
            assert_eq!(failure.kind, kind, "{model}: {failure:?}");
            assert!(failure.message.contains(message), "{model}: {failure:?}");
        }
    }
}

/// Straight-line code for [`main`] from lines of the form `%r = call @f(…) == VALUE`, where `$'text'` is
/// a string of the program.
pub(super) fn calls(lines: &[&str]) -> Verified {
    let mut strings: Vec<String> = Vec::new();
    let mut body = String::new();
    for line in lines {
        let line = with_strings(line, &mut strings);
        let Some((call, value)) = line.split_once(" == ") else {
            body += &format!("{line}\n");
            continue;
        };
        let register = call.split_whitespace().next().unwrap_or_default();
        let ty = match register {
            "%i" | "%j" => "i32",
            "%p" | "%q" => "ptr",
            _ => "i64",
        };
        let message = line.replace('"', "'");
        body +=
            &format!("{call}\n%ok = cmp eq {ty} {register}, {value}\nassert %ok, \"{message}\"\n");
    }
    let items: String = strings.iter().enumerate().map(|(n, text)| string(n, text)).collect();
    main(&format!("{items}global @buffer: bytes 64\nglobal @cell: i64\n"), &body)
}

fn with_strings(line: &str, strings: &mut Vec<String>) -> String {
    let mut parts = line.split("$'");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (text, rest) = part.split_once('\'').expect("a closed string");
        let known = strings.iter().position(|known| known == text);
        let index = known.unwrap_or_else(|| {
            strings.push(text.to_owned());
            strings.len() - 1
        });
        out += &format!("@text{index}{rest}");
    }
    out
}

fn string(index: usize, text: &str) -> String {
    let hex: String = text.bytes().chain([0]).map(|byte| format!("{byte:02x}")).collect();
    format!("const global @text{index}: bytes {} = hex \"{hex}\"\n", text.len() + 1)
}
