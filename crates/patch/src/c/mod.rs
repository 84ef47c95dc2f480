//! Edits of C and C++.
//!
//! | module | subject |
//! |---|---|
//! | [`sites`] | places in the text where something could be added |
//! | [`macros`] | the macros that a function uses |
//! | [`marks`] | the places of the program that these sites are, according to the compiler |
//! | [`mod@write`] | additions as text |
//! | [`mod@include`] | adding a necessary header |

mod include;
mod macros;
mod marks;
mod sites;
mod write;

use crate::align::Spot;
use crate::statement::{self, Spelling, Statement, Words};
use crate::text::{self, begins_line};
use crate::{FileEdit, Placed, Reload, SourceFile, Written};
use marks::{Marks, Spots};
use raddle_analysis::fence::{Fence, Places, last_in_block};
use raddle_budget::Budget;
use raddle_ir::{FenceKind, FuncId, Loc, Point, Program, TerminatorKind};
use sites::{Shape, Site, Sites};
use std::collections::{BTreeMap, BTreeSet};
use write::{Layout, pieces};

/// The price of a place for which no edit is known.
const NO_EDIT: u32 = 1000;

/// The sites of a program's source, and the places of the program that they are.
#[derive(Debug)]
pub(crate) struct Edits {
    sites: Sites,
    spots: Vec<Spots>,
    /// By place: the sets of sites that together give a fence there, best first.
    options: Vec<Vec<Vec<usize>>>,
    pub prices: Vec<u32>,
}

impl Edits {
    pub(crate) fn find(
        program: &Program,
        places: &Places,
        files: &[SourceFile],
        reload: &Reload<'_>,
        budget: &Budget,
    ) -> Edits {
        let mut sites = Sites::default();
        for (number, file) in files.iter().enumerate() {
            let lines = lines_of(program, places, file);
            sites.read(number, &file.text, file.cpp, &lines);
        }
        let mut marks = Marks::new(program, files, reload, &sites, budget);
        let is_macro = |site: &Site| sites.units[site.unit].macro_name.is_some();
        let numbers = |wanted: &dyn Fn(&Site) -> bool| -> Vec<usize> {
            let all = sites.sites.iter().enumerate();
            all.filter(|(_, site)| wanted(site)).map(|(number, _)| number).collect()
        };
        marks.explore(numbers(&|site| !is_macro(site) && site.shape != Shape::Value));
        // Sites that are rarely needed are explored only in functions with places that still have none.
        let missing = missing_units(&marks, places);
        if !missing.is_empty() {
            let is_value = |site: &Site| site.shape == Shape::Value && missing.contains(&site.unit);
            marks.explore(numbers(&|site| !is_macro(site) && is_value(site)));
        }
        let missing = missing_units(&marks, places);
        let funcs = missing_funcs(&marks, places).into_iter();
        let used = marks.macros.used_by(&missing, program, funcs);
        marks.explore(numbers(&|site| used.contains(&site.unit)));
        let spots = std::mem::take(&mut marks.spots);
        let mut edits = Edits { sites, spots, options: Vec::new(), prices: Vec::new() };
        edits.rank(program, places, files);
        edits
    }

    /// For each place, determines the sites that give a fence there, and their cost.
    fn rank(&mut self, program: &Program, places: &Places, files: &[SourceFile]) {
        let count = places.iter().len();
        let mut by_place: Vec<Vec<(u32, usize)>> = vec![Vec::new(); count];
        let mut by_edge: BTreeMap<Spot, Vec<(u32, usize)>> = BTreeMap::new();
        for (number, spots) in self.spots.iter().enumerate() {
            let Some(spots) = spots else { continue };
            let rank = self.rank_of(number, files);
            let covers: BTreeSet<usize> = spots.iter().filter_map(|s| s.place(places)).collect();
            let astray = spots.iter().filter(|spot| matches!(spot, Spot::Between(..))).count();
            let extras = (covers.len() + astray).saturating_sub(1).min(9) as u32;
            let price = rank + 30 * extras;
            for place in &covers {
                by_place[*place].push((price, number));
            }
            for spot in spots {
                by_edge.entry(last_equal(program, *spot)).or_default().push((price, number));
            }
        }
        for (number, place) in places.iter().enumerate() {
            let list = &mut by_place[number];
            // Of equal sites, the one of the whole expression, and the last in the text.
            let range = |site: usize| self.sites.sites[site].range.clone();
            list.sort_by_key(|(price, site)| {
                let range = range(*site);
                (*price, usize::MAX - range.len(), usize::MAX - range.start)
            });
            let mut options: Vec<(u32, Vec<usize>)> =
                list.iter().map(|(price, site)| (*price, vec![*site])).collect();
            options.extend(all_ways_in(program, place.point, &by_edge));
            options.sort_by_key(|(price, _)| *price);
            self.prices.push(options.first().map_or(NO_EDIT, |(price, _)| *price));
            self.options.push(options.into_iter().map(|(_, sites)| sites).collect());
        }
    }

    fn rank_of(&self, number: usize, files: &[SourceFile]) -> u32 {
        let Site { shape, range, .. } = &self.sites.sites[number];
        let unit = self.sites.unit_of(number);
        let own_line = begins_line(&files[unit.file].text, range.start);
        let shape = match shape {
            Shape::Statement { .. } if own_line => 0,
            Shape::Statement { .. } => 1,
            Shape::Braced { .. } => 2,
            Shape::First => 3,
            Shape::Comma | Shape::Then => 4,
            Shape::Value => 6,
        };
        shape + if unit.macro_name.is_some() { 15 } else { 0 }
    }

    /// The sites for these fences, and the fences that have none.
    pub(crate) fn choose(&self, places: &Places, fences: &[Fence]) -> (Vec<Chosen>, Vec<usize>) {
        let mut chosen: BTreeMap<usize, Chosen> = BTreeMap::new();
        let mut unwritten = Vec::new();
        for (number, fence) in fences.iter().enumerate() {
            let place = places.number(fence.place.point);
            let options = place.and_then(|place| self.options.get(place));
            let Some(sites) = options.and_then(|options| options.first()) else {
                unwritten.push(number);
                continue;
            };
            for site in sites {
                let entry = chosen.entry(*site);
                let new = Chosen { site: *site, kind: fence.kind, fences: Vec::new() };
                let chosen = entry.or_insert(new);
                chosen.kind = statement::stronger(chosen.kind, fence.kind);
                chosen.fences.push(number);
            }
        }
        (chosen.into_values().collect(), unwritten)
    }

    /// The files with the fences added.
    pub(crate) fn draft(
        &self,
        files: &[SourceFile],
        chosen: &[Chosen],
        spelling: Spelling,
    ) -> Written {
        let file_of = |c: &Chosen| self.sites.unit_of(c.site).file;
        let words = chosen.iter().map(|c| statement::c(c.kind, files[file_of(c)].cpp, spelling));
        let words: Vec<Words> = words.collect();
        let mut draft = Written::default();
        for (number, file) in files.iter().enumerate() {
            let with_words = chosen.iter().zip(&words);
            let here: Vec<_> = with_words.filter(|(c, _)| file_of(c) == number).collect();
            if here.is_empty() {
                continue;
            }
            let units = &self.sites.units;
            let with = here.iter().map(|(c, words)| (&self.sites.sites[c.site], *words));
            let mut all = pieces(&file.text, units, with, file.cpp, Layout::Lines);
            if spelling == Spelling::WithHeader {
                let header = here.iter().find_map(|(c, _)| statement::header(c.kind, file.cpp));
                all.extend(header.and_then(|name| include::add(&file.text, file.cpp, name)));
            }
            let marks = here.iter().map(|(c, _)| {
                let spots = self.spots[c.site].as_ref().map_or(0, BTreeSet::len);
                Placed {
                    range: self.sites.sites[c.site].range.clone(),
                    fences: c.fences.clone(),
                    further: spots.saturating_sub(c.fences.len()),
                }
            });
            draft.files.push(FileEdit {
                path: file.path.clone(),
                old: file.text.clone(),
                new: text::with(&file.text, &all),
                fences: marks.collect(),
            });
        }
        for (c, Words { statement, .. }) in chosen.iter().zip(words) {
            let header = statement::header(c.kind, files[file_of(c)].cpp);
            let header = header.filter(|_| spelling != Spelling::Builtin);
            let statement = Statement { words: statement, header };
            for fence in &c.fences {
                draft.statements.insert(*fence, statement.clone());
            }
        }
        draft
    }
}

/// A site that gets a fence, and the fences of the program that it gives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Chosen {
    site: usize,
    pub kind: FenceKind,
    pub fences: Vec<usize>,
}

/// Whether no file of the user includes the header that fences need.
pub(crate) fn lacks_header(files: &[SourceFile]) -> bool {
    let headers = ["stdatomic.h", "atomic"];
    !files.iter().any(|file| headers.iter().any(|header| include::has(&file.text, header)))
}

/// The functions of the source that have places without a site.
fn missing_units(marks: &Marks<'_>, places: &Places) -> BTreeSet<usize> {
    let funcs = missing_funcs(marks, places);
    funcs.into_iter().flat_map(|func| marks.units_of(func)).collect()
}

/// The functions of the program that have places without a site.
fn missing_funcs(marks: &Marks<'_>, places: &Places) -> BTreeSet<FuncId> {
    let spots = marks.spots.iter().flatten().flatten();
    let covered: BTreeSet<usize> = spots.filter_map(|spot| spot.place(places)).collect();
    let missing = places.iter().enumerate().filter(|(number, _)| !covered.contains(number));
    missing.map(|(_, place)| place.point.func).collect()
}

/// The last spot of its block that is equivalent for a fence.
fn last_equal(program: &Program, spot: Spot) -> Spot {
    match spot {
        Spot::At(point) => Spot::At(last_in_block(program, point)),
        Spot::Between(..) => spot,
    }
}

/// A fence at the head of a block is equivalent to a fence at the end of every way into the block.
fn all_ways_in(
    program: &Program,
    point: Point,
    by_edge: &BTreeMap<Spot, Vec<(u32, usize)>>,
) -> Option<(u32, Vec<usize>)> {
    let head = Point { index: 0, ..point };
    if last_in_block(program, head) != point || point.block.as_u32() == 0 {
        return None;
    }
    let (mut price, mut sites) = (20, BTreeSet::new());
    for (from, block) in &program.funcs[point.func].blocks {
        if !block.term.kind.successors().contains(&point.block) {
            continue;
        }
        let spot = match block.term.kind {
            TerminatorKind::Jump(_) => {
                let index = block.insts.len() as u32;
                Spot::At(Point { block: from, index, ..point })
            }
            _ => Spot::Between(point.func, from, point.block),
        };
        let (least, site) = by_edge.get(&last_equal(program, spot))?.iter().min()?;
        price += 10 + least;
        sites.insert(*site);
    }
    (!sites.is_empty()).then(|| (price, sites.into_iter().collect()))
}

/// The lines of a file, from 0, that have instructions of functions with places.
fn lines_of(program: &Program, places: &Places, file: &SourceFile) -> Vec<usize> {
    let funcs: BTreeSet<_> = places.iter().map(|place| place.point.func).collect();
    let at = |loc: &Loc| (loc.file, loc.line);
    let mut said = BTreeSet::new();
    for func in funcs {
        let insts = program.funcs[func].blocks.values().flat_map(|block| &block.insts);
        let locs: BTreeSet<_> = insts.filter_map(|inst| program.loc(inst.loc)).map(at).collect();
        said.extend(locs);
    }
    let mut lines = BTreeSet::new();
    for (name, line) in said {
        let named = file.lines(&program.files[name as usize], line as usize);
        lines.extend(named.iter().map(|line| line - 1));
    }
    lines.into_iter().collect()
}
