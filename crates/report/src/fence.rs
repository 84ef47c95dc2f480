//! The fences that a program needs, as text with the lines of the source, and as JSON.

use crate::{Look, counted};
use raddle_analysis::fence::{Fence, Fences, Outcome, Question, Target};
use raddle_ir::inst::Mnemonic;
use raddle_ir::{LocId, Program};
use serde::Serialize;
use std::fmt::Write;

/// What was asked, and of what.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The file as the user named it.
    pub file: &'a str,
    pub program: &'a Program,
    pub question: &'a Question,
}

/// The whole report.
pub fn text(asked: &Asked<'_>, look: &Look<'_>, result: &Fences) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_report(&mut out, asked, look, result);
    out
}

fn write_report(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    result: &Fences,
) -> std::fmt::Result {
    let Asked { file, question, .. } = asked;
    let model = question.model.name();
    let aim = match question.target {
        Target::Robust => "robust against",
        Target::Goals => "safe under",
    };
    match &result.outcome {
        Outcome::Fences(fences) if fences.is_empty() => {
            writeln!(out, "{file}: no fences needed: {aim} {model} as it is")?;
        }
        Outcome::Fences(fences) => {
            let count = counted(fences.len() as u64, "fence");
            writeln!(out, "{file}: {count} to be {aim} {model}, and no fewer")?;
            fences.iter().try_for_each(|fence| write_fence(out, asked, look, fence))?;
        }
        Outcome::Hopeless(why) => {
            writeln!(out, "{file}: no fences make it {aim} {model}: {why}")?;
        }
        Outcome::Unknown(why) => writeln!(out, "{file}: unknown: {why}")?,
    }
    let places = counted(result.places as u64, "place");
    let queries = counted(result.queries.into(), "program");
    writeln!(out, "  {places} considered, {queries} judged, {:.2} s", result.elapsed.as_secs_f64())
}

/// The fence between the lines of the source that it goes between.
fn write_fence(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    fence: &Fence,
) -> std::fmt::Result {
    let program = asked.program;
    let function = &program.funcs[fence.place.point.func].name;
    let block =
        program.funcs[fence.place.point.func].blocks[fence.place.point.block].name.as_deref();
    let block = block.map_or_else(String::new, |name| format!(", {}", crate::printable(name)));
    let shown = place(asked, fence);
    writeln!(out, "  {shown} ({}{block})", crate::printable(function))?;
    let line = |loc: LocId| {
        let text = look.sources.line(program, loc)?;
        Some((program.loc(loc)?.line, text))
    };
    let (after, before) = (line(fence.place.after), line(fence.place.before));
    if let Some((number, text)) = after.filter(|after| Some(after) != before.as_ref()) {
        writeln!(out, "  {number:>6}   {text}")?;
    }
    writeln!(out, "  {:>6} + {}", "", fence.kind.mnemonic())?;
    if let Some((number, text)) = before {
        writeln!(out, "  {number:>6}   {text}")?;
    }
    Ok(())
}

/// The file and line that the fence goes before; those that it comes after where there are none.
fn place(asked: &Asked<'_>, fence: &Fence) -> String {
    let known = asked.program.place(fence.place.before);
    let known = known.or_else(|| asked.program.place(fence.place.after));
    known.unwrap_or_else(|| asked.file.to_owned())
}

/// A result for machines.
#[derive(Serialize, Debug)]
pub struct Json<'a> {
    file: &'a str,
    model: &'static str,
    /// `robust` or `goal`.
    target: &'static str,
    /// `null` where there is no answer, or no fences help.
    count: Option<usize>,
    fences: Vec<JsonFence>,
    /// Why there is no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    hopeless: bool,
    places: usize,
    queries: u32,
    seconds: f64,
}

#[derive(Serialize, Debug)]
struct JsonFence {
    kind: &'static str,
    function: String,
    block: Option<String>,
    /// The place in the block: before this instruction.
    index: u32,
    /// The line that it goes before.
    file: Option<String>,
    line: Option<u32>,
    /// The line that it comes after.
    after_line: Option<u32>,
}

/// One object.
pub fn json<'a>(asked: &Asked<'a>, result: &'a Fences) -> Json<'a> {
    let (count, fences, why) = match &result.outcome {
        Outcome::Fences(fences) => (Some(fences.len()), &fences[..], None),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => (None, &[][..], Some(&**why)),
    };
    Json {
        file: asked.file,
        model: asked.question.model.name(),
        target: match asked.question.target {
            Target::Robust => "robust",
            Target::Goals => "goal",
        },
        count,
        fences: fences.iter().map(|fence| json_fence(asked.program, fence)).collect(),
        why,
        hopeless: matches!(result.outcome, Outcome::Hopeless(_)),
        places: result.places,
        queries: result.queries,
        seconds: result.elapsed.as_secs_f64(),
    }
}

fn json_fence(program: &Program, fence: &Fence) -> JsonFence {
    let point = fence.place.point;
    let function = &program.funcs[point.func];
    let before = program.loc(fence.place.before);
    JsonFence {
        kind: fence.kind.mnemonic(),
        function: function.name.clone(),
        block: function.blocks[point.block].name.clone(),
        index: point.index,
        file: before.and_then(|loc| program.files.get(loc.file as usize).cloned()),
        line: before.map(|loc| loc.line),
        after_line: program.loc(fence.place.after).map(|loc| loc.line),
    }
}
