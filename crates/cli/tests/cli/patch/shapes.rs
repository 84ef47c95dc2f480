//! Shapes of C source.

use super::{leaves_nothing, written};

const HEAD: &str = "#include <pthread.h>\nint x, y, v, w;\n";

const MAIN: &str = "
void *right(void *p) { y = 1; __atomic_thread_fence(5); w = x; return p; }
int main(void) {
    pthread_t l, r;
    pthread_create(&l, 0, left, 0);
    pthread_create(&r, 0, right, 0);
    pthread_join(l, 0);
    pthread_join(r, 0);
    return 0;
}
";

/// Threads that store to `x` and then load `y`, in every form of source that a fence must be inserted into.
const SHAPES: &[(&str, &str)] = &[
    ("lines", "void *left(void *p) {\n    x = 1;\n    v = y;\n    return p;\n}"),
    ("one_line", "void *left(void *p) { x = 1; v = y; return p; }"),
    ("two_functions", "void f(void) { x = 1; } void *left(void *p) { f(); v = y; return p; }"),
    (
        "for_loop",
        "void *left(void *p) {\n    for (int i = 0; i < 2; i++) { v += y; x = 1; }\n    return p;\n}",
    ),
    (
        "while_loop",
        "void *left(void *p) {\n    int i = 0;\n    while (i++ < 2) { v += y; x = 1; }\n    return p;\n}",
    ),
    (
        "do_continue",
        "void *left(void *p) {\n    int i = 0;\n    do {\n        v += y;\n        x = 1;\n        if (i == 0) continue;\n        w = 0;\n    } while (++i < 2);\n    return p;\n}",
    ),
    (
        "do_condition",
        "void *left(void *p) {\n    int i = 0;\n    do x = 1; while (i++ < 1 && y);\n    return p;\n}",
    ),
    (
        "while_break",
        "void *left(void *p) {\n    while (1) {\n        x = 1;\n        if (y) break;\n        break;\n    }\n    return p;\n}",
    ),
    ("for_first", "void *left(void *p) {\n    for (x = 1; y < 1;) break;\n    return p;\n}"),
    (
        "for_second",
        "void *left(void *p) {\n    int i = 0;\n    for (x = 1; i < 1 && y == 0; i++)\n        ;\n    return p;\n}",
    ),
    (
        "for_third",
        "void *left(void *p) {\n    for (int i = 0; i < 2; i++, x = i) v += y;\n    return p;\n}",
    ),
    (
        "unbraced_if",
        "void *left(void *p) {\n    x = 1;\n    if (p == 0)\n        v = y;\n    return p;\n}",
    ),
    (
        "unbraced_else",
        "void *left(void *p) {\n    if (p)\n        x = 2;\n    else\n        x = 1, v = y;\n    return p;\n}",
    ),
    (
        "unbraced_for",
        "void *left(void *p) {\n    for (int i = 0; i < 1; i++)\n        x = 1, v = y;\n    return p;\n}",
    ),
    (
        "unbraced_nested",
        "void *left(void *p) {\n    x = 1;\n    for (int i = 0; i < 1; i++)\n        if (!p)\n            v = y;\n        else v = 2;\n    return p;\n}",
    ),
    ("condition", "void *left(void *p) {\n    if ((x = 1) && y) v = 1;\n    return p;\n}"),
    ("or", "void *left(void *p) {\n    x = 1; if (!p || y) v = 1; v = y;\n    return p;\n}"),
    ("choice", "void *left(void *p) {\n    x = 1, v = p ? 1 : y;\n    return p;\n}"),
    (
        "argument",
        "int f(int a, int b) { return a + b; }\nvoid *left(void *p) {\n    v = f(x = 1, y);\n    return p;\n}",
    ),
    ("comma", "void *left(void *p) {\n    v = (x = 1, y);\n    return p;\n}"),
    (
        "spans_lines",
        "void *left(void *p) {\n    v = (x = 1) +\n        y +\n        2;\n    return p;\n}",
    ),
    (
        "returned",
        "int f(int a) { x = a; return 1; }\nint g(void) { return f(1) + y; }\nvoid *left(void *p) { v = g(); return p; }",
    ),
    (
        "initialiser",
        "void *left(void *p) {\n    x = 1;\n    int a = y;\n    v = a;\n    return p;\n}",
    ),
    (
        "two_initialisers",
        "int f(void) { x = 1; return 1; }\nvoid *left(void *p) {\n    int a = f(), b = y;\n    v = a + b;\n    return p;\n}",
    ),
    (
        "switch_case",
        "void *left(void *p) {\n    switch (p != 0) {\n    case 0: x = 1;\n    case 1: v = y; break;\n    default: v = 3;\n    }\n    return p;\n}",
    ),
    (
        "label",
        "void *left(void *p) {\n    int i = 0;\nagain: v = y;\n    x = 1;\n    if (i++ < 1) goto again;\n    return p;\n}",
    ),
    (
        "label_at_end",
        "void *left(void *p) {\n    x = 1;\n    if (p) goto out;\n    v = y;\nout: ;\n    return p;\n}",
    ),
    ("object_macro", "#define STEP x = 1; v = y\nvoid *left(void *p) { STEP; return p; }"),
    (
        "function_macro",
        "#define STEP(a) (x = (a), y)\nvoid *left(void *p) { v = STEP(1); return p; }",
    ),
    (
        "long_macro",
        "#define STEP(a) do { \\\n        x = (a); \\\n        v = y; \\\n    } while (0)\nvoid *left(void *p) { STEP(1); return p; }",
    ),
    (
        "nested_macro",
        "#define SET(a) (x = (a))\n#define STEP(a) (SET(a), y)\nvoid *left(void *p) { v = STEP(1); return p; }",
    ),
    (
        "statement_expression",
        "void *left(void *p) {\n    v = ({ x = 1; int k = y; k; });\n    return p;\n}",
    ),
    (
        "empty_statements",
        "void *left(void *p) {\n    x = 1;;\n    ;\n    if (y) ;\n    return p;\n}",
    ),
    (
        "conditional_code",
        "void *left(void *p) {\n    x = 1;\n#if 1\n    v = y;\n#else\n    v = 3;\n#endif\n    return p;\n}",
    ),
    (
        "comments",
        "void *left(void *p) {\n    x = 1 /* one */; /* two */ v /* three */ = // four\n        y;\n    return p;\n}",
    ),
    (
        "commented_body",
        "void *left(void *p) {\n    x = 1;\n    if (!p) // why\n        v = y; // because\n    return p;\n}",
    ),
    (
        "assembly",
        "void *left(void *p) {\n    x = 1; __asm__ volatile(\"\" ::: \"memory\"); v = y;\n    return p;\n}",
    ),
    (
        "used_twice",
        "void f(int *a, int *b) {\n    *a = 1;\n    v = *b;\n}\nvoid *left(void *p) { f(&x, &y); f(&x, &y); return p; }",
    ),
    ("subscript", "int a[2];\nvoid *left(void *p) {\n    v = a[(x = 1, y)];\n    return p;\n}"),
    (
        "pointer",
        "int *q = &y;\nvoid *left(void *p) {\n    int **r = &q; x = 1; if (!p) while (**r < 0) ;\n    return p;\n}",
    ),
    ("old_style", "void *left(p) void *p;\n{\n    x = 1;\n    { v = y; }\n    return p;\n}"),
    (
        "macro_head",
        "#define THREAD(name) void *name(void *p)\nTHREAD(left)\n{\n    x = 1;\n    if (!p)\n        v = y;\n    return p;\n}",
    ),
    (
        "label_line",
        "void *left(void *p) {\n    x = 1;\nagain:\n    v = y;\n    if (p) goto again;\n    return p;\n}",
    ),
    ("numbered", "#line 100\nvoid *left(void *p) {\n    x = 1;\n    v = y;\n    return p;\n}"),
    (
        "generated",
        "#line 7 \"grammar.y\"\nvoid *left(void *p) {\n    x = 1;\n    v = y;\n    return p;\n}\n# 50 \"program.c\"",
    ),
    (
        "conditional_head",
        "#define A\nvoid *left(void *p) {\n    x = 1;\n#ifdef A\n    if (!p)\n#else\n    if (p)\n#endif\n        v = y;\n    return p;\n}",
    ),
    (
        "conditional_else",
        "#define A\nvoid *left(void *p) {\n    x = 1;\n    if (p) {\n        v = 2;\n#ifdef A\n    } else if (y) {\n        v = 3;\n#endif\n    }\n    return p;\n}",
    ),
    (
        "conditional_operand",
        "#define A\nvoid *left(void *p) {\n    x = 1;\n    v = 1 +\n#ifdef A\n        y\n#else\n        2\n#endif\n        ;\n    return p;\n}",
    ),
    (
        "macro_of_values",
        "#define MAX(a, b) ({ __typeof__(a) a_ = (a); __typeof__(b) b_ = (b); a_ > b_ ? a_ : b_; })\nvoid *left(void *p) {\n    v = MAX((x = 1), y);\n    return p;\n}",
    ),
    (
        "variable_array",
        "void *left(void *p) {\n    x = 1;\n    int a[y + 1];\n    a[0] = 1;\n    v = a[0];\n    return p;\n}",
    ),
    (
        "compound_literal",
        "struct s { int a, b; } g;\nvoid *left(void *p) {\n    g = (struct s){ x = 1, y };\n    return p;\n}",
    ),
    (
        "unbraced_case",
        "void *left(void *p) {\n    x = 1;\n    switch (p != 0)\n    case 0:\n        v = y;\n    return p;\n}",
    ),
    (
        "into_a_loop",
        "void *left(void *p) {\n    int i = 0;\n    if (i == 0) goto in;\n    while (i < 2) {\n        v = y;\nin:\n        x = 1;\n        i++;\n    }\n    return p;\n}",
    ),
    (
        "function_of_a_macro",
        "#define INLINE static inline\n#define STORE(S, T, I, K) \\\n    INLINE void \\\n    store_##S(T *to, T value) \\\n    { \\\n        __asm__ __volatile__(I \" %1, %0\" : \"=m\" (*to) : K \"q\" (value) : \"memory\"); \\\n        return; \\\n    }\nSTORE(int, int, \"movl\", \"i\" )\nvoid *left(void *p) { store_int(&x, 1), v = y; store_int(&x, 2), v = y; return p; }",
    ),
    (
        "do_accessors",
        "static inline int load(int *from) { int a; __asm__ volatile(\"\" ::: \"memory\"); a = *(volatile int *)from; __asm__ volatile(\"\" ::: \"memory\"); return a; }\n#define LOAD(from) (load((from)))\nvoid *left(void *p) {\n    int a;\n    do {\n        a = LOAD(&x);\n        x = 1;\n    } while (LOAD(&y) != 0 && a == 2);\n    return p;\n}",
    ),
    (
        "branches",
        "void *left(void *p) {\n    int i = 0;\n    do\n        x = 1;\n    while (!(p || i++) && y);\n    return p;\n}",
    ),
    (
        "lvalue_arguments",
        "#define EACH(a, b) for ((a) = 0; (a) < 1 && ((b) = (a), 1); (a)++)\nvoid *left(void *p) {\n    int i, k;\n    x = 1;\n    EACH(i, k) v = y;\n    return p;\n}",
    ),
    ("tabs", "void *left(void *p)\n{\n\tx = 1;\n\tif (!p)\n\t\tv = y;\n\treturn p;\n}"),
];

/// The shapes under one model. Compilers take most of the time, so unless `RADDLE_LONG` is set, only every
/// twelfth shape is tried, from number `4 * first` on.
fn all_shapes(model: &str, first: usize) {
    let (skipped, step) = if raddle_testing::is_long() { (0, 1) } else { (4 * first, 12) };
    for (name, left) in SHAPES.iter().skip(skipped).step_by(step) {
        let source = format!("{HEAD}{left}{MAIN}");
        let folder = written(&format!("{name}_{model}"), &[("program.c", &source)]);
        let Some(patch) = leaves_nothing(&folder, &["program.c"], &[], model) else { return };
        assert!(!patch.is_empty(), "{name} needs a fence under {model}");
    }
}

#[test]
fn every_shape_is_patched_under_tso() {
    assert!(SHAPES.len() >= 40, "{} shapes", SHAPES.len());
    all_shapes("tso", 0);
}

#[test]
fn every_shape_is_patched_under_pso() {
    all_shapes("pso", 1);
}

#[test]
fn every_shape_is_patched_under_power() {
    all_shapes("power", 2);
}
