//! A cursor over the tokens, and the diagnostics at its position.

use super::lex::{Token, TokenKind};
use super::literal::{self, Number};
use crate::diag::Diagnostic;
use crate::types::Type;
use std::borrow::Cow;

/// The result of parsing. The diagnostic is boxed to keep the success case small.
pub(super) type PResult<T> = Result<T, Box<Diagnostic>>;

/// The longest piece of source that a message repeats, in characters.
const EXCERPT: usize = 40;

/// The default alignment of `alloca`, `malloc` and `bytes` objects.
pub(super) const DEFAULT_ALIGN: u32 = 8;

#[derive(Clone, Debug)]
pub(super) struct Cursor<'s> {
    file: &'s str,
    source: &'s str,
    tokens: &'s [Token],
    at: usize,
}

impl<'s> Cursor<'s> {
    /// Starts at the first of `tokens`; the last token must be [`TokenKind::End`].
    pub(super) fn new(file: &'s str, source: &'s str, tokens: &'s [Token]) -> Cursor<'s> {
        Cursor { file, source, tokens, at: 0 }
    }

    // ---- looking ----

    pub(super) fn token(&self) -> Token {
        self.peek(0)
    }

    pub(super) fn peek(&self, n: usize) -> Token {
        self.tokens[(self.at + n).min(self.tokens.len() - 1)]
    }

    pub(super) fn at(&self, kind: TokenKind) -> bool {
        self.token().kind == kind
    }

    pub(super) fn at_word(&self, word: &str) -> bool {
        self.at(TokenKind::Word) && self.text(self.token()) == word
    }

    /// The text of the token in the source.
    pub(super) fn text(&self, token: Token) -> &'s str {
        &self.source[token.start as usize..token.end as usize]
    }

    /// The current word, or "" if the current token is not a word.
    pub(super) fn word(&self) -> &'s str {
        if self.at(TokenKind::Word) { self.text(self.token()) } else { "" }
    }

    // ---- taking ----

    pub(super) fn next(&mut self) -> Token {
        let token = self.token();
        // The cursor never moves past the last token, which is the end.
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(super) fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, kind: TokenKind) -> PResult<Token> {
        if self.at(kind) { Ok(self.next()) } else { Err(self.unexpected(kind.describe())) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> PResult<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(format!("`{word}`"))) }
    }

    /// The line must end here, or a closing brace must follow.
    pub(super) fn expect_line_end(&self) -> PResult<()> {
        let token = self.token();
        let ended = token.starts_line || matches!(token.kind, TokenKind::End | TokenKind::RBrace);
        if ended { Ok(()) } else { Err(self.unexpected("the end of the line")) }
    }

    /// `item, item, … close`; a comma before `close` is allowed.
    pub(super) fn list<T>(
        &mut self,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> PResult<T>,
    ) -> PResult<Vec<T>> {
        let mut items = Vec::new();
        while !self.at(close) {
            items.push(item(self)?);
            if !self.at(close) && !self.eat(TokenKind::Comma) {
                return Err(self.unexpected(format!("`,` or {}", close.describe())));
            }
        }
        self.next();
        Ok(items)
    }

    // ---- names and literals ----

    /// The name in a `Word`, `Quoted`, `Reg` or `At` token, without its sigil.
    pub(super) fn decode_name(&self, token: Token) -> PResult<Cow<'s, str>> {
        let text = self.text(token).trim_start_matches(['%', '@']);
        if !text.starts_with('"') {
            return Ok(Cow::Borrowed(text));
        }
        let offset = token.end as usize - text.len();
        literal::unquote(text).map(Cow::Owned).map_err(|at| {
            let span = offset + at..offset + at + 1;
            Box::new(
                Diagnostic::at(self.file, self.source, span, "an unknown escape in a string")
                    .expected("\\n, \\t, \\r, \\\", \\\\ or \\u{…}"),
            )
        })
    }

    pub(super) fn string(&mut self) -> PResult<String> {
        let token = self.expect(TokenKind::Quoted)?;
        Ok(self.decode_name(token)?.into_owned())
    }

    /// A bare or quoted name.
    pub(super) fn name(&mut self, what: &str) -> PResult<(Token, Cow<'s, str>)> {
        if !self.at(TokenKind::Word) && !self.at(TokenKind::Quoted) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok((token, self.decode_name(token)?))
    }

    pub(super) fn at_name(&mut self, what: &str) -> PResult<(Token, Cow<'s, str>)> {
        if !self.at(TokenKind::At) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        Ok((token, self.decode_name(token)?))
    }

    pub(super) fn ty(&mut self) -> PResult<Type> {
        let Ok(ty) = self.word().parse() else {
            return Err(self.unexpected("a type (i1 to i128, ptr, f32, f64)"));
        };
        self.next();
        Ok(ty)
    }

    pub(super) fn number(&mut self, what: &str) -> PResult<(Token, Number)> {
        if !self.at(TokenKind::Number) {
            return Err(self.unexpected(what));
        }
        let token = self.next();
        let number = literal::number(self.text(token)).map_err(|m| self.error(token, m))?;
        Ok((token, number))
    }

    /// A constant of type `ty`, as its bits.
    pub(super) fn bits(&mut self, ty: Type) -> PResult<u128> {
        let (token, number) = self.number(&format!("a constant of type {ty}"))?;
        literal::bits(number, ty).map_err(|(message, help)| {
            let mut error = self.error(token, message);
            error.help = Some(help);
            error
        })
    }

    /// An integer that fits the host type `T`; `what` names it in messages.
    pub(super) fn integer<T: TryFrom<i128>>(&mut self, what: &str) -> PResult<T> {
        let (token, number) = self.number(what)?;
        let value = match number {
            Number::Int { negative: false, magnitude, .. } => i128::try_from(magnitude).ok(),
            Number::Int { negative: true, magnitude, .. } => 0i128.checked_sub_unsigned(magnitude),
            Number::Float { .. } => None,
        };
        value.and_then(|v| T::try_from(v).ok()).ok_or_else(|| {
            let message = format!("{} is out of range", self.excerpt(token));
            let mut error = self.error(token, message);
            error.expected = Some(what.to_owned());
            error
        })
    }

    /// `align N` or nothing.
    pub(super) fn align(&mut self, default: u32) -> PResult<u32> {
        match self.eat_word("align") {
            true => self.integer("an alignment in bytes"),
            false => Ok(default),
        }
    }

    // ---- diagnostics ----

    /// An error about one token.
    pub(super) fn error(&self, token: Token, message: impl Into<String>) -> Box<Diagnostic> {
        let span = token.start as usize..token.end as usize;
        Box::new(Diagnostic::at(self.file, self.source, span, message))
    }

    /// The current token cannot start an item here.
    pub(super) fn unexpected_start(&self, expected: impl Into<String>) -> Box<Diagnostic> {
        let token = self.token();
        let message = match token.kind {
            TokenKind::End => "unexpected end of the file".to_owned(),
            _ => format!("unexpected {}", self.excerpt(token)),
        };
        Box::new(self.error(token, message).expected(expected))
    }

    /// The current token is not the one that the grammar requires inside an item.
    pub(super) fn unexpected(&self, expected: impl Into<String>) -> Box<Diagnostic> {
        let token = self.token();
        if token.kind == TokenKind::End || !token.starts_line || self.at == 0 {
            return self.unexpected_start(expected);
        }
        // The missing token belongs at the end of the previous line.
        let end = self.tokens[self.at - 1].end;
        let error = self.error(Token { start: end, end, ..token }, "unexpected end of the line");
        Box::new(error.expected(expected))
    }

    /// The token as a message shows it, shortened if it is long.
    pub(super) fn excerpt(&self, token: Token) -> String {
        let text = self.text(token);
        match text.char_indices().nth(EXCERPT) {
            Some((end, _)) => format!("`{}…`", &text[..end]),
            None => format!("`{text}`"),
        }
    }
}
