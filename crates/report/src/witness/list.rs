//! A witness as a list, if it has more threads than columns fit.

use super::wrap::{clipped, longest};
use super::{Row, Story};
use crate::Look;
use crate::paint::{Ink, paint};

/// The maximal number of characters of a source line.
const MAX_SOURCE: usize = 48;

pub(super) fn text(look: &Look<'_>, story: &Story) -> String {
    let name = |row: &Row| -> String {
        let thread = story.threads.iter().find(|(number, _)| *number == row.thread);
        thread.map_or(String::new(), |(_, name)| name.clone())
    };
    let digits = story.last_number.to_string().len();
    let places = story.rows.iter().map(|row| row.place.as_str());
    let place = longest(places.chain([story.place_heading]));
    let thread = longest(story.threads.iter().map(|(_, name)| name.as_str()));
    let what =
        longest(story.rows.iter().filter(|row| row.number.is_some()).map(|row| row.what.as_str()));
    let room = look.width.saturating_sub(4 + digits + 2 + place + 2 + thread + 2 + what + 2);
    let mut out = format!("{:4}{:digits$}  {:>place$}\n", "", "", story.place_heading);
    for row in &story.rows {
        let star = if row.starred { "*" } else { " " };
        let number = row.number.map_or(String::new(), |number| number.to_string());
        out.push_str(&format!(
            "  {star} {number:>digits$}  {:>place$}  {:thread$}  {}",
            row.place,
            name(row),
            paint(look.colour, row.ink, &row.what)
        ));
        if room >= MAX_SOURCE / 3 && !row.source.is_empty() {
            let rest = what.saturating_sub(row.what.chars().count()) + 2;
            let source = clipped(&row.source, room.min(MAX_SOURCE));
            out.push_str(&format!("{:rest$}{}", "", paint(look.colour, Ink::Faint, &source)));
        }
        out.push('\n');
    }
    out
}
