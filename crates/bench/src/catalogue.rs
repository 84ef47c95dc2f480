//! The table of all programs by name.

use crate::{atomics, cells, locks};
use raddle_ir::Verified;

/// A family of programs with one parameter.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub name: &'static str,
    pub build: fn(u32) -> Verified,
    /// The parameter for the benchmark.
    pub size: u32,
    /// A smaller parameter, for a search without reduction.
    pub tiny: u32,
}

const fn family(name: &'static str, build: fn(u32) -> Verified, size: u32, tiny: u32) -> Family {
    Family { name, build, size, tiny }
}

pub const FAMILIES: [Family; 9] = [
    family("writers", cells::writers, 8, 4),
    family("readers", cells::readers, 15, 4),
    family("lastzero", cells::lastzero, 15, 3),
    family("fib_bench", cells::fib_bench, 5, 2),
    family("increments", atomics::increments, 8, 4),
    family("cas_increments", atomics::cas_increments, 4, 2),
    family("casrot", atomics::casrot, 8, 4),
    family("indexer", atomics::indexer, 13, 2),
    family("stack", locks::stack, 4, 2),
];

pub fn find(name: &str) -> Option<Family> {
    FAMILIES.into_iter().find(|family| family.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_is_well_formed() {
        for family in FAMILIES {
            for n in [family.tiny, family.size] {
                let program = (family.build)(n);
                assert!(!program.threads.is_empty(), "{}", program.name);
            }
        }
    }

    #[test]
    fn names_find_their_family() {
        assert!(FAMILIES.iter().all(|family| find(family.name).is_some()));
        assert!(find("nothing").is_none());
    }
}
