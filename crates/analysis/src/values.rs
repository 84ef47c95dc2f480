//! Values as the program means them.
//!
//! Engines handle bits. The instructions define their meaning: an access of a float, the first value of a
//! choice. An event has only its position in the source, so the instructions at that position are looked up.
//! If they all agree, the event is shown in their terms.

use raddle_engine::{Cell, Datum, Deed, ReplayEvent};
use raddle_ir::text::decimal;
use raddle_ir::{BinOp, InstKind, LocId, Operand, Program, Type};
use std::collections::HashMap;

/// The meaning of values at each position; `None` if its instructions disagree.
#[derive(Default)]
struct Places {
    accessed: HashMap<LocId, Option<Type>>,
    first: HashMap<LocId, Option<i128>>,
}

/// Converts the values of events to the program's meaning.
pub(crate) fn interpret(program: &Program, events: &mut [ReplayEvent]) {
    let places = Places::of(program);
    for event in events.iter_mut().filter(|event| event.loc != LocId::NONE) {
        if let Some(Some(ty)) = places.accessed.get(&event.loc) {
            each_value(&mut event.deed, |value, bytes| show_float(value, bytes, *ty));
        }
        if let (Deed::Choose(value), Some(Some(first))) =
            (&mut event.deed, places.first.get(&event.loc))
        {
            *value += first;
        }
    }
}

impl Places {
    fn of(program: &Program) -> Places {
        let mut places = Places::default();
        for block in program.funcs.values().flat_map(|func| func.blocks.values()) {
            for (n, inst) in block.insts.iter().enumerate() {
                if let Some(ty) = accessed(&inst.kind) {
                    agree(&mut places.accessed, inst.loc, ty);
                }
                if let InstKind::Choose { dst, ty, lo, .. } = inst.kind {
                    let next = block.insts.get(n + 1).map(|next| &next.kind);
                    let from =
                        match next {
                            Some(InstKind::Bin {
                                op: BinOp::Add, a, b: Operand::Int(low), ..
                            }) if *a == Operand::Reg(dst) => signed(ty, *low),
                            _ => 0,
                        };
                    agree(&mut places.first, inst.loc, i128::from(lo) + from);
                }
            }
        }
        places
    }
}

/// Adds the meaning that one more instruction of a position gives.
fn agree<T: PartialEq>(places: &mut HashMap<LocId, Option<T>>, at: LocId, said: T) {
    let said = Some(said);
    match places.get_mut(&at) {
        Some(known) if *known != said => *known = None,
        Some(_) => {}
        None => {
            places.insert(at, said);
        }
    }
}

fn accessed(inst: &InstKind) -> Option<Type> {
    match inst {
        InstKind::Load { ty, .. } | InstKind::Store { ty, .. } | InstKind::Rmw { ty, .. } => {
            Some(*ty)
        }
        _ => None,
    }
}

fn signed(ty: Type, bits: u128) -> i128 {
    let unused = 128 - ty.bits();
    ((bits << unused) as i128) >> unused
}

fn each_value(deed: &mut Deed, mut show: impl FnMut(&mut Datum, u32)) {
    match deed {
        Deed::Read { cell: Cell { at, value }, .. }
        | Deed::Buffer { cell: Cell { at, value }, .. }
        | Deed::Update { cell: Cell { at, value }, .. } => show(value, at.bytes),
        Deed::Write { cell: Cell { at, value }, old, .. } => {
            show(value, at.bytes);
            show(old, at.bytes);
        }
        _ => {}
    }
}

fn show_float(value: &mut Datum, bytes: u32, ty: Type) {
    match ty {
        Type::F32 if bytes == 4 => value.shown = decimal(f32::from_bits(value.bits as u32)),
        Type::F64 if bytes == 8 => value.shown = decimal(f64::from_bits(value.bits as u64)),
        _ => {}
    }
}
