//! One program under several models: where it stands under each, and the weakest models that it is fine under.
//!
//! | program | property | answer under a model |
//! |---|---|---|
//! | with goals, or automata | no goal (without goals: no failure) is reachable | [`reach()`](mod@crate::reach), for models whose states can be searched |
//! | with a condition `exists` | the outcome is never observed | [`mod@crate::litmus`] |
//! | any other | it is safe | [`mod@crate::check`]; with a condition, [`mod@crate::litmus`] |
//!
//! Which model is weaker than which is in the table of [`raddle_engine::Model`].

use crate::check::{CheckResult, Verdict, check};
use crate::fence::Fences;
use crate::litmus::{LitmusResult, Observation, litmus};
use crate::reach::{ReachResult, reach};
use raddle_engine::{Engine, Model, Options, Spent, Stopped, Strategy};
use raddle_ir::{Program, Quantifier, Verified};

/// The property that is asked for under every model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Property {
    /// No execution fails, and the condition holds.
    Safe,
    /// The outcome of an `exists` is never observed.
    Forbidden,
    /// No goal can be reached; in a program without goals, no failure.
    Unreachable,
}

impl Property {
    /// The property that a program is about. `by_states`: states are searched instead of executions.
    pub fn of(program: &Program, by_states: bool) -> Property {
        let exists = program.condition.as_ref().is_some_and(|c| c.quantifier == Quantifier::Exists);
        match () {
            () if by_states => Property::Unreachable,
            () if exists => Property::Forbidden,
            () => Property::Safe,
        }
    }

    /// The word in machine-readable output.
    pub const fn name(self) -> &'static str {
        match self {
            Property::Safe => "safe",
            Property::Forbidden => "forbidden",
            Property::Unreachable => "unreachable",
        }
    }
}

/// The answer under one model.
#[derive(Clone, Debug)]
pub enum Answer {
    Checked(CheckResult),
    Observed(LitmusResult),
    Reached(ReachResult),
    /// The states under this model cannot be searched.
    NoStates,
}

/// Whether the property holds under a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    Holds,
    /// It holds as far as bounds allow to see.
    HoldsBounded,
    Fails,
    Unknown,
}

/// A program under one model.
#[derive(Clone, Debug)]
pub struct Row {
    pub options: Options,
    pub answer: Answer,
    pub standing: Standing,
    /// The fences that it needs under this model, if they were asked for.
    pub fences: Option<Fences>,
}

impl Row {
    /// Judges a program under a model.
    pub fn judged(program: &Verified, property: Property, options: Options) -> Row {
        let answer = match property {
            Property::Unreachable if !Engine::Reach.has(options.model) => Answer::NoStates,
            Property::Unreachable => {
                let mut options = options.clone().by(Strategy::Lazy);
                options.checks.goals = true;
                Answer::Reached(reach(program, &options))
            }
            _ if program.condition.is_some() => Answer::Observed(litmus(program, &options)),
            _ => Answer::Checked(check(program, &options)),
        };
        Row::new(property, options, answer)
    }

    /// The row of a model that was not searched, with the reason.
    pub fn unsearched(property: Property, options: Options, spent: Spent) -> Row {
        let answer = match property {
            Property::Unreachable if !Engine::Reach.has(options.model) => Answer::NoStates,
            Property::Unreachable => Answer::Reached(ReachResult::unsearched(spent)),
            _ => Answer::Checked(CheckResult::unsearched(spent)),
        };
        Row::new(property, options, answer)
    }

    fn new(property: Property, options: Options, answer: Answer) -> Row {
        let standing = standing(property, &answer);
        let options = match property {
            Property::Unreachable => options.by(Strategy::Lazy),
            _ => options,
        };
        Row { options, answer, standing, fences: None }
    }

    pub fn model(&self) -> Model {
        self.options.model
    }

    /// The check behind the answer, unless states were searched.
    pub fn check(&self) -> Option<&CheckResult> {
        match &self.answer {
            Answer::Checked(result) => Some(result),
            Answer::Observed(result) => Some(&result.check),
            Answer::Reached(_) | Answer::NoStates => None,
        }
    }

    /// The verdict. An outcome that an `exists` observes is not a violation.
    pub fn verdict(&self) -> Verdict {
        match (&self.answer, self.standing) {
            (Answer::Observed(result), _) => result.check.verdict,
            (Answer::Checked(result), _) => result.verdict,
            (_, Standing::Holds) => Verdict::Safe,
            (_, Standing::HoldsBounded) => Verdict::SafeBounded,
            (_, Standing::Fails) => Verdict::Violation,
            (_, Standing::Unknown) => Verdict::Unknown,
        }
    }

    /// Whether the limit on memory ended the search before it could tell.
    pub fn is_out_of_memory(&self) -> bool {
        match &self.answer {
            Answer::Reached(result) => {
                matches!(result.unknown, Some(raddle_reach::Unknown::Spent(Spent::Memory)))
            }
            _ => {
                let stopped = self.check().and_then(|result| result.summary.stopped);
                self.standing == Standing::Unknown && stopped == Some(Stopped::Memory)
            }
        }
    }
}

fn standing(property: Property, answer: &Answer) -> Standing {
    let of_verdict = |verdict| match verdict {
        Verdict::Safe => Standing::Holds,
        Verdict::SafeBounded => Standing::HoldsBounded,
        Verdict::Violation => Standing::Fails,
        Verdict::Unknown => Standing::Unknown,
    };
    match answer {
        Answer::Checked(result) => of_verdict(result.verdict),
        Answer::Observed(result) if property == Property::Forbidden => {
            match (result.observation, result.check.verdict) {
                (_, Verdict::Violation) => Standing::Fails,
                (Observation::Sometimes | Observation::Always, _) => Standing::Fails,
                (Observation::Never, verdict) => of_verdict(verdict),
            }
        }
        Answer::Observed(result) => of_verdict(result.check.verdict),
        Answer::Reached(result) => match result.reachable {
            Some(true) => Standing::Fails,
            Some(false) => Standing::Holds,
            None => Standing::Unknown,
        },
        Answer::NoStates => Standing::Unknown,
    }
}

/// The models under which the property holds, and those under which it does not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Standings {
    pub holds: Vec<Model>,
    /// Those of `holds` for which it holds up to bounds only.
    pub bounded: Vec<Model>,
    pub fails: Vec<Model>,
    pub unknown: Vec<Model>,
    /// Those of `holds` that no other of them extends.
    pub weakest: Vec<Model>,
}

impl Standings {
    pub fn of(rows: &[Row]) -> Standings {
        let with = |wanted: &[Standing]| -> Vec<Model> {
            let rows = rows.iter().filter(|row| wanted.contains(&row.standing));
            rows.map(Row::model).collect()
        };
        let holds = with(&[Standing::Holds, Standing::HoldsBounded]);
        Standings {
            weakest: Model::weakest(&holds),
            holds,
            bounded: with(&[Standing::HoldsBounded]),
            fails: with(&[Standing::Fails]),
            unknown: with(&[Standing::Unknown]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODELS: [Model; 5] = [Model::Sc, Model::Tso, Model::Pso, Model::Power, Model::Arm];

    /// Store buffering, with the instruction between a store and the load after it, and the load's order.
    fn store_buffering(between: &str, load: &str, end: &str) -> String {
        format!(
            "global @x: i32
             global @y: i32
             thread P0 = @p(@x, @y)
             thread P1 = @p(@y, @x)
             observe a = P0 %r
             observe b = P1 %r
             {end}
             func @p(%mine: ptr, %other: ptr) {{
               reg %r: i32
             entry:
               store i32 relaxed %mine, 1
               {between}
               %r = load i32 {load} %other
               ret
             }}"
        )
    }

    fn rows(text: &str, property: Option<Property>) -> (Property, Vec<Row>) {
        let program = raddle_ir::text::load("t.rir", text.as_bytes()).expect("well-formed");
        let property = property.unwrap_or(Property::of(&program, false));
        let judged = |model| Row::judged(&program, property, Options::new(model));
        (property, MODELS.map(judged).into())
    }

    #[test]
    fn a_program_that_cannot_fail_is_safe_everywhere() {
        let (property, rows) = rows(&store_buffering("", "relaxed", ""), None);
        assert_eq!(property, Property::Safe);
        let standings = Standings::of(&rows);
        assert_eq!(standings.holds, MODELS);
        assert_eq!(standings.weakest, [Model::Pso, Model::Power, Model::Arm]);
        assert!(standings.bounded.is_empty() && standings.fails.is_empty());
    }

    #[test]
    fn states_are_searched_where_there_is_such_a_search() {
        let (_, rows) = rows(&store_buffering("", "relaxed", ""), Some(Property::Unreachable));
        let standings = Standings::of(&rows);
        assert_eq!(standings.holds, [Model::Sc, Model::Tso]);
        assert_eq!(standings.unknown, [Model::Pso, Model::Power, Model::Arm]);
        assert!(matches!(rows[2].answer, Answer::NoStates));
    }

    #[test]
    fn an_outcome_has_models_that_forbid_it() {
        let ends = "exists (a == 0 && b == 0)";
        let (property, rows) = rows(&store_buffering("", "relaxed", ends), None);
        assert_eq!(property, Property::Forbidden);
        let standings = Standings::of(&rows);
        assert_eq!(standings.weakest, [Model::Sc]);
        assert_eq!(standings.fails, MODELS[1..]);
        assert!(rows.iter().all(|row| row.verdict() == Verdict::Safe), "{rows:?}");
    }

    /// Why POWER and ARM do not extend TSO in the table of models.
    #[test]
    fn power_and_arm_put_fences_where_x86_has_none() {
        let ends = "not exists (a == 0 && b == 0)";
        for (between, load, is_weakest) in
            [("", "seq_cst", Model::Power), ("fence acquire", "relaxed", Model::Arm)]
        {
            let (property, rows) = rows(&store_buffering(between, load, ends), None);
            assert_eq!(property, Property::Safe);
            let standings = Standings::of(&rows);
            assert!(standings.fails.contains(&Model::Tso), "{standings:?}");
            assert_eq!(standings.weakest, [is_weakest], "{standings:?}");
        }
    }

    #[test]
    fn models_that_were_not_searched_are_unknown() {
        for spent in [Spent::Time, Spent::Memory, Spent::Interrupted] {
            for property in [Property::Safe, Property::Forbidden, Property::Unreachable] {
                let row = Row::unsearched(property, Options::new(Model::Tso), spent);
                assert_eq!((row.standing, row.verdict()), (Standing::Unknown, Verdict::Unknown));
                assert_eq!(row.is_out_of_memory(), spent == Spent::Memory, "{property:?}");
            }
        }
    }
}
