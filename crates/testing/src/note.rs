//! Notes that stay visible when a test passes.

use std::io::Write;

/// Prints a line under the name of the running test, past the capture of the test harness.
pub fn note(line: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // The macros are captured; a handle is not. A lost note is not worth a failed test.
    let _ = writeln!(std::io::stderr(), "note: {test}: {line}");
}

/// Says that a test, or a part of it, is skipped because something is not on this machine. In
/// continuous integration (`CI` is set) nothing may be missing.
pub fn missing(what: &str) {
    let ci = std::env::var_os("CI").is_some();
    assert!(!ci, "{what} is missing, and CI is set");
    note(&format!("skipped: {what} is missing"));
}
