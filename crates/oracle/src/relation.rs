//! Binary relations over at most 64 events, as bit matrices.

/// A memory event of one candidate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct EventId(pub usize);

/// A set of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Events(u64);

impl Events {
    pub(crate) fn insert(&mut self, event: EventId) {
        self.0 |= 1 << event.0;
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Relation {
    /// Row `a` has bit `b` if `a` is related to `b`.
    rows: Vec<u64>,
}

impl Relation {
    pub(crate) const MAX_EVENTS: usize = 64;

    pub(crate) fn empty(events: usize) -> Relation {
        assert!(events <= Relation::MAX_EVENTS);
        Relation { rows: vec![0; events] }
    }

    pub(crate) fn add(&mut self, a: EventId, b: EventId) {
        self.rows[a.0] |= 1 << b.0;
    }

    pub(crate) fn has(&self, a: EventId, b: EventId) -> bool {
        self.rows[a.0] >> b.0 & 1 == 1
    }

    pub(crate) fn union(&mut self, other: &Relation) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            *row |= more;
        }
    }

    pub(crate) fn or(mut self, other: &Relation) -> Relation {
        self.union(other);
        self
    }

    pub(crate) fn and(mut self, other: &Relation) -> Relation {
        for (row, only) in self.rows.iter_mut().zip(&other.rows) {
            *row &= only;
        }
        self
    }

    /// The restriction to pairs from one set to another.
    pub(crate) fn between(mut self, from: Events, to: Events) -> Relation {
        for (i, row) in self.rows.iter_mut().enumerate() {
            *row = if from.0 >> i & 1 == 1 { *row & to.0 } else { 0 };
        }
        self
    }

    /// Relational composition: first `self`, then `other`.
    pub(crate) fn then(&self, other: &Relation) -> Relation {
        let mut both = Relation::empty(self.rows.len());
        for (row, mut via) in both.rows.iter_mut().zip(self.rows.iter().copied()) {
            while via != 0 {
                *row |= other.rows[via.trailing_zeros() as usize];
                via &= via - 1;
            }
        }
        both
    }

    /// The transitive closure (Warshall).
    pub(crate) fn closure(mut self) -> Relation {
        for via in 0..self.rows.len() {
            let through = self.rows[via];
            for row in &mut self.rows {
                if *row >> via & 1 == 1 {
                    *row |= through;
                }
            }
        }
        self
    }

    /// The reflexive transitive closure.
    pub(crate) fn star(self) -> Relation {
        let mut all = self.closure();
        for (i, row) in all.rows.iter_mut().enumerate() {
            *row |= 1 << i;
        }
        all
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| *row == 0)
    }

    pub(crate) fn is_irreflexive(&self) -> bool {
        self.rows.iter().enumerate().all(|(i, row)| row >> i & 1 == 0)
    }

    /// Whether no event reaches itself.
    pub(crate) fn is_acyclic(&self) -> bool {
        self.clone().closure().is_irreflexive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(events: usize) -> Relation {
        let mut chain = Relation::empty(events);
        for i in 0..events - 1 {
            chain.add(EventId(i), EventId(i + 1));
        }
        chain
    }

    #[test]
    fn finds_long_cycles_and_only_cycles() {
        let mut chain = chain(64);
        assert!(chain.is_acyclic());
        chain.add(EventId(63), EventId(5));
        assert!(!chain.is_acyclic());
    }

    #[test]
    fn finds_a_cycle_of_one() {
        let mut own = Relation::empty(2);
        own.add(EventId(1), EventId(1));
        assert!(!own.is_acyclic());
    }

    #[test]
    fn composes_and_restricts() {
        let two = chain(3).then(&chain(3));
        let mut expected = Relation::empty(3);
        expected.add(EventId(0), EventId(2));
        assert_eq!(two, expected);
        let mut first = Events::default();
        first.insert(EventId(0));
        let mut last = Events::default();
        last.insert(EventId(2));
        assert_eq!(chain(3).closure().between(first, last), expected);
        assert!(chain(3).then(&two).is_empty());
        assert!(chain(3).and(&two).is_empty());
        assert!(!chain(3).star().is_irreflexive());
    }
}
