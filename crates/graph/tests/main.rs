//! All integration tests of the crate, in one binary: linking takes longer than most of the tests.

mod agreement;
mod c_dependencies;
mod c_orders;
mod c_programs;
mod corpus;
mod deadlocks;
mod deferral;
mod ends;
mod figures;
mod oracle;
mod probes;
mod spin;

use raddle_engine::{Engine, Model};
use raddle_ir::Program;
use raddle_oracle::{Outcome, Trouble, axiomatic, weak};

/// The models that only oracles can be asked about, since no other engine has them.
fn models_of_axioms() -> Vec<Model> {
    let is_known = |model: &Model| !Engine::Interleave.has(*model) && has_oracle(*model);
    Model::ALL.into_iter().filter(is_known).collect()
}

/// A test fails for models without an oracle; the others leave them out.
fn has_oracle(model: Model) -> bool {
    let name = model.name();
    weak::Hardware::named(name).is_some() || raddle_oracle::Model::named(name).is_some()
}

/// The models that the interleaving engine has, too.
fn models_of_buffers() -> Vec<Model> {
    Engine::Interleave.models().collect()
}

/// The answer of the oracle that has the axioms of a model, which may visit this many candidates.
fn by_axioms(program: &Program, model: Model, budget: u64) -> Result<Outcome, Trouble> {
    let name = model.name();
    match weak::Hardware::named(name) {
        Some(model) => weak::executions_within(program, model, budget),
        None => {
            let known = raddle_oracle::Model::named(name);
            axiomatic::executions(
                program,
                known.unwrap_or_else(|| panic!("no oracle knows {name}")),
            )
        }
    }
}
