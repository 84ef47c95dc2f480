//! Limits, time and memory.

use crate::args::shared::{
    BudgetArgs, EstimateArgs, JobsArgs, LimitArgs, ProgressArgs, SamplingArgs,
};
use crate::args::values::UnrollArg;
use crate::output::Stop;
use crate::progress::Shown;
use crate::signals;
use raddle_budget::{Budget, default_memory};
use raddle_engine::{Limits, LoopBound, Sampling, Unroll};
use std::time::Duration;

pub(super) fn limits(args: &LimitArgs) -> Result<Limits, Stop> {
    let defaults = Limits::default();
    Ok(Limits {
        executions: args.max_executions,
        budget: budget(&args.budget)?,
        events: args.max_events.unwrap_or(defaults.events),
        unroll: unroll(&args.unroll, args.unroll_all)?,
        workers: workers(&args.jobs),
        ..defaults
    })
}

/// Refuses an option that a search of states has no use for: `what` is the search.
pub(crate) fn refuse_for_states(option: Option<&str>, what: &str) -> Result<(), Stop> {
    match option {
        None => Ok(()),
        Some(option) => Err(Stop::Usage(format!(
            "{option} is for searches of executions, but {what} searches states; \
             --timeout and --max-memory limit both"
        ))),
    }
}

/// All uses of `--unroll` together: at most one number for each loop, and one for all others.
fn unroll(args: &[UnrollArg], all: bool) -> Result<Unroll, Stop> {
    let mut unroll = Unroll { all, ..Unroll::NONE };
    for arg in args {
        let (loops, earlier, most) = match arg {
            UnrollArg::Every(most) => (String::new(), unroll.most.replace(*most), *most),
            UnrollArg::At(bound) => {
                let LoopBound { file, line, most } = bound;
                let is_same = |other: &&LoopBound| (&other.file, &other.line) == (file, line);
                let earlier = unroll.at.iter().find(is_same).map(|other| other.most);
                unroll.at.push(bound.clone());
                (format!("{file}:{line}="), earlier, *most)
            }
        };
        if let Some(earlier) = earlier.filter(|earlier| *earlier != most) {
            return Err(Stop::Usage(format!(
                "--unroll {loops}{earlier} and --unroll {loops}{most} contradict"
            )));
        }
    }
    match all && unroll.most.is_none() {
        true => {
            Err(Stop::Usage("--unroll-all needs --unroll N: how often they may go back".to_owned()))
        }
        false => Ok(unroll),
    }
}

/// The random schedules that are asked for.
pub(super) fn sampling(args: &SamplingArgs) -> Sampling {
    let default = Sampling::default();
    Sampling { seed: args.seed.unwrap_or(default.seed), runs: args.runs.unwrap_or(default.runs) }
}

/// As many workers as there are cores, unless told otherwise.
pub(super) fn workers(args: &JobsArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    args.jobs.map_or_else(cores, usize::from)
}

/// The budget of a command, from now on. All its work on one program shares it.
pub(super) fn budget(args: &BudgetArgs) -> Result<Budget, Stop> {
    let time = args.timeout.map(timeout).transpose()?;
    let memory = args.max_memory.map(bytes).transpose()?.or_else(default_memory);
    let budget = Budget::new(time, memory);
    signals::interrupt(&budget);
    Ok(budget)
}

/// A time limit in seconds.
pub(crate) fn timeout(seconds: f64) -> Result<Duration, Stop> {
    duration("--timeout", seconds)
}

pub(super) fn duration(option: &str, seconds: f64) -> Result<Duration, Stop> {
    let duration = Duration::try_from_secs_f64(seconds).ok().filter(|d| !d.is_zero());
    duration.ok_or_else(|| {
        Stop::Usage(format!("{option} takes a positive number of seconds, not {seconds}"))
    })
}

/// How the progress of a command is shown.
pub(super) fn shown(args: &ProgressArgs) -> Result<Shown, Stop> {
    let lines = args.progress.map(|seconds| duration("--progress", seconds)).transpose()?;
    Ok(Shown::new(lines))
}

/// For how long the size of a search is estimated, if that is asked for.
pub(super) fn estimated(args: &EstimateArgs) -> Result<Option<Duration>, Stop> {
    args.estimate.map(|seconds| duration("--estimate", seconds)).transpose()
}

fn bytes(mib: u64) -> Result<u64, Stop> {
    let bytes = mib.checked_mul(1 << 20);
    bytes.ok_or_else(|| Stop::Usage(format!("--max-memory {mib} is more than any machine has")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_loop_needs_a_number() {
        assert!(unroll(&[], true).is_err());
        assert_eq!(unroll(&[UnrollArg::Every(2)], true).ok().and_then(|all| all.most), Some(2));
    }

    #[test]
    fn numbers_for_the_same_loop_must_not_differ() {
        let at = |line, most| UnrollArg::At(LoopBound { file: "f.c".into(), line, most });
        for (args, is_good) in [
            ([UnrollArg::Every(1), UnrollArg::Every(2)], false),
            ([UnrollArg::Every(2), UnrollArg::Every(2)], true),
            ([at(3, 1), at(3, 2)], false),
            ([at(3, 1), at(4, 2)], true),
            ([UnrollArg::Every(1), at(3, 2)], true),
        ] {
            assert_eq!(unroll(&args, false).is_ok(), is_good, "{args:?}");
        }
    }
}
