//! Errors that a search goes past: kinds that are not checked, and known errors at known places.
//!
//! An execution ends at such an error as at any other, and is counted in the same way. But the error decides
//! nothing: the search goes on, and the caller keeps it apart from the errors that it reports.

use crate::failure::FailureSite;
use raddle_ir::{LocId, Program};
use raddle_machine::FailureKind;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;

/// The errors that a search goes past.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ignored {
    /// Kinds that are not checked.
    pub kinds: Vec<FailureKind>,
    /// Whether the final condition is not judged.
    pub condition: bool,
    pub known: Vec<KnownError>,
}

/// Errors of one kind that are known, by their place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct KnownError {
    pub kind: FailureKind,
    /// The file, or the last parts of its path.
    pub file: String,
    pub spot: Spot,
    /// Why it is accepted, in the user's words.
    pub reason: String,
}

/// `memory@queue.c:12`, as on the command line.
impl fmt::Display for KnownError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.kind.name(), self.file)?;
        match &self.spot {
            Spot::Anywhere => Ok(()),
            Spot::Line(line) => write!(f, ":{line}"),
            Spot::Function(name) => write!(f, ":{name}"),
        }
    }
}

/// Where in a file an error is known.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Spot {
    Anywhere,
    Line(u32),
    /// In a function of this name.
    Function(String),
}

/// Why an error is not reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Disregard {
    /// Its kind is not checked.
    Unchecked,
    /// It is the known error of this number.
    Known(usize),
}

impl Ignored {
    /// The name of the final condition among the kinds of errors.
    pub const CONDITION: &'static str = "condition";

    /// The names of the kinds that are not checked.
    pub fn unchecked(&self) -> impl Iterator<Item = &'static str> + '_ {
        let kinds = self.kinds.iter().map(|kind| kind.name());
        kinds.chain(self.condition.then_some(Ignored::CONDITION))
    }

    /// Whether nothing is ignored.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && !self.condition && self.known.is_empty()
    }

    /// The same with the places of a program.
    pub fn within(&self, program: &Program) -> IgnoredPlaces {
        let known = self.known.iter().map(|known| Area::of(program, known));
        IgnoredPlaces { kinds: self.kinds.clone(), known: known.collect() }
    }
}

/// The errors of a program that a search goes past.
#[derive(Clone, Debug, Default)]
pub struct IgnoredPlaces {
    kinds: Vec<FailureKind>,
    known: Vec<Area>,
}

impl IgnoredPlaces {
    /// Why an error is not reported; `None` if it is. Of several known errors, the first counts.
    pub fn reason(&self, site: &FailureSite) -> Option<Disregard> {
        if self.kinds.contains(&site.kind) {
            return Some(Disregard::Unchecked);
        }
        self.known.iter().position(|area| area.has(site)).map(Disregard::Known)
    }
}

impl IgnoredPlaces {
    /// Whether an execution that ends at these errors ends in the middle: a program goes on in some way after an
    /// error that is not reported. A program that fails an assertion, aborts or waits for ever does not, and a
    /// race ends nothing.
    pub fn cut(&self, ends: &[FailureSite]) -> bool {
        use FailureKind::{Abort, Assertion, Deadlock, Race};
        let goes_on =
            |site: &&FailureSite| !matches!(site.kind, Assertion | Abort | Deadlock | Race);
        ends.iter().filter(goes_on).any(|site| self.reason(site).is_some())
    }
}

/// The positions of a known error in a program.
#[derive(Clone, Debug)]
struct Area {
    kind: FailureKind,
    locs: FxHashSet<LocId>,
    /// The same positions by file and line, as those who wait in a deadlock have them.
    lines: FxHashSet<(u32, u32)>,
}

impl Area {
    fn of(program: &Program, known: &KnownError) -> Area {
        let files: Vec<bool> =
            program.files.iter().map(|file| Path::new(file).ends_with(&known.file)).collect();
        let in_file = |loc: &LocId| {
            program.loc(*loc).is_some_and(|loc| files.get(loc.file as usize) == Some(&true))
        };
        let all = (0..program.locs.len() as u32).map(LocId);
        let locs: FxHashSet<LocId> = match &known.spot {
            Spot::Anywhere => all.filter(in_file).collect(),
            Spot::Line(line) => {
                let on_line = |loc: &LocId| program.loc(*loc).is_some_and(|loc| loc.line == *line);
                all.filter(on_line).filter(in_file).collect()
            }
            Spot::Function(name) => locs_of(program, name).filter(in_file).collect(),
        };
        let lines = locs.iter().filter_map(|loc| program.loc(*loc));
        Area { kind: known.kind, lines: lines.map(|loc| (loc.file, loc.line)).collect(), locs }
    }

    /// Whether an error is in this area: for a race one of its two accesses, for a deadlock one of the
    /// threads that wait.
    fn has(&self, site: &FailureSite) -> bool {
        let waits = || site.waiters.iter().filter_map(|(_, line)| *line);
        self.kind == site.kind
            && ([site.loc, site.against].iter().any(|loc| self.locs.contains(loc))
                || waits().any(|line| self.lines.contains(&line)))
    }
}

/// The positions of the instructions of all functions with this name.
fn locs_of<'p>(program: &'p Program, name: &'p str) -> impl Iterator<Item = LocId> + 'p {
    let named = program.funcs.values().filter(move |func| func.name == name);
    named
        .flat_map(|func| func.blocks.values())
        .flat_map(|block| block.insts.iter().map(|inst| inst.loc).chain([block.term.loc]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::text;

    const SOURCE: &str = "\
global @x: i32 = 0
thread t = @f()
func @f() {
    reg %r: i32
  entry:
    %r = load i32 @x !\"src/a.c\":3:1
    assert %r !\"src/a.c\":4:1
    ret !\"src/a.c\":5:1
}
";

    fn reason(kind: FailureKind, file: &str, spot: Spot, line: u32) -> Option<Disregard> {
        let program = text::parse("t.rir", SOURCE).unwrap_or_else(|error| panic!("{error}"));
        let known = vec![KnownError { kind, file: file.to_owned(), spot, reason: String::new() }];
        let loc = program.locs.iter().position(|loc| loc.line == line).expect("the line");
        let loc = LocId(loc as u32);
        let site = FailureSite::new(FailureKind::Assertion, "t", loc, "wrong".to_owned());
        Ignored { known, ..Ignored::default() }.within(&program).reason(&site)
    }

    #[test]
    fn known_errors_are_told_by_kind_and_place() {
        use FailureKind::{Assertion, Memory};
        let known = Some(Disregard::Known(0));
        assert_eq!(reason(Assertion, "a.c", Spot::Line(4), 4), known);
        assert_eq!(reason(Assertion, "src/a.c", Spot::Anywhere, 4), known);
        assert_eq!(reason(Assertion, "a.c", Spot::Function("f".to_owned()), 4), known);
        assert_eq!(reason(Assertion, "a.c", Spot::Line(3), 4), None);
        assert_eq!(reason(Memory, "a.c", Spot::Line(4), 4), None);
        assert_eq!(reason(Assertion, "b/a.c", Spot::Line(4), 4), None);
        assert_eq!(reason(Assertion, "a.c", Spot::Function("g".to_owned()), 4), None);
    }
}
