//! The memory models: one table of their properties that do not depend on the engine.
//!
//! The engines define how a model orders accesses: `raddle_interleave` with store buffers, `raddle_graph`
//! with axioms. A new model is a row here and a file there.
//!
//! The table also says which models a model *extends*: it allows every execution that they allow, for every
//! program. So a program that is safe under a model is safe under all that it extends. POWER and ARM extend
//! SC only: they relax much that TSO keeps, but the usual translation of C11's atomics gives them fences in
//! places where it gives x86 none (before a seq_cst load on POWER, for an acquire fence on ARM). So there are
//! programs with outcomes under TSO that POWER or ARM does not have. docs/matrix.md has an example.

use raddle_ir::FenceKind::{self, DmbSt, Eieio, Full, Lwsync, Mfence, StoreStore, Sync};
use serde::{Deserialize, Serialize};
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
    /// The models that this one extends directly.
    extends: &'static [Model],
}

macro_rules! models {
    ($($(#[$doc:meta])* $model:ident: $name:literal, $buffering:expr, $fences:expr, $machine:expr, $extends:expr;)*) => {
        /// The memory models.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
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
                        extends: $extends,
                    },)*
                }
            }
        }
    };
}

models! {
    /// Sequential consistency.
    Sc: "sc", Some(Buffering::None), &[], None, &[];
    /// Total store order: x86.
    Tso: "tso", Some(Buffering::Fifo), &[Mfence], Some("x86"), &[Model::Sc];
    /// Partial store order: SPARC.
    Pso: "pso", Some(Buffering::PerLocation), &[StoreStore, Full], Some("x86"), &[Model::Tso];
    Power: "power", None, &[Eieio, Lwsync, Sync], Some("POWER"), &[Model::Sc];
    /// ARMv7.
    Arm: "arm", None, &[DmbSt, FenceKind::Dmb], Some("ARM"), &[Model::Sc];
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

    /// Whether the model allows every execution that `other` allows, for every program.
    pub fn extends(self, other: Model) -> bool {
        self == other || self.row().extends.iter().any(|model| model.extends(other))
    }

    /// Those of `models` that no other of them extends.
    pub fn weakest(models: &[Model]) -> Vec<Model> {
        let is_weakest =
            |model: &&Model| !models.iter().any(|other| other != *model && other.extends(**model));
        models.iter().filter(is_weakest).copied().collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_extends_sc_and_itself() {
        for model in Model::ALL {
            assert!(model.extends(model) && model.extends(Model::Sc), "{model}");
            assert!(model == Model::Sc || !Model::Sc.extends(model), "{model}");
        }
        assert!(Model::Pso.extends(Model::Tso) && !Model::Tso.extends(Model::Pso));
        assert!(!Model::Power.extends(Model::Tso) && !Model::Power.extends(Model::Arm));
    }

    #[test]
    fn the_weakest_of_some() {
        let all = [Model::Sc, Model::Tso, Model::Pso, Model::Power, Model::Arm];
        assert_eq!(Model::weakest(&all), [Model::Pso, Model::Power, Model::Arm]);
        assert_eq!(Model::weakest(&[Model::Sc, Model::Tso]), [Model::Tso]);
        assert_eq!(Model::weakest(&[Model::Sc]), [Model::Sc]);
        assert_eq!(Model::weakest(&[]), []);
    }
}
