//! Comparison with texts in golden files, and the switch that rewrites them.

use std::path::Path;

/// Whether golden files are to be rewritten: `RADDLE_BLESS=1`.
pub fn is_blessing() -> bool {
    std::env::var_os("RADDLE_BLESS").is_some()
}

/// Compares a text with a golden file; `RADDLE_BLESS=1` writes the file instead.
pub fn golden(path: &Path, text: &str) {
    golden_by(path, text, str::to_owned);
}

/// Compares only the `essence` of the two texts.
pub fn golden_by(path: &Path, text: &str, essence: impl Fn(&str) -> String) {
    let shown = path.display();
    let kept = std::fs::read_to_string(path);
    let wanted = essence(text);
    if kept.as_ref().is_ok_and(|kept| essence(kept) == wanted) {
        return;
    }
    if is_blessing() {
        return std::fs::write(path, text).unwrap_or_else(|error| panic!("{shown}: {error}"));
    }
    let kept = essence(&kept.unwrap_or_else(|error| panic!("{shown}: {error}")));
    let difference = first_difference(&wanted, &kept);
    panic!("{shown}: {difference}\nRADDLE_BLESS=1 writes the file again");
}

/// The first differing line of both texts.
fn first_difference(text: &str, kept: &str) -> String {
    let (mut lines, mut kept_lines) = (text.lines(), kept.lines());
    for number in 1.. {
        let (line, kept) = (lines.next(), kept_lines.next());
        if line != kept || line.is_none() {
            let shown = |line: Option<&str>| line.unwrap_or("(the end)").to_owned();
            return format!("line {number} is now\n{}\ninstead of\n{}", shown(line), shown(kept));
        }
    }
    String::new()
}

#[test]
fn the_first_difference_is_shown() {
    let shown = first_difference("a\nb\nc\n", "a\nx\nc\n");
    assert_eq!(shown, "line 2 is now\nb\ninstead of\nx");
    assert_eq!(first_difference("a", "a\nb"), "line 2 is now\n(the end)\ninstead of\nb");
}
