//! Several files are linked to one program, as a linker would do it.

use crate::common;
use raddle_engine::Model;

use raddle_front_c::{Error, load};

use raddle_ir::Verified;
use std::path::{Path, PathBuf};

/// Writes files and returns their paths.
fn files(test: &str, contents: &[&str]) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("linking-{test}"));
    std::fs::create_dir_all(&folder).expect("a scratch folder");
    let write = |(index, text): (usize, &&str)| {
        let path = folder.join(format!("file{index}.c"));
        std::fs::write(&path, text).expect("a scratch file");
        path
    };
    contents.iter().enumerate().map(write).collect()
}

fn compiler() -> Option<PathBuf> {
    common::compilers().into_iter().next()
}

fn runs(program: &Verified) {
    let summary = common::run(program, Model::Sc);
    let wrong = common::failures(program, &summary);
    assert!(wrong.is_empty(), "{wrong:?}");
    assert_eq!(summary.executions, 1);
}

#[test]
fn names_meet_across_files_and_static_ones_do_not() {
    let Some(compiler) = compiler() else {
        return;
    };
    let paths = files(
        "names",
        &[
            "#include <assert.h>
         int shared = 5; static int own(void) { return 1; }
         int other(void); extern int late[];
         int (*get(void))(void);
         int main(void) { assert(own() == 1 && other() == 2 && get()() == 2 && late[1] == 8);
                          shared++; assert(other() == 2 && shared == 7); return 0; }",
            "extern int shared; static int own(void) { return 2; } int late[] = {7, 8};
         int (*get(void))(void) { return own; }
         int other(void) { if (shared > 5) shared++; return own(); }",
        ],
    );
    runs(&common::program(&paths, &common::options(&compiler, &[])));
}

#[test]
fn strong_beats_weak_and_common_ones_are_merged() {
    let Some(compiler) = compiler() else {
        return;
    };
    let paths = files(
        "weak",
        &[
            "#include <assert.h>
         __attribute__((weak)) int f(void) { return 1; }
         __attribute__((weak)) extern int absent(void);
         int tentative; int main(void) { assert(f() == 2 && !absent);
         tentative = 3; extern int read_it(void); assert(read_it() == 3); return 0; }",
            "int f(void) { return 2; } int tentative; int read_it(void) { return tentative; }",
        ],
    );
    runs(&common::program(&paths, &common::options(&compiler, &["-fcommon"])));
}

#[test]
fn two_definitions_are_an_error_that_names_both_files() {
    let Some(compiler) = compiler() else {
        return;
    };
    let paths = files(
        "twice",
        &["int f(void) { return 1; } int main(void) { return f(); }", "int f(void) { return 2; }"],
    );
    let error = load(&paths, &common::options(&compiler, &[])).expect_err("f is defined twice");
    let Error::Diagnostic(diagnostic, _) = error else {
        panic!("{error:?}");
    };
    let shown = diagnostic.to_string();
    assert!(shown.contains("file0.c") && shown.contains("file1.c"), "{shown}");
    assert!(shown.contains("defines f"), "{shown}");
}

#[test]
fn a_program_needs_main() {
    let Some(compiler) = compiler() else {
        return;
    };
    let paths = files("main", &["int f(void) { return 1; }"]);
    let error = load(&paths, &common::options(&compiler, &[])).expect_err("there is no main");
    assert!(matches!(error, Error::Diagnostic(d, _) if d.to_string().contains("no main")));
}

#[test]
fn llvm_ir_and_bitcode_are_read() {
    let Some(compiler) = compiler() else {
        return;
    };
    let source = "#include <assert.h>\nint main(void) { int x = 2; assert(x * x == 4); return 0; }";
    let [path] = <[PathBuf; 1]>::try_from(files("bitcode", &[source])).expect("one file");
    for (extension, flags) in [("ll", &["-S", "-emit-llvm"][..]), ("bc", &["-c", "-emit-llvm"])] {
        let made = path.with_extension(extension);
        let status = std::process::Command::new(&compiler)
            .args(flags)
            .arg("-o")
            .arg(&made)
            .arg(&path)
            .status()
            .expect("the compiler runs");
        assert!(status.success());
        runs(&common::program(&[made], &common::options(&compiler, &[])));
    }
}
