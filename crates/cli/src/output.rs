//! Standard output and error.
//!
//! Results go to standard output, diagnostics and progress to standard error. A reader that goes
//! away ends the run quietly, with [`Status::Unread`].

use crate::progress::{Display, Shown};
use crate::status::Status;
use raddle_ir::Diagnostic;
use raddle_report::Look;
use raddle_report::source::Sources;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Stderr, Stdout, Write};

/// Characters of a line where there is no terminal to ask.
const WIDTH: usize = 120;
const NARROWEST: usize = 60;
const WIDEST: usize = 200;

/// Why a command ends without a status of its own.
#[derive(Debug)]
pub(crate) enum Stop {
    Usage(String),
    /// The input is bad; the user was told, and the status is noted.
    Refused,
    BrokenPipe,
    Io(io::Error),
}

#[derive(Debug)]
pub(crate) struct Output {
    out: BufWriter<Stdout>,
    err: Stderr,
    /// Whether standard output and error take colours.
    colour: bool,
    err_colour: bool,
    width: usize,
    /// Whether witnesses show the calls on the stack at each step.
    pub(crate) calls: bool,
    /// The progress of the command, while it is shown.
    display: Option<Display>,
    /// The worst that was noted so far.
    status: Status,
    /// What diagnostics said since it was last taken.
    messages: String,
    /// Warnings that were printed.
    warned: BTreeSet<String>,
}

/// The width of lines: the terminal's, within reason; files and pipes have a fixed one.
fn width(terminal: bool) -> usize {
    let columns = if terminal { console::Term::stdout().size_checked() } else { None };
    columns.map_or(WIDTH, |(_, columns)| usize::from(columns).clamp(NARROWEST, WIDEST))
}

impl Output {
    pub(crate) fn new() -> Output {
        let err = io::stderr();
        let out = io::stdout();
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let (colour, err_colour) = (wanted && out.is_terminal(), Output::colours());
        let width = width(out.is_terminal());
        let out = BufWriter::new(out);
        let (display, status, messages) = (None, Status::Fine, String::new());
        let (calls, warned) = (false, BTreeSet::new());
        Output { out, err, colour, err_colour, width, calls, display, status, messages, warned }
    }

    /// How text on standard output is to look.
    pub(crate) fn look<'a>(&self, sources: &'a Sources) -> Look<'a> {
        Look {
            width: self.width,
            colour: self.colour,
            all_steps: false,
            calls: self.calls,
            sources,
        }
    }

    /// Whether messages may be coloured.
    pub(crate) fn colours() -> bool {
        io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
    }

    /// Remembers how one of the things to do ended.
    pub(crate) fn note(&mut self, status: Status) {
        self.status = self.status.max(status);
    }

    pub(crate) fn status(&self) -> Status {
        self.status
    }

    pub(crate) fn print(&mut self, text: &str) -> Result<(), Stop> {
        self.print_bytes(text.as_bytes())
    }

    /// Text that need not be UTF-8: pieces of a user's files.
    pub(crate) fn print_bytes(&mut self, text: &[u8]) -> Result<(), Stop> {
        let Output { out, display, .. } = self;
        stop_on_error(aside(display, || out.write_all(text)))
    }

    /// One object on a line of its own.
    pub(crate) fn print_json(&mut self, object: &impl Serialize) -> Result<(), Stop> {
        let Output { out, display, .. } = self;
        stop_on_error(aside(display, || raddle_report::json::write_line(out, object)))
    }

    pub(crate) fn flush(&mut self) -> Result<(), Stop> {
        let Output { out, display, .. } = self;
        stop_on_error(aside(display, || out.flush()))
    }

    /// Shows a diagnostic with the piece of the source that it is about.
    pub(crate) fn diagnose(&mut self, diagnostic: &Diagnostic, source: &[u8]) {
        let shown = raddle_report::diagnostic::render(diagnostic, source, self.err_colour);
        self.write_error(shown.trim_end());
        self.messages.push_str(&raddle_report::diagnostic::render(diagnostic, source, false));
    }

    /// Shows why an input was refused, in the words of a compiler.
    pub(crate) fn report(&mut self, message: &str) {
        self.complain(message);
        self.messages.push_str(message);
        self.messages.push('\n');
    }

    /// What diagnostics said since this was last asked for, without colours.
    pub(crate) fn take_messages(&mut self) -> String {
        std::mem::take(&mut self.messages)
    }

    /// Shows why something that was asked is not done.
    pub(crate) fn refuse(&mut self, diagnostic: &Diagnostic) -> Stop {
        self.diagnose(diagnostic, &[]);
        self.refused()
    }

    /// Notes that something that was asked is not done; the user was told why.
    pub(crate) fn refused(&mut self) -> Stop {
        self.note(Status::Bad);
        Stop::Refused
    }

    /// Prints a line on standard error, with what programs and names of files contain escaped.
    pub(crate) fn complain(&mut self, line: &str) {
        self.write_error(&raddle_report::printable_lines(line));
    }

    /// Prints a line on standard error as it is. A failure to do so is ignored: there is no other place to report it.
    pub(crate) fn write_error(&mut self, line: &str) {
        let Output { err, display, .. } = self;
        let _ = aside(display, || writeln!(err, "{line}"));
    }

    /// Prints a warning, once however many programs have it.
    pub(crate) fn warn(&mut self, line: &str) {
        if self.warned.insert(line.to_owned()) {
            self.complain(line);
        }
    }

    /// Shows the progress of the command from now on.
    pub(crate) fn follow(&mut self, shown: &Shown) {
        self.display = shown.start();
    }

    /// Takes the progress away.
    pub(crate) fn unfollow(&mut self) {
        self.display = None;
    }
}

/// Writes while no line of progress is on the terminal.
fn aside<T>(display: &Option<Display>, write: impl FnOnce() -> T) -> T {
    match display {
        Some(display) => display.aside(write),
        None => write(),
    }
}

/// Tells a reader that went away from other failures to write.
pub(crate) fn stop_on_error(result: io::Result<()>) -> Result<(), Stop> {
    result.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Stop::BrokenPipe,
        _ => Stop::Io(error),
    })
}
