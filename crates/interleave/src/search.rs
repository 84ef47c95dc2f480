//! The depth-first search of executions, with sleep sets and wakeup trees.
//!
//! All strategies that visit every trace share this loop. They differ in the actions that their [`Plan`] puts
//! into the wakeup trees. The stack is explicit: one [`Level`] per event of the current execution, plus one
//! for the next.
//!
//! Invariants: level `n` is the state before event `n`. The sleep sets are consecutive runs of
//! [`Search::sleepers`], in the order of the levels, so the sleep set of the newest level is at the end.

use crate::clock::ClockId;
use crate::event::{ANY, Action, Class, Condition, Identity, Turn};
use crate::limits::Watch;
use crate::observe::{Observers, Visitor, Watching};
use crate::outcome::Outcomes;
use crate::race::Race;
use crate::record::Needed;
use crate::segment;
use crate::segment::{Crew, Offer, Reversals, Task};
use crate::strategy::{Mark, Plan};
use crate::system::{Moment, System, field};
use crate::wakeup::{Item, List, Trees};
use raddle_engine::{Buffering, Hire, Offers, Options};
use raddle_machine::{Needs, Status, StrongStore, ThreadId};
use smallvec::SmallVec;
use std::ops::ControlFlow;

/// A state of the current execution, with the branches that were explored and are to be explored from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    pub moment: Moment,
    /// The sleep set: a run of [`Search::sleepers`].
    pub sleep_start: u32,
    pub sleep_end: u32,
    /// Branches still to be explored.
    pub branches: List,
    /// The strategy's part of the state.
    plan: Mark,
}

pub(crate) struct Search<'p, 'o, P: Plan> {
    pub system: System<'p>,
    pub options: &'o Options,
    pub levels: Vec<Level>,
    pub sleepers: Vec<Action>,
    pub trees: Trees,
    pub plan: P,
    pub outcomes: Outcomes,
    pub watch: Watch,
    visitor: Option<Visitor<'o>>,
    /// The other workers, if there are some.
    pub crew: Option<&'o Crew<'o>>,
    /// The number of levels above the segment that is being searched, 0 for the first one; its place among the others;
    /// and the reversals that it has found for those levels.
    pub floor: usize,
    pub segment: Option<Offer>,
    /// The place of the last segment that has come to its end.
    pub ended: Option<Offer>,
    pub reversals: Reversals,
    /// Whether the search is on its way to the root of the segment, where nothing is planned.
    pub is_on_its_way: bool,
    /// Whether another worker goes on with the segment.
    pub has_left: bool,
    /// When subtrees are offered.
    pub offers: Offers,
    /// The subtree to which the segment was left, if this worker goes on there.
    pub next: Option<(Task, Offer)>,
    /// Starts the other workers, if they are not started yet.
    pub hire: Option<Hire<'o>>,
    /// Outcomes without an execution.
    pub nothing: Outcomes,
    /// Scratch buffers, kept to reuse their memory.
    pub races: Vec<Race>,
    pub sequence: Vec<Item>,
}

/// Visits the executions of a system.
pub(crate) fn visit<'o, P: Plan>(
    system: System<'_>,
    options: &'o Options,
    observers: Option<Observers<'o>>,
) -> Outcomes {
    let visitor = match observers.map(|observers| observers.visitors) {
        // The executions are counted in the order of the search by one worker.
        visitors @ (None | Some(Watching::Each(_)))
            if options.limits.keeper.keeps()
                || options.limits.workers > 1 && options.limits.executions.is_none() =>
        {
            let visitors = visitors.and_then(|visitors| match visitors {
                Watching::Each(visitors) => Some(visitors),
                Watching::All(_) => None,
            });
            return segment::visit::<P>(system, options, visitors);
        }
        None => None,
        Some(Watching::All(visitor)) => Some(visitor),
        Some(Watching::Each(visitors)) => Some(visitors()),
    };
    let mut search = Search::<P>::new(system, options, visitor, None);
    search.enter(List::EMPTY, 0);
    search.run();
    search.watch.finish(&search.outcomes.tally.summary);
    search.outcomes.stopped = search.watch.stopped();
    search.outcomes
}

impl<'p, 'o, P: Plan> Search<'p, 'o, P> {
    pub(crate) fn new(
        mut system: System<'p>,
        options: &'o Options,
        visitor: Option<Visitor<'o>>,
        crew: Option<&'o Crew<'o>>,
    ) -> Search<'p, 'o, P> {
        system.wants_races = P::REVERSES;
        let nothing = Outcomes::new(system.machine.program, options);
        Search {
            outcomes: nothing.clone(),
            nothing,
            system,
            options,
            levels: Vec::new(),
            sleepers: Vec::new(),
            trees: Trees::default(),
            plan: P::default(),
            watch: Watch::new(&options.limits),
            visitor,
            crew,
            floor: 0,
            segment: None,
            ended: None,
            reversals: Reversals::default(),
            is_on_its_way: false,
            has_left: false,
            offers: Offers::default(),
            next: None,
            hire: None,
            races: Vec::new(),
            sequence: Vec::new(),
        }
    }

    /// Searches the current segment, and those that follow it without a gap, up to the end of the search, a limit, or
    /// a leaf that another worker explores.
    pub(crate) fn run(&mut self) {
        loop {
            if !self.advance() {
                if self.outcomes.is_decided() || self.has_left || !self.retreat() {
                    return;
                }
                if self.watch.is_over(&self.outcomes.tally.summary) {
                    return self.save_at_limit();
                }
                if let Some(crew) = self.crew
                    && !self.cooperate(crew)
                {
                    return;
                }
            }
        }
    }

    /// Adds the level for the current state. `branches` are planned from it, and the sleepers from
    /// `sleep_start` on are asleep in it.
    #[inline(always)]
    pub(crate) fn enter(&mut self, branches: List, sleep_start: u32) {
        self.levels.push(Level {
            moment: self.system.moment(),
            sleep_start,
            sleep_end: self.sleepers.len() as u32,
            branches,
            plan: self.plan.mark(),
        });
    }

    /// Performs one more event. False if the execution is at its end or is abandoned.
    fn advance(&mut self) -> bool {
        let depth = self.levels.len() - 1;
        if self.watch.is_spent() {
            return false;
        }
        loop {
            let planned = self.trees.pop(&mut self.levels[depth].branches);
            let Some(branch) = planned else {
                let Some(turn) = P::choose(self, depth) else { return false };
                let Some(turn) = self.resolved(depth, turn) else {
                    self.outcomes.tally.summary.redundant += 1;
                    return false;
                };
                self.explore(depth, turn, List::EMPTY);
                return true;
            };
            if !branch.is_offered() || self.reach(depth, branch) {
                if let Some(turn) = self.planned(depth, branch.turn) {
                    self.explore(depth, turn, branch.below);
                    return true;
                }
                self.outcomes.tally.summary.redundant += 1;
            }
            // The branch led nowhere, or another worker has explored it; the next one may be here, too.
            let none_left = self.levels[depth].branches.is_empty();
            if none_left || self.has_left || self.outcomes.is_decided() {
                return false;
            }
        }
    }

    /// A planned turn as it can be taken from the newest level, which is at `depth`; `None` if it cannot.
    #[inline(always)]
    pub(crate) fn planned(&self, depth: usize, turn: Turn) -> Option<Turn> {
        // Formatting reads memory without an event. So a branch that was planned behind a formatted
        // text may be disabled here, because the text, and with it the path of the thread, differs.
        if self.system.machine.code().has_formats && !self.system.is_enabled(&turn) {
            return None;
        }
        self.resolved(depth, turn)
    }

    /// A turn whose open choice becomes the first alternative that is not asleep; `None` if all are.
    #[inline(always)]
    fn resolved(&self, depth: usize, turn: Turn) -> Option<Turn> {
        match turn.choice {
            ANY => Some(Turn { choice: self.awake_choice(depth, turn)?, ..turn }),
            _ => Some(turn),
        }
    }

    /// Whether an action, or at least one of its alternatives, is not asleep at the newest level, which is at
    /// `depth`. A sleeping action was explored from an earlier state and conflicts with nothing since: all
    /// executions that begin with it here are known. So [`Plan::choose`] may pick awake actions only.
    #[inline(always)]
    pub(crate) fn is_awake(&self, depth: usize, turn: &Turn) -> bool {
        let Level { sleep_start, sleep_end, .. } = self.levels[depth];
        // Most sleep sets are empty.
        if sleep_start == sleep_end {
            return true;
        }
        let asleep = &self.sleepers[sleep_start as usize..sleep_end as usize];
        match turn.choice {
            ANY => self.awake_choice(depth, *turn).is_some(),
            _ => !asleep.iter().any(|sleeper| sleeper.is_turn(turn)),
        }
    }

    /// The first alternative of an action that is not asleep.
    #[cold]
    fn awake_choice(&self, depth: usize, turn: Turn) -> Option<u32> {
        let Level { sleep_start, sleep_end, .. } = self.levels[depth];
        let asleep = &self.sleepers[sleep_start as usize..sleep_end as usize];
        let thread = turn.thread;
        let count = self.system.machine.choice_count(thread);
        let mut choices = (0..count).map(|n| self.system.machine.nth_choice(thread, n));
        choices.find(|choice| {
            let alternative = Turn { choice: *choice, ..turn };
            !asleep.iter().any(|sleeper| sleeper.is_turn(&alternative))
        })
    }

    /// Performs an action at the newest level, plans the reversals of its races and enters the next level.
    pub(crate) fn explore(&mut self, depth: usize, turn: Turn, below: List) {
        // Read before the event: it moves the thread past the operation that has these alternatives,
        // and it advances the thread's clock.
        let others = match turn.is_alternative() && self.system.wants_races {
            true => Some(self.other_choices(turn)),
            false => None,
        };
        self.races.clear();
        self.system.perform(turn, &mut self.races);
        self.outcomes.tally.summary.events += 1;
        self.system.apply_event_bound(self.options.limits.events);
        // Before the races of this event: a race that one of them defers needs no second try now.
        P::reconsider(self);
        // By index: `reverse` borrows the whole search, but does not touch `races`.
        for n in 0..self.races.len() {
            let race = self.races[n];
            if self.system.budget().is_spent() {
                break;
            }
            let last = moved(&self.system, depth, race.earlier);
            P::reverse(self, race, last);
        }
        if let Some((base, others)) = others {
            for choice in others {
                // An alternative counts as the step of another process, which this event disables.
                let needs = Needed::of(base);
                let race = Race { earlier: depth as u32, needs, happened: None };
                let last = Action { choice, ..self.system.events[depth].action };
                P::reverse(self, race, last);
            }
        }
        let sleep_start = self.sleepers.len() as u32;
        self.stay_asleep(depth);
        self.enter(below, sleep_start);
    }

    /// Appends the sleep set of the next level: the sleepers of this level that are independent of the event.
    #[inline(always)]
    fn stay_asleep(&mut self, depth: usize) {
        let event = &self.system.events[depth].action;
        let Level { sleep_start, sleep_end, .. } = self.levels[depth];
        for n in sleep_start as usize..sleep_end as usize {
            let sleeper = &self.sleepers[n];
            // The copies go behind the run of this level, which `retreat` needs unchanged.
            if Self::stays_asleep(sleeper, event) {
                let mut sleeper = *sleeper;
                sleeper.after(event);
                self.sleepers.push(sleeper);
            }
        }
    }

    /// Whether a sleeper sleeps on after an event. One that conflicts with the event wakes up: its order after the
    /// event is new.
    #[inline(always)]
    pub(crate) fn stays_asleep(sleeper: &Action, event: &Action) -> bool {
        !sleeper.same_process(event) && !sleeper.conflicts(event)
    }

    /// Goes back to the newest level that has a branch left. False if no level has one.
    fn retreat(&mut self) -> bool {
        if self.levels.len() > self.floor {
            self.levels.pop();
        }
        loop {
            while self.levels.len() > self.floor
                && self.levels.last().is_some_and(|level| level.branches.is_empty())
            {
                self.levels.pop();
            }
            if self.levels.len() > self.floor {
                break;
            }
            if !self.go_on_above() {
                return false;
            }
        }
        let Some(level) = self.levels.last_mut() else { return false };
        // The event that was performed at this level. Read it first: going back removes it.
        let explored = self.system.events.get(level.moment.events as usize);
        let Some(explored) = explored.map(|event| event.action) else { return true };
        self.system.go_back(level.moment);
        // Now the sleep set of this level ends the vector, so it can grow in place.
        self.sleepers.truncate(level.sleep_end as usize);
        self.plan.restore(level.plan);
        if P::REVERSES {
            self.sleepers.push(explored);
            level.sleep_end += 1;
        }
        true
    }

    /// The thread's clock, and the alternatives before and after the chosen one. These two are enough: each
    /// plans its own neighbours when it is performed.
    #[cold]
    fn other_choices(&self, turn: Turn) -> (ClockId, SmallVec<[u32; 2]>) {
        let thread = turn.thread;
        let count = self.system.machine.choice_count(thread);
        // The alternatives of a choice are their own numbers; those of a signal are found by a search.
        let at = match self.system.machine.nth_choice(thread, turn.choice) == turn.choice {
            true => Some(turn.choice),
            false => (0..count).find(|n| self.system.machine.nth_choice(thread, *n) == turn.choice),
        };
        let neighbours = at.map(|at| [at.checked_sub(1), Some(at + 1).filter(|n| *n < count)]);
        let neighbours = neighbours.into_iter().flatten().flatten();
        let others = neighbours.map(|n| self.system.machine.nth_choice(thread, n)).collect();
        (self.system.clock(thread, field::CLOCK), others)
    }

    /// Picks an action that is not asleep. `None` if there is none: then the execution has been counted, as
    /// redundant if something enabled is asleep.
    #[inline(always)]
    pub(crate) fn choose_awake(&mut self, depth: usize) -> Option<Turn> {
        let mut some_asleep = false;
        let last = self.system.events.last().map(|event| event.action.thread);
        // The thread of the newest event continues if it can. Otherwise the spawned threads are tried in
        // order, then the initial threads: a thread that has spawned others mostly waits for them.
        if let Some(thread) = last {
            let next = self.next_of(depth, thread, &mut some_asleep);
            if next.is_some() {
                return next;
            }
        }
        let machine = &self.system.machine;
        let (initial, count) = (machine.program.threads.len() as u32, machine.thread_count());
        for n in initial..initial + count {
            let thread = ThreadId(if n < count { n } else { n - count });
            if Some(thread) != last {
                let next = self.next_of(depth, thread, &mut some_asleep);
                if next.is_some() {
                    return next;
                }
            }
        }
        if some_asleep {
            // Every enabled action is asleep: another execution covers this one. The waiting threads
            // still race with its events, and this is the last state in which that can be seen.
            self.outcomes.tally.summary.redundant += 1;
            self.reverse_waiting();
        } else {
            self.end();
        }
        None
    }

    /// An enabled action of a thread or of its buffer that is not asleep. The step of the thread comes
    /// first: events before an update are not repeated when a race moves the update.
    #[inline(always)]
    fn next_of(&self, depth: usize, thread: ThreadId, some_asleep: &mut bool) -> Option<Turn> {
        if let Some(turn) = self.system.enabled_step(thread) {
            if self.is_awake(depth, &turn) {
                return Some(turn);
            }
            *some_asleep = true;
        }
        match self.system.rules.buffering {
            Buffering::None => None,
            Buffering::Fifo => {
                let turn = self.system.oldest_update(thread)?;
                let awake = self.is_awake(depth, &turn);
                *some_asleep |= !awake;
                awake.then_some(turn)
            }
            Buffering::PerLocation => {
                let mut updates = self.system.enabled_updates(thread);
                updates.find(|turn| {
                    let awake = self.is_awake(depth, turn);
                    *some_asleep |= !awake;
                    awake
                })
            }
        }
    }

    /// Counts the execution, which is at its end. If the budget is spent, the execution may have been cut
    /// anywhere, and it is not counted.
    pub(crate) fn end(&mut self) {
        if self.watch.is_spent() {
            return;
        }
        if let Some(visit) = &mut self.visitor
            && let ControlFlow::Break(found) = self.system.visited(visit)
        {
            self.outcomes.find(found);
        }
        // The visitor may have used up the time.
        if self.watch.is_spent() {
            return;
        }
        if self.system.all_finished() {
            return self.outcomes.complete(&self.system);
        }
        for thread in self.system.machine.thread_ids() {
            if let Some((action, _)) = waits_for_value(&self.system, thread) {
                self.system.check_wait(&action);
            }
        }
        self.outcomes.end(&mut self.system);
        let machine = &self.system.machine;
        let waits = machine.thread_ids().any(|id| machine.status(id) == Status::Ready);
        if waits && self.system.wants_races {
            self.reverse_waiting();
        }
    }

    /// Reverses the races of the threads that wait: each operation could have happened before the event that
    /// makes it wait.
    fn reverse_waiting(&mut self) {
        for thread in self.system.machine.thread_ids() {
            if let Some((action, needs)) = waits_for_value(&self.system, thread)
                && let Some(race) = self.system.waiting_race(&action, needs)
            {
                P::reverse(self, race, action);
            }
        }
    }
}

/// The action of an event as it would be right before an earlier one. A conditional write may read instead,
/// and the other way round. An action with alternatives may take any of them.
fn moved(system: &System<'_>, event: usize, earlier: u32) -> Action {
    let event = &system.events[event];
    let mut action = event.action;
    // Without a detail the action is neither conditional nor one of several alternatives.
    if event.detail == 0 {
        return action;
    }
    let detail = system.detail(event);
    let earlier = &system.events[earlier as usize];
    // Right before the earlier write, memory holds the value that this write replaced.
    if earlier.action.class == Class::Write {
        let write_if = |writes| if writes { Class::Write } else { Class::Read };
        action.class = match detail.condition {
            Condition::Fixed => action.class,
            Condition::Unless(class) => class,
            Condition::FindsSomething => write_if(!system.detail(earlier).fresh),
            Condition::Finds(value) => {
                let earlier = system.detail(earlier);
                write_if(!earlier.fresh && earlier.old == value)
            }
            Condition::After(0) => write_if(earlier.source == Identity::INITIAL),
            Condition::After(write) => {
                write_if(earlier.source == system.events[write as usize - 1].identity())
            }
        };
    }
    if detail.open {
        action.choice = ANY;
    }
    action
}

/// The operation of a thread that waits for a value in memory, and the condition on that value.
pub(crate) fn waits_for_value(system: &System<'_>, thread: ThreadId) -> Option<(Action, Needs)> {
    // A thread that waits for its buffer to empty is not at an operation yet.
    if system.machine.status(thread) != Status::Ready || system.get(thread, field::DRAINING) != 0 {
        return None;
    }
    let visible = system.machine.visible(thread);
    let (_, needs) = visible.needs()?;
    if visible.needs_empty_buffer(StrongStore::DrainsAfter) && !system.is_drained(thread) {
        return None;
    }
    Some((system.action(thread, visible), needs))
}
