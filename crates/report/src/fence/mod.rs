//! The fences that a program needs, as text with the lines of the source, and as JSON.

pub(crate) mod shown;

use crate::bounds::{self, Bound};
use crate::{Look, Subject, counted, printable, written};
use raddle_analysis::fence::{Fence, Fences, Outcome, Question, Target};
use raddle_analysis::untried_inputs;
use raddle_engine::{Engine, Model};
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
            if !result.candidate.is_empty() {
                let count = counted(result.candidate.len() as u64, "fence");
                writeln!(out, "  it takes at least {count} to be {aim} {model}; these may do:")?;
                write_fences(out, asked, look, &result.candidate)?;
            }
        }
    }
    write_notes(out, asked, result)
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
    // The fences are for the values that were tried.
    for met in untried_inputs(asked.program, 1) {
        writeln!(out, "  bound met: {}", bounds::told(asked.program, &met))?;
    }
    let unknown = matches!(result.outcome, Outcome::Unknown(_));
    if unknown && !Engine::Reach.has(question.options.model) && has_loops(asked.program) {
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
    /// If the answer is unknown: the cheapest set that may be a solution.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidate: Vec<JsonFence>,
    /// Why `count` is `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    hopeless: bool,
    /// The bounds that were met: inputs of which only some values were tried.
    bounds: Vec<Bound>,
    /// The fences as changed lines.
    edits: Vec<JsonEdit>,
    /// `judged` if the edited source was read again and judged to be good, `read` if it has the fences
    /// but was not judged; `null` if not all fences have an edit.
    checked: Option<&'static str>,
    places: usize,
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
}

/// The result as one object.
pub fn json<'a>(asked: &Asked<'a>, result: &'a Fences) -> Json<'a> {
    let (count, fences, why) = match &result.outcome {
        Outcome::Fences(fences) => (Some(fences.len()), &fences[..], None),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => (None, &[][..], Some(&**why)),
    };
    let subject = Subject { file: asked.file, program: asked.program };
    Json {
        file: asked.file,
        model: asked.question.options.model.name(),
        target: match asked.question.target {
            Target::Robust => "robust",
            Target::Goals => "goal",
        },
        count,
        fences: json_fences(asked, fences),
        candidate: json_fences(asked, &result.candidate),
        why,
        hopeless: matches!(result.outcome, Outcome::Hopeless(_)),
        bounds: bounds::listed(&subject, &untried_inputs(asked.program, 1).collect::<Vec<_>>()),
        edits: asked.written.hunks().into_iter().map(json_edit).collect(),
        checked: asked.written.checked.as_ref().map(|checked| match checked {
            Checked::Good => "judged",
            Checked::NotJudged(_) => "read",
        }),
        places: result.places,
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

fn json_fences(asked: &Asked<'_>, fences: &[Fence]) -> Vec<JsonFence> {
    let numbered = fences.iter().enumerate();
    numbered.map(|(number, fence)| json_fence(asked, number, fence)).collect()
}

fn json_fence(asked: &Asked<'_>, number: usize, fence: &Fence) -> JsonFence {
    let statement = asked.written.statements.get(&number);
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
    }
}
