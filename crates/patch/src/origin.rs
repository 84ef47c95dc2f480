//! `#line`: the names and numbers that the compiler gives to the lines of a file.

/// Consecutive lines with one file name.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Stretch {
    /// The file name given by the directive; `None` for the file itself.
    name: Option<String>,
    /// The number that the directive gives to the first line.
    said: usize,
    /// The real number of the first line, from 1.
    first: usize,
    count: usize,
}

/// The names of all lines of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    stretches: Vec<Stretch>,
}

impl Origin {
    pub(crate) fn of(text: &[u8]) -> Origin {
        let mut stretches = vec![Stretch { name: None, said: 1, first: 1, count: 0 }];
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let last = stretches.len() - 1;
            stretches[last].count += 1;
            if let Some((said, name)) = directive(line) {
                let name = name.or_else(|| stretches[last].name.clone());
                stretches.push(Stretch { name, said, first: index + 2, count: 0 });
            }
        }
        Origin { stretches }
    }

    /// The lines that have this number in a file of this name; `own` says whether the text itself is that file.
    pub(crate) fn lines(&self, name: &str, number: usize, own: impl Fn() -> bool) -> Vec<usize> {
        let numbered = self.stretches.iter().filter(|stretch| {
            number.checked_sub(stretch.said).is_some_and(|offset| offset < stretch.count)
        });
        let named = numbered.filter(|stretch| match &stretch.name {
            Some(said) => said == name,
            None => own(),
        });
        named.map(|stretch| stretch.first + (number - stretch.said)).collect()
    }
}

/// `#line 7 "x.y"`, or `# 7 "x.y"` as preprocessors write it: the number of the next line, and its file.
fn directive(line: &[u8]) -> Option<(usize, Option<String>)> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
    let rest = rest.strip_prefix(b"line").unwrap_or(rest).trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()?;
    let Some(quoted) = rest[digits..].trim_ascii_start().strip_prefix(b"\"") else {
        return Some((number, None));
    };
    let mut name = Vec::new();
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next().filter(|byte| **byte != b'"') {
        name.extend(if *byte == b'\\' { bytes.next() } else { Some(byte) });
    }
    Some((number, Some(String::from_utf8_lossy(&name).into_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_numbers_that_they_are_given() {
        let origin = Origin::of(b"a\nb\n#line 10\nc\nd\n# 2 \"x\\\"y.y\" 1\r\ne\n#line 5\nf\n");
        let own = |number| origin.lines("x.c", number, || true);
        assert_eq!((own(1), own(2), own(10), own(11)), (vec![1], vec![2], vec![4], vec![5]));
        assert_eq!(own(13), Vec::<usize>::new());
        let other = |number| origin.lines("x\"y.y", number, || false);
        assert_eq!((other(1), other(2), other(5)), (vec![], vec![7], vec![9]));
    }

    #[test]
    fn other_directives_say_nothing() {
        for line in ["#define line 3", "#include <x>", "line 3", "#line X", "# pragma 3"] {
            assert_eq!(directive(line.as_bytes()), None, "{line}");
        }
    }
}
