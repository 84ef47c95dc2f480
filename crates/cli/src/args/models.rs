//! The models and strategies that can be named on the command line, and which command takes which.
//!
//! Help, completions and errors all come from the tables of `raddle_engine`.

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command, Error};
use raddle_analysis::robust::By;
use raddle_engine::{Buffering, Engine, Model, Strategy};
use raddle_ir::file::one_of;
use raddle_ir::near::did_you_mean;
use std::ffi::OsStr;
use std::sync::LazyLock;

/// The models that a command takes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Models(fn(Model) -> bool);

/// `litmus` and `check`: every model has an engine.
pub(super) const ANY: Models = Models(|_| true);

/// `robust` and `monitor`: those in which a store can be delayed in a buffer.
pub(super) const BUFFERED: Models = Models(Model::is_buffered);

/// `reach`: those that the search of states has.
pub(super) const BY_STATES: Models = Models(|model| Engine::Reach.has(model));

/// `fence`: those that fences do something under.
pub(super) const WEAK: Models = Models(|model| !model.fences().is_empty());

impl Models {
    fn taken(self) -> impl Iterator<Item = Model> {
        Model::ALL.into_iter().filter(move |model| self.0(*model))
    }

    fn named(self, word: &str) -> Result<Model, String> {
        if let Some(found) = self.taken().find(|model| model.name() == word) {
            return Ok(found);
        }
        let known = word.parse::<Model>().is_ok();
        let what = if known { "not a model of this command" } else { "not a memory model" };
        let expected = Model::names(self.taken());
        let meant = did_you_mean(word, self.taken().map(Model::name));
        Err(match meant.filter(|_| !known) {
            Some(meant) => format!("{what}; expected {expected}; {meant}"),
            None => format!("{what}; expected {expected}"),
        })
    }
}

impl TypedValueParser for Models {
    type Value = Model;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, word: &OsStr) -> Result<Model, Error> {
        let models = *self;
        (move |word: &str| models.named(word)).parse_ref(cmd, arg, word)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.taken().map(|model| PossibleValue::new(model.name()))))
    }
}

/// The models of `monitor` by default: all that it takes.
pub(super) fn monitored() -> &'static str {
    static NAMES: LazyLock<String> = LazyLock::new(|| {
        let names: Vec<&str> = BUFFERED.taken().map(Model::name).collect();
        names.join(",")
    });
    &NAMES
}

/// The searches of states, which count no executions.
pub(super) fn searches_of_states() -> String {
    let counts_nothing = |strategy: Strategy| !strategy.engine().counts_executions();
    let strategies = one_of(&Strategy::names(counts_nothing));
    let fenced = Model::names(BY_STATES.taken().filter(|model| WEAK.0(*model)));
    format!("--strategy {strategies}, robust --by attacks, fence --model {fenced}")
}

pub(super) fn attacks_help() -> String {
    format!(
        "Search states under sc with one store delayed; for loops that need not end. Only for {}",
        Model::names(By::Attacks.models())
    )
}

pub(super) fn buffer_bound_help() -> String {
    let [of_thread, of_byte] = [Buffering::Fifo, Buffering::PerLocation].map(|buffering| {
        let models: Vec<&str> = Model::with(buffering).map(Model::name).collect();
        models.join(", ")
    });
    format!(
        "Let store buffers hold at most K stores ({of_thread}: of a thread; {of_byte}: of a thread \
         and byte), 0 being sc; or raise K until a bug shows or buffers are never full (check)"
    )
}

/// Names the strategy that each model is searched by.
pub(super) fn strategy_help() -> String {
    let defaults = Strategy::ALL.into_iter().filter_map(|strategy| {
        let models =
            Model::ALL.into_iter().filter(|model| Strategy::default_of(*model) == strategy);
        let models = Model::names(models);
        match strategy == Strategy::default_of(Model::Sc) {
            true => Some(strategy.name().to_owned()),
            false => (!models.is_empty()).then(|| format!("{} under {models}", strategy.name())),
        }
    });
    let defaults: Vec<String> = defaults.collect();
    format!("How executions are searched [default: {}]", defaults.join("; "))
}

/// The strategies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strategies;

impl TypedValueParser for Strategies {
    type Value = Strategy;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, word: &OsStr) -> Result<Strategy, Error> {
        let names = Strategy::ALL.iter().map(|strategy| strategy.name());
        let name = clap::builder::PossibleValuesParser::new(names).parse_ref(cmd, arg, word)?;
        let found = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name);
        found.ok_or_else(|| Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let value = |strategy: Strategy| {
            // Help texts do not end in a point.
            PossibleValue::new(strategy.name()).help(strategy.about().trim_end_matches('.'))
        };
        Some(Box::new(Strategy::ALL.into_iter().map(value)))
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
        let wrong = format!("not a memory model; expected {}", Model::names(Model::ALL));
        assert_eq!(ANY.named("c11"), Err(wrong.clone()));
        assert_eq!(ANY.named("TSO"), Err(format!("{wrong}; did you mean 'tso'?")));
        let other = Model::names(BUFFERED.taken());
        let other = format!("not a model of this command; expected {other}");
        assert_eq!(BUFFERED.named("arm"), Err(other));
        assert_eq!(BY_STATES.named("tso"), Ok(Model::Tso));
        assert_eq!(WEAK.named("arm"), Ok(Model::Arm));
    }
}
