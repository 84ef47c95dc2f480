//! Splits `.rir` text into tokens.
//!
//! Tokens are byte ranges with a kind. Numbers and quoted names are decoded only where they are used
//! (see [`super::literal`]), which keeps a token at twelve bytes and the lexer free of types. Line
//! ends are not tokens: each token knows whether it is the first of its line.

use super::cursor::PResult;
use crate::diag::Diagnostic;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenKind {
    /// A bare name or keyword: `load`, `then`, `dmb.st`.
    Word,
    /// `"…"`.
    Quoted,
    /// `%name` or `%"odd name"`.
    Reg,
    /// `%3`.
    RegNumber,
    /// `@name` or `@"odd name"`.
    At,
    /// `#3`.
    BlockNumber,
    /// `12`, `-1`, `0xff`, `1.5e-3`; not yet checked for correct spelling.
    Number,
    LParen,
    RParen,
    LBracket,
    RBracket,
    LBrace,
    RBrace,
    Comma,
    Colon,
    Assign,
    Plus,
    Star,
    Amp,
    Bang,
    Arrow,
    FatArrow,
    EqEq,
    NotEq,
    AndAnd,
    OrOr,
    End,
}

impl TokenKind {
    /// The kind as messages name it.
    pub(super) fn describe(self) -> String {
        match self {
            TokenKind::Word => "a word".to_owned(),
            TokenKind::Quoted => "a quoted string".to_owned(),
            TokenKind::Reg | TokenKind::RegNumber => "a register such as %r".to_owned(),
            TokenKind::At => "a name such as @x".to_owned(),
            TokenKind::BlockNumber => "a block number such as #2".to_owned(),
            TokenKind::Number => "a number".to_owned(),
            _ => match PUNCTUATION.iter().find(|(_, kind)| *kind == self) {
                Some((text, _)) => format!("`{text}`"),
                None => "the end of the file".to_owned(),
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub start: u32,
    pub end: u32,
    pub kind: TokenKind,
    /// The first token of its line.
    pub starts_line: bool,
}

/// Punctuation. A token that is a prefix of another comes after it.
const PUNCTUATION: &[(&str, TokenKind)] = &[
    ("->", TokenKind::Arrow),
    ("=>", TokenKind::FatArrow),
    ("==", TokenKind::EqEq),
    ("!=", TokenKind::NotEq),
    ("&&", TokenKind::AndAnd),
    ("||", TokenKind::OrOr),
    ("(", TokenKind::LParen),
    (")", TokenKind::RParen),
    ("[", TokenKind::LBracket),
    ("]", TokenKind::RBracket),
    ("{", TokenKind::LBrace),
    ("}", TokenKind::RBrace),
    (",", TokenKind::Comma),
    (":", TokenKind::Colon),
    ("=", TokenKind::Assign),
    ("+", TokenKind::Plus),
    ("*", TokenKind::Star),
    ("&", TokenKind::Amp),
    ("!", TokenKind::Bang),
];

pub(super) fn starts_name(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_' || b == b'$'
}

pub(super) fn continues_name(b: u8) -> bool {
    starts_name(b) || b.is_ascii_digit() || b == b'.'
}

/// All tokens of `source`; the last one is [`TokenKind::End`].
///
/// The caller must have checked that offsets fit `u32`.
pub(super) fn lex(file: &str, source: &str) -> PResult<Vec<Token>> {
    // Some editors begin a file with a byte order mark.
    let at = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { file, source, bytes: source.as_bytes(), at };
    let mut tokens = Vec::new();
    loop {
        let starts_line = lexer.skip_blank() || tokens.is_empty();
        let start = lexer.at;
        let kind = lexer.token()?;
        tokens.push(Token { start: start as u32, end: lexer.at as u32, kind, starts_line });
        if kind == TokenKind::End {
            return Ok(tokens);
        }
    }
}

struct Lexer<'s> {
    file: &'s str,
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Skips spaces and comments; returns whether a line ended there.
    fn skip_blank(&mut self) -> bool {
        let mut newline = false;
        loop {
            match self.peek(0) {
                b'\n' => newline = true,
                b' ' | b'\t' | b'\r' => {}
                b'/' if self.peek(1) == b'/' => {
                    self.skip_while(|b| b != b'\n');
                    continue;
                }
                _ => return newline,
            }
            self.at += 1;
        }
    }

    fn skip_while(&mut self, keep: impl Fn(u8) -> bool) {
        while self.at < self.bytes.len() && keep(self.bytes[self.at]) {
            self.at += 1;
        }
    }

    fn token(&mut self) -> PResult<TokenKind> {
        if self.at >= self.bytes.len() {
            return Ok(TokenKind::End);
        }
        match self.peek(0) {
            b if starts_name(b) => {
                self.skip_while(continues_name);
                Ok(TokenKind::Word)
            }
            b'"' => self.quoted().map(|()| TokenKind::Quoted),
            b'%' if self.peek(1).is_ascii_digit() => self.numbered(TokenKind::RegNumber),
            b'#' if self.peek(1).is_ascii_digit() => self.numbered(TokenKind::BlockNumber),
            b'%' => self.sigil(TokenKind::Reg),
            b'@' => self.sigil(TokenKind::At),
            b if b.is_ascii_digit() || (b == b'-' && self.peek(1).is_ascii_digit()) => {
                self.number();
                Ok(TokenKind::Number)
            }
            _ => self.punctuation(),
        }
    }

    /// An error about the text from `start` to here.
    fn error(&self, start: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::at(self.file, self.source, start..self.at, message)
    }

    fn numbered(&mut self, kind: TokenKind) -> PResult<TokenKind> {
        let start = self.at;
        self.at += 1;
        self.skip_while(|b| b.is_ascii_digit());
        if !starts_name(self.peek(0)) {
            return Ok(kind);
        }
        self.skip_while(continues_name);
        let found = &self.source[start..self.at];
        let quoted = format!("{}\"{}\"", &found[..1], &found[1..]);
        let message = format!("a bare name cannot start with a digit: `{found}`");
        let help = match kind {
            TokenKind::RegNumber => format!("write {quoted}"),
            _ => "a named block has no `#`".to_owned(),
        };
        Err(Box::new(self.error(start, message).expected("a number or a name").help(help)))
    }

    fn sigil(&mut self, kind: TokenKind) -> PResult<TokenKind> {
        let start = self.at;
        self.at += 1;
        match self.peek(0) {
            b'"' => self.quoted()?,
            b if starts_name(b) => self.skip_while(continues_name),
            _ => {
                let message =
                    format!("`{}` is not followed by a name", &self.source[start..self.at]);
                return Err(Box::new(self.error(start, message).expected(kind.describe())));
            }
        }
        Ok(kind)
    }

    /// Digits and all name characters after them; the decoder checks whether this is a number.
    fn number(&mut self) {
        let digits = self.source[self.at..].trim_start_matches('-');
        let hex = digits.starts_with("0x");
        self.at += 1;
        loop {
            match self.peek(0) {
                b'e' | b'E' if !hex && matches!(self.peek(1), b'+' | b'-') => self.at += 2,
                b if continues_name(b) => self.at += 1,
                _ => return,
            }
        }
    }

    fn quoted(&mut self) -> PResult<()> {
        let start = self.at;
        self.at += 1;
        loop {
            self.skip_while(|b| !matches!(b, b'"' | b'\\' | b'\n'));
            match self.peek(0) {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                // The escaped character may be a quote. The decoder checks whether the escape is valid.
                b'\\' if matches!(self.peek(1), b'"' | b'\\') => self.at += 2,
                b'\\' => self.at += 1,
                _ => {
                    let error = self.error(start, "a string is not closed on its line");
                    let help = "a line end inside a string is written \\n";
                    return Err(Box::new(error.expected("`\"`").help(help)));
                }
            }
        }
    }

    fn punctuation(&mut self) -> PResult<TokenKind> {
        let rest = &self.source[self.at..];
        if let Some((text, kind)) = PUNCTUATION.iter().find(|(text, _)| rest.starts_with(text)) {
            self.at += text.len();
            return Ok(*kind);
        }
        let found = rest.chars().next().unwrap_or(' ');
        let start = self.at;
        self.at += found.len_utf8();
        let shown = match super::is_hidden(found) {
            true => format!("U+{:04X}", u32::from(found)),
            false => format!("'{found}'"),
        };
        let message = format!("a character that means nothing here: {shown}");
        let error =
            self.error(start, message).expected("a name, a number, a string or punctuation");
        Err(Box::new(error.help("names with other characters are quoted: %\"a b\", @\"a b\"")))
    }
}

#[test]
fn a_byte_order_mark_is_no_token() {
    let tokens = lex("t.rir", "\u{feff}thread").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((tokens[0].kind, tokens[0].start, tokens.len()), (TokenKind::Word, 3, 2));
}
