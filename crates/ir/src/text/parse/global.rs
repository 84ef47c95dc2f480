//! Globals: the typed forms and the form with raw bytes.

use super::super::MAX_INITIALISED;
use super::super::cursor::{DEFAULT_ALIGN, PResult};
use super::super::lex::{Token, TokenKind};
use super::super::object::{Contents, natural_align, pack};
use super::{Parser, operand, source};
use crate::inst::Operand;
use crate::program::Global;
use crate::source::SourceId;
use crate::types::Type;
use crate::verify::MAX_OBJECT_SIZE;

/// The part of a declaration after the colon.
struct Object {
    size: u64,
    align: u32,
    ty: Option<SourceId>,
    contents: Contents,
}

impl Parser<'_, '_> {
    pub(super) fn global(&mut self) -> PResult<()> {
        let constant = self.cursor.eat_word("const");
        let thread_local = self.cursor.eat_word("thread_local");
        let private = thread_local && self.cursor.eat_word("private");
        self.cursor.expect_word("global")?;
        let (token, name) = self.cursor.at_name("a name such as @x")?;
        let id = self.program.globals.next_key();
        self.declared_once(token, self.symbols.globals.get(&name) == Some(&id), "global")?;
        self.cursor.expect(TokenKind::Colon)?;
        let object =
            if self.cursor.eat_word("bytes") { self.raw_object()? } else { self.typed_object()? };
        let Object { size, align, ty, contents } = object;
        self.initialised += contents.init.len() as u64;
        self.program.globals.push(Global {
            name: name.into_owned(),
            size,
            align,
            init: contents.init,
            relocs: contents.relocs,
            constant,
            ty,
            thread_local,
            private,
        });
        Ok(())
    }

    /// `TYPE [x N] [align N] [type N] [= INIT]`
    fn typed_object(&mut self) -> PResult<Object> {
        let start = self.cursor.token();
        let scalar = match self.cursor.word().parse::<Type>() {
            Ok(_) => self.cursor.ty()?,
            Err(()) => return Err(self.cursor.unexpected("a type or `bytes`")),
        };
        let count: u64 = match self.cursor.eat_word("x") {
            true => self.cursor.integer("a number of elements")?,
            false => 1,
        };
        let size = count.saturating_mul(scalar.bytes().into());
        self.check_size(start, size)?;
        let align = self.cursor.align(natural_align(scalar))?;
        let ty = source::optional(&mut self.cursor)?;
        let contents = match self.cursor.eat(TokenKind::Assign) {
            true => self.initialiser(scalar, count)?,
            false => Contents::default(),
        };
        Ok(Object { size, align, ty, contents })
    }

    fn check_size(&self, token: Token, size: u64) -> PResult<()> {
        let left = MAX_INITIALISED - self.initialised;
        let (message, limit) = if size > MAX_OBJECT_SIZE {
            ("the global is too large", MAX_OBJECT_SIZE)
        } else if size > left {
            ("the initialisers of the program are too large", MAX_INITIALISED)
        } else {
            return Ok(());
        };
        Err(Box::new(self.cursor.error(token, message).expected(format!("at most {limit} bytes"))))
    }

    /// One value for every element, or a list of values for the first elements.
    fn initialiser(&mut self, ty: Type, count: u64) -> PResult<Contents> {
        if !self.cursor.eat(TokenKind::LBracket) {
            let value = self.element(ty)?;
            // Zeros need no bytes: do not build a long vector of them.
            let copies = if value == Operand::Int(0) { 0 } else { count as usize };
            return Ok(pack(ty, std::iter::repeat_n(value, copies)));
        }
        let mut elements = Vec::new();
        while !self.cursor.at(TokenKind::RBracket) {
            if elements.len() as u64 >= count {
                let error = self.cursor.error(self.cursor.token(), "too many initial values");
                return Err(Box::new(error.expected(format!("at most {count}"))));
            }
            elements.push(self.element(ty)?);
            if !self.cursor.at(TokenKind::RBracket) && !self.cursor.eat(TokenKind::Comma) {
                return Err(self.cursor.unexpected("`,` or `]`"));
            }
        }
        self.cursor.next();
        Ok(pack(ty, elements))
    }

    fn element(&mut self, ty: Type) -> PResult<Operand> {
        let token = self.cursor.token();
        let value = operand::constant(&mut self.cursor, self.symbols, Some(ty), "a constant")?;
        match value {
            Operand::Int(_) => Ok(value),
            Operand::Global(..) | Operand::Func(_) if ty == Type::Ptr => Ok(value),
            Operand::Undef => {
                let error = self.cursor.error(token, "undef in an initialiser");
                Err(Box::new(error.expected("a constant").help("memory starts as zero: write 0")))
            }
            _ => {
                let error = self.cursor.error(token, format!("an address where {ty} is expected"));
                Err(Box::new(error.expected("a number").help("use the type ptr")))
            }
        }
    }

    /// `N [align N] [type N] [= hex "…"] [relocs {N: ADDRESS, …}]`, after `bytes`
    fn raw_object(&mut self) -> PResult<Object> {
        let size = self.cursor.integer("a size in bytes")?;
        let align = self.cursor.align(DEFAULT_ALIGN)?;
        let ty = source::optional(&mut self.cursor)?;
        let mut contents = Contents::default();
        if self.cursor.eat(TokenKind::Assign) {
            self.cursor.expect_word("hex")?;
            let token = self.cursor.expect(TokenKind::Quoted)?;
            self.check_size(token, u64::from(token.end - token.start))?;
            contents.init = self.hex(token)?;
        }
        if self.cursor.eat_word("relocs") {
            self.cursor.expect(TokenKind::LBrace)?;
            contents.relocs = self.cursor.list(TokenKind::RBrace, |cursor| {
                let at = cursor.integer("an offset in bytes")?;
                cursor.expect(TokenKind::Colon)?;
                let what = "an address such as @x";
                Ok((at, operand::constant(cursor, self.symbols, Some(Type::Ptr), what)?))
            })?;
        }
        Ok(Object { size, align, ty, contents })
    }

    /// Pairs of hexadecimal digits; spaces may appear anywhere.
    fn hex(&self, token: Token) -> PResult<Vec<u8>> {
        let text = self.cursor.text(token).trim_matches('"');
        let digits: Option<Vec<u8>> =
            text.chars().filter(|c| *c != ' ').map(|c| Some(c.to_digit(16)? as u8)).collect();
        match digits {
            Some(digits) if digits.len() % 2 == 0 => {
                Ok(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
            }
            _ => {
                let error = self.cursor.error(token, "malformed bytes");
                Err(Box::new(error.expected("two hexadecimal digits for each byte")))
            }
        }
    }
}
