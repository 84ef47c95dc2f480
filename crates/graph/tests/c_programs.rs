//! The C programs of `tests/c/programs`: under SC, TSO and PSO both engines say the same; under POWER and
//! ARM there is more, and it replays.
//!
//! A fixed part of them by default; all with `RADDLE_LONG=1`. `RADDLE_C_ONLY=word` restricts it to files
//! whose name contains the word. Programs with more executions than fit are passed over, and so is what
//! the graph engine says it does not support.

use raddle_front_c::{Error, Options as Compile, clang, load};
use raddle_graph::{FailureKind, Model, Options, ReplayEnd, Summary, explore, replay};
use raddle_interleave as interleave;
use raddle_ir::Program;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Executions that a program may have.
const EXECUTIONS: u64 = 2_000;

/// Programs that show something of each kind.
const ALWAYS: &[&str] = &[
    "atomic_mp.c",
    "atomic_cas_increment.c",
    "mutex_counter.c",
    "condition_wait.c",
    "peterson_c11.c",
    "deadlock_lock_order.c",
    "memory_use_after_free.c",
    "arguments_on_heap.c",
    "barrier_sense.c",
    "mutex_trylock.c",
    "nondet.c",
    "lock_misuse.c",
];

fn programs() -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/c/programs");
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    let only = std::env::var("RADDLE_C_ONLY").ok();
    let long = std::env::var_os("RADDLE_LONG").is_some();
    paths.retain(|path| {
        let name =
            path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let wanted = match &only {
            Some(word) => name.contains(word.as_str()),
            None => long || ALWAYS.contains(&name.as_str()),
        };
        wanted && path.extension().is_some_and(|extension| extension == "c")
    });
    paths.sort();
    paths
}

/// Kinds of failures with how many executions show them.
fn kinds(summary: &Summary) -> BTreeSet<FailureKind> {
    summary.failures.iter().map(|failure| failure.kind).collect()
}

fn difference(program: &Program, model: Model) -> Option<String> {
    let other: interleave::Model = model.name().parse().expect("a model of both engines");
    let mut expect = interleave::Options { keep_going: true, ..interleave::Options::new(other) };
    expect.limits.executions = Some(EXECUTIONS);
    expect.limits.unroll = Some(4);
    let expected = interleave::explore(program, &expect);
    if expected.stopped.is_some() {
        return None;
    }
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(50 * EXECUTIONS);
    options.limits.unroll = Some(4);
    let found = explore(program, &options);
    if kinds(&found).contains(&FailureKind::Unsupported) {
        return None;
    }
    let same = kinds(&found) == kinds(&expected)
        && (!kinds(&found).is_empty() || found.executions == expected.executions);
    let told = |s: &Summary| {
        let failures: Vec<_> = s.failures.iter().map(|f| (f.kind, f.count, &f.message)).collect();
        format!(
            "{} + {} + {} cut, {} redundant {failures:?}",
            s.executions, s.blocked, s.cut, s.redundant
        )
    };
    (!same).then(|| format!("{model}: found {}\n    expected {}", told(&found), told(&expected)))
}

/// Whatever goes wrong under SC goes wrong under a weaker model, and what is found replays.
fn weak_complaint(program: &Program, model: Model) -> Option<String> {
    let options = |model, executions| {
        let mut options = Options { keep_going: true, ..Options::new(model) };
        options.limits.executions = Some(executions);
        options.limits.unroll = Some(2);
        options
    };
    let strong = explore(program, &options(Model::Sc, EXECUTIONS));
    let weak = explore(program, &options(model, 5 * EXECUTIONS));
    let limits = options(model, EXECUTIONS).limits;
    for failure in &weak.failures {
        let end = replay(program, model, &limits, &failure.schedule).end;
        if !matches!(&end, ReplayEnd::Failed(sites) if sites.contains(&failure.site())) {
            return Some(format!("{model}: {failure:?} replays to {end:?}"));
        }
    }
    let (kinds, unsupported) = (kinds(&weak), FailureKind::Unsupported);
    if weak.stopped.is_some() || strong.stopped.is_some() || kinds.contains(&unsupported) {
        return None;
    }
    let missing: Vec<_> = self::kinds(&strong).difference(&kinds).copied().collect();
    let fewer = weak.executions < strong.executions;
    (fewer || !missing.is_empty()).then(|| {
        format!(
            "{model}: {} executions, {} under sc; misses {missing:?}",
            weak.executions, strong.executions
        )
    })
}

fn complaints(complaint: impl Fn(&Program) -> Vec<String> + Sync) -> Vec<String> {
    if clang::find(None).is_err() {
        println!("there is no clang: passed over");
        return Vec::new();
    }
    let options = Compile { flags: vec!["-w".into()], ..Compile::default() };
    let of = |path: &PathBuf| match load(std::slice::from_ref(path), &options) {
        Ok(loaded) => complaint(&loaded.program),
        // Some want macros that only their own test gives them.
        Err(Error::Compiler(_)) => Vec::new(),
        Err(Error::Diagnostic(diagnostic, _)) => vec![diagnostic.to_string()],
    };
    let told = |path: &PathBuf| -> Vec<String> {
        of(path).into_iter().map(|it| format!("{}: {it}", path.display())).collect()
    };
    programs().par_iter().flat_map(told).collect()
}

#[test]
fn weaker_models_have_more_executions() {
    let models = [Model::Power, Model::Arm];
    let wrong = complaints(|program| {
        models.into_iter().filter_map(|model| weak_complaint(program, model)).collect()
    });
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn engines_agree_on_c_programs() {
    let models = [Model::Sc, Model::Tso, Model::Pso];
    let wrong = complaints(|program| {
        models.into_iter().filter_map(|model| difference(program, model)).collect()
    });
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
