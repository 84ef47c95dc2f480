//! Where the objects of the heap that a witness mentions come from.

use crate::{Run, printable};
use raddle_engine::{Origin, ReplayEvent};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The largest number of objects.
const MOST: usize = 20;

/// One line for each object that the texts mention.
pub(super) fn text(run: &Run<'_>, origins: &[Origin], mentioned: &BTreeSet<String>) -> String {
    let mut out = String::new();
    let of_witness: Vec<&Origin> =
        origins.iter().filter(|origin| mentioned.contains(&origin.name)).collect();
    // Writing to a string cannot fail.
    for origin in of_witness.iter().take(MOST) {
        let place = run.program.short_place(origin.loc);
        let at = place.map_or(String::new(), |place| format!(" at {place}"));
        let line = format!("{}: allocated{at} by {}", origin.name, origin.thread);
        let _ = writeln!(out, "    {}", printable(&line));
    }
    if let Some(more @ 1..) = of_witness.len().checked_sub(MOST) {
        let _ = writeln!(out, "    and {more} more objects");
    }
    out
}

/// The names of objects in the words of an event: `node#2` of `writes node#2.next = &node#1.3`.
pub(super) fn mentioned(event: &ReplayEvent, words: &str, into: &mut BTreeSet<String>) {
    if event.deed.is_routine() || !words.contains('#') {
        return;
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '#' | '.' | ':');
    for word in words.split(|c| !is_part(c)) {
        let Some((kind, rest)) = word.split_once('#') else { continue };
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number = rest[..digits].trim_end_matches('.');
        into.insert(format!("{kind}#{number}"));
    }
}
