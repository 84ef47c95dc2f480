//! `raddle matrix`.

use super::kinds::{self, kinds};
use super::limits::{limits, refuse_for_states};
use super::search;
use super::source::SourceConfig;
use crate::args::matrix::{FencesArg, MatrixArgs};
use crate::args::shared::ModelArgs;
use crate::output::Stop;
use raddle_analysis::fence::Target;
use raddle_engine::{Ignored, Limits, Model, Options};
use std::path::PathBuf;

/// The validated arguments of `raddle matrix`.
#[derive(Debug)]
pub(crate) struct MatrixConfig {
    pub source: SourceConfig,
    /// One for each model, in the order of the table of models.
    pub searches: Vec<Options>,
    /// The limits of all models together.
    pub limits: Limits,
    /// Whether data races were asked for.
    pub races: bool,
    /// Whether a strategy was named: then it is used, whatever the program is.
    pub has_strategy: bool,
    /// The errors that are not reported.
    pub ignored: Ignored,
    /// The aim of the fences, if they are asked for.
    pub fences: Option<Target>,
    /// Models that are searched at the same time; at least 1.
    pub jobs: usize,
    pub strict: bool,
    pub json: bool,
    /// Where the page is written.
    pub html: Option<PathBuf>,
}

impl MatrixConfig {
    /// Refuses options for errors where states are searched, as is known when the program is loaded.
    pub(crate) fn refuse_kinds(&self) -> Result<(), Stop> {
        refuse_for_states(kinds::of_executions(&self.ignored), "matrix of a program with goals")
    }
}

pub(crate) fn matrix(args: &MatrixArgs) -> Result<MatrixConfig, Stop> {
    let (checks, ignored) = kinds(&args.kinds)?;
    let mut limits = limits(&args.limits)?;
    let mut models: Vec<Model> = match (&*args.models, args.search.strategy) {
        ([], None) => Model::ALL.into(),
        ([], Some(strategy)) => strategy.engine().models().collect(),
        (named, _) => named.to_owned(),
    };
    models.sort_unstable();
    if let Some(name) = search::by_states(&args.search) {
        let option = args.limits.of_executions().or(kinds::of_executions(&ignored));
        refuse_for_states(option, &format!("--strategy {name}"))?;
    }
    let fences = args.fences.map(|aim| match aim {
        FencesArg::Safe => Target::Goals,
        FencesArg::Robust => Target::Robust,
    });
    if let (Some(Target::Goals), Some(option)) = (fences, kinds::of_executions(&ignored)) {
        return Err(Stop::Usage(format!(
            "{option} is not for --fences=safe: fences are found that exclude every error; --fences=robust \
             does not depend on errors"
        )));
    }
    // The cores are shared by the models that are searched at the same time.
    let jobs = limits.workers.min(search::distinct(&models).len());
    limits.workers = limits.workers.div_ceil(jobs.max(1));
    let mut searches = search::all(&ModelArgs { models }, &args.search, &limits, checks, false)?;
    searches.iter_mut().for_each(|options| options.ignored.clone_from(&ignored));
    Ok(MatrixConfig {
        source: SourceConfig::new(&args.source, &limits.budget),
        searches,
        races: checks.races,
        has_strategy: args.search.strategy.is_some(),
        fences,
        ignored,
        jobs,
        strict: args.limits.strict,
        json: args.output.json,
        html: args.html.clone(),
        limits,
    })
}
