//! The layout of edits follows the lines around them.

use super::{PROGRAM, leaves_nothing, patch_of, written};

/// The added and removed lines of the patch for a first thread, without `#include`.
fn changes(name: &str, left: &str) -> Option<Vec<String>> {
    let head = "#include <pthread.h>\n#include <stdatomic.h>\nint x, y, v, w;\n";
    let right = PROGRAM.find("void *right").expect("the second thread");
    let source = format!("{head}{left}{}", &PROGRAM[right..]);
    let folder = written(&format!("layout_{name}"), &[("p.c", &source)]);
    let ran = patch_of(&folder, &["p.c"], &[], "tso")?;
    assert_eq!(ran.status, Some(0), "{name}: {ran:?}");
    let changed = ran.out.lines().skip(2).filter(|line| line.starts_with(['+', '-']));
    let short = |line: &str| line.replace("atomic_thread_fence(memory_order_seq_cst)", "FENCE");
    Some(changed.map(short).collect())
}

#[test]
fn edits_look_like_their_surroundings() {
    let cases: &[(&str, &str, &[&str])] = &[
        ("tabs", "void *left(void *p)\n{\n\tx = 1;\n\tv = y;\n\treturn p;\n}\n", &["+\tFENCE;"]),
        (
            "after_label",
            "void *left(void *p)\n{\n    int i = 0;\nagain:\n    v = y;\n    x = 1;\n    if (i++ < 1)\n        goto again;\n    return p;\n}\n",
            &["+    FENCE;"],
        ),
        (
            "comma",
            "void *left(void *p)\n{\n    int a;\n    x = 1, a = y, v = a;\n    return p;\n}\n",
            &["-    x = 1, a = y, v = a;", "+    x = 1, FENCE, a = y, v = a;"],
        ),
        (
            "parentheses",
            "void *left(void *p)\n{\n    v = (x = 1) + (y);\n    return p;\n}\n",
            &["-    v = (x = 1) + (y);", "+    v = (x = 1) + (FENCE, y);"],
        ),
        (
            "macro",
            "#define STEP(a)     \\\n    do {            \\\n        x = (a);    \\\n        v = y;      \\\n    } while (0)\nvoid *left(void *p) { STEP(1); return p; }\n",
            &["+        FENCE; \\"],
        ),
        (
            "for_with_macros",
            "#define RD(v) __atomic_load_n(&v, 0)\n#define WR(v, n) __atomic_store_n(&v, n, 0)\nvoid *left(void *p)\n{\n    for (WR(x, 1); RD(y) == 0;) break;\n    v = RD(w);\n    return p;\n}\n",
            &[
                "-    for (WR(x, 1); RD(y) == 0;) break;",
                "+    for (WR(x, 1); FENCE, RD(y) == 0;) break;",
            ],
        ),
        (
            "short_macro",
            "#define STEP(a) do { \\\n\tx = (a); \\\n\tv = y; \\\n} while (0)\nvoid *left(void *p) { STEP(1); return p; }\n",
            &["+\tFENCE; \\"],
        ),
    ];
    for (name, left, wanted) in cases {
        let Some(changes) = changes(name, left) else { return };
        assert_eq!(changes, *wanted, "{name}");
    }
}

/// A fence that is needed after jumps to a label is inserted after the label, whether or not the label and
/// the instruction are on one line.
#[test]
fn a_fence_behind_a_label_gets_the_label() {
    let head = "PPC jumps
{ 1:r2=x; 1:r4=y; 1:r8=z; 1:r1=1; 1:r7=2; 0:r2=x; 0:r4=y; 0:r8=z; 0:r1=1; }
 P0           | P1               | P2 ;
 stw r1,0(r4) | lwz r5,0(r8)     |    ;
 sync         | cmpw r5,r1       |    ;
 lwz r3,0(r2) | beq M            |    ;
 sync         | stw r1,0(r2)     |    ;
 stw r1,0(r8) | b L              |    ;
              | M:               |    ;
              | stw r7,0(r2)     |    ;
";
    let tail = "exists (0:r3=0 /\\ 1:r3=0)\n";
    let source = format!("{head} li r9,1      | L: lwz r3,0(r4)  | li r1,1 ;\n{tail}");
    let folder = written("label", &[("jumps.litmus", &source)]);
    let patch = leaves_nothing(&folder, &["jumps.litmus"], &[], "power").expect("no clang needed");
    let changed: Vec<&str> =
        patch.lines().skip(2).filter(|line| line.starts_with(['+', '-'])).collect();
    let wanted = [
        "- li r9,1      | L: lwz r3,0(r4)  | li r1,1 ;",
        "+ li r9,1      | L: sync          |         ;",
        "+              |    lwz r3,0(r4)  | li r1,1 ;",
    ];
    assert_eq!(changed, wanted);
}
