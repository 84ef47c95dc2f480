//! The memory models: one table of what is known of each, whatever the engine.
//!
//! How a model orders accesses is said by the engines that have it: `raddle_interleave` for store buffers,
//! `raddle_graph` for axioms. A new model is a row here and a file there.

use raddle_ir::FenceKind::{self, DmbSt, Eieio, Full, Lwsync, Mfence, StoreStore, Sync};
use std::fmt;
use std::str::FromStr;

/// Where a store goes, in a model that is a machine with store buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffering {
    /// Straight to memory.
    None,
    /// Into one queue per thread: paper 000, section 3.
    Fifo,
    /// Into one queue per thread and location: paper 000, appendix C.
    PerLocation,
}

/// What is known of a model beside how it orders accesses.
struct Row {
    name: &'static str,
    /// Its store buffers; `None` if it is given by axioms only.
    buffering: Option<Buffering>,
    /// The fences that order anything which the model leaves unordered, the weakest first.
    fences: &'static [FenceKind],
    /// The machine whose assembly the model is for; SC is for any.
    machine: Option<&'static str>,
}

macro_rules! models {
    ($($(#[$doc:meta])* $model:ident: $name:literal, $buffering:expr, $fences:expr, $machine:expr;)*) => {
        /// The memory models.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Model {
            $($(#[$doc])* $model,)*
        }

        impl Model {
            pub const ALL: [Model; [$(Model::$model,)*].len()] = [$(Model::$model,)*];

            const fn row(self) -> Row {
                match self {
                    $(Model::$model => Row {
                        name: $name,
                        buffering: $buffering,
                        fences: $fences,
                        machine: $machine,
                    },)*
                }
            }
        }
    };
}

models! {
    /// Sequential consistency.
    Sc: "sc", Some(Buffering::None), &[], None;
    /// Total store order: x86.
    Tso: "tso", Some(Buffering::Fifo), &[Mfence], Some("x86");
    /// Partial store order: SPARC.
    Pso: "pso", Some(Buffering::PerLocation), &[StoreStore, Full], Some("x86");
    Power: "power", None, &[Eieio, Lwsync, Sync], Some("POWER");
    /// ARMv7.
    Arm: "arm", None, &[DmbSt, FenceKind::Dmb], Some("ARM");
}

impl Model {
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Its store buffers; `None` for a model that is given by axioms only.
    pub const fn buffering(self) -> Option<Buffering> {
        self.row().buffering
    }

    /// Whether a store can wait in a buffer.
    pub const fn is_buffered(self) -> bool {
        matches!(self.buffering(), Some(Buffering::Fifo | Buffering::PerLocation))
    }

    /// The fences that order anything which the model leaves unordered, the weakest first.
    pub const fn fences(self) -> &'static [FenceKind] {
        self.row().fences
    }

    /// Whether assembly of this machine (`x86`, `POWER`, `ARM`) means under the model what it means there.
    pub fn is_of(self, machine: &str) -> bool {
        self.row().machine.is_none_or(|own| own == machine)
    }

    /// The names of these models, for messages: `sc`, `sc or tso`, `sc, tso or pso`.
    pub fn names(models: impl IntoIterator<Item = Model>) -> String {
        let names: Vec<&str> = models.into_iter().map(Model::name).collect();
        match &*names {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            _ => names.concat(),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Model {
    type Err = String;

    fn from_str(s: &str) -> Result<Model, String> {
        let all = || Model::ALL.into_iter();
        let found = all().find(|model| model.name() == s);
        found.ok_or_else(|| format!("unknown model '{s}'; expected {}", Model::names(all())))
    }
}
