//! The state that all threads share: the program under construction, locations and initial values.

use super::regs::{self, MachineReg, RegName};
use super::word::Word;
use crate::ast::{At, DeclType, InitItem, LitmusTest, Location, Name, Value};
use raddle_ir::{Diagnostic, Global, GlobalId, LocId, Operand, ProgramBuilder, Reg, Type};
use std::collections::HashMap;

pub(super) struct Context<'t> {
    pub test: &'t LitmusTest,
    pub word: Word,
    pub program: ProgramBuilder,
    file: u32,
    locations: HashMap<String, GlobalId>,
    types: HashMap<String, DeclType>,
    registers: HashMap<(u32, MachineReg), (Value, At)>,
    /// Initial values of symbolic registers that the test gives without a thread.
    symbolic: HashMap<String, (Value, At)>,
    /// Filled as threads are completed.
    pub observed_registers: HashMap<(u32, MachineReg), Reg>,
}

impl<'t> Context<'t> {
    /// Creates the context and applies the initial state of the test.
    pub(super) fn new(test: &'t LitmusTest, word: Word) -> Result<Context<'t>, Diagnostic> {
        let mut program = ProgramBuilder::new(&test.name);
        let file = program.file(&test.file);
        let mut context = Context {
            test,
            word,
            program,
            file,
            locations: HashMap::new(),
            types: HashMap::new(),
            registers: HashMap::new(),
            symbolic: HashMap::new(),
            observed_registers: HashMap::new(),
        };
        let mut memory = HashMap::new();
        for item in &test.init {
            context.init_item(item, &mut memory)?;
        }
        Ok(context)
    }

    pub(super) fn loc(&mut self, at: At) -> LocId {
        self.program.loc(self.file, at.line, at.column)
    }

    pub(super) fn error(&self, at: At, message: impl Into<String>) -> Diagnostic {
        at.error(&self.test.file, message)
    }

    /// The global of a location; it starts as 0 unless the test initialises it.
    pub(super) fn location(&mut self, name: &str) -> GlobalId {
        if let Some(id) = self.locations.get(name) {
            return *id;
        }
        let bytes = self.word.bytes();
        let id = self.program.global(Global::zeroed(name, bytes.into(), bytes));
        self.locations.insert(name.to_owned(), id);
        id
    }

    /// The type with which a location's final value is observed.
    pub(super) fn location_type(&self, name: &str) -> Type {
        match self.types.get(name) {
            Some(DeclType::Int(bits @ (8 | 16))) => Type::Int(*bits),
            _ => self.word.ty(),
        }
    }

    /// A number as a word.
    pub(super) fn word_value(&self, value: i128, at: At) -> Result<i64, Diagnostic> {
        self.word.canonical(value).ok_or_else(|| {
            self.error(at, format!("the number {value} does not fit"))
                .expected(format!("a number of {} bits", self.word.ty().bits()))
                .help("a location of type `int64_t` makes the words of a test 64 bits wide")
        })
    }

    /// The register with this name.
    pub(super) fn register(&self, name: &Name) -> Result<RegName, Diagnostic> {
        regs::resolve(self.test.arch, name).ok_or_else(|| {
            self.error(name.at, format!("`{}` is not a register of {}", name.text, self.test.arch))
                .expected(regs::listing(self.test.arch))
        })
    }

    /// Checks that the test has a column for this thread.
    pub(super) fn thread(&self, thread: u32, at: At) -> Result<u32, Diagnostic> {
        let count = self.test.threads.len();
        if (thread as usize) < count {
            return Ok(thread);
        }
        let last = count.saturating_sub(1);
        Err(self.error(at, format!("there is no thread {thread}")).expected(if last == 0 {
            "thread 0".into()
        } else {
            format!("a thread from 0 to {last}")
        }))
    }

    /// A memory location must not have the name of a register: a register needs a thread.
    pub(super) fn location_name(&self, name: &Name) -> Result<(), Diagnostic> {
        match regs::resolve(self.test.arch, name) {
            None => Ok(()),
            Some(reg) => Err(self
                .error(name.at, format!("`{}` is a register without a thread", name.text))
                .expected("a location, or a register with its thread")
                .help(format!("for thread 0, write `0:{}`", reg.display))),
        }
    }

    /// The initial value of a register, and the place that defines it.
    pub(super) fn initial(&self, thread: u32, reg: &MachineReg) -> Option<&(Value, At)> {
        self.registers.get(&(thread, reg.clone())).or_else(|| match reg {
            MachineReg::Symbolic(name) => self.symbolic.get(name),
            MachineReg::Numbered(_) => None,
        })
    }

    fn init_item(
        &mut self,
        item: &InitItem,
        memory: &mut HashMap<String, (Value, At)>,
    ) -> Result<(), Diagnostic> {
        let at = item.place.at();
        let value = item.value.clone().unwrap_or(Value::Int { value: 0, at });
        if let Value::Address(target) = &value {
            self.location_name(target)?;
        }
        let new = (value.clone(), at);
        let old = match &item.place {
            Location::Memory(name) => {
                self.location_name(name)?;
                if let Some(ty) = item.ty {
                    self.types.insert(name.text.clone(), ty);
                }
                let id = self.location(&name.text);
                self.init_memory(id, &value)?;
                memory.insert(name.text.clone(), new)
            }
            Location::Symbolic(name) => self.symbolic.insert(name.text.clone(), new),
            Location::Register { thread, thread_at, name } => {
                let thread = self.thread(*thread, *thread_at)?;
                let reg = self.register(name)?.reg;
                self.registers.insert((thread, reg), new)
            }
        };
        // The same initial value may be given twice; two different values are an error.
        match old {
            Some((old, first)) if !same_value(&old, &value) => Err(self
                .error(at, format!("this has another initial value in line {}", first.line))
                .expected("one initial value")),
            _ => Ok(()),
        }
    }

    fn init_memory(&mut self, id: GlobalId, value: &Value) -> Result<(), Diagnostic> {
        match value {
            Value::Int { value, at } => {
                let word = self.word_value(*value, *at)?;
                let bytes = self.word.bytes() as usize;
                self.program.program.globals[id].init = word.to_le_bytes()[..bytes].to_vec();
            }
            Value::Address(target) => {
                let target = self.location(&target.text);
                self.program.program.globals[id].relocs = vec![(0, Operand::Global(target, 0))];
            }
        }
        Ok(())
    }
}

fn same_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Int { value: a, .. }, Value::Int { value: b, .. }) => a == b,
        (Value::Address(a), Value::Address(b)) => a.text == b.text,
        _ => false,
    }
}
