//! Running the built command.

pub(crate) use raddle_testing::root;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// What a run of the command gave.
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
    command(args).output().expect("the command starts").into()
}

/// None, with a note, if there is no clang.
pub(crate) fn with_clang(args: &[&str]) -> Option<Ran> {
    Some(raddle(args)).filter(|ran| !lacks_clang(ran))
}

/// Whether the command found no clang, which is noted.
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

/// Writes a file into a test's folder and gives its path as an argument.
pub(crate) fn file(test: &str, name: &str, contents: &[u8]) -> String {
    let path = scratch(test).join(name);
    std::fs::write(&path, contents).expect("a scratch file");
    path.to_str().expect("a UTF-8 path").to_owned()
}
