//! `--check`, `--no-check` and `--suppress`: which errors are reported.

use crate::common::raddle;
use serde_json::Value;

const DEADLOCK: &str = "examples/deadlock.rir";
const DEKKER: &str = "examples/dekker.rir";

fn object(args: &[&str]) -> (Option<i32>, Value, String) {
    let ran = raddle(&[&["check", "--json"], args].concat());
    (ran.status, serde_json::from_str(&ran.out).expect("one object"), ran.err)
}

#[test]
fn kinds_that_are_not_checked_are_told_and_end_executions_as_before() {
    let (_, all, _) = object(&[DEADLOCK, "-m", "sc", "--keep-going"]);
    for option in
        ["--no-deadlock", "--no-check=deadlock", "--no-check=memory,deadlock", "--no-check=all"]
    {
        let (status, object, _) = object(&[DEADLOCK, "-m", "sc", option]);
        assert_eq!((status, &object["verdict"]), (Some(0), &"safe".into()), "{option}");
        assert_eq!(object["executions"], all["executions"], "{option}");
        assert_eq!(object["unchecked"][0]["count"], all["errors"][0]["count"], "{option}");
        let kinds = object["not_checked"].as_array().expect("a list");
        assert!(kinds.contains(&"deadlock".into()), "{option}: {kinds:?}");
    }
    let (status, object, _) =
        object(&[DEADLOCK, "-m", "sc", "--no-check", "all", "--check", "deadlock"]);
    assert_eq!((status, &object["errors"][0]["kind"]), (Some(1), &"deadlock".into()));
    let text = raddle(&["check", DEADLOCK, "-m", "sc", "--no-deadlock"]).out;
    assert!(text.contains("\n  not checked: deadlock (--no-check)\n"), "{text}");
}

#[test]
fn known_errors_are_suppressed_with_their_reason() {
    let (_, all, _) = object(&[DEKKER, "-m", "tso", "--keep-going"]);
    let line = all["errors"][0]["line"].as_u64().expect("a line");
    let known = format!("assertion@dekker.rir:{line}=the textbook case");
    let (status, object, err) = object(&[DEKKER, "-m", "tso", "--suppress", &known]);
    assert_eq!((status, &object["verdict"]), (Some(0), &"safe".into()), "{err}");
    // The search went on past it.
    assert_eq!(object["executions"], all["executions"]);
    let suppressed = &object["suppressed"][0];
    assert_eq!(
        (&suppressed["kind"], &suppressed["confirmed"]),
        (&"assertion".into(), &true.into())
    );
    assert_eq!(suppressed["reason"], "the textbook case");
    let text = raddle(&["check", DEKKER, "-m", "tso", "--suppress", &known]).out;
    assert!(text.contains("  suppressed: assertion in thread"), "{text}");
    assert!(text.contains(": the textbook case\n"), "{text}");
}

#[test]
fn a_suppression_that_matches_nothing_is_told() {
    let (status, object, err) =
        object(&[DEKKER, "-m", "sc", "--suppress", "memory@dekker.rir:1=x"]);
    assert_eq!((status, &object["unmatched"][0]), (Some(0), &"memory@dekker.rir:1".into()));
    assert!(err.contains("warning: the suppression memory@dekker.rir:1 matches no error"), "{err}");
    let args = ["check", DEKKER, "-m", "sc", "--no-memory", "--suppress", "races@dekker.rir=x"];
    let ran = raddle(&[&args[..], &["--suppress", "memory@dekker.rir=x"]].concat());
    for (known, kind) in [("race@dekker.rir", "race"), ("memory@dekker.rir", "memory")] {
        let warning =
            format!("the suppression {known} has no effect: no search looked for '{kind}'");
        assert!(ran.err.contains(&warning), "{}", ran.err);
    }
}

#[test]
fn what_is_cut_by_a_suppressed_error_makes_it_bounded() {
    let source = "global @x: i32 = 0\nthread t = @f()\nfunc @f() {\n    reg %r: i32\n  entry:\n    %r = load i32 @x+8\n    ret\n}\n";
    let path = crate::common::file("select", "bad.rir", source.as_bytes());
    let (status, object, _) = object(&[&path, "-m", "sc", "--suppress", "memory@bad.rir=known"]);
    assert_eq!((status, &object["verdict"]), (Some(0), &"safe-bounded".into()), "{object}");
    let strict = raddle(&["check", &path, "-m", "sc", "--no-memory", "--strict"]);
    assert_eq!(strict.status, Some(3), "{strict:?}");
    assert!(strict.out.contains("ended at these: what comes after was not explored"), "{strict:?}");
    // One execution that ends at two errors is one.
    let twice = source.replace("thread t", "thread u = @g()\nthread t")
        + &source[source.find("func").expect("a function")..].replace("@f", "@g");
    let path = crate::common::file("select-twice", "bad.rir", twice.as_bytes());
    let ran = raddle(&["check", &path, "-m", "sc", "--no-check", "all"]);
    assert!(ran.out.contains("\n  1 execution ended at these"), "{}", ran.out);
}

#[test]
fn contradictions_are_refused() {
    for args in [
        &["--check", "deadlock", "--no-deadlock"][..],
        &["--no-check", "unsupported"],
        &["--suppress", "memory@x.c:1"],
        &["--strategy", "lazy", "--no-deadlock"],
        &["--strategy", "lazy", "--suppress", "memory@x.c=y"],
    ] {
        let ran = raddle(&[&["check", DEKKER, "-m", "sc"], args].concat());
        assert_eq!((ran.status, ran.out.as_str()), (Some(2), ""), "{args:?}");
    }
}
