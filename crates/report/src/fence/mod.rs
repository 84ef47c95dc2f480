//! The fences that a program needs, as text with the lines of the source, and as JSON.

mod statement;

use crate::{Look, counted};
use raddle_analysis::fence::{Fence, Fences, Outcome, Question, Target, WeakModel};
use raddle_ir::Mnemonic;
use raddle_ir::{LocId, Program};
use raddle_machine::has_loops;
use serde::Serialize;
use statement::{Language, header, statement};
use std::collections::BTreeSet;
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
            write_fences(out, asked, look, fences)?;
        }
        Outcome::Hopeless(why) => {
            writeln!(out, "{file}: no fences make it {aim} {model}: {why}")?;
        }
        Outcome::Unknown(why) if result.candidate.is_empty() => {
            writeln!(out, "{file}: unknown: {why}")?;
        }
        Outcome::Unknown(why) => {
            writeln!(out, "{file}: unknown: {why}")?;
            let count = counted(result.candidate.len() as u64, "fence");
            writeln!(out, "  it takes at least {count} to be {aim} {model}; these may do:")?;
            write_fences(out, asked, look, &result.candidate)?;
        }
    }
    let unknown = matches!(result.outcome, Outcome::Unknown(_));
    if unknown && question.model != WeakModel::Tso && has_loops(asked.program) {
        let model = question.model.name();
        writeln!(
            out,
            "  loops that never end are judged under tso only; under {model} they must end"
        )?;
    }
    let places = counted(result.places as u64, "place");
    let queries = counted(result.queries.into(), "program");
    writeln!(out, "  {places} considered, {queries} judged, {:.2} s", result.elapsed.as_secs_f64())
}

fn write_fences(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    fences: &[Fence],
) -> std::fmt::Result {
    fences.iter().try_for_each(|fence| write_fence(out, asked, look, fence))?;
    let needed = fences.iter().filter_map(|fence| {
        let file = file(asked, fence);
        Some((file, header(Language::of(file), fence.kind)?))
    });
    for (file, header) in needed.collect::<BTreeSet<_>>() {
        if look.sources.lacks_include(file, header) {
            let file = crate::printable(file);
            writeln!(
                out,
                "  a fence needs #include <{header}>, which {file} does not have itself"
            )?;
        }
    }
    Ok(())
}

/// A line of the source, and where in it the position is.
struct Shown {
    number: u32,
    text: String,
    offset: Option<usize>,
}

impl Shown {
    fn of(asked: &Asked<'_>, look: &Look<'_>, loc: LocId) -> Option<Shown> {
        let (text, offset) = look.sources.line_and_offset(asked.program, loc)?;
        Some(Shown { number: asked.program.loc(loc)?.line, text, offset })
    }

    fn write(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "  {:>6}   {}", self.number, self.text)
    }

    /// A mark below the position.
    fn mark(&self, out: &mut String, note: &str) -> std::fmt::Result {
        let offset = self.offset.unwrap_or(0);
        writeln!(out, "  {:>6}   {:offset$}^ {note}", "", "")
    }
}

/// The fence between the lines of the source that it goes between, or within one.
fn write_fence(
    out: &mut String,
    asked: &Asked<'_>,
    look: &Look<'_>,
    fence: &Fence,
) -> std::fmt::Result {
    let Fence { place, kind } = fence;
    let language = language(asked, fence);
    let function = &asked.program.funcs[place.point.func];
    let block = function.blocks[place.point.block].name.as_deref();
    let block = block.filter(|_| !language.is_compiled());
    let block = block.map_or_else(String::new, |name| format!(", {}", crate::printable(name)));
    let name = crate::printable(&function.name);
    writeln!(out, "  {} ({name}{block}): {}", shown_place(asked, fence), kind.mnemonic())?;
    let statement = statement(language, *kind);
    let (after, before) =
        (Shown::of(asked, look, place.after), Shown::of(asked, look, place.before));
    if let Some(line) = after.as_ref().filter(|_| place.within_line) {
        line.write(out)?;
        line.mark(out, "after this, before the rest of the line")?;
        return writeln!(out, "  {:>6} + {statement}", "");
    }
    if let Some(line) = after {
        line.write(out)?;
    }
    writeln!(out, "  {:>6} + {statement}", "")?;
    let Some(line) = before else { return Ok(()) };
    line.write(out)?;
    match line.offset {
        Some(1..) if is_inside(language, fence) => line.mark(out, "before this"),
        _ => Ok(()),
    }
}

/// Whether what follows the fence may not be what its line begins with: columns of a litmus test,
/// conditions of loops.
fn is_inside(language: Language, fence: &Fence) -> bool {
    let point = fence.place.point;
    match language {
        Language::Litmus => true,
        Language::C | Language::Cpp => point.index == 0 && point.block.as_u32() != 0,
        Language::Rir | Language::Other => false,
    }
}

/// The source file that the fence goes into.
fn file<'a>(asked: &Asked<'a>, fence: &Fence) -> &'a str {
    let place = &fence.place;
    let loc = asked.program.loc(place.before).or_else(|| asked.program.loc(place.after));
    let file = loc.and_then(|loc| asked.program.files.get(loc.file as usize));
    file.map_or(asked.file, |file| file)
}

fn language(asked: &Asked<'_>, fence: &Fence) -> Language {
    Language::of(file(asked, fence))
}

/// The file and line that the fence goes before; those that it comes after where there are none.
fn shown_place(asked: &Asked<'_>, fence: &Fence) -> String {
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
    /// Where there is no answer: no cheaper set will do, and this one may.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    candidate: Vec<JsonFence>,
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
    /// What to write in the language of the source.
    statement: String,
    /// The header that the statement needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'static str>,
    function: String,
    block: Option<String>,
    /// The place in the block: before this instruction.
    index: u32,
    /// The line that it goes before.
    file: Option<String>,
    line: Option<u32>,
    /// The line that it comes after.
    after_line: Option<u32>,
    /// Whether the two are the same, and the fence goes between parts of it.
    within_line: bool,
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
        fences: fences.iter().map(|fence| json_fence(asked, fence)).collect(),
        candidate: result.candidate.iter().map(|fence| json_fence(asked, fence)).collect(),
        why,
        hopeless: matches!(result.outcome, Outcome::Hopeless(_)),
        places: result.places,
        queries: result.queries,
        seconds: result.elapsed.as_secs_f64(),
    }
}

fn json_fence(asked: &Asked<'_>, fence: &Fence) -> JsonFence {
    let program = asked.program;
    let point = fence.place.point;
    let function = &program.funcs[point.func];
    let before = program.loc(fence.place.before);
    JsonFence {
        kind: fence.kind.mnemonic(),
        statement: statement(language(asked, fence), fence.kind),
        header: header(language(asked, fence), fence.kind),
        function: function.name.clone(),
        block: function.blocks[point.block].name.clone(),
        index: point.index,
        file: before.and_then(|loc| program.files.get(loc.file as usize).cloned()),
        line: before.map(|loc| loc.line),
        after_line: program.loc(fence.place.after).map(|loc| loc.line),
        within_line: fence.place.within_line,
    }
}
