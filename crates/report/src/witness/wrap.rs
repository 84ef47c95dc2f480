//! Breaks text into lines of a given width, between words if possible.

pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if used > 0 && used + 1 + length <= width {
            if let Some(line) = lines.last_mut() {
                line.push(' ');
                line.push_str(word);
            }
            used += 1 + length;
            continue;
        }
        for piece in pieces(word, width) {
            used = piece.chars().count();
            match lines.last_mut() {
                Some(line) if line.is_empty() => line.push_str(&piece),
                _ => lines.push(piece),
            }
        }
    }
    lines
}

/// Cuts a word into pieces if it is longer than a line: where a part of a name ends, unless that leaves most of the
/// line empty.
fn pieces(word: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let (mut rest, mut pieces) = (&letters[..], Vec::new());
    while rest.len() > width {
        let ends = |n: &usize| matches!(rest[n - 1], '.' | ']' | ':' | '/' | '_');
        let end = (width / 2 + 1..=width).rev().find(ends).unwrap_or(width);
        pieces.push(rest[..end].iter().collect());
        rest = &rest[end..];
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(rest.iter().collect());
    }
    pieces
}

/// The number of characters of the longest text.
pub(super) fn longest<'a>(texts: impl Iterator<Item = &'a str>) -> usize {
    texts.map(|text| text.chars().count()).max().unwrap_or(0)
}

/// The beginning of a text that is too long.
pub(super) fn clipped(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_between_words() {
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("one two three", 80), ["one two three"]);
        assert_eq!(wrapped("", 5), [""]);
    }

    #[test]
    fn cuts_what_does_not_fit() {
        assert_eq!(wrapped("a abcdefgh b", 3), ["a", "abc", "def", "gh", "b"]);
        assert_eq!(wrapped("äöü", 0), ["ä", "ö", "ü"]);
        let name = "writes ring#1.workers[0].registered = 0";
        assert_eq!(wrapped(name, 22), ["writes", "ring#1.workers[0].", "registered = 0"]);
        assert_eq!(wrapped("a.bcdefghij", 6), ["a.bcde", "fghij"]);
        assert_eq!(clipped("abcdefgh", 6), "abc...");
        assert_eq!(clipped("abc", 3), "abc");
    }
}
