//! Programs with locks.

use crate::thread::{Code, Threads};
use raddle_ir::{BinOp, GlobalId, IntPred, Verified};

/// `n` threads that each push to and then pop from one stack, every operation under one lock. The number of
/// traces is the number of orders of the 2n critical sections, (2n)! / 2ⁿ.
pub fn stack(n: u32) -> Verified {
    let mut threads = Threads::new(format!("stack({n})"));
    let shared = Stack {
        lock: threads.cell("lock", 0),
        top: threads.cell("top", 0),
        slots: threads.cells("slots", n),
    };
    for k in 1..=n {
        threads.thread(format!("t{k}"), |code| {
            push(code, shared, u64::from(k));
            pop(code, shared);
        });
    }
    threads.finish()
}

/// `n` threads that each increment a counter twice, under one lock. The number of traces is that of the stack.
pub fn locks(n: u32) -> Verified {
    let mut threads = Threads::new(format!("locks({n})"));
    let (lock, counter) = (threads.cell("lock", 0), threads.cell("counter", 0));
    for k in 1..=n {
        threads.thread(format!("t{k}"), |code| {
            for _ in 0..2 {
                code.lock(lock);
                let old = code.load(counter);
                let new = code.bin(BinOp::Add, old, 1);
                code.store(counter, new);
                code.unlock(lock);
            }
        });
    }
    threads.finish()
}

#[derive(Clone, Copy)]
struct Stack {
    lock: GlobalId,
    top: GlobalId,
    slots: GlobalId,
}

fn push(code: &mut Code, stack: Stack, value: u64) {
    code.lock(stack.lock);
    let top = code.load(stack.top);
    let slot = code.element(stack.slots, top);
    code.store(slot, value);
    let above = code.bin(BinOp::Add, top, 1);
    code.store(stack.top, above);
    code.unlock(stack.lock);
}

fn pop(code: &mut Code, stack: Stack) {
    code.lock(stack.lock);
    let top = code.load(stack.top);
    let filled = code.compare(IntPred::Ugt, top, 0);
    code.assert(filled, "pop from an empty stack");
    let below = code.bin(BinOp::Sub, top, 1);
    code.store(stack.top, below);
    let slot = code.element(stack.slots, below);
    let value = code.load(slot);
    let pushed = code.compare(IntPred::Ne, value, 0);
    code.assert(pushed, "popped a slot that was never filled");
    code.unlock(stack.lock);
}
