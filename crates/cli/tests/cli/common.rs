//! Runs the built command.

pub(crate) use raddle_testing::root;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The output and the status of a run of the command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Ran {
        Ran {
            status: output.status.code(),
            out: String::from_utf8(output.stdout).expect("output is UTF-8"),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.args(args).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs it from the project's root, so that `examples/…` names the examples.
pub(crate) fn raddle(args: &[&str]) -> Ran {
    let ran: Ran = command(args).output().expect("the command starts").into();
    let has = |name: &str| {
        let own = args.iter().take_while(|arg| **arg != "--");
        own.map(|arg| arg.split('=').next()).any(|arg| arg == Some(name))
    };
    if has("--json") {
        let schema = if has("--estimate") { "estimate" } else { args[0] };
        raddle_testing::schema::validate_lines(schema, &ran.out);
    }
    ran
}

/// Returns `None` and prints a note if there is no clang.
pub(crate) fn with_clang(args: &[&str]) -> Option<Ran> {
    Some(raddle(args)).filter(|ran| !lacks_clang(ran))
}

/// Whether the command found no clang; if so, prints a note.
pub(crate) fn lacks_clang(ran: &Ran) -> bool {
    let lacks = ran.err.contains("no clang on the path");
    if lacks {
        raddle_testing::missing("clang");
    }
    lacks
}

/// An empty folder for one test's files.
pub(crate) fn scratch(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// Writes a file into a test's folder and returns its path.
pub(crate) fn file(test: &str, name: &str, contents: &[u8]) -> String {
    let path = scratch(test).join(name);
    std::fs::write(&path, contents).expect("a scratch file");
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// Compiles a C source once, for a test that runs it often: the path of its IR text beside it. Returns `None`
/// and prints a note if there is no clang.
pub(crate) fn compiled(source: &str, flags: &[&str]) -> Option<String> {
    let ran = with_clang(&[&["print", source, "--"], flags].concat())?;
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let path = format!("{source}.rir");
    std::fs::write(&path, &ran.out).expect("a scratch file");
    Some(path)
}
