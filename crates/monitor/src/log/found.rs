//! Distinct violations.

use crate::event::{Address, Site, Thread};
use crate::stream::Violation;
use rustc_hash::FxHashMap;

/// The maximal number of distinct violations. Further ones are only counted.
pub const MOST_DISTINCT: usize = 1 << 16;

/// The three instructions; if one is not known, the threads and the address as well.
type Key = ([Site; 3], Option<(Thread, Thread, Address)>);

/// The distinct violations. Violations without sites are distinguished by threads and address.
#[derive(Clone, Debug, Default)]
pub struct Found {
    numbers: FxHashMap<Key, usize>,
    /// The violations in the order in which they were found, each with its number of occurrences.
    pub violations: Vec<(Violation, u64)>,
    /// The number of violations that are not in the list because it was full.
    pub others: u64,
}

impl Found {
    /// Counts a violation.
    pub fn add(&mut self, violation: Violation) {
        let sites = violation.sites();
        let Violation { store, access, address, .. } = violation;
        let placeless = sites.contains(&Site::NONE);
        let key = (sites, placeless.then_some((store.0, access.0, address)));
        match self.numbers.get(&key) {
            Some(number) => {
                self.violations[*number].1 += 1;
            }
            None if self.violations.len() < MOST_DISTINCT => {
                self.numbers.insert(key, self.violations.len());
                self.violations.push((violation, 1));
            }
            None => self.others += 1,
        }
    }
}
