//! Whether a program is as it is wanted.

use super::goals;
use crate::condition;
use crate::fallible::may_fail;
use crate::robust::{Gap, robust};
use raddle_engine::{FailureKind, Limits, Summary};
use raddle_interleave::{Model, Options};
use raddle_ir::{FenceKind, InstKind, Point, Program, Quantifier};
use raddle_reach::{Answer, ReachModel};

/// The models that fences help against.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WeakModel {
    Tso,
    Pso,
    Power,
    /// ARMv7.
    Arm,
}

impl WeakModel {
    pub const ALL: [WeakModel; 4] =
        [WeakModel::Tso, WeakModel::Pso, WeakModel::Power, WeakModel::Arm];

    pub const fn name(self) -> &'static str {
        self.among_all().name()
    }

    pub const fn among_all(self) -> raddle_engine::Model {
        match self {
            WeakModel::Tso => raddle_engine::Model::Tso,
            WeakModel::Pso => raddle_engine::Model::Pso,
            WeakModel::Power => raddle_engine::Model::Power,
            WeakModel::Arm => raddle_engine::Model::Arm,
        }
    }

    /// Its fences, weakest first; each does what those before it do.
    pub const fn kinds(self) -> &'static [FenceKind] {
        match self {
            WeakModel::Tso => &[FenceKind::Mfence],
            WeakModel::Pso => &[FenceKind::StoreStore, FenceKind::Full],
            WeakModel::Power => &[FenceKind::Eieio, FenceKind::Lwsync, FenceKind::Sync],
            WeakModel::Arm => &[FenceKind::DmbSt, FenceKind::Dmb],
        }
    }

    /// Whether read-modify-writes and locks wait for earlier stores.
    pub(super) const fn locked_drains(self) -> bool {
        matches!(self, WeakModel::Tso | WeakModel::Pso)
    }

    /// Whether later accesses may overtake it.
    pub(super) fn may_be_late(self, inst: &InstKind) -> bool {
        match self {
            WeakModel::Tso | WeakModel::Pso => {
                matches!(inst, InstKind::Store { .. } | InstKind::StoreCond { .. })
            }
            WeakModel::Power | WeakModel::Arm => is_access(inst),
        }
    }

    /// Whether it may overtake an earlier access.
    pub(super) fn may_be_early(self, inst: &InstKind) -> bool {
        use InstKind::*;
        match self {
            WeakModel::Tso => matches!(inst, Load { .. } | Await { .. }),
            WeakModel::Pso => {
                matches!(inst, Load { .. } | Await { .. } | Store { .. } | StoreCond { .. })
            }
            WeakModel::Power | WeakModel::Arm => is_access(inst),
        }
    }

    /// The graph engine's name of it, if it is one of that engine's only.
    const fn hardware(self) -> Option<raddle_graph::Model> {
        match self {
            WeakModel::Tso | WeakModel::Pso => None,
            WeakModel::Power => Some(raddle_graph::Model::Power),
            WeakModel::Arm => Some(raddle_graph::Model::Arm),
        }
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

/// What fences are to bring about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Target {
    /// No behaviour beyond those of SC.
    Robust,
    /// No goal can be reached; in a program without goals, nothing fails.
    Goals,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    pub model: WeakModel,
    pub target: Target,
    /// The budget is for all queries together, the other limits for each.
    pub limits: Limits,
    /// Threads to search with.
    pub workers: usize,
}

pub(super) enum Judgement {
    Good,
    Bad,
    /// Bad, and these stores are overtaken by these loads.
    Attacked(Vec<(Point, Point)>),
    Unknown(String),
}

pub(super) struct Judge<'q> {
    question: &'q Question,
    pub queries: u32,
}

impl<'q> Judge<'q> {
    pub fn new(question: &'q Question) -> Judge<'q> {
        Judge { question, queries: 0 }
    }

    /// Why fences cannot help, if that is known: under SC they do nothing.
    pub fn is_hopeless(&mut self, program: &Program) -> Option<&'static str> {
        if self.question.target == Target::Robust {
            return None;
        }
        self.queries += 1;
        let reachable = match self.question.model {
            WeakModel::Tso => self.reaches(program, ReachModel::Sc, Model::Sc),
            _ => self.fails(program, Model::Sc),
        };
        matches!(reachable, Judgement::Bad).then_some("it can happen under SC, too")
    }

    pub fn judge(&mut self, program: &Program) -> Judgement {
        self.queries += 1;
        let (model, target) = (self.question.model, self.question.target);
        let budget = &self.question.limits.budget;
        let nothing_asked = program.goals.is_empty() && program.condition.is_none();
        if target == Target::Goals && nothing_asked && !may_fail(program, budget) {
            return Judgement::Good;
        }
        match (model.hardware(), target) {
            (Some(hardware), Target::Robust) => self.counts(program, hardware),
            (Some(hardware), Target::Goals) => self.fails_on(program, hardware),
            (None, Target::Robust) if model == WeakModel::Tso => self.attacks(program),
            (None, Target::Goals) if model == WeakModel::Tso => {
                self.reaches(program, ReachModel::Tso, Model::Tso)
            }
            (None, Target::Robust) => self.is_robust(program, Model::Pso),
            (None, Target::Goals) => self.fails(program, Model::Pso),
        }
    }

    fn limits(&self) -> Limits {
        self.question.limits.clone()
    }

    fn reach_options(&self) -> raddle_reach::Options {
        raddle_reach::Options {
            budget: self.question.limits.budget.clone(),
            workers: self.question.workers,
            ..raddle_reach::Options::default()
        }
    }

    /// Whether anything goes beyond SC under TSO, by attacks: loops need no bound.
    fn attacks(&self, program: &Program) -> Judgement {
        let attacks = raddle_reach::attacks(program, &self.reach_options());
        let pair = |a: &raddle_reach::FeasibleAttack| (a.store, a.load);
        match attacks.unknown {
            // What was found is right, whatever else there may be.
            _ if !attacks.feasible.is_empty() => {
                Judgement::Attacked(attacks.feasible.iter().map(pair).collect())
            }
            Some(why) => Judgement::Unknown(why.to_string()),
            None => Judgement::Good,
        }
    }

    /// Goals and failures, for which loops need no bound; conditions are about executions that end.
    fn reaches(&self, program: &Program, model: ReachModel, bounded: Model) -> Judgement {
        if program.goals.is_empty() && program.condition.is_some() {
            return self.fails(program, bounded);
        }
        match raddle_reach::reach(program, model, &self.reach_options()).answer {
            Answer::Reachable(_) => Judgement::Bad,
            Answer::Unreachable => Judgement::Good,
            Answer::Unknown(why) => Judgement::Unknown(why.to_string()),
        }
    }

    fn is_robust(&self, program: &Program, model: Model) -> Judgement {
        let found = robust(program, model, &self.limits(), None);
        match found.robust {
            Some(true) => Judgement::Good,
            Some(false) => Judgement::Bad,
            // Fences are found for the inputs that are tried.
            None if found.gaps == [Gap::Inputs] => Judgement::Good,
            None => Judgement::Unknown(missing(&found.gaps).to_owned()),
        }
    }

    /// Whether something goes wrong under a model of the interleaving engine.
    fn fails(&self, program: &Program, model: Model) -> Judgement {
        went_wrong(program, |program, keep_going| {
            let options = Options { limits: self.limits(), keep_going, ..Options::new(model) };
            raddle_interleave::explore(program, &options)
        })
    }

    fn fails_on(&self, program: &Program, model: raddle_graph::Model) -> Judgement {
        went_wrong(program, |program, keep_going| self.graph(program, model, keep_going))
    }

    /// Every trace of SC is one of the others, so as many are the same.
    fn counts(&self, program: &Program, model: raddle_graph::Model) -> Judgement {
        let (weak, strong) =
            (self.graph(program, model, true), self.graph(program, raddle_graph::Model::Sc, true));
        let traces = |summary: &Summary| summary.executions + summary.blocked;
        match incomplete(&weak).or(incomplete(&strong)) {
            Some(why) => Judgement::Unknown(why.to_owned()),
            None if traces(&weak) == traces(&strong) => Judgement::Good,
            None => Judgement::Bad,
        }
    }

    fn graph(&self, program: &Program, model: raddle_graph::Model, keep_going: bool) -> Summary {
        let limits = self.limits();
        let options =
            raddle_graph::Options { limits, keep_going, ..raddle_graph::Options::new(model) };
        raddle_graph::explore(program, &options)
    }
}

const BOUND: &str = "a search met a bound";
const UNSUPPORTED: &str = "something was reached that cannot be run";

/// Why nobody can say whether a program is robust.
fn missing(gaps: &[Gap]) -> &'static str {
    match gaps.first() {
        Some(Gap::Stopped(stopped)) => stopped.phrase(),
        Some(Gap::Bounds | Gap::Inputs) => BOUND,
        Some(Gap::Unsupported) => UNSUPPORTED,
        Some(Gap::Mixed | Gap::OnlyTso | Gap::Unconfirmed) | None => "a search has no answer",
    }
}

/// Whether a search shows a goal, if there are any; otherwise a failure, or a final state that the
/// condition is about: one that it says exists, or that it speaks against.
///
/// The search is told whether to go on after failures: those that are no goals show nothing.
fn went_wrong(program: &Program, search: impl FnOnce(&Program, bool) -> Summary) -> Judgement {
    let (summary, bad) = if program.goals.is_empty() {
        let summary = search(program, false);
        let bad = shows_failure(&summary) || shows_final_state(program, &summary);
        (summary, bad)
    } else {
        let goals = goals::as_failures(program);
        let summary = search(&goals.program, true);
        let bad = goals.is_reached(&summary);
        (summary, bad)
    };
    match incomplete(&summary) {
        _ if bad => Judgement::Bad,
        Some(why) => Judgement::Unknown(why.to_owned()),
        None => Judgement::Good,
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

/// Why a search says nothing of executions that it did not see.
fn incomplete(summary: &Summary) -> Option<&'static str> {
    let unsupported = summary.failures.iter().any(|f| f.kind == FailureKind::Unsupported);
    match summary.stopped {
        _ if unsupported => Some(UNSUPPORTED),
        Some(stopped) => Some(stopped.phrase()),
        None => summary.bounds.iter().any(|bound| bound.kind.hides()).then_some(BOUND),
    }
}
