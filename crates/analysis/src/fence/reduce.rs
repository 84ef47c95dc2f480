//! A set of fences that suffices, and from which no part can be left out.
//!
//! It is an upper bound for the number of fences, for searches that have to give up. It does not change what
//! they find.

use super::Search;
use super::hitting::{Choice, Clause};
use super::judge::Verdict;

impl Search<'_> {
    /// Leaves fences out of a choice that suffices, and makes the others weaker, as long as it suffices.
    pub(super) fn reduce(&mut self) {
        let Some(mut choice) = self.sufficient() else { return };
        let mut left: Vec<_> = std::iter::once(0..choice.len()).collect();
        while let Some(range) = left.pop() {
            if self.question.options.limits.budget.is_spent() {
                return;
            }
            let mut without = choice.clone();
            without[range.clone()].fill(0);
            if without == choice {
                continue;
            }
            if self.suffices(&without) {
                choice = without;
            } else if range.len() > 1 {
                let middle = range.start + range.len() / 2;
                left.extend([middle..range.end, range.start..middle]);
            }
        }
        for place in 0..choice.len() {
            for level in 1..choice[place] {
                if self.question.options.limits.budget.is_spent() {
                    return;
                }
                let before = std::mem::replace(&mut choice[place], level);
                if self.suffices(&choice) {
                    self.enough = Some(choice.clone());
                    break;
                }
                choice[place] = before;
            }
        }
    }

    /// A choice that was judged to be good: one that is known, or the strongest fences at all places.
    fn sufficient(&mut self) -> Option<Choice> {
        if self.enough.is_none() {
            let all = vec![self.strongest(); self.places.len()];
            self.judged(&all);
        }
        self.enough.clone()
    }

    /// Whether a choice is good. One that does not satisfy all clauses is not.
    fn suffices(&mut self, choice: &[u8]) -> bool {
        let satisfied = |clause: &Clause| clause.is_satisfied(choice);
        self.clauses.iter().all(satisfied) && self.judged(choice) == Verdict::Good
    }
}
