//! The fences that a program needs, as text with the lines of the source, and as JSON.

pub(crate) mod shown;

use crate::bounds::{self, Bound};
use crate::{Look, Subject, counted, printable, written};
use raddle_analysis::fence::{Fence, Fences, Outcome, Question, Target};
use raddle_analysis::untried_inputs;
use raddle_engine::{BoundKind, BoundMet, Engine, Model};
use raddle_ir::Mnemonic;
use raddle_ir::Program;
use raddle_machine::has_loops;
use raddle_patch::{Checked, Hunk, Written};
use serde::Serialize;
use shown::write_fences;
use std::fmt::Write;

/// The query: the program and the goal of the fences.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    pub program: &'a Program,
    pub question: &'a Question,
    /// The fences of the answer as edits.
    pub written: &'a Written,
}

/// The complete report.
pub fn text(asked: &Asked<'_>, look: &Look<'_>, result: &Fences) -> String {
    written(|out| write_report(out, asked, look, result))
}

pub(crate) const fn aim(target: Target) -> &'static str {
    match target {
        Target::Robust => "robust against",
        Target::Goals => "safe under",
    }
}

fn write_report(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    result: &Fences,
) -> std::fmt::Result {
    let Asked { question, .. } = asked;
    let file = printable(asked.file);
    let model = question.options.model.name();
    let aim = aim(question.target);
    match &result.outcome {
        Outcome::Fences(fences) if fences.is_empty() => {
            writeln!(out, "{file}: no fences needed: {aim} {model} as it is")?;
        }
        Outcome::Fences(fences) => {
            let count = counted(fences.len() as u64, "fence");
            writeln!(out, "{file}: {count} to be {aim} {model}, and no fewer")?;
            write_fences(out, asked, look, fences)?;
            write_check(out, asked)?;
        }
        Outcome::Hopeless(why) => {
            writeln!(out, "{file}: no fences make it {aim} {model}: {}", printable(why))?;
        }
        Outcome::Unknown(why) => {
            writeln!(out, "{file}: unknown: {}", printable(why))?;
            if let Some(known) = known(asked, result) {
                writeln!(out, "  {known}:")?;
            }
            write_fences(out, asked, look, result.shown())?;
            if !result.enough.is_empty() {
                write_check(out, asked)?;
            }
        }
    }
    write_notes(out, asked, result)
}

/// What a search that gave up knows about the number of fences.
pub(crate) fn known(asked: &Asked<'_>, result: &Fences) -> Option<String> {
    let (model, aim) = (asked.question.options.model, aim(asked.question.target));
    let least = counted(result.at_least as u64, "fence");
    let clauses = counted(result.clauses as u64, "clause");
    let need = format!("it takes at least {least} to be {aim} {model} ({clauses} learned)");
    match (&*result.enough, &*result.candidate) {
        ([], []) if result.at_least == 0 => None,
        ([], []) => Some(need),
        ([], _) => Some(format!("{need}; these may do")),
        (enough, _) => {
            let count = enough.len();
            let proof = match count == result.at_least {
                true => "perhaps weaker ones do",
                false => "not proven to be the fewest",
            };
            Some(format!("{need}; these {count} suffice, {proof}"))
        }
    }
}

/// The remarks beside the fences, in lines.
pub(crate) fn notes(asked: &Asked<'_>, result: &Fences) -> Vec<String> {
    let notes =
        written(|out| write_check(out, asked).and_then(|()| write_notes(out, asked, result)));
    notes.lines().map(|line| printable(line.trim())).collect()
}

fn write_notes(out: &mut String, asked: &Asked<'_>, result: &Fences) -> std::fmt::Result {
    let question = asked.question;
    let model = question.options.model.name();
    let avoided = &question.avoided.named;
    if !avoided.is_empty() {
        writeln!(out, "  with no fence in {} (--avoid)", printable(&avoided.join(", ")))?;
    }
    // The fences are for the values that were tried.
    for met in untried_inputs(asked.program, 1) {
        writeln!(out, "  bound met: {}", bounds::told(asked.program, &met))?;
    }
    for met in &result.bounds {
        writeln!(out, "  bound met: {}", bounds::told(asked.program, met))?;
    }
    // A loop that goes round more often than `--unroll` allows need not be endless.
    let endless = |met: &BoundMet| !matches!(met.kind, BoundKind::Iterations | BoundKind::Inputs);
    // Where time ran out before a bound was met, the loops may be the reason.
    let unknown = matches!(result.outcome, Outcome::Unknown(_)) && result.bounds.is_empty();
    let unknown = unknown && !Engine::Reach.has(question.options.model);
    if (unknown || result.bounds.iter().any(endless)) && has_loops(asked.program) {
        let weak = |model: &Model| model.is_buffered();
        let judged = Model::names(Engine::Reach.models().filter(weak));
        writeln!(
            out,
            "  loops that never end are judged under {judged} only; under {model} they must end"
        )?;
    }
    let places = counted(result.places as u64, "place");
    let queries = counted(result.queries.into(), "program");
    writeln!(out, "  {places} considered, {queries} judged, {:.2} s", result.elapsed.as_secs_f64())
}

/// Writes whether the edited source was checked.
fn write_check(out: &mut String, asked: &Asked<'_>) -> std::fmt::Result {
    match &asked.written.checked {
        Some(Checked::Good) => {
            let (model, aim) = (asked.question.options.model.name(), aim(asked.question.target));
            writeln!(out, "  the source with these edits was read and judged again: {aim} {model}")
        }
        Some(Checked::NotJudged(why)) => writeln!(
            out,
            "  the source with these edits was read again and has these fences, and was not judged: {why}"
        ),
        None => Ok(()),
    }
}

/// The source file that the fence goes into.
fn file<'a>(asked: &Asked<'a>, fence: &Fence) -> &'a str {
    let place = &fence.place;
    let loc = asked.program.loc(place.before).or_else(|| asked.program.loc(place.after));
    let file = loc.and_then(|loc| asked.program.files.get(loc.file as usize));
    file.map_or(asked.file, |file| file)
}

/// The file and line before which the fence goes; if there is none, those after which it comes.
fn shown_place(asked: &Asked<'_>, fence: &Fence) -> String {
    let known = asked.program.place(fence.place.before);
    let known = known.or_else(|| asked.program.place(fence.place.after));
    known.unwrap_or_else(|| asked.file.to_owned())
}

/// The result as JSON.
#[derive(Serialize, Debug)]
pub struct Json<'a> {
    file: &'a str,
    model: &'static str,
    /// `robust` or `goal`.
    target: &'static str,
    /// `null` if the answer is unknown, or if no fences help.
    count: Option<usize>,
    fences: Vec<JsonFence>,
    /// No set of fewer fences is a solution; `null` if no fences help.
    at_least: Option<usize>,
    /// The number of fences of a set that is a solution, if one is known.
    at_most: Option<usize>,
    /// If the answer is unknown: a set that is a solution, which may not be the smallest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    enough: Vec<JsonFence>,
    /// If the answer is unknown: the cheapest set that may be a solution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidate: Vec<JsonFence>,
    /// Why `count` is `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    hopeless: bool,
    /// The files and functions without fences, as the user named them.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    avoided: &'a [String],
    /// The bounds that were met: inputs of which only some values were tried, and the reasons why a set could not
    /// be judged.
    bounds: Vec<Bound>,
    /// The fences as changed lines.
    edits: Vec<JsonEdit>,
    /// `judged` if the edited source was read again and judged to be good, `read` if it has the fences
    /// but was not judged; `null` if not all fences have an edit.
    checked: Option<&'static str>,
    places: usize,
    /// The number of clauses that were learned.
    clauses: usize,
    queries: u32,
    seconds: f64,
}

/// Changed lines, with context.
#[derive(Serialize, Debug)]
struct JsonEdit {
    file: String,
    /// The number of the first line, before the change.
    line: usize,
    /// The fences that it is for; empty if it is for all.
    fences: Vec<usize>,
    /// The number of further fences that it gives, because the same text is used elsewhere.
    further: usize,
    lines: Vec<JsonLine>,
}

#[derive(Serialize, Debug)]
struct JsonLine {
    /// `-`, `+` or a space.
    change: String,
    text: String,
}

#[derive(Serialize, Debug)]
struct JsonFence {
    kind: &'static str,
    /// The text of the fence in the language of the source; `null` if it has no edit.
    statement: Option<String>,
    /// The header that the statement needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'static str>,
    function: String,
    block: Option<String>,
    /// The index of the instruction in the block before which the fence goes.
    index: u32,
    /// The file and line before which it goes.
    file: Option<String>,
    line: Option<u32>,
    /// The line after which it comes.
    after_line: Option<u32>,
    /// Whether the two lines are the same, so that the fence goes between parts of a line.
    within_line: bool,
    /// The number of calls of the function by name, of functions that call it, and of call stacks with which it
    /// runs. The fence takes effect in all of them.
    calls: u32,
    callers: u32,
    call_stacks: u32,
}

/// The result as one object.
pub fn json<'a>(asked: &Asked<'a>, result: &'a Fences) -> Json<'a> {
    let (count, why) = match &result.outcome {
        Outcome::Fences(fences) => (Some(fences.len()), None),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => (None, Some(&**why)),
    };
    let (hopeless, written) = (matches!(result.outcome, Outcome::Hopeless(_)), result.shown());
    let enough = Some(result.enough.len()).filter(|count| *count > 0);
    // Only the fences that are shown are written as edits.
    let listed = |fences: &[Fence]| {
        let is_written = std::ptr::eq(fences, written);
        let fence = |(number, fence)| json_fence(asked, is_written.then_some(number), fence);
        fences.iter().enumerate().map(fence).collect::<Vec<_>>()
    };
    let subject = Subject { file: asked.file, program: asked.program };
    let inputs: Vec<BoundMet> = untried_inputs(asked.program, 1).collect();
    Json {
        file: asked.file,
        model: asked.question.options.model.name(),
        target: match asked.question.target {
            Target::Robust => "robust",
            Target::Goals => "goal",
        },
        count,
        fences: count.map_or_else(Vec::new, |_| listed(written)),
        at_least: (!hopeless).then_some(result.at_least),
        at_most: count.or(enough),
        enough: listed(&result.enough),
        candidate: listed(&result.candidate),
        why,
        hopeless,
        avoided: &asked.question.avoided.named,
        bounds: bounds::listed(&subject, &[inputs, result.bounds.clone()].concat()),
        edits: asked.written.hunks().into_iter().map(json_edit).collect(),
        checked: asked.written.checked.as_ref().map(|checked| match checked {
            Checked::Good => "judged",
            Checked::NotJudged(_) => "read",
        }),
        places: result.places,
        clauses: result.clauses,
        queries: result.queries,
        seconds: result.elapsed.as_secs_f64(),
    }
}

fn json_edit(hunk: Hunk) -> JsonEdit {
    let lines = hunk.lines.into_iter();
    let lines = lines.map(|(change, text)| JsonLine { change: change.to_string(), text });
    let file = hunk.path.display().to_string();
    JsonEdit {
        file,
        line: hunk.line,
        fences: hunk.fences,
        further: hunk.further,
        lines: lines.collect(),
    }
}

/// `number` is the number of the fence among those that are written as edits.
fn json_fence(asked: &Asked<'_>, number: Option<usize>, fence: &Fence) -> JsonFence {
    let statement = number.and_then(|number| asked.written.statements.get(&number));
    let program = asked.program;
    let point = fence.place.point;
    let function = &program.funcs[point.func];
    let before = program.loc(fence.place.before);
    JsonFence {
        kind: fence.kind.mnemonic(),
        header: statement.and_then(|statement| statement.header),
        statement: statement.map(|statement| statement.words.clone()),
        function: function.name.clone(),
        block: function.blocks[point.block].name.clone(),
        index: point.index,
        file: before.and_then(|loc| program.files.get(loc.file as usize).cloned()),
        line: before.map(|loc| loc.line),
        after_line: program.loc(fence.place.after).map(|loc| loc.line),
        within_line: fence.place.within_line,
        calls: fence.place.calls.sites,
        callers: fence.place.calls.callers,
        call_stacks: fence.place.calls.stacks,
    }
}
