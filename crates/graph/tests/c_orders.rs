//! C11's orders in C programs under POWER and ARM: classic shapes with every combination of a few orders,
//! compiled from C and compared with the oracle's verdict on the same accesses.
//!
//! By default only a sample of the combinations is run; `RADDLE_LONG=1` runs all.

use raddle_engine::{FailureKind, Model, Options};
use raddle_front_c::{Options as Compile, clang, load};
use raddle_graph::explore;
use raddle_ir::{
    Access, FenceKind, FunctionBuilder, InstKind, Observed, Operand, Order, ProgramBuilder, Type,
    Verified, verify,
};
use raddle_oracle::weak;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const MODELS: [(Model, weak::Hardware); 2] =
    [(Model::Power, weak::Hardware::Power), (Model::Arm, weak::Hardware::Arm)];

#[derive(Clone, Copy)]
enum Op {
    /// Stores a value to a location.
    W(usize, u64),
    /// Loads from a location; the expected value.
    R(usize, u64),
}

use Op::{R, W};

struct Shape {
    name: &'static str,
    threads: &'static [&'static [Op]],
    /// The expected final values, in addition to the values that are read.
    last: &'static [(usize, u64)],
}

const X: usize = 0;
const Y: usize = 1;

const SHAPES: &[Shape] = &[
    Shape { name: "MP", threads: &[&[W(X, 1), W(Y, 1)], &[R(Y, 1), R(X, 0)]], last: &[] },
    Shape { name: "SB", threads: &[&[W(X, 1), R(Y, 0)], &[W(Y, 1), R(X, 0)]], last: &[] },
    Shape { name: "LB", threads: &[&[R(X, 1), W(Y, 1)], &[R(Y, 1), W(X, 1)]], last: &[] },
    Shape { name: "S", threads: &[&[W(X, 2), W(Y, 1)], &[R(Y, 1), W(X, 1)]], last: &[(X, 2)] },
    Shape { name: "R", threads: &[&[W(X, 1), W(Y, 1)], &[W(Y, 2), R(X, 0)]], last: &[(Y, 2)] },
    Shape {
        name: "2+2W",
        threads: &[&[W(X, 2), W(Y, 1)], &[W(Y, 2), W(X, 1)]],
        last: &[(X, 2), (Y, 2)],
    },
    Shape {
        name: "WRC",
        threads: &[&[W(X, 1)], &[R(X, 1), W(Y, 1)], &[R(Y, 1), R(X, 0)]],
        last: &[],
    },
    Shape {
        name: "IRIW",
        threads: &[&[W(X, 1)], &[W(Y, 1)], &[R(X, 1), R(Y, 0)], &[R(Y, 1), R(X, 0)]],
        last: &[],
    },
];

/// The orders of all loads and all stores, and a fence between the accesses of every thread.
#[derive(Clone, Copy)]
struct Orders {
    load: Order,
    store: Order,
    fence: Option<FenceKind>,
}

fn combinations() -> Vec<Orders> {
    let mut all = Vec::new();
    for load in [Order::Relaxed, Order::Acquire, Order::SeqCst] {
        for store in [Order::Relaxed, Order::Release, Order::SeqCst] {
            all.push(Orders { load, store, fence: None });
        }
    }
    use FenceKind::{CAcqRel, CAcquire, CRelease, CSeqCst};
    for fence in [CAcquire, CRelease, CAcqRel, CSeqCst] {
        all.push(Orders { load: Order::Relaxed, store: Order::Relaxed, fence: Some(fence) });
    }
    all
}

fn c_order(order: Order) -> &'static str {
    match order {
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::SeqCst => "memory_order_seq_cst",
        _ => "memory_order_relaxed",
    }
}

fn c_fence(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::CAcquire => "memory_order_acquire",
        FenceKind::CRelease => "memory_order_release",
        FenceKind::CAcqRel => "memory_order_acq_rel",
        _ => "memory_order_seq_cst",
    }
}

/// A thread returns 1 if it reads the expected values. The program fails if all threads do and memory has
/// the expected final values.
fn source(shape: &Shape, orders: Orders) -> Result<String, std::fmt::Error> {
    let mut c = String::from(
        "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n\
         static atomic_int place[2];\n",
    );
    let (load, store) = (c_order(orders.load), c_order(orders.store));
    for (index, ops) in shape.threads.iter().enumerate() {
        writeln!(c, "static void *t{index}(void *arg) {{\n    long ok = 1;")?;
        for (position, op) in ops.iter().enumerate() {
            if let Some(kind) = orders.fence.filter(|_| position > 0) {
                writeln!(c, "    atomic_thread_fence({});", c_fence(kind))?;
            }
            match op {
                W(at, value) => {
                    writeln!(c, "    atomic_store_explicit(&place[{at}], {value}, {store});")?;
                }
                R(at, value) => {
                    writeln!(
                        c,
                        "    int r{position} = atomic_load_explicit(&place[{at}], {load});"
                    )?;
                    writeln!(c, "    ok &= r{position} == {value};")?;
                }
            }
        }
        writeln!(c, "    return (void *)ok;\n}}")?;
    }
    let count = shape.threads.len();
    writeln!(c, "int main(void) {{\n    pthread_t t[{count}];\n    void *r;\n    long ok = 1;")?;
    for index in 0..count {
        writeln!(c, "    pthread_create(&t[{index}], 0, t{index}, 0);")?;
    }
    for index in 0..count {
        writeln!(c, "    pthread_join(t[{index}], &r);\n    ok &= (long)r;")?;
    }
    for (at, value) in shape.last {
        writeln!(c, "    ok &= place[{at}] == {value};")?;
    }
    writeln!(c, "    assert(!ok);\n    return 0;\n}}")?;
    Ok(c)
}

/// The same accesses without C, and the expected final state.
fn accesses(shape: &Shape, orders: Orders) -> (Verified, Vec<u64>) {
    let mut builder = ProgramBuilder::new(shape.name);
    let places = ["x", "y"].map(|name| builder.scalar(name, Type::I32, 0));
    let (mut wanted, mut loads) = (Vec::new(), Vec::new());
    for (index, ops) in shape.threads.iter().enumerate() {
        let mut function = FunctionBuilder::new(format!("t{index}"));
        let mut read = Vec::new();
        for (position, op) in ops.iter().enumerate() {
            if let Some(kind) = orders.fence.filter(|_| position > 0) {
                function.push(InstKind::Fence { kind });
            }
            let ty = Type::I32;
            match *op {
                W(at, value) => {
                    let (addr, value) = (places[at].into(), Operand::from(value));
                    let access = Access::new(orders.store);
                    function.push(InstKind::Store { ty, addr, value, access });
                }
                R(at, value) => {
                    let dst = function.reg(None, ty);
                    let (addr, access) = (places[at].into(), Access::new(orders.load));
                    function.push(InstKind::Load { dst, ty, addr, access });
                    read.push((dst, value));
                }
            }
        }
        function.ret(None);
        let function = builder.function(function.finish());
        let thread = builder.thread(format!("t{index}"), function, Vec::new());
        loads.extend(read.into_iter().map(|(reg, value)| (Observed::Reg(thread, reg), value)));
    }
    let memory = shape.last.iter().map(|(at, value)| {
        (Observed::Mem { global: places[*at], offset: 0, ty: Type::I32 }, *value)
    });
    for (what, value) in loads.into_iter().chain(memory) {
        builder.observe(format!("o{}", wanted.len()), what);
        wanted.push(value);
    }
    (verify(builder.finish()).expect("it is well-formed"), wanted)
}

/// The differences between the engine and the oracle.
fn differences(folder: &Path, shape: &Shape, orders: Orders, name: &str) -> Vec<String> {
    let path = folder.join(format!("{name}.c"));
    std::fs::write(&path, source(shape, orders).expect("a string")).expect("a scratch file");
    let loaded = load(&[path], &Compile::default()).unwrap_or_else(|d| panic!("{name}: {d:?}"));
    let (program, wanted) = accesses(shape, orders);
    let mut wrong = Vec::new();
    for (engine, oracle) in MODELS {
        let found = explore(&loaded.program, &Options::new(engine));
        let fails = found.failures.iter().any(|f| f.kind == FailureKind::Assertion);
        let outcome = weak::executions(&program, oracle).expect("small enough");
        let allowed = outcome.states.contains_key(&wanted);
        if fails != allowed {
            wrong.push(format!("{name} under {engine}: fails {fails}, allowed {allowed}"));
        }
    }
    wrong
}

#[test]
fn orders_are_what_the_machines_make_of_them() {
    if clang::find(None, &Compile::default().budget).is_err() {
        raddle_testing::missing("clang");
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let step = if raddle_testing::is_long() { 1 } else { 5 };
    let mut cases = Vec::new();
    for shape in SHAPES {
        cases.extend(combinations().into_iter().map(|orders| (shape, orders)));
    }
    let mut wrong = Vec::new();
    for (index, (shape, orders)) in cases.iter().enumerate().step_by(step) {
        let name = format!("{}-{index}", shape.name);
        wrong.extend(differences(&folder, shape, *orders, &name));
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
