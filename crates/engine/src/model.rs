//! The memory models: one table of their properties that do not depend on the engine.
//!
//! The engines define how a model orders accesses: `raddle_interleave` with store buffers, `raddle_graph`
//! with axioms. A new model is a row here and a file there.

use raddle_ir::FenceKind::{self, DmbSt, Eieio, Full, Lwsync, Mfence, StoreStore, Sync};
use std::fmt;
use std::str::FromStr;

/// The target of a store, in a model that is a machine with store buffers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Buffering {
    /// Straight to memory.
    None,
    /// Into one queue per thread: paper 000, section 3.
    Fifo,
    /// Into one queue per thread and location: paper 000, appendix C.
    PerLocation,
}

/// The properties of a model, without its order of accesses.
struct Row {
    name: &'static str,
    /// The store buffers; `None` if only axioms define the model.
    buffering: Option<Buffering>,
    /// The fences that have an effect under the model, the weakest first.
    fences: &'static [FenceKind],
    /// The machine whose assembly the model describes; `None` for SC, which accepts any.
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

    /// The store buffers; `None` if only axioms define the model.
    pub const fn buffering(self) -> Option<Buffering> {
        self.row().buffering
    }

    /// Whether a store can wait in a buffer.
    pub const fn is_buffered(self) -> bool {
        matches!(self.buffering(), Some(Buffering::Fifo | Buffering::PerLocation))
    }

    /// The fences that have an effect under the model, the weakest first.
    pub const fn fences(self) -> &'static [FenceKind] {
        self.row().fences
    }

    /// Whether the model describes the assembly of this machine (`x86`, `POWER`, `ARM`).
    pub fn is_of(self, machine: &str) -> bool {
        self.row().machine.is_none_or(|own| own == machine)
    }

    /// The names of these models, for messages: `sc`, `sc or tso`, `sc, tso or pso`.
    pub fn names(models: impl IntoIterator<Item = Model>) -> String {
        let names: Vec<&str> = models.into_iter().map(Model::name).collect();
        raddle_ir::file::one_of(&names)
    }

    /// The models with these store buffers.
    pub fn with(buffering: Buffering) -> impl Iterator<Item = Model> {
        Model::ALL.into_iter().filter(move |model| model.buffering() == Some(buffering))
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
