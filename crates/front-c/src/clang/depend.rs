//! The files from which a source is compiled.

use super::run::{MAX_BYTES, as_file, run};
use super::{Clang, Flags};
use raddle_budget::Budget;
use std::iter;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The file and the headers that it includes, without system headers. Empty if the compiler fails.
pub fn sources(clang: &Clang, flags: &Flags, input: &Path, budget: &Budget) -> Vec<PathBuf> {
    let mut command = Command::new(&clang.path);
    command.arg("-MM").args(&flags.given).arg(as_file(input));
    match run(&mut command, MAX_BYTES as usize, budget) {
        Ok(ended) if ended.status.success() => {
            // Make rules cannot express some names, so the name of the input is taken from the caller.
            let headers = names(&ended.output).into_iter().filter(|name| name != input);
            iter::once(input.to_owned()).chain(headers).collect()
        }
        _ => Vec::new(),
    }
}

/// The prerequisites of a rule for make: `x.o: x.c y.h`, with `\` before characters that are not separators.
fn names(rule: &[u8]) -> Vec<PathBuf> {
    let text = String::from_utf8_lossy(rule);
    let Some((_, list)) = text.split_once(": ") else { return Vec::new() };
    let (mut names, mut name) = (Vec::new(), String::new());
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('\n') | None => {}
                Some(quoted @ (' ' | '#')) => name.push(quoted),
                Some(other) => name.extend(['\\', other]),
            },
            '$' if letters.peek() == Some(&'$') => {
                letters.next();
                name.push('$');
            }
            letter if letter.is_ascii_whitespace() => {
                if !name.is_empty() {
                    names.push(PathBuf::from(std::mem::take(&mut name)));
                }
            }
            other => name.push(other),
        }
    }
    names.extend((!name.is_empty()).then(|| PathBuf::from(name)));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_off_rules() {
        let read = |rule: &str| names(rule.as_bytes());
        assert_eq!(
            read("a.o: a.c \\\n  h.h sub/x\\ y.h\n"),
            ["a.c", "h.h", "sub/x y.h"].map(PathBuf::from)
        );
        assert_eq!(read("a.o: a$$b.c c\\#d.h"), ["a$b.c", "c#d.h"].map(PathBuf::from));
        assert!(read("nothing").is_empty());
    }
}
