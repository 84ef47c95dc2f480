//! Which macros a part of the source uses, by the words in it.

use super::sites::Sites;
use super::{SourceFile, text};
use raddle_ir::{FuncId, Program};
use std::collections::{BTreeMap, BTreeSet};

/// The words of the parts of a source: of functions, and of the bodies of macros.
#[derive(Debug)]
pub(super) struct Macros<'a> {
    files: &'a [SourceFile],
    sites: &'a Sites,
    /// The macros by name; one that is defined several times has several units.
    named: BTreeMap<&'a [u8], Vec<usize>>,
}

impl<'a> Macros<'a> {
    pub(super) fn of(files: &'a [SourceFile], sites: &'a Sites) -> Macros<'a> {
        let mut named: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
        for (number, unit) in sites.units.iter().enumerate() {
            if let Some(name) = &unit.macro_name {
                named.entry(name.as_bytes()).or_default().push(number);
            }
        }
        Macros { files, sites, named }
    }

    /// The macros whose names are in these functions of the source, at the definitions of these functions of the
    /// program, or in macros that are.
    pub(super) fn used_by(
        &self,
        units: &BTreeSet<usize>,
        program: &Program,
        funcs: impl Iterator<Item = FuncId>,
    ) -> BTreeSet<usize> {
        let mut used = BTreeSet::new();
        let mut left: Vec<&[u8]> = units.iter().map(|unit| self.text(*unit)).collect();
        left.extend(funcs.flat_map(|func| self.definition(program, func)));
        while let Some(text) = left.pop() {
            let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
            for word in text.split(|byte| !is_word(byte)) {
                for unit in self.named.get(word).into_iter().flatten() {
                    if used.insert(*unit) {
                        left.push(self.text(*unit));
                    }
                }
            }
        }
        used
    }

    fn text(&self, unit: usize) -> &'a [u8] {
        let unit = &self.sites.units[unit];
        &self.files[unit.file].text[unit.range.clone()]
    }

    /// The lines at which a function is defined: the use of a macro, if that defines it.
    fn definition(&self, program: &Program, func: FuncId) -> Vec<&'a [u8]> {
        let Some(loc) = program.loc(program.funcs[func].loc) else { return Vec::new() };
        let name = &program.files[loc.file as usize];
        let mut lines = Vec::new();
        for file in self.files {
            for line in file.lines(name, loc.line as usize) {
                let start = file.start_of(line as u32).unwrap_or(file.text.len());
                lines.push(&file.text[start..text::next_line(&file.text, start)]);
            }
        }
        lines
    }
}
