//! Observables and the final condition.
//!
//! Observables are the registers and locations that the condition and `locations` mention, in the
//! order in which herd prints them: registers by thread and number, then locations by name. A test
//! without a condition gets `forall (true)`, which every run satisfies.

use super::context::Context;
use super::regs::MachineReg;
use crate::ast::{At, Location, Name, TermAst, Value};
use raddle_ir::{
    CmpOp, Condition, Diagnostic, ObservableId, Observed, Prop, Quantifier, Term, ThreadIdx, Type,
};
use std::collections::BTreeMap;

/// The identity of an observable; the order is that of the output.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    Register(u32, MachineReg),
    Memory(String),
}

/// All observables, with their names in the output.
#[derive(Debug, Default)]
pub(super) struct ObservedPlaces(BTreeMap<Key, String>);

impl ObservedPlaces {
    /// The observed registers of one thread.
    pub(super) fn of_thread(&self, thread: u32) -> impl Iterator<Item = &MachineReg> {
        let first = Key::Register(thread, MachineReg::Numbered(0));
        self.0.range(first..).map_while(move |(key, _)| match key {
            Key::Register(of, reg) if *of == thread => Some(reg),
            _ => None,
        })
    }
}

/// Collects the observables of the test; every register and thread that it names must exist.
pub(super) fn observed(context: &mut Context<'_>) -> Result<ObservedPlaces, Diagnostic> {
    let mut places = ObservedPlaces::default();
    let test = context.test;
    if let Some(condition) = &test.condition {
        for (left, right) in condition.prop.comparisons() {
            observe(context, left, &mut places)?;
            if let TermAst::Location(right) = right {
                observe(context, right, &mut places)?;
            }
        }
    }
    for listed in &test.locations {
        observe(context, &listed.place, &mut places)?;
    }
    Ok(places)
}

fn observe(
    context: &mut Context<'_>,
    place: &Location,
    places: &mut ObservedPlaces,
) -> Result<(), Diagnostic> {
    let (key, name) = key(context, place)?;
    places.0.entry(key).or_insert(name);
    Ok(())
}

fn key(context: &Context<'_>, place: &Location) -> Result<(Key, String), Diagnostic> {
    match place {
        Location::Register { thread, thread_at, name } => {
            let thread = context.thread(*thread, *thread_at)?;
            let reg = context.register(name)?;
            let shown = format!("{thread}:{}", reg.display);
            Ok((Key::Register(thread, reg.reg), shown))
        }
        Location::Memory(name) => {
            context.location_name(name)?;
            Ok((Key::Memory(name.text.clone()), format!("[{}]", name.text)))
        }
        Location::Symbolic(name) => Err(context
            .error(name.at, format!("`%{}` is a register without a thread", name.text))
            .expected("a register with its thread")
            .help(format!("for thread 0, write `0:%{}`", name.text))),
    }
}

/// Adds observables and condition to a program whose threads are complete.
pub(super) fn finish(context: &mut Context<'_>, places: ObservedPlaces) -> Result<(), Diagnostic> {
    let mut ids = BTreeMap::new();
    for (key, name) in places.0 {
        let what = observed_value(context, &key);
        ids.insert(key, context.program.observe(name, what));
    }
    let condition = match &context.test.condition {
        None => Condition { quantifier: Quantifier::Forall, prop: Prop::True },
        Some(condition) => Condition {
            quantifier: condition.quantifier,
            prop: condition
                .prop
                .try_map(&mut |op, left, right| comparison(context, &ids, op, left, right))?,
        },
    };
    context.program.program.condition = Some(condition);
    Ok(())
}

fn observed_value(context: &mut Context<'_>, key: &Key) -> Observed {
    match key {
        Key::Register(thread, reg) => {
            let ir = context.observed_registers[&(*thread, reg.clone())];
            Observed::Reg(ThreadIdx::from_u32(*thread), ir)
        }
        Key::Memory(name) => {
            let global = context.location(name);
            Observed::Mem { global, offset: 0, ty: context.location_type(name) }
        }
    }
}

type Ids = BTreeMap<Key, ObservableId>;

fn comparison(
    context: &mut Context<'_>,
    ids: &Ids,
    op: CmpOp,
    left: &Location,
    right: &TermAst,
) -> Result<Prop, Diagnostic> {
    let id = ids[&key(context, left)?.0];
    let ty = context.program.program.observable_type(id);
    let value = match right {
        TermAst::Value(Value::Int { value, at }) => number(context, ty, *value, *at)?,
        TermAst::Value(Value::Address(name)) => address(context, name)?,
        TermAst::Location(place) => {
            let other = ids[&key(context, place)?.0];
            same_type(context, ty, other, place.at())?;
            Term::Observable(other)
        }
    };
    Ok(Prop::Cmp(op, Term::Observable(id), value))
}

/// Registers hold sign-extended words, so a number that is compared with a register is sign-extended too.
fn number(context: &Context<'_>, ty: Type, value: i128, at: At) -> Result<Term, Diagnostic> {
    let bits = ty.bits();
    let word = context.word_value(value, at)?;
    if bits < 32 && !(-(1i128 << (bits - 1))..1i128 << bits).contains(&value) {
        return Err(context
            .error(at, format!("the number {value} does not fit"))
            .expected(format!("a number of {bits} bits, as the location is declared")));
    }
    Ok(Term::Int(word.into()))
}

fn address(context: &mut Context<'_>, name: &Name) -> Result<Term, Diagnostic> {
    context.location_name(name)?;
    Ok(Term::Global(context.location(&name.text), 0))
}

fn same_type(
    context: &Context<'_>,
    ty: Type,
    other: ObservableId,
    at: At,
) -> Result<(), Diagnostic> {
    let found = context.program.program.observable_type(other);
    if found == ty {
        return Ok(());
    }
    Err(context
        .error(
            at,
            format!(
                "this has {} bits, but it is compared with a value of {} bits",
                found.bits(),
                ty.bits()
            ),
        )
        .expected("two registers, or two locations of the same width"))
}
