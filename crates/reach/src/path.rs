//! The schedule that leads to a finding.
//!
//! A space stores for every state the state it was first reached from, but not the move between them.
//! The moves are found again by trying all of them. The schedule is then made on a fresh system, because
//! that numbers threads as the replay will.

use crate::moves::{Kind, Move};
use crate::rules::Rules;
use crate::search::{Finding, Search};
use crate::space::{Row, Scratch, StateId};
use crate::system::System;
use raddle_engine::Step;
use raddle_ir::Verified;
use raddle_machine::{Bounds, Machine, ThreadId, Visible};

impl Search<'_> {
    /// The moves from the initial state to the finding.
    pub(crate) fn path(&self, finding: &Finding) -> Vec<Move> {
        let mut states = vec![finding.from];
        while let Some(before) = self.space.parent(states[states.len() - 1]) {
            states.push(before);
        }
        states.reverse();
        let mut system = self.system().clone();
        let mut scratch = Scratch::default();
        let mut moves = Vec::with_capacity(states.len());
        for pair in states.windows(2) {
            moves.extend(self.move_between(&mut system, pair[0], pair[1], &mut scratch));
        }
        moves.extend(finding.by);
        moves
    }

    fn move_between(
        &self,
        system: &mut System<'_>,
        from: StateId,
        to: StateId,
        scratch: &mut Scratch,
    ) -> Option<Move> {
        system.decode(&self.space, from, scratch);
        let (mut moves, mut row) = (Vec::new(), Row::default());
        system.moves(&mut moves);
        moves.into_iter().find(|by| {
            system.perform(*by);
            system.encode(&mut row);
            system.go_back();
            self.space.id(&row, scratch) == to
        })
    }
}

/// The kind of schedule to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Manner {
    /// Stores take effect at once.
    Sc,
    /// Stores go into a buffer; each leaves it by a step of its own.
    Tso,
    /// Like `Tso`, and all buffers are emptied at the end.
    TsoDrained,
}

/// A schedule, and the system in which it was made: that of the replay has the same numbers of threads.
pub(crate) struct Scheduled<'p> {
    pub steps: Vec<Step>,
    pub system: System<'p>,
}

/// The schedule for these moves, in which threads have the numbers of `machine`. `None` if the moves cannot
/// be made on a fresh system, or if the budget is spent.
pub(crate) fn schedule<'p>(
    program: &'p Verified,
    bounds: Bounds,
    rules: &Rules,
    machine: &Machine<'_>,
    moves: &[Move],
    manner: Manner,
) -> Option<Scheduled<'p>> {
    let fresh = System::new(program, bounds, rules.clone()).ok()?;
    let mut replayer = Replayer { fresh, manner, stores: Vec::new(), steps: Vec::new() };
    for by in moves {
        if replayer.fresh.machine.trail.budget().is_spent() {
            return None;
        }
        let by = replayer.renumbered(machine, *by)?;
        replayer.append_steps(by);
        replayer.fresh.perform(by);
    }
    if manner == Manner::TsoDrained {
        replayer.drain();
    }
    Some(Scheduled { steps: replayer.steps, system: replayer.fresh })
}

struct Replayer<'p> {
    fresh: System<'p>,
    manner: Manner,
    /// By thread: the number of its stores, and how many of them have left its buffer.
    stores: Vec<(u32, u32)>,
    steps: Vec<Step>,
}

impl Replayer<'_> {
    /// The move with the thread numbers of the fresh system.
    fn renumbered(&self, machine: &Machine<'_>, by: Move) -> Option<Move> {
        let numbers = machine.threads_in(&self.fresh.machine);
        let thread = numbers.get(by.thread.0 as usize).copied().flatten()?;
        let signals = by.kind == Kind::Step
            && matches!(self.fresh.machine.visible(thread), Visible::Signal { .. });
        let choice = match by.choice.checked_sub(1).filter(|_| signals) {
            Some(woken) => numbers.get(woken as usize).copied().flatten()?.0 + 1,
            None => by.choice,
        };
        Some(Move { thread, choice, ..by })
    }

    /// Appends the steps of a move, before it is made.
    fn append_steps(&mut self, by: Move) {
        let number = by.thread.0;
        if self.stores.len() <= number as usize {
            self.stores.resize(number as usize + 1, (0, 0));
        }
        let (made, left) = &mut self.stores[number as usize];
        let thread = by.thread;
        if by.kind == Kind::Flush {
            self.steps.push(Step::Update { thread, store: *left });
            *left += 1;
            return;
        }
        let visible = self.fresh.machine.visible(thread);
        if !matches!(visible, Visible::Store { .. }) || self.manner == Manner::Sc {
            return self.steps.push(match visible {
                Visible::Choose { .. } => Step::Choose { thread, choice: by.choice.into() },
                Visible::Signal { .. } => {
                    Step::Signal { thread, woken: by.choice.checked_sub(1).map(ThreadId) }
                }
                _ => Step::Run(thread),
            });
        }
        let shown = by.kind == Kind::Step && self.fresh.touch(thread, visible).is_some();
        if shown {
            self.steps.push(Step::Update { thread, store: *left });
            *left += 1;
        }
        *made += 1;
    }

    /// Appends the steps that empty all buffers.
    fn drain(&mut self) {
        for (thread, (made, left)) in self.stores.iter().enumerate() {
            let thread = ThreadId(thread as u32);
            self.steps.extend((*left..*made).map(|store| Step::Update { thread, store }));
        }
    }
}
