//! Condition variables, as read-modify-writes of four bytes of memory.
//!
//! A condition variable holds a bit for each thread that waits for it. To start waiting sets the thread's
//! bit, then gives the lock back; the wait is over when a signal has cleared the bit, and reads from that
//! signal; then the lock is taken again. A signal clears the bit of one waiter, each of them in turn being
//! tried; a broadcast clears all; both write also if nobody waits. A wait that may time out clears its own
//! bit instead of waiting, and was woken if it was 0 already.
//!
//! So signals are ordered with each other and with all that start or stop waiting, as they are in the
//! interleaving engine. The latter are not ordered among each other: see `queue`.

use super::access::{Ask, ReadModifyWrite};
use super::event::{EventId, Pairing, When};
use super::fetch::Next;
use super::sets::DepsId;
use super::sync::LOCK;
use super::value::{Expr, Val};
use super::{Ahead, field, unsupported};
use raddle_ir::{BinOp, IntPred, Order, Pred, RmwOp, Type};
use raddle_machine::Fault;
use raddle_machine::code::{Op, Slot};

/// Threads that can wait for condition variables: as many as there are bits.
const MAX_WAITERS: u32 = 32;

impl Ahead<'_> {
    /// Waits: everything that it does is fetched at once.
    pub(super) fn wait_step(
        &mut self,
        thread: u32,
        woken: Option<Slot>,
        cond: Val,
        mutex: Val,
    ) -> Result<(), Fault> {
        if thread >= MAX_WAITERS {
            let message = "thread 33 or later waits for a condition variable";
            return Err(unsupported(format!("{message} (model {})", self.rules.model)));
        }
        if self.holds_not(thread, mutex) {
            return Err(self.not_held(thread, mutex, Fault::waits_without_holding()));
        }
        let bit = 1u128 << thread;
        self.set_bits(thread, RmwOp::Or, cond, bit)?;
        self.give_lock(thread, mutex)?;
        match woken {
            None => {
                let ask = Ask { when: Some(When::Woken(bit)), ..Ask::NOTHING };
                let (_, value) = self.fetch_load(thread, LOCK, cond, ask)?;
                self.follows(thread, value);
                let (_, after) = (self.rules.load)(Order::Acquire);
                self.barrier(thread, after, value.deps);
            }
            Some(dst) => {
                let old = self.set_bits(thread, RmwOp::And, cond, !bit & LOCK.mask())?;
                let deps = old.deps;
                let own = Expr::Bin { op: BinOp::And, ty: LOCK, a: old, b: Val::known(bit) };
                let own = self.nodes.result(&mut self.trail, own, deps);
                let pred = Pred::Int(IntPred::Eq);
                let clear = Expr::Cmp { pred, ty: LOCK, a: own, b: Val::known(0) };
                let clear = self.nodes.result(&mut self.trail, clear, deps);
                self.put(thread, dst, clear, false);
            }
        }
        self.take_lock(thread, mutex)
    }

    fn set_bits(&mut self, thread: u32, op: RmwOp, cond: Val, bits: u128) -> Result<Val, Fault> {
        let (ty, operand, order) = (LOCK, Val::known(bits), Order::AcqRel);
        let rmw = ReadModifyWrite { op, ty, addr: cond, operand, order };
        let pairing = Pairing::Queue;
        self.read_modify_write(thread, rmw, Ask { pairing, ..Ask::UPDATE })
    }

    /// Signals: who is woken, if anyone, is known once it is known who waits.
    pub(super) fn signal_step(&mut self, thread: u32, cond: Val, all: bool) -> Result<Next, Fault> {
        if self.get(thread, field::PHASE) == 0 {
            let (before, _) = (self.rules.rmw)(Order::AcqRel);
            self.barrier(thread, before, DepsId::NONE);
            let ask = Ask { pairing: Pairing::Signal { all }, ..Ask::NOTHING };
            let (read, _) = self.fetch_load(thread, LOCK, cond, ask)?;
            self.set(thread, field::PHASE, u64::from(read.0) + 1);
        }
        let read = EventId(self.get(thread, field::PHASE) as u32 - 1);
        let old = self.loaded(read);
        let Some(waiters) = self.value(old) else { return Ok(Next::Wait) };
        let left = match waiters.count_ones() {
            0 | 1 => 0,
            _ if all => 0,
            _ => match self.take_choice(thread) {
                None => return Ok(Next::Choose),
                Some(chosen) => {
                    let woken = threads_in(waiters).nth(chosen as usize).unwrap_or(0);
                    waiters & !(1 << woken)
                }
            },
        };
        self.set(thread, field::PHASE, 0);
        self.follows(thread, old);
        self.note_change(thread);
        let left = Val { bits: left, node: None, deps: old.deps };
        self.fetch_store(thread, LOCK, cond, left, Some(read))?;
        let (_, after) = (self.rules.rmw)(Order::AcqRel);
        self.barrier(thread, after, old.deps);
        Ok(Next::Go)
    }

    /// The threads that the signal which a thread is at may wake, in order; none elsewhere.
    pub fn signal_wakes(&self, thread: u32) -> impl Iterator<Item = u32> + use<> {
        let signals = matches!(self.code.op(self.pc(thread)), Op::CondSignal { .. });
        let read = self.get(thread, field::PHASE).checked_sub(1).filter(|_| signals);
        let read = read.and_then(|read| self.events[read as usize].load());
        let value = read.map(|load| Val { bits: 0, node: Some(load.node), deps: DepsId::NONE });
        threads_in(value.and_then(|value| self.value(value)).unwrap_or(0))
    }
}

/// The threads whose bits are set in the word of a condition variable.
fn threads_in(waiters: u128) -> impl Iterator<Item = u32> {
    (0..Type::I32.bits()).filter(move |bit| waiters >> bit & 1 == 1)
}
