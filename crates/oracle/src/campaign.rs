//! The test loop over generated programs.
//!
//! A campaign compares two answers for every program, under every case (a model, a bound), and counts the
//! results. A program that is too large for an oracle or an engine is skipped and counted as skipped. The
//! first complaint ends the campaign: the program is shrunk as long as the complaint persists, and the
//! smallest program is shown with its seed. A campaign that compared nothing fails.

use crate::generate::{self, Config};
use crate::outcome::Trouble;
use crate::shrink::shrink;
use raddle_ir::{Verified, text};
use raddle_testing::{note, scaled};
use std::fmt::{Debug, Display};

/// The factor by which `RADDLE_LONG=1` multiplies the number of programs.
const LONG: u64 = 80;

/// The reason why a comparison did not end in agreement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The program is too large for a budget, or the comparison does not apply to it.
    Skip,
    Complaint(String),
}

/// The result for one program and one case.
pub type Comparison = Result<(), Stop>;

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Stop {
        match trouble {
            Trouble::Budget => Stop::Skip,
            Trouble::Unsupported(_) => Stop::Complaint(trouble.to_string()),
        }
    }
}

/// Complains unless `holds`.
pub fn ensure(holds: bool, complaint: impl FnOnce() -> String) -> Comparison {
    if holds { Ok(()) } else { Err(Stop::Complaint(complaint())) }
}

/// Complains unless two values are equal.
pub fn same<T: PartialEq + Debug>(what: impl Display, found: &T, expected: &T) -> Comparison {
    ensure(found == expected, || format!("{what}:\n found    {found:?}\n expected {expected:?}"))
}

/// Skips the program unless `holds`.
pub fn only_if(holds: bool) -> Comparison {
    if holds { Ok(()) } else { Err(Stop::Skip) }
}

/// A program and its origin: a seed, a cycle, a file.
#[derive(Clone, Debug)]
pub struct Subject {
    pub name: String,
    pub program: Verified,
}

impl Subject {
    pub fn new(name: impl Into<String>, program: Verified) -> Subject {
        Subject { name: name.into(), program }
    }
}

/// The programs of the first `count` seeds; many more with `RADDLE_LONG=1`.
pub fn seeded<'m>(
    count: u64,
    make: impl Fn(u64) -> Verified + 'm,
) -> impl Iterator<Item = Subject> + 'm {
    (0..scaled(count, LONG)).map(move |seed| Subject::new(format!("seed {seed}"), make(seed)))
}

/// Random programs of a configuration.
pub fn generated(config: &Config, count: u64) -> impl Iterator<Item = Subject> + '_ {
    seeded(count, |seed| generate::program(config, seed))
}

/// The number of comparisons of a campaign, and the number of skipped ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub compared: u64,
    pub skipped: u64,
}

impl Tally {
    /// Counts a result; returns the complaint, if it is one.
    fn count(&mut self, answer: Comparison) -> Option<String> {
        match answer {
            Ok(()) => self.compared += 1,
            Err(Stop::Skip) => self.skipped += 1,
            Err(Stop::Complaint(complaint)) => return Some(complaint),
        }
        None
    }

    fn finish(self) -> Tally {
        let Tally { compared, skipped } = self;
        note(&format!("{compared} compared, {skipped} skipped by a budget"));
        assert!(compared > 0, "nothing was compared");
        self
    }
}

/// Runs a comparison for every program.
pub fn compare(
    subjects: impl IntoIterator<Item = Subject>,
    mut ask: impl FnMut(&Verified) -> Comparison,
) -> Tally {
    compare_under(subjects, &[""], |program, _| ask(program))
}

/// Runs a comparison for every program in every case.
pub fn compare_under<C: Copy + Debug>(
    subjects: impl IntoIterator<Item = Subject>,
    cases: &[C],
    mut ask: impl FnMut(&Verified, C) -> Comparison,
) -> Tally {
    let mut tally = Tally::default();
    for subject in subjects {
        for case in cases {
            if let Some(first) = tally.count(ask(&subject.program, *case)) {
                panic!("{}", smallest(&subject, *case, first, &mut ask));
            }
        }
    }
    tally.finish()
}

/// Runs a comparison for every seed, for subjects that are not programs and are not shrunk.
pub fn compare_seeds(count: u64, mut ask: impl FnMut(u64) -> Comparison) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..scaled(count, LONG) {
        if let Some(complaint) = tally.count(ask(seed)) {
            panic!("seed {seed}: {complaint}");
        }
    }
    tally.finish()
}

/// The report of a complaint, with the smallest program that still causes one.
fn smallest<C: Copy + Debug>(
    subject: &Subject,
    case: C,
    first: String,
    ask: &mut impl FnMut(&Verified, C) -> Comparison,
) -> String {
    let mut last = first;
    let small = shrink(&subject.program, &mut |candidate| match ask(candidate, case) {
        Err(Stop::Complaint(complaint)) => {
            last = complaint;
            true
        }
        Ok(()) | Err(Stop::Skip) => false,
    });
    format!("{} {case:?}: {last}\n{}", subject.name, text::print(&small))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::InstKind;

    fn stores(program: &Verified) -> usize {
        let blocks = program.funcs.values().flat_map(|function| function.blocks.values());
        let insts = blocks.flat_map(|block| &block.insts);
        insts.filter(|inst| matches!(inst.kind, InstKind::Store { .. })).count()
    }

    #[test]
    fn answers_are_counted() {
        let config = Config::memory();
        let mut asked = 0;
        let tally = compare_under(generated(&config, 10), &[1, 2], |_, case| {
            asked += 1;
            only_if(case == 1)
        });
        assert_eq!(tally.compared, tally.skipped);
        assert_eq!(tally.compared + tally.skipped, asked);
    }

    #[test]
    #[should_panic(expected = "nothing was compared")]
    fn nothing_compared_is_a_failure() {
        compare(generated(&Config::memory(), 3), |_| only_if(false));
    }

    #[test]
    fn a_complaint_is_shown_with_the_smallest_program() {
        let subject = generated(&Config::memory(), 100).find(|s| stores(&s.program) > 2);
        let subject = subject.expect("a program with some stores");
        let mut ask = |program: &Verified, _: u8| same("stores", &(stores(program) > 1), &false);
        let report = smallest(&subject, 7, String::new(), &mut ask);
        assert!(report.starts_with(&format!("{} 7: stores", subject.name)), "{report}");
        assert_eq!(report.matches("store ").count(), 2, "{report}");
    }
}
