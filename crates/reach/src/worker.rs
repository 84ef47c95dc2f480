//! One worker of a search: makes the moves from a state, looks at what they lead to, and adds it to the
//! space.

use crate::moves::{Kind, Move};
use crate::perform::Made;
use crate::search::{Finding, Found, Target};
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::tables::Number;
use raddle_ir::{LocId, Program};
use raddle_machine::{Fault, FaultKind, Status};

#[derive(Debug)]
pub(crate) struct Worker<'p> {
    pub system: System<'p>,
    /// What was new, since someone took it.
    pub fresh: Vec<StateId>,
    moves: Vec<Move>,
    row: Row,
    scratch: Scratch,
    /// Whether only what a move can change is encoded after it.
    narrow: bool,
    /// The numbers of the state that is expanded: its head and its components.
    head: Number,
    components: Vec<Number>,
    numbers: Vec<Number>,
    pub unsupported: Option<(Fault, LocId)>,
    pub cut: Option<LocId>,
}

impl<'p> Worker<'p> {
    pub fn new(system: System<'p>) -> Worker<'p> {
        Worker {
            narrow: moves_are_narrow(system.machine.program),
            head: 0,
            components: Vec::new(),
            numbers: Vec::new(),
            system,
            fresh: Vec::new(),
            moves: Vec::new(),
            row: Row::default(),
            scratch: Scratch::default(),
            unsupported: None,
            cut: None,
        }
    }

    /// Makes the moves from a state; gives what is found.
    ///
    /// Where a thread's moves are its own business, they are enough, as long as they lead to a state
    /// that is new: the moves of the others, which are put off, are made from there or later. Else
    /// they would be put off for ever around a cycle.
    pub fn expand(&mut self, state: StateId, space: &Space, target: Target) -> Vec<Finding> {
        let mut found = Vec::new();
        self.system.decode(space, state, &mut self.scratch);
        self.head = space.head_number(state);
        self.components.clear();
        self.components.extend_from_slice(self.scratch.numbers());
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.own_moves(&mut moves);
        let seen = self.fresh.len();
        self.make(state, &moves, space, target, &mut found);
        if self.fresh.len() == seen && found.is_empty() {
            moves.clear();
            self.system.moves(&mut moves);
            if moves.is_empty() {
                let what = judge_end(&self.system, target);
                found.extend(what.map(|what| Finding { what, from: state, by: None }));
            }
            self.make(state, &moves, space, target, &mut found);
        }
        self.moves = moves;
        found
    }

    fn make(
        &mut self,
        state: StateId,
        moves: &[Move],
        space: &Space,
        target: Target,
        found: &mut Vec<Finding>,
    ) {
        for by in moves {
            let made = self.system.perform(*by);
            self.cut = self.cut.or(self.system.cut);
            let (what, unsupported) = judge(&self.system, target, made);
            if self.unsupported.is_none() {
                self.unsupported = unsupported;
            }
            match what {
                Some(what) => found.push(Finding { what, from: state, by: Some(*by) }),
                None if leads_nowhere(&self.system, *by, made) => {}
                None => {
                    let (to, new) = self.insert(state, *by, made, space);
                    if new {
                        self.fresh.push(to);
                    }
                }
            }
            self.system.go_back();
        }
    }
}

impl Worker<'_> {
    /// Adds the state that a move led to.
    fn insert(&mut self, from: StateId, by: Move, made: Made, space: &Space) -> (StateId, bool) {
        if !self.narrow {
            self.system.encode(&mut self.row);
            return space.insert(&self.row, Some(from), &mut self.scratch);
        }
        let (system, bytes) = (&self.system, &mut self.row.bytes);
        self.numbers.clone_from(&self.components);
        bytes.clear();
        system.encode_thread(by.thread, bytes);
        self.numbers[by.thread.0 as usize] = space.number(bytes);
        let threads = system.present_threads();
        if !made.is_local {
            let groups = self.numbers[threads as usize..].iter_mut().enumerate();
            for (group, number) in groups {
                bytes.clear();
                system.machine.encode_group(group as u32, bytes);
                *number = space.number(bytes);
            }
        }
        let head = match system.is_soft_as_decoded() {
            true => self.head,
            false => {
                bytes.clear();
                system.encode_head(threads, self.components.len(), bytes);
                space.number(bytes)
            }
        };
        space.insert_numbers(head, &mut self.numbers, Some(from))
    }
}

/// What a move led to, and what it could not run.
pub(crate) fn judge(
    system: &System<'_>,
    target: Target,
    made: Made,
) -> (Option<Found>, Option<(Fault, LocId)>) {
    if let Some(failed) = &system.failed {
        if failed.fault.kind == FaultKind::Unsupported {
            return (None, Some((failed.fault.clone(), failed.loc)));
        }
        if target == Target::Failures {
            let (thread, fault, loc) = (failed.thread, failed.fault.clone(), failed.loc);
            return (Some(Found::Failed { thread, fault, loc }), None);
        }
    }
    if made.completes
        && let Some(chain) = system.soft.attack.chain()
    {
        let (thread, store, load) = (chain.delay.thread, chain.delay.store, chain.load);
        return (Some(Found::Attack { thread, store, load }), None);
    }
    (system.is_goal().then_some(Found::Goal), None)
}

/// Whether a move only stopped its thread: whatever the others do now they could have done before.
/// Not so in a chain, where the move itself is an event that others may follow.
fn leads_nowhere(system: &System<'_>, by: Move, made: Made) -> bool {
    by.kind != Kind::Close
        && made.is_local
        && system.soft.attack.chain().is_none()
        && matches!(system.machine.status(by.thread), Status::Blocked)
}

/// What a state without moves is.
fn judge_end(system: &System<'_>, target: Target) -> Option<Found> {
    match target {
        Target::Failures => is_deadlock(system).then_some(Found::Deadlock),
        Target::Finals => final_values(system).map(Found::Final),
        Target::Rules => None,
    }
}

/// The values of the observables if every thread has ended.
fn final_values(system: &System<'_>) -> Option<Vec<u64>> {
    let machine = &system.machine;
    let ended =
        |id| matches!(machine.status(id), Status::Finished | Status::Absent | Status::Halted);
    let observables = machine.program.observables.values();
    machine
        .thread_ids()
        .all(ended)
        .then(|| observables.map(|observable| machine.observe(observable.what)).collect())
}

/// Whether threads wait for ever, in a state without moves.
fn is_deadlock(system: &System<'_>) -> bool {
    let machine = &system.machine;
    let any = |status| machine.thread_ids().any(|id| machine.status(id) == status);
    let excused = [Status::Blocked, Status::Halted, Status::OutOfSteps, Status::Failed];
    any(Status::Ready) && !excused.into_iter().any(any)
}

/// Whether a move changes nothing but its own thread and, if it writes, shared memory: nobody is
/// started, woken or waited for, and no local step touches memory.
fn moves_are_narrow(program: &Program) -> bool {
    use raddle_ir::InstKind::*;
    let mut blocks = program.funcs.values().flat_map(|func| func.blocks.values());
    let wide = blocks.any(|block| {
        let mut insts = block.insts.iter();
        insts.any(|inst| matches!(inst.kind, Join { .. } | CondWait { .. } | Format { .. }))
    });
    !wide && !names_as_it_goes(program)
}

/// Whether numbers of threads and objects depend on the order of the search.
pub(crate) fn names_as_it_goes(program: &Program) -> bool {
    use raddle_ir::InstKind::*;
    let insts = program.funcs.values().flat_map(|func| func.blocks.values());
    let names = insts
        .flat_map(|block| &block.insts)
        .any(|inst| matches!(inst.kind, Spawn { .. } | Alloca { .. } | Malloc { .. }));
    names || program.globals.values().any(|global| global.thread_local)
}
