//! `--unroll`: which loops are bounded.

use crate::output::Stop;
use raddle_engine::{LoopBound, Unroll, loop_places};
use raddle_ir::{LocId, Program};

/// One use of the option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnrollArg {
    /// `N`
    Every(u32),
    /// `FILE:LINE=N`
    At(LoopBound),
}

/// Reads the value of the option.
pub fn parse(word: &str) -> Result<UnrollArg, String> {
    let wanted = || "expected a number, or a number for one loop such as queue.c:40=3".to_owned();
    let number = |digits: &str| digits.parse::<u32>().map_err(|_| wanted());
    let Some((place, most)) = word.rsplit_once('=') else {
        return number(word).map(UnrollArg::Every);
    };
    let (file, line) = place.rsplit_once(':').ok_or_else(wanted)?;
    if file.is_empty() {
        return Err(wanted());
    }
    let (line, most) = (number(line)?, number(most)?);
    Ok(UnrollArg::At(LoopBound { file: file.to_owned(), line, most }))
}

/// All uses together; of several numbers for one loop the last counts.
pub fn bounds(args: &[UnrollArg], all: bool) -> Result<Unroll, Stop> {
    let mut unroll = Unroll { all, ..Unroll::NONE };
    for arg in args {
        match arg {
            UnrollArg::Every(most) => unroll.most = Some(*most),
            UnrollArg::At(bound) => unroll.at.push(bound.clone()),
        }
    }
    match all && unroll.most.is_none() {
        true => {
            Err(Stop::Usage("--unroll-all needs --unroll N: how often they may go back".to_owned()))
        }
        false => Ok(unroll),
    }
}

/// Refuses bounds on loops that the program does not have.
pub fn check(program: &Program, unroll: &Unroll) -> Result<(), Stop> {
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
        [] => "the program has no loop in that file".to_owned(),
        [only] => format!("the only loop of that file is at line {only}"),
        lines => {
            let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
            format!("loops nearby are at lines {}", lines.join(", "))
        }
    };
    format!("--unroll {file}:{line}: no loop is there; {known}")
}

/// How many loops are named in place of one that is not there.
const NEARBY: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_places() {
        let at =
            |file: &str, line, most| UnrollArg::At(LoopBound { file: file.to_owned(), line, most });
        assert_eq!(parse("3"), Ok(UnrollArg::Every(3)));
        assert_eq!(parse("q.c:40=0"), Ok(at("q.c", 40, 0)));
        assert_eq!(parse("a=b/C:q.c:7=12"), Ok(at("a=b/C:q.c", 7, 12)));
        for wrong in ["", "-1", "x", "q.c=3", ":3=4", "q.c:x=3", "q.c:3=", "q.c:3=-1", "q.c:3"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_loop_needs_a_number() {
        assert!(bounds(&[], true).is_err());
        assert_eq!(
            bounds(&[UnrollArg::Every(1), UnrollArg::Every(2)], false).ok(),
            Some(Unroll::most(2))
        );
    }
}
