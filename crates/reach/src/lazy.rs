//! Lazy TSO reachability: paper 004, algorithm 1, and the robustness oracle of its section 4.
//!
//! Deviation: the paper extends the program by one path from a store to a load at a time. Here the program
//! is extended by a store instruction, whatever path follows it. `S` is the set of these stores. The
//! extended program `R` differs from the program as follows. A store in `S`, and every store while others
//! of its thread are delayed, goes to the thread's own list instead of to memory. The thread's loads look
//! in the list first. At any time the oldest entry of the list may go to memory, by a store that a fence
//! follows. Operations that need an empty store buffer wait until the list is empty.
//!
//! - Every SC computation of `R` is a TSO computation of the program: the list is a store buffer. So every
//!   finding is real.
//! - Every TSO computation of the program is a TSO computation of `R`: the buffer of a thread is its own
//!   buffer in `R`, followed by the list. So `R` reaches under TSO the same states as the program.
//! - If no attack on `R` succeeds, `R` is robust and reaches the same states under TSO and SC (lemmas 5 and
//!   6), so the answer "unreachable" is right. Stores in `S` and stores of the list cannot be delayed any
//!   further in `R`, so an attack always contributes a new store, and the number of rounds is at most the
//!   number of stores of the program.
//!
//! So this is the superset extension of section 5, and it is exact, as that of section 3 is. Attacks that
//! are found on the same level extend the program together. The paper asks for the goal first and then for
//! an attack. Both queries visit the SC states of the program, so here one search asks for both: the
//! program is extended as soon as an attack is found, and a goal that is not reached in the last query, in
//! which no attack succeeds, is unreachable. Only a single query may fail to terminate: if a loop stores
//! without a fence, lists may grow. Their length is bounded, and a query that met the bound without an
//! answer is repeated with twice the bound.
//!
//! The memory lock ([`memory_lock`](raddle_ir::Program::memory_lock)) is not in the paper. Under SC, a thread waits at its stores
//! while another thread holds the lock; under TSO it goes on, whether or not a load follows. So under TSO
//! only, it can reach a goal, a failure or its end, as long as its buffer need not be empty. Therefore `S`
//! contains from the start the stores from which a goal or a failure is reachable, and later the stores at
//! which threads were found to wait forever.

use crate::api::{
    Answer, Attacks, Effort, End, FeasibleAttack, Reachability, Reached, Robust, Robustness,
    Unknown,
};
use crate::delayable::{Delayable, Sought};
use crate::path::{Manner, Scheduled, schedule};
use crate::rules::Rules;
use crate::search::{Finding, Found, Outcome, Search, Target};
use crate::system::System;
use raddle_engine::{Buffering, Engine, Failed, FailureKind, FailureSite, Limits, Options};
use raddle_ir::{InstKind, LocId, Order, Verified};
use raddle_machine::code::{Op, Pc};
use raddle_machine::{Bounds, Fault, ThreadId, Unroll};
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::time::Instant;

/// Whether the program can fail. If it has goals and the options ask for them: whether a goal can be reached.
pub fn reach(program: &Verified, options: &Options) -> Reachability {
    let mut asker = Asker::new(program, options);
    let answer = match asker.manner() {
        Ok(Manner::Sc) => asker.reach_sc(),
        Ok(Manner::Tso | Manner::TsoDrained) => asker.reach_tso(),
        Err(unknown) => Answer::Unknown(unknown),
    };
    Reachability { answer, effort: asker.effort() }
}

/// Whether the program is robust: whether it behaves under TSO as under SC.
pub fn robust(program: &Verified, options: &Options) -> Robustness {
    let mut asker = Asker::new(program, options);
    let verdict = match asker.find_attacks(&FxHashSet::default(), 0, false) {
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
    let (feasible, unknown) = match asker.find_attacks(&FxHashSet::default(), 0, true) {
        Ok(attacked) => (attacked.found, attacked.unknown),
        Err(unknown) => (Vec::new(), Some(unknown)),
    };
    let feasible = feasible.into_iter().map(|found| found.attack).collect();
    Attacks { feasible, unknown, effort: asker.effort() }
}

/// Runs queries about a program and adds up their effort.
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

/// The result of a search for attacks.
pub(crate) struct AttackSearch {
    pub found: Vec<FoundAttack>,
    /// Why more attacks may exist.
    unknown: Option<Unknown>,
    /// Whether stores were not delayed because of the bound.
    pub capped: bool,
}

/// The result of a query.
enum Query {
    Found(Reached),
    /// The stores to delay: attacks by them succeed, or threads wait at them that would not under TSO.
    Attacked(Vec<Pc>),
    Nothing,
    /// Nothing was found, but stores were not delayed because of the bound.
    Capped,
    Unknown(Unknown),
}

impl<'p> Asker<'p, '_> {
    pub(crate) fn new<'o>(program: &'p Verified, options: &'o Options) -> Asker<'p, 'o> {
        Asker { program, options, start: Instant::now(), effort: Effort::default() }
    }

    pub(crate) fn effort(&self) -> Effort {
        Effort { elapsed: self.start.elapsed(), ..self.effort }
    }

    /// The kind of schedules of the model.
    pub(crate) fn manner(&self) -> Result<Manner, Unknown> {
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
        let mut cap = self.first_cap();
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

    /// The stores that a thread may have to delay while another thread holds the memory lock, on its way to a
    /// goal or a failure. No attack finds them, because they need not be delayed past a load.
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

    /// The first bound on delayed stores of a thread: enough to pass every store of the program twice, if
    /// the limits allow it.
    pub(crate) fn first_cap(&self) -> usize {
        let blocks = self.program.funcs.values().flat_map(|func| func.blocks.values());
        let stores = blocks.flat_map(|block| &block.insts);
        let stores = stores.filter(|inst| matches!(inst.kind, InstKind::Store { .. })).count();
        (2 * stores + 2).clamp(4, 512).min(self.options.limits.delayed_stores)
    }

    /// Twice the bound on delayed stores, if the limits allow it.
    pub(crate) fn doubled_cap(&self, cap: usize) -> Result<usize, Unknown> {
        match cap >= self.options.limits.delayed_stores {
            true => Err(Unknown::Delayed(cap)),
            false => Ok((cap * 2).min(self.options.limits.delayed_stores)),
        }
    }

    /// Searches for the goals, or for failures; under TSO also for attacks by stores not in `delayable`. The
    /// search stops at whichever it finds first.
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
            matches!(finding.kind, Found::Attack { .. } | Found::ShutOut { .. })
        };
        if let Some(finding) = outcome.found.iter().find(|finding| !extends(finding)) {
            return match self.witness(&search, &rules, finding, manner) {
                Some(witness) => Query::Found(witness),
                None => Query::Unknown(self.lost()),
            };
        }
        let stores = outcome.found.iter().filter_map(|finding| match finding.kind {
            Found::Attack { store, .. } | Found::ShutOut { store } => Some(store),
            _ => None,
        });
        let stores: Vec<Pc> = stores.collect();
        // An attack is of use even if something else is unknown, unless a limit ended the search.
        match (unknown(&outcome), outcome.capped) {
            _ if outcome.ended.is_none() && !stores.is_empty() => Query::Attacked(stores),
            (Some(unknown), _) => Query::Unknown(unknown),
            (None, true) => Query::Capped,
            (None, false) => Query::Nothing,
        }
    }

    /// Searches for attacks by stores that are not in `delayable`: those of the first level, or all.
    pub(crate) fn find_attacks(
        &mut self,
        delayable: &FxHashSet<Pc>,
        cap: usize,
        all: bool,
    ) -> Result<AttackSearch, Unknown> {
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
        let lost = (found.len() < outcome.found.len()).then(|| self.lost());
        match unknown(&outcome).or(lost) {
            Some(unknown) if found.is_empty() => Err(unknown),
            unknown => Ok(AttackSearch { found, unknown, capped: outcome.capped }),
        }
    }

    pub(crate) fn search(&self, rules: &Rules, target: Target) -> Result<Search<'p>, Fault> {
        let workers = self.options.limits.workers;
        let search = Search::new(self.program, self.bounds(), rules.clone(), target, workers)?;
        Ok(search.reporting_to(&self.options.limits.progress))
    }

    pub(crate) fn count(&mut self, outcome: &Outcome) {
        self.effort.queries += 1;
        self.effort.states += outcome.states;
        if outcome.states >= self.effort.largest {
            self.effort.largest = outcome.states;
            self.effort.bytes = outcome.bytes;
        }
    }

    /// Why a search cannot start.
    pub(crate) fn cannot_start(&self, fault: Fault) -> Unknown {
        let unsupported = Unknown::Unsupported(fault.message, LocId::NONE);
        self.options.limits.budget.spent().map_or(unsupported, Unknown::Spent)
    }

    /// Why a finding has no schedule: the budget is spent, or it is a defect of raddle.
    pub(crate) fn lost(&self) -> Unknown {
        self.options.limits.budget.spent().map_or(Unknown::Lost, Unknown::Spent)
    }

    fn bounds(&self) -> Bounds {
        let Limits { local_steps: steps, budget, .. } = self.options.limits.clone();
        Bounds { steps, unroll: Unroll::NONE, spin: true, budget }
    }

    /// A schedule that leads to a finding.
    pub(crate) fn schedule(
        &self,
        search: &Search<'p>,
        rules: &Rules,
        finding: &Finding,
        manner: Manner,
    ) -> Option<Scheduled<'p>> {
        let (moves, machine) = (search.path(finding), &search.system().machine);
        // The report gets some extra time, even if the search has used up its own.
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
        let Scheduled { steps, system } = self.schedule(search, rules, finding, manner)?;
        let end = match &finding.kind {
            Found::Goal => End::Goal,
            Found::Failed(failed) => {
                // The names of threads are those of the replay: in the search a number may have been that of
                // another thread in other states.
                let thread = replayed(search, &system, failed.thread)?;
                End::Failure(Failed { thread, ..failed.clone() }.site(&system.machine))
            }
            // The replay finds out which threads wait for what.
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
        let Found::Attack { thread, store, load } = finding.kind else { return None };
        let manner = Manner::TsoDrained;
        let Scheduled { steps, system } = self.schedule(search, rules, finding, manner)?;
        let attack = FeasibleAttack {
            number: thread.0,
            thread: system.machine.thread_name(replayed(search, &system, thread)?).to_owned(),
            store: system.machine.point_of(store),
            load: system.machine.point_of(load),
            schedule: steps,
        };
        Some(FoundAttack { store, attack })
    }
}

/// The number that a thread of a search has in a system that has run a schedule.
fn replayed(search: &Search<'_>, system: &System<'_>, thread: ThreadId) -> Option<ThreadId> {
    let numbers = search.system().machine.threads_in(&system.machine);
    numbers.get(thread.0 as usize).copied().flatten()
}

/// Why an outcome without findings is not a proof, if it is not.
pub(crate) fn unknown(outcome: &Outcome) -> Option<Unknown> {
    if let Some((fault, loc)) = &outcome.unsupported {
        return Some(Unknown::Unsupported(fault.message.clone(), *loc));
    }
    let ended = outcome.ended.clone().or(outcome.cut.map(Unknown::LocalSteps));
    ended.or(outcome.undecided.map(Unknown::Waiting))
}
