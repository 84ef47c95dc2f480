//! Parses the output of every installed clang for the files of `tests/c`.

use crate::common;

use common::{compilers, invariants};
use std::path::Path;

#[test]
fn the_output_of_every_clang_is_read() {
    let clangs = compilers::clangs();
    if clangs.is_empty() {
        raddle_testing::missing("clang");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for clang in &clangs {
        for level in ["-O0", "-O2"] {
            for file in &files {
                let stem = file.file_name().unwrap_or_default().to_string_lossy();
                let out = Path::new(env!("CARGO_TARGET_TMPDIR"))
                    .join(format!("{}{level}-{stem}.ll", clang.name));
                let Some(text) = clang.compile(file, level, &[], &out) else {
                    panic!("{} does not compile {}", clang.name, stem);
                };
                let module = raddle_llvm::parse(&out.to_string_lossy(), &text)
                    .unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
                invariants::check(&module);
                assert!(module.functions().any(|(_, function)| function.body.is_some()));
                assert!(!module.locs.is_empty());
            }
        }
    }
}
