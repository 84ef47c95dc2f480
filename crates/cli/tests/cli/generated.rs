//! Completions and man pages, which are generated from the definitions of the command line.

use crate::common::{file, raddle, scratch};
use std::fs;
use std::process::Command;

#[test]
fn bash_accepts_its_completions() {
    let ran = raddle(&["completions", "bash"]);
    assert_eq!((ran.status, &*ran.err), (Some(0), ""));
    let script = file("completions", "raddle.bash", ran.out.as_bytes());
    let checked = Command::new("bash").args(["-n", &script]).output().expect("bash starts");
    assert!(checked.status.success(), "{checked:?}");
}

#[test]
fn shells_have_completions() {
    for shell in ["zsh", "fish", "elvish", "powershell"] {
        let ran = raddle(&["completions", shell]);
        assert_eq!(ran.status, Some(0), "{shell}");
        assert!(ran.out.contains("keep-going"), "{shell}: {}", ran.out);
    }
    assert_eq!(raddle(&["completions", "sh"]).status, Some(2));
}

#[test]
fn man_pages_are_written() {
    let folder = scratch("man").join("man1");
    let path = folder.to_str().expect("a UTF-8 path");
    // A name that is no folder may be a command that was meant.
    let ran = raddle(&["man", path]);
    assert_eq!((ran.status, folder.exists()), (Some(2), false));
    assert!(ran.err.contains("there is no such folder"), "{}", ran.err);
    fs::create_dir(&folder).expect("a folder");
    let ran = raddle(&["man", path]);
    assert_eq!((ran.status, &*ran.out, &*ran.err), (Some(0), "", ""));
    let first = fs::read_to_string(folder.join("raddle.1")).expect("a page");
    assert_eq!(raddle(&["man"]).out, first);
    let check = fs::read_to_string(folder.join("raddle-check.1")).expect("a page");
    assert!(check.contains("keep\\-going"), "{check}");
}
