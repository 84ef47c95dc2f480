//! Constants and operands.

use super::{BlockMention, Parser, Symbol, literal};
use crate::ast::{BlockId, ConstId, ConstKind, GlobalId, Type, TypeId, Value};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::{Name, Token, unescape};

/// Whether a word starts a constant, and so ends a list of attributes.
pub(super) fn begins_constant(word: &[u8]) -> bool {
    matches!(
        word,
        b"true"
            | b"false"
            | b"null"
            | b"undef"
            | b"poison"
            | b"none"
            | b"zeroinitializer"
            | b"splat"
            | b"blockaddress"
            | b"dso_local_equivalent"
            | b"no_cfi"
            | b"ptrauth"
            | b"asm"
    ) || super::expr::begins_expression(word)
}

impl<'t> Parser<'t> {
    /// An operand of a type that was already parsed.
    pub(super) fn value(&mut self, ty: TypeId) -> Parse<Value> {
        match self.token {
            Token::Local(name) => {
                let symbol = self.symbol(name)?;
                let local = self.mention_local(symbol, ty)?;
                self.advance();
                Ok(Value::Local(local))
            }
            _ => Ok(Value::Const(self.constant(ty)?)),
        }
    }

    /// A type and an operand of that type.
    pub(super) fn typed_value(&mut self) -> Parse<(TypeId, Value)> {
        let ty = self.value_ty()?;
        Ok((ty, self.value(ty)?))
    }

    /// A type and a constant of that type.
    pub(super) fn typed_constant(&mut self) -> Parse<(TypeId, ConstId)> {
        let ty = self.value_ty()?;
        Ok((ty, self.constant(ty)?))
    }

    /// A constant of a type that was already parsed.
    pub(super) fn constant(&mut self, ty: TypeId) -> Parse<ConstId> {
        let kind = match self.token {
            Token::Int(text) => self.integer(text, ty)?,
            Token::Float(text) => self.float(text, ty)?,
            Token::Word(word) => return self.word_constant(word, ty),
            Token::Global(name) => {
                let kind = ConstKind::Global(self.global_mention(name)?);
                self.require_pointer(ty)?;
                kind
            }
            Token::Bytes(raw) => self.bytes(raw, ty)?,
            Token::Punct(open @ (b'[' | b'{' | b'<')) => {
                return self.nested(|p| p.aggregate(open, ty));
            }
            _ => return Err(self.unexpected("a constant")),
        };
        self.advance();
        Ok(self.constants.add(ty, kind))
    }

    fn integer(&mut self, text: &'t [u8], ty: TypeId) -> Parse<ConstKind> {
        let Type::Int(bits) = self.types.types[ty] else { return Err(self.mistyped(ty)) };
        if bits > literal::MAX_BITS {
            return Ok(ConstKind::WideInt(self.names.intern_shown(text.into())));
        }
        match literal::integer(text, bits) {
            Some(value) => Ok(ConstKind::Int(value)),
            None => Err(self.fault("a malformed number")),
        }
    }

    fn float(&mut self, text: &[u8], ty: TypeId) -> Parse<ConstKind> {
        match literal::float(text, &self.types.types[ty]) {
            Some(bits) => Ok(ConstKind::Float(bits)),
            None => Err(self.mistyped(ty)),
        }
    }

    /// The error that the current token is not a constant of `ty`.
    fn mistyped(&self, ty: TypeId) -> Box<crate::fault::Fault> {
        self.unexpected(&format!("a constant of type {}", self.show_type(ty)))
    }

    pub(super) fn require_pointer(&self, ty: TypeId) -> Parse<()> {
        match self.types.types[ty] {
            Type::Ptr { .. } => Ok(()),
            _ => Err(self.mistyped(ty)),
        }
    }

    fn bytes(&mut self, raw: &[u8], ty: TypeId) -> Parse<ConstKind> {
        let bytes = unescape(raw);
        match self.types.types[ty] {
            Type::Array { element, len } if element == Types::I8 && len == bytes.len() as u64 => {
                Ok(ConstKind::Bytes(bytes.into()))
            }
            _ => Err(self
                .fault(format!("a string of {} bytes", bytes.len()))
                .expected(format!("a constant of type {}", self.show_type(ty)))),
        }
    }

    fn word_constant(&mut self, word: &'t [u8], ty: TypeId) -> Parse<ConstId> {
        let kind = match word {
            b"true" | b"false" if ty == Types::I1 => ConstKind::Int(u128::from(word == b"true")),
            b"null" => {
                self.require_pointer(ty)?;
                ConstKind::Null
            }
            b"none" if ty == Types::TOKEN => ConstKind::NoneToken,
            b"zeroinitializer" => ConstKind::Zero,
            b"undef" => ConstKind::Undef,
            b"poison" => ConstKind::Poison,
            b"splat" => return self.nested(|p| p.splat(ty)),
            b"blockaddress" => return self.block_address(ty),
            b"dso_local_equivalent" | b"no_cfi" => {
                self.advance();
                let global = self.function_name()?;
                let kind = match word {
                    b"no_cfi" => ConstKind::NoCfi(global),
                    _ => ConstKind::DsoLocalEquivalent(global),
                };
                return Ok(self.constants.add(ty, kind));
            }
            b"ptrauth" => return self.nested(|p| p.signed_pointer(ty)),
            _ if super::expr::begins_expression(word) => {
                return self.nested(|p| p.constant_expression(word, ty));
            }
            _ => return Err(self.mistyped(ty)),
        };
        self.advance();
        Ok(self.constants.add(ty, kind))
    }

    fn splat(&mut self, ty: TypeId) -> Parse<ConstId> {
        let Type::Vector { element, .. } = self.types.types[ty] else {
            return Err(self.mistyped(ty));
        };
        self.advance();
        self.expect(b'(')?;
        let value = self.constant_of(element)?;
        self.expect(b')')?;
        Ok(self.constants.add(ty, ConstKind::Splat(value)))
    }

    /// A type, which must be `ty`, and a constant of that type.
    pub(super) fn constant_of(&mut self, ty: TypeId) -> Parse<ConstId> {
        let at = self.start;
        let written = self.value_ty()?;
        self.require_same(at, written, ty)?;
        self.constant(ty)
    }

    /// Reports an error at `at` unless the two types are the same.
    pub(super) fn require_same(&self, at: usize, found: TypeId, wanted: TypeId) -> Parse<()> {
        if found == wanted {
            return Ok(());
        }
        let (found, wanted) = (self.show_type(found), self.show_type(wanted));
        let message = if found == wanted {
            format!("the type is not the one that is needed here: {found} of another kind")
        } else {
            format!("the type is {found}")
        };
        Err(self.fault_at(at, message).expected(wanted))
    }

    fn block_address(&mut self, ty: TypeId) -> Parse<ConstId> {
        self.require_pointer(ty)?;
        self.advance();
        self.expect(b'(')?;
        let function = self.function_name()?;
        self.expect(b',')?;
        let Token::Local(name) = self.token else { return Err(self.unexpected("a block's name")) };
        let symbol = self.symbol(name)?;
        let at = self.start;
        self.advance();
        self.expect(b')')?;
        // The block is resolved at the end of the module.
        let block = BlockId::from_u32(0);
        let constant = self.constants.add(ty, ConstKind::BlockAddress { function, block });
        self.block_mentions.push(BlockMention { constant, function, block: symbol, at });
        Ok(constant)
    }

    /// `ptrauth (ptr @f, i32 key, …)`.
    fn signed_pointer(&mut self, ty: TypeId) -> Parse<ConstId> {
        self.require_pointer(ty)?;
        self.advance();
        self.expect(b'(')?;
        let pointer = self.constant_of(ty)?;
        while self.eat(b',') {
            self.typed_constant()?;
        }
        self.expect(b')')?;
        Ok(self.constants.add(ty, ConstKind::PtrAuth(pointer)))
    }

    /// `[…]`, `{…}`, `<…>` or `<{…}>`.
    fn aggregate(&mut self, open: u8, ty: TypeId) -> Parse<ConstId> {
        let at = self.start;
        self.advance();
        let elements = match open {
            b'[' => self.list_until(b']', Self::typed_constant)?,
            b'{' => self.list_until(b'}', Self::typed_constant)?,
            _ if self.eat(b'{') => {
                let fields = self.list_until(b'}', Self::typed_constant)?;
                self.expect(b'>')?;
                return self.finish_aggregate(b'{', ty, fields, at);
            }
            _ => self.list_until(b'>', Self::typed_constant)?,
        };
        self.finish_aggregate(open, ty, elements, at)
    }

    fn finish_aggregate(
        &mut self,
        open: u8,
        ty: TypeId,
        elements: Vec<(TypeId, ConstId)>,
        at: usize,
    ) -> Parse<ConstId> {
        let found = elements.iter().map(|(ty, _)| *ty);
        let fits = match (open, &self.types.types[ty]) {
            (b'[', Type::Array { element, len }) => {
                *len == elements.len() as u64 && found.clone().all(|ty| ty == *element)
            }
            (b'<', Type::Vector { element, len, .. }) => {
                *len as usize == elements.len() && found.clone().all(|ty| ty == *element)
            }
            (b'{', Type::Struct { fields, .. }) => found.eq(fields.iter().copied()),
            _ => false,
        };
        if !fits {
            let wanted = format!("a constant of type {}", self.show_type(ty));
            return Err(self.fault_at(at, "elements that do not fit the type").expected(wanted));
        }
        let elements = elements.into_iter().map(|(_, id)| id).collect();
        Ok(self.constants.add(ty, ConstKind::Aggregate(elements)))
    }

    /// The name of a function, which may be defined later.
    pub(super) fn function_name(&mut self) -> Parse<GlobalId> {
        let Token::Global(name) = self.token else {
            return Err(self.unexpected("a function's name"));
        };
        let id = self.global_mention(name)?;
        self.advance();
        Ok(id)
    }

    /// The global with this name, which may be defined later.
    pub(super) fn global_mention(&mut self, name: Name<'t>) -> Parse<GlobalId> {
        let symbol: Symbol = self.symbol(name)?;
        Ok(self.globals.mention(symbol, self.start))
    }
}
