//! Goals, and the lock that gives the exclusive right to write memory.
//!
//! A goal names blocks of functions that may be defined later in the file, so goals are resolved at the end.

use super::super::cursor::PResult;
use super::super::lex::{Token, TokenKind};
use super::{Parser, operand};
use crate::program::{Block, BlockId, Goal, ThreadIdx};

/// A thread, and the label that it has to reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct ThreadLabel {
    thread: ThreadIdx,
    label: Token,
}

impl Parser<'_, '_> {
    /// `goal THREAD LABEL, …`
    pub(super) fn goal(&mut self) -> PResult<()> {
        self.cursor.next();
        let mut places = vec![self.place()?];
        while self.cursor.eat(TokenKind::Comma) {
            places.push(self.place()?);
        }
        self.goals.push(places);
        Ok(())
    }

    fn place(&mut self) -> PResult<ThreadLabel> {
        let what = "a thread and a label";
        let (thread, _) = self.thread_named(what, what)?;
        let label = self.cursor.token();
        match label.kind {
            TokenKind::Word | TokenKind::Quoted | TokenKind::BlockNumber => {
                self.cursor.next();
                Ok(ThreadLabel { thread, label })
            }
            _ => Err(self.cursor.unexpected("a label of the thread's function")),
        }
    }

    /// `memory_lock @GLOBAL`
    pub(super) fn memory_lock(&mut self) -> PResult<()> {
        let token = self.cursor.next();
        if self.program.memory_lock.is_some() {
            return Err(self.cursor.error(token, "there is a memory_lock already"));
        }
        self.program.memory_lock = Some(operand::global(&mut self.cursor, self.symbols)?);
        Ok(())
    }

    /// Looks up the labels, after every function was read.
    pub(super) fn resolve_goals(&mut self) -> PResult<()> {
        for places in std::mem::take(&mut self.goals) {
            let mut goal = Goal { places: Vec::new() };
            for ThreadLabel { thread, label } in places {
                goal.places.push((thread, self.block_of(thread, label)?));
            }
            self.program.goals.push(goal);
        }
        Ok(())
    }

    fn block_of(&self, thread: ThreadIdx, label: Token) -> PResult<BlockId> {
        let thread = self.program.threads.get(thread);
        let func = thread.and_then(|thread| self.program.funcs.get(thread.func));
        let number = match label.kind {
            TokenKind::BlockNumber => self.cursor.text(label)[1..].parse::<u32>().ok(),
            _ => None,
        };
        let name = match number {
            Some(_) => None,
            None => Some(self.cursor.decode_name(label)?),
        };
        let is_it = |id: BlockId, block: &Block| match &name {
            Some(name) => block.name.as_deref() == Some(&**name),
            None => Some(id.as_u32()) == number,
        };
        let mut blocks = func.iter().flat_map(|func| func.blocks.iter());
        let found = blocks.find(|(id, block)| is_it(*id, block)).map(|(id, _)| id);
        found.ok_or_else(|| {
            let message =
                format!("the thread's function has no block {}", self.cursor.excerpt(label));
            self.cursor.error(label, message)
        })
    }
}
