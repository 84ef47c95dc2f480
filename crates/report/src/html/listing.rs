//! The lines of the source that a page has: whole files, or of large ones the lines around those that matter.

use crate::printable;
use crate::source::Sources;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A file of at most so many lines is shown in full.
const WHOLE: usize = 1200;
/// The lines before and after one that matters, of a larger file.
const AROUND: usize = 40;

/// The lines that matter, by file, counted from 1.
#[derive(Debug, Default)]
pub(super) struct Lines(BTreeMap<String, BTreeSet<u32>>);

/// A file of the source.
#[derive(Serialize, Debug)]
pub(super) struct Listing {
    name: String,
    parts: Vec<Excerpt>,
}

/// Consecutive lines.
#[derive(Serialize, Debug)]
struct Excerpt {
    /// The number of the first one, counted from 1.
    first: usize,
    lines: Vec<String>,
}

impl Lines {
    pub(super) fn insert(&mut self, file: &str, line: u32) {
        match self.0.get_mut(file) {
            Some(lines) => lines.insert(line),
            None => self.0.entry(file.to_owned()).or_default().insert(line),
        };
    }

    pub(super) fn add(&mut self, other: &Lines) {
        for (file, lines) in &other.0 {
            self.0.entry(file.clone()).or_default().extend(lines);
        }
    }

    /// The texts, of files that can be read.
    pub(super) fn listings(&self, sources: &Sources) -> Vec<Listing> {
        let listing = |(file, lines): (&String, &BTreeSet<u32>)| {
            let ranges = ranges(lines, sources.count(file));
            let part = |range: Range<usize>| Excerpt {
                first: range.start + 1,
                lines: sources.range(file, range),
            };
            Listing { name: printable(file), parts: ranges.into_iter().map(part).collect() }
        };
        let listings = self.0.iter().map(listing);
        listings.filter(|listing| !listing.parts.is_empty()).collect()
    }
}

/// The lines to show of a file with `count` lines, counted from 0.
fn ranges(lines: &BTreeSet<u32>, count: usize) -> Vec<Range<usize>> {
    if count <= WHOLE {
        return (count > 0).then_some(0..count).into_iter().collect();
    }
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for line in lines.iter().map(|line| (*line as usize).saturating_sub(1)) {
        let range = line.saturating_sub(AROUND)..(line + AROUND + 1).min(count);
        match ranges.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ if range.is_empty() => {}
            _ => ranges.push(range),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_shown_in_part() {
        let shown = |lines: &[u32], count| ranges(&lines.iter().copied().collect(), count);
        let shown = |lines, count| {
            let ranges = shown(lines, count).into_iter();
            ranges.map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&[3], 0), Vec::new());
        assert_eq!(shown(&[3], 1200), [(0, 1200)]);
        assert_eq!(shown(&[3, 70, 3000], 4000), [(0, 110), (2959, 3040)]);
        assert_eq!(shown(&[3999, 9000], 4000), [(3958, 4000)]);
    }
}
