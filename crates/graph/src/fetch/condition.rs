//! Condition variables, as read-modify-writes of four bytes of memory.
//!
//! A condition variable holds a bit for each thread that waits for it. To start waiting sets the thread's
//! bit, then gives the lock back; the wait is over when a signal has cleared the bit, and reads from that
//! signal; then the lock is taken again. A signal clears the bit of one waiter, each of them in turn being
//! tried; a broadcast clears all; both write also if no thread waits. A wait that may time out clears its own
//! bit instead of waiting, and was woken if it was 0 already.
//!
//! So signals are ordered with each other and with all updates that start or stop waiting, as in the
//! interleaving engine. The order of the latter among each other is irrelevant: see `queue`.

use super::access::{Ask, ReadModifyWrite};
use super::event::{EventId, Pairing, When};
use super::sets::DepsId;
use super::step::Next;
use super::sync::LOCK;
use super::value::{Expr, Val};
use super::{Threads, field, unsupported};
use crate::table::{from_word, to_word};
use raddle_ir::{BinOp, IntPred, Order, Pred, RmwOp, Type};
use raddle_machine::code::{Op, Slot};
use raddle_machine::{Fault, ThreadId};

/// Threads that can wait for condition variables: as many as there are bits.
const MAX_WAITERS: u32 = 32;

impl Threads<'_> {
    /// A wait: all of its events are fetched at once.
    pub(super) fn wait_step(
        &mut self,
        thread: ThreadId,
        woken: Option<Slot>,
        cond: Val,
        mutex: Val,
    ) -> Result<(), Fault> {
        if thread.0 >= MAX_WAITERS {
            let message = "thread 33 or later waits for a condition variable";
            return Err(unsupported(format!("{message} (model {})", self.rules.model)));
        }
        if self.holds_not(thread, mutex) {
            return Err(self.not_held(thread, mutex, Fault::waits_without_holding()));
        }
        let bit = 1u128 << thread.0;
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

    fn set_bits(
        &mut self,
        thread: ThreadId,
        op: RmwOp,
        cond: Val,
        bits: u128,
    ) -> Result<Val, Fault> {
        let (ty, operand, order) = (LOCK, Val::known(bits), Order::AcqRel);
        let rmw = ReadModifyWrite { op, ty, addr: cond, operand, order };
        let pairing = Pairing::Queue;
        self.read_modify_write(thread, rmw, Ask { pairing, ..Ask::UPDATE })
    }

    /// A signal or a broadcast. The threads that wait, and so the value of the store, are known when the load is
    /// committed.
    pub(super) fn signal_step(
        &mut self,
        thread: ThreadId,
        cond: Val,
        all: bool,
    ) -> Result<Next, Fault> {
        let read = match from_word(self.get(thread, field::PHASE)) {
            Some(read) => read,
            None => {
                let (before, _) = (self.rules.rmw)(Order::AcqRel);
                self.barrier(thread, before, DepsId::NONE);
                let ask = Ask { pairing: Pairing::Signal { all }, ..Ask::NOTHING };
                let (read, _) = self.fetch_load(thread, LOCK, cond, ask)?;
                self.set(thread, field::PHASE, to_word(Some(read)));
                read
            }
        };
        let old = self.loaded(read);
        let Some(waiters) = self.value(old) else { return Ok(Next::Wait) };
        let left = match waiters.count_ones() {
            0 | 1 => 0,
            _ if all => 0,
            _ => match self.take_choice(thread) {
                None => return Ok(Next::Choose),
                Some(chosen) => {
                    let woken = threads_in(waiters).nth(chosen as usize);
                    waiters & !woken.map_or(1, |woken| 1 << woken.0)
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
    pub(crate) fn signal_wakes(&self, thread: ThreadId) -> impl Iterator<Item = ThreadId> + use<> {
        let signals = matches!(self.code.op(self.pc(thread)), Op::CondSignal { .. });
        let read = from_word(self.get(thread, field::PHASE)).filter(|_| signals);
        let read = read.and_then(|read: EventId| self.event(read).load());
        let value = read.map(|load| Val { bits: 0, node: Some(load.node), deps: DepsId::NONE });
        threads_in(value.and_then(|value| self.value(value)).unwrap_or(0))
    }
}

/// The threads whose bits are set in the word of a condition variable.
fn threads_in(waiters: u128) -> impl Iterator<Item = ThreadId> {
    (0..Type::I32.bits()).filter(move |bit| waiters >> bit & 1 == 1).map(ThreadId)
}
