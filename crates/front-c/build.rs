//! Lists the files of the library, `src/library/*.rir`, so that they are part of the program.

use std::env;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("set by cargo"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("set by cargo"));
    let folder = root.join("src/library");
    println!("cargo::rerun-if-changed={}", folder.display());
    fs::write(out.join("library.rs"), list(&folder)).expect("the build folder can be written");
}

/// `&[("pthread.rir", include_str!("…/pthread.rir")), …]`
fn list(folder: &Path) -> String {
    let entries = fs::read_dir(folder).expect("the library's folder is there");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the library's folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rir"))
        .collect();
    files.sort();
    let mut text = "&[\n".to_owned();
    for path in files {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        writeln!(text, "({name:?}, include_str!({path:?})),").expect("a string can be written");
    }
    text.push(']');
    text
}
