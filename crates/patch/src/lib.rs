//! Fences as edits of the source, and patches made of them.
//!
//! The analysis finds a fence at a point of the program; the user needs to know what to write where. An edit
//! is accepted only if the edited source, read again, is the program with that fence. Suggestions from the
//! syntax of the source are never trusted.
//!
//! | module | subject |
//! |---|---|
//! | [`c`] | C and C++, with the help of the compiler |
//! | [`lines`] | litmus tests, automata and IR text, where an instruction has a line |
//! | [`mod@align`] | finds the instructions that one program has and another does not |
//! | [`origin`] | the names and numbers that the compiler gives to lines |
//! | [`statement`] | the text of a fence in each language |
//! | [`text`] | insertions into texts |
//! | [`diff`] | unified diffs |
//! | [`hunk`] | changed lines, for display |

mod align;
mod c;
pub mod diff;
mod hunk;
mod lines;
mod origin;
pub mod statement;
mod text;

pub use hunk::{Hunk, Replacement};
pub use similar::ChangeTag;

use align::{Added, Alignment, align};
use origin::Origin;
use raddle_analysis::fence::{self, Fence, Places, Verdict};
use raddle_budget::Budget;
use raddle_ir::{FileKind, Program, Verified};
use statement::{Spelling, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Reads the program again, with other texts in place of some files. The error is the compiler's output.
pub type Reload<'a> = dyn Fn(&[(PathBuf, Vec<u8>)]) -> Result<Verified, String> + 'a;

/// A file of the source that may be edited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    pub path: PathBuf,
    pub text: Vec<u8>,
    /// The canonical path: a file may have several names.
    real: PathBuf,
    kind: Option<FileKind>,
    /// Whether it is C++, possibly only because C++ files include it.
    cpp: bool,
    origin: Origin,
    /// The start of each line.
    starts: Vec<usize>,
}

impl SourceFile {
    /// `cpp`: whether headers are read as C++.
    pub fn read(path: &Path, cpp: bool) -> Option<SourceFile> {
        let text = std::fs::read(path).ok()?;
        let real = path.canonicalize().ok()?;
        let kind = FileKind::of(path);
        let cpp = match kind {
            Some(FileKind::Header) => cpp,
            kind => matches!(kind, Some(FileKind::Cpp | FileKind::CppHeader)),
        };
        let origin = Origin::of(&text);
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Some(SourceFile { path: path.to_owned(), text, real, kind, cpp, origin, starts })
    }

    /// The line of a position in the text, counted from 1.
    fn line_at(&self, at: usize) -> usize {
        self.starts.partition_point(|start| *start <= at)
    }

    /// The start of a line, counted from 1.
    fn start_of(&self, line: u32) -> Option<usize> {
        let start = *self.starts.get((line as usize).saturating_sub(1))?;
        (start < self.text.len()).then_some(start)
    }

    /// Whether both are the same file, possibly under different names.
    pub fn is(&self, other: &SourceFile) -> bool {
        self.real == other.real
    }

    /// The lines, from 1, that the compiler means by a file name and a number: none if it is another
    /// file, usually one in this file, several if `#line` gives a number twice.
    fn lines(&self, name: &str, number: usize) -> Vec<usize> {
        self.origin.lines(name, number, || self.is_named(name))
    }

    fn is_named(&self, name: &str) -> bool {
        self.path.as_os_str() == name
            || Path::new(name).canonicalize().is_ok_and(|real| real == self.real)
    }
}

/// The changed text of one file, and the fences that its parts are for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileEdit {
    pub path: PathBuf,
    pub old: Vec<u8>,
    pub new: Vec<u8>,
    /// The fences by their range of the old text.
    fences: Vec<Placed>,
}

/// A part of a file that gets a fence, by its place in the old text.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Placed {
    range: Range<usize>,
    /// The fences that it gives.
    fences: Vec<usize>,
    /// The number of further fences that it gives: a macro may also be used elsewhere.
    further: usize,
}

/// The result of checking the edited source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checked {
    /// It was read again and judged to be good.
    Good,
    /// It was read again and has the fences at the right places, but was not judged, for the given
    /// reason.
    NotJudged(String),
}

/// Fences as edits. By default, no fence has an edit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Written {
    pub files: Vec<FileEdit>,
    /// By fence: the text that is written for it; a fence without an entry has no edit.
    pub statements: BTreeMap<usize, Statement>,
    /// `None` if nothing was written or checked yet, or not all fences have an edit.
    pub checked: Option<Checked>,
}

impl Written {
    /// Changed lines, in the order of files and lines.
    pub fn hunks(&self) -> Vec<Hunk> {
        self.files.iter().flat_map(hunk::hunks).collect()
    }

    /// The changes of each file that a fence needs, as replacements of lines.
    pub fn replacements(&self, fence: usize) -> Vec<(&Path, Vec<Replacement>)> {
        let of = |file: &FileEdit| {
            let all = hunk::replacements(file).into_iter();
            all.filter(|part| part.fences.is_empty() || part.fences.contains(&fence)).collect()
        };
        let own = self.files.iter().map(|file| (&*file.path, of(file)));
        // A file in which only other fences go needs no header.
        let own = own.filter(|(_, parts): &(_, Vec<Replacement>)| {
            parts.iter().any(|part| !part.fences.is_empty())
        });
        own.collect()
    }

    /// The changes as a patch for a user in the directory `here`. Files have their canonical paths,
    /// because neither `patch` nor `git apply` follows symbolic links.
    pub fn patch(&self, here: &Path) -> Patch {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| here.join(path));
        let here = &real(here);
        let paths: Vec<PathBuf> = self.files.iter().map(|file| real(&file.path)).collect();
        let folder = diff::folder_of(here, &paths);
        let mut text = Vec::new();
        for (file, path) in self.files.iter().zip(&paths) {
            let name = path.strip_prefix(&folder).unwrap_or(path);
            text.extend(diff::unified(name, &file.old, &file.new));
        }
        Patch { text, elsewhere: (folder != *here).then_some(folder) }
    }
}

/// A unified diff, and the directory to apply it in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Patch {
    pub text: Vec<u8>,
    /// The directory to apply it in, if it is not that of the user.
    pub elsewhere: Option<PathBuf>,
}

/// Finds edits for the places of a program.
pub struct Editor<'a> {
    files: Vec<SourceFile>,
    reload: &'a Reload<'a>,
    /// When it is spent, the search for edits ends.
    budget: Budget,
    places: Option<Places>,
    found: Option<c::Edits>,
}

impl std::fmt::Debug for Editor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Editor").field("files", &self.files).finish_non_exhaustive()
    }
}

impl<'a> Editor<'a> {
    pub fn new(files: Vec<SourceFile>, reload: &'a Reload<'a>, budget: &Budget) -> Editor<'a> {
        Editor { files, reload, budget: budget.clone(), places: None, found: None }
    }

    /// Limits what follows by another budget.
    pub fn go_on_within(&mut self, budget: &Budget) {
        self.budget = budget.clone();
    }

    fn is_compiled(&self) -> bool {
        self.files.iter().any(|file| statement::is_c(file.kind))
    }

    /// The prices of places: a place with its own line in the source costs nothing, a place without an
    /// edit costs most.
    pub fn prices(&mut self, program: &Program, places: &Places) -> Vec<u32> {
        self.places = Some(places.clone());
        if !self.is_compiled() {
            return fence::between_lines(places);
        }
        let found = c::Edits::find(program, places, &self.files, self.reload, &self.budget);
        self.found.insert(found).prices.clone()
    }

    /// Writes fences, reads the source again and calls `judge` with the resulting program.
    pub fn write(
        &self,
        program: &Program,
        fences: &[Fence],
        judge: &dyn Fn(&Verified) -> Verdict,
    ) -> Written {
        let Some(places) = &self.places else { return Written::default() };
        let trial = Trial { program, places, fences, judge, reload: self.reload };
        if !self.is_compiled() {
            return lines::write(&self.files, &trial);
        }
        // Once the budget is spent, the source cannot be read again.
        let found = self.found.as_ref().filter(|_| !self.budget.is_spent());
        let Some(found) = found else { return Written::default() };
        let (chosen, unwritten) = found.choose(places, fences);
        let spellings = match c::lacks_header(&self.files) {
            true => &[Spelling::WithHeader, Spelling::Builtin][..],
            false => &[Spelling::Name, Spelling::WithHeader, Spelling::Builtin],
        };
        let written: BTreeSet<usize> =
            (0..fences.len()).filter(|fence| !unwritten.contains(fence)).collect();
        let drafts = spellings.iter().map(|how| found.draft(&self.files, &chosen, *how));
        trial.first_good(drafts, &written)
    }
}

/// Tries edits.
struct Trial<'t> {
    program: &'t Program,
    places: &'t Places,
    fences: &'t [Fence],
    judge: &'t dyn Fn(&Verified) -> Verdict,
    reload: &'t Reload<'t>,
}

impl Trial<'_> {
    /// The first draft that gives the right program.
    fn first_good(
        &self,
        drafts: impl Iterator<Item = Written>,
        written: &BTreeSet<usize>,
    ) -> Written {
        for draft in drafts {
            if draft.files.is_empty() {
                break;
            }
            let Some(edited) = self.read(&draft, written) else { continue };
            let checked = match written.len() == self.fences.len() {
                false => None,
                true => match (self.judge)(&edited) {
                    Verdict::Good => Some(Checked::Good),
                    Verdict::Unknown(unknown) => Some(Checked::NotJudged(unknown.why)),
                    Verdict::Bad | Verdict::Attacked(_) => continue,
                },
            };
            return Written { checked, ..draft };
        }
        Written::default()
    }

    /// The edited program, if it is the original with the fences at the right places.
    fn read(&self, draft: &Written, written: &BTreeSet<usize>) -> Option<Verified> {
        let texts: Vec<(PathBuf, Vec<u8>)> =
            draft.files.iter().map(|file| (file.path.clone(), file.new.clone())).collect();
        let edited = (self.reload)(&texts).ok()?;
        let Alignment { added, different } = align(self.program, &edited, true);
        let spots = added.get(&Added::Fence).into_iter().flatten();
        let there: BTreeSet<usize> = spots.filter_map(|spot| spot.place(self.places)).collect();
        let wanted = written.iter().map(|fence| self.fences[*fence].place.point);
        let mut wanted = wanted.map(|point| self.places.number(point));
        let complete = wanted.all(|number| number.is_some_and(|number| there.contains(&number)));
        (different.is_empty() && complete).then_some(edited)
    }
}
