//! The parser: recursive descent over the tokens with one token of lookahead.
//!
//! In this language names may be used before they are defined, so a name gets its id at its
//! first mention. At the end of a name's scope the parser checks that every mentioned name is defined
//! ([`function`] for locals and blocks, [`finish`] for the rest).
//!
//! | module | subject |
//! |---|---|
//! | [`item`] | the top level |
//! | [`types`], [`literal`], [`constant`], [`expr`] | types, numbers, constants, constant expressions |
//! | [`attrs`] | attributes, most of which are skipped |
//! | [`global`], [`function`] | variables and aliases; function headers and bodies |
//! | [`scope`] | the locals and blocks of one function |
//! | [`inst`] | instructions |
//! | [`rules`] | the operand and result types of operations |
//! | [`metadata`] | positions: reading the nodes, following scopes |
//! | [`debug`] | types of the source: reading the nodes that variables lead to |
//! | [`finish`] | checks at the end of a module |

mod attrs;
mod constant;
mod debug;
mod expr;
mod finish;
mod function;
mod global;
mod inst;
mod item;
mod literal;
mod metadata;
mod rules;
mod scope;
mod types;

use crate::ast::{ConstId, GlobalId, MAX_NESTING, Module, NameId, TypeId};
use crate::fault::{Fault, Parse};
use crate::intern::{Constants, Names, Types};
use crate::lex::{Lexer, Name, Token, decimal, unescape};
use cranelift_entity::SecondaryMap;
use debug::Debug;
use metadata::Metadata;
use raddle_ir::{Diagnostic, Mnemonic};
use rustc_hash::FxHashMap;
use scope::Scope;
use std::ops::Range;

/// Parses a module. Diagnostics refer to it as `file`; `text` need not be UTF-8.
pub fn parse(file: &str, text: &[u8]) -> Result<Module, Diagnostic> {
    // This guarantees that every count and every position in the text fits in 32-bit ids.
    if u32::try_from(text.len()).is_err() {
        return Err(Diagnostic::whole_file(file, "a module of more than four gigabytes"));
    }
    let mut parser = Parser::new(text);
    parser.module().map_err(|fault| fault.into_diagnostic(file, text))
}

/// A name or number in one of the name spaces.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Symbol {
    Number(u32),
    Name(NameId),
}

impl Symbol {
    fn name(self) -> Option<NameId> {
        match self {
            Symbol::Number(_) => None,
            Symbol::Name(name) => Some(name),
        }
    }
}

/// A named type and the place of its first mention.
#[derive(Debug)]
struct NamedType {
    id: TypeId,
    defined: bool,
    mention: usize,
}

/// A mention of a block outside of its function.
#[derive(Debug)]
struct BlockMention {
    constant: ConstId,
    function: GlobalId,
    block: Symbol,
    at: usize,
}

#[derive(Debug)]
struct Parser<'t> {
    lexer: Lexer<'t>,
    token: Token<'t>,
    /// The start of `token`.
    start: usize,
    /// The number of types, constants and nodes that enclose the current token.
    depth: usize,
    /// Whether the comma before an instruction's metadata has been read.
    comma_read: bool,
    names: Names<'t>,
    types: Types,
    named_types: FxHashMap<Symbol, NamedType>,
    constants: Constants,
    globals: global::Globals,
    block_mentions: Vec<BlockMention>,
    /// The symbols of the blocks of each function, indexed by block id.
    block_symbols: SecondaryMap<GlobalId, Box<[Symbol]>>,
    scope: Scope,
    /// The result type of the function that is being parsed.
    return_type: TypeId,
    metadata: Metadata,
    debug: Debug,
    module: Module,
}

impl<'t> Parser<'t> {
    fn new(text: &'t [u8]) -> Parser<'t> {
        let mut parser = Parser {
            lexer: Lexer::new(text),
            token: Token::End,
            start: 0,
            depth: 0,
            comma_read: false,
            names: Names::default(),
            types: Types::new(),
            named_types: FxHashMap::default(),
            constants: Constants::default(),
            globals: global::Globals::default(),
            block_mentions: Vec::new(),
            block_symbols: SecondaryMap::new(),
            scope: Scope::default(),
            return_type: Types::VOID,
            metadata: Metadata::for_text(text.len()),
            debug: Debug::for_text(text.len()),
            module: Module::default(),
        };
        parser.advance();
        parser
    }

    /// Moves to the next token and returns the current one.
    fn advance(&mut self) -> Token<'t> {
        self.start = self.lexer.skip_space();
        let next = self.lexer.token();
        std::mem::replace(&mut self.token, next)
    }

    fn span(&self) -> Range<usize> {
        self.start..self.lexer.pos().max(self.start)
    }

    /// A fault at the current token.
    fn fault(&self, message: impl Into<String>) -> Box<Fault> {
        Fault::new(self.span(), message)
    }

    /// A fault at an earlier place.
    fn fault_at(&self, at: usize, message: impl Into<String>) -> Box<Fault> {
        Fault::new(at..at, message)
    }

    /// The error that the current token is not the one that the grammar requires.
    fn unexpected(&self, expected: &str) -> Box<Fault> {
        const SHOWN: usize = 40;
        let message = match self.token {
            Token::End => "the file ends here".to_owned(),
            Token::Bad(why) => why.to_owned(),
            _ => {
                let text = String::from_utf8_lossy(&self.lexer.text()[self.span()]);
                match text.char_indices().nth(SHOWN) {
                    Some((cut, _)) => format!("'{}…'", &text[..cut]),
                    None => format!("'{text}'"),
                }
            }
        };
        self.fault(message).expected(expected)
    }

    fn is(&self, punct: u8) -> bool {
        matches!(self.token, Token::Punct(found) if found == punct)
    }

    fn is_word(&self, word: &[u8]) -> bool {
        matches!(self.token, Token::Word(found) if found == word)
    }

    fn eat(&mut self, punct: u8) -> bool {
        let found = self.is(punct);
        if found {
            self.advance();
        }
        found
    }

    fn eat_word(&mut self, word: &[u8]) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punct: u8) -> Parse<()> {
        if self.eat(punct) { Ok(()) } else { Err(self.unexpected_punct(punct)) }
    }

    fn unexpected_punct(&self, expected: u8) -> Box<Fault> {
        self.unexpected(&format!("'{}'", expected as char))
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word.as_bytes()) {
            return Ok(());
        }
        Err(self.unexpected(&format!("'{word}'")))
    }

    /// A word of an enumeration.
    fn expect_one_of<W: Mnemonic>(&mut self, what: &str) -> Parse<W> {
        if let Token::Word(word) = self.token
            && let Some(value) = W::from_mnemonic(word)
        {
            self.advance();
            return Ok(value);
        }
        Err(self.unexpected(what))
    }

    /// A string, decoded.
    fn expect_string(&mut self) -> Parse<std::borrow::Cow<'t, [u8]>> {
        let Token::Str(raw) = self.token else { return Err(self.unexpected("a string")) };
        self.advance();
        Ok(unescape(raw))
    }

    /// A human-readable string, as a name.
    fn expect_text(&mut self) -> Parse<NameId> {
        let bytes = self.expect_string()?;
        Ok(self.names.intern_shown(bytes))
    }

    /// An unsigned number of 64 bits.
    fn expect_u64(&mut self) -> Parse<u64> {
        if let Token::Int(digits) = self.token
            && let Some(value) = decimal(digits)
        {
            self.advance();
            return Ok(value);
        }
        Err(self.unexpected("a number"))
    }

    fn expect_u32(&mut self) -> Parse<u32> {
        let at = self.start;
        let value = self.expect_u64()?;
        value.try_into().map_err(|_| self.fault_at(at, "a number that is too large"))
    }

    /// The symbol of a written name; names are compared after decoding.
    fn symbol(&mut self, name: Name<'t>) -> Parse<Symbol> {
        match name {
            Name::Number(number) => Ok(Symbol::Number(number)),
            Name::Text(raw) => match self.names.intern(unescape(raw)) {
                Some(name) => Ok(Symbol::Name(name)),
                None => Err(self.fault("a name that is not UTF-8")),
            },
        }
    }

    fn show(&self, symbol: Symbol) -> String {
        match symbol {
            Symbol::Number(number) => number.to_string(),
            Symbol::Name(name) => self.names.strings[name].to_string(),
        }
    }

    /// Parses a construct that may contain itself, to a bounded depth.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.depth == MAX_NESTING {
            return Err(self.fault(format!("nesting deeper than {MAX_NESTING} levels")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// A list of at least one item, separated by commas.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Parse<T>) -> Parse<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.eat(b',') {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// A list that may be empty, up to and including a closing bracket.
    fn list_until<T>(
        &mut self,
        close: u8,
        item: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        if self.eat(close) {
            return Ok(Vec::new());
        }
        let items = self.list(item)?;
        self.expect(close)?;
        Ok(items)
    }

    /// `(item, …)`, where `...` may come last; returns whether it does.
    fn variadic_list(&mut self, mut item: impl FnMut(&mut Self) -> Parse<()>) -> Parse<bool> {
        self.expect(b'(')?;
        let mut variadic = false;
        while !self.is(b')') {
            variadic = self.token == Token::Ellipsis;
            if variadic {
                self.advance();
                break;
            }
            item(self)?;
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b')')?;
        Ok(variadic)
    }

    /// Skips brackets, which must open here.
    fn expect_brackets(&mut self, open: u8) -> Parse<()> {
        if self.is(open) { self.skip_brackets() } else { Err(self.unexpected_punct(open)) }
    }

    /// Skips from an opening bracket to behind its closing bracket.
    fn skip_brackets(&mut self) -> Parse<()> {
        let open = self.span();
        let mut depth = 0usize;
        loop {
            match self.token {
                Token::Punct(b'(' | b'[' | b'{') => depth += 1,
                Token::Punct(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                Token::End => return Err(Fault::new(open, "a bracket that is never closed")),
                Token::Bad(_) => return Err(self.unexpected("a token")),
                _ => {}
            }
            self.advance();
            if depth == 0 {
                return Ok(());
            }
        }
    }
}
