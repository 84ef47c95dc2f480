//! Lazy TSO reachability: paper 004, algorithm 1, and the robustness oracle of its section 4.
//!
//! The extension differs from the paper's in what it is by. The paper extends the program by one path
//! from a store to a load at a time; here it is extended by the store instruction, whatever path
//! follows. `S` is the set of such stores. In the extended program `R`, a store in `S`, and every store
//! as long as others of the thread are delayed, goes to the thread's own list instead of to memory;
//! its loads look there first; at any time the oldest of the list goes to memory, by a store that a
//! fence follows; what empties a store buffer waits until the list is empty.
//!
//! - Every SC computation of `R` is a TSO computation of the program: the list is a store buffer. So
//!   what is found is there.
//! - Every TSO computation of the program is one of `R` under TSO: the buffer of a thread is its own
//!   buffer in `R`, followed by the list. So `R` reaches under TSO what the program does.
//! - If no attack on `R` succeeds, `R` is robust and reaches under TSO what it does under SC (lemmas
//!   5 and 6), so the answer "unreachable" is right. Stores in `S` and those of the list cannot be
//!   delayed any further in `R`, so an attack always brings a new store, and the number of rounds
//!   is at most the number of stores of the program.
//!
//! So this is the superset extension of section 5, and exact as that of section 3 is. Several attacks
//! that are found equally early extend the program together. The paper asks for the goal first and then
//! for an attack. Both go through the SC states of the program, so here one search asks for both: a
//! program is extended as soon as an attack is found, and what is not reached within the last query,
//! in which no attack succeeds, is not reachable. What can be without end is a single
//! query: where a loop stores without a fence, lists may grow. Their length is bounded, and a query
//! that met the bound without an answer is asked again with twice the bound.
//!
//! The sole right to write memory ([`Program::memory_lock`]) is not in the paper. Under SC a thread waits with
//! its stores while another has it; under TSO it goes on, whether or not a load follows. It can then reach a goal, a
//! failure or its end under TSO only, as long as its buffer need not be empty. `S` has the stores with a goal or a failure ahead from the start, and those with which threads would wait
//! for ever as soon as they are found.

use crate::api::{
    Answer, Attacks, Effort, End, FeasibleAttack, Reachability, Reached, Robust, Robustness,
    Unknown,
};
use crate::delayable::{Delayable, Sought};
use crate::path::{Manner, schedule};
use crate::rules::Rules;
use crate::search::{Finding, Found, Outcome, Search, Target};
use raddle_engine::{Buffering, Engine, FailureKind, FailureSite, Limits, Options, Step};
use raddle_ir::{InstKind, LocId, Order, Program, Verified};
use raddle_machine::code::{Op, Pc};
use raddle_machine::{Bounds, Fault, Unroll};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

/// Whether the program can fail, or, if goals are asked for and it has goals, whether one can be reached.
pub fn reach(program: &Verified, options: &Options) -> Reachability {
    let mut asker = Asker::new(program, options);
    let answer = match asker.manner() {
        Ok(Manner::Sc) => asker.reach_sc(),
        Ok(Manner::Tso | Manner::TsoDrained) => asker.reach_tso(),
        Err(unknown) => Answer::Unknown(unknown),
    };
    Reachability { answer, effort: asker.effort() }
}

/// Whether the program behaves under TSO as it does under SC.
pub fn robust(program: &Verified, options: &Options) -> Robustness {
    let mut asker = Asker::new(program, options);
    let verdict = match asker.attacked(&FxHashSet::default(), 0, false) {
        Err(unknown) => Robust::Unknown(unknown),
        Ok(attacked) => match attacked.found.into_iter().next() {
            Some(first) => Robust::Attacked(first.attack),
            None => Robust::Robust,
        },
    };
    Robustness { verdict, effort: asker.effort() }
}

/// Every attack that succeeds.
pub fn attacks(program: &Verified, options: &Options) -> Attacks {
    let mut asker = Asker::new(program, options);
    let (feasible, unknown) = match asker.attacked(&FxHashSet::default(), 0, true) {
        Ok(attacked) => (attacked.found, attacked.unknown),
        Err(unknown) => (Vec::new(), Some(unknown)),
    };
    let feasible = feasible.into_iter().map(|found| found.attack).collect();
    Attacks { feasible, unknown, effort: asker.effort() }
}

/// Puts queries and adds up what they take.
pub(crate) struct Asker<'p, 'o> {
    pub program: &'p Verified,
    options: &'o Options,
    start: Instant,
    effort: Effort,
}

pub(crate) struct FoundAttack {
    pub store: Pc,
    attack: FeasibleAttack,
}

/// What a search for attacks came to.
pub(crate) struct Attacked {
    pub found: Vec<FoundAttack>,
    /// Why there may be more.
    unknown: Option<Unknown>,
    /// Whether stores were not delayed for want of room.
    pub capped: bool,
}

/// What a query came to.
enum Query {
    Found(Reached),
    /// Attacks by these stores succeed, or threads wait with them as they would not under TSO.
    Attacked(Vec<Pc>),
    Nothing,
    /// Nothing was found, and stores were not delayed for want of room.
    Capped,
    Unknown(Unknown),
}

impl<'p> Asker<'p, '_> {
    pub fn new<'o>(program: &'p Verified, options: &'o Options) -> Asker<'p, 'o> {
        Asker { program, options, start: Instant::now(), effort: Effort::default() }
    }

    pub fn effort(&self) -> Effort {
        Effort { elapsed: self.start.elapsed(), ..self.effort }
    }

    /// How the model's schedules are made from paths.
    pub fn manner(&self) -> Result<Manner, Unknown> {
        match self.options.model.buffering() {
            Some(Buffering::None) => Ok(Manner::Sc),
            Some(Buffering::Fifo) => Ok(Manner::Tso),
            Some(Buffering::PerLocation) | None => {
                let fault = Engine::Reach.lacks(self.options.model);
                let message = fault.map_or(String::new(), |fault| fault.message);
                Err(Unknown::Unsupported(message, LocId::NONE))
            }
        }
    }

    fn reach_sc(&mut self) -> Answer {
        match self.query(&FxHashSet::default(), 0, Manner::Sc) {
            Query::Found(witness) => Answer::Reachable(witness),
            Query::Nothing | Query::Capped | Query::Attacked(_) => Answer::Unreachable,
            Query::Unknown(unknown) => Answer::Unknown(unknown),
        }
    }

    fn reach_tso(&mut self) -> Answer {
        let mut delayable = match self.kept_while_shut_out() {
            Ok(delayable) => delayable,
            Err(fault) => return Answer::Unknown(self.cannot_start(fault)),
        };
        let mut cap = first_cap(self.program);
        loop {
            match self.query(&delayable, cap, Manner::Tso) {
                Query::Found(witness) => return Answer::Reachable(witness),
                Query::Attacked(stores) => delayable.extend(stores),
                Query::Nothing => return Answer::Unreachable,
                Query::Capped => match self.doubled_cap(cap) {
                    Ok(more) => cap = more,
                    Err(unknown) => return Answer::Unknown(unknown),
                },
                Query::Unknown(unknown) => return Answer::Unknown(unknown),
            }
        }
    }

    /// The stores that a thread may keep to itself because another has the sole right to write memory, on
    /// its way to a goal or a failure: it is not a load that they are delayed past.
    fn kept_while_shut_out(&self) -> Result<FxHashSet<Pc>, Fault> {
        if self.program.memory_lock.is_none() {
            return Ok(FxHashSet::default());
        }
        let search = self.search(&Rules::default(), Target::Rules)?;
        let code = search.system().machine.code();
        let sought = if self.asks_for_goals() { Sought::Goal } else { Sought::Failure };
        let ahead = Delayable::new(code, sought);
        let stores = (0..code.ops.len() as u32).map(Pc).filter(|pc| {
            let op = code.ops[pc.0 as usize];
            matches!(op, Op::Store { access, .. } if access.order != Order::SeqCst)
        });
        Ok(stores.filter(|pc| ahead.is_ahead(pc.next())).collect())
    }

    fn asks_for_goals(&self) -> bool {
        !self.program.goals.is_empty() && self.options.checks.goals
    }

    /// Twice as many stores to delay, if that is allowed.
    pub fn doubled_cap(&self, cap: usize) -> Result<usize, Unknown> {
        match cap >= self.options.limits.delayed_stores {
            true => Err(Unknown::Delayed(cap)),
            false => Ok((cap * 2).min(self.options.limits.delayed_stores)),
        }
    }

    /// Asks for the goals, or for failures; under TSO for attacks by further stores as well, in the
    /// same search: whichever comes first.
    fn query(&mut self, delayable: &FxHashSet<Pc>, cap: usize, manner: Manner) -> Query {
        let goals = self.asks_for_goals();
        let target = if goals { Target::Rules } else { Target::Failures };
        let delayable = Arc::new(delayable.clone());
        let attacks = manner != Manner::Sc;
        let rules = Rules { delayable, cap, attacks, goals, ..Rules::default() };
        let mut search = match self.search(&rules, target) {
            Ok(search) => search,
            Err(fault) => return Query::Unknown(self.cannot_start(fault)),
        };
        let outcome = search.run();
        self.count(&outcome);
        let extends = |finding: &&Finding| {
            matches!(finding.what, Found::Attack { .. } | Found::ShutOut { .. })
        };
        if let Some(finding) = outcome.found.iter().find(|finding| !extends(finding)) {
            return match self.witness(&search, &rules, finding, manner) {
                Some(witness) => Query::Found(witness),
                None => Query::Unknown(self.lost()),
            };
        }
        let stores = outcome.found.iter().filter_map(|finding| match finding.what {
            Found::Attack { store, .. } | Found::ShutOut { store } => Some(store),
            _ => None,
        });
        let stores: Vec<Pc> = stores.collect();
        match (unknown(&outcome), outcome.capped) {
            _ if outcome.ended.is_none() && !stores.is_empty() => Query::Attacked(stores),
            (Some(unknown), _) => Query::Unknown(unknown),
            (None, true) => Query::Capped,
            (None, false) => Query::Nothing,
        }
    }

    /// Asks for attacks by stores that are not in `delayable`: the first found, or all.
    pub fn attacked(
        &mut self,
        delayable: &FxHashSet<Pc>,
        cap: usize,
        all: bool,
    ) -> Result<Attacked, Unknown> {
        let delayable = Arc::new(delayable.clone());
        let rules = Rules { delayable, cap, attacks: true, ..Rules::default() };
        let mut search =
            self.search(&rules, Target::Rules).map_err(|fault| self.cannot_start(fault))?;
        if all {
            search = search.find_all();
        }
        let outcome = search.run();
        self.count(&outcome);
        let attack = |finding| self.attack(&search, &rules, finding);
        let found: Vec<FoundAttack> = outcome.found.iter().filter_map(attack).collect();
        match unknown(&outcome) {
            Some(unknown) if found.is_empty() => Err(unknown),
            unknown => Ok(Attacked { found, unknown, capped: outcome.capped }),
        }
    }

    pub fn search(&self, rules: &Rules, target: Target) -> Result<Search<'p>, Fault> {
        let workers = self.options.workers;
        Search::new(self.program, self.bounds(), rules.clone(), target, workers)
    }

    pub fn count(&mut self, outcome: &Outcome) {
        self.effort.queries += 1;
        self.effort.states += outcome.states;
        if outcome.states >= self.effort.largest {
            self.effort.largest = outcome.states;
            self.effort.bytes = outcome.bytes;
        }
    }

    /// Why a search does not start.
    pub fn cannot_start(&self, fault: Fault) -> Unknown {
        let unsupported = Unknown::Unsupported(fault.message, LocId::NONE);
        self.options.limits.budget.spent().map_or(unsupported, Unknown::Spent)
    }

    /// Why there is no schedule for what was found.
    pub fn lost(&self) -> Unknown {
        let message = "a way that was found cannot be gone again".to_owned();
        let unsupported = Unknown::Unsupported(message, LocId::NONE);
        self.options.limits.budget.spent().map_or(unsupported, Unknown::Spent)
    }

    fn bounds(&self) -> Bounds {
        let Limits { local_steps: steps, budget, .. } = self.options.limits.clone();
        Bounds { steps, unroll: Unroll::NONE, spin: true, budget }
    }

    /// A schedule that leads to what was found.
    pub fn schedule(
        &self,
        search: &Search<'p>,
        rules: &Rules,
        finding: &Finding,
        manner: Manner,
    ) -> Option<Vec<Step>> {
        let (moves, machine) = (search.path(finding), &search.system().machine);
        // A finding is worth some more time, even if none is left for the search.
        let bounds = self.bounds();
        let bounds = Bounds { budget: bounds.budget.for_report(), ..bounds };
        schedule(self.program, bounds, rules, machine, &moves, manner)
    }

    fn witness(
        &self,
        search: &Search<'p>,
        rules: &Rules,
        finding: &Finding,
        manner: Manner,
    ) -> Option<Reached> {
        let steps = self.schedule(search, rules, finding, manner)?;
        let machine = &search.system().machine;
        let end = match &finding.what {
            Found::Goal => End::Goal,
            Found::Failed { thread, fault, loc } => {
                let (thread, message) = (machine.thread_name(*thread), fault.message.clone());
                End::Failure(FailureSite::new(fault.kind.into(), thread, *loc, message))
            }
            // The replay says who waits for what.
            Found::Deadlock => End::Failure(FailureSite::new(
                FailureKind::Deadlock,
                "",
                LocId::NONE,
                "threads wait for ever".to_owned(),
            )),
            Found::Attack { .. } | Found::ShutOut { .. } | Found::Final(_) => return None,
        };
        Some(Reached { end, schedule: steps })
    }

    fn attack(&self, search: &Search<'p>, rules: &Rules, finding: &Finding) -> Option<FoundAttack> {
        let Found::Attack { thread, store, load } = finding.what else { return None };
        let steps = self.schedule(search, rules, finding, Manner::TsoDrained)?;
        let machine = &search.system().machine;
        let attack = FeasibleAttack {
            number: thread.0,
            thread: machine.thread_name(thread).to_owned(),
            store: machine.point_of(store),
            load: machine.point_of(load),
            schedule: steps,
        };
        Some(FoundAttack { store, attack })
    }
}

pub(crate) fn unknown(outcome: &Outcome) -> Option<Unknown> {
    if let Some((fault, loc)) = &outcome.unsupported {
        return Some(Unknown::Unsupported(fault.message.clone(), *loc));
    }
    let ended = outcome.ended.map(Unknown::from).or(outcome.cut.map(Unknown::LocalSteps));
    ended.or(outcome.undecided.map(Unknown::Waiting))
}

/// How many stores a thread may delay at first: enough to go twice past every store there is.
pub(crate) fn first_cap(program: &Program) -> usize {
    let blocks = program.funcs.values().flat_map(|func| func.blocks.values());
    let stores = blocks.flat_map(|block| &block.insts);
    let stores = stores.filter(|inst| matches!(inst.kind, InstKind::Store { .. })).count();
    (2 * stores + 2).clamp(4, 512)
}
