//! Programs of atomic read-modify-writes.

use crate::thread::{CELL, Threads};
use raddle_ir::{BinOp, Verified};

/// `n` threads that each add one atomically: `n!` traces.
pub fn increments(n: u32) -> Verified {
    let mut threads = Threads::new(format!("increments({n})"));
    let x = threads.cell("x", 0);
    for k in 1..=n {
        threads.thread(format!("t{k}"), |code| {
            code.fetch_add(x, 1);
        });
    }
    threads.finish()
}

/// `n` threads that each add one with a loop of load and compare-and-swap.
pub fn cas_increments(n: u32) -> Verified {
    let mut threads = Threads::new(format!("cas_increments({n})"));
    let x = threads.cell("x", 0);
    for k in 1..=n {
        threads.thread(format!("t{k}"), |code| {
            let (retry, done) = (code.block(), code.block());
            code.fall_into(retry);
            let old = code.load(x);
            let new = code.bin(BinOp::Add, old, 1);
            let ok = code.cas(x, old, new);
            let again = code.block();
            code.branch_else(ok, done, again);
            code.jump(retry);
            code.switch_to(done);
        });
    }
    threads.finish()
}

/// A chain: thread `k` of 1…n tries once to move the cell from `k − 1` to `k`.
pub fn casrot(n: u32) -> Verified {
    let mut threads = Threads::new(format!("casrot({n})"));
    let x = threads.cell("x", 0);
    for k in 1..=u64::from(n) {
        threads.thread(format!("t{k}"), |code| {
            code.cas(x, k - 1, k);
        });
    }
    threads.finish()
}

const TABLE: u32 = 128;
const INSERTIONS: u64 = 4;

/// `n` threads insert four messages each into one hash table, from "Dynamic Partial-Order
/// Reduction for Model Checking Software" (2005): no two threads collide up to `n` = 11.
pub fn indexer(n: u32) -> Verified {
    let mut threads = Threads::new(format!("indexer({n})"));
    let table = threads.cells("table", TABLE);
    for tid in 0..u64::from(n) {
        threads.thread(format!("t{tid}"), |code| {
            for m in 1..=INSERTIONS {
                insert(code, table, m * 11 + tid);
            }
        });
    }
    threads.finish()
}

/// `h = (w * 7) % size; while !cas(table[h], 0, w) { h = (h + 1) % size }`
fn insert(code: &mut crate::thread::Code, table: raddle_ir::GlobalId, message: u64) {
    let h = code.reg(CELL);
    let (probe, next, done) = (code.block(), code.block(), code.block());
    code.assign(h, (message * 7) % u64::from(TABLE));
    code.fall_into(probe);
    let slot = code.element(table, h);
    let ok = code.cas(slot, 0, message);
    code.branch_else(ok, done, next);
    let after = code.bin(BinOp::Add, h, 1);
    let wrapped = code.bin(BinOp::URem, after, u64::from(TABLE));
    code.assign(h, wrapped);
    code.jump(probe);
    code.switch_to(done);
}
