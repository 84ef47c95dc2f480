//! Results in the form that reports for other tools are made from: SARIF and JUnit.
//!
//! | module | subject |
//! |---|---|
//! | [`rules`] | the kinds of findings, in words: one table |
//! | [`case`] | the results of commands as cases |
//! | `flow` | the events of a witness that a report shows |
//! | [`sarif`] | cases as SARIF 2.1.0 |
//! | [`junit`] | cases as JUnit's XML |
//!
//! A case owns its data, so that cases can be kept until all searches have ended. What it keeps of a witness is
//! bounded.

pub mod case;
mod flow;
pub mod junit;
pub mod rules;
pub mod sarif;

use crate::json::SourceLine;
use raddle_patch::Replacement;
use rules::Rule;

/// One search of one program under one model.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file as the user named it.
    pub file: String,
    /// The name of the test within its file, if it has one.
    pub test: Option<String>,
    pub command: &'static str,
    /// `None` if the program could not be read.
    pub model: Option<&'static str>,
    pub outcome: Outcome,
    /// The result as text, without colours.
    pub text: String,
    pub seconds: f64,
    pub findings: Vec<Finding>,
}

/// How a case ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    Passed,
    Failed,
    /// The search ended before it could tell.
    Unknown,
    /// The input could not be read.
    Unread,
    /// An interruption came before its turn.
    Skipped,
}

/// Something to report at a place.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    pub message: String,
    /// The cause, in words.
    pub why: Option<String>,
    pub place: SourceLine,
    /// The function of the place, and the text of its line: they stay the same if lines above change.
    pub function: Option<String>,
    pub line_text: Option<String>,
    /// Other places, each with its part in the finding.
    pub related: Vec<(SourceLine, String)>,
    /// The events of the witness, or as many as a report has room for.
    pub flow: Vec<Moment>,
    /// How many executions show it; `None` where they are not counted.
    pub count: Option<u64>,
    /// Why it is accepted, if it is.
    pub accepted: Option<String>,
    /// Changes of the source that mend it.
    pub fix: Option<Fix>,
}

/// Changes of the source.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What they do.
    pub words: String,
    /// The changes of each file.
    pub files: Vec<(String, Vec<Replacement>)>,
}

/// An event of a witness.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Its position among all events, from 1.
    pub number: usize,
    pub thread: String,
    pub place: SourceLine,
    pub what: String,
    pub importance: Importance,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Importance {
    /// The cause refers to it, or the witness ends with it.
    Essential,
    Important,
}
