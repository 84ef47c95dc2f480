//! The parser: words to a syntax tree. Line ends matter only for `goal` lines.

mod expr;
mod lex;
mod thread;

use crate::ast::{At, Automata, Goal, StateId, Thread};
use lex::Word;
use raddle_ir::Diagnostic;

const ITEMS: &str = "thread, goal or memory_size";

/// Parses a file without interpreting its instructions.
pub fn parse_bytes(file: &str, bytes: &[u8]) -> Result<Automata, Diagnostic> {
    let words = lex::words(file, bytes)?;
    let mut parser = Parser { file, words: &words, next: 0 };
    let mut automata = Automata { threads: Vec::new(), goals: Vec::new(), memory_size: None };
    let mut goals = Vec::new();
    while let Some(word) = parser.take() {
        match word.text {
            "thread" => {
                let thread = parser.thread()?;
                if automata.threads.iter().any(|other| other.name == thread.name) {
                    let message = format!("there is a thread {} already", thread.name);
                    return Err(thread.at.error(file, message).expected("another name"));
                }
                automata.threads.push(thread);
            }
            "memory_size" => {
                if automata.memory_size.is_some() {
                    return Err(word.at.error(file, "memory_size is given twice"));
                }
                automata.memory_size = Some(parser.memory_size()?);
            }
            "goal" => goals.push((word.at, parser.rest_of_line(word.at.line))),
            other => return Err(parser.unexpected(word.at, other, ITEMS)),
        }
    }
    // A goal may stand before the threads that it names.
    for (at, words) in goals {
        automata.goals.push(parser.goal(&automata.threads, at, words)?);
    }
    if automata.threads.is_empty() {
        let message = "the file has no threads";
        return Err(Diagnostic::whole_file(file, message).expected("thread NAME"));
    }
    Ok(automata)
}

struct Parser<'a> {
    file: &'a str,
    words: &'a [Word<'a>],
    next: usize,
}

impl<'a> Parser<'a> {
    fn take(&mut self) -> Option<Word<'a>> {
        let word = self.words.get(self.next).copied();
        self.next += usize::from(word.is_some());
        word
    }

    /// The next word; an error if the file ends here.
    fn word(&mut self, what: &str) -> Result<Word<'a>, Diagnostic> {
        self.take().ok_or_else(|| {
            let message = "the file ends too early";
            let error = match self.words.last() {
                Some(last) => last.at.error(self.file, message),
                None => Diagnostic::whole_file(self.file, message),
            };
            error.expected(what)
        })
    }

    fn unexpected(&self, at: At, found: &str, expected: &str) -> Diagnostic {
        at.error(self.file, format!("unexpected `{found}`")).expected(expected)
    }

    fn rest_of_line(&mut self, line: u32) -> &'a [Word<'a>] {
        let rest = &self.words[self.next..];
        let count = rest.iter().take_while(|word| word.at.line == line).count();
        self.next += count;
        &rest[..count]
    }

    fn memory_size(&mut self) -> Result<(u32, At), Diagnostic> {
        let word = self.word("a number of cells")?;
        match word.text.parse::<u32>() {
            Ok(size) if (1..=crate::MAX_CELLS).contains(&size) => Ok((size, word.at)),
            _ => {
                let expected = format!("a number from 1 to {}", crate::MAX_CELLS);
                Err(self.unexpected(word.at, word.text, &expected))
            }
        }
    }

    /// Pairs of a thread and a state.
    fn goal(&self, threads: &[Thread], at: At, words: &[Word<'_>]) -> Result<Goal, Diagnostic> {
        let expected = "pairs of a thread and a state, in one line";
        if words.is_empty() || words.len() % 2 == 1 {
            return Err(at.error(self.file, "this goal is not complete").expected(expected));
        }
        let mut goal = Goal { places: Vec::new() };
        for pair in words.chunks_exact(2) {
            let place = self.place(threads, &pair[0], &pair[1])?;
            if goal.places.iter().any(|(thread, _)| *thread == place.0) {
                let message = format!("the goal names the thread {} twice", pair[0].text);
                let help = "a thread is in one state at a time; write a goal line for each";
                return Err(pair[0].at.error(self.file, message).help(help));
            }
            goal.places.push(place);
        }
        Ok(goal)
    }

    fn place(
        &self,
        threads: &[Thread],
        thread: &Word<'_>,
        state: &Word<'_>,
    ) -> Result<(usize, StateId), Diagnostic> {
        let Some(number) = threads.iter().position(|other| other.name == thread.text) else {
            let message = format!("there is no thread {}", thread.text);
            return Err(thread.at.error(self.file, message).expected("a thread of this file"));
        };
        let states = &threads[number].states;
        match states.iter().position(|name| name == state.text) {
            Some(found) => Ok((number, StateId(found as u32))),
            None => {
                let message = format!("the thread {} has no state {}", thread.text, state.text);
                Err(state.at.error(self.file, message))
            }
        }
    }
}
