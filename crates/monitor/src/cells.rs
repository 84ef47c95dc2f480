//! Cells: ranges of bytes that all accesses so far touch together.
//!
//! Accesses of different sizes may overlap. Memory is divided into cells such that every access touches
//! whole cells. An access that crosses the end of a cell splits it. Cells are only ever split, never merged.
//! The records about a split cell must be made again: [`Cells::add`] returns true then.
//!
//! Tables grow within a budget. If no memory is left, a table does not grow, and new accesses have no cells.
//! The budget is spent then, and results based on these accesses do not count.

use crate::event::Address;
use raddle_budget::Budget;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The cells of an access, usually one.
pub type Run = SmallVec<[Address; 2]>;

/// The division of memory into cells.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// By first byte: the number of bytes, and the cell.
    runs: BTreeMap<u64, (u64, Address)>,
    /// The cells of accesses that were looked up before.
    known: FxHashMap<(u64, u32), Run>,
    count: u32,
    /// For each cell: whether loads or stores of different ranges share it.
    mixed: Vec<bool>,
    /// A direct-mapped cache of accesses to a single cell.
    recent: Vec<(u64, u32, Address)>,
    budget: Budget,
}

/// The size of the cache: a power of two.
const RECENT: usize = 64;

impl Cells {
    /// An empty division whose tables grow within a budget.
    pub fn within(budget: &Budget) -> Cells {
        Cells { budget: budget.clone(), ..Cells::default() }
    }

    /// Whether an access is in the table, or memory is left to add it.
    #[inline]
    fn has_room(&self, addr: u64, bytes: u32) -> bool {
        self.known.len() < self.known.capacity()
            || self.known.contains_key(&(addr, bytes))
            || self.affords_more()
    }

    #[cold]
    fn affords_more(&self) -> bool {
        // The old table exists while the new one is filled. The hash table has one control byte per entry.
        let entry = size_of::<((u64, u32), Run)>() + 1;
        self.budget.affords((self.known.capacity() * 8 / 7 * 2 * entry) as u64)
    }

    /// The number of cells.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether loads or stores of different ranges may share this cell.
    pub fn is_mixed(&self, cell: Address) -> bool {
        self.mixed[cell.index()]
    }

    /// Divides memory so that an access touches whole cells; `plain` if it is a load or a store. Returns true
    /// if a cell was split.
    pub fn add(&mut self, addr: u64, bytes: u32, plain: bool) -> bool {
        if bytes == 0 {
            return false;
        }
        if let Some(run) = self.known.get(&(addr, bytes)) {
            mix(&mut self.mixed, run, plain);
            return false;
        }
        if !self.has_room(addr, bytes) {
            return false;
        }
        let end = addr.saturating_add(bytes.into());
        let split = self.split(addr) | self.split(end);
        // The tables may contain the old cell for a range that is now two cells.
        if split {
            self.known.clear();
            self.recent.clear();
        }
        let run = self.cover(addr, end);
        mix(&mut self.mixed, &run, plain);
        self.known.insert((addr, bytes), run);
        split
    }

    /// The cell of an access that was added before and touches only this cell.
    #[inline]
    pub fn single(&mut self, addr: u64, bytes: u32) -> Option<Address> {
        let place = ((addr >> 2) ^ (addr >> 27)) as usize % RECENT;
        match self.recent.get(place) {
            Some((known, size, cell)) if (*known, *size) == (addr, bytes) => Some(*cell),
            _ => self.look_up_single(place, addr, bytes),
        }
    }

    #[inline(never)]
    fn look_up_single(&mut self, place: usize, addr: u64, bytes: u32) -> Option<Address> {
        let Some([cell]) = self.known.get(&(addr, bytes)).map(|run| &run[..]) else { return None };
        // An entry with 0 bytes is empty: every access has bytes.
        self.recent.resize(RECENT, (0, 0, Address(0)));
        self.recent[place] = (addr, bytes, *cell);
        Some(*cell)
    }

    /// The cells of an access that was added.
    #[inline]
    pub fn of(&mut self, addr: u64, bytes: u32) -> &[Address] {
        if bytes == 0 || !self.has_room(addr, bytes) {
            return &[];
        }
        let runs = &self.runs;
        self.known.entry((addr, bytes)).or_insert_with(|| {
            let end = addr.saturating_add(bytes.into());
            runs.range(addr..end).map(|(_, (_, cell))| *cell).collect()
        })
    }

    /// The cells that an access overlaps, whether it was added or not.
    pub fn touched(&self, addr: u64, bytes: u32) -> Run {
        let end = addr.saturating_add(bytes.into());
        let before = self.runs.range(..addr).next_back();
        let first = before.filter(|(start, (len, _))| *start + *len > addr);
        let rest = self.runs.range(addr..end);
        first.into_iter().chain(rest).map(|(_, (_, cell))| *cell).collect()
    }

    /// Splits the cell that contains the byte `at` and begins before it, if any.
    fn split(&mut self, at: u64) -> bool {
        let Some((start, (len, cell))) = self.runs.range_mut(..at).next_back() else {
            return false;
        };
        let end = *start + *len;
        if end <= at {
            return false;
        }
        *len = at - *start;
        self.mixed[cell.index()] = true;
        let rest = self.fresh();
        self.mixed[rest.index()] = true;
        self.runs.insert(at, (end - at, rest));
        true
    }

    /// The cells from `addr` to `end`. Adds new cells for the gaps.
    fn cover(&mut self, addr: u64, end: u64) -> Run {
        let inside: Vec<(u64, u64, Address)> =
            self.runs.range(addr..end).map(|(start, (len, cell))| (*start, *len, *cell)).collect();
        let (mut run, mut at) = (Run::new(), addr);
        for (start, len, cell) in inside {
            if at < start {
                run.push(self.fill(at, start));
            }
            run.push(cell);
            at = start + len;
        }
        if at < end {
            run.push(self.fill(at, end));
        }
        run
    }

    fn fill(&mut self, start: u64, end: u64) -> Address {
        let cell = self.fresh();
        self.runs.insert(start, (end - start, cell));
        cell
    }

    fn fresh(&mut self) -> Address {
        self.count += 1;
        self.mixed.push(false);
        Address(self.count - 1)
    }
}

/// Marks the cells of a load or store that touches several.
fn mix(mixed: &mut [bool], run: &[Address], plain: bool) {
    if plain && run.len() > 1 {
        run.iter().for_each(|cell| mixed[cell.index()] = true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accesses_that_overlap_share_the_cells_they_share() {
        let mut cells = Cells::default();
        assert!(!cells.add(0, 4, true));
        assert!(!cells.add(8, 4, true));
        assert_eq!(cells.of(0, 4).len(), 1);
        // Covers both cells and the bytes between them.
        assert!(!cells.add(0, 12, true));
        assert_eq!(cells.of(0, 12).len(), 3);
        assert!(cells.add(2, 1, true));
        assert_eq!(cells.of(0, 4).len(), 3);
        assert_eq!(cells.of(0, 12).len(), 5);
        assert_eq!((cells.single(0, 4), cells.single(2, 1)), (None, Some(cells.of(2, 1)[0])));
        assert_eq!(cells.touched(3, 2).len(), 2);
        assert!(cells.touched(12, 4).is_empty());
    }

    #[test]
    fn a_load_or_store_of_several_cells_mixes_them_whoever_was_there_first() {
        let mut cells = Cells::default();
        for addr in [0, 4] {
            cells.add(addr, 4, true);
        }
        cells.add(0, 8, false);
        assert!(!cells.is_mixed(Address(0)));
        cells.add(0, 8, true);
        assert!(cells.is_mixed(Address(0)) && cells.is_mixed(Address(1)));
    }
}
