//! The first pass: collects the names that a file declares.
//!
//! Names may be used before they are declared, and a constant argument needs its parameter's type.
//! So the names, signatures and registers are collected before anything is resolved. This pass
//! reports no errors: where the text is wrong it collects the names it can, and the second pass, which
//! reads the same text in order, meets the error first and reports it.

use super::super::cursor::{Cursor, PResult};
use super::super::lex::{Token, TokenKind};
use super::source;
use crate::program::{FuncId, GlobalId, ObservableId, Reg, RegInfo, ThreadIdx};
use crate::types::Type;
use cranelift_entity::{EntityRef, PrimaryMap};
use std::borrow::Cow;
use std::collections::HashMap;

pub(super) type Names<'s, T> = HashMap<Cow<'s, str>, T>;

#[derive(Debug, Default)]
pub(super) struct Signature<'s> {
    pub params: Vec<Reg>,
    pub ret: Option<Type>,
    pub regs: PrimaryMap<Reg, RegInfo>,
    pub reg_names: Names<'s, Reg>,
}

/// All names that other items can refer to.
#[derive(Debug, Default)]
pub(super) struct Symbols<'s> {
    pub globals: Names<'s, GlobalId>,
    pub funcs: Names<'s, FuncId>,
    pub signatures: PrimaryMap<FuncId, Signature<'s>>,
    /// The function that each thread runs is in `thread_funcs`.
    pub threads: Names<'s, ThreadIdx>,
    pub thread_funcs: PrimaryMap<ThreadIdx, Cow<'s, str>>,
    pub observables: Names<'s, ObservableId>,
    /// The numbers of `file` and `loc` items.
    pub files: u32,
    pub locs: u32,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    globals: usize,
    observables: usize,
}

pub(super) fn outline<'s>(mut cursor: Cursor<'s>) -> Symbols<'s> {
    let mut symbols = Symbols::default();
    let mut depth = 0u32;
    while !cursor.at(TokenKind::End) {
        if depth == 0 && cursor.token().starts_line {
            // The second pass reports the error.
            let _ = symbols.declare(cursor.clone());
        }
        match cursor.next().kind {
            TokenKind::LBrace => depth += 1,
            TokenKind::RBrace => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    symbols
}

impl<'s> Symbols<'s> {
    /// Records the name that the item at the cursor declares, if it declares one.
    fn declare(&mut self, mut cursor: Cursor<'s>) -> PResult<()> {
        match cursor.word() {
            "const" | "thread_local" | "global" => self.global(&mut cursor)?,
            "func" | "library" => self.function(&mut cursor)?,
            "thread" => self.thread(&mut cursor)?,
            "observe" => {
                cursor.next();
                let id = ObservableId::new(self.counts.observables);
                self.counts.observables += 1;
                self.observables.entry(cursor.name("a name")?.1).or_insert(id);
            }
            "file" => self.files += 1,
            "loc" => self.locs += 1,
            _ => {}
        }
        Ok(())
    }

    fn global(&mut self, cursor: &mut Cursor<'s>) -> PResult<()> {
        cursor.eat_word("const");
        if cursor.eat_word("thread_local") {
            cursor.eat_word("private");
        }
        cursor.expect_word("global")?;
        let id = GlobalId::new(self.counts.globals);
        self.counts.globals += 1;
        self.globals.entry(cursor.at_name("a name")?.1).or_insert(id);
        Ok(())
    }

    fn thread(&mut self, cursor: &mut Cursor<'s>) -> PResult<()> {
        cursor.next();
        let (_, name) = cursor.name("a name")?;
        cursor.expect(TokenKind::Assign)?;
        let id = self.thread_funcs.push(cursor.at_name("a function")?.1);
        self.threads.entry(name).or_insert(id);
        Ok(())
    }

    fn function(&mut self, cursor: &mut Cursor<'s>) -> PResult<()> {
        cursor.eat_word("library");
        cursor.expect_word("func")?;
        let id = self.signatures.push(Signature::default());
        self.funcs.entry(cursor.at_name("a name")?.1).or_insert(id);
        self.signatures[id].read(cursor)
    }
}

impl<'s> Signature<'s> {
    /// Reads from the parameters to the last `reg` line, and skips a position in between.
    fn read(&mut self, cursor: &mut Cursor<'s>) -> PResult<()> {
        self.header(cursor)?;
        // The end of the file need not be at the start of a line.
        while !matches!(cursor.token().kind, TokenKind::LBrace | TokenKind::End)
            && !cursor.token().starts_line
        {
            cursor.next();
        }
        if cursor.eat(TokenKind::LBrace) {
            self.registers(cursor)?;
        }
        Ok(())
    }

    /// `(%a: i32, …) [-> TYPE]`
    pub(super) fn header(&mut self, cursor: &mut Cursor<'s>) -> PResult<()> {
        cursor.expect(TokenKind::LParen)?;
        self.params = cursor.list(TokenKind::RParen, |cursor| self.register(cursor))?;
        if cursor.eat(TokenKind::Arrow) {
            self.ret = Some(cursor.ty()?);
        }
        Ok(())
    }

    /// The `reg` lines at the start of a body.
    pub(super) fn registers(&mut self, cursor: &mut Cursor<'s>) -> PResult<()> {
        while cursor.at_word("reg") && cursor.peek(1).kind != TokenKind::Colon {
            cursor.next();
            self.register(cursor)?;
            while cursor.eat(TokenKind::Comma) {
                self.register(cursor)?;
            }
            cursor.expect_line_end()?;
        }
        Ok(())
    }

    /// `%name: TYPE`
    fn register(&mut self, cursor: &mut Cursor<'s>) -> PResult<Reg> {
        let token = cursor.token();
        let reg = self.regs.next_key();
        let name = match token.kind {
            TokenKind::Reg => Some(cursor.decode_name(token)?),
            TokenKind::RegNumber => {
                check_number(cursor, token, reg.index(), "register")?;
                None
            }
            _ => return Err(cursor.unexpected("a register such as %r")),
        };
        cursor.next();
        cursor.expect(TokenKind::Colon)?;
        let ty = cursor.ty()?;
        let object = source::optional(cursor)?;
        if let Some(name) = &name
            && self.reg_names.insert(name.clone(), reg).is_some()
        {
            return Err(cursor.error(token, format!("the register %{name} is declared twice")));
        }
        Ok(self.regs.push(RegInfo { ty, name: name.map(Cow::into_owned), object }))
    }
}

/// Checks `%3` or `#3` in the declaration that gets the number `index`.
pub(super) fn check_number(
    cursor: &Cursor<'_>,
    token: Token,
    index: usize,
    what: &str,
) -> PResult<()> {
    let text = cursor.text(token);
    if text[1..].parse() == Ok(index) {
        return Ok(());
    }
    let message = format!("{text} is declared where {what} number {index} stands");
    let error = cursor.error(token, message).expected(format!("{}{index}", &text[..1]));
    Err(Box::new(error.help(format!("an unnamed {what} is written by its number, from 0 up"))))
}
