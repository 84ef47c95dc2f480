//! Types.

use super::{NamedType, Parser, Symbol};
use crate::ast::{NameId, Type, TypeId};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::{Token, decimal_u32};
use cranelift_entity::packed_option::ReservedValue;

/// The limit of LLVM itself.
const MAX_INT_BITS: u32 = 1 << 23;

impl Parser<'_> {
    /// A type, followed by parameters if it is a function type, and by stars if it is a pointer as written
    /// before LLVM 15. The pointee type is not kept: instructions state the type wherever it is
    /// needed.
    pub(super) fn ty(&mut self) -> Parse<TypeId> {
        let mut ty = self.nested(Self::base_type)?;
        loop {
            match self.token {
                Token::Punct(b'(') => ty = self.nested(|p| p.function_type(ty))?,
                Token::Punct(b'*') => ty = self.pointer_type()?,
                Token::Word(b"addrspace") => {
                    let addrspace = self.addrspace()?;
                    self.expect(b'*')?;
                    ty = self.types.pointer(addrspace);
                }
                _ => return Ok(ty),
            }
        }
    }

    /// A type that values can have.
    pub(super) fn value_ty(&mut self) -> Parse<TypeId> {
        let at = self.start;
        let ty = self.ty()?;
        match self.types.types[ty] {
            Type::Void | Type::Func { .. } => Err(self.fault_at(at, "a type that no value has")),
            _ => Ok(ty),
        }
    }

    /// A type that memory can hold. Whether a named structure is defined is known only at the end of the
    /// module.
    pub(super) fn memory_ty(&mut self) -> Parse<TypeId> {
        let at = self.start;
        let ty = self.value_ty()?;
        match self.types.types[ty] {
            Type::Label | Type::Token | Type::Metadata => {
                Err(self.fault_at(at, "a type that memory does not hold"))
            }
            _ => Ok(ty),
        }
    }

    /// Whether the current token starts a type.
    pub(super) fn begins_type(&self) -> bool {
        match self.token {
            Token::Word(word) => primitive(word).is_some() || word == b"ptr" || word == b"target",
            Token::Local(_) => true,
            Token::Punct(byte) => matches!(byte, b'{' | b'[' | b'<'),
            _ => false,
        }
    }

    fn base_type(&mut self) -> Parse<TypeId> {
        match self.token {
            Token::Word(word) => self.word_type(word),
            Token::Punct(b'[') => self.array_type(),
            Token::Punct(b'{') => {
                let fields = self.fields()?;
                Ok(self.types.intern(Type::Struct { name: None, packed: false, fields }))
            }
            Token::Punct(b'<') => self.vector_or_packed(),
            Token::Local(name) => {
                let symbol = self.symbol(name)?;
                let id = self.named_type(symbol);
                self.advance();
                Ok(id)
            }
            _ => Err(self.unexpected("a type")),
        }
    }

    fn word_type(&mut self, word: &[u8]) -> Parse<TypeId> {
        let common = match word {
            b"ptr" => return self.pointer_type(),
            b"target" => return self.target_type(),
            b"i32" => Some(Types::I32),
            b"i64" => Some(Types::I64),
            b"i8" => Some(Types::I8),
            b"i1" => Some(Types::I1),
            b"void" => Some(Types::VOID),
            _ => None,
        };
        let id = match (common, primitive(word)) {
            (Some(id), _) => id,
            (None, Some(Type::Int(0))) => return Err(self.fault("an integer without bits")),
            (None, Some(Type::Int(bits))) if bits > MAX_INT_BITS => {
                return Err(self.fault(format!("an integer of more than {MAX_INT_BITS} bits")));
            }
            (None, Some(ty)) => self.types.intern(ty),
            (None, None) => return Err(self.unexpected("a type")),
        };
        self.advance();
        Ok(id)
    }

    /// `ptr` or `*`, with its address space.
    fn pointer_type(&mut self) -> Parse<TypeId> {
        self.advance();
        let addrspace = self.addrspace()?;
        Ok(self.types.pointer(addrspace))
    }

    /// `addrspace(N)`, or nothing, which means 0. A letter may name the address space: the data layout then
    /// gives its number, which is 0 for all targets of C.
    pub(super) fn addrspace(&mut self) -> Parse<u32> {
        if !self.eat_word(b"addrspace") {
            return Ok(0);
        }
        self.expect(b'(')?;
        let number = match self.token {
            Token::Str(b"A" | b"G" | b"P") => {
                self.advance();
                0
            }
            _ => self.expect_u32()?,
        };
        self.expect(b')')?;
        Ok(number)
    }

    /// `target("name", …)`, identified by its whole text.
    fn target_type(&mut self) -> Parse<TypeId> {
        let start = self.start;
        self.advance();
        let end = self.closing_bracket()?;
        let text = &self.lexer.text()[start..end];
        let name = self.names.intern_shown(text.into());
        Ok(self.types.intern(Type::Target { name }))
    }

    /// Skips brackets and returns their end.
    fn closing_bracket(&mut self) -> Parse<usize> {
        let start = self.start;
        self.expect_brackets(b'(')?;
        let text = &self.lexer.text()[start..self.start];
        let trailing = text.iter().rev().take_while(|b| **b != b')').count();
        Ok(self.start - trailing)
    }

    fn array_type(&mut self) -> Parse<TypeId> {
        self.expect(b'[')?;
        let len = self.expect_u64()?;
        self.expect_word("x")?;
        let element = self.memory_ty()?;
        self.expect(b']')?;
        Ok(self.types.intern(Type::Array { element, len }))
    }

    fn fields(&mut self) -> Parse<Box<[TypeId]>> {
        self.expect(b'{')?;
        Ok(self.list_until(b'}', Self::memory_ty)?.into())
    }

    fn vector_or_packed(&mut self) -> Parse<TypeId> {
        self.expect(b'<')?;
        if self.is(b'{') {
            let fields = self.fields()?;
            self.expect(b'>')?;
            return Ok(self.types.intern(Type::Struct { name: None, packed: true, fields }));
        }
        let scalable = self.eat_word(b"vscale");
        if scalable {
            self.expect_word("x")?;
        }
        let at = self.start;
        let len = self.expect_u32()?;
        if len == 0 {
            return Err(self.fault_at(at, "a vector without elements"));
        }
        self.expect_word("x")?;
        let element = self.memory_ty()?;
        self.expect(b'>')?;
        Ok(self.types.intern(Type::Vector { element, len, scalable }))
    }

    fn function_type(&mut self, ret: TypeId) -> Parse<TypeId> {
        let mut params = Vec::new();
        let varargs = self.variadic_list(|p| {
            params.push(p.value_ty()?);
            Ok(())
        })?;
        Ok(self.types.intern(Type::Func { ret, params: params.into(), varargs }))
    }

    /// The type with this name, which may be defined later.
    fn named_type(&mut self, symbol: Symbol) -> TypeId {
        let mention = self.start;
        let types = &mut self.types.types;
        let new = || {
            // A placeholder that differs from every other type; the definition replaces it.
            let name = symbol.name().unwrap_or_else(NameId::reserved_value);
            NamedType { id: types.push(Type::Opaque { name }), defined: false, mention }
        };
        self.named_types.entry(symbol).or_insert_with(new).id
    }

    /// `%name = type …`, starting at the name.
    pub(super) fn type_definition(&mut self) -> Parse<()> {
        let Token::Local(name) = self.token else { return Err(self.unexpected("a type's name")) };
        let at = self.start;
        let symbol = self.symbol(name)?;
        self.advance();
        self.expect(b'=')?;
        self.expect_word("type")?;
        if self.named_types.get(&symbol).is_some_and(|named| named.defined) {
            let name = self.show(symbol);
            return Err(self.fault_at(at, format!("type %{name} is defined twice")));
        }
        match self.token {
            Token::Word(b"opaque") => {
                self.advance();
                let name = self.type_name(symbol);
                self.define_type(symbol, Type::Opaque { name }, at);
            }
            Token::Punct(b'{') => {
                let fields = self.nested(Self::fields)?;
                let name = Some(self.type_name(symbol));
                self.define_type(symbol, Type::Struct { name, packed: false, fields }, at);
            }
            Token::Punct(b'<') => self.packed_definition(symbol, at)?,
            _ => {
                let id = self.ty()?;
                self.define_alias(symbol, id, at)?;
            }
        }
        Ok(())
    }

    fn packed_definition(&mut self, symbol: Symbol, at: usize) -> Parse<()> {
        let id = self.nested(Self::base_type)?;
        match self.types.types[id].clone() {
            Type::Struct { packed, fields, .. } => {
                let name = Some(self.type_name(symbol));
                self.define_type(symbol, Type::Struct { name, packed, fields }, at);
                Ok(())
            }
            _ => self.define_alias(symbol, id, at),
        }
    }

    fn type_name(&mut self, symbol: Symbol) -> NameId {
        match symbol {
            Symbol::Name(name) => name,
            Symbol::Number(number) => {
                self.names.intern_shown(number.to_string().into_bytes().into())
            }
        }
    }

    fn define_type(&mut self, symbol: Symbol, ty: Type, mention: usize) {
        let id = self.named_type(symbol);
        self.types.types[id] = ty;
        self.named_types.insert(symbol, NamedType { id, defined: true, mention });
    }

    /// Another name for a type that is not a structure. All mentions must come after the definition.
    fn define_alias(&mut self, symbol: Symbol, id: TypeId, at: usize) -> Parse<()> {
        if self.named_types.contains_key(&symbol) {
            return Err(
                self.fault_at(at, "a type that is not a structure is mentioned before this")
            );
        }
        self.named_types.insert(symbol, NamedType { id, defined: true, mention: at });
        Ok(())
    }

    /// A type as the text writes it, for messages.
    pub(super) fn show_type(&self, id: TypeId) -> String {
        let ty = &self.types.types[id];
        if let Some((word, _)) = WORDS.iter().find(|(_, known)| known == ty) {
            return (*word).into();
        }
        match ty {
            Type::Int(bits) => format!("i{bits}"),
            Type::Ptr { .. } => "ptr".into(),
            Type::Array { len, .. } => format!("an array of {len} elements"),
            Type::Vector { len, .. } => format!("a vector of {len} elements"),
            Type::Struct { .. } | Type::Opaque { .. } => "a structure".into(),
            Type::Func { .. } => "a function".into(),
            _ => "a target's type".into(),
        }
    }
}

/// The types that are a single word, except integers and pointers.
const WORDS: [(&str, Type); 13] = [
    ("void", Type::Void),
    ("half", Type::Half),
    ("bfloat", Type::BFloat),
    ("float", Type::Float),
    ("double", Type::Double),
    ("x86_fp80", Type::X86Fp80),
    ("fp128", Type::Fp128),
    ("ppc_fp128", Type::PpcFp128),
    ("x86_mmx", Type::X86Mmx),
    ("x86_amx", Type::X86Amx),
    ("label", Type::Label),
    ("token", Type::Token),
    ("metadata", Type::Metadata),
];

/// The type that is this word, unless it is a pointer. The width of an integer is not checked.
fn primitive(word: &[u8]) -> Option<Type> {
    if let [b'i', digits @ ..] = word {
        return Some(Type::Int(decimal_u32(digits)?));
    }
    WORDS.iter().find(|(known, _)| known.as_bytes() == word).map(|(_, ty)| ty.clone())
}
