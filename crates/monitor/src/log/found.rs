//! Distinct violations.

use crate::event::{Address, Site, Thread};
use crate::stream::Violation;
use rustc_hash::FxHashMap;

/// So many are told apart; what is new beyond that is only counted.
pub const MOST_DISTINCT: usize = 1 << 16;

/// The three instructions; threads and addresses where one is not known.
type Key = ([Site; 3], Option<(Thread, Thread, Address)>);

/// Distinct violations. Without sites, threads and addresses tell them apart.
#[derive(Clone, Debug, Default)]
pub struct Found {
    numbers: FxHashMap<Key, usize>,
    /// In the order in which they were found, with how often each was.
    pub violations: Vec<(Violation, u64)>,
    /// How many were found that are none of these: there were too many.
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
