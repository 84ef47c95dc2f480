//! Changed lines of a file, for display.

use crate::FileEdit;
use crate::diff::lines;
use similar::{ChangeTag, DiffOp, TextDiff};
use std::path::PathBuf;

/// Consecutive lines, at least one of which is changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    pub path: PathBuf,
    /// The first line, counted from 1, in the old text.
    pub line: usize,
    /// The lines without line endings.
    pub lines: Vec<(ChangeTag, String)>,
    /// The fences that the change is for; empty if it is for all fences of the file.
    pub fences: Vec<usize>,
    /// The number of further fences that the change gives, because the same text is used elsewhere.
    pub further: usize,
}

pub(crate) fn hunks(edit: &FileEdit) -> Vec<Hunk> {
    let (old, new) = (lines(&edit.old), lines(&edit.new));
    let diff = TextDiff::from_slices(&old, &new);
    let mut starts = vec![0];
    for line in &old {
        starts.push(starts.last().copied().unwrap_or(0) + line.len());
    }
    let line_of = |at: usize| starts.partition_point(|start| *start <= at).saturating_sub(1);
    let mut out: Vec<Hunk> = Vec::new();
    for group in diff.grouped_ops(1) {
        let Some(first) = group.first() else { continue };
        let changed = group.iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
        let ranges: Vec<_> = changed.map(|op| op.old_range()).collect();
        let touches = |line: usize| ranges.iter().any(|r| r.start <= line && line <= r.end);
        let (mut fences, mut further) = (Vec::new(), 0);
        for placed in &edit.fences {
            if touches(line_of(placed.range.start)) || touches(line_of(placed.range.end)) {
                let new = placed.fences.iter().filter(|n| !fences.contains(*n));
                fences.extend(new.copied().collect::<Vec<_>>());
                further += placed.further;
            }
        }
        let changes = group.iter().flat_map(|op| diff.iter_changes(op));
        let shown = changes.map(|change| {
            (change.tag(), String::from_utf8_lossy(change.value()).trim_end().to_owned())
        });
        let (path, line) = (edit.path.clone(), first.old_range().start + 1);
        out.push(Hunk { path, line, lines: shown.collect(), fences, further });
    }
    out
}

/// The replacement of whole lines, or the insertion of lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    /// The first line that is replaced, or the line before which lines are inserted, counted from 1.
    pub line: usize,
    /// The last line that is replaced, and its text without line ending; `None` for an insertion.
    pub last: Option<(usize, String)>,
    /// The new text. Inserted lines have their line endings, in a replacement the last line has none.
    pub text: String,
    /// The fences that it is for; empty if it is for all fences of the file.
    pub fences: Vec<usize>,
}

/// The changes of a file, without context.
pub(crate) fn replacements(edit: &FileEdit) -> Vec<Replacement> {
    let (old, new) = (lines(&edit.old), lines(&edit.new));
    let hunks = hunks(edit);
    let mut out = Vec::new();
    for op in TextDiff::from_slices(&old, &new).ops() {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (from, to) = (op.old_range(), op.new_range());
        let text = String::from_utf8_lossy(&new[to].concat()).into_owned();
        let last = old[from.clone()].last().map(|line| {
            let line = String::from_utf8_lossy(line);
            (from.end, line.trim_end_matches(['\r', '\n']).to_owned())
        });
        let text = match last {
            Some(_) => text.trim_end_matches(['\r', '\n']).to_owned(),
            None => text,
        };
        let line = from.start + 1;
        let within = |hunk: &&Hunk| {
            let old = hunk.lines.iter().filter(|(change, _)| *change != ChangeTag::Insert);
            (hunk.line..=hunk.line + old.count()).contains(&line)
        };
        let fences = hunks.iter().find(within).map_or_else(Vec::new, |hunk| hunk.fences.clone());
        out.push(Replacement { line, last, text, fences });
    }
    out
}
