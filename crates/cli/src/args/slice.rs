//! The arguments of `raddle slice`.

use super::shared::JobsArgs;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Go on with a search for a while, and divide what is left into parts for other processes.
///
/// Searches are made by raddle check --frontier or --checkpoint. A part is a search of its own, to be sliced in the same way until
/// it is done; then its rest is a result, which another slice of the search that it is a part of puts in. The files contain the program: a slice
/// needs neither a compiler nor the source. Prints one JSON object.
#[derive(Args, Debug)]
pub(crate) struct SliceArgs {
    /// The search to go on with.
    #[arg(value_name = "FRONTIER", value_hint = ValueHint::FilePath)]
    pub frontier: PathBuf,
    /// Results of its parts: rests that are done.
    #[arg(value_name = "RESULT", value_hint = ValueHint::FilePath)]
    pub results: Vec<PathBuf>,
    /// The folder for the files: rest.raddle, part-1.raddle, ...
    #[arg(short = 'o', long = "output", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub folder: PathBuf,
    /// Search for so many seconds, and at least until one execution has come to its end.
    #[arg(long, value_name = "SECONDS", default_value = "10", help_heading = "Search")]
    pub seconds: f64,
    /// The most parts to divide what is left into [default: two for each core that is used].
    #[arg(long, value_name = "N", help_heading = "Search")]
    pub parts: Option<u16>,
    #[command(flatten)]
    pub jobs: JobsArgs,
    /// The most memory that the search may use, in MiB [default: a part of the machine's].
    #[arg(long, value_name = "MIB", help_heading = "Limits")]
    pub max_memory: Option<u64>,
}
