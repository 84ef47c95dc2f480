//! Final values, spelled as litmus tests spell them.
//!
//! Integers are signed by the width of their type, in decimal while they are small and in
//! hexadecimal when they are not; an address of a global is the global's name.

use raddle_analysis::condition::sign_extend;
use raddle_ir::{ObservableId, Observed, Program, Type};
use raddle_machine::layout;

/// A larger number is more likely a bit pattern than a count.
const SMALL: u64 = 1 << 31;

/// The value of an observable, with its meaning.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Int { signed: i64, bits: u64 },
    Float(f64),
    Address(String),
}

impl Value {
    /// Reads the bits that an engine reports for an observable.
    pub fn of(program: &Program, id: ObservableId, bits: u64) -> Value {
        match program.observable_type(id) {
            Type::F32 => Value::Float(f32::from_bits(bits as u32).into()),
            Type::F64 => Value::Float(f64::from_bits(bits)),
            // A truth value is 0 or 1, not 0 or -1.
            Type::Int(1) => Value::Int { signed: (bits & 1) as i64, bits: bits & 1 },
            ty => match global_at(program, bits).filter(|_| ty.bits() >= 64) {
                Some(name) => Value::Address(name),
                None => {
                    let masked = (u128::from(bits) & ty.mask()) as u64;
                    Value::Int { signed: sign_extend(bits, ty.bits()), bits: masked }
                }
            },
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Int { signed, .. } if signed.unsigned_abs() <= SMALL => write!(f, "{signed}"),
            Value::Int { bits, .. } => write!(f, "{bits:#x}"),
            Value::Float(value) => write!(f, "{value}"),
            Value::Address(name) => f.write_str(name),
        }
    }
}

fn global_at(program: &Program, address: u64) -> Option<String> {
    let mut globals = program.globals.iter();
    globals.find(|(id, _)| layout::global_address(*id) == address).map(|(_, g)| g.name.clone())
}

/// The observables in the order of output: registers by thread and name, then memory by name.
pub fn display_order(program: &Program) -> Vec<ObservableId> {
    let mut ids: Vec<ObservableId> = program.observables.keys().collect();
    ids.sort_by_key(|id| {
        let observable = &program.observables[*id];
        let thread = match observable.what {
            Observed::Reg(thread, _) => thread.as_u32(),
            Observed::Mem { .. } => u32::MAX,
        };
        (thread, observable.name.clone())
    });
    ids
}

/// A final state as named values, in the order of output.
pub fn named(program: &Program, values: &[u64]) -> Vec<(String, Value)> {
    let bits = |id: ObservableId| values.get(id.as_u32() as usize).copied().unwrap_or_default();
    let name = |id: ObservableId| program.observables[id].name.clone();
    let order = display_order(program);
    order.into_iter().map(|id| (name(id), Value::of(program, id, bits(id)))).collect()
}

/// `0:EAX=0; x=1;`
pub fn state_line(program: &Program, values: &[u64]) -> String {
    let parts: Vec<String> = named(program, values)
        .into_iter()
        .map(|(name, value)| format!("{name}={value};"))
        .collect();
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::{GlobalId, ProgramBuilder};

    fn shown(ty: Type, bits: u64) -> String {
        let mut builder = ProgramBuilder::new("p");
        let global = builder.scalar("x", ty, 0);
        let id = builder.observe("x", Observed::Mem { global, offset: 0, ty });
        Value::of(&builder.finish(), id, bits).to_string()
    }

    #[test]
    fn integers_are_signed_by_width_and_decimal_while_small() {
        assert_eq!(shown(Type::I8, 255), "-1");
        assert_eq!(shown(Type::I32, 255), "255");
        assert_eq!(shown(Type::I32, 0xffff_ffff), "-1");
        assert_eq!(shown(Type::I64, 1 << 40), "0x10000000000");
        assert_eq!(shown(Type::BOOL, 1), "1");
    }

    #[test]
    fn addresses_are_names_and_floats_are_floats() {
        assert_eq!(shown(Type::Ptr, layout::global_address(GlobalId::from_u32(0))), "x");
        assert_eq!(shown(Type::F64, 1.5f64.to_bits()), "1.5");
    }

    #[test]
    fn what_is_no_number_of_json_is_a_string() {
        let json = |value| serde_json::to_string(&Value::Float(value)).expect("JSON");
        let all = [1.5, f64::NAN, f64::NEG_INFINITY].map(json);
        assert_eq!(all, ["1.5", "\"NaN\"", "\"-inf\""]);
    }
}
