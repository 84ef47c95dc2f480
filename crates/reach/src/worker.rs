//! One worker of a search: makes the moves from a state, looks at what they lead to, and adds it to the
//! space.
//!
//! It does so by its machine, or, where moves concern little enough to be remembered ([`crate::memo`]),
//! from memory.

use crate::alone::Alone;
use crate::judge::{deadlock, judge, judge_end, leads_nowhere};
use crate::memo::{After, Change, Key, Memo, Moves, Own};
use crate::moves::{Kind, Move};
use crate::perform::Made;
use crate::recent::Recent;
use crate::roots::Pending;
use crate::search::{Finding, Found, Target};
use crate::space::{Row, Scratch, Space, StateId};
use crate::system::System;
use crate::tree::Tree;
use raddle_ir::LocId;
use raddle_machine::{Fault, ThreadId};

#[derive(Debug)]
pub(crate) struct Worker<'p> {
    pub system: System<'p>,
    /// What was new, since someone took it.
    pub fresh: Vec<StateId>,
    target: Target,
    moves: Vec<Move>,
    row: Row,
    scratch: Scratch,
    pub unsupported: Option<(Fault, LocId)>,
    pub cut: Option<LocId>,
    /// A thread of which it is not known whether it waits for ever.
    pub undecided: Option<LocId>,
    alone: Alone,
    memory: Option<Recall>,
}

/// What a worker needs that remembers moves.
#[derive(Debug, Default)]
struct Recall {
    memo: Memo,
    /// What moves have led to, and whether it was told.
    found: Vec<(Found, bool)>,
    /// The state that is expanded: its body, and the moves of its threads.
    body: Tree,
    moves: Vec<Moves>,
    /// A body to change.
    changed: Tree,
    recent: Recent,
    pending: Pending,
    afters: Vec<After>,
    /// Whether the machine is in the state that is expanded.
    is_decoded: bool,
}

impl<'p> Worker<'p> {
    pub fn new(system: System<'p>, target: Target) -> Worker<'p> {
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

    /// Makes the moves from a state; gives what is found. What is new may show only when the worker
    /// [settles](Worker::settle).
    ///
    /// Where a thread's moves are its own business, they are enough, as long as they lead to a state
    /// that is new: the moves of the others, which are put off, are made from there or later. Else
    /// they would be put off for ever around a cycle.
    pub fn expand(&mut self, state: StateId, space: &Space) -> Vec<Finding> {
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

    /// Adds what was put off.
    pub fn settle(&mut self, space: &Space) {
        if let Some(recall) = &mut self.memory {
            space.add_all(&mut recall.pending, &mut self.fresh);
        }
    }

    /// Bytes that it has remembered moves in.
    pub fn bytes(&self) -> usize {
        self.alone.bytes() + self.memory.as_ref().map_or(0, |recall| recall.memo.bytes())
    }

    // ---- by the machine ----

    fn run(&mut self, state: StateId, space: &Space, found: &mut Vec<Finding>) {
        self.system.decode(space, state, &mut self.scratch);
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.own_moves(&mut moves);
        let seen = self.fresh.len();
        self.make_moves(state, &moves, space, found);
        if self.fresh.len() == seen && found.is_empty() {
            moves.clear();
            self.system.moves(&mut moves);
            let what = match moves.iter().any(Move::is_of_program) {
                true => self.judge_loops(space),
                false => judge_end(&self.system, self.target),
            };
            found.extend(what.map(|what| Finding { what, from: state, by: None }));
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
            let what = self.judge(made).or_else(|| self.system.is_goal().then_some(Found::Goal));
            match what {
                Some(what) => found.push(Finding { what, from: state, by: Some(*by) }),
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

    /// What a state is, which the machine is in, if its moves only go round loops.
    fn judge_loops(&mut self, space: &Space) -> Option<Found> {
        if self.target != Target::Failures || !self.system.may_wait_in_loops() {
            return None;
        }
        match self.alone.waits(&mut self.system, space, &mut self.scratch) {
            Ok(waits) => waits.then(|| deadlock(&self.system)),
            Err(thread) => {
                self.undecided = self.undecided.or(Some(self.system.machine.loc(thread)));
                None
            }
        }
    }

    /// What a move that was just made led to; what it could not run is noted.
    fn judge(&mut self, made: Made) -> Option<Found> {
        self.cut = self.cut.or(self.system.cut);
        let (what, unsupported) = judge(&self.system, self.target, made);
        if self.unsupported.is_none() {
            self.unsupported = unsupported;
        }
        what
    }

    // ---- from memory ----

    fn recall(
        &mut self,
        recall: &mut Recall,
        state: StateId,
        space: &Space,
        found: &mut Vec<Finding>,
    ) {
        recall.memo.make_room();
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
        let seen = self.fresh.len();
        if let Some(thread) = recall.moves.iter().position(|moves| moves.own.is_first) {
            self.follow_moves(recall, thread, true, state, space, found);
        }
        if self.fresh.len() > seen || !found.is_empty() {
            return;
        }
        let idle = |moves: &Moves| moves.is_stuck || moves.own.lingers;
        if recall.moves.iter().all(idle) && self.target != Target::Rules {
            self.decode_state(recall, state, space);
            let what = match recall.moves.iter().all(|moves| moves.is_stuck) {
                true => judge_end(&self.system, self.target),
                false => self.judge_loops(space),
            };
            found.extend(what.map(|what| Finding { what, from: state, by: None }));
        }
        for thread in 0..recall.moves.len() {
            self.follow_moves(recall, thread, false, state, space, found);
        }
    }

    /// Puts the state that is expanded into the machine.
    fn decode_state(&mut self, recall: &mut Recall, state: StateId, space: &Space) {
        if !recall.is_decoded {
            self.system.decode(space, state, &mut self.scratch);
            recall.is_decoded = true;
        }
    }

    /// Goes where the moves of a thread lead: all, or those that are its own business.
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
            if own_only && by.kind != Kind::Step {
                continue;
            }
            match to {
                Change::State { places, .. } if self.is_goal(recall, thread, places) => {
                    found.push(Finding { what: Found::Goal, from: state, by: Some(by) });
                }
                Change::State { own, world, .. } => {
                    recall.changed.copy(&recall.body);
                    let change = (thread, own, world);
                    let Recall { changed, recent, pending, .. } = recall;
                    let to = space.changed(changed, change, recent);
                    if !own_only {
                        to.put_off(state, pending);
                    } else if space.add(to, state) {
                        self.fresh.push(to);
                    }
                }
                Change::Found(number) => {
                    let (what, told) = &mut recall.found[number as usize];
                    if !std::mem::replace(told, true) {
                        found.push(Finding { what: what.clone(), from: state, by: Some(by) });
                    }
                }
                Change::Nowhere => {}
            }
        }
    }

    /// Whether a goal is reached by a thread that is at these places.
    fn is_goal(&self, recall: &Recall, thread: usize, places: u64) -> bool {
        if places == 0 {
            return false;
        }
        let others = recall.moves.iter().enumerate().filter(|(other, _)| *other != thread);
        self.system.is_goal_at(others.fold(places, |all, (_, moves)| all | moves.own.places))
    }

    /// Finds out what a thread can do, by the machine.
    fn learn(&mut self, recall: &mut Recall, key: Key, state: StateId, space: &Space) -> Moves {
        self.decode_state(recall, state, space);
        let thread = ThreadId(key.thread);
        let own = Own {
            is_first: self.system.is_own_business(thread),
            lingers: self.system.lingers(thread),
            places: self.system.places(thread),
        };
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.system.thread_moves(thread, &mut moves);
        recall.afters.clear();
        for by in &moves {
            let made = self.system.perform(*by);
            let to = match self.judge(made) {
                Some(what) => Change::Found(recall.remember(what)),
                None if leads_nowhere(&self.system, *by, made) => Change::Nowhere,
                None => self.change(thread, space),
            };
            recall.afters.push(After { by: *by, to });
            self.system.go_back();
        }
        self.moves = moves;
        recall.memo.put(key, &recall.afters, own)
    }

    /// The state that the machine has come to by a move.
    fn change(&mut self, thread: ThreadId, space: &Space) -> Change {
        let row = &mut self.row;
        self.system.encode(row);
        let own = space.number(row.component(thread.0 as usize));
        let world = space.world(row, &mut self.scratch);
        Change::State { own, world, places: self.system.places(thread) }
    }
}

impl Recall {
    fn key(&self, thread: ThreadId) -> Key {
        let leaves = self.body.leaves();
        let world = leaves[leaves.len() - 1];
        Key { thread: thread.0, own: leaves[thread.0 as usize], world }
    }

    /// The number of something that a move has led to.
    fn remember(&mut self, what: Found) -> u32 {
        let known = self.found.iter().position(|(known, _)| *known == what);
        let number = known.unwrap_or_else(|| {
            self.found.push((what, false));
            self.found.len() - 1
        });
        number as u32
    }
}
