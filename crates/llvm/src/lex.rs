//! Tokens of LLVM's assembly language.
//!
//! The lexer never fails and never allocates: text that is not a token is [`Token::Bad`], which no
//! rule of the grammar accepts. Names and strings are slices of the text and are decoded where
//! they are needed ([`unescape`]).

use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'t> {
    End,
    /// A byte of punctuation.
    Punct(u8),
    /// `...`
    Ellipsis,
    /// A keyword, instruction, attribute or primitive type.
    Word(&'t [u8]),
    /// Digits with an optional sign, or `u0x…` and `s0x…`.
    Int(&'t [u8]),
    /// A decimal with a point, `0x…` with an optional letter for its format, or `f0x…`.
    Float(&'t [u8]),
    /// The text between the quotes, still escaped.
    Str(&'t [u8]),
    /// `c"…"`
    Bytes(&'t [u8]),
    Global(Name<'t>),
    Local(Name<'t>),
    /// `name:`
    Label(Name<'t>),
    /// `$name`
    Comdat,
    /// `!name`
    MetaName(&'t [u8]),
    /// `!12`
    MetaNum(u32),
    /// `#12`
    AttrGroup,
    /// `^12`
    Summary,
    Bad(&'static str),
}

/// A name, as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Name<'t> {
    Number(u32),
    /// With or without quotes, possibly with escapes.
    Text(&'t [u8]),
}

const WORD: u8 = 1;
const SPACE: u8 = 2;

/// The classes of each byte. `WORD` is LLVM's alphabet of unquoted names: `[-a-zA-Z$._0-9]`.
static CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_') {
            table[byte] = WORD;
        } else if matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0) {
            table[byte] = SPACE;
        }
        byte += 1;
    }
    table
};

fn is_word(byte: u8) -> bool {
    CLASS[byte as usize] == WORD
}

#[derive(Debug)]
pub(crate) struct Lexer<'t> {
    text: &'t [u8],
    /// The start of the search for the next token.
    pos: usize,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Lexer<'t> {
        // Some editors begin a file with a byte order mark.
        let pos = if text.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Lexer { text, pos }
    }

    /// A lexer for the text from `pos` on.
    pub(crate) fn starting(text: &'t [u8], pos: usize) -> Lexer<'t> {
        Lexer { text, pos }
    }

    pub(crate) fn text(&self) -> &'t [u8] {
        self.text
    }

    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    fn at(&self, pos: usize) -> u8 {
        self.text.get(pos).copied().unwrap_or(0)
    }

    /// Moves to the next token and returns its start.
    pub(crate) fn skip_space(&mut self) -> usize {
        while let Some(&byte) = self.text.get(self.pos) {
            if CLASS[byte as usize] == SPACE {
                self.pos += 1;
            } else if byte == b';' {
                let rest = &self.text[self.pos..];
                self.pos += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            } else {
                break;
            }
        }
        self.pos
    }

    /// The token at `pos`. [`Lexer::skip_space`] must have been called before.
    pub(crate) fn token(&mut self) -> Token<'t> {
        let start = self.pos;
        let Some(&byte) = self.text.get(start) else { return Token::End };
        match byte {
            b'%' => self.name(Token::Local, "'%' without a name"),
            b'@' => self.name(Token::Global, "'@' without a name"),
            b'!' => self.metadata(),
            b'"' => self.string(),
            b'#' => self.numbered(Token::AttrGroup),
            b'^' => self.numbered(Token::Summary),
            b'$' => self.comdat(),
            b'0'..=b'9' => self.number(),
            b'-' | b'+' if self.at(start + 1).is_ascii_digit() => self.number(),
            b'-' | b'+' if self.at(start + 1).is_ascii_alphabetic() => self.special_float(),
            b'.' if self.text[start..].starts_with(b"...") => {
                self.pos += 3;
                Token::Ellipsis
            }
            _ if is_word(byte) => self.word(),
            b',' | b'(' | b')' | b'=' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b'*' | b'|'
            | b':' => {
                self.pos += 1;
                Token::Punct(byte)
            }
            _ => Token::Bad("a byte that begins no token"),
        }
    }

    fn scan_word(&mut self) -> &'t [u8] {
        let start = self.pos;
        while self.pos < self.text.len() && is_word(self.text[self.pos]) {
            self.pos += 1;
        }
        &self.text[start..self.pos]
    }

    fn scan_digits(&mut self) -> &'t [u8] {
        let start = self.pos;
        while self.at(self.pos).is_ascii_digit() {
            self.pos += 1;
        }
        &self.text[start..self.pos]
    }

    /// The text between the quotes that start here; `None` if the closing quote is missing.
    fn scan_quoted(&mut self) -> Option<&'t [u8]> {
        let start = self.pos + 1;
        let len = self.text[start..].iter().position(|b| *b == b'"')?;
        let inner = &self.text[start..start + len];
        self.pos = start + len + 1;
        Some(inner)
    }

    fn bad_string(&mut self) -> Token<'t> {
        self.pos = self.text.len();
        Token::Bad("a string without its closing quote")
    }

    fn name(&mut self, make: fn(Name<'t>) -> Token<'t>, none: &'static str) -> Token<'t> {
        self.pos += 1;
        match self.at(self.pos) {
            b'"' => match self.scan_quoted() {
                Some(inner) => make(Name::Text(inner)),
                None => self.bad_string(),
            },
            b'0'..=b'9' => match decimal_u32(self.scan_digits()) {
                Some(number) => make(Name::Number(number)),
                None => Token::Bad("a number that is too large for a name"),
            },
            byte if is_word(byte) => make(Name::Text(self.scan_word())),
            _ => Token::Bad(none),
        }
    }

    fn metadata(&mut self) -> Token<'t> {
        self.pos += 1;
        let start = self.pos;
        let byte = self.at(start);
        if byte.is_ascii_digit() {
            let number = decimal_u32(self.scan_digits());
            return number
                .map_or(Token::Bad("a metadata number that is too large"), Token::MetaNum);
        }
        while is_word(self.at(self.pos)) || self.at(self.pos) == b'\\' {
            self.pos += 1;
        }
        match &self.text[start..self.pos] {
            [] => Token::Punct(b'!'),
            name => Token::MetaName(name),
        }
    }

    fn string(&mut self) -> Token<'t> {
        let Some(inner) = self.scan_quoted() else { return self.bad_string() };
        if self.at(self.pos) == b':' {
            self.pos += 1;
            return Token::Label(Name::Text(inner));
        }
        Token::Str(inner)
    }

    /// `#12` or `^12`; a `#` alone begins a debug record.
    fn numbered(&mut self, token: Token<'t>) -> Token<'t> {
        let mark = self.text[self.pos];
        self.pos += 1;
        if self.scan_digits().is_empty() { Token::Punct(mark) } else { token }
    }

    fn comdat(&mut self) -> Token<'t> {
        let start = self.pos;
        if self.at(start + 1) == b'"' {
            self.pos += 1;
            return if self.scan_quoted().is_some() { Token::Comdat } else { self.bad_string() };
        }
        self.scan_word();
        self.label(start).unwrap_or(Token::Comdat)
    }

    /// The label that ends here, if a colon follows.
    fn label(&mut self, start: usize) -> Option<Token<'t>> {
        if self.at(self.pos) != b':' {
            return None;
        }
        let name = &self.text[start..self.pos];
        self.pos += 1;
        // `007:` is a name: only a number without leading zeros is a number.
        let number = if name[0] == b'0' && name.len() > 1 { None } else { decimal_u32(name) };
        Some(Token::Label(number.map_or(Name::Text(name), Name::Number)))
    }

    fn word(&mut self) -> Token<'t> {
        let start = self.pos;
        let word = self.scan_word();
        if let Some(label) = self.label(start) {
            return label;
        }
        match word {
            b"c" if self.at(self.pos) == b'"' => match self.scan_quoted() {
                Some(inner) => Token::Bytes(inner),
                None => self.bad_string(),
            },
            [b'u' | b's', b'0', b'x', _, ..] => Token::Int(word),
            [b'f', b'0', b'x', _, ..] => Token::Float(word),
            _ => Token::Word(word),
        }
    }

    fn number(&mut self) -> Token<'t> {
        let start = self.pos;
        if matches!(self.at(start), b'-' | b'+') {
            self.pos += 1;
        }
        let digits = self.scan_digits();
        let mut float = false;
        if digits == b"0" && self.at(self.pos) == b'x' {
            float = true;
            self.pos += 1;
            while self.at(self.pos).is_ascii_alphanumeric() {
                self.pos += 1;
            }
        } else if self.at(self.pos) == b'.' {
            float = true;
            self.pos += 1;
            self.scan_digits();
            self.exponent();
        }
        if is_word(self.at(self.pos)) {
            // A label may start with digits.
            self.scan_word();
            return self.label(start).unwrap_or(Token::Bad("a malformed number"));
        }
        if let Some(label) = self.label(start) {
            return label;
        }
        let all = &self.text[start..self.pos];
        if float { Token::Float(all) } else { Token::Int(all) }
    }

    fn exponent(&mut self) {
        let sign = usize::from(matches!(self.at(self.pos + 1), b'-' | b'+'));
        if matches!(self.at(self.pos), b'e' | b'E') && self.at(self.pos + 1 + sign).is_ascii_digit()
        {
            self.pos += 1 + sign;
            self.scan_digits();
        }
    }

    /// `+inf`, `-qnan`, `+nan(0x…)`; or a label that begins with a dash.
    fn special_float(&mut self) -> Token<'t> {
        let start = self.pos;
        self.pos += 1;
        let word = self.scan_word();
        if let Some(label) = self.label(start) {
            return label;
        }
        match word {
            b"nan" | b"snan" if self.at(self.pos) == b'(' => {
                let rest = &self.text[self.pos..];
                match rest.iter().position(|b| *b == b')') {
                    Some(len) => self.pos += len + 1,
                    None => return Token::Bad("a payload without its closing parenthesis"),
                }
                Token::Float(&self.text[start..self.pos])
            }
            b"inf" | b"qnan" => Token::Float(&self.text[start..self.pos]),
            _ => Token::Bad("a malformed number"),
        }
    }
}

/// A decimal number of 64 bits, without sign.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |sum, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        sum.checked_mul(10)?.checked_add(digit)
    })
}

/// A decimal number of 32 bits, without sign.
pub(crate) fn decimal_u32(digits: &[u8]) -> Option<u32> {
    decimal(digits)?.try_into().ok()
}

/// Decodes `\xx` (a byte in hexadecimal) and `\\`; any other backslash stands for itself.
pub(crate) fn unescape(raw: &[u8]) -> Cow<'_, [u8]> {
    let Some(first) = raw.iter().position(|b| *b == b'\\') else { return Cow::Borrowed(raw) };
    let mut out = raw[..first].to_vec();
    let mut rest = &raw[first..];
    while let [byte, tail @ ..] = rest {
        match (*byte, tail) {
            (b'\\', [b'\\', after @ ..]) => {
                out.push(b'\\');
                rest = after;
            }
            (b'\\', [high, low, after @ ..]) if hex(*high).is_some() && hex(*low).is_some() => {
                out.push(hex(*high).unwrap_or(0) << 4 | hex(*low).unwrap_or(0));
                rest = after;
            }
            _ => {
                out.push(*byte);
                rest = tail;
            }
        }
    }
    Cow::Owned(out)
}

/// The value of a hexadecimal digit.
pub(crate) fn hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
