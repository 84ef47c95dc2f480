//! Output files, the standard output, and unusual file names.

use crate::common::{Ran, command, lacks_clang, raddle, root, scratch, with_clang};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

const RACY: &str = "examples/dekker.rir";

/// Checks a program that fails, and writes the witness to this path.
fn witness(path: &Path) -> Ran {
    raddle(&["check", RACY, "--model", "tso", "--witness", path.to_str().expect("UTF-8")])
}

/// A folder with a copy of the program and no other files.
fn with_input(test: &str) -> (PathBuf, PathBuf) {
    let folder = scratch(test);
    let input = folder.join("p.rir");
    fs::copy(root().join(RACY), &input).expect("a copy");
    (folder, input)
}

#[track_caller]
fn refused(ran: &Ran, why: &str) {
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert_eq!(ran.out, "", "nothing was searched");
    assert!(ran.err.contains(why), "{why}: {}", ran.err);
}

fn is_witness(path: &Path) -> bool {
    let text = fs::read_to_string(path).expect("a file");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    document["format"] == "raddle-witness"
}

#[test]
fn a_path_is_checked_before_the_search() {
    let folder = scratch("witness_path");
    refused(&witness(&folder.join("none/w.json")), "there is no folder");
    refused(&witness(&folder), "this is a folder");
    refused(&witness(&folder.join("w/")), "this is a folder");
    fs::write(folder.join("file"), "").expect("a file");
    refused(&witness(&folder.join("file/w.json")), "cannot be written");
    symlink("loop", folder.join("loop")).expect("a link");
    refused(&witness(&folder.join("loop")), "cannot be written");
    let reached = ["reach", "tests/automata/peterson.aut", "--model", "tso", "--witness"];
    let path = folder.join("none/w.json");
    refused(&raddle(&[&reached[..], &[path.to_str().expect("UTF-8")]].concat()), "no folder");
}

#[test]
fn an_input_is_never_overwritten() {
    let (folder, input) = with_input("witness_input");
    let before = fs::read(&input).expect("the input");
    symlink(&input, folder.join("link")).expect("a link");
    symlink("link", folder.join("links")).expect("a link");
    fs::hard_link(&input, folder.join("hard")).expect("a link");
    let names = ["p.rir", "link", "links", "hard", "./p.rir", "../witness_input/p.rir"];
    for name in names {
        let mut command = command(&["check", "p.rir", "--model", "tso", "--witness", name]);
        let ran = command.current_dir(&folder).output().expect("it starts").into();
        refused(&ran, "this is the input p.rir");
        let mut command = crate::common::command(&["check"]);
        command.arg(folder.join(name)).args(["--model", "tso", "--witness"]).arg(&input);
        refused(&command.output().expect("it starts").into(), "this is the input");
    }
    assert_eq!(fs::read(&input).expect("the input"), before);
}

/// Headers are inputs.
#[test]
fn nor_is_a_header() {
    let folder = scratch("witness_header");
    fs::write(folder.join("h.h"), "static int f(void) { return 1; }\n").expect("a header");
    let source = "#include \"h.h\"\nint main(void) { return f() - 1; }\n";
    fs::write(folder.join("p.c"), source).expect("a program");
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let args = ["check", &path("p.c"), "--model", "sc", "--witness", &path("h.h")];
    let Some(ran) = with_clang(&args) else { return };
    refused(&ran, "this is the input");
    // The compiler may name a header relative to a folder, so the test runs in several folders.
    for from in [folder.as_path(), Path::new("/"), &scratch("elsewhere")] {
        let mut command = command(&args);
        refused(
            &command.current_dir(from).output().expect("it starts").into(),
            "this is the input",
        );
    }
}

#[test]
fn files_are_replaced_as_a_whole() {
    let folder = scratch("witness_replaced");
    let path = folder.join("w.json");
    fs::write(&path, "old").expect("a file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("a file");
    let old = File::open(&path).expect("the old file");
    assert_eq!(witness(&path).status, Some(1));
    assert!(is_witness(&path));
    let mode = fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert_eq!(std::io::read_to_string(old).expect("the old file"), "old");
    let names: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
    assert_eq!(names.len(), 1, "nothing else is left: {names:?}");
}

#[test]
fn links_are_written_through() {
    let folder = scratch("witness_link");
    fs::create_dir(folder.join("below")).expect("a folder");
    symlink("below/w.json", folder.join("link")).expect("a link");
    for _ in 0..2 {
        assert_eq!(witness(&folder.join("link")).status, Some(1));
        assert!(folder.join("link").is_symlink());
        assert!(is_witness(&folder.join("below/w.json")));
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let ran = witness(Path::new("/dev/full"));
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.out.contains("violation"), "what was found is printed: {ran:?}");
    assert!(ran.err.contains("/dev/full: error: cannot be written"), "{ran:?}");
}

#[test]
fn streams_are_written_to() {
    let ran = witness(Path::new("/dev/stderr"));
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.err.contains("raddle-witness"), "{ran:?}");
}

#[test]
fn the_witness_is_not_the_standard_output() {
    let path = scratch("witness_stdout").join("out");
    let mut command = command(&["check", RACY, "--model", "tso", "--witness"]);
    command.arg(&path).stdout(File::create(&path).expect("a file"));
    refused(&command.output().expect("it starts").into(), "also the standard output");
}

/// For every kind of output, on a full device and on a closed standard output.
#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    for words in [
        "check examples/SB.litmus -m tso",
        "litmus examples -m sc",
        "print examples/SB.litmus",
        "--help",
        "check --help",
        "--version",
        "help",
    ] {
        let args: Vec<&str> = words.split(' ').collect();
        let full = File::options().write(true).open("/dev/full").expect("a device");
        let ran: Ran = command(&args).stdout(full).output().expect("it starts").into();
        assert_eq!(ran.status, Some(2), "{words}: {ran:?}");
        let wanted = "error: cannot write to standard output: No space left on device";
        assert!(ran.err.contains(wanted), "{words}: {ran:?}");
        let shell = format!("exec {} {words} >&-", env!("CARGO_BIN_EXE_raddle"));
        let ran = shelled(&shell);
        assert_eq!(ran.status, Some(2), "{words}: {ran:?}");
        assert!(
            ran.err.contains("cannot write to standard output: it is closed"),
            "{words}: {ran:?}"
        );
    }
}

fn shelled(script: &str) -> Ran {
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script]).current_dir(root()).stdin(Stdio::null());
    shell.output().expect("a shell").into()
}

/// The status is that of a process ended by SIGPIPE, and nothing is printed. The witness is still written.
#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let path = scratch("witness_pipe").join("w.json");
    let mut command = command(&["check", RACY, "--model", "tso", "--witness"]);
    command.arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    drop(child.stdout.take());
    let ran: Ran = child.wait_with_output().expect("it ends").into();
    assert_eq!((ran.status, ran.err.as_str()), (Some(141), ""));
    assert!(is_witness(&path));
}

/// The first character of a name has no special meaning: `@x.c` is not a file of options.
#[test]
fn names_are_not_options_of_the_compiler() {
    let folder = scratch("names");
    let source = "int main(void) { return 0; }\n";
    for name in ["@x.c", "-x.c", "@-.c", "a b.c", "-o.c"] {
        fs::write(folder.join(name), source).expect("a program");
        // Options that would fail if the compiler read `@x.c` as a file of options.
        fs::write(folder.join("x.c"), "-fplugin=none.so").expect("options");
        let arg = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
        let mut command = command(&["check", &arg, "--model", "sc", "--witness", "w.json"]);
        let ran: Ran = command.current_dir(&folder).output().expect("it starts").into();
        if lacks_clang(&ran) {
            return;
        }
        assert_eq!((ran.status, ran.err.as_str()), (Some(0), ""), "{name}: {ran:?}");
        let document = fs::read_to_string(folder.join("w.json")).expect("a witness");
        assert!(document.contains(&arg), "{document}");
    }
    // The same for a witness file, which may contain any name.
    let path = folder.join("w.json");
    let document = r#"{"format": "raddle-witness", "version": 2, "inputs": ["-o.c"], "arguments": [],
        "program": "", "checks": [], "witnesses": [{"model": "sc", "kind": "assertion", "thread": null,
        "file": "", "line": null, "against": null, "count": 1, "schedule": []}]}"#;
    fs::write(&path, document).expect("a witness");
    let mut command = command(&["replay", "w.json"]);
    let ran: Ran = command.current_dir(&folder).output().expect("it starts").into();
    assert!(ran.err.contains("-o.c is not the program that the witness is from"), "{ran:?}");
}

/// Names that are not UTF-8 are shown with their bytes escaped, and replay.
#[test]
fn names_need_not_be_utf8() {
    let folder = scratch("bytes");
    let name = OsStr::from_bytes(b"p\xff\xfe.rir");
    fs::copy(root().join(RACY), folder.join(name)).expect("a copy");
    let mut check = command(&["check", "--model", "tso", "--witness", "w.json"]);
    let ran: Ran = check.arg(name).current_dir(&folder).output().expect("it starts").into();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.starts_with("p\\xff\\xfe.rir under tso: violation"), "{ran:?}");
    let mut json = command(&["check", "--model", "tso", "--json"]);
    let ran: Ran = json.arg(name).current_dir(&folder).output().expect("it starts").into();
    let object: Value = serde_json::from_str(ran.out.trim_end()).expect("JSON");
    assert_eq!(object["file"], "p\\xff\\xfe.rir");
    let mut replay = command(&["replay", "w.json"]);
    let ran: Ran = replay.current_dir(&folder).output().expect("it starts").into();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.out.ends_with("replayed: same error\n"), "{ran:?}");
}

/// The same for C, with a flag that is not UTF-8.
#[test]
fn nor_need_flags() {
    let folder = scratch("bytes-c");
    let name = OsStr::from_bytes(b"p\xff.c");
    let source = "#include <assert.h>\nint main(void) { assert(sizeof TEXT == 3); assert(0); }\n";
    fs::write(folder.join(name), source).expect("a program");
    let mut check = command(&["check", "--model", "tso", "--witness", "w.json"]);
    check.arg(name).arg("--").arg(OsStr::from_bytes(b"-DTEXT=\"\xc3\xff\"")).current_dir(&folder);
    let ran: Ran = check.output().expect("it starts").into();
    if lacks_clang(&ran) {
        return;
    }
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let mut replay = command(&["replay", "w.json"]);
    let ran: Ran = replay.current_dir(&folder).output().expect("it starts").into();
    assert_eq!(ran.status, Some(1), "{ran:?}");
}

#[test]
fn headers_and_the_file_of_a_project_are_not_overwritten() {
    let folder = scratch("headers");
    let written = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    };
    let text = "int x;\nstatic inline void set(void) { x = 1; }\n";
    let (used, bare) = (written("used.h", text), written("bare.h", "int y;\n"));
    let main = "#include \"used.h\"\n#include \"bare.h\"\nint main(void) { set(); return y; }\n";
    let program = written("main.c", main);
    for (file, kept) in [(&used, text), (&bare, "int y;\n")] {
        for option in ["--html", "--dot", "--sarif", "--junit", "--witness"] {
            let Some(ran) = with_clang(&["check", &program, "-m", "tso", option, file]) else {
                return;
            };
            assert_eq!(ran.status, Some(2), "{option} {file}: {ran:?}");
            assert_eq!(std::fs::read_to_string(file).expect("it is there"), kept, "{option}");
        }
    }
    let project = written("raddle.toml", "[[check]]\nfiles = [\"main.c\"]\nmodel = \"sc\"\n");
    for option in ["--html", "--sarif"] {
        let ran = raddle(&["check", "--config", &project, option, &project]);
        assert_eq!(ran.status, Some(2), "{option}: {ran:?}");
        assert!(std::fs::read_to_string(&project).expect("it is there").starts_with("[[check]]"));
    }
}
