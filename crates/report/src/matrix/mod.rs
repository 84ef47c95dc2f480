//! One program under several models: as a table, as JSON, and as a page.
//!
//! | module | subject |
//! |---|---|
//! | this one | the parts that all three show: what was found under a model, and the sentences about all of them |
//! | `table` | text |
//! | `html` | a self-contained page |
//! | `json` | one object |

mod html;
mod json;
mod table;

pub use html::html;
pub use json::{Matrix as Json, json};
pub use table::text;

use crate::{Run, Subject, check, printable};
use raddle_analysis::Offence;
use raddle_analysis::fence::{Fence, Fences, Outcome, Target};
use raddle_analysis::matrix::{Answer, Property, Row, Standing, Standings};
use raddle_engine::{Engine, Failure, FailureKind, FailureSite, Ignored, Model, Stopped};
use raddle_ir::{LocId, Mnemonic, Verified};
use std::time::Duration;

/// A program and its rows.
#[derive(Clone, Copy, Debug)]
pub struct Table<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    pub program: &'a Verified,
    pub property: Property,
    pub rows: &'a [Row],
    /// The aim of the fences, if they were asked for.
    pub target: Option<Target>,
    /// Whether data races were asked for.
    pub races: bool,
    /// The errors that are not reported.
    pub ignored: &'a Ignored,
    /// The optimisation that the program was compiled with.
    pub optimised: Option<&'a str>,
    /// The functions that the user stands in for, in words.
    pub stubs: &'a [String],
    pub elapsed: Duration,
}

/// The first error under a model, or the reason why the answer is not certain.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Remark {
    /// The kind of an error; `None` for a reason.
    kind: Option<&'static str>,
    loc: LocId,
    /// Where witnesses show it.
    shown: LocId,
    message: String,
}

impl Remark {
    fn reason(message: impl Into<String>) -> Remark {
        Remark { kind: None, loc: LocId::NONE, shown: LocId::NONE, message: message.into() }
    }

    fn error(site: &FailureSite) -> Remark {
        let (loc, shown, message) = (site.loc, site.shown, site.message.clone());
        Remark { kind: Some(site.kind.name()), loc, shown, message }
    }
}

impl<'a> Table<'a> {
    fn subject(&self) -> Subject<'a> {
        Subject { file: self.file, program: self.program }
    }

    fn run(&self, row: &'a Row) -> Run<'a> {
        Run { file: self.file, program: self.program, options: &row.options }
    }

    /// The answer under a model in a word or two.
    fn word(&self, row: &Row) -> String {
        let word = match (self.property, row.standing) {
            (Property::Safe, Standing::Holds) => "safe",
            (Property::Safe, Standing::HoldsBounded) => "safe up to bounds",
            (Property::Safe, Standing::Fails) => "violation",
            (Property::Unreachable, Standing::Holds | Standing::HoldsBounded) => "unreachable",
            (Property::Unreachable, Standing::Fails) => "reachable",
            (_, Standing::Unknown) => "unknown",
            (Property::Forbidden, Standing::HoldsBounded) => "Never, up to bounds",
            (Property::Forbidden, _) => match &row.answer {
                Answer::Observed(result) => result.observation.name(),
                _ => "unknown",
            },
        };
        word.to_owned()
    }

    /// The models that fences were computed for.
    fn fenced(&self) -> Vec<(&'a Row, &'a Fences)> {
        let computed = self.rows.iter().filter_map(|row| Some((row, row.fences.as_ref()?)));
        computed.collect()
    }

    /// The number of executions, or of states.
    fn effort(&self, row: &Row) -> (u64, &'static str) {
        match &row.answer {
            Answer::Reached(result) => (result.effort.states, "states"),
            Answer::NoStates => (0, "states"),
            _ => (row.check().map_or(0, |result| result.summary.executions), "executions"),
        }
    }

    fn elapsed(&self, row: &Row) -> Duration {
        match &row.answer {
            Answer::Reached(result) => result.effort.elapsed,
            _ => row.check().map_or(Duration::ZERO, |result| result.elapsed),
        }
    }

    /// The first error, or the reason why there is no certain answer.
    fn remark(&self, row: &'a Row) -> Option<Remark> {
        match &row.answer {
            Answer::NoStates => {
                let models: Vec<Model> = Engine::Reach.models().collect();
                return Some(Remark::reason(format!(
                    "loops that need not end are decided under {} only",
                    all_of(&models)
                )));
            }
            Answer::Reached(result) => {
                if let Some(found) = &result.reached {
                    return Some(match &found.failure {
                        Some(site) => Remark::error(site),
                        None => {
                            Remark { kind: Some("goal"), ..Remark::reason("a goal is reached") }
                        }
                    });
                }
                return crate::reach::reason(result).map(Remark::reason);
            }
            Answer::Checked(_) | Answer::Observed(_) => {}
        }
        let result = row.check()?;
        if let Some(violation) = result.violations.first() {
            return Some(match &violation.offence {
                Offence::Failed(failure) => Remark::error(&failure.site),
                Offence::Condition(_) => Remark {
                    kind: Some("condition"),
                    ..Remark::reason(format!("{} fails", crate::condition::spelled(self.program)))
                },
            });
        }
        let run = self.run(row);
        let unsupported = |failure: &Failure| Remark::error(&failure.site);
        let by_limit = result.summary.stopped.filter(|stopped| *stopped != Stopped::Failure);
        let bound = result.summary.bounds.first();
        if let Some(failure) = result.unsupported.first() {
            Some(unsupported(failure))
        } else if let Some(offence) = result.unconfirmed.first() {
            Some(Remark::reason(check::defect_phrase(&run, offence)))
        } else if let Some(offence) = result.unreplayed.first() {
            Some(Remark::reason(check::unreplayed_phrase(&run, offence)))
        } else if let Some(stopped) = by_limit {
            Some(Remark::reason(format!("stopped early: {}", stopped.phrase())))
        } else if result.shows_nothing {
            Some(Remark::reason("no execution ran to its end"))
        } else {
            bound.map(|bound| {
                Remark::reason(format!("bound met: {}", check::bound_phrase(&run, bound)))
            })
        }
    }

    /// `assertion at prog.c:62: owner == me`
    fn phrase(&self, remark: &Remark) -> String {
        let Some(kind) = remark.kind else { return printable(&remark.message) };
        // A deadlock names the position of each thread itself.
        let place =
            self.program.place(remark.shown).filter(|_| kind != FailureKind::Deadlock.name());
        let place = place.map_or(String::new(), |place| format!(" at {place}"));
        printable(&format!("{kind}{place}: {}", remark.message))
    }

    /// What fences do under a model, in a word or two; `None` if that was not asked.
    fn fences(&self, row: &Row) -> Option<String> {
        self.target?;
        Some(match row.fences.as_ref().map(|fences| &fences.outcome) {
            None if matches!(row.standing, Standing::Holds | Standing::HoldsBounded) => {
                "0".to_owned()
            }
            None => "-".to_owned(),
            Some(Outcome::Fences(fences)) => fences.len().to_string(),
            Some(Outcome::Hopeless(_)) => "none help".to_owned(),
            Some(Outcome::Unknown(_)) => "unknown".to_owned(),
        })
    }

    /// The places of the fences under a model, or why there are none.
    fn fence_lines(&self, fences: &Fences) -> Vec<String> {
        match &fences.outcome {
            Outcome::Fences(fences) => fences.iter().map(|fence| self.fence(fence)).collect(),
            Outcome::Hopeless(why) => vec![format!("no fences help: {}", printable(why))],
            Outcome::Unknown(why) => {
                let least = fences.at_least;
                let most = match fences.enough.len() {
                    0 => String::new(),
                    count => format!(", {count} suffice"),
                };
                let seconds = fences.elapsed.as_secs_f64();
                vec![format!(
                    "unknown after {seconds:.1} s: {}; at least {least}{most}",
                    printable(why)
                )]
            }
        }
    }

    /// `mfence before prog.c:39 (lock)`
    fn fence(&self, fence: &Fence) -> String {
        let place = &fence.place;
        let before = self.program.place(place.before).map(|at| format!(" before {at}"));
        let after = || self.program.place(place.after).map(|at| format!(" after {at}"));
        let at = before.or_else(after).unwrap_or_default();
        let function = &self.program.funcs[place.point.func].name;
        printable(&format!("{}{at} ({function})", fence.kind.mnemonic()))
    }

    /// The heading of what the fences are for.
    fn aim(&self) -> Option<&'static str> {
        self.target.map(|target| match (target, self.property) {
            (Target::Robust, _) => "to be robust",
            (Target::Goals, Property::Safe) => "to be safe",
            (Target::Goals, Property::Forbidden) => "to forbid the outcome",
            (Target::Goals, Property::Unreachable) => "to be unreachable",
        })
    }

    /// The sentences about all models together.
    fn sentences(&self) -> Vec<String> {
        let Standings { holds, bounded, fails, unknown, weakest } = Standings::of(self.rows);
        let (holding, failing) = match self.property {
            Property::Safe => ("safe", "not safe"),
            Property::Forbidden => ("never observed", "observed"),
            Property::Unreachable => ("unreachable", "reachable"),
        };
        let told = [(holding, &holds), (failing, &fails), ("unknown", &unknown)];
        let told = told.into_iter().filter(|(_, models)| !models.is_empty());
        let told: Vec<String> =
            told.map(|(what, models)| format!("{what} under {}", all_of(models))).collect();
        let mut sentences = vec![told.join("; ")];
        if !bounded.is_empty() {
            sentences.push(format!("up to bounds only under {}", all_of(&bounded)));
        }
        sentences.push(match &*weakest {
            [] => format!("{holding} under none of these models"),
            [only] => format!("the weakest model under which it is {holding}: {only}"),
            several => {
                format!("the weakest models under which it is {holding}: {}", all_of(several))
            }
        });
        let unchecked = self.rows.iter().filter(|row| self.races && !row.options.checks.races);
        let unchecked: Vec<Model> = unchecked.map(Row::model).collect();
        if !unchecked.is_empty() {
            let models = all_of(&unchecked);
            sentences.push(format!("data races were not looked for under {models}"));
        }
        let unchecked: Vec<&str> = self.ignored.unchecked().collect();
        if !unchecked.is_empty() {
            sentences.push(format!("not checked: {} (--no-check)", unchecked.join(", ")));
        }
        for (number, known) in self.ignored.known.iter().enumerate() {
            let showing = self.rows.iter().filter(|row| suppressed(row).any(|n| n == number));
            let showing: Vec<Model> = showing.map(Row::model).collect();
            if !showing.is_empty() {
                let (models, reason) = (all_of(&showing), printable(&known.reason));
                sentences.push(format!("suppressed under {models}: {known}: {reason}"));
            }
        }
        if !self.program.partial_inputs().is_empty() {
            sentences.push(crate::bounds::INPUTS.to_owned());
        }
        if let Some(level) = self.optimised {
            sentences
                .push(format!("as compiled with {level}, which may merge, move or drop accesses"));
        }
        if !self.stubs.is_empty() {
            sentences.push(format!("with stubs (--stub): {}", self.stubs.join("; ")));
        }
        sentences
    }
}

/// The suppressions that matched errors under a model, by their numbers.
fn suppressed(row: &Row) -> impl Iterator<Item = usize> {
    row.check().into_iter().flat_map(|result| result.suppressed.iter().map(|(number, _)| *number))
}

/// `sc`, `sc and tso`, `sc, tso and pso`
fn all_of(models: &[Model]) -> String {
    Model::names(models.iter().copied()).replace(" or ", " and ")
}
