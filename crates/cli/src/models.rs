//! The models that can be named on the command line, and which command takes which.
//!
//! Help, completions and errors all come from these tables. Each has the name of a model beside what
//! the command's library calls it.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use raddle_analysis::fence::WeakModel;
use raddle_engine::Model;
use raddle_interleave as interleave;
use raddle_reach::ReachModel;
use std::ffi::OsStr;

/// The models that a command takes.
#[derive(Debug)]
pub struct Models<M: 'static>(&'static [(Model, M)]);

/// `litmus` and `check`: every model has an engine.
pub const ANY: Models<Model> = Models(&[
    (Model::Sc, Model::Sc),
    (Model::Tso, Model::Tso),
    (Model::Pso, Model::Pso),
    (Model::Power, Model::Power),
    (Model::Arm, Model::Arm),
]);

/// `robust` and `monitor`: those in which a store can be delayed in a buffer.
pub const BUFFERED: Models<interleave::Model> =
    Models(&[(Model::Tso, interleave::Model::Tso), (Model::Pso, interleave::Model::Pso)]);

/// `reach`: those that the search of states has.
pub const BY_STATES: Models<ReachModel> =
    Models(&[(Model::Sc, ReachModel::Sc), (Model::Tso, ReachModel::Tso)]);

/// `fence`: those that fences do something under.
pub const WEAK: Models<WeakModel> = Models(&[
    (Model::Tso, WeakModel::Tso),
    (Model::Pso, WeakModel::Pso),
    (Model::Power, WeakModel::Power),
    (Model::Arm, WeakModel::Arm),
]);

/// The interleaving engine's name of a model, if that engine has it.
pub const fn interleaved(model: Model) -> Option<interleave::Model> {
    match model {
        Model::Sc => Some(interleave::Model::Sc),
        Model::Tso => Some(interleave::Model::Tso),
        Model::Pso => Some(interleave::Model::Pso),
        Model::Power | Model::Arm => None,
    }
}

impl<M> Clone for Models<M> {
    fn clone(&self) -> Models<M> {
        *self
    }
}

impl<M> Copy for Models<M> {}

impl<M: Copy> Models<M> {
    fn named(self, word: &str) -> Result<M, String> {
        if let Some((_, found)) = self.0.iter().find(|(model, _)| model.name() == word) {
            return Ok(*found);
        }
        let known = Model::ALL.into_iter().any(|model| model.name() == word);
        let what = if known { "not a model of this command" } else { "no memory model" };
        Err(format!("{what}; expected {}", self.names()))
    }

    /// `sc`, `sc or tso`, `sc, tso or pso`.
    fn names(self) -> String {
        let names: Vec<&str> = self.0.iter().map(|(model, _)| model.name()).collect();
        match &*names {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            _ => names.concat(),
        }
    }
}

impl<M: Copy + Send + Sync> TypedValueParser for Models<M> {
    type Value = M;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, word: &OsStr) -> Result<M, Error> {
        let models = *self;
        (move |word: &str| models.named(word)).parse_ref(cmd, arg, word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(|(model, _)| PossibleValue::new(model.name()))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_can_be_named() {
        for model in Model::ALL {
            assert_eq!(ANY.named(model.name()), Ok(model));
        }
    }

    #[test]
    fn errors_say_what_is_allowed() {
        let wrong = "no memory model; expected sc, tso, pso, power or arm";
        assert_eq!(ANY.named("TSO"), Err(wrong.to_owned()));
        let other = "not a model of this command; expected tso or pso";
        assert_eq!(BUFFERED.named("arm"), Err(other.to_owned()));
        assert_eq!(BY_STATES.named("tso"), Ok(ReachModel::Tso));
        assert_eq!(WEAK.named("arm"), Ok(WeakModel::Arm));
    }
}
