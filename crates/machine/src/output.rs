//! The targets of formatted text: output, or bytes in memory.
//!
//! Formatting reads strings and arguments, and writes its buffer, without an event: an engine performs it as
//! soon as the thread reaches it. Memory is read as the thread sees it; the engine provides that view.

use crate::code::Op;
use crate::fault::{FailureKind, Fault};
use crate::format;
use crate::machine::Machine;
use crate::memory::Purpose;
use crate::thread::{ThreadId, field};

/// The longest text that is kept, for output or for memory.
const MAX_TEXT: usize = 1 << 20;

/// The result of formatting, before it takes effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Formatted {
    text: Vec<u8>,
    length: u64,
    /// The target of the bytes and a NUL in memory; `None` for output.
    to: Option<u64>,
}

impl Formatted {
    /// The bytes of memory that will be written: address and number.
    pub fn target(&self) -> Option<(u64, u64)> {
        self.to.map(|addr| (addr, self.text.len() as u64 + 1))
    }
}

impl Machine<'_> {
    /// Keeps output from now on, for [`Machine::output`].
    pub fn keep_output(&mut self) {
        self.output.get_or_insert_default();
    }

    pub fn keeps_output(&self) -> bool {
        self.output.is_some()
    }

    /// The output of the program since it is kept, call by call.
    pub fn output(&self) -> &[String] {
        self.output.as_deref().unwrap_or_default()
    }

    /// A byte of memory, if the address is valid.
    pub fn peek(&self, addr: u64) -> Option<u8> {
        let slice = self.memory.access(&self.trail, addr, 1, Purpose::Copy).ok()?;
        Some(self.memory.read(&self.trail, slice) as u8)
    }

    /// Formats the text of the `Format` operation that a thread is at. `byte` reads memory as the thread sees
    /// it.
    pub fn formatted(
        &self,
        thread: ThreadId,
        byte: &dyn Fn(u64) -> Option<u8>,
    ) -> Result<Formatted, Fault> {
        let Op::Format { format, args, to, .. } = self.code.op(self.pc(thread)) else {
            unreachable!("format at another operation")
        };
        let (format, args) = (self.read(thread, format), self.read(thread, args));
        let to = to.map(|(buffer, size)| (self.read(thread, buffer), self.read(thread, size)));
        let room = to.map_or(MAX_TEXT as u64, |(_, size)| size.saturating_sub(1));
        let keep = room.min(MAX_TEXT as u64) as usize;
        let unsupported = |what: &str| Fault::new(FailureKind::Unsupported, what);
        let text = format::format(format, args, keep, byte).map_err(unsupported)?;
        if let Some(addr) = text.bad {
            self.memory.access(&self.trail, addr, 1, Purpose::Copy)?;
            return Err(unsupported("formatting a string of more than 4 MiB"));
        }
        if to.is_some() && room > MAX_TEXT as u64 && text.length > MAX_TEXT as u64 {
            return Err(unsupported("formatting more than 1 MiB of text into memory"));
        }
        // Nothing is written to a buffer of size 0, not even a NUL.
        let to = to.and_then(|(addr, size)| (size > 0).then_some(addr));
        Ok(Formatted { text: text.bytes, length: text.length, to })
    }

    /// Completes the operation without output; false if it would change memory.
    pub fn pass_format(&mut self, thread: ThreadId, made: Formatted) -> bool {
        let (output, changes) = (self.output.take(), self.get(thread, field::CHANGES));
        let done = self.complete_format(thread, made).is_ok();
        self.output = output;
        done && self.get(thread, field::CHANGES) == changes
    }

    /// Writes formatted text to its target, and completes the `Format` operation.
    pub fn complete_format(&mut self, thread: ThreadId, made: Formatted) -> Result<(), Fault> {
        let Op::Format { dst, to, .. } = self.code.op(self.pc(thread)) else {
            unreachable!("format at another operation")
        };
        match made.to {
            Some(addr) => {
                let before = self.trail.mark();
                for (n, byte) in made.text.iter().chain(&[0]).enumerate() {
                    let addr = addr.wrapping_add(n as u64);
                    let slice = self.memory.access(&self.trail, addr, 1, Purpose::Write)?;
                    self.memory.write(&mut self.trail, slice, u128::from(*byte));
                }
                if self.trail.mark() != before {
                    self.note_change(thread);
                }
            }
            None if to.is_none() => {
                if let Some(output) = &mut self.output {
                    output.push(String::from_utf8_lossy(&made.text).into_owned());
                }
            }
            None => {}
        }
        // As in C, a length that does not fit into an `int` is an error.
        let length = i32::try_from(made.length).unwrap_or(-1);
        self.put(thread, dst, u64::from(length as u32));
        self.step(thread);
        Ok(())
    }
}
