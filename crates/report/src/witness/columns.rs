//! A witness as a table with one column per thread.

use super::wrap::{clipped, longest, wrapped};
use super::{Row, Story};
use crate::Look;
use crate::paint::{Ink, paint};

/// The minimal width of a thread's column, unless its contents are narrower.
const MIN_COLUMN: usize = 22;
/// The lengths to which source lines may be cut: the first one that fits is used.
const SOURCES: [usize; 4] = [48, 36, 20, 0];
const GAP: usize = 2;
/// Indentation and the star.
const MARGIN: usize = 4;

/// Widths of the parts of a row.
struct Widths {
    number: usize,
    place: usize,
    columns: Vec<usize>,
    source: usize,
}

/// The table; `None` if the width is too small for the threads.
pub(super) fn text(look: &Look<'_>, story: &Story) -> Option<String> {
    let widths = widths(look, story)?;
    let mut out = heading(look, story, &widths);
    for row in &story.rows {
        write_row(&mut out, look, story, &widths, row);
    }
    Some(out)
}

fn widths(look: &Look<'_>, story: &Story) -> Option<Widths> {
    let number = story.last_number.to_string().len();
    let places = story.rows.iter().map(|row| row.place.as_str());
    let place = longest(places.chain([story.place_heading]));
    let widest = |counts: &dyn Fn(&Row) -> bool| -> Vec<usize> {
        let column = |(thread, name): &(u32, String)| {
            let own = story
                .rows
                .iter()
                .filter(|row| row.thread == *thread && row.number.is_some() && counts(row));
            longest(own.map(|row| row.what.as_str()).chain([name.as_str()]))
        };
        story.threads.iter().map(column).collect()
    };
    let natural = widest(&|_| true);
    // Failures are long and in the last row, so they may be wrapped. Other rows should not be.
    let ordinary = widest(&|row| row.ink != Ink::Bad);
    let source = longest(story.rows.iter().map(|row| row.source.as_str()));
    let room = look.width.checked_sub(MARGIN + number + GAP + place)?;
    let with_source = SOURCES.into_iter().find_map(|most| {
        let source = source.min(most);
        let taken = if source > 0 { source + GAP } else { 0 };
        Some((source, grown(&ordinary, &natural, room.checked_sub(taken)?)?))
    });
    let (source, columns) = match with_source {
        Some(fitting) => fitting,
        None => (0, cut(&natural, room)?),
    };
    Some(Widths { number, place, columns, source })
}

/// Widths that wrap no ordinary row, with the remaining room given to the other rows.
fn grown(ordinary: &[usize], natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let least = ordinary.iter().zip(natural);
    let mut widths: Vec<usize> =
        least.map(|(ordinary, natural)| (*ordinary).max(MIN_COLUMN.min(*natural))).collect();
    let taken: usize = widths.iter().map(|width| width + GAP).sum();
    let mut left = room.checked_sub(taken)?;
    for (width, natural) in widths.iter_mut().zip(natural) {
        let more = left.min(natural - *width);
        *width += more;
        left -= more;
    }
    Some(widths)
}

/// The natural widths, except for the widest columns, which are cut to a common width.
fn cut(natural: &[usize], room: usize) -> Option<Vec<usize>> {
    let cut = |most: usize| natural.iter().map(move |width| most.min(*width));
    let fits = |most: &usize| cut(*most).map(|width| width + GAP).sum::<usize>() <= room;
    let widest = natural.iter().copied().max().unwrap_or(0);
    let most = (MIN_COLUMN.min(widest)..=widest).rev().find(fits)?;
    Some(cut(most).collect())
}

fn heading(look: &Look<'_>, story: &Story, widths: &Widths) -> String {
    let Widths { number, place, .. } = *widths;
    let mut line = format!("{:MARGIN$}{:number$}  {:>place$}", "", "", story.place_heading);
    let mut rule = format!("{:MARGIN$}{:number$}  {}", "", "", "-".repeat(place));
    for ((_, name), width) in story.threads.iter().zip(&widths.columns) {
        line.push_str(&format!("  {:width$}", clipped(name, *width)));
        rule.push_str(&format!("  {}", "-".repeat(*width)));
    }
    let line = paint(look.colour, Ink::Heading, line.trim_end());
    format!("{line}\n{}\n", paint(look.colour, Ink::Faint, &rule))
}

fn write_row(out: &mut String, look: &Look<'_>, story: &Story, widths: &Widths, row: &Row) {
    let Some(column) = story.threads.iter().position(|(thread, _)| *thread == row.thread) else {
        return;
    };
    let Widths { number: digits, place, .. } = *widths;
    let star = if row.starred { "*" } else { " " };
    let before: usize = widths.columns[..column].iter().map(|width| width + GAP).sum();
    let after: usize = widths.columns[column + 1..].iter().map(|width| width + GAP).sum();
    let width = widths.columns[column];
    let Some(number) = row.number else {
        // It may take the room of other columns, and starts further left if it has to.
        let room = look.width.saturating_sub(MARGIN + digits + 2 * GAP + place);
        let text = clipped(&row.what, room);
        let before = before.min(room - text.chars().count());
        out.push_str(&format!("{:MARGIN$}{:digits$}  {:place$}{:before$}  ", "", "", "", ""));
        out.push_str(&paint(look.colour, row.ink, &text));
        out.push('\n');
        return;
    };
    for (n, part) in wrapped(&row.what, width).iter().enumerate() {
        let start = match n {
            0 => format!("  {star} {number:>digits$}  {:>place$}", row.place),
            _ => format!("{:MARGIN$}{:digits$}  {:place$}", "", "", ""),
        };
        out.push_str(&format!("{start}{:before$}  ", ""));
        out.push_str(&paint(look.colour, row.ink, part));
        if n == 0 && widths.source > 0 && !row.source.is_empty() {
            let rest = width - part.chars().count() + after + GAP;
            let source = clipped(&row.source, widths.source);
            out.push_str(&format!("{:rest$}{}", "", paint(look.colour, Ink::Faint, &source)));
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_cut_only_as_far_as_needed() {
        assert_eq!(cut(&[10, 30], 44), Some(vec![10, 30]));
        assert_eq!(cut(&[10, 40], 44), Some(vec![10, 30]));
        assert_eq!(cut(&[40, 40], 60), Some(vec![28, 28]));
        assert_eq!(cut(&[40, 40], 40), None, "narrower than a column may be");
        assert_eq!(cut(&[5, 5], 14), Some(vec![5, 5]));
    }

    #[test]
    fn what_is_ordinary_is_not_broken() {
        assert_eq!(grown(&[10, 30], &[40, 30], 56), Some(vec![22, 30]));
        assert_eq!(grown(&[10, 30], &[40, 30], 60), Some(vec![26, 30]));
        assert_eq!(grown(&[10, 30], &[40, 30], 90), Some(vec![40, 30]));
        assert_eq!(grown(&[10, 30], &[40, 30], 55), None);
    }
}
