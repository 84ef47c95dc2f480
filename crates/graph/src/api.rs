//! What the engine is asked. What it answers is common to all engines: `raddle_engine`.

use raddle_engine::Limits;
use std::fmt;
use std::str::FromStr;

/// The memory models of this engine.
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

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    pub model: Model,
    pub limits: Limits,
    /// Go on after the first failure and report every distinct one.
    pub keep_going: bool,
}

impl Options {
    pub fn new(model: Model) -> Options {
        Options { model, limits: Limits::default(), keep_going: false }
    }
}
