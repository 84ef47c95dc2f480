//! Names that were probably meant: "did you mean".
//!
//! The nearest of the known names is proposed if it differs from what was written by its case only, or by at
//! most a third of its letters (insertions, deletions, replacements and swaps of neighbours).

/// Longer words are compared with nothing: the comparison takes quadratic time.
const MAX_LENGTH: usize = 128;

/// The known name that was probably meant, if one is near enough. Of equally near names, the first.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length > MAX_LENGTH {
        return None;
    }
    let most = |name: &str| (length.max(name.chars().count()) / 3).max(1);
    let near = known.into_iter().filter_map(|name| {
        // A name of another length is at least as far away as the lengths differ.
        if name == word || name.len().abs_diff(word.len()) > MAX_LENGTH {
            return None;
        }
        if name.eq_ignore_ascii_case(word) {
            return Some((0, name));
        }
        let apart = name.chars().count().abs_diff(length);
        let distance = (apart <= most(name)).then(|| strsim::osa_distance(word, name))?;
        // Two short words without a common letter are not alike.
        (distance <= most(name) && distance < length).then_some((distance, name))
    });
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

/// The sentence that proposes the nearest name; `None` if no name is near.
pub fn did_you_mean<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    nearest(word, known).map(|name| format!("did you mean '{name}'?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_slips_are_recognised() {
        let models = ["sc", "tso", "pso", "power", "arm"];
        for (word, meant) in [("TSO", "tso"), ("ts", "tso"), ("pwoer", "power"), ("psoo", "pso")] {
            assert_eq!(nearest(word, models), Some(meant), "{word}");
        }
        assert_eq!(
            nearest("phtread_create", ["pthread_join", "pthread_create"]),
            Some("pthread_create")
        );
    }

    #[test]
    fn other_words_are_not() {
        for word in ["", "x", "c11", "riscv", "weak"] {
            assert_eq!(nearest(word, ["sc", "tso", "pso", "power", "arm"]), None, "{word}");
        }
        assert_eq!(nearest("tso", ["tso"]), None);
        assert_eq!(nearest(&"a".repeat(1 << 20), ["a"]), None);
        assert_eq!(did_you_mean("queu.c", ["queue.c"]).as_deref(), Some("did you mean 'queue.c'?"));
    }
}
