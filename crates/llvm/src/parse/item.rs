//! The top level: the items of a module.

use super::Parser;
use crate::ast::Module;
use crate::fault::Parse;
use crate::lex::Token;

/// Whether a word starts an item, and so ends a declaration.
pub(super) fn begins_item(word: &[u8]) -> bool {
    matches!(
        word,
        b"define"
            | b"declare"
            | b"attributes"
            | b"target"
            | b"source_filename"
            | b"module"
            | b"uselistorder"
            | b"uselistorder_bb"
    )
}

impl Parser<'_> {
    pub(super) fn module(&mut self) -> Parse<Module> {
        while self.token != Token::End {
            self.item()?;
        }
        self.finish()
    }

    fn item(&mut self) -> Parse<()> {
        match self.token {
            Token::Word(word) => self.word_item(word),
            Token::Global(_) => self.global_item(),
            Token::Local(_) => self.type_definition(),
            Token::MetaNum(_) => self.metadata_definition(),
            Token::MetaName(_) => self.named_metadata(),
            Token::Comdat => self.comdat(),
            Token::Summary => self.summary(),
            _ => Err(self.unexpected("a definition")),
        }
    }

    fn word_item(&mut self, word: &[u8]) -> Parse<()> {
        match word {
            b"define" => self.definition(),
            b"declare" => self.declaration(),
            b"attributes" => self.attribute_group(),
            b"target" => self.target_item(),
            b"source_filename" => {
                self.advance();
                self.expect(b'=')?;
                self.module.source_filename = Some(self.expect_text()?);
                Ok(())
            }
            b"module" => {
                self.advance();
                self.expect_word("asm")?;
                let line = self.expect_string()?;
                self.module.module_asm.push(String::from_utf8_lossy(&line).into());
                Ok(())
            }
            b"uselistorder" | b"uselistorder_bb" => self.use_list_order(),
            _ => Err(self.unexpected("a definition")),
        }
    }

    /// `target triple = "…"` or `target datalayout = "…"`.
    fn target_item(&mut self) -> Parse<()> {
        self.advance();
        let triple = self.is_word(b"triple");
        if !triple && !self.is_word(b"datalayout") {
            return Err(self.unexpected("'triple' or 'datalayout'"));
        }
        self.advance();
        self.expect(b'=')?;
        let text = Some(self.expect_text()?);
        if triple {
            self.module.triple = text;
        } else {
            self.module.data_layout = text;
        }
        Ok(())
    }

    /// `attributes #0 = { … }`.
    fn attribute_group(&mut self) -> Parse<()> {
        self.advance();
        if self.token != Token::AttrGroup {
            return Err(self.unexpected("the number of a group"));
        }
        self.advance();
        self.expect(b'=')?;
        self.expect_brackets(b'{')
    }

    /// `!name = !{ … }`.
    fn named_metadata(&mut self) -> Parse<()> {
        self.advance();
        self.expect(b'=')?;
        self.expect(b'!')?;
        self.expect_brackets(b'{')
    }

    /// `$name = comdat any`.
    fn comdat(&mut self) -> Parse<()> {
        self.advance();
        self.expect(b'=')?;
        self.expect_word("comdat")?;
        match self.token {
            Token::Word(_) => {
                self.advance();
                Ok(())
            }
            _ => Err(self.unexpected("how the linker picks one")),
        }
    }

    /// `^0 = kind: (…)` or `^0 = kind: 5`: a summary of the module for link-time optimisers.
    fn summary(&mut self) -> Parse<()> {
        self.advance();
        self.expect(b'=')?;
        if !matches!(self.token, Token::Label(_)) {
            return Err(self.unexpected("the kind of a summary"));
        }
        self.advance();
        if self.is(b'(') {
            return self.skip_brackets();
        }
        self.expect_u64()?;
        Ok(())
    }
}
