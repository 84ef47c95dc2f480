//! Programs of plain loads and stores.

use crate::thread::{Code, Threads, at};
use raddle_ir::{BinOp, GlobalId, IntPred, Verified};

/// `n` threads that each store to the same cell: `n!` traces, one per coherence order.
pub fn writers(n: u32) -> Verified {
    let mut threads = Threads::new(format!("writers({n})"));
    let x = threads.cell("x", 0);
    for k in 1..=n {
        threads.thread(format!("w{k}"), |code| code.store(x, u64::from(k)));
    }
    threads.finish()
}

/// One writer and `n` readers of one cell: 2ⁿ traces.
pub fn readers(n: u32) -> Verified {
    let mut threads = Threads::new(format!("readers({n})"));
    let x = threads.cell("x", 0);
    threads.thread("writer", |code| code.store(x, 1));
    for k in 1..=n {
        threads.thread(format!("r{k}"), |code| {
            code.load(x);
        });
    }
    threads.finish()
}

/// Cells 0…n are zero; writer k of 1…n loads cell k−1 and stores one more to cell k; a reader
/// walks from cell n down to the first zero. From "Optimal Dynamic Partial Order Reduction".
pub fn lastzero(n: u32) -> Verified {
    let mut threads = Threads::new(format!("lastzero({n})"));
    let array = threads.cells("array", n + 1);
    threads.thread("reader", |code| walk_down(code, array, n));
    for k in 1..=n {
        threads.thread(format!("w{k}"), |code| {
            let before = code.load(at(array, k - 1));
            let more = code.bin(BinOp::Add, before, 1);
            code.store(at(array, k), more);
        });
    }
    threads.finish()
}

/// `i = n; while array[i] != 0 { i -= 1 }`. Cell 0 stays zero, so the walk ends.
fn walk_down(code: &mut Code, array: GlobalId, n: u32) {
    let i = code.reg(crate::thread::CELL);
    let (head, body, done) = (code.block(), code.block(), code.block());
    code.assign(i, u64::from(n));
    code.fall_into(head);
    let address = code.element(array, i);
    let value = code.load(address);
    let zero = code.compare(IntPred::Eq, value, 0);
    code.branch_else(zero, done, body);
    let less = code.bin(BinOp::Sub, i, 1);
    code.assign(i, less);
    code.jump(head);
    code.switch_to(done);
}

/// Two threads add `i` and `j` into each other, `n` times each; a third asserts the bound that
/// the Fibonacci numbers give. This is the program of SV-COMP with its checks in program order: the second
/// load happens only if the first assertion holds.
pub fn fib_bench(n: u32) -> Verified {
    let mut threads = Threads::new(format!("fib_bench({n})"));
    let i = threads.cell("i", 1);
    let j = threads.cell("j", 1);
    for (name, target) in [("t1", i), ("t2", j)] {
        threads.thread(name, |code| {
            for _ in 0..n {
                let a = code.load(i);
                let b = code.load(j);
                let sum = code.bin(BinOp::Add, a, b);
                code.store(target, sum);
            }
        });
    }
    threads.thread("checker", |code| {
        for (cell, message) in [(i, "i exceeds its bound"), (j, "j exceeds its bound")] {
            let value = code.load(cell);
            let within = code.compare(IntPred::Ule, value, fib_bound(n));
            code.assert(within, message);
        }
    });
    threads.finish()
}

/// The largest value that either cell can reach: Fibonacci number 2n + 2, counting 1, 1, 2, …
fn fib_bound(n: u32) -> u64 {
    let (mut a, mut b) = (1u64, 1u64);
    for _ in 0..2 * n {
        (a, b) = (b, a.saturating_add(b));
    }
    b
}

#[cfg(test)]
mod tests {
    use super::fib_bound;

    #[test]
    fn five_steps_reach_144() {
        assert_eq!(fib_bound(5), 144);
    }
}
