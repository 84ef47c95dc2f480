//! Functions: headers and bodies.

use super::metadata::NodeRef;
use super::{Parser, Symbol};
use crate::ast::{Body, Def, Function, GlobalId, GlobalKind, Inst, Linkage, Param, Type, Value};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::Token;
use raddle_ir::Mnemonic;

/// A function header, with the data that the body needs.
struct Header {
    id: GlobalId,
    linkage: Linkage,
    function: Function,
    /// The names of the parameters that have one.
    names: Vec<Option<Symbol>>,
    at: usize,
}

impl Parser<'_> {
    /// `declare …`.
    pub(super) fn declaration(&mut self) -> Parse<()> {
        self.advance();
        while let Token::MetaName(_) = self.token {
            self.skip_attachment()?;
        }
        let header = self.header()?;
        loop {
            match self.token {
                Token::Word(word) if super::item::begins_item(word) => break,
                Token::Word(_) | Token::Str(_) | Token::AttrGroup => self.header_property()?,
                _ => break,
            }
        }
        self.finish_function(header, None)
    }

    /// `define … { … }`.
    pub(super) fn definition(&mut self) -> Parse<()> {
        self.advance();
        let mut header = self.header()?;
        let mut position = None;
        loop {
            match self.token {
                Token::MetaName(b"dbg") => position = self.position_attachment()?,
                Token::MetaName(_) => self.skip_attachment()?,
                Token::Word(_) | Token::Str(_) | Token::AttrGroup => self.header_property()?,
                _ => break,
            }
        }
        header.function.loc = position.map(|node| self.metadata.position(node, header.at));
        self.expect(b'{')?;
        let body = self.body(&header)?;
        self.finish_function(header, Some(body))
    }

    fn finish_function(&mut self, header: Header, body: Option<Body>) -> Parse<()> {
        let Header { id, linkage, mut function, at, .. } = header;
        function.body = body;
        self.define_global(id, linkage, GlobalKind::Function(Box::new(function)), at)
    }

    /// Parses from behind `define` or `declare` to the closing parenthesis of the parameters.
    fn header(&mut self) -> Parse<Header> {
        let mut linkage = Linkage::External;
        if let Token::Word(word) = self.token
            && let Some(written) = Linkage::from_mnemonic(word)
        {
            linkage = written;
            self.advance();
        }
        self.attrs_before_type()?;
        let ret = self.ty()?;
        if let Type::Func { .. } = self.types.types[ret] {
            return Err(self.fault("a function that returns a function"));
        }
        let at = self.start;
        let id = self.function_name()?;
        let (params, names, varargs) = self.params()?;
        let types = params.iter().map(|param| param.ty).collect();
        let ty = self.types.intern(Type::Func { ret, params: types, varargs });
        let function = Function { ty, ret, params, varargs, loc: None, body: None };
        Ok(Header { id, linkage, function, names, at })
    }

    fn params(&mut self) -> Parse<(Vec<Param>, Vec<Option<Symbol>>, bool)> {
        let (mut params, mut names) = (Vec::new(), Vec::new());
        let varargs = self.variadic_list(|p| {
            let ty = p.value_ty()?;
            let attrs = p.param_attrs()?;
            params.push(Param { ty, attrs });
            names.push(p.optional_local()?);
            Ok(())
        })?;
        Ok((params, names, varargs))
    }

    /// `%name`, if that comes next.
    fn optional_local(&mut self) -> Parse<Option<Symbol>> {
        let Token::Local(name) = self.token else { return Ok(None) };
        let symbol = self.symbol(name)?;
        self.advance();
        Ok(Some(symbol))
    }

    /// The part behind the parameters: attributes, `section "…"`, `personality ptr @f`, ….
    fn header_property(&mut self) -> Parse<()> {
        match self.token {
            Token::Word(b"personality" | b"prefix" | b"prologue") => {
                self.advance();
                self.typed_constant()?;
                Ok(())
            }
            Token::Word(b"section" | b"partition" | b"gc" | b"code_model") => {
                self.advance();
                self.expect_string()?;
                Ok(())
            }
            Token::Word(b"align") => {
                self.align_attr()?;
                Ok(())
            }
            _ => self.skip_attr(),
        }
    }

    fn body(&mut self, header: &Header) -> Parse<Body> {
        self.scope.clear();
        self.return_type = header.function.ret;
        for (index, (param, name)) in header.function.params.iter().zip(&header.names).enumerate() {
            self.define_local(*name, param.ty, Def::Param(index as u32), header.at)?;
        }
        while !self.is(b'}') {
            if self.is_word(b"uselistorder") {
                self.use_list_order()?;
            } else {
                self.block()?;
            }
        }
        if self.scope.body.layout.is_empty() {
            return Err(self.unexpected("a block"));
        }
        self.check_scope()?;
        self.advance();
        let symbols = std::mem::take(&mut self.scope.block_symbols);
        self.block_symbols[header.id] = symbols.into();
        Ok(std::mem::take(&mut self.scope.body))
    }

    /// A block: its optional label, and instructions up to the first terminator.
    fn block(&mut self) -> Parse<()> {
        let at = self.start;
        let label = match self.token {
            Token::Label(name) => {
                let symbol = self.symbol(name)?;
                self.advance();
                Some(symbol)
            }
            _ => None,
        };
        let block = self.define_block(label, at)?;
        let start = self.scope.body.insts.len() as u32;
        loop {
            while self.is(b'#') {
                self.debug_record()?;
            }
            let inst = self.statement()?;
            let last = inst.kind.is_terminator();
            self.scope.body.insts.push(inst);
            if last {
                break;
            }
        }
        self.scope.body.blocks[block].insts = start..self.scope.body.insts.len() as u32;
        Ok(())
    }

    /// `%x = …` or an instruction without a name, with its metadata.
    fn statement(&mut self) -> Parse<Inst> {
        let at = self.start;
        let name = self.optional_local()?;
        if name.is_some() {
            self.expect(b'=')?;
        }
        let (kind, ty) = self.instruction()?;
        let result = if ty == Types::VOID {
            if name.is_some() {
                return Err(self.fault_at(at, "a name for an instruction without a result"));
            }
            None
        } else {
            let index = self.scope.body.insts.len() as u32;
            Some(self.define_local(name, ty, Def::Inst(index), at)?)
        };
        let (loc, allocated) = self.attachments()?;
        if let Some(ty) = self.debug.ask_node(allocated) {
            let index = self.scope.body.insts.len() as u32;
            self.scope.body.allocated.push((index, ty));
        }
        Ok(Inst { kind, result, loc })
    }

    /// `#dbg_declare(ptr %x, !12, …)`: where a variable is. Other records are skipped.
    fn debug_record(&mut self) -> Parse<()> {
        self.advance();
        match self.token {
            Token::Word(b"dbg_declare") => {
                self.advance();
                self.expect(b'(')?;
                let address = self.debug_operand()?;
                self.expect(b',')?;
                let variable = self.metadata_ref()?;
                self.declared(address, variable);
                while self.eat(b',') {
                    self.skip_metadata()?;
                }
                self.expect(b')')
            }
            Token::Word(word) if word.starts_with(b"dbg_") => {
                self.advance();
                self.expect_brackets(b'(')
            }
            _ => Err(self.unexpected("a debug record")),
        }
    }

    /// The value that metadata wraps, or the metadata.
    pub(super) fn debug_operand(&mut self) -> Parse<Option<Value>> {
        match self.begins_type() {
            true => Ok(Some(self.typed_value()?.1)),
            false => self.skip_metadata().map(|()| None),
        }
    }

    /// Records the variable at an address.
    pub(super) fn declared(&mut self, address: Option<Value>, variable: Option<NodeRef>) {
        if let Some(Value::Local(local)) = address
            && let Some(ty) = self.debug.ask_node(variable)
        {
            self.scope.body.declared.push((local, ty));
        }
    }

    /// The name of a block, without `label`.
    pub(super) fn block_name(&mut self) -> Parse<crate::ast::BlockId> {
        let Token::Local(name) = self.token else { return Err(self.unexpected("a block's name")) };
        let symbol = self.symbol(name)?;
        let block = self.mention_target(symbol)?;
        self.advance();
        Ok(block)
    }

    /// `label %block`.
    pub(super) fn target(&mut self) -> Parse<crate::ast::BlockId> {
        self.expect_word("label")?;
        self.block_name()
    }

    /// `uselistorder type value, { … }` or `uselistorder_bb @f, %b, { … }`: the order in which
    /// LLVM keeps uses in memory. The value may contain braces too, so this skips to the braces that
    /// contain only numbers.
    pub(super) fn use_list_order(&mut self) -> Parse<()> {
        self.advance();
        loop {
            match self.token {
                Token::End | Token::Bad(_) => return Err(self.unexpected("a list of indices")),
                Token::Punct(b'{') => {
                    self.advance();
                    while let Token::Int(_) | Token::Punct(b',') = self.token {
                        self.advance();
                    }
                    if self.eat(b'}') {
                        return Ok(());
                    }
                }
                _ => {
                    self.advance();
                }
            }
        }
    }
}
