//! Shapes of C++ source.

use super::{leaves_nothing, written};
use raddle_testing::is_long;

/// Name, options, program.
type Shape = (&'static str, &'static [&'static str], &'static str);

const SHAPES: &[Shape] = &[
    (
        // Blocks of the program that begin with its own fence, on every way into them.
        "wrapped_fences",
        &[],
        "#include <atomic>\n#include <thread>\nstd::atomic<int> x, y;\nint v, w;\nenum kind { none, acquire, full };\ninline void fence(kind order) {\n    switch (order) {\n    case none: break;\n    case acquire: std::atomic_thread_fence(std::memory_order_acquire); break;\n    case full: std::atomic_thread_fence(std::memory_order_seq_cst); break;\n    }\n}\ninline void barrier() { __atomic_thread_fence(5); }\nvoid left() {\n    fence(acquire);\n    x.store(1, std::memory_order_relaxed);\n    v = y.load(std::memory_order_relaxed);\n    barrier();\n}\nvoid right() { y.store(1, std::memory_order_relaxed); fence(full); w = x.load(std::memory_order_relaxed); }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "initialisers",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct S {\n    int a, b;\n    S() : a(x = 1), b(y) { v = a + b; }\n};\nvoid left() { S s; }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "atomic",
        &[],
        "#include <atomic>\n#include <thread>\nstd::atomic<int> x, y;\nint v, w;\nvoid left() {\n    x.store(1, std::memory_order_relaxed);\n    v = y.load(std::memory_order_relaxed);\n}\nvoid right() { y.store(1, std::memory_order_relaxed); __atomic_thread_fence(5); w = x.load(std::memory_order_relaxed); }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "braced_initialisers",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct S {\n    int a, b;\n    S()\n        : a{x = 1},\n          b{y}\n    {\n    }\n};\nvoid left()\n{\n    S s;\n    v = s.b;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "delegating",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct S {\n    int a;\n    S(int k) : a(y + k) {}\n    S() : S(x = 1) {}\n};\nvoid left()\n{\n    S s;\n    v = s.a;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "destructor",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct G {\n    G() { x = 1; }\n    ~G() { v = y; }\n};\nvoid left() { G g; }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "guard",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct Flag {\n    int &f;\n    explicit Flag(int &f) : f(f) { f = 1; }\n    ~Flag() { f = 0; }\n};\nvoid left() {\n    Flag f(x);\n    v = y;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "if_initialiser",
        &["--", "-std=c++17"],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    x = 1;\n    if (int a = y; a == 0)\n        v = a;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "if_statement",
        &["--", "-std=c++17"],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    if (x = 1; y == 0)\n        v = 1;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "if_declaration",
        &[],
        "#include <thread>\nint x, y, v, w;\nint set() { x = 1; return 1; }\nvoid left() {\n    if (int a = set() + y)\n        v = a;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "while_declaration",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    int n = 0;\n    x = 1;\n    while (int a = y + 1) {\n        v = a;\n        if (n++) break;\n        x = 2;\n    }\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "switch_initialiser",
        &["--", "-std=c++17"],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    x = 1;\n    switch (int a = y; a) {\n    case 0: v = 1; break;\n    default: v = 2;\n    }\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "range_for",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    int a[] = {1, 2};\n    for (int k : a) {\n        x = k;\n        v = y;\n    }\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "unbraced_range_for",
        &[],
        "#include <thread>\nint x, y, v, w;\nint a[2];\nvoid left() {\n    for (int k : a)\n        x = k + 1, v = y;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "member_outside",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct S {\n    void go();\n};\nvoid S::go()\n{\n    x = 1;\n    v = y;\n}\nvoid left() { S().go(); }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "namespaces",
        &[],
        "#include <thread>\nint x, y, v, w;\nnamespace a { namespace b {\nvoid go()\n{\n    x = 1;\n    v = y;\n}\n} }\nvoid left() { a::b::go(); }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "template",
        &[],
        "#include <thread>\nint x, y, v, w;\ntemplate <typename T> void go(T &a, T &b) {\n    a = 1;\n    v = b;\n}\nvoid left() { go(x, y); }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "two_autos",
        &[],
        "#include <thread>\nint x, y, v, w;\nauto left() -> void {\n    auto a = (x = 1), b = y;\n    v = a + b;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "cast",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    x = 1;\n    v = static_cast<int>(y);\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "new",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    x = 1;\n    int *k = new int(y);\n    v = *k;\n    delete k;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "reference",
        &[],
        "#include <thread>\nint x, y, v, w;\nint &get() { x = 1; return y; }\nvoid left() {\n    int &b = get();\n    v = b;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "operators",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct A {\n    int *p;\n    A &operator=(int k) { *p = k; return *this; }\n    operator int() const { return *p; }\n};\nA a{&x}, b{&y};\nvoid left() {\n    a = 1;\n    v = b;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "operator_operands",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct O {\n    O &operator<<(int k) { v += k; return *this; }\n};\nvoid left() {\n    O o;\n    o << (x = 1) << y;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "noexcept",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() noexcept\n{\n    x = 1;\n    v = y;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "if_constexpr",
        &["--", "-std=c++17"],
        "#include <thread>\nint x, y, v, w;\ntemplate <bool B> void go() {\n    x = 1;\n    if constexpr (B)\n        v = y;\n    else\n        v = 2;\n}\nvoid left() { go<true>(); }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "structured_binding",
        &["--", "-std=c++17"],
        "#include <thread>\nint x, y, v, w;\nstruct P { int a, b; };\nvoid left() {\n    auto [a, b] = P{x = 1, y};\n    v = a + b;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "function_try",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() try {\n    x = 1;\n    v = y;\n} catch (...) {\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "generic_lambda",
        &["--", "-std=c++14"],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    auto f = [](auto &a, auto &b) { a = 1; return b; };\n    v = f(x, y);\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "nested_lambda",
        &[],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    auto f = [] { x = 1; auto g = [] { return y; }; return g(); };\n    v = f();\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "old_standard",
        &["--", "-std=c++11", "-pedantic-errors"],
        "#include <thread>\nint x, y, v, w;\nvoid left() {\n    x = 1;\n    if (v == 0)\n        v = y;\n}\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "macro",
        &[],
        "#include <thread>\nint x, y, v, w;\n#define GO(a, b, c) (a = 1, c = b)\nvoid left() { GO(x, y, v); }\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "lambda",
        &[],
        "#include <thread>\nint x, y, v, w;\n\nint main() {\n    std::thread l([] {\n        x = 1;\n        v = y;\n    });\n    std::thread r([] {\n        y = 1;\n        w = x;\n    });\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "lambda_captures",
        &[],
        "#include <thread>\n\nint main() {\n    int x = 0, y = 0, v = 0, w = 0;\n    std::thread l([&]() { x = 1; v = y; });\n    std::thread r([&]() { y = 1; w = x; });\n    l.join();\n    r.join();\n    return v + w - v - w;\n}\n",
    ),
    (
        "lambda_expression",
        &[],
        "#include <thread>\nint x, y, v, w;\n\nint main() {\n    std::thread l([] { v = (x = 1) + y; }), r([] { y = 1; w = x; });\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "lambda_named",
        &[],
        "#include <thread>\nint x, y, v, w;\n\nint main() {\n    auto left = [](int *a, int *b, int *c) {\n        *a = 1;\n        if (*c == 0)\n            *c = *b;\n    };\n    std::thread l(left, &x, &y, &v);\n    std::thread r(left, &y, &x, &w);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "member_as_thread",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct S {\n    int a = 0, b = 0;\n    void left() { a = 1; v = b; }\n    void right() { b = 1; w = a; }\n} s;\nint main() {\n    std::thread l(&S::left, &s), r(&S::right, &s);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "template_used_twice",
        &[],
        "#include <thread>\nint x, y, v, w;\ntemplate <typename T>\nvoid go(T &a, T &b, T &c)\n{\n    a = 1;\n    c = b;\n}\nvoid left() { go(x, y, v); }\nvoid right() { go(y, x, w); }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "template_class",
        &[],
        "#include <thread>\nint x, y, v, w;\ntemplate <typename T> class Flag {\n    T f{};\npublic:\n    void raise() { f = 1; }\n    bool up() const { return f != 0; }\n};\nFlag<int> a, b;\nvoid left() {\n    a.raise();\n    v = b.up();\n}\nvoid right() { b.raise(); w = a.up(); }\nint main() {\n    std::thread l(left), r(right);\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "thread_in_class",
        &[],
        "#include <thread>\nint x, y, v, w;\nclass Th {\n    std::thread t;\npublic:\n    template <class F> explicit Th(F f) : t(f) {}\n    ~Th() { t.join(); }\n};\nint main() {\n    Th l([] { x = 1; v = y; });\n    Th r([] { y = 1; w = x; });\n}\n",
    ),
    (
        "functor",
        &[],
        "#include <thread>\nint x, y, v, w;\nstruct L {\n    void operator()() const\n    {\n        x = 1;\n        v = y;\n    }\n};\nvoid right() { y = 1; __atomic_thread_fence(5); w = x; }\nint main() {\n    std::thread l{L()}, r{right};\n    l.join();\n    r.join();\n}\n",
    ),
    (
        "vector",
        &[],
        "#include <thread>\nint x, y, v, w;\n#include <vector>\n\nvoid go(int me) {\n    int &mine = me ? x : y, &other = me ? y : x;\n    mine = 1;\n    (me ? v : w) = other;\n}\nint main() {\n    std::vector<std::thread> ts;\n    for (int i = 0; i < 2; i++)\n        ts.emplace_back(go, i);\n    for (auto &t : ts)\n        t.join();\n}\n",
    ),
    (
        "atomic_member",
        &[],
        "#include <atomic>\n#include <thread>\nstd::atomic<int> x, y;\nint v, w;\nstruct Lock {\n    std::atomic<bool> f[2]{};\n    void lock(int me) {\n        f[me].store(true, std::memory_order_relaxed);\n        v = f[1 - me].load(std::memory_order_relaxed);\n    }\n} k;\nint main() {\n    std::thread l(&Lock::lock, &k, 0), r(&Lock::lock, &k, 1);\n    l.join();\n    r.join();\n}\n",
    ),
];

/// The part of `<thread>` that most shapes use. Programs with the system's header compile slowly.
const THREAD: &str = "#pragma once
#include <pthread.h>
namespace std {
struct thread {
    pthread_t id;
    void (*body)();
    static void *run(void *p) { static_cast<thread *>(p)->body(); return nullptr; }
    explicit thread(void (*body)()) : body(body) { pthread_create(&id, nullptr, run, this); }
    void join() { pthread_join(id, nullptr); }
};
}
";

/// All shapes under one model if `RADDLE_LONG` is set, otherwise some of them.
fn all_shapes(model: &str, first: usize) {
    let (plain, others): (Vec<&Shape>, Vec<&Shape>) =
        SHAPES.iter().partition(|(_, _, source)| source.contains("std::thread l(left), r(right);"));
    let (skipped, step) = if is_long() { (0, 1) } else { (6 * first, 18) };
    for shape in plain.into_iter().skip(skipped).step_by(step) {
        is_patched(shape, model, !is_long());
    }
    let (skipped, step) = if is_long() { (0, 1) } else { (6 * first, 18) };
    for shape in others.into_iter().skip(skipped).step_by(step) {
        is_patched(shape, model, false);
    }
}

/// With our `<thread>` or with that of the system.
fn is_patched((name, options, source): &Shape, model: &str, ours: bool) {
    let headers: &[(&str, &str)] = if ours { &[("headers/thread", THREAD)] } else { &[] };
    let files = [&[("program.cpp", *source)], headers].concat();
    let folder = written(&format!("cpp_{name}_{model}"), &files);
    let mut options = options.to_vec();
    if ours {
        options.extend(if options.is_empty() { &["--", "-Iheaders"][..] } else { &["-Iheaders"] });
    }
    let Some(patch) = leaves_nothing(&folder, &["program.cpp"], &options, model) else { return };
    // An additional header changes the code of `std::vector`, so the patch uses the compiler's builtin.
    let fence =
        if *name == "vector" { "__atomic_thread_fence" } else { "std::atomic_thread_fence" };
    assert!(patch.contains(fence), "{name} under {model}: {patch}");
}

#[test]
fn every_shape_of_cpp_is_patched_under_tso() {
    all_shapes("tso", 0);
}

#[test]
fn every_shape_of_cpp_is_patched_under_pso() {
    all_shapes("pso", 1);
}

#[test]
fn every_shape_of_cpp_is_patched_under_power() {
    all_shapes("power", 2);
}
