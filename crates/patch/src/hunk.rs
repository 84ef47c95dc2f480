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
