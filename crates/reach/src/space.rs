//! The states seen, exactly, in few bytes each.
//!
//! Tree compression: a state is a row of components (strings of bytes). Each component gets a number
//! in a table of strings; numbers are paired up to a tree of pairs, each pair numbered in turn; what
//! is kept for a state is its root, a pair, with the state it was first reached from. Components and
//! inner pairs are shared by many states, so a state costs little more than its root: eight bytes,
//! four for where it came from, and its share of the index.

use crate::tables::{Number, Pairs, Strings};

/// A state, by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub Number);

/// Where the first state comes from.
const NOWHERE: u32 = u32::MAX;

#[derive(Debug)]
pub struct Space {
    strings: Strings,
    inner: Pairs,
    roots: Pairs,
}

/// Components end to end, with where each ends, and one more at the head that tells how many there are.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub head: Vec<u8>,
    pub bytes: Vec<u8>,
    pub ends: Vec<u32>,
}

impl Row {
    pub fn clear(&mut self) {
        self.head.clear();
        self.bytes.clear();
        self.ends.clear();
    }

    /// What was appended to the bytes since the last component is one.
    pub fn end_component(&mut self) {
        self.ends.push(self.bytes.len() as u32);
    }

    pub fn component(&self, n: usize) -> &[u8] {
        let start = n.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start as usize..self.ends[n] as usize]
    }
}

/// Scratch of one worker.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    numbers: Vec<Number>,
    string: Vec<u8>,
}

impl Scratch {
    /// The numbers of the components of the state that was read last.
    pub fn numbers(&self) -> &[Number] {
        &self.numbers
    }
}

impl Default for Space {
    fn default() -> Space {
        Space { strings: Strings::default(), inner: Pairs::new(false), roots: Pairs::new(true) }
    }
}

impl Space {
    /// The number of a state, and whether it is new.
    pub fn insert(
        &self,
        row: &Row,
        from: Option<StateId>,
        scratch: &mut Scratch,
    ) -> (StateId, bool) {
        let numbers = &mut scratch.numbers;
        numbers.clear();
        numbers.extend((0..row.ends.len()).map(|n| self.strings.number(row.component(n))));
        self.insert_numbers(self.strings.number(&row.head), numbers, from)
    }

    /// The same for a head and components that have their numbers already, which are used up.
    pub fn insert_numbers(
        &self,
        head: Number,
        numbers: &mut Vec<Number>,
        from: Option<StateId>,
    ) -> (StateId, bool) {
        while numbers.len() > 1 {
            let half = numbers.len() / 2;
            for n in 0..half {
                numbers[n] = self.inner.number(numbers[2 * n], numbers[2 * n + 1], 0).0;
            }
            if numbers.len() % 2 == 1 {
                numbers[half] = numbers[numbers.len() - 1];
            }
            numbers.truncate(numbers.len().div_ceil(2));
        }
        let rest = numbers.first().copied().unwrap_or(0);
        let (root, new) = self.roots.number(head, rest, from.map_or(NOWHERE, |from| from.0));
        (StateId(root), new)
    }

    /// The number of a head or component.
    pub fn number(&self, string: &[u8]) -> Number {
        self.strings.number(string)
    }

    pub fn head_number(&self, state: StateId) -> Number {
        self.roots.get(state.0).0
    }

    /// The head of a state.
    pub fn head(&self, state: StateId, out: &mut Vec<u8>) {
        let (head, _) = self.roots.get(state.0);
        self.strings.read(head, out);
    }

    /// The components of a state, of which there are `count`: each is given to `visit`.
    pub fn components(
        &self,
        state: StateId,
        count: usize,
        scratch: &mut Scratch,
        mut visit: impl FnMut(usize, &[u8]),
    ) {
        let (_, rest) = self.roots.get(state.0);
        let numbers = &mut scratch.numbers;
        numbers.clear();
        numbers.resize(count, 0);
        self.unfold(rest, numbers);
        for (n, number) in numbers.iter().enumerate() {
            self.strings.read(*number, &mut scratch.string);
            visit(n, &scratch.string);
        }
    }

    /// Undoes the pairing, level by level from the root.
    fn unfold(&self, root: Number, numbers: &mut [Number]) {
        let Some(first) = numbers.first_mut() else { return };
        *first = root;
        let (mut widths, mut width) = (Vec::new(), numbers.len());
        while width > 1 {
            widths.push(width);
            width = width.div_ceil(2);
        }
        for width in widths.into_iter().rev() {
            if width % 2 == 1 {
                numbers[width - 1] = numbers[width / 2];
            }
            for n in (0..width / 2).rev() {
                (numbers[2 * n], numbers[2 * n + 1]) = self.inner.get(numbers[n]);
            }
        }
    }

    /// The state that this one was first reached from.
    pub fn parent(&self, state: StateId) -> Option<StateId> {
        Some(self.roots.note(state.0)).filter(|from| *from != NOWHERE).map(StateId)
    }

    /// How many states there are.
    pub fn len(&self) -> u64 {
        self.roots.len()
    }

    pub fn bytes(&self) -> u64 {
        (self.strings.bytes() + self.inner.bytes() + self.roots.bytes()) as u64
    }

    /// Whether there is no room for more: states have 32-bit numbers.
    pub fn is_full(&self) -> bool {
        self.roots.is_full() || self.inner.is_full() || self.strings.is_full()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_any_length_come_back() {
        let space = Space::default();
        let mut scratch = Scratch::default();
        for length in 0..12u8 {
            let mut row = Row { head: vec![length], ..Row::default() };
            for n in 0..length {
                row.bytes.extend((0..n % 4).map(|m| length ^ n ^ m));
                row.end_component();
            }
            let (state, new) = space.insert(&row, None, &mut scratch);
            assert!(new);
            assert_eq!(space.insert(&row, Some(state), &mut scratch), (state, false));
            let mut head = Vec::new();
            space.head(state, &mut head);
            assert_eq!(head, row.head);
            let mut again = Scratch::default();
            space.components(state, length.into(), &mut again, |n, bytes| {
                assert_eq!(bytes, row.component(n));
            });
        }
    }
}
