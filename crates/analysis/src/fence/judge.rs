//! Decides whether a program satisfies the goal of the search for fences.

use super::goals;
use crate::condition;
use crate::fallible::may_fail;
use crate::robust::{Gap, Robustness, robust};
use raddle_engine::{
    BoundMet, Buffering, Checks, Engine, FailureKind, Model, Options, Strategy, Summary,
};
use raddle_ir::{FuncId, InstKind, Point, Program, Quantifier, Verified};
use raddle_reach::Answer;
use std::collections::BTreeSet;

/// Whether read-modify-writes and locks wait for earlier stores.
pub(super) const fn locked_drains(model: Model) -> bool {
    model.buffering().is_some()
}

/// Whether later accesses may overtake an instruction.
pub(super) fn may_be_late(model: Model, inst: &InstKind) -> bool {
    match model.buffering() {
        Some(_) => matches!(inst, InstKind::Store { .. } | InstKind::StoreCond { .. }),
        None => is_access(inst),
    }
}

/// Whether an instruction may overtake an earlier access.
pub(super) fn may_be_early(model: Model, inst: &InstKind) -> bool {
    use InstKind::*;
    match model.buffering() {
        Some(Buffering::PerLocation) => {
            matches!(inst, Load { .. } | Await { .. } | Store { .. } | StoreCond { .. })
        }
        Some(_) => matches!(inst, Load { .. } | Await { .. }),
        None => is_access(inst),
    }
}

fn is_access(inst: &InstKind) -> bool {
    use InstKind::*;
    matches!(
        inst,
        Load { .. }
            | Store { .. }
            | Await { .. }
            | StoreCond { .. }
            | Rmw { .. }
            | CmpXchg { .. }
            | Lock { .. }
            | TryLock { .. }
            | Unlock { .. }
    )
}

/// The goal of the fences.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// No behaviour beyond SC.
    Robust,
    /// No goal can be reached. In a program without goals: no execution fails.
    Goals,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub target: Target,
    /// The model and the limits. The budget is for all queries together, the other limits for each query.
    pub options: Options,
    pub avoided: Avoided,
}

/// Functions that get no fences.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Avoided {
    pub functions: BTreeSet<FuncId>,
    /// The files and functions that the user named.
    pub named: Vec<String>,
}

/// Whether a program satisfies the goal as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Good,
    Bad,
    /// Not satisfied: each of these stores is overtaken by the load beside it.
    Attacked(Vec<(Point, Point)>),
    Unknown(Unknown),
}

/// Why a program could not be judged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    pub why: String,
    /// The bounds that were met, if that is the reason.
    pub bounds: Vec<BoundMet>,
}

impl Unknown {
    fn because(why: impl Into<String>) -> Unknown {
        Unknown { why: why.into(), bounds: Vec::new() }
    }
}

pub(super) struct Judge<'q> {
    question: &'q Question,
    pub queries: u32,
    /// The number of traces under SC, once it is known. Fences do not change it.
    sc_traces: Option<u64>,
}

impl<'q> Judge<'q> {
    pub(super) fn new(question: &'q Question) -> Judge<'q> {
        Judge { question, queries: 0, sc_traces: None }
    }

    /// Why fences cannot help, if that is known: they cannot if the program is bad under SC, where they
    /// have no effect.
    pub(super) fn is_hopeless(&mut self, program: &Verified) -> Option<&'static str> {
        if self.question.target == Target::Robust {
            return None;
        }
        self.queries += 1;
        self.question.options.limits.progress.judge();
        let reachable = match self.question.options.model.buffering() {
            Some(Buffering::Fifo) => self.reaches(program, Model::Sc),
            _ => self.fails(program, Model::Sc),
        };
        matches!(reachable, Verdict::Bad).then_some("it can happen under SC, too")
    }

    pub(super) fn judge(&mut self, program: &Verified) -> Verdict {
        self.queries += 1;
        self.question.options.limits.progress.judge();
        let (model, target) = (self.question.options.model, self.question.target);
        let budget = &self.question.options.limits.budget;
        let nothing_asked = program.goals.is_empty() && program.condition.is_none();
        if target == Target::Goals && nothing_asked && !may_fail(program, budget) {
            return Verdict::Good;
        }
        match (model.buffering(), target) {
            (Some(Buffering::Fifo), Target::Robust) => self.attacks(program),
            (Some(Buffering::Fifo), Target::Goals) => self.reaches(program, model),
            (Some(_), Target::Robust) => self.is_robust(program),
            (None, Target::Robust) => self.counts(program),
            (_, Target::Goals) => self.fails(program, model),
        }
    }

    /// The options of a query under a model, with its default strategy.
    fn options(&self, model: Model) -> Options {
        let strategy = Strategy::default_of(model);
        Options { model, strategy, ..self.question.options.clone() }
    }

    /// The options of a query of the reachability engine.
    fn reach_options(&self, model: Model) -> Options {
        let checks = Checks { goals: true, ..Checks::default() };
        Options { checks, ..self.options(model).by(Strategy::Lazy) }
    }

    /// Decides robustness against TSO by attacks: loops need no bound.
    fn attacks(&self, program: &Verified) -> Verdict {
        let options = self.reach_options(self.question.options.model);
        let attacks = raddle_reach::attacks(program, &options);
        let pair = |a: &raddle_reach::FeasibleAttack| (a.store, a.load);
        match attacks.unknown {
            // The attacks found are real, even if there may be more.
            _ if !attacks.feasible.is_empty() => {
                Verdict::Attacked(attacks.feasible.iter().map(pair).collect())
            }
            Some(why) => Verdict::Unknown(Unknown::because(why.to_string())),
            None => Verdict::Good,
        }
    }

    /// Decides reachability of goals and failures, for which loops need no bound. Conditions are not
    /// decided here, because they are about executions that end.
    fn reaches(&self, program: &Verified, model: Model) -> Verdict {
        if program.goals.is_empty() && program.condition.is_some() {
            return self.fails(program, model);
        }
        match raddle_reach::reach(program, &self.reach_options(model)).answer {
            Answer::Reachable(_) => Verdict::Bad,
            Answer::Unreachable => Verdict::Good,
            Answer::Unknown(why) => Verdict::Unknown(Unknown::because(why.to_string())),
        }
    }

    fn is_robust(&self, program: &Verified) -> Verdict {
        let Options { model, limits, .. } = &self.question.options;
        let found = robust(program, *model, limits, None);
        match found.robust {
            Some(true) => Verdict::Good,
            Some(false) => Verdict::Bad,
            // Fences are computed for the inputs that were tried.
            None if found.gaps == [Gap::Inputs] => Verdict::Good,
            None => Verdict::Unknown(missing(&found)),
        }
    }

    /// Decides by executions whether a goal is reached, if the program has goals. Otherwise whether an
    /// execution fails, or ends in a final state that the condition is about: a state that an `exists`
    /// describes, or that contradicts the condition.
    fn fails(&self, program: &Verified, model: Model) -> Verdict {
        let options = self.options(model);
        let (summary, bad) = if program.goals.is_empty() {
            let summary = search(program, &Options { keep_going: false, ..options });
            let bad = shows_failure(&summary) || shows_final_state(program, &summary);
            (summary, bad)
        } else {
            let goals = match goals::as_failures(program) {
                Ok(goals) => goals,
                Err(defect) => return Verdict::Unknown(Unknown::because(defect)),
            };
            // A failure that is not a goal does not count.
            let summary = search(&goals.program, &Options { keep_going: true, ..options });
            let bad = goals.is_reached(&summary);
            (summary, bad)
        };
        match incomplete(&summary) {
            _ if bad => Verdict::Bad,
            Some(unknown) => Verdict::Unknown(unknown),
            None => Verdict::Good,
        }
    }

    /// Decides robustness by counting. Every trace of SC is a trace of the model, so equal numbers mean
    /// equal traces. The search of the model ends with the first trace that SC cannot have.
    fn counts(&mut self, program: &Verified) -> Verdict {
        let search = |model, most| {
            let options = self.options(model).by(Strategy::Graph);
            raddle_graph::explore_up_to(program, &Options { keep_going: true, ..options }, most)
        };
        let strong = match self.sc_traces {
            Some(count) => count,
            None => {
                let strong = search(Model::Sc, u64::MAX);
                if let Some(unknown) = incomplete(&strong) {
                    return Verdict::Unknown(unknown);
                }
                traces(&strong)
            }
        };
        let weak = search(self.question.options.model, strong);
        self.sc_traces = Some(strong);
        match incomplete(&weak) {
            _ if traces(&weak) > strong => Verdict::Bad,
            Some(unknown) => Verdict::Unknown(unknown),
            None => Verdict::Good,
        }
    }
}

const BOUND: &str = "a search met a bound";
const UNSUPPORTED: &str = "something was reached that cannot be run";

/// The number of traces that a complete search has seen.
fn traces(summary: &Summary) -> u64 {
    summary.executions + summary.blocked
}

/// Why robustness is unknown.
fn missing(found: &Robustness) -> Unknown {
    match found.gaps.first() {
        Some(Gap::Stopped(stopped)) => Unknown::because(stopped.phrase()),
        Some(Gap::Bounds | Gap::Inputs) => {
            let bounds = found.searches.iter().flat_map(|(_, summary)| hiding(summary));
            Unknown { why: BOUND.to_owned(), bounds: bounds.collect() }
        }
        Some(Gap::Unsupported) => Unknown::because(UNSUPPORTED),
        Some(Gap::Mixed | Gap::NoAttacks | Gap::Unconfirmed) | None => {
            Unknown::because("a search has no answer")
        }
    }
}

fn shows_failure(summary: &Summary) -> bool {
    summary.failures.iter().any(|failure| failure.kind != FailureKind::Unsupported)
}

fn shows_final_state(program: &Program, summary: &Summary) -> bool {
    condition::judge(program, summary).is_some_and(|judged| match judged.quantifier {
        Quantifier::Exists | Quantifier::NotExists => judged.positive > 0,
        Quantifier::Forall => judged.negative > 0,
    })
}

/// Why a search is not a proof for all executions, if it is not.
fn incomplete(summary: &Summary) -> Option<Unknown> {
    let unsupported = summary.failures.iter().any(|f| f.kind == FailureKind::Unsupported);
    let bounds: Vec<BoundMet> = hiding(summary).collect();
    match summary.stopped {
        _ if unsupported => Some(Unknown::because(UNSUPPORTED)),
        Some(stopped) => Some(Unknown::because(stopped.phrase())),
        None if bounds.is_empty() => None,
        None => Some(Unknown { why: BOUND.to_owned(), bounds }),
    }
}

/// The bounds that hide executions.
fn hiding(summary: &Summary) -> impl Iterator<Item = BoundMet> {
    summary.bounds.iter().filter(|bound| bound.kind.hides()).cloned()
}

/// Searches a program without the bounds for untried inputs: fences are computed for the inputs that were
/// tried.
fn search(program: &Verified, options: &Options) -> Summary {
    match options.strategy.engine() {
        Engine::Graph => raddle_graph::explore(program, options),
        _ => raddle_interleave::explore(program, options),
    }
}
