//! The oracle for POWER and ARM: candidate executions, filtered by the axioms of Herding Cats.
//!
//! ```text
//! com = rf ∪ co ∪ fr    fr = rf⁻¹;co    e: between threads, i: within one
//! dd = addr ∪ data    rdw = po-loc ∩ (fre;rfe)    detour = po-loc ∩ (coe;rfe)
//! ii0 = dd ∪ rdw ∪ rfi    ci0 = ctrl+isync ∪ detour    ic0 = ∅
//! cc0 = dd ∪ po-loc ∪ ctrl ∪ (addr;po)                           ARM: without po-loc
//! ii = ii0 ∪ ci ∪ (ic;ci) ∪ (ii;ii)    ci = ci0 ∪ (ci;ii) ∪ (cc;ci)
//! ic = ic0 ∪ ii ∪ cc ∪ (ic;cc) ∪ (ii;ic)    cc = cc0 ∪ ci ∪ (ci;ic) ∪ (cc;cc)
//! ppo = (ii ∩ R×R) ∪ (ic ∩ R×W)
//! ffence = sync    lwfence = (lwsync \ W×R) ∪ (eieio ∩ W×W)      ARM: dmb ∪ (dmb.st ∩ W×W); none
//! hb = ppo ∪ fences ∪ rfe    prop-base = (fences ∪ (rfe;fences));hb*
//! prop = (prop-base ∩ W×W) ∪ (com*;prop-base*;ffence;hb*)
//! axioms: acyclic(po-loc ∪ com)  acyclic(hb)  irreflexive(fre;prop;hb*)  acyclic(co ∪ prop)
//!         rmw ∩ (fre;coe) = ∅
//! ```
//!
//! Here po ∪ rf may have cycles, so the threads cannot be run step by step as in
//! [`super::axiomatic`]. Each thread is run by itself with all values that its loads may
//! return ([`trace`]). One trace for each thread gives a [`graph`]. Reads are then assigned to writes of
//! their value ([`communication`]), and the [`axioms`] decide about the result.
//!
//! Dependencies follow registers, independent of values: `xor r,r` depends on `r`, and a
//! select depends on its condition and both operands. Control dependencies come from branches,
//! assumptions, assertions and the function pointers of calls. A compare-and-exchange branches on its
//! comparison. [`mapping`] defines the barriers of C11's orders.
//!
//! Not covered: the features that [`super::axiomatic`] does not cover either.

mod axioms;
mod communication;
mod graph;
mod mapping;
mod trace;

use crate::deps::Deps;
use crate::layout::{Extent, Places};
use crate::local::Context;
use crate::outcome::{Outcome, Trouble, observe};
use communication::Communication;
use graph::Graph;
use raddle_ir::Program;
use rustc_hash::FxHashSet;
use std::fmt;
use trace::{Direction, Trace, Traces, Values};

/// The maximum number of examined candidates.
const BUDGET: u64 = 20_000_000;
/// The maximum number of examined choices for one place, for each candidate of the budget.
const CHOICES: u64 = 20;
/// The maximum number of partial traces of one thread.
const TRACES: u64 = 100_000;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Hardware {
    Power,
    /// ARMv7.
    Arm,
}

impl Hardware {
    pub const ALL: [Hardware; 2] = [Hardware::Power, Hardware::Arm];

    pub const fn name(self) -> &'static str {
        match self {
            Hardware::Power => "power",
            Hardware::Arm => "arm",
        }
    }

    /// The model with this name in engines and results.
    pub fn named(name: &str) -> Option<Hardware> {
        Hardware::ALL.into_iter().find(|model| model.name() == name)
    }
}

impl fmt::Display for Hardware {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Every allowed execution of `program`: control paths and choices, reads-from and coherence.
pub fn executions(program: &Program, model: Hardware) -> Result<Outcome, Trouble> {
    executions_within(program, model, BUDGET)
}

/// [`executions`] with a limit on the number of candidates, and of traces of one thread. The number of
/// choices for single places, on the way to candidates, is limited in proportion.
pub fn executions_within(
    program: &Program,
    model: Hardware,
    budget: u64,
) -> Result<Outcome, Trouble> {
    let cx = Context::new(program)?;
    let threads = traces(&cx, model, budget.min(TRACES))?;
    let stores = stores(&threads);
    let choices = budget.saturating_mul(CHOICES);
    let mut search =
        Search { cx: &cx, model, stores, outcome: Outcome::default(), budget, choices };
    search.combine(&threads, &mut Vec::new())?;
    Ok(search.outcome)
}

/// For each thread: the stores that this and the later threads can perform in some trace.
fn stores(threads: &[Vec<Trace>]) -> Vec<Stores> {
    let mut sofar = Stores::default();
    let mut all = vec![sofar.clone()];
    for traces in threads.iter().rev() {
        let accesses = traces.iter().flat_map(|trace| &trace.accesses);
        let writes = accesses.filter(|access| access.direction == Direction::Write);
        sofar.extend(writes.map(|write| (write.place, write.value)));
        all.push(sofar.clone());
    }
    all.reverse();
    all
}

type Stores = FxHashSet<(Extent, u128)>;

/// The traces of every thread, with all values that loads can return.
fn traces(cx: &Context, model: Hardware, budget: u64) -> Result<Vec<Vec<Trace>>, Trouble> {
    let places = Places::default();
    let mut all = Traces { cx, model, values: Values::new(), places, budget };
    let mut round = 0;
    loop {
        let threads: Result<Vec<Vec<Trace>>, Trouble> =
            cx.program.threads.keys().map(|thread| all.of(thread)).collect();
        let threads = threads?;
        let found = values(cx, &threads);
        // A value passes through different stores, all of which except the first depend on loads.
        if found == all.values || round > most_dependent_stores(&threads) {
            return Ok(threads);
        }
        all.values = found;
        round += 1;
    }
}

fn values(cx: &Context, threads: &[Vec<Trace>]) -> Values {
    let mut values = Values::new();
    for access in threads.iter().flatten().flat_map(|trace| &trace.accesses) {
        let here = values.entry(access.place).or_default();
        here.insert(cx.layout.initial(access.place));
        here.insert(access.value);
    }
    values
}

fn most_dependent_stores(threads: &[Vec<Trace>]) -> usize {
    let depends = |access: &&trace::Access| {
        access.direction == Direction::Write
            && access.addr.and(access.data).and(access.control) != Deps::NONE
    };
    let stores = |trace: &Trace| trace.accesses.iter().filter(depends).count();
    threads.iter().map(|traces| traces.iter().map(stores).max().unwrap_or(0)).sum()
}

struct Search<'c, 'p> {
    cx: &'c Context<'p>,
    model: Hardware,
    stores: Vec<Stores>,
    outcome: Outcome,
    budget: u64,
    choices: u64,
}

impl Search<'_, '_> {
    /// Extends a choice of traces of the first threads in every way.
    fn combine<'t>(
        &mut self,
        threads: &'t [Vec<Trace>],
        chosen: &mut Vec<&'t Trace>,
    ) -> Result<(), Trouble> {
        self.spend()?;
        if !self.reads_have_writes(chosen) {
            return Ok(());
        }
        let Some(traces) = threads.get(chosen.len()) else { return self.communicate(chosen) };
        for trace in traces {
            chosen.push(trace);
            self.combine(threads, chosen)?;
            chosen.pop();
        }
        Ok(())
    }

    /// Counts the allowed executions that consist of these traces.
    fn communicate(&mut self, traces: &[&Trace]) -> Result<(), Trouble> {
        let graph = Graph::new(traces)?;
        let mut choices = Vec::new();
        for place in graph.places() {
            let initial = self.cx.layout.initial(place);
            let left = &mut self.choices;
            choices.push(communication::coherent(&graph, place, initial, || spend(left))?);
        }
        self.judge(traces, &graph, &choices, Communication::none(graph.len()))
    }

    /// A cheap first check: whether for every read a write of its value exists, or may exist in a thread
    /// whose trace is not chosen yet.
    fn reads_have_writes(&self, chosen: &[&Trace]) -> bool {
        let all = || chosen.iter().flat_map(|trace| &trace.accesses);
        let others = &self.stores[chosen.len()];
        all().filter(|access| access.direction == Direction::Read).all(|read| {
            let wanted = (read.place, read.value);
            let writes = |write: &trace::Access| {
                write.direction == Direction::Write && (write.place, write.value) == wanted
            };
            self.cx.layout.initial(read.place) == read.value
                || others.contains(&wanted)
                || all().any(writes)
        })
    }

    fn judge(
        &mut self,
        traces: &[&Trace],
        graph: &Graph,
        choices: &[Vec<Communication>],
        sofar: Communication,
    ) -> Result<(), Trouble> {
        let Some((here, others)) = choices.split_first() else {
            self.spend()?;
            if axioms::allow(self.model, graph, &sofar) {
                self.count(traces, &sofar);
            }
            return Ok(());
        };
        for choice in here {
            self.judge(traces, graph, others, sofar.clone().with(choice))?;
        }
        Ok(())
    }

    fn count(&mut self, traces: &[&Trace], communication: &Communication) {
        let ends: Vec<_> = traces.iter().map(|trace| trace.local.end()).collect();
        let state = || {
            let locals: Vec<_> = traces.iter().map(|trace| &trace.local).collect();
            let memory = communication.last.iter().copied().collect();
            observe(self.cx.program, &self.cx.layout, &locals, &memory)
        };
        self.outcome.count(&ends, state);
    }

    fn spend(&mut self) -> Result<(), Trouble> {
        spend(&mut self.budget)
    }
}

fn spend(budget: &mut u64) -> Result<(), Trouble> {
    *budget = budget.checked_sub(1).ok_or(Trouble::Budget)?;
    Ok(())
}
