//! Threads that wait forever in loops.
//!
//! If every thread in a state only goes round loops without effect, the state never changes, although
//! moves are enabled. Threads that could leave their loops then wait forever, as in the interleaving
//! engine (docs/loops.md). As long as no other thread acts, the behaviour of a thread is a function of its
//! own state and of the world. So it is found by running the thread alone, and the answer is memoized for
//! every state on the way.

use crate::attack::Attack;
use crate::moves::{Kind, Move};
use crate::space::{Row, Scratch, Space};
use crate::system::System;
use crate::tables::Number;
use raddle_engine::Budget;
use raddle_ir::flow::Flow;
use raddle_ir::{BlockId, FuncId, Program};
use raddle_machine::code::{Code, Op, Pc, Target};
use raddle_machine::{
    Rounds, Spin, Status, ThreadId, Visible, Watch, loop_body, loops_without_end,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The maximal number of operations for which a thread runs alone.
const MAX_STEPS: usize = 1 << 16;
/// The maximal number of memoized answers.
const MAX_ANSWERS: usize = 1 << 20;

/// For each operation: whether a thread there may be inside one of some loops.
#[derive(Clone, Debug)]
pub(crate) struct Lingering(Arc<[bool]>);

impl Lingering {
    /// The loops that may spin.
    pub(crate) fn in_spinning(program: &Program, code: &Code, budget: &Budget) -> Lingering {
        let loops = code.loops.iter().filter(|known| known.may_spin);
        Lingering::new(loops.map(|known| (known.func, known.head)), program, code, budget)
    }

    /// The loops that are not known to end.
    pub(crate) fn in_endless(program: &Program, code: &Code, budget: &Budget) -> Lingering {
        let loops = loops_without_end(program, budget);
        Lingering::new(loops.into_iter(), program, code, budget)
    }

    /// If the budget runs out, some operations are missing.
    fn new(
        loops: impl Iterator<Item = (FuncId, BlockId)>,
        program: &Program,
        code: &Code,
        budget: &Budget,
    ) -> Lingering {
        let mut lingers = vec![false; code.ops.len()];
        // The loops of a function are consecutive, so its flow is computed once.
        let mut flow: Option<(FuncId, Flow)> = None;
        for (id, head) in loops {
            if budget.is_spent() {
                break;
            }
            let flow = match &flow {
                Some((func, flow)) if *func == id => flow,
                _ => &flow.insert((id, Flow::of(&program.funcs[id]))).1,
            };
            let body = loop_body(flow, head);
            for pc in code.operations(id) {
                lingers[pc] |= body[code.insts[pc].0.as_u32() as usize];
            }
        }
        // The functions called from such a loop belong to it as well.
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
                        lingers[code.operations(FuncId::from_u32(func))].fill(true);
                        more = true;
                    }
                }
            }
        }
        Lingering(lingers.into())
    }

    pub(crate) fn at(&self, pc: Pc) -> bool {
        self.0[pc.0 as usize]
    }
}

/// The arguments that determine how a thread runs alone: its component and the world.
type Key = (ThreadId, Number, Number);

/// How threads behave that run alone.
#[derive(Debug, Default)]
pub(crate) struct Alone {
    /// The answer for a state, and after how many more operations it is known.
    known: FxHashMap<Key, (Spin, u32)>,
    /// The states of the current run; its answer holds for all of them.
    visited: Vec<Key>,
    row: Row,
}

impl Alone {
    pub(crate) fn bytes(&self) -> usize {
        self.known.capacity() * (size_of::<(Key, (Spin, u32))>() + 1)
    }

    /// The threads that only go round loops in the state that the system has decoded; `None` if a thread with
    /// moves does something else. `Err` with a thread for which this was not decided.
    pub(crate) fn spins(
        &mut self,
        system: &mut System<'_>,
        space: &Space,
        scratch: &mut Scratch,
    ) -> Result<Option<Vec<(ThreadId, Spin)>>, ThreadId> {
        let mut spins = Vec::new();
        for thread in system.machine.thread_ids() {
            let is_ready = system.machine.status(thread) == Status::Ready;
            if !is_ready || system.is_stuck(thread) {
                continue;
            }
            match self.spin_of(system, thread, space, scratch).ok_or(thread)? {
                Spin::Leaves => return Ok(None),
                spin => spins.push((thread, spin)),
            }
        }
        Ok(Some(spins))
    }

    /// How a thread behaves if no other thread acts; `None` if it runs for too long.
    fn spin_of(
        &mut self,
        system: &mut System<'_>,
        thread: ThreadId,
        space: &Space,
        scratch: &mut Scratch,
    ) -> Option<Spin> {
        if self.known.len() > MAX_ANSWERS {
            self.known.clear();
        }
        self.visited.clear();
        let watch = system.machine.watch(Watch::Alone);
        let spin = self.run_alone(system, thread, space, scratch);
        system.machine.watch(watch);
        system.go_back();
        // Without a number that it needed, the thread has stopped for no reason of its own.
        let (spin, rest) = spin.filter(|_| !system.machine.missed_name())?;
        let steps = self.visited.len() as u32 + rest;
        let known = self.visited.iter().zip(0..);
        self.known.extend(known.map(|(key, step)| (*key, (spin, steps - step))));
        Some(spin)
    }

    /// The answer, and how many operations beyond the visited states it is about.
    fn run_alone(
        &mut self,
        system: &mut System<'_>,
        thread: ThreadId,
        space: &Space,
        scratch: &mut Scratch,
    ) -> Option<(Spin, u32)> {
        let mut rounds = Rounds::default();
        while self.visited.len() < MAX_STEPS {
            match system.machine.status(thread) {
                Status::Spinning => match system.machine.goes_round(thread, &mut rounds) {
                    Some(spin) => return Some((spin, 0)),
                    None => system.settle(thread),
                },
                Status::Ready if system.is_read_only(thread) => {
                    system.encode(&mut self.row);
                    let own = space.number(self.row.component(thread.0 as usize));
                    let key = (thread, own, space.world(&self.row, scratch));
                    if let Some((spin, rest)) = self.known.get(&key) {
                        // Whether the answer is known must not depend on what was asked before.
                        let is_near = self.visited.len() + *rest as usize <= MAX_STEPS;
                        return is_near.then_some((*spin, *rest));
                    }
                    self.visited.push(key);
                    system.perform(Move { thread, kind: Kind::Step, choice: 0 });
                }
                _ => return Some((Spin::Leaves, 0)),
            }
        }
        None
    }
}

impl System<'_> {
    /// A necessary condition for threads that wait forever in loops: no store is delayed, and every thread has
    /// ended, is stuck, or is in a loop and its next operation changes only the thread.
    pub(crate) fn may_wait_in_loops(&mut self) -> bool {
        self.extra.attack == Attack::None
            && self.machine.thread_ids().all(|thread| match self.machine.status(thread) {
                _ if !self.is_drained(thread) => false,
                Status::Finished | Status::Absent | Status::Halted | Status::Spinning => true,
                Status::Ready => self.lingers(thread) || self.is_stuck(thread),
                _ => false,
            })
    }

    /// Whether a thread may be going round a loop without effect.
    pub(crate) fn lingers(&self, thread: ThreadId) -> bool {
        self.machine.status(thread) == Status::Ready
            && self.lingering.at(self.machine.pc(thread))
            && self.is_read_only(thread)
    }

    /// Whether the program has no move of this thread.
    pub(crate) fn is_stuck(&mut self, thread: ThreadId) -> bool {
        let mut moves = Vec::new();
        self.thread_moves(thread, &mut moves);
        !moves.iter().any(Move::is_of_program)
    }

    /// Whether a thread's next operation is enabled and changes only the thread.
    fn is_read_only(&self, thread: ThreadId) -> bool {
        let visible = self.machine.visible(thread);
        match visible {
            Visible::Load { .. } => true,
            Visible::TryLock { .. } => self.machine.idle(thread, &visible).is_some(),
            _ => self.machine.idle(thread, &visible).is_some() && !self.is_shut_out(thread),
        }
    }

    /// Whether threads wait forever, if the other threads have ended or run alone forever as `spins` says.
    pub(crate) fn is_deadlock(&self, spins: &[(ThreadId, Spin)]) -> bool {
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
