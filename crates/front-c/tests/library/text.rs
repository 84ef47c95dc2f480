//! The C library's IR text: every file parses and passes the verifier by itself, and all files together
//! define the functions that they use from each other.

use raddle_ir::{Verified, text};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/library");
    let entries = std::fs::read_dir(library).expect("the library is there");
    let paths = entries.map(|entry| entry.expect("a readable entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension() == Some("rir".as_ref())).collect();
    paths.sort();
    paths
}

fn parsed(path: &Path) -> Verified {
    let source = std::fs::read_to_string(path).expect("a readable file");
    let name = path.display().to_string();
    text::load(&name, source.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_file_is_well_formed() {
    assert!(files().len() > 20);
    for path in files() {
        parsed(&path);
    }
}

/// Each name is defined once, by a library function, and all its declarations agree with the definition.
#[test]
fn files_fit_together() {
    let mut defined: HashMap<String, String> = HashMap::new();
    let mut declared = Vec::new();
    let mut globals = HashSet::new();
    for path in files() {
        let program = parsed(&path);
        for global in program.globals.values() {
            assert!(globals.insert(global.name.clone()), "@{} is there twice", global.name);
        }
        for func in program.funcs.values() {
            let params: Vec<_> = func.params.iter().map(|reg| func.regs[*reg].ty).collect();
            let signature = format!("{params:?} -> {:?}", func.ret);
            if func.blocks.is_empty() {
                declared.push((path.clone(), func.name.clone(), signature));
                continue;
            }
            assert!(func.library, "@{} of {} is no library function", func.name, path.display());
            let twice = defined.insert(func.name.clone(), signature);
            assert!(twice.is_none(), "@{} is there twice", func.name);
        }
    }
    for (path, name, signature) in declared {
        assert_eq!(defined.get(&name), Some(&signature), "@{name} in {}", path.display());
    }
}

/// Internal names of the library, which no C program can use, start with `raddle.`. Others are those of C and C++.
#[test]
fn what_is_internal_is_named_so() {
    for path in files() {
        for global in parsed(&path).globals.values() {
            let standard = ["stdin", "stdout", "stderr"].contains(&global.name.as_str())
                || global.name.starts_with("_ZSt");
            assert!(standard || global.name.starts_with("raddle."), "@{}", global.name);
        }
    }
}
