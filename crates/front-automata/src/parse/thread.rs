//! One thread: its states, registers and transitions.

use super::Parser;
use crate::ast::{At, Instruction, StateId, Thread, Transition};
use raddle_ir::Diagnostic;
use std::collections::HashMap;

const PARTS: &str = "initial, final, transition or end";
const INSTRUCTIONS: &str = "read, write, local, check, mfence, noop, lock or unlock";

/// Names that are numbered in the order in which they first appear.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    numbers: HashMap<&'a str, u32>,
    names: Vec<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn number(&mut self, name: &'a str) -> u32 {
        let next = self.names.len() as u32;
        *self.numbers.entry(name).or_insert_with(|| {
            self.names.push(name);
            next
        })
    }

    fn owned(&self) -> Vec<String> {
        self.names.iter().map(|name| (*name).to_owned()).collect()
    }
}

/// A thread while it is parsed.
#[derive(Debug, Default)]
struct Draft<'a> {
    states: Names<'a>,
    registers: Names<'a>,
    initial: Option<StateId>,
    finals: Vec<StateId>,
    transitions: Vec<Transition>,
}

impl<'a> Parser<'a> {
    /// Parses from the name to `end`.
    pub(super) fn thread(&mut self) -> Result<Thread, Diagnostic> {
        let name = self.word("a thread's name")?;
        let mut draft = Draft::default();
        loop {
            let word = self.word(PARTS)?;
            match word.text {
                "initial" => self.initial(&mut draft, word.at)?,
                "final" => {
                    let state = self.state(&mut draft)?;
                    draft.finals.push(state);
                }
                "transition" => self.transition(&mut draft, word.at)?,
                "end" => break,
                other => return Err(self.unexpected(word.at, other, PARTS)),
            }
        }
        let Some(initial) = draft.initial else {
            let message = format!("the thread {} has no initial state", name.text);
            return Err(name.at.error(self.file, message).expected("initial STATE"));
        };
        Ok(Thread {
            name: name.text.to_owned(),
            at: name.at,
            initial,
            finals: draft.finals,
            states: draft.states.owned(),
            registers: draft.registers.owned(),
            transitions: draft.transitions,
        })
    }

    fn initial(&mut self, draft: &mut Draft<'a>, at: At) -> Result<(), Diagnostic> {
        if draft.initial.is_some() {
            return Err(at.error(self.file, "a second initial state").expected("one per thread"));
        }
        draft.initial = Some(self.state(draft)?);
        Ok(())
    }

    fn state(&mut self, draft: &mut Draft<'a>) -> Result<StateId, Diagnostic> {
        let word = self.word("a state")?;
        Ok(StateId(draft.states.number(word.text)))
    }

    fn transition(&mut self, draft: &mut Draft<'a>, at: At) -> Result<(), Diagnostic> {
        let from = self.state(draft)?;
        let to = self.state(draft)?;
        let instruction = self.instruction(&mut draft.registers)?;
        draft.transitions.push(Transition { from, to, instruction, at });
        Ok(())
    }

    fn instruction(&mut self, registers: &mut Names<'a>) -> Result<Instruction, Diagnostic> {
        let word = self.word("an instruction")?;
        Ok(match word.text {
            "read" => {
                let register = self.register(registers)?;
                Instruction::Read { register, address: self.expression(registers)? }
            }
            "write" => {
                let value = self.expression(registers)?;
                Instruction::Write { value, address: self.expression(registers)? }
            }
            "local" => {
                let register = self.register(registers)?;
                Instruction::Local { register, value: self.expression(registers)? }
            }
            "check" => Instruction::Check(self.expression(registers)?),
            "mfence" => Instruction::Fence,
            "noop" => Instruction::Noop,
            "lock" => Instruction::Lock,
            "unlock" => Instruction::Unlock,
            other => return Err(self.unexpected(word.at, other, INSTRUCTIONS)),
        })
    }
}
