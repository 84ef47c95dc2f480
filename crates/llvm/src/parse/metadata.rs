//! Metadata: positions are kept, types of the source are read later ([`super::debug`]), the rest is skipped.
//!
//! A position is a `DILocation`, whose scopes lead up to a function (`DISubprogram`) and a file
//! (`DIFile`). Nodes refer to each other by number, forwards and backwards, or contain each other.
//! They are collected here and resolved at the end of the module.

use super::Parser;
use super::finish::endless;
use crate::ast::{File, FileId, Loc, LocId, NameId};
use crate::fault::{Fault, Parse};
use crate::lex::{Name, Token};
use crate::numbers::Numbers;
use cranelift_entity::PrimaryMap;

/// A node, by its number in the text or by its index among the collected nodes.
#[derive(Clone, Copy, Debug)]
pub(super) enum NodeRef {
    Number(u32),
    Inline(u32),
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Location { line: u32, column: u32, scope: Option<NodeRef>, inlined_at: Option<NodeRef> },
    Scope(Scope),
    File(FileId),
}

#[derive(Clone, Copy, Debug)]
struct Scope {
    /// The name of a `DISubprogram`.
    function: Option<NameId>,
    line: u32,
    parent: Option<NodeRef>,
    file: Option<NodeRef>,
}

/// The file and function that the scopes of a position determine.
#[derive(Clone, Copy, Debug, Default)]
struct ScopePosition {
    file: Option<FileId>,
    function: Option<NameId>,
}

#[derive(Clone, Copy, Debug)]
enum Followed {
    NotYet,
    Underway,
    Done(ScopePosition),
}

/// The union of the fields of all relevant kinds of nodes.
#[derive(Default)]
struct Fields {
    line: u32,
    column: u32,
    scope: Option<NodeRef>,
    file: Option<NodeRef>,
    inlined_at: Option<NodeRef>,
    name: Option<NameId>,
    filename: Option<NameId>,
    directory: Option<NameId>,
}

#[derive(Debug)]
pub(super) struct Metadata {
    nodes: Vec<Node>,
    numbers: Numbers,
    files: PrimaryMap<FileId, File>,
    /// The node of each position, and the place of its mention in the text.
    positions: PrimaryMap<LocId, (NodeRef, usize)>,
    /// The positions of numbered nodes.
    position_ids: Numbers,
}

impl Metadata {
    /// No metadata yet, for a text of `len` bytes.
    pub(super) fn for_text(len: usize) -> Metadata {
        Metadata {
            nodes: Vec::new(),
            numbers: Numbers::for_text(len),
            files: PrimaryMap::new(),
            positions: PrimaryMap::new(),
            position_ids: Numbers::for_text(len),
        }
    }

    /// The position of a node, which may be defined later.
    pub(super) fn position(&mut self, node: NodeRef, at: usize) -> LocId {
        let NodeRef::Number(number) = node else { return self.positions.push((node, at)) };
        if let Some(id) = self.position_ids.get(number) {
            return LocId::from_u32(id);
        }
        let id = self.positions.push((node, at));
        self.position_ids.insert(number, id.as_u32());
        id
    }

    fn push(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn index(&self, node: NodeRef) -> Option<u32> {
        match node {
            NodeRef::Inline(index) => Some(index),
            NodeRef::Number(number) => self.numbers.get(number),
        }
    }

    fn node(&self, node: NodeRef) -> Option<Node> {
        self.index(node).map(|index| self.nodes[index as usize])
    }

    fn file(&self, node: Option<NodeRef>) -> Option<FileId> {
        match self.node(node?) {
            Some(Node::File(file)) => Some(file),
            _ => None,
        }
    }

    /// Resolves all positions and files through their scopes.
    pub(super) fn resolve(&mut self) -> Parse<(PrimaryMap<LocId, Loc>, PrimaryMap<FileId, File>)> {
        let mut followed = vec![Followed::NotYet; self.nodes.len()];
        let mut locs = PrimaryMap::new();
        // Calls into which code was inlined are positions too; this loop adds them to `positions`.
        while let Some(&(node, at)) = self.positions.get(locs.next_key()) {
            let loc = match self.node(node) {
                Some(Node::Location { line, column, scope, inlined_at }) => {
                    let ScopePosition { file, function } = self.place(scope, &mut followed, at)?;
                    let inlined_at = inlined_at.map(|node| self.position(node, at));
                    Loc { line, column, file, function, inlined_at }
                }
                Some(Node::Scope(Scope { line, .. })) => {
                    let ScopePosition { file, function } =
                        self.place(Some(node), &mut followed, at)?;
                    Loc { line, column: 0, file, function, inlined_at: None }
                }
                _ => return Err(Fault::new(at..at, "metadata that is not a position")),
            };
            locs.push(loc);
        }
        self.check_inlining(&locs)?;
        Ok((locs, std::mem::take(&mut self.files)))
    }

    /// Resolves a scope to its file and function.
    fn place(
        &self,
        scope: Option<NodeRef>,
        followed: &mut [Followed],
        at: usize,
    ) -> Parse<ScopePosition> {
        let mut path = Vec::new();
        let mut next = scope;
        let mut place = loop {
            let Some(index) = next.and_then(|node| self.index(node)) else {
                break ScopePosition::default();
            };
            let Node::Scope(scope) = self.nodes[index as usize] else {
                break ScopePosition::default();
            };
            match followed[index as usize] {
                Followed::Done(place) => break place,
                Followed::Underway => return Err(Fault::new(at..at, "a scope within itself")),
                Followed::NotYet => {}
            }
            followed[index as usize] = Followed::Underway;
            path.push((index, scope));
            // The scopes around a function do not matter for the positions in it.
            next = if scope.function.is_some() { None } else { scope.parent };
        };
        for (index, scope) in path.into_iter().rev() {
            place.file = self.file(scope.file).or(place.file);
            place.function = scope.function.or(place.function);
            followed[index as usize] = Followed::Done(place);
        }
        Ok(place)
    }

    /// Checks that no call is inlined at itself.
    fn check_inlining(&self, locs: &PrimaryMap<LocId, Loc>) -> Parse<()> {
        let Some(start) = endless(locs, |id| locs[id].inlined_at) else { return Ok(()) };
        let at = self.positions[start].1;
        Err(Fault::new(at..at, "a call that is inlined at itself"))
    }
}

impl Parser<'_> {
    /// `!12 = [distinct] …`.
    pub(super) fn metadata_definition(&mut self) -> Parse<()> {
        let Token::MetaNum(number) = self.token else { return Err(self.unexpected("metadata")) };
        self.advance();
        self.expect(b'=')?;
        self.eat_word(b"distinct");
        self.debug.place(number, self.start);
        if let Token::MetaName(kind) = self.token {
            self.advance();
            if let Some(node) = self.node(kind)? {
                let index = self.metadata.push(node);
                self.metadata.numbers.insert(number, index);
            }
            return Ok(());
        }
        self.skip_metadata()
    }

    /// A node of the given kind, starting at its parenthesis; `None` if it is not part of a position.
    fn node(&mut self, kind: &[u8]) -> Parse<Option<Node>> {
        if !self.is(b'(') {
            return Err(self.unexpected("'('"));
        }
        let node = match kind {
            b"DILocation" => {
                let Fields { line, column, scope, inlined_at, .. } =
                    self.nested(Self::fields_of)?;
                Node::Location { line, column, scope, inlined_at }
            }
            b"DISubprogram" => {
                let Fields { line, scope, file, name, .. } = self.nested(Self::fields_of)?;
                let function = Some(match name {
                    Some(name) => name,
                    None => self.names.intern_shown(b"".into()),
                });
                Node::Scope(Scope { function, line, parent: scope, file })
            }
            b"DILexicalBlock" | b"DILexicalBlockFile" | b"DICommonBlock" => {
                let Fields { line, scope, file, .. } = self.nested(Self::fields_of)?;
                Node::Scope(Scope { function: None, line, parent: scope, file })
            }
            b"DIFile" => {
                let Fields { filename, directory, .. } = self.nested(Self::fields_of)?;
                let empty = self.names.intern_shown(b"".into());
                let name = filename.unwrap_or(empty);
                let directory = directory.unwrap_or(empty);
                Node::File(self.metadata.files.push(File { name, directory }))
            }
            _ => {
                self.skip_brackets()?;
                return Ok(None);
            }
        };
        Ok(Some(node))
    }

    /// `(field: value, …)`.
    fn fields_of(&mut self) -> Parse<Fields> {
        self.expect(b'(')?;
        let mut fields = Fields::default();
        while !self.eat(b')') {
            let Token::Label(Name::Text(field)) = self.token else {
                return Err(self.unexpected("a field"));
            };
            self.advance();
            match field {
                b"line" => fields.line = self.expect_u32()?,
                b"column" => fields.column = self.expect_u32()?,
                b"scope" => fields.scope = self.node_ref()?,
                b"file" => fields.file = self.node_ref()?,
                b"inlinedAt" => fields.inlined_at = self.node_ref()?,
                b"name" => fields.name = Some(self.expect_text()?),
                b"filename" => fields.filename = Some(self.expect_text()?),
                b"directory" => fields.directory = Some(self.expect_text()?),
                _ => self.skip_field()?,
            }
            if !self.eat(b',') && !self.is(b')') {
                return Err(self.unexpected("',' or ')'"));
            }
        }
        Ok(fields)
    }

    /// A reference to a node, or a node written in place.
    fn node_ref(&mut self) -> Parse<Option<NodeRef>> {
        match self.token {
            Token::MetaNum(number) => {
                self.advance();
                Ok(Some(NodeRef::Number(number)))
            }
            Token::MetaName(kind) => {
                self.advance();
                let node = self.node(kind)?;
                Ok(node.map(|node| NodeRef::Inline(self.metadata.push(node))))
            }
            Token::Word(b"null") => {
                self.advance();
                Ok(None)
            }
            _ => Err(self.unexpected("metadata")),
        }
    }

    /// Skips the value of a field, up to the comma or parenthesis behind it.
    fn skip_field(&mut self) -> Parse<()> {
        loop {
            match self.token {
                Token::Punct(b',' | b')') => return Ok(()),
                Token::Punct(b'(' | b'[' | b'{') => self.skip_brackets()?,
                Token::End | Token::Bad(_) => return Err(self.unexpected("the value of a field")),
                _ => {
                    self.advance();
                }
            }
        }
    }

    /// `!{…}`, `!"…"`, `!12` or `!Kind(…)`.
    pub(super) fn skip_metadata(&mut self) -> Parse<()> {
        match self.token {
            Token::MetaNum(_) => {
                self.advance();
                Ok(())
            }
            Token::MetaName(_) => {
                self.advance();
                self.expect_brackets(b'(')
            }
            Token::Punct(b'!') => {
                self.advance();
                match self.token {
                    Token::Punct(b'{') => self.skip_brackets(),
                    _ => self.expect_string().map(drop),
                }
            }
            _ => Err(self.unexpected("metadata")),
        }
    }

    /// Metadata of any kind; its number if it is a numbered node.
    pub(super) fn metadata_ref(&mut self) -> Parse<Option<NodeRef>> {
        if let Token::MetaNum(number) = self.token {
            self.advance();
            return Ok(Some(NodeRef::Number(number)));
        }
        self.skip_metadata().map(|()| None)
    }

    /// `!kind !12`.
    pub(super) fn skip_attachment(&mut self) -> Parse<()> {
        self.advance();
        self.skip_metadata()
    }

    /// `!dbg !12`; returns the node of the position.
    pub(super) fn position_attachment(&mut self) -> Parse<Option<NodeRef>> {
        self.advance();
        self.node_ref()
    }

    /// The attachments behind an instruction; returns its position if it has one, and the node with the type of
    /// the object that it allocates.
    pub(super) fn attachments(&mut self) -> Parse<(Option<LocId>, Option<NodeRef>)> {
        let (mut loc, mut allocated) = (None, None);
        let mut more = std::mem::take(&mut self.comma_read) || self.eat(b',');
        while more {
            match self.token {
                Token::MetaName(b"dbg") => {
                    let at = self.start;
                    let node = self.position_attachment()?;
                    loc = node.map(|node| self.metadata.position(node, at));
                }
                Token::MetaName(b"heapallocsite") => {
                    self.advance();
                    allocated = self.metadata_ref()?;
                }
                Token::MetaName(_) => self.skip_attachment()?,
                _ => return Err(self.unexpected("metadata")),
            }
            more = self.eat(b',');
        }
        Ok((loc, allocated))
    }

    /// Reads the comma before another operand. A comma before metadata is read too, but is recorded for
    /// [`Parser::attachments`] instead.
    pub(super) fn comma(&mut self) -> bool {
        if self.comma_read || !self.eat(b',') {
            return false;
        }
        self.comma_read = matches!(self.token, Token::MetaName(_));
        !self.comma_read
    }
}
