//! The answer of `fence` for a page: the edits, the reason for each fence, and the patch.

use super::Answer;
use crate::fence::shown::{calls, changed_line, title};
use crate::fence::{Asked, aim, known, notes};
use crate::{counted, printable};
use raddle_analysis::fence::{Fence, Fences, Outcome, Target};
use raddle_ir::{FenceKind, LocId};
use serde::Serialize;
use std::path::Path;

/// The fences that a program needs.
#[derive(Serialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fencing {
    /// `2 fences to be robust against power, and no fewer`
    title: String,
    fences: Vec<Placed>,
    hunks: Vec<Hunk>,
    /// The unified diff, if the edited source was read again and has these fences.
    patch: Option<String>,
}

#[derive(Serialize, Debug)]
struct Placed {
    title: String,
    why: String,
}

/// Changed lines of a file.
#[derive(Serialize, Debug)]
struct Hunk {
    /// `f.c:3`
    place: String,
    /// The number of the first line, before the change.
    first: usize,
    /// The fences that it is for, counted from 0.
    fences: Vec<usize>,
    further: usize,
    /// Each with `+`, `-` or a blank before it.
    lines: Vec<String>,
}

/// The answer of `raddle fence`; `here` is the folder in which the patch is to be applied.
pub fn fences(asked: &Asked<'_>, here: &Path, result: &Fences) -> Answer {
    let model = asked.question.options.model;
    let aim = aim(asked.question.target);
    let (verdict, tone, title, fences) = match &result.outcome {
        Outcome::Fences(fences) if fences.is_empty() => {
            let title = format!("{aim} {model} as it is");
            ("no fences needed".to_owned(), "good", title, &fences[..])
        }
        Outcome::Fences(fences) => {
            let count = counted(fences.len() as u64, "fence");
            let title = format!("{count} to be {aim} {model}, and no fewer");
            (count, "unsure", title, &fences[..])
        }
        Outcome::Hopeless(why) => {
            let title = format!("no fences make it {aim} {model}: {why}");
            ("no fences help".to_owned(), "bad", title, &[][..])
        }
        Outcome::Unknown(why) => {
            let title = match known(asked, result) {
                None => why.clone(),
                Some(known) => format!("{why}; {known}"),
            };
            ("unknown".to_owned(), "unsure", title, result.shown())
        }
    };
    let placed = |fence: &Fence| Placed {
        title: self::title(asked, fence),
        why: why(asked, fence, matches!(result.outcome, Outcome::Fences(_))),
    };
    let found = matches!(&result.outcome, Outcome::Fences(fences) if !fences.is_empty());
    let patch = (found && asked.written.checked.is_some())
        .then(|| String::from_utf8_lossy(&asked.written.patch(here).text).into_owned());
    Answer {
        file: printable(asked.file),
        model: model.name().to_owned(),
        verdict,
        tone,
        notes: notes(asked, result),
        fences: Some(Fencing {
            title: printable(&title),
            fences: fences.iter().map(placed).collect(),
            hunks: asked.written.hunks().iter().map(hunk).collect(),
            patch,
        }),
        ..Answer::default()
    }
}

fn hunk(hunk: &raddle_patch::Hunk) -> Hunk {
    let line = |(change, text): &(raddle_patch::ChangeTag, String)| {
        let sign = change.to_string();
        format!(
            "{}{}",
            if sign.is_empty() { " " } else { &sign },
            printable(&text.replace('\t', "    "))
        )
    };
    Hunk {
        place: format!("{}:{}", printable(&hunk.path.to_string_lossy()), changed_line(hunk)),
        first: hunk.line,
        fences: hunk.fences.clone(),
        further: hunk.further,
        lines: hunk.lines.iter().map(line).collect(),
    }
}

/// The reason for a fence in words.
pub(crate) fn why(asked: &Asked<'_>, fence: &Fence, is_needed: bool) -> String {
    let line = |loc: LocId| asked.program.loc(loc).map(|loc| loc.line);
    let between = match (line(fence.place.after), line(fence.place.before)) {
        (Some(after), Some(before)) if after == before => format!("within line {after}"),
        (Some(after), Some(before)) => {
            format!("up to line {after} from those from line {before} on")
        }
        (None, Some(before)) => format!("before line {before} from those after"),
        (Some(after), None) => format!("up to line {after} from those after"),
        (None, None) => "before it from those after".to_owned(),
    };
    let words = format!("Keeps the accesses {between} apart: {}.", effect(fence.kind));
    let words = match calls(asked, fence) {
        None => words,
        Some(calls) => format!("{words} {calls}."),
    };
    let without = match asked.question.target {
        Target::Robust => "an execution that sequential consistency does not have",
        Target::Goals => "an execution that fails",
    };
    match is_needed {
        true => format!("{words} Without it there is {without}."),
        false => words,
    }
}

/// What the kind of fence orders.
fn effect(kind: FenceKind) -> &'static str {
    match kind {
        FenceKind::Mfence | FenceKind::Full | FenceKind::CSeqCst => {
            "the thread waits until its earlier stores have left its buffer"
        }
        FenceKind::Sync | FenceKind::Dmb | FenceKind::Dsb => {
            "whatever other threads see of the later ones, they see the earlier ones too"
        }
        FenceKind::Lwsync => {
            "they stay in order, except that a later load may come before an earlier store"
        }
        FenceKind::Eieio | FenceKind::DmbSt => {
            "the later stores become visible after the earlier stores"
        }
        _ => "a later access does not overtake an earlier one",
    }
}
