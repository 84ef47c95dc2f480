//! Finds the places of the program that sites stand for: each site gets a mark, and the compiled program
//! shows where the marks are.
//!
//! All sites are tried at once, which costs one compilation. If the compiler rejects the text, or if a
//! function differs in more than its marks, the sites concerned are tried in ever smaller groups, as long as
//! the budget lasts. Each function and each macro has groups of its own, and a compilation tries one of every
//! function: so it is the worst function that decides how many there are. A single site that fails together with
//! others is tried again alone, since it may be another one that changed the function. A mark adds no line and no
//! name, so nothing else changes.

use super::macros::Macros;
use super::sites::{Shape, Sites};
use super::write::{Layout, pieces};
use super::{Reload, SourceFile};
use crate::align::{Added, Spot, align};
use crate::statement::Words;
use crate::text;
use raddle_budget::Budget;
use raddle_ir::{FuncId, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The maximal number of compilations for one set of sites.
const BUDGET: u32 = 16;

/// The places of the additions at a site in the program; `None` if they are not known.
pub(super) type Spots = Option<BTreeSet<Spot>>;

pub(super) struct Marks<'a> {
    pub program: &'a Program,
    pub files: &'a [SourceFile],
    pub reload: &'a Reload<'a>,
    pub sites: &'a Sites,
    pub limit: &'a Budget,
    pub spots: Vec<Spots>,
    pub macros: Macros<'a>,
    /// The lines of each unit in its file, from 1.
    lines: Vec<(usize, usize)>,
}

impl<'a> Marks<'a> {
    pub(super) fn new(
        program: &'a Program,
        files: &'a [SourceFile],
        reload: &'a Reload<'a>,
        sites: &'a Sites,
        limit: &'a Budget,
    ) -> Marks<'a> {
        let line = |file: usize, at: usize| files[file].line_at(at);
        let lines = sites.units.iter();
        let lines = lines.map(|u| (line(u.file, u.range.start), line(u.file, u.range.end)));
        let lines = lines.collect();
        let spots = vec![None; sites.sites.len()];
        let macros = Macros::of(files, sites);
        Marks { program, files, reload, sites, limit, spots, macros, lines }
    }

    /// Determines the places of these sites.
    pub(super) fn explore(&mut self, wanted: Vec<usize>) {
        let mut groups = Groups::default();
        for (unit, sites) in self.by_unit(wanted) {
            groups.push(unit, sites);
        }
        let mut budget = BUDGET;
        // The number of functions that are tried together: fewer after an error that is nowhere.
        let mut width = usize::MAX;
        while budget > 0 && !self.limit.is_spent() {
            let round = groups.take(width);
            if round.is_empty() {
                return;
            }
            budget -= 1;
            width = usize::MAX;
            let all: Vec<usize> = round.iter().flat_map(|(_, group)| group).copied().collect();
            match (self.reload)(&self.marked(&all)) {
                Ok(program) => {
                    let failed = self.learn(&program, &all);
                    let failed = self.by_unit(failed);
                    let is_one = failed.len() == 1;
                    for (unit, sites) in failed {
                        match &*sites {
                            [site] if !is_one => groups.alone.push((unit, vec![*site])),
                            _ => groups.push_all(unit, self.halves(sites)),
                        }
                    }
                }
                Err(messages) => {
                    let suspects = self.suspects(&all, &messages);
                    if suspects.is_empty() && round.len() > 1 {
                        width = round.len() / 2;
                        round.into_iter().for_each(|(unit, group)| groups.push(unit, group));
                        continue;
                    }
                    // The other sites come first: they are the majority, and probably correct.
                    for (unit, group) in round {
                        let (bad, others): (Vec<usize>, Vec<usize>) =
                            group.into_iter().partition(|site| suspects.contains(site));
                        if suspects.is_empty() {
                            groups.push_all(unit, self.halves(others));
                        } else if others.is_empty() {
                            groups.defer(unit, self.halves(bad));
                        } else {
                            groups.defer(unit, vec![bad]);
                            groups.push(unit, others);
                        }
                    }
                }
            }
        }
    }

    /// The sites of each function and macro.
    fn by_unit(&self, sites: Vec<usize>) -> BTreeMap<usize, Vec<usize>> {
        let mut by_unit: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for site in sites {
            by_unit.entry(self.sites.sites[site].unit).or_default().push(site);
        }
        by_unit
    }

    fn marked(&self, group: &[usize]) -> Vec<(PathBuf, Vec<u8>)> {
        let words: Vec<Words> = group.iter().map(mark).collect();
        let mut changed = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            let here = group.iter().zip(&words).filter_map(|(index, words)| {
                let site = &self.sites.sites[*index];
                (self.sites.unit_of(*index).file == number).then_some((site, words))
            });
            let pieces = pieces(&file.text, &self.sites.units, here, file.cpp, Layout::Inline);
            if !pieces.is_empty() {
                changed.push((file.path.clone(), text::with(&file.text, &pieces)));
            }
        }
        changed
    }

    /// Records the places of marks; returns the sites in functions that have changed otherwise.
    fn learn(&mut self, edited: &Program, group: &[usize]) -> Vec<usize> {
        let alignment = align(self.program, edited, false);
        let mut bad: BTreeSet<usize> = BTreeSet::new();
        for func in &alignment.different {
            bad.extend(self.units_of(*func));
        }
        let different = alignment.different.iter().copied();
        bad.extend(self.macros.used_by(&bad, self.program, different));
        let is_bad = |site: usize| bad.contains(&self.sites.sites[site].unit);
        let (failed, fine): (Vec<usize>, Vec<usize>) = group.iter().partition(|s| is_bad(**s));
        for site in fine {
            let found = alignment.added.get(&Added::Mark(site as u32));
            self.spots[site] = Some(found.cloned().unwrap_or_default());
        }
        failed
    }

    /// The functions of the source from which a function of the program comes.
    pub(super) fn units_of(&self, func: FuncId) -> Vec<usize> {
        let function = &self.program.funcs[func];
        let insts = function.blocks.values().flat_map(|block| &block.insts);
        let locs: BTreeSet<_> = insts.map(|inst| inst.loc).chain([function.loc]).collect();
        let mut units = Vec::new();
        let said = locs.into_iter().filter_map(|loc| self.program.loc(loc));
        let said: BTreeSet<(u32, u32)> = said.map(|loc| (loc.file, loc.line)).collect();
        for (name, line) in said {
            if self.limit.is_spent() {
                break;
            }
            let name = &self.program.files[name as usize];
            let lines = self.files.iter().map(|file| file.lines(name, line as usize));
            let lines: Vec<Vec<usize>> = lines.collect();
            for (number, unit) in self.sites.units.iter().enumerate() {
                let (first, last) = self.lines[number];
                if lines[unit.file].iter().any(|line| (first..=last).contains(line)) {
                    units.push(number);
                }
            }
        }
        units
    }

    /// The sites on lines that the compiler complains about.
    fn suspects(&self, group: &[usize], messages: &str) -> BTreeSet<usize> {
        let places: Vec<(&str, usize)> = messages.lines().filter_map(complaint).collect();
        let is_suspect = |number: &&usize| {
            let site = &self.sites.sites[**number];
            let file = &self.files[self.sites.unit_of(**number).file];
            let lines = file.line_at(site.range.start)..=file.line_at(site.range.end);
            places
                .iter()
                .any(|(name, at)| file.lines(name, *at).iter().any(|at| lines.contains(at)))
        };
        group.iter().filter(is_suspect).copied().collect()
    }

    /// Divides a group. Forms of sites that rarely cause errors are tried separately from others.
    fn halves(&self, mut group: Vec<usize>) -> Vec<Vec<usize>> {
        let risk = |number: &usize| match self.sites.sites[*number].shape {
            Shape::Value => 3,
            // The argument of a macro may have to be an lvalue.
            Shape::Comma => 2,
            Shape::First | Shape::Then => 1,
            Shape::Statement { .. } | Shape::Braced { .. } => 0,
        };
        for least in [3, 2, 1] {
            let (risky, safe): (Vec<usize>, Vec<usize>) =
                group.iter().partition(|number| risk(number) >= least);
            if !risky.is_empty() && !safe.is_empty() {
                return vec![risky, safe];
            }
        }
        if group.len() < 2 {
            return Vec::new();
        }
        let rest = group.split_off(group.len() / 2);
        vec![rest, group]
    }
}

/// The groups of sites that are still to be tried, by function or macro; the last one of each is next.
#[derive(Default)]
struct Groups {
    by_unit: BTreeMap<usize, Vec<Vec<usize>>>,
    /// Groups that the compiler has complained about, which are tried after the others.
    deferred: BTreeMap<usize, Vec<Vec<usize>>>,
    /// Single sites that are tried alone, after all others.
    alone: Vec<(usize, Vec<usize>)>,
}

impl Groups {
    fn push(&mut self, unit: usize, group: Vec<usize>) {
        if !group.is_empty() {
            self.by_unit.entry(unit).or_default().push(group);
        }
    }

    fn push_all(&mut self, unit: usize, groups: Vec<Vec<usize>>) {
        groups.into_iter().for_each(|group| self.push(unit, group));
    }

    fn defer(&mut self, unit: usize, groups: Vec<Vec<usize>>) {
        self.deferred.entry(unit).or_default().extend(groups);
    }

    /// The next group of each of so many functions.
    fn take(&mut self, most: usize) -> Vec<(usize, Vec<usize>)> {
        for from in [&mut self.by_unit, &mut self.deferred] {
            let next = from.iter_mut().filter_map(|(unit, left)| Some((*unit, left.pop()?)));
            let round: Vec<(usize, Vec<usize>)> = next.take(most).collect();
            if !round.is_empty() {
                return round;
            }
        }
        self.alone.pop().into_iter().collect()
    }
}

/// A mark: inline assembly with a unique text.
fn mark(number: &usize) -> Words {
    Words::assembly(&format!("raddle.mark {number}"), "")
}

/// The file and line of an error, or of a note that belongs to one: `x.c:3:5: error: …`.
fn complaint(line: &str) -> Option<(&str, usize)> {
    let end = [": error:", ": fatal error:", ": note:"].iter().find_map(|word| line.find(word))?;
    let mut parts = line[..end].rsplitn(3, ':');
    let (_, number, name) = (parts.next()?, parts.next()?, parts.next()?);
    Some((name, number.parse().ok()?))
}
