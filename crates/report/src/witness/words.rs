//! The words of rows that stand for several events.

use super::Row;
use super::fold::Part;
use crate::paint::Ink;
use crate::{Run, printable};
use raddle_engine::ReplayEvent;
use raddle_ir::LocId;
use std::collections::BTreeMap;

/// The row for several events: `... 17 rounds of the loop at x.c:40`.
pub(super) fn folded_row(run: &Run<'_>, events: &[ReplayEvent], part: &Part) -> Option<Row> {
    let told = part.events();
    let first = &events[*told.first()?];
    let threads: BTreeMap<u32, &String> =
        told.iter().map(|n| (events[*n].number, &events[*n].thread)).collect();
    let places = match threads.len() {
        1 => places(run, told.iter().map(|n| events[*n].place(run.program))),
        _ => String::new(),
    };
    let steps = counted_words(told.len(), "step");
    let words = match part {
        Part::Rounds { rounds, .. } => {
            let rounds = counted_words(*rounds, "more round");
            format!("... {rounds} of the loop{places} ({steps})")
        }
        _ => {
            let names: Vec<&str> = threads.values().map(|name| name.as_str()).collect();
            let names = match &names[..] {
                [one] => format!(" of {one}"),
                [one, two] => format!(" of {one} and {two}"),
                many => format!(" of {} threads", many.len()),
            };
            format!("... {steps}{names}{places}")
        }
    };
    Some(Row {
        number: None,
        starred: false,
        thread: first.number,
        place: String::new(),
        what: printable(&words),
        ink: Ink::Faint,
        source: String::new(),
    })
}

/// ` at x.c:10-35`; if there are several files, only the first place.
fn places(run: &Run<'_>, locs: impl Iterator<Item = LocId> + Clone) -> String {
    let found = || locs.clone().filter_map(|loc| run.program.loc(loc));
    let Some(first) = found().next() else { return String::new() };
    let Some(file) = run.program.files.get(first.file as usize) else { return String::new() };
    let lines = || found().filter(|loc| loc.file == first.file).map(|loc| loc.line);
    let (Some(from), Some(to)) = (lines().min(), lines().max()) else { return String::new() };
    let range = if from == to { from.to_string() } else { format!("{from}-{to}") };
    let others = if found().any(|loc| loc.file != first.file) { " and elsewhere" } else { "" };
    format!(" at {}:{range}{others}", run.program.short_name(file))
}

/// `1 step`, `1,204 steps`.
pub(super) fn counted_words(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// `1,204`
pub(super) fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(counted_words(1, "step"), "1 step");
        assert_eq!(counted_words(1204, "step"), "1,204 steps");
    }
}
