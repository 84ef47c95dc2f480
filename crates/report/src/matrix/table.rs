//! The table as text.

use super::Table;
use crate::paint::{Ink, paint};
use crate::{Look, printable, written};
use raddle_analysis::matrix::{Row, Standing};
use std::fmt::{Result, Write};

/// The shortest piece of an error that is worth a column.
const MIN_ERROR: usize = 24;

/// The cells of a row; the last one takes what is left of the line.
struct Cells {
    cells: Vec<String>,
    /// Whether a cell is a number, which is written at the right.
    is_number: Vec<bool>,
    ink: Ink,
}

/// The complete report.
pub fn text(table: &Table<'_>, look: &Look<'_>) -> String {
    written(|out| write_table(out, table, look))
}

fn write_table(out: &mut String, table: &Table<'_>, look: &Look<'_>) -> Result {
    writeln!(out, "{}", paint(look.colour, Ink::Heading, &printable(table.file)))?;
    let rows: Vec<Cells> = [head(table)].into_iter().chain(body(table)).collect();
    let columns = rows[0].cells.len();
    let width = |n: usize| rows.iter().map(|row| row.cells[n].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns - 1).map(width).collect();
    let left = look.width.saturating_sub(2 + widths.iter().map(|width| width + 2).sum::<usize>());
    for row in &rows {
        writeln!(out, "{}", line(row, &widths, left.max(MIN_ERROR), look.colour).trim_end())?;
    }
    for sentence in table.sentences() {
        writeln!(out, "  {}", printable(&sentence))?;
    }
    write_fences(out, table)?;
    let seconds = table.elapsed.as_secs_f64();
    writeln!(out, "  {} models, {seconds:.3} s", table.rows.len())
}

fn head(table: &Table<'_>) -> Cells {
    let mut names = vec!["model", "verdict", "executions", "time"];
    names.extend(table.target.map(|_| "fences"));
    names.push("first error, or why unknown");
    Cells {
        is_number: numbers(names.len()),
        cells: names.into_iter().map(str::to_owned).collect(),
        ink: Ink::Faint,
    }
}

fn numbers(columns: usize) -> Vec<bool> {
    (0..columns).map(|n| n == 2 || n == 3).collect()
}

fn body(table: &Table<'_>) -> impl Iterator<Item = Cells> {
    table.rows.iter().map(|row| {
        let (count, what) = table.effort(row);
        let effort =
            if what == "executions" { count.to_string() } else { format!("{count} {what}") };
        let time = format!("{:.3} s", table.elapsed(row).as_secs_f64());
        let mut cells = vec![row.model().name().to_owned(), table.word(row), effort, time];
        cells.extend(table.fences(row));
        cells.push(table.remark(row).map_or(String::new(), |found| table.phrase(&found)));
        Cells { is_number: numbers(cells.len()), cells, ink: ink(row) }
    })
}

fn ink(row: &Row) -> Ink {
    match row.standing {
        Standing::Holds | Standing::HoldsBounded => Ink::Good,
        Standing::Fails => Ink::Bad,
        Standing::Unknown => Ink::Reason,
    }
}

fn line(row: &Cells, widths: &[usize], left: usize, colour: bool) -> String {
    let mut line = String::from("  ");
    for (n, cell) in row.cells.iter().enumerate() {
        let Some(width) = widths.get(n) else {
            line.push_str(&paint(colour, faint(row), &cut(cell, left)));
            break;
        };
        let room = " ".repeat(width.saturating_sub(cell.chars().count()));
        let ink = if n == 1 { row.ink } else { faint(row) };
        let cell = paint(colour, ink, cell);
        line.push_str(&if row.is_number[n] { room + &cell } else { cell + &room });
        line.push_str("  ");
    }
    line
}

/// The head is faint as a whole; in other rows only the verdict has a colour.
fn faint(row: &Cells) -> Ink {
    if row.ink == Ink::Faint { Ink::Faint } else { Ink::Plain }
}

/// A text of at most so many characters.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(3)).chain("...".chars()).collect()
}

fn write_fences(out: &mut String, table: &Table<'_>) -> Result {
    let Some(aim) = table.aim() else { return Ok(()) };
    let needing = table.fenced();
    if needing.is_empty() {
        return Ok(());
    }
    writeln!(out, "  fences {aim}, and no fewer:")?;
    for (row, fences) in needing {
        let lines = table.fence_lines(fences);
        if lines.is_empty() {
            writeln!(out, "    {}: none", row.model())?;
        }
        for (n, line) in lines.iter().enumerate() {
            let name = format!("{}:", row.model());
            let name = if n == 0 { &*name } else { "" };
            writeln!(out, "    {name:6} {line}")?;
        }
    }
    Ok(())
}
