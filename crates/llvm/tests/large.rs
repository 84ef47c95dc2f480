//! Large programs, compiled by every installed clang and parsed. These tests run only with `--ignored`,
//! since the sources are downloaded and compiling them takes minutes.

use crate::common;

use common::{compilers, invariants};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The C files of the programs, downloaded if they do not exist yet.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fetch-sources");
    let output = Command::new(script).arg(folder).output().expect("the script runs");
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
    String::from_utf8_lossy(&output.stdout).lines().map(PathBuf::from).collect()
}

#[test]
#[ignore = "fetches sources and compiles them for minutes"]
fn large_programs_are_read() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("large");
    let sources = sources(&folder);
    assert!(!sources.is_empty());
    for clang in compilers::clangs() {
        for level in ["-O0", "-O2"] {
            let (mut bytes, mut files, mut time) = (0, 0, Duration::ZERO);
            for source in &sources {
                let Some(text) = clang.compile(source, level, &[], &folder.join("out.ll")) else {
                    panic!("{} does not compile {}", clang.name, source.display());
                };
                let start = Instant::now();
                let module = raddle_llvm::parse(&source.to_string_lossy(), &text)
                    .unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
                time += start.elapsed();
                invariants::check(&module);
                bytes += text.len();
                files += 1;
            }
            let megabytes = bytes as f64 / 1e6;
            eprintln!("{} {level}: {files} files, {megabytes:.1} MB, {time:.0?}", clang.name);
        }
    }
}
