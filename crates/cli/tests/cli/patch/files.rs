//! File names, folders, headers, line endings, compiler options.

use super::{PROGRAM, apply, leaves_nothing, patch_of, written};
use std::path::Path;

const MODEL: &str = "tso";

/// The lines of a patch that name files.
fn names(patch: &str) -> Vec<&str> {
    patch.lines().filter_map(|line| line.strip_prefix("+++ b/")).collect()
}

fn program_in(name: &str, file: &str) -> std::path::PathBuf {
    written(name, &[(file, PROGRAM)])
}

#[test]
fn files_here_are_named_from_here() {
    let folder = program_in("here", "sub/program.c");
    let absolute = folder.join("sub/program.c");
    let absolute = absolute.to_str().expect("a UTF-8 path");
    for given in ["sub/program.c", "./sub/program.c", "sub/../sub/program.c", absolute] {
        let Some(ran) = patch_of(&folder, &[given], &[], MODEL) else { return };
        assert_eq!((names(&ran.out), &*ran.err), (vec!["sub/program.c"], ""), "{given}");
    }
    leaves_nothing(&folder, &[absolute], &[], MODEL);
}

#[test]
fn a_patch_for_another_folder_says_which() {
    let folder = program_in("elsewhere", "a dir/program.c");
    let here = folder.join("here");
    std::fs::create_dir(&here).expect("a folder");
    let Some(ran) = patch_of(&here, &["../a dir/program.c"], &[], MODEL) else { return };
    let real = folder.canonicalize().expect("the folder is there").join("a dir");
    assert_eq!(names(&ran.out), ["program.c"]);
    let name = format!("'{}'", real.display());
    let wanted = format!(
        "note: the patch names files from {name}: patch -p1 -d {name}, or git -C {name} apply\n"
    );
    assert_eq!(ran.err, wanted);
    apply(&real, &ran.out);
    leaves_nothing(&here, &["../a dir/program.c"], &[], MODEL);
}

/// Neither `patch` nor `git apply` writes through a link.
#[cfg(unix)]
#[test]
fn links_are_named_by_what_they_lead_to() {
    use std::os::unix::fs::symlink;
    let folder = program_in("links", "real/deep/program.c");
    symlink("real/deep", folder.join("folder")).expect("a link");
    symlink("real/deep/program.c", folder.join("link.c")).expect("a link");
    symlink(folder.join("real"), folder.join("other")).expect("a link");
    // `folder/..` is `real`, because `folder` is a link.
    for given in ["folder/program.c", "link.c", "folder/../deep/program.c", "other/deep/program.c"]
    {
        let Some(ran) = patch_of(&folder, &[given], &[], MODEL) else { return };
        assert_eq!((names(&ran.out), &*ran.err), (vec!["real/deep/program.c"], ""), "{given}");
    }
    leaves_nothing(&folder, &["link.c"], &[], MODEL);
}

#[test]
fn odd_names_are_patched() {
    for name in ["my program.c", "né.c", "a\"b.c", "a:b.c", "a\tb.c", "a\\b.c", "-x.c", "@x.c"] {
        let folder = program_in("odd_names", name);
        let given = format!("./{name}");
        let Some(patch) = leaves_nothing(&folder, &[&given], &[], MODEL) else { return };
        assert!(!patch.is_empty(), "{name}");
    }
}

/// Names and texts.
type Files<'a> = &'a [(&'a str, &'a str)];

const HEADER: &str = "extern int v;
static inline void go(int *a, int *b)
{
    *a = 1;
    v = *b;
}
";
const USE: &str = "#include <pthread.h>
#include \"go.h\"
int x, y, v, w;
void *left(void *p) { go(&x, &y); return p; }
";

/// The program with another first thread.
fn main_of(left: &str) -> String {
    let at = PROGRAM.find("void *right").expect("the second thread");
    format!("{left}{}", &PROGRAM[at..])
}

#[test]
fn headers_are_edited_where_they_are() {
    let main = main_of(USE);
    let macro_header = "#define GO() do { \\\n\tx = 1; \\\n\tv = y; \\\n} while (0)\n";
    let of_macro = main.replace("go(&x, &y)", "GO()");
    let cases: [(&str, Files<'_>, &[&str], &str); 4] = [
        ("beside", &[("p.c", &main), ("go.h", HEADER)], &[], "go.h"),
        ("path", &[("p.c", &main), ("inc/go.h", HEADER)], &["--", "-Iinc"], "inc/go.h"),
        ("outer", &[("p.c", &main), ("inc/go.h", HEADER)], &["--", "-Iinc/../inc"], "inc/go.h"),
        ("macro", &[("p.c", &of_macro), ("go.h", macro_header)], &[], "go.h"),
    ];
    for (name, files, options, edited) in cases {
        let folder = written(&format!("header_{name}"), files);
        let Some(patch) = leaves_nothing(&folder, &["p.c"], options, MODEL) else { return };
        assert_eq!(names(&patch), [edited], "{name}");
    }
}

/// There is one edit, although the header gives two functions of the program.
#[test]
fn a_header_of_two_files_is_edited_once() {
    let main = main_of(USE);
    let right = main.find("void *right").expect("the second thread");
    let end = main.find("int main").expect("a main function");
    let main = format!("{}void *right(void *p);\n{}", &main[..right], &main[end..]);
    let other =
        "#include \"./go.h\"\nextern int x, y;\nvoid *right(void *p) { go(&y, &x); return p; }\n";
    let folder = written("header_twice", &[("p.c", &main), ("q.c", other), ("go.h", HEADER)]);
    let Some(patch) = leaves_nothing(&folder, &["p.c", "q.c"], &[], MODEL) else { return };
    assert_eq!(names(&patch), ["go.h"]);
    assert_eq!(patch.matches("+    atomic_thread_fence").count(), 1, "{patch}");
}

#[test]
fn lines_end_as_they_did() {
    let folder = written("crlf", &[("p.c", &PROGRAM.replace('\n', "\r\n"))]);
    let Some(patch) = leaves_nothing(&folder, &["p.c"], &[], MODEL) else { return };
    assert!(!patch.is_empty());
    let text = std::fs::read_to_string(folder.join("p.c")).expect("the patched file");
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    let folder = written("no_end", &[("p.c", PROGRAM.trim_end())]);
    leaves_nothing(&folder, &["p.c"], &[], MODEL);
    let text = std::fs::read_to_string(folder.join("p.c")).expect("the patched file");
    assert!(!text.ends_with('\n'));
}

#[test]
fn options_of_the_compiler_are_kept() {
    let guarded = PROGRAM.replace("void *left", "#ifdef LEFT\nvoid *left");
    let guarded = guarded.replace("void *right", "#endif\nvoid *right");
    let cases: [(&str, &str, &[&str]); 4] = [
        ("c89", PROGRAM, &["--", "-std=c89", "-pedantic-errors"]),
        ("c99", PROGRAM, &["--", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Werror"]),
        ("defined", &guarded, &["--", "-DLEFT"]),
        ("defined_value", &PROGRAM.replace("x = 1;", "STORE;"), &["--", "-DSTORE=x=1"]),
    ];
    for (name, source, options) in cases {
        let folder = written(&format!("options_{name}"), &[("p.c", source)]);
        let Some(patch) = leaves_nothing(&folder, &["p.c"], options, MODEL) else { return };
        assert!(!patch.is_empty(), "{name}");
    }
}

/// A patch only reads the source, so the file may be read-only.
#[test]
fn a_file_that_cannot_be_written_has_a_patch() {
    let folder = program_in("read_only", "p.c");
    let path: &Path = &folder.join("p.c");
    let mut rights = std::fs::metadata(path).expect("the file is there").permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(path, rights).expect("rights");
    let Some(ran) = patch_of(&folder, &["p.c"], &[], MODEL) else { return };
    assert_eq!((ran.status, names(&ran.out)), (Some(0), vec!["p.c"]));
}
