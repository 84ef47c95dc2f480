//! One worker of a search: makes the moves from a state, judges their results, and adds the new states
//! to the space.
//!
//! The worker executes moves on its machine. If the program is memoizable ([`crate::memoizable`]), it
//! looks up the results of moves that it has executed before ([`crate::memo`]), and decodes a state into
//! the machine only to execute moves it does not know yet.

use crate::alone::Alone;
use crate::judge::{deadlock, judge, judge_end, leads_nowhere};
use crate::memo::{After, Change, Key, Memo, Moves, ThreadInfo};
use crate::moves::{Kind, Move};
use crate::perform::Made;
use crate::recent::Recent;
use crate::roots::Pending;
use crate::search::{Finding, Found, Target};
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::tree::Tree;
use raddle_ir::LocId;
use raddle_machine::{Fault, Status, ThreadId};

#[derive(Debug)]
pub(crate) struct Worker<'p> {
    pub system: System<'p>,
    /// States discovered since the search last took this list.
    pub fresh: Vec<StateId>,
    target: Target,
    moves: Vec<Move>,
    row: Row,
    scratch: Scratch,
    pub unsupported: Option<(Fault, LocId)>,
    pub cut: Option<LocId>,
    /// The location of a thread for which it was not decided whether it waits forever.
    pub undecided: Option<LocId>,
    alone: Alone,
    memory: Option<Recall>,
}

/// The state of a worker that memoizes moves.
#[derive(Debug, Default)]
struct Recall {
    memo: Memo,
    /// The distinct findings of memoized moves, and whether each was reported.
    found: Vec<(Found, bool)>,
    /// The state being expanded: its tree, and the moves of its threads.
    body: Tree,
    moves: Vec<Moves>,
    /// A copy of `body`, changed into a successor state.
    changed: Tree,
    recent: Recent,
    /// Successor states that are not added to the space yet.
    pending: Pending,
    afters: Vec<After>,
    /// Whether the machine is in the state being expanded.
    is_decoded: bool,
}

impl<'p> Worker<'p> {
    pub(crate) fn new(system: System<'p>, target: Target) -> Worker<'p> {
        let recalls = system.is_memoizable();
        Worker {
            memory: recalls.then(Recall::default),
            system,
            target,
            fresh: Vec::new(),
            moves: Vec::new(),
            row: Row::default(),
            scratch: Scratch::default(),
            unsupported: None,
            cut: None,
            undecided: None,
            alone: Alone::default(),
        }
    }

    /// Makes the moves from a state and returns the findings. Some new states are added only by
    /// [`Worker::add_pending`].
    ///
    /// If the moves of one thread are an ample set ([`System::own_moves`]), only these are made, provided
    /// that they lead to a new state: the moves of the other threads are then made from that state or a
    /// later one. Without this condition they could be postponed forever around a cycle.
    pub(crate) fn expand(&mut self, state: StateId, space: &Space) -> Vec<Finding> {
        let mut found = Vec::new();
        match self.memory.take() {
            Some(mut recall) => {
                self.recall(&mut recall, state, space, &mut found);
                self.memory = Some(recall);
            }
            None => self.run(state, space, &mut found),
        }
        found
    }

    /// Adds the pending states to the space, and the new ones among them to `fresh`.
    pub(crate) fn add_pending(&mut self, space: &Space) {
        if let Some(recall) = &mut self.memory {
            space.add_all(&mut recall.pending, &mut self.fresh);
        }
    }

    /// Bytes used by memoized moves and by answers about loops.
    pub(crate) fn bytes(&self) -> usize {
        self.alone.bytes() + self.memory.as_ref().map_or(0, |recall| recall.memo.bytes())
    }

    // ---- on the machine ----

    fn run(&mut self, state: StateId, space: &Space, found: &mut Vec<Finding>) {
        self.system.decode(space, state, &mut self.scratch);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.own_moves(&mut moves);
        let seen = self.fresh.len();
        self.make_moves(state, &moves, space, found);
        // No new state and no finding: expand the state fully, or the other threads could be postponed forever.
        if self.fresh.len() == seen && found.is_empty() {
            moves.clear();
            self.system.moves(&mut moves);
            let kind = match moves.iter().any(Move::is_of_program) {
                true => self.judge_loops(space),
                false => judge_end(&self.system, self.target),
            };
            found.extend(kind.map(|kind| Finding { kind, from: state, by: None }));
            self.make_moves(state, &moves, space, found);
        }
        self.moves = moves;
    }

    fn make_moves(
        &mut self,
        state: StateId,
        moves: &[Move],
        space: &Space,
        found: &mut Vec<Finding>,
    ) {
        for by in moves {
            let made = self.system.perform(*by);
            let kind = self.judge(made).or_else(|| self.system.is_goal().then_some(Found::Goal));
            match kind {
                Some(kind) => found.push(Finding { kind, from: state, by: Some(*by) }),
                None if leads_nowhere(&self.system, *by, made) => {}
                None => {
                    self.system.encode(&mut self.row);
                    let (to, new) = space.insert(&self.row, Some(state), &mut self.scratch);
                    if new {
                        self.fresh.push(to);
                    }
                }
            }
            self.system.go_back();
        }
    }

    /// The deadlock of the machine's state, if the moves from it only go round loops without effect. If a
    /// thread has ended the program, the loops have a final state somewhere, which is left undecided.
    fn judge_loops(&mut self, space: &Space) -> Option<Found> {
        let machine = &self.system.machine;
        let has_ended = machine.thread_ids().any(|id| machine.status(id) == Status::Halted);
        let is_sought = match self.target {
            Target::Failures => !has_ended,
            Target::Finals => has_ended,
            Target::Rules => false,
        };
        if !is_sought || !self.system.may_wait_in_loops() {
            return None;
        }
        let undecided = match self.alone.spins(&mut self.system, space, &mut self.scratch) {
            Ok(Some(spins)) if has_ended => spins.first().map(|(thread, _)| *thread),
            Ok(Some(spins)) => {
                return self.system.is_deadlock(&spins).then(|| deadlock(&self.system));
            }
            Ok(None) => None,
            Err(thread) => Some(thread),
        };
        let loc = undecided.map(|thread| self.system.machine.loc(thread));
        self.undecided = self.undecided.or(loc);
        None
    }

    /// The finding that a move just made led to. Records unsupported operations and cut threads.
    fn judge(&mut self, made: Made) -> Option<Found> {
        self.cut = self.cut.or(self.system.cut);
        let (kind, unsupported) = judge(&self.system, self.target, made);
        if self.unsupported.is_none() {
            self.unsupported = unsupported;
        }
        kind
    }

    // ---- from memory ----

    fn recall(
        &mut self,
        recall: &mut Recall,
        state: StateId,
        space: &Space,
        found: &mut Vec<Finding>,
    ) {
        // Only here: clearing invalidates the `Moves` that `recall.moves` holds below.
        recall.memo.clear_if_full();
        recall.is_decoded = false;
        let threads = self.system.machine.thread_count();
        space.open(state, &mut recall.body);
        recall.moves.clear();
        for thread in (0..threads).map(ThreadId) {
            let key = recall.key(thread);
            let moves = match recall.memo.get(&key) {
                Some(moves) => moves,
                None => self.learn(recall, key, state, space),
            };
            recall.moves.push(moves);
        }
        // As in `run`: first an ample set, then all moves if it gave no new state and no finding.
        let seen = self.fresh.len();
        if let Some(thread) = recall.moves.iter().position(|moves| moves.info.is_first) {
            self.follow_moves(recall, thread, true, state, space, found);
        }
        if self.fresh.len() > seen || !found.is_empty() {
            return;
        }
        // Deadlocks and final states depend on all threads, so they are judged on the decoded state. This is
        // rare: every thread must be stuck or possibly going round a loop without effect.
        let idle = |moves: &Moves| moves.is_stuck || moves.info.lingers;
        if recall.moves.iter().all(idle) && self.target != Target::Rules {
            self.decode_state(recall, state, space);
            let kind = match recall.moves.iter().all(|moves| moves.is_stuck) {
                true => judge_end(&self.system, self.target),
                false => self.judge_loops(space),
            };
            found.extend(kind.map(|kind| Finding { kind, from: state, by: None }));
        }
        for thread in 0..recall.moves.len() {
            self.follow_moves(recall, thread, false, state, space, found);
        }
    }

    /// Decodes the state being expanded into the machine, once per expansion.
    fn decode_state(&mut self, recall: &mut Recall, state: StateId, space: &Space) {
        if !recall.is_decoded {
            self.system.decode(space, state, &mut self.scratch);
            recall.is_decoded = true;
        }
    }

    /// Adds the successors by the memoized moves of a thread: by all of them, or by the ample ones only.
    fn follow_moves(
        &mut self,
        recall: &mut Recall,
        thread: usize,
        own_only: bool,
        state: StateId,
        space: &Space,
        found: &mut Vec<Finding>,
    ) {
        let moves = recall.moves[thread];
        for n in Memo::numbers(moves) {
            let After { by, to } = recall.memo.after(moves, n);
            // An ample set has only steps: `Begin` and `Flush` interact with other threads.
            if own_only && by.kind != Kind::Step {
                continue;
            }
            match to {
                Change::State { places, .. } if self.is_goal(recall, thread, places) => {
                    found.push(Finding { kind: Found::Goal, from: state, by: Some(by) });
                }
                Change::State { own, world, .. } => {
                    // The move changes the thread's component and the world, so two leaves of the tree.
                    recall.changed.copy(&recall.body);
                    let change = (thread, own, world);
                    let Recall { changed, recent, pending, .. } = recall;
                    let to = space.changed(changed, change, recent);
                    // Whether the full expansion is needed depends on these states, so the ample ones are
                    // added at once. All others are added in batches, which hides memory latency.
                    if !own_only {
                        to.defer(state, pending);
                    } else if space.add(to, state) {
                        self.fresh.push(to);
                    }
                }
                Change::Found(number) => {
                    // The search keeps each distinct finding once, so a worker reports it once.
                    let (kind, reported) = &mut recall.found[number as usize];
                    if !std::mem::replace(reported, true) {
                        found.push(Finding { kind: kind.clone(), from: state, by: Some(by) });
                    }
                }
                Change::Nowhere => {}
            }
        }
    }

    /// Whether a goal is reached if `thread` is at these places and the others are where they were.
    fn is_goal(&self, recall: &Recall, thread: usize, places: u64) -> bool {
        // The state being expanded is not a goal, so the thread must have arrived at a place.
        if places == 0 {
            return false;
        }
        let others = recall.moves.iter().enumerate().filter(|(other, _)| *other != thread);
        self.system.is_goal_at(others.fold(places, |all, (_, moves)| all | moves.info.places))
    }

    /// Executes the moves of a thread on the machine and memoizes their results.
    fn learn(&mut self, recall: &mut Recall, key: Key, state: StateId, space: &Space) -> Moves {
        self.decode_state(recall, state, space);
        let thread = ThreadId(key.thread);
        let info = ThreadInfo {
            is_first: self.system.is_own_business(thread),
            lingers: self.system.lingers(thread),
            places: self.system.places(thread),
        };
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.thread_moves(thread, &mut moves);
        recall.afters.clear();
        // Goals depend on several threads and are not memoized: `is_goal` checks them for each state.
        for by in &moves {
            let made = self.system.perform(*by);
            let to = match self.judge(made) {
                Some(kind) => Change::Found(recall.remember(kind)),
                None if leads_nowhere(&self.system, *by, made) => Change::Nowhere,
                None => self.change(thread, space),
            };
            recall.afters.push(After { by: *by, to });
            self.system.go_back();
        }
        self.moves = moves;
        recall.memo.put(key, &recall.afters, info)
    }

    /// The change of the state by the move that the machine just made.
    fn change(&mut self, thread: ThreadId, space: &Space) -> Change {
        let row = &mut self.row;
        self.system.encode(row);
        let own = space.number(row.component(thread.0 as usize));
        let world = space.world(row, &mut self.scratch);
        Change::State { own, world, places: self.system.places(thread) }
    }
}

impl Recall {
    /// The key of a thread in the state being expanded: the world is the last leaf of the tree.
    fn key(&self, thread: ThreadId) -> Key {
        let leaves = self.body.leaves();
        let world = leaves[leaves.len() - 1];
        Key { thread: thread.0, own: leaves[thread.0 as usize], world }
    }

    /// The number of a finding; equal findings have equal numbers.
    fn remember(&mut self, kind: Found) -> u32 {
        let known = self.found.iter().position(|(known, _)| *known == kind);
        let number = known.unwrap_or_else(|| {
            self.found.push((kind, false));
            self.found.len() - 1
        });
        number as u32
    }
}
