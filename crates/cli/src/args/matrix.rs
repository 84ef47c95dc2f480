//! The arguments of `raddle matrix`.

use super::kinds::KindArgs;
use super::models;
use super::shared::{LimitArgs, OutputArgs, SearchArgs, SourceArgs};
use clap::{Args, ValueEnum};
use raddle_engine::Model;
use std::path::PathBuf;

/// Check a program under every memory model, and show the results as one table.
///
/// The program is loaded once, and the models are searched in parallel. A litmus test shows what is observed;
/// of automata and programs with goals, whether a goal can be reached. The exit status is the most serious
/// one of the models.
#[derive(Args, Debug)]
pub(crate) struct MatrixArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    /// Only these models [default: all that the strategy has].
    #[arg(
        short, long = "model", value_delimiter = ',', value_name = "MODEL",
        value_parser = models::ANY, help_heading = "Model"
    )]
    pub models: Vec<Model>,
    #[command(flatten)]
    pub kinds: KindArgs,
    /// Also find the fewest fences that the program needs under each model: to be safe, where it is not, or to
    /// be robust.
    #[arg(
        long, value_enum, value_name = "AIM", num_args = 0..=1, require_equals = true,
        default_missing_value = "safe", help_heading = "Search"
    )]
    pub fences: Option<FencesArg>,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Write the table as a page to this file.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub html: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FencesArg {
    /// To be safe under each model, or to forbid its outcome.
    Safe,
    /// To have no behaviour beyond sequential consistency.
    Robust,
}
