//! `--unroll FILE:LINE=N`: whether the program has the loops that are bounded.

use crate::output::Stop;
use raddle_engine::{LoopBound, Unroll, loop_places};
use raddle_ir::near::did_you_mean;
use raddle_ir::{LocId, Program};

/// Refuses bounds on loops that the program does not have.
pub(crate) fn check(program: &Program, unroll: &Unroll) -> Result<(), Stop> {
    if unroll.at.is_empty() {
        return Ok(());
    }
    let places = loop_places(program);
    for bound in &unroll.at {
        if !places.iter().any(|loc| bound.is_at(program, *loc)) {
            return Err(Stop::Usage(missing(program, bound, &places)));
        }
    }
    Ok(())
}

fn missing(program: &Program, bound: &LoopBound, places: &[LocId]) -> String {
    let LoopBound { file, line, .. } = bound;
    let mut lines: Vec<u32> = places
        .iter()
        .filter_map(|loc| program.loc(*loc))
        .filter(|loc| program.files.get(loc.file as usize).is_some_and(|file| bound.is_in(file)))
        .map(|loc| loc.line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.sort_by_key(|other| other.abs_diff(*line));
    lines.truncate(NEARBY);
    lines.sort_unstable();
    let known = match &*lines {
        [] => in_other_files(program, file, places),
        [only] => format!("the only loop of that file is at line {only}"),
        lines => {
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            format!("loops nearby are at lines {}", lines.join(", "))
        }
    };
    format!("--unroll {file}:{line}: no loop is there; {known}")
}

/// The files that have loops, for a bound in a file that has none.
fn in_other_files(program: &Program, file: &str, places: &[LocId]) -> String {
    let known = places.iter().filter_map(|loc| program.loc(*loc));
    let known = known.filter_map(|loc| program.files.get(loc.file as usize));
    let mut known: Vec<&str> = known.map(|file| &**file).collect();
    known.sort_unstable();
    known.dedup();
    let none = "the program has no loop in that file";
    if let Some(meant) = did_you_mean(file, known.iter().copied()) {
        return format!("{none}; {meant}");
    }
    known.truncate(NEARBY);
    match known.is_empty() {
        true => "the program has no loops".to_owned(),
        false => format!("{none}; loops are in {}", known.join(", ")),
    }
}

/// How many loops are named in place of one that is not there.
const NEARBY: usize = 8;
