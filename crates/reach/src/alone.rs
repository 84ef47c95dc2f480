//! Threads that wait for ever in loops.
//!
//! A state from which every thread only goes round loops for nothing never changes, though there are moves:
//! threads that could leave their loops wait for ever, as in the interleaving engine (docs/loops.md). What a
//! thread does while nothing else happens is a function of its own state and of the world, so it is found by letting it
//! run alone, and remembered for every state on the way.

use crate::attack::Attack;
use crate::moves::{Kind, Move};
use crate::space::{Row, Scratch, Space};
use crate::system::System;
use crate::tables::Number;
use raddle_engine::Budget;
use raddle_ir::flow::Flow;
use raddle_ir::{FuncId, Program};
use raddle_machine::code::{Code, Op, Pc, Target};
use raddle_machine::{Rounds, Spin, Status, ThreadId, Visible, Watch, loop_body};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Operations of a thread that is alone that are tried.
const MOST: usize = 1 << 16;
/// Answers that are remembered at the most.
const REMEMBERED: usize = 1 << 20;

/// For each operation: whether a thread that is there may be on its way around a loop that may spin.
#[derive(Clone, Debug)]
pub(crate) struct Lingering(Arc<[bool]>);

impl Lingering {
    /// If the budget is spent on the way, some are missing.
    pub fn new(program: &Program, code: &Code, budget: &Budget) -> Lingering {
        let mut lingers = vec![false; code.ops.len()];
        // Loops of one function are next to each other.
        let mut flow: Option<(FuncId, Flow)> = None;
        for known in code.loops.iter().filter(|known| known.may_spin) {
            if budget.is_spent() {
                break;
            }
            let flow = match &flow {
                Some((func, flow)) if *func == known.func => flow,
                _ => &flow.insert((known.func, Flow::of(&program.funcs[known.func]))).1,
            };
            let body = loop_body(flow, known.head);
            for pc in operations(code, known.func.as_u32()) {
                lingers[pc] |= body[code.insts[pc].0.as_u32() as usize];
            }
        }
        let mut entered = vec![false; code.funcs.len()];
        let mut more = true;
        while more {
            more = false;
            for pc in 0..code.ops.len() {
                let Op::Call { target, .. } = code.ops[pc] else { continue };
                if !lingers[pc] {
                    continue;
                }
                let callees = match target {
                    Target::Func(func) => func.as_u32()..func.as_u32() + 1,
                    Target::Pointer(_) => 0..code.funcs.len() as u32,
                };
                for func in callees {
                    if !std::mem::replace(&mut entered[func as usize], true) {
                        lingers[operations(code, func)].fill(true);
                        more = true;
                    }
                }
            }
        }
        Lingering(lingers.into())
    }

    fn at(&self, pc: Pc) -> bool {
        self.0[pc.0 as usize]
    }
}

/// The operations of a function.
fn operations(code: &Code, func: u32) -> std::ops::Range<usize> {
    let Some(first) = code.funcs[func as usize].entry else { return 0..0 };
    let later = code.funcs.iter().filter_map(|f| f.entry).filter(|entry| entry.0 > first.0);
    let end = later.map(|entry| entry.0 as usize).min().unwrap_or(code.ops.len());
    first.0 as usize..end
}

/// The way of a thread that runs alone is a function of its own state and of the world.
type Key = (ThreadId, Number, Number);

/// What became of threads that were alone.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    known: FxHashMap<Key, Spin>,
    way: Vec<Key>,
    row: Row,
}

impl Alone {
    pub fn bytes(&self) -> usize {
        self.known.capacity() * (size_of::<(Key, Spin)>() + 1)
    }

    /// Whether threads wait for ever in the state that the system has decoded, though each has a move or
    /// none. `Err` if that cannot be told.
    pub fn waits(
        &mut self,
        system: &mut System<'_>,
        space: &Space,
        scratch: &mut Scratch,
    ) -> Result<bool, ThreadId> {
        let mut spins = Vec::new();
        for thread in system.machine.thread_ids() {
            let is_ready = system.machine.status(thread) == Status::Ready;
            if !is_ready || system.is_stuck(thread) {
                continue;
            }
            match self.spin_of(system, thread, space, scratch).ok_or(thread)? {
                Spin::Leaves => return Ok(false),
                spin => spins.push((thread, spin)),
            }
        }
        Ok(system.is_deadlock(&spins))
    }

    /// What a thread does if nothing else happens; `None` if that takes too long.
    fn spin_of(
        &mut self,
        system: &mut System<'_>,
        thread: ThreadId,
        space: &Space,
        scratch: &mut Scratch,
    ) -> Option<Spin> {
        if self.known.len() > REMEMBERED {
            self.known.clear();
        }
        self.way.clear();
        let watch = system.machine.watch(Watch::Alone);
        let spin = self.go_alone(system, thread, space, scratch);
        system.machine.watch(watch);
        system.go_back();
        if let Some(spin) = spin {
            self.known.extend(self.way.iter().map(|key| (*key, spin)));
        }
        spin
    }

    fn go_alone(
        &mut self,
        system: &mut System<'_>,
        thread: ThreadId,
        space: &Space,
        scratch: &mut Scratch,
    ) -> Option<Spin> {
        let mut rounds = Rounds::default();
        while self.way.len() < MOST {
            match system.machine.status(thread) {
                Status::Spinning => match system.machine.goes_round(thread, &mut rounds) {
                    Some(spin) => return Some(spin),
                    None => system.settle(thread),
                },
                Status::Ready if system.only_looks(thread) => {
                    system.encode(&mut self.row);
                    let own = space.number(self.row.component(thread.0 as usize));
                    let key = (thread, own, space.world(&self.row, scratch));
                    if let Some(spin) = self.known.get(&key) {
                        return Some(*spin);
                    }
                    self.way.push(key);
                    system.perform(Move { thread, kind: Kind::Step, choice: 0 });
                }
                _ => return Some(Spin::Leaves),
            }
        }
        None
    }
}

impl System<'_> {
    /// Whether nothing is delayed and every thread has ended, is stuck, or is about to do something in a loop
    /// that changes nothing but the thread: only then may threads wait for ever in loops.
    pub fn may_wait_in_loops(&mut self) -> bool {
        self.soft.attack == Attack::None
            && self.machine.thread_ids().all(|thread| match self.machine.status(thread) {
                _ if !self.is_drained(thread) => false,
                Status::Finished | Status::Absent | Status::Spinning => true,
                Status::Ready => self.lingers(thread) || self.is_stuck(thread),
                _ => false,
            })
    }

    /// Whether a thread may be on its way around a loop for nothing.
    pub fn lingers(&self, thread: ThreadId) -> bool {
        self.machine.status(thread) == Status::Ready
            && self.lingering.at(self.machine.pc(thread))
            && self.only_looks(thread)
    }

    /// Whether a thread has no move.
    pub fn is_stuck(&mut self, thread: ThreadId) -> bool {
        let mut moves = Vec::new();
        self.thread_moves(thread, &mut moves);
        !moves.iter().any(Move::is_of_program)
    }

    /// Whether a thread's next operation can happen, and changes nothing but the thread.
    fn only_looks(&self, thread: ThreadId) -> bool {
        let visible = self.machine.visible(thread);
        match visible {
            Visible::Load { .. } => true,
            Visible::TryLock { .. } => self.machine.idle(thread, &visible).is_some(),
            _ => self.machine.idle(thread, &visible).is_some() && !self.is_shut_out(thread),
        }
    }

    /// Whether threads wait for ever where the others have ended, or go on alone like this for ever.
    pub fn is_deadlock(&self, spins: &[(ThreadId, Spin)]) -> bool {
        let machine = &self.machine;
        let (mut waits, mut going_on) = (false, Vec::new());
        let mut stopped = Vec::new();
        for thread in machine.thread_ids() {
            let alone = spins.iter().find(|(spinning, _)| *spinning == thread);
            let goes_on = match (machine.status(thread), alone) {
                (Status::Finished | Status::Absent, _) => continue,
                (Status::Ready, None) => {
                    stopped.push(thread);
                    continue;
                }
                (Status::Ready, Some((_, spin))) => *spin == Spin::GoesOn,
                (Status::Spinning, _) => !machine.could_leave(thread),
                _ => return false,
            };
            match goes_on {
                true => going_on.push(thread),
                false => waits = true,
            }
        }
        waits || !machine.stuck(stopped, &going_on).is_empty()
    }
}
