//! The command reference of the book, `docs/commands.md`, as Markdown made from the definitions. It exists in tests
//! only: one of them compares the page with it, or writes the page (`RADDLE_BLESS=1`).

use super::{Cli, statuses};
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::fmt::Write;

const INTRODUCTION: &str = "\
# Commands

This page is made from the definitions of the command line. `raddle help COMMAND` prints the same, and `raddle man DIR` writes
man pages of it. Options that take several values take them with commas.
";

const LAST_WORDS: &str = "
A command that works on several files ends with the most serious status, in the order 2, 1, 3, 0.
";

/// The whole page.
fn page() -> String {
    let mut whole = Cli::command().disable_help_subcommand(true);
    whole.build();
    let mut out = format!("{INTRODUCTION}\n| command | |\n|---|---|\n");
    for command in whole.get_subcommands() {
        let name = command.get_name();
        let about = text(command.get_about());
        let _ = writeln!(out, "| [`raddle {name}`](#raddle-{name}) | {about} |");
    }
    whole.get_subcommands().for_each(|command| section(command, &mut out));
    out += "\n## Exit status\n\n| status | |\n|---|---|\n";
    for (code, about) in statuses() {
        let _ = writeln!(out, "| {code} | {about} |");
    }
    out + LAST_WORDS
}

/// A command: its purpose, its usage, and a table of options under each heading of its help.
fn section(command: &Command, out: &mut String) {
    let _ = writeln!(out, "\n## raddle {}\n", command.get_name());
    let about = command.get_long_about().or(command.get_about());
    let _ = writeln!(out, "{}\n", about.map(StyledStr::to_string).unwrap_or_default().trim_end());
    let usage = command.clone().render_usage().to_string();
    let _ = writeln!(out, "    {}", usage.trim_start_matches("Usage: ").trim());
    let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let shown: Vec<&Arg> = shown.filter(|arg| arg.get_id() != "help").collect();
    let mut headings: Vec<&str> = Vec::new();
    for arg in &shown {
        if !headings.contains(&heading(arg)) {
            headings.push(heading(arg));
        }
    }
    for name in headings {
        let _ = writeln!(out, "\n| {name} | |\n|---|---|");
        for arg in shown.iter().filter(|arg| heading(arg) == name) {
            let _ = writeln!(out, "| `{}` | {} |", names(arg).replace('|', "\\|"), help(arg));
        }
    }
}

fn heading(arg: &Arg) -> &str {
    let other = if arg.is_positional() { "Arguments" } else { "Options" };
    arg.get_help_heading().unwrap_or(other)
}

/// An option as it is written: `-m, --model MODEL`.
fn names(arg: &Arg) -> String {
    let values = arg.get_value_names().unwrap_or_default();
    let values = values.iter().map(|value| value.as_str()).collect::<Vec<_>>().join(" ");
    let many = arg.get_num_args().is_some_and(|range| range.max_values() > 1);
    if arg.is_positional() {
        return if many { format!("{values}…") } else { values };
    }
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names = [short, long].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    if takes { format!("{names} {values}") } else { names }
}

/// What an option does, its values and its default.
fn help(arg: &Arg) -> String {
    let mut help = text(arg.get_help());
    let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    let is_flag = !matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let values = if is_flag { Vec::new() } else { arg.get_possible_values() };
    let (described, named): (Vec<_>, Vec<_>) =
        values.iter().filter(|v| !v.is_hide_set()).partition(|v| v.get_help().is_some());
    let described =
        described.iter().map(|v| format!("<br>`{}`: {}", v.get_name(), text(v.get_help())));
    let named: Vec<String> = named.iter().map(|v| format!("`{}`", v.get_name())).collect();
    if !named.is_empty() {
        let _ = write!(help, " ({})", named.join(", "));
    }
    if !defaults.is_empty() && !is_flag {
        let _ = write!(help, " [default: {}]", defaults.join(","));
    }
    help + &described.collect::<String>()
}

/// Text for a cell of a table, on one line.
fn text(text: Option<&StyledStr>) -> String {
    let plain = text.map(StyledStr::to_string).unwrap_or_default();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    words.replace('|', "\\|").replace('*', "\\*").replace('<', "&lt;")
}

#[test]
fn the_command_reference_is_current() {
    let page = page();
    for command in Cli::command().get_subcommands() {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set());
        for long in shown.filter_map(Arg::get_long) {
            assert!(page.contains(&format!("--{long}")), "{} --{long}", command.get_name());
        }
    }
    raddle_testing::golden(&raddle_testing::root().join("docs/commands.md"), &page);
}
