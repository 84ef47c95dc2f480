//! The expected results of a program: the lines at its head, and the rows of table 1. tests/c/README.md
//! describes the format.

use std::path::{Path, PathBuf};

/// The models that `all` stands for.
const MODELS: [&str; 3] = ["sc", "tso", "pso"];
/// The models that `all` does not include.
const WEAK: [&str; 2] = ["power", "arm"];

/// One way to run a program, and the expected results.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Case {
    pub file: PathBuf,
    /// Arguments after the file and the models.
    pub options: Vec<String>,
    pub expected: Vec<Expected>,
    /// Whether a search without reduction is feasible.
    pub small: bool,
}

/// The expected result of a case under one model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Expected {
    pub model: &'static str,
    /// The name of the verdict in JSON.
    pub verdict: &'static str,
    /// The kind of the error that is reported.
    pub kind: Option<String>,
    pub executions: Option<u64>,
    pub blocked: Option<u64>,
}

/// The cases at the head of a program: its leading lines that start with `// expect:`.
pub(crate) fn of_program(file: &Path, text: &str) -> Result<Vec<Case>, String> {
    let lines = text.lines().map_while(|line| line.strip_prefix("// expect:"));
    let cases: Vec<Case> = lines.map(|line| case(file, line)).collect::<Result<_, _>>()?;
    if cases.is_empty() { Err("does not start with '// expect:'".to_owned()) } else { Ok(cases) }
}

fn case(file: &Path, line: &str) -> Result<Case, String> {
    let (verdicts, mut parts) = line.split_once('[').map_or((line, ""), |(v, p)| (v, p));
    let mut case = Case {
        file: file.to_owned(),
        options: Vec::new(),
        expected: expected(verdicts)?,
        small: false,
    };
    while !parts.is_empty() {
        let (part, rest) = parts.split_once(']').ok_or("a '[' is not closed")?;
        apply(&mut case, part)?;
        parts = rest.trim_start().strip_prefix('[').unwrap_or(rest.trim());
    }
    Ok(case)
}

fn apply(case: &mut Case, part: &str) -> Result<(), String> {
    match part.split_once(':').map_or((part, ""), |(name, value)| (name, value)) {
        ("executions", counts) => count(&mut case.expected, counts, |e| &mut e.executions),
        ("blocked", counts) => count(&mut case.expected, counts, |e| &mut e.blocked),
        ("options", words) => {
            case.options = words.split_whitespace().map(str::to_owned).collect();
            Ok(())
        }
        ("small", "") => {
            case.small = true;
            Ok(())
        }
        _ => Err(format!("what is '[{part}]'?")),
    }
}

fn expected(words: &str) -> Result<Vec<Expected>, String> {
    let mut all = Vec::new();
    for word in words.split_whitespace() {
        let (model, text) = word.split_once('=').ok_or_else(|| format!("what is '{word}'?"))?;
        let (verdict, kind) = verdict(text)?;
        for model in models(model)? {
            let kind = kind.clone();
            all.push(Expected { model, verdict, kind, executions: None, blocked: None });
        }
    }
    if all.is_empty() { Err("no model is named".to_owned()) } else { Ok(all) }
}

fn verdict(text: &str) -> Result<(&'static str, Option<String>), String> {
    let (name, kind) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => {
            let kind = rest.strip_suffix(')').ok_or_else(|| format!("'{text}' has no ')'"))?;
            (name, Some(kind.to_owned()))
        }
    };
    let name = match (name, &kind) {
        ("safe", None) => "safe",
        ("bounded", None) => "safe-bounded",
        ("violation", _) => "violation",
        ("unknown", _) => "unknown",
        _ => return Err(format!("'{text}' is no verdict")),
    };
    Ok((name, kind))
}

fn models(word: &str) -> Result<Vec<&'static str>, String> {
    let all = MODELS.into_iter().filter(|model| word == *model || word == "all");
    let named: Vec<_> = all.chain(WEAK.into_iter().filter(|model| word == *model)).collect();
    if named.is_empty() { Err(format!("'{word}' is no model")) } else { Ok(named) }
}

fn count(
    all: &mut [Expected],
    words: &str,
    field: fn(&mut Expected) -> &mut Option<u64>,
) -> Result<(), String> {
    for word in words.split_whitespace() {
        let (model, number) = word.split_once('=').ok_or_else(|| format!("what is '{word}'?"))?;
        let number = number.parse().map_err(|_| format!("'{number}' is no number"))?;
        for model in models(model)? {
            let entry = all.iter_mut().find(|e| e.model == model);
            *field(entry.ok_or_else(|| format!("{model} has no verdict"))?) = Some(number);
        }
    }
    Ok(())
}

/// The rows of a table. Columns: program, fence, file, options, a verdict per model (named in the first row),
/// executions.
pub(crate) fn of_table(folder: &Path, text: &str) -> Result<Vec<Case>, String> {
    let mut rows = text.lines().filter(|line| !line.starts_with('#'));
    let titles: Vec<&str> = rows.next().unwrap_or_default().split('\t').collect();
    let ["program", "fence", "file", "options", models @ .., "executions"] = &titles[..] else {
        return Err("the first row does not name the columns".to_owned());
    };
    rows.map(|line| row(folder, models, line).map_err(|e| format!("{line}: {e}"))).collect()
}

fn row(folder: &Path, models: &[&str], line: &str) -> Result<Case, String> {
    let columns: Vec<&str> = line.split('\t').collect();
    let [_, _, file, options, verdicts @ .., executions] = &columns[..] else {
        return Err(format!("{} columns are too few", columns.len()));
    };
    if verdicts.len() != models.len() {
        return Err(format!("{} verdicts for {} models", verdicts.len(), models.len()));
    }
    let pairs = models.iter().zip(verdicts).filter(|(_, verdict)| !verdict.is_empty());
    let verdicts: Vec<String> = pairs.map(|(m, verdict)| format!("{m}={verdict}")).collect();
    let verdicts = verdicts.join(" ");
    case(&folder.join(file), &format!("{verdicts} [options: {options}] [executions: {executions}]"))
}

#[test]
fn a_line_says_how_to_run_and_what_to_see() {
    let line = "// expect: sc=safe tso=violation(deadlock) [options: --unroll 3 -- -DX] \
                [executions: sc=6] [small]\n// expect: pso=bounded\nint x;";
    let cases = of_program(Path::new("a.c"), line).expect("well-formed");
    assert_eq!(cases[0].options, ["--unroll", "3", "--", "-DX"]);
    assert!(cases[0].small && !cases[1].small);
    assert_eq!(cases[0].expected[0].executions, Some(6));
    assert_eq!(cases[0].expected[1].kind.as_deref(), Some("deadlock"));
    assert_eq!(cases[1].expected[0].verdict, "safe-bounded");
}

#[test]
fn what_is_misspelt_is_said() {
    for line in [
        "int x;",
        "// expect:",
        "// expect: sc=save",
        "// expect: sc=safe(assertion)",
        "// expect: armv5=safe",
        "// expect: sc=safe [executions: tso=1]",
        "// expect: sc=safe [small",
        "// expect: sc=safe [tiny]",
    ] {
        assert!(of_program(Path::new("a.c"), line).is_err(), "{line}");
    }
}
