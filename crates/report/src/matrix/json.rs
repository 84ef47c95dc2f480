//! The table as one object.

use super::Table;
use crate::bounds::{self, Bound};
use crate::json::SourceLine;
use raddle_analysis::fence::{Fence, Fences, Outcome, Target};
use raddle_analysis::matrix::{Answer, Row, Standings};
use raddle_budget::peak_memory;
use raddle_engine::{Model, Stopped};
use raddle_ir::Mnemonic;
use serde::Serialize;
use std::collections::BTreeSet;

/// The table as JSON.
#[derive(Serialize, Debug)]
pub struct Matrix<'a> {
    file: &'a str,
    /// The optimisation that the program was compiled with; null if none.
    optimised: Option<&'a str>,
    /// The functions that the user stands in for, in words.
    stubs: &'a [String],
    /// `safe`, `forbidden` (an outcome) or `unreachable` (a goal).
    property: &'static str,
    /// The kinds of errors that are not checked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_checked: Vec<&'static str>,
    models: Vec<Cell<'a>>,
    /// The models under which the property holds; those up to bounds are also in `bounded`.
    holds: Vec<&'static str>,
    bounded: Vec<&'static str>,
    fails: Vec<&'static str>,
    unknown: Vec<&'static str>,
    /// Those of `holds` that no other of them extends.
    weakest: Vec<&'static str>,
    /// The peak memory of the process, in bytes; null if it is not known.
    peak: Option<u64>,
    seconds: f64,
}

/// The program under one model.
#[derive(Serialize, Debug)]
struct Cell<'a> {
    model: &'static str,
    strategy: &'static str,
    verdict: &'static str,
    /// What a litmus test observes; null for other programs.
    observation: Option<&'static str>,
    /// Null where states were searched, or nothing was.
    executions: Option<u64>,
    states: Option<u64>,
    error: Option<FirstError>,
    /// Why the verdict is unknown, or safe up to bounds only.
    reason: Option<String>,
    bounds: Vec<Bound>,
    stopped: Option<&'static str>,
    /// The suppressions that matched errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suppressed: Vec<String>,
    /// Whether data races were looked for.
    races: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    fences: Option<Needed<'a>>,
    seconds: f64,
}

#[derive(Serialize, Debug)]
struct FirstError {
    kind: &'static str,
    file: String,
    line: Option<u32>,
    message: String,
}

/// The fences that the program needs under a model.
#[derive(Serialize, Debug)]
struct Needed<'a> {
    /// `robust` or `goal`.
    target: &'static str,
    /// Null if the answer is unknown, or if no fences help.
    count: Option<usize>,
    places: Vec<FenceLine<'a>>,
    /// No set of fewer fences is a solution; null if no fences help.
    at_least: Option<usize>,
    /// The number of fences of a set that is a solution, if one is known.
    at_most: Option<usize>,
    hopeless: bool,
    why: Option<&'a str>,
    seconds: f64,
}

#[derive(Serialize, Debug)]
struct FenceLine<'a> {
    kind: &'static str,
    function: &'a str,
    /// The file and line before which the fence goes.
    file: Option<String>,
    line: Option<u32>,
    /// The line after which it comes.
    after_line: Option<u32>,
}

/// The table as one object.
pub fn json<'a>(table: &'a Table<'a>) -> Matrix<'a> {
    let Standings { holds, bounded, fails, unknown, weakest } = Standings::of(table.rows);
    let names = |models: Vec<Model>| models.into_iter().map(Model::name).collect();
    Matrix {
        file: table.file,
        optimised: table.optimised,
        stubs: table.stubs,
        property: table.property.name(),
        not_checked: table.ignored.unchecked().collect(),
        models: table.rows.iter().map(|row| cell(table, row)).collect(),
        holds: names(holds),
        bounded: names(bounded),
        fails: names(fails),
        unknown: names(unknown),
        weakest: names(weakest),
        peak: peak_memory(),
        seconds: table.elapsed.as_secs_f64(),
    }
}

fn cell<'a>(table: &'a Table<'a>, row: &'a Row) -> Cell<'a> {
    let remark = table.remark(row);
    let reason = remark.as_ref().filter(|found| found.kind.is_none());
    let error = remark.as_ref().and_then(|found| {
        let SourceLine { file, line } = table.subject().line(found.loc);
        Some(FirstError { kind: found.kind?, file, line, message: found.message.clone() })
    });
    let summary = row.check().map(|result| &result.summary);
    let states = match &row.answer {
        Answer::Reached(result) => Some(result.effort.states),
        _ => None,
    };
    Cell {
        model: row.model().name(),
        strategy: row.options.strategy.name(),
        verdict: row.verdict().name(),
        observation: match &row.answer {
            Answer::Observed(result) => Some(result.observation.name()),
            _ => None,
        },
        executions: summary.map(|summary| summary.executions),
        states,
        error,
        reason: reason.map(|found| found.message.clone()),
        bounds: summary.map_or(Vec::new(), |all| bounds::listed(&table.subject(), &all.bounds)),
        stopped: summary.and_then(|summary| summary.stopped).map(Stopped::name),
        suppressed: suppressed(table, row),
        races: row.options.checks.races,
        fences: table
            .target
            .and_then(|target| row.fences.as_ref().map(|fences| needed(table, target, fences))),
        seconds: table.elapsed(row).as_secs_f64(),
    }
}

fn suppressed(table: &Table<'_>, row: &Row) -> Vec<String> {
    let numbers: BTreeSet<usize> = super::suppressed(row).collect();
    let known = numbers.into_iter().filter_map(|number| table.ignored.known.get(number));
    known.map(ToString::to_string).collect()
}

fn needed<'a>(table: &Table<'a>, target: Target, fences: &'a Fences) -> Needed<'a> {
    let (chosen, why) = match &fences.outcome {
        Outcome::Fences(chosen) => (Some(chosen), None),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => (None, Some(&**why)),
    };
    let hopeless = matches!(fences.outcome, Outcome::Hopeless(_));
    let enough = Some(fences.enough.len()).filter(|count| *count > 0);
    Needed {
        target: match target {
            Target::Robust => "robust",
            Target::Goals => "goal",
        },
        count: chosen.map(Vec::len),
        places: chosen.into_iter().flatten().map(|fence| place(table, fence)).collect(),
        at_least: (!hopeless).then_some(fences.at_least),
        at_most: chosen.map(Vec::len).or(enough),
        hopeless,
        why,
        seconds: fences.elapsed.as_secs_f64(),
    }
}

fn place<'a>(table: &Table<'a>, fence: &Fence) -> FenceLine<'a> {
    let program = table.program;
    let before = program.loc(fence.place.before);
    FenceLine {
        kind: fence.kind.mnemonic(),
        function: &program.funcs[fence.place.point.func].name,
        file: before.and_then(|loc| program.files.get(loc.file as usize).cloned()),
        line: before.map(|loc| loc.line),
        after_line: program.loc(fence.place.after).map(|loc| loc.line),
    }
}
