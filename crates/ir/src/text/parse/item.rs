//! Top-level items: names, tables, threads, observables. Globals, functions and conditions have
//! their own files.

use super::super::cursor::PResult;
use super::super::lex::{Token, TokenKind};
use super::position::{line_and_column, loc_number};
use super::{Parser, operand};
use crate::program::{InitThread, Loc, LocId, Observable, Observed, ThreadIdx};
use std::borrow::Cow;

const ITEMS: &str = "program, file, loc, type, allocation, start, global, const, thread_local, thread, observe, exists, \
                     not exists, forall, goal, memory_lock, func or library";

impl<'s> Parser<'_, 's> {
    pub(super) fn item(&mut self) -> PResult<()> {
        match self.cursor.word() {
            "program" => self.name(),
            "file" => self.file(),
            "loc" => self.loc(),
            "type" => self.source_type(),
            "allocation" => self.allocation(),
            "start" => self.start(),
            "global" | "const" | "thread_local" => self.global(),
            "thread" => self.thread(),
            "observe" => self.observe(),
            "exists" | "not" | "forall" => self.condition(),
            "goal" => self.goal(),
            "memory_lock" => self.memory_lock(),
            "func" | "library" => self.function(),
            _ => Err(self.cursor.unexpected_start(ITEMS)),
        }
    }

    fn name(&mut self) -> PResult<()> {
        let token = self.cursor.next();
        if self.named {
            return Err(self.cursor.error(token, "the program is named twice"));
        }
        self.named = true;
        self.program.name = self.cursor.string()?;
        Ok(())
    }

    fn file(&mut self) -> PResult<()> {
        self.cursor.next();
        self.table_index(self.program.files.len(), "file")?;
        let name = self.cursor.string()?;
        self.program.files.push(name);
        Ok(())
    }

    fn loc(&mut self) -> PResult<()> {
        self.cursor.next();
        self.table_index(self.program.locs.len(), "loc")?;
        let token = self.cursor.token();
        let file: u32 = self.cursor.integer("the number of a file")?;
        if file >= self.symbols.files {
            let error = self.cursor.error(token, format!("there is no file {file}"));
            return Err(Box::new(error.expected(format!("a number below {}", self.symbols.files))));
        }
        let (line, column) = line_and_column(&mut self.cursor)?;
        let inlined_at = match self.cursor.eat_word("in") {
            true => loc_number(&mut self.cursor, self.symbols)?,
            false => LocId::NONE,
        };
        self.program.locs.push(Loc { file, line, column, inlined_at });
        Ok(())
    }

    /// `N =`, where N is the index of the entry in its table. It is redundant, but helps human readers.
    pub(super) fn table_index(&mut self, index: usize, what: &str) -> PResult<()> {
        let token = self.cursor.token();
        let number: u32 = self.cursor.integer(&format!("the number of the {what}"))?;
        if number as usize != index {
            let message = format!("{what} {number} stands where {what} {index} is expected");
            let error = self.cursor.error(token, message).expected(index.to_string());
            return Err(Box::new(error.help("the entries of a table are numbered from 0 up")));
        }
        self.cursor.expect(TokenKind::Assign)?;
        Ok(())
    }

    fn thread(&mut self) -> PResult<()> {
        self.cursor.next();
        let (token, name) = self.cursor.name("a thread's name")?;
        let id = self.program.threads.next_key();
        self.declared_once(token, self.symbols.threads.get(&name) == Some(&id), "thread")?;
        self.cursor.expect(TokenKind::Assign)?;
        let func = operand::function(&mut self.cursor, self.symbols)?;
        let signature = &self.symbols.signatures[func];
        let mut types = signature.params.iter().map(|param| signature.regs[*param].ty);
        self.cursor.expect(TokenKind::LParen)?;
        let args = self.cursor.list(TokenKind::RParen, |cursor| {
            operand::constant(cursor, self.symbols, types.next(), "a constant")
        })?;
        self.program.threads.push(InitThread { name: name.into_owned(), func, args });
        Ok(())
    }

    fn observe(&mut self) -> PResult<()> {
        self.cursor.next();
        let (token, name) = self.cursor.name("an observable's name")?;
        let id = self.program.observables.next_key();
        self.declared_once(token, self.symbols.observables.get(&name) == Some(&id), "observable")?;
        self.cursor.expect(TokenKind::Assign)?;
        let by_type = self.cursor.peek(1).kind == TokenKind::At;
        let what = if by_type { self.observed_memory()? } else { self.observed_register()? };
        self.program.observables.push(Observable { name: name.into_owned(), what });
        Ok(())
    }

    fn observed_memory(&mut self) -> PResult<Observed> {
        let ty = self.cursor.ty()?;
        let global = operand::global(&mut self.cursor, self.symbols)?;
        let offset = match self.cursor.eat(TokenKind::Plus) {
            true => self.cursor.integer("an offset of at most 64 bits")?,
            false => 0,
        };
        Ok(Observed::Mem { global, offset, ty })
    }

    fn observed_register(&mut self) -> PResult<Observed> {
        let what = "a thread and its register, or a type and a global";
        let (thread, name) = self.thread_named(what, "a thread or a type")?;
        let func = &self.symbols.thread_funcs[thread];
        let signature = self.symbols.funcs.get(func).map(|func| &self.symbols.signatures[*func]);
        let token = self.cursor.token();
        match (token.kind, signature) {
            (TokenKind::Reg | TokenKind::RegNumber, Some(signature)) => {
                let reg = signature.resolve(&self.cursor, token)?;
                self.cursor.next();
                Ok(Observed::Reg(thread, reg))
            }
            (_, Some(_)) => Err(self.cursor.unexpected("a register such as %r")),
            (_, None) => {
                let message = format!("the thread {name} has no function");
                let error = self.cursor.error(token, message);
                Err(Box::new(error.help(format!("declare @{func} with func @{func}(…)"))))
            }
        }
    }

    /// The thread that a name denotes. Messages say `what` if there is no name, and `expected` if no thread
    /// has it.
    pub(super) fn thread_named(
        &mut self,
        what: &str,
        expected: &str,
    ) -> PResult<(ThreadIdx, Cow<'s, str>)> {
        let (token, name) = self.cursor.name(what)?;
        match self.symbols.threads.get(&name) {
            Some(thread) => Ok((*thread, name)),
            None => {
                let error = self.cursor.error(token, format!("there is no thread {name}"));
                let help = "a thread is declared with thread NAME = @FUNCTION(…)";
                Err(Box::new(error.expected(expected).help(help)))
            }
        }
    }

    pub(super) fn declared_once(&self, token: Token, first: bool, what: &str) -> PResult<()> {
        if first {
            return Ok(());
        }
        let message = format!("the {what} {} is declared twice", self.cursor.excerpt(token));
        Err(Box::new(self.cursor.error(token, message).expected("a new name")))
    }
}
