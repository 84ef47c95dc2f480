//! The arguments of `raddle doctor`.

use super::shared::OutputArgs;
use clap::Args;
use std::path::PathBuf;

/// Show whether everything that raddle needs is there, and what to do about what is not.
///
/// Compiles a small C and a small C++ program with the clang that other commands would use. The exit status
/// is 0 if C programs can be checked, and 2 if they cannot.
#[derive(Args, Debug)]
pub(crate) struct DoctorArgs {
    /// The clang to look at [default: $CLANG, or the newest on the path].
    #[arg(long, value_name = "PATH", help_heading = "C")]
    pub clang: Option<PathBuf>,
    /// Give up on a compiler after this many seconds.
    #[arg(
        long,
        value_name = "SECONDS",
        allow_negative_numbers = true,
        default_value_t = 20.0,
        help_heading = "Limits"
    )]
    pub timeout: f64,
    #[command(flatten)]
    pub output: OutputArgs,
}
