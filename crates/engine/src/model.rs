//! The memory models, and their names. An engine that has only some of them has a type of its own.

use std::fmt;
use std::str::FromStr;

/// The memory models.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Model {
    Sc,
    Tso,
    Pso,
    Power,
    /// ARMv7.
    Arm,
}

impl Model {
    pub const ALL: [Model; 5] = [Model::Sc, Model::Tso, Model::Pso, Model::Power, Model::Arm];

    pub const fn name(self) -> &'static str {
        match self {
            Model::Sc => "sc",
            Model::Tso => "tso",
            Model::Pso => "pso",
            Model::Power => "power",
            Model::Arm => "arm",
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
        let found = Model::ALL.into_iter().find(|m| m.name() == s);
        found.ok_or_else(|| format!("unknown model '{s}'; expected sc, tso, pso, power or arm"))
    }
}
