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
use crate::roots::{Edge, Pending, rank};
use crate::search::{Finding, Found, Target};
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::tree::Tree;
use raddle_ir::LocId;
use raddle_machine::{Fault, Status, ThreadId};

#[derive(Debug)]
pub(crate) struct Worker<'p> {
    pub system: System<'p>,
    /// The edges to new states since the search last took this list.
    pub fresh: Vec<Edge>,
    /// The findings since the search last took this list, each with the position of its state.
    pub found: Vec<(usize, Finding)>,
    /// The positions of states that need a number of a thread or object that does not exist yet:
    /// see [`raddle_machine::Machine::fix_names`].
    pub nameless: Vec<usize>,
    target: Target,
    moves: Vec<Move>,
    row: Row,
    scratch: Scratch,
    /// The state being expanded.
    at: Place,
    /// Edges that are not added to the space yet.
    pending: Pending,
    pub notes: Notes,
    alone: Alone,
    memory: Option<Recall>,
}

/// A state that is expanded, and its position in the level.
#[derive(Clone, Copy, Debug)]
struct Place {
    state: StateId,
    position: usize,
}

/// Why the search is not a proof: the first reason of each kind, in the order of the states of a level.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub unsupported: Option<(usize, (Fault, LocId))>,
    pub cut: Option<(usize, LocId)>,
    /// The location of a thread for which it was not decided whether it waits forever.
    pub undecided: Option<(usize, LocId)>,
}

/// Notes something at a position, unless it was noted at an earlier one.
fn note<T>(known: &mut Option<(usize, T)>, position: usize, what: T) {
    if known.as_ref().is_none_or(|(first, _)| position < *first) {
        *known = Some((position, what));
    }
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
    afters: Vec<After>,
    /// Whether the machine is in the state being expanded.
    is_decoded: bool,
}

impl<'p> Worker<'p> {
    pub(crate) fn new(system: System<'p>, target: Target, root: StateId) -> Worker<'p> {
        let recalls = system.is_memoizable();
        Worker {
            memory: recalls.then(Recall::default),
            system,
            target,
            fresh: Vec::new(),
            found: Vec::new(),
            nameless: Vec::new(),
            moves: Vec::new(),
            row: Row::default(),
            scratch: Scratch::default(),
            at: Place { state: root, position: 0 },
            pending: Pending::default(),
            notes: Notes::default(),
            alone: Alone::default(),
        }
    }

    /// Makes the moves from the state at a position of the level. New states are added by
    /// [`Worker::add_pending`].
    ///
    /// If the moves of one thread are an ample set ([`System::own_moves`]), only these are made, provided
    /// that one of them brings the thread [forward](System::is_forward), or is a finding. The moves of the other threads are
    /// then made from that state or a later one. Without this condition they could be postponed forever around a
    /// cycle. It depends on the state alone, so the states that are visited do not depend on the order.
    pub(crate) fn expand(&mut self, state: StateId, position: usize, space: &Space) {
        self.at = Place { state, position };
        match self.memory.take() {
            Some(mut recall) => {
                self.recall(&mut recall, space);
                self.memory = Some(recall);
            }
            None => self.run(space),
        }
    }

    /// Adds the states that the pending edges lead to, and notes the edges to new ones in `fresh`.
    pub(crate) fn add_pending(&mut self, space: &Space, level: &[StateId], ranked: bool) {
        space.add_all(&mut self.pending, level, ranked, &mut self.fresh);
    }

    /// Bytes used by memoized moves and by answers about loops.
    pub(crate) fn bytes(&self) -> usize {
        self.alone.bytes() + self.memory.as_ref().map_or(0, |recall| recall.memo.bytes())
    }

    fn find(&mut self, kind: Found, by: Option<Move>) {
        let Place { state, position } = self.at;
        self.found.push((position, Finding { kind, from: state, by }));
    }

    // ---- on the machine ----

    fn run(&mut self, space: &Space) {
        self.system.decode(space, self.at.state, &mut self.scratch);
        let before = self.found.len();
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.own_moves(&mut moves);
        let mut result = self.make_moves(&moves, 0, space);
        if result == Reach::Nothing {
            let edge = moves.len();
            moves.clear();
            self.system.moves(&mut moves);
            let kind = match moves.iter().any(Move::is_of_program) {
                true => self.judge_loops(space),
                false => judge_end(&self.system, self.target),
            };
            if self.system.machine.take_missed_name() {
                result = Reach::Nameless;
            } else {
                if let Some(kind) = kind {
                    self.find(kind, None);
                }
                result = self.make_moves(&moves, edge, space);
            }
        }
        self.moves = moves;
        if result == Reach::Nameless {
            // It is expanded again, with all of its findings.
            self.found.truncate(before);
            self.nameless.push(self.at.position);
        }
    }

    /// Makes moves from the decoded state. `edge` is the number of the first.
    fn make_moves(&mut self, moves: &[Move], edge: usize, space: &Space) -> Reach {
        let mut result = Reach::Nothing;
        for (by, edge) in moves.iter().zip(edge..) {
            let pc = self.system.machine.pc(by.thread);
            let made = self.system.perform(*by);
            if self.system.machine.take_missed_name() {
                result = Reach::Nameless;
                self.system.go_back();
                continue;
            }
            let kind = self.judge(made).or_else(|| self.system.is_goal().then_some(Found::Goal));
            match kind {
                Some(kind) => {
                    self.find(kind, Some(*by));
                    result = result.max(Reach::Forward);
                }
                None if leads_nowhere(&self.system, *by, made) => {}
                None => {
                    if self.system.is_forward(by.thread, pc) {
                        result = result.max(Reach::Forward);
                    }
                    self.system.encode(&mut self.row);
                    let to = space.id(&self.row, &mut self.scratch);
                    to.defer(rank(self.at.position, edge), &mut self.pending);
                }
            }
            self.system.go_back();
        }
        result
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
        if let Some(thread) = undecided.filter(|_| !self.system.machine.missed_name()) {
            note(&mut self.notes.undecided, self.at.position, self.system.machine.loc(thread));
        }
        None
    }

    /// The finding that a move just made led to. Records unsupported operations and cut threads.
    fn judge(&mut self, made: Made) -> Option<Found> {
        let position = self.at.position;
        if let Some(loc) = self.system.cut {
            note(&mut self.notes.cut, position, loc);
        }
        let (kind, unsupported) = judge(&self.system, self.target, made);
        if let Some(unsupported) = unsupported {
            note(&mut self.notes.unsupported, position, unsupported);
        }
        kind
    }

    // ---- from memory ----

    fn recall(&mut self, recall: &mut Recall, space: &Space) {
        // Only here: clearing invalidates the `Moves` that `recall.moves` holds below.
        recall.memo.clear_if_full();
        recall.is_decoded = false;
        let threads = self.system.machine.thread_count();
        space.open(self.at.state, &mut recall.body);
        recall.moves.clear();
        for thread in (0..threads).map(ThreadId) {
            let key = recall.key(thread);
            let moves = match recall.memo.get(&key) {
                Some(moves) => moves,
                None => self.learn(recall, key, space),
            };
            recall.moves.push(moves);
        }
        // As in `run`: an ample set, or all moves.
        if let Some(thread) = recall.moves.iter().position(|moves| moves.info.is_first) {
            self.follow_moves(recall, thread, true, 0, space);
            return;
        }
        // Deadlocks and final states depend on all threads, so they are judged on the decoded state. This is
        // rare: every thread must be stuck or possibly going round a loop without effect.
        let idle = |moves: &Moves| moves.is_stuck || moves.info.lingers;
        if recall.moves.iter().all(idle) && self.target != Target::Rules {
            self.decode_state(recall, space);
            let kind = match recall.moves.iter().all(|moves| moves.is_stuck) {
                true => judge_end(&self.system, self.target),
                false => self.judge_loops(space),
            };
            if let Some(kind) = kind {
                self.find(kind, None);
            }
        }
        let mut edge = 0;
        for thread in 0..recall.moves.len() {
            edge = self.follow_moves(recall, thread, false, edge, space);
        }
    }

    /// Decodes the state being expanded into the machine, once per expansion.
    fn decode_state(&mut self, recall: &mut Recall, space: &Space) {
        if !recall.is_decoded {
            self.system.decode(space, self.at.state, &mut self.scratch);
            recall.is_decoded = true;
        }
    }

    /// Notes the edges by the memoized moves of a thread: by all of them, or by the ample ones only. `edge` is the number of
    /// the first; returns that of the next.
    fn follow_moves(
        &mut self,
        recall: &mut Recall,
        thread: usize,
        own_only: bool,
        mut edge: usize,
        space: &Space,
    ) -> usize {
        let moves = recall.moves[thread];
        for n in Memo::numbers(moves) {
            let After { by, to } = recall.memo.after(moves, n);
            edge += 1;
            // An ample set has only steps: `Begin` and `Flush` interact with other threads.
            if own_only && by.kind != Kind::Step {
                continue;
            }
            match to {
                Change::State { places, .. } if self.is_goal(recall, thread, places) => {
                    self.find(Found::Goal, Some(by));
                }
                Change::State { own, world, .. } => {
                    // The move changes the thread's component and the world, so two leaves of the tree.
                    recall.changed.copy(&recall.body);
                    let change = (thread, own, world);
                    let Recall { changed, recent, .. } = recall;
                    let to = space.changed(changed, change, recent);
                    to.defer(rank(self.at.position, edge), &mut self.pending);
                }
                Change::Found(number) => {
                    // The search keeps each distinct finding once, so a worker reports it once.
                    let (kind, reported) = &mut recall.found[number as usize];
                    if !std::mem::replace(reported, true) {
                        let kind = kind.clone();
                        self.find(kind, Some(by));
                    }
                }
                Change::Nowhere => {}
            }
        }
        edge
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
    fn learn(&mut self, recall: &mut Recall, key: Key, space: &Space) -> Moves {
        self.decode_state(recall, space);
        let thread = ThreadId(key.thread);
        let pc = self.system.machine.pc(thread);
        let is_own_business = self.system.is_own_business(thread);
        let (lingers, places) = (self.system.lingers(thread), self.system.places(thread));
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.thread_moves(thread, &mut moves);
        recall.afters.clear();
        let mut is_first = false;
        // Goals depend on several threads and are not memoized: `is_goal` checks them for each state.
        for by in &moves {
            let made = self.system.perform(*by);
            let is_forward = self.system.is_forward(thread, pc);
            let to = match self.judge(made) {
                Some(kind) => Change::Found(recall.remember(kind)),
                None if leads_nowhere(&self.system, *by, made) => Change::Nowhere,
                None => self.change(thread, space),
            };
            is_first |= is_own_business
                && by.kind == Kind::Step
                && match to {
                    Change::State { .. } => is_forward,
                    Change::Found(_) => true,
                    Change::Nowhere => false,
                };
            recall.afters.push(After { by: *by, to });
            self.system.go_back();
        }
        self.moves = moves;
        recall.memo.put(key, &recall.afters, ThreadInfo { is_first, lingers, places })
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

/// What moves from a state lead to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Reach {
    /// States in which the threads have not got on, or nothing.
    Nothing,
    /// A finding, or a state in which the thread has got on.
    Forward,
    /// Some of them need a name that does not exist yet.
    Nameless,
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
