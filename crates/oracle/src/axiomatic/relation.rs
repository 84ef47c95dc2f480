//! Binary relations over at most 64 events, as bit matrices.

use super::graph::EventId;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Relation {
    /// Row `a` has bit `b` when `a` is related to `b`.
    rows: Vec<u64>,
}

impl Relation {
    pub const MAX_EVENTS: usize = 64;

    pub fn empty(events: usize) -> Relation {
        debug_assert!(events <= Relation::MAX_EVENTS);
        Relation { rows: vec![0; events] }
    }

    pub fn add(&mut self, a: EventId, b: EventId) {
        self.rows[a.0] |= 1 << b.0;
    }

    pub fn union(&mut self, other: &Relation) {
        for (row, more) in self.rows.iter_mut().zip(&other.rows) {
            *row |= more;
        }
    }

    /// Whether no event reaches itself (Warshall's closure, then the diagonal).
    pub fn is_acyclic(&self) -> bool {
        let mut rows = self.rows.clone();
        for via in 0..rows.len() {
            let through = rows[via];
            for row in &mut rows {
                if *row >> via & 1 == 1 {
                    *row |= through;
                }
            }
        }
        rows.iter().enumerate().all(|(i, row)| row >> i & 1 == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_long_cycles_and_only_cycles() {
        let mut chain = Relation::empty(64);
        for i in 0..63 {
            chain.add(EventId(i), EventId(i + 1));
        }
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
}
