//! Notes that stay visible when a test passes.

use std::io::Write;

/// Prints a line under the name of the running test, past the capture of the test harness.
pub fn note(line: &str) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    // The test harness captures the macros, but not a handle. A lost note must not fail a test.
    let _ = writeln!(std::io::stderr(), "note: {test}: {line}");
}

/// Reports that a test, or a part of it, is skipped because something is missing on this machine. In
/// continuous integration (`CI` is set) nothing may be missing.
pub fn missing(what: &str) {
    let ci = std::env::var_os("CI").is_some();
    assert!(!ci, "{what} is missing, and CI is set");
    note(&format!("skipped: {what} is missing"));
}
