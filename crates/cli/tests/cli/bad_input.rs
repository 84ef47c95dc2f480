//! Bad input: one diagnostic with the file, the line and what was expected; exit status 2; no panic.

use crate::common::{file, raddle, root, scratch};
use raddle_engine::Model;

fn example(name: &str) -> Vec<u8> {
    std::fs::read(root().join("examples").join(name)).expect("the example is there")
}

/// Runs the command for this type of file, and checks what holds for every bad file.
fn rejected(path: &str) -> String {
    let ran = if path.ends_with(".litmus") {
        raddle(&["litmus", path, "--model", "tso"])
    } else {
        raddle(&["check", path, "--model", "tso"])
    };
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert_eq!(ran.out, "", "a bad file has no result");
    assert_eq!(ran.err.matches("error:").count(), 1, "one diagnostic:\n{}", ran.err);
    assert!(ran.err.contains(path), "the file is named:\n{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
    ran.err
}

fn at_line(err: &str, path: &str, line: u32) {
    assert!(err.contains(&format!("{path}:{line}:")), "line {line} is named:\n{err}");
    assert!(err.contains("expected"), "an expectation is named:\n{err}");
}

#[test]
fn truncated_litmus() {
    let source = example("SB.litmus");
    let text = String::from_utf8(source).expect("UTF-8");
    let cut = text.find("MOV EAX").expect("a load") + "MOV EAX,[".len();
    let path = file("truncated_litmus", "cut.litmus", &text.as_bytes()[..cut]);
    at_line(&rejected(&path), &path, 7);
}

#[test]
fn truncated_rir() {
    let source = String::from_utf8(example("dekker.rir")).expect("UTF-8");
    let cut = source.find("cmp eq").expect("a comparison") + "cmp eq".len();
    let path = file("truncated_rir", "cut.rir", &source.as_bytes()[..cut]);
    let line = source[..cut].lines().count() as u32;
    let err = rejected(&path);
    assert!(
        [line, line + 1].iter().any(|line| err.contains(&format!("{path}:{line}:"))),
        "the end is named:\n{err}"
    );
    assert!(err.contains("expected"), "{err}");
}

#[test]
fn wrong_architecture() {
    let source = String::from_utf8(example("SB.litmus")).expect("UTF-8");
    let source = source.replacen("X86", "VAX", 1);
    let path = file("wrong_architecture", "vax.litmus", source.as_bytes());
    at_line(&rejected(&path), &path, 1);
}

#[test]
fn undeclared_register() {
    let source = String::from_utf8(example("dekker.rir")).expect("UTF-8");
    let source = source.replace("cmp eq i32 %seen", "cmp eq i32 %sene");
    let line = source.lines().position(|line| line.contains("%sene")).expect("the line") as u32 + 1;
    let path = file("undeclared_register", "sene.rir", source.as_bytes());
    at_line(&rejected(&path), &path, line);
}

#[test]
fn undeclared_register_in_a_litmus_test() {
    let source = String::from_utf8(example("SB.litmus")).expect("UTF-8");
    let source = source.replacen("MOV EAX,[y]", "MOV EQX,[y]", 1);
    let path = file("undeclared_register_litmus", "eqx.litmus", source.as_bytes());
    at_line(&rejected(&path), &path, 7);
}

#[test]
fn oversized() {
    let big = vec![b' '; (16 << 20) + 1];
    for name in ["big.litmus", "big.rir"] {
        let path = file(&format!("oversized_{name}"), name, &big);
        let err = rejected(&path);
        assert!(err.contains("expected at most 16 MiB"), "{err}");
    }
}

#[test]
fn binary() {
    let bytes: Vec<u8> =
        (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["noise.litmus", "noise.rir"] {
        let path = file(&format!("binary_{name}"), name, &bytes);
        let err = rejected(&path);
        assert!(!err.contains('\x1b'), "no control characters reach the terminal");
    }
}

#[test]
fn empty() {
    for name in ["empty.litmus", "empty.rir"] {
        rejected(&file(&format!("empty_{name}"), name, b""));
    }
}

#[test]
fn missing_file() {
    for name in ["nowhere.litmus", "nowhere.rir", "nowhere.c", "nowhere.ll", "nowhere"] {
        assert!(rejected(name).contains("no such file"));
    }
}

#[test]
fn a_name_that_says_nothing() {
    let path = file("unknown_extension", "program.xyz", b"hello");
    assert!(rejected(&path).contains(".litmus, .aut or .rir"));
}

#[test]
fn a_folder_where_a_file_is_needed() {
    let folder = scratch("folder.rir");
    assert!(rejected(folder.to_str().expect("UTF-8")).contains("this is a folder"));
    assert!(rejected(".").contains("this is a folder"));
}

#[test]
fn programs_are_no_litmus_tests() {
    let program = file("no_litmus_test", "mp.c", b"int main(void) { return 0; }");
    for (path, part) in [
        (program.as_str(), "use raddle check"),
        ("nodir", "no such file or folder"),
        ("nowhere.c", "no such file or folder"),
    ] {
        let ran = raddle(&["litmus", path, "--model", "tso"]);
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert!(ran.err.contains(path) && ran.err.contains(part), "{}", ran.err);
        assert_eq!(ran.err.matches("error:").count(), 1, "{}", ran.err);
    }
}

#[test]
fn a_folder_without_tests() {
    let folder = scratch("folder_without_tests");
    let path = folder.to_str().expect("UTF-8");
    let ran = raddle(&["litmus", path, "--model", "sc"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.err.contains("no litmus tests") && ran.err.contains(path), "{}", ran.err);
}

#[test]
fn models_that_never_were() {
    let ran = raddle(&["check", "examples/dekker.rir", "--model", "x87"]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    let expected = format!("expected {}", Model::names(Model::ALL));
    assert!(ran.err.contains(&expected), "{}, not {expected}", ran.err);
}

#[test]
fn options_that_do_not_fit() {
    for words in [
        &["--model", "sc", "--seed", "1"][..],
        &["--model", "sc", "--timeout", "-1"],
        &["--model", "sc", "--max-events", "0"],
        &["--model", "sc", "--strategy", "clever"],
        &["--model", "power", "--strategy", "optimal"],
        &["--model", "arm", "--check", "races"],
        &[],
    ] {
        let args = [&["check", "examples/dekker.rir"], words].concat();
        let ran = raddle(&args);
        assert_eq!(ran.status, Some(2), "{words:?}: {ran:?}");
        assert_eq!(ran.out, "");
    }
}
