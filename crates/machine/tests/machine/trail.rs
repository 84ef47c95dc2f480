//! Backtracking restores every word, after any changes and compactions.

use fastrand::Rng;
use raddle_machine::{Mark, Trail, Word};

const WORDS: u32 = 40;

fn words(trail: &Trail, first: Word) -> Vec<u64> {
    (0..WORDS).map(|n| trail.get(first.at(n))).collect()
}

#[test]
fn random_changes_are_undone_to_any_mark() {
    for seed in 0..200 {
        let mut random = Rng::with_seed(seed);
        let mut trail = Trail::default();
        let first = trail.reserve(WORDS);
        let mut marks: Vec<(Mark, Vec<u64>)> = Vec::new();
        for _ in 0..300 {
            match random.u32(0..20) {
                0 => marks.push((trail.mark(), words(&trail, first))),
                1 if !marks.is_empty() => {
                    let at = random.usize(0..marks.len());
                    trail.backtrack(marks[at].0);
                    assert_eq!(words(&trail, first), marks[at].1, "seed {seed}");
                    marks.truncate(at + 1);
                }
                // Compaction starts at the newest mark, so it removes no entry that a mark needs.
                2 => {
                    let newest = marks.last().map_or(Mark::START, |(mark, _)| *mark);
                    let (before, length) = (words(&trail, first), trail.mark());
                    trail.compact(newest, &mut [], |_| false);
                    assert_eq!(words(&trail, first), before, "seed {seed}");
                    assert!(trail.mark() <= length);
                    assert!(trail.changes(newest).len() <= WORDS as usize);
                }
                _ => trail.set(first.at(random.u32(0..WORDS)), random.u64(0..4)),
            }
        }
        trail.backtrack(Mark::START);
        assert_eq!(words(&trail, first), vec![0; WORDS as usize], "seed {seed}");
    }
}

#[test]
fn a_change_to_the_same_value_is_not_logged() {
    let mut trail = Trail::default();
    let word = trail.reserve(1);
    trail.set(word, 7);
    let mark = trail.mark();
    trail.set(word, 7);
    assert_eq!(trail.mark(), mark);
    trail.set(word, 8);
    assert_eq!(trail.changes(mark), [(word, 7)]);
}
