//! A position in the tokens, and the grammar rules that several sections share.

use super::token::{Tok, Token};
use crate::ast::{At, Location, Name, Value};
use raddle_ir::Diagnostic;

#[derive(Debug)]
pub(super) struct Cursor<'a> {
    pub file: &'a str,
    /// Never empty; the last token is [`Tok::End`].
    tokens: Vec<Token>,
    next: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(file: &'a str, tokens: Vec<Token>) -> Cursor<'a> {
        Cursor { file, tokens, next: 0 }
    }

    fn token(&self, ahead: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.next + ahead).min(last)]
    }

    pub(super) fn peek(&self) -> &Tok {
        &self.token(0).tok
    }

    pub(super) fn peek_at(&self, ahead: usize) -> &Tok {
        &self.token(ahead).tok
    }

    /// The place of the next token.
    pub(super) fn at(&self) -> At {
        self.token(0).at
    }

    pub(super) fn bump(&mut self) -> Token {
        let token = self.token(0).clone();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        token
    }

    /// Takes the next token if it is `tok`.
    pub(super) fn eat(&mut self, tok: &Tok) -> bool {
        let found = self.peek() == tok;
        if found {
            self.bump();
        }
        found
    }

    pub(super) fn eat_punct(&mut self, c: char) -> bool {
        self.eat(&Tok::Punct(c))
    }

    pub(super) fn is_punct(&self, c: char) -> bool {
        *self.peek() == Tok::Punct(c)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Word(found) if found == word)
    }

    pub(super) fn expect_punct(&mut self, c: char, what: &str) -> Result<At, Diagnostic> {
        if self.is_punct(c) { Ok(self.bump().at) } else { Err(self.unexpected(what)) }
    }

    /// An error at the next token.
    pub(super) fn unexpected(&self, expected: &str) -> Diagnostic {
        let found = match self.peek() {
            Tok::End => "the test ends here".to_owned(),
            tok => format!("found {tok}"),
        };
        self.at().error(self.file, found).expected(expected)
    }

    pub(super) fn word(&mut self, what: &str) -> Result<Name, Diagnostic> {
        match self.peek().clone() {
            Tok::Word(text) => Ok(Name { text, at: self.bump().at, symbolic: false }),
            _ => Err(self.unexpected(what)),
        }
    }

    /// A word, or a symbolic register with its percent sign.
    pub(super) fn name(&mut self, what: &str) -> Result<Name, Diagnostic> {
        if !self.is_punct('%') {
            return self.word(what);
        }
        let percent = self.bump().at;
        let name = self.word("a register name after `%`")?;
        Ok(Name { at: percent.to(name.at), symbolic: true, ..name })
    }

    /// A number with an optional sign.
    pub(super) fn int(&mut self, what: &str) -> Result<(i128, At), Diagnostic> {
        let start = self.at();
        let negative = self.eat_punct('-');
        if !negative {
            self.eat_punct('+');
        }
        let Tok::Int(magnitude) = *self.peek() else { return Err(self.unexpected(what)) };
        let at = start.to(self.bump().at);
        let value = i128::from(magnitude);
        let value = if negative { -value } else { value };
        if value < i128::from(i64::MIN) {
            return Err(at
                .error(self.file, "this number is too small")
                .expected("a number of at most 64 bits"));
        }
        Ok((value, at))
    }

    /// Whether the next tokens are a thread and a colon: `0:` or `P0:`.
    pub(super) fn at_thread(&self) -> bool {
        let thread = match self.peek() {
            Tok::Int(_) => true,
            Tok::Word(word) => thread_number(word).is_some(),
            _ => false,
        };
        thread && *self.peek_at(1) == Tok::Punct(':')
    }

    /// `0:r1`, `P0:r1`, `%x0`, `x` or `[x]`.
    pub(super) fn place(&mut self) -> Result<Location, Diagnostic> {
        if self.at_thread() {
            let (thread, thread_at) = self.thread()?;
            self.bump();
            let name = self.name("a register name")?;
            return Ok(Location::Register { thread, thread_at, name });
        }
        if self.eat_punct('[') {
            let name = self.word("the name of a location")?;
            if self.is_punct('+') || self.is_punct('[') {
                return Err(self.array());
            }
            self.expect_punct(']', "`]`")?;
            return Ok(Location::Memory(name));
        }
        let name = self.name("a register, such as `0:r1`, or the name of a location")?;
        if self.is_punct('[') {
            return Err(self.array());
        }
        Ok(if name.symbolic { Location::Symbolic(name) } else { Location::Memory(name) })
    }

    fn array(&self) -> Diagnostic {
        self.at()
            .error(self.file, "arrays are not supported")
            .expected("a location that holds one value")
            .help("use one location for each element")
    }

    fn thread(&mut self) -> Result<(u32, At), Diagnostic> {
        let token = self.bump();
        let number = match &token.tok {
            Tok::Int(value) => u32::try_from(*value).ok(),
            Tok::Word(word) => thread_number(word),
            _ => None,
        };
        let number = number.ok_or_else(|| {
            token.at.error(self.file, format!("{} is not a thread of this test", token.tok))
        })?;
        Ok((number, token.at))
    }

    /// A number or the address of a location: `1`, `x`, `&x`.
    pub(super) fn value(&mut self) -> Result<Value, Diagnostic> {
        let reference = self.eat_punct('&');
        if reference || matches!(self.peek(), Tok::Word(_)) {
            return Ok(Value::Address(self.word("the name of a location")?));
        }
        let (value, at) = self.int("a number or the name of a location")?;
        Ok(Value::Int { value, at })
    }
}

/// The number in `P0`, `P1`, ….
pub(super) fn thread_number(word: &str) -> Option<u32> {
    let digits = word.strip_prefix('P')?;
    let canonical = digits == "0" || !digits.starts_with('0');
    (canonical && digits.bytes().all(|b| b.is_ascii_digit())).then(|| digits.parse().ok())?
}
