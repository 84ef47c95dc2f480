//! The types of variables, from debug information.
//!
//! There is much of it and little is needed, so the nodes are skipped at first and only their places are
//! kept. At the end of the module, the nodes that variables lead to are read, each once. They serve names
//! only: a node that is malformed is an unknown type, not an error.

use super::Parser;
use super::metadata::NodeRef;
use crate::ast::{DebugId, DebugMember, DebugRecord, DebugType, Encoding, NameId};
use crate::lex::{Lexer, Name, Token, decimal};
use crate::numbers::Numbers;
use cranelift_entity::PrimaryMap;

/// The nodes with types, and the types that are asked for.
#[derive(Debug)]
pub(super) struct Debug {
    /// Where the node with a number starts in the text.
    places: Numbers,
    /// The type for the number of a node.
    ids: Numbers,
    /// The number of the node of each type.
    asked: PrimaryMap<DebugId, u32>,
}

/// The fields of a node. The same field has the same meaning in all kinds of nodes.
#[derive(Default)]
struct Node<'t> {
    kind: &'t [u8],
    tag: &'t [u8],
    encoding: &'t [u8],
    name: Option<&'t [u8]>,
    identifier: Option<&'t [u8]>,
    base: Option<u32>,
    elements: Option<u32>,
    var: Option<u32>,
    ty: Option<u32>,
    file: Option<u32>,
    filename: Option<&'t [u8]>,
    size: u64,
    offset: u64,
    count: Option<u64>,
    value: i128,
    flags: Flags,
}

#[derive(Default)]
struct Flags {
    bit_field: bool,
    declaration: bool,
    static_member: bool,
    virtual_base: bool,
}

/// The longest chain of nodes from a variable to its type.
const MAX_CHAIN: u32 = 4;

impl Debug {
    /// Nothing yet, for a text of `len` bytes.
    pub(super) fn for_text(len: usize) -> Debug {
        Debug {
            places: Numbers::for_text(len),
            ids: Numbers::for_text(len),
            asked: PrimaryMap::new(),
        }
    }

    /// Records where a node starts. The text has fewer than 2^32 bytes.
    pub(super) fn place(&mut self, number: u32, start: usize) {
        self.places.insert(number, start as u32);
    }

    /// The type of a node, which is read at the end.
    pub(super) fn ask(&mut self, number: u32) -> DebugId {
        if let Some(id) = self.ids.get(number) {
            return DebugId::from_u32(id);
        }
        let id = self.asked.push(number);
        self.ids.insert(number, id.as_u32());
        id
    }

    /// The type, or the type of the variable, that a node describes.
    pub(super) fn ask_node(&mut self, node: Option<NodeRef>) -> Option<DebugId> {
        let Some(NodeRef::Number(number)) = node else { return None };
        Some(self.ask(number))
    }
}

impl<'t> Parser<'t> {
    /// Reads the types that are asked for, and those that they refer to.
    pub(super) fn resolve_types(&mut self) -> PrimaryMap<DebugId, DebugType> {
        let mut types = PrimaryMap::new();
        while let Some(&number) = self.debug.asked.get(types.next_key()) {
            let ty = self.read_type(number).unwrap_or_default();
            types.push(ty);
        }
        types
    }

    fn read_type(&mut self, number: u32) -> Option<DebugType> {
        let mut node = self.read(number)?;
        // A variable stands for its type.
        for _ in 0..MAX_CHAIN {
            let next = match node.kind {
                b"DIGlobalVariableExpression" => node.var?,
                b"DIGlobalVariable" | b"DILocalVariable" => {
                    let to = node.ty.map(|ty| self.debug.ask(ty));
                    return Some(DebugType::Alias { name: None, to });
                }
                _ => break,
            };
            node = self.read(next)?;
        }
        match node.kind {
            b"DIBasicType" => self.basic(&node),
            b"DIDerivedType" => self.derived(&node),
            b"DICompositeType" => self.composite(&node),
            _ => None,
        }
    }

    fn basic(&mut self, node: &Node<'t>) -> Option<DebugType> {
        let encoding = match node.encoding {
            b"DW_ATE_signed" => Encoding::Signed,
            b"DW_ATE_unsigned" | b"DW_ATE_UTF" => Encoding::Unsigned,
            b"DW_ATE_signed_char" => Encoding::SignedChar,
            b"DW_ATE_unsigned_char" => Encoding::UnsignedChar,
            b"DW_ATE_boolean" => Encoding::Bool,
            b"DW_ATE_float" => Encoding::Float,
            _ => return None,
        };
        Some(DebugType::Basic { name: self.named(node.name), encoding, bits: node.size })
    }

    fn derived(&mut self, node: &Node<'t>) -> Option<DebugType> {
        let to = node.base.map(|base| self.debug.ask(base));
        Some(match node.tag {
            b"DW_TAG_pointer_type" | b"DW_TAG_reference_type" | b"DW_TAG_rvalue_reference_type" => {
                DebugType::Pointer { to }
            }
            b"DW_TAG_typedef" => DebugType::Alias { name: self.named(node.name), to },
            b"DW_TAG_const_type"
            | b"DW_TAG_volatile_type"
            | b"DW_TAG_restrict_type"
            | b"DW_TAG_atomic_type" => DebugType::Alias { name: None, to },
            _ => return None,
        })
    }

    fn composite(&mut self, node: &Node<'t>) -> Option<DebugType> {
        let name = self.named(node.name);
        match node.tag {
            b"DW_TAG_structure_type" | b"DW_TAG_class_type" | b"DW_TAG_union_type" => {
                let file = node.file.and_then(|file| self.read(file)?.filename);
                let record = DebugRecord {
                    name,
                    identifier: self.named(node.identifier),
                    union: node.tag == b"DW_TAG_union_type",
                    bits: node.size,
                    declaration: node.flags.declaration,
                    file: self.named(file),
                    members: self.members(node).into(),
                };
                Some(DebugType::Record(Box::new(record)))
            }
            b"DW_TAG_array_type" => {
                let element = node.base.map(|base| self.debug.ask(base));
                let parts = self.parts(node.elements);
                let lengths =
                    parts.into_iter().map(|part| self.read(part).and_then(|part| part.count));
                Some(DebugType::Array { element, lengths: lengths.collect() })
            }
            b"DW_TAG_enumeration_type" => {
                let base = node.base.and_then(|base| self.read(base));
                let signed = base.is_some_and(|base| base.encoding.starts_with(b"DW_ATE_signed"));
                let mut values = Vec::new();
                for part in self.parts(node.elements) {
                    if let Some(part) = self.read(part)
                        && let Some(name) = self.named(part.name)
                    {
                        values.push((name, part.value));
                    }
                }
                Some(DebugType::Enum { name, signed, bits: node.size, values: values.into() })
            }
            _ => None,
        }
    }

    fn members(&mut self, node: &Node<'t>) -> Vec<DebugMember> {
        let mut members = Vec::new();
        for part in self.parts(node.elements) {
            let Some(part) = self.read(part) else { continue };
            // Where a virtual base is depends on the object: its offset is that of an entry in the table of the class.
            let base = part.tag == b"DW_TAG_inheritance" && !part.flags.virtual_base;
            let data = part.tag == b"DW_TAG_member" && !part.flags.static_member;
            if part.kind != b"DIDerivedType" || !base && !data {
                continue;
            }
            members.push(DebugMember {
                name: self.named(part.name),
                ty: part.base.map(|base| self.debug.ask(base)),
                offset: part.offset,
                bits: part.size,
                bit_field: part.flags.bit_field,
            });
        }
        members
    }

    fn named(&mut self, name: Option<&'t [u8]>) -> Option<NameId> {
        let name = name.filter(|name| !name.is_empty())?;
        Some(self.names.intern_shown(crate::lex::unescape(name)))
    }

    // ---- nodes ----

    /// The numbers in a list of nodes.
    fn parts(&self, list: Option<u32>) -> Vec<u32> {
        let mut numbers = Vec::new();
        let Some(mut at) = list.and_then(|list| self.at_node(list)) else { return numbers };
        if at.next() != Token::Punct(b'!') || at.next() != Token::Punct(b'{') {
            return numbers;
        }
        loop {
            match at.next() {
                Token::MetaNum(number) => numbers.push(number),
                Token::Punct(b',') | Token::Word(b"null") => {}
                _ => return numbers,
            }
        }
    }

    fn at_node(&self, number: u32) -> Option<Reader<'t>> {
        let start = self.debug.places.get(number)?;
        Some(Reader { lexer: Lexer::starting(self.lexer.text(), start as usize) })
    }

    /// The node with this number, as far as its fields are understood.
    fn read(&self, number: u32) -> Option<Node<'t>> {
        let mut at = self.at_node(number)?;
        let Token::MetaName(kind) = at.next() else { return None };
        let mut node = Node { kind, ..Node::default() };
        if at.next() != Token::Punct(b'(') {
            return None;
        }
        loop {
            match at.next() {
                Token::Label(Name::Text(field)) => at.field(field, &mut node)?,
                Token::Punct(b',') => {}
                Token::Punct(b')') => return Some(node),
                _ => return None,
            }
        }
    }
}

/// Reads the text of one node.
struct Reader<'t> {
    lexer: Lexer<'t>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Token<'t> {
        self.lexer.skip_space();
        self.lexer.token()
    }

    fn peek(&self) -> Token<'t> {
        Reader { lexer: Lexer::starting(self.lexer.text(), self.lexer.pos()) }.next()
    }

    /// The value of a field, up to the comma or parenthesis behind it.
    fn field(&mut self, field: &[u8], node: &mut Node<'t>) -> Option<()> {
        let mut first = true;
        loop {
            match self.peek() {
                Token::Punct(b',' | b')') => return Some(()),
                Token::Punct(b'(' | b'{' | b'[') => self.skip_brackets()?,
                Token::End | Token::Bad(_) => return None,
                _ => {
                    let token = self.next();
                    node.take(field, token, first);
                }
            }
            first = false;
        }
    }

    fn skip_brackets(&mut self) -> Option<()> {
        let mut depth = 0u32;
        loop {
            match self.next() {
                Token::Punct(b'(' | b'{' | b'[') => depth += 1,
                Token::Punct(b')' | b'}' | b']') => depth = depth.saturating_sub(1),
                Token::End | Token::Bad(_) => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}

impl<'t> Node<'t> {
    /// One token of the value of a field; only flags have several.
    fn take(&mut self, field: &[u8], token: Token<'t>, first: bool) {
        match (field, token) {
            (b"flags", Token::Word(flag)) => match flag {
                b"DIFlagBitField" => self.flags.bit_field = true,
                b"DIFlagFwdDecl" => self.flags.declaration = true,
                b"DIFlagStaticMember" => self.flags.static_member = true,
                b"DIFlagVirtual" => self.flags.virtual_base = true,
                _ => {}
            },
            _ if !first => {}
            (b"tag", Token::Word(tag)) => self.tag = tag,
            (b"encoding", Token::Word(encoding)) => self.encoding = encoding,
            (b"name", Token::Str(name)) => self.name = Some(name),
            (b"identifier", Token::Str(name)) => self.identifier = Some(name),
            (b"filename", Token::Str(name)) => self.filename = Some(name),
            (b"baseType", Token::MetaNum(number)) => self.base = Some(number),
            (b"elements", Token::MetaNum(number)) => self.elements = Some(number),
            (b"var", Token::MetaNum(number)) => self.var = Some(number),
            (b"type", Token::MetaNum(number)) => self.ty = Some(number),
            (b"file", Token::MetaNum(number)) => self.file = Some(number),
            (b"size", Token::Int(digits)) => self.size = decimal(digits).unwrap_or(0),
            (b"offset", Token::Int(digits)) => self.offset = decimal(digits).unwrap_or(0),
            // A negative count is an array of unknown length.
            (b"count", Token::Int(digits)) => self.count = decimal(digits),
            (b"value", Token::Int(digits)) => self.value = number(digits).unwrap_or(0),
            _ => {}
        }
    }
}

fn number(digits: &[u8]) -> Option<i128> {
    let (negative, digits) = match digits {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, digits),
    };
    let magnitude = i128::from(decimal(digits)?);
    Some(if negative { -magnitude } else { magnitude })
}
