//! Clauses from bad choices: a choice is made stronger as long as it stays bad.
//!
//! Places get the strongest fence, then those that are left the next weaker one, and so on. If a choice stays bad
//! with such fences at all places of a range, it does so with those at a part of them. So ranges are tried as a
//! whole first, and halved only if they make the choice good: few places matter for one behaviour. Weaker fences
//! are tried at all places that are left and then at each, because often none of them helps.

use super::Search;
use super::hitting::{Choice, Clause, Level};
use super::judge::Verdict;

impl Search<'_> {
    /// A clause that every solution satisfies, given that this choice is bad; `None` if the budget was spent
    /// before.
    pub(super) fn strengthened(&mut self, mut choice: Choice) -> Option<Clause> {
        let strongest = self.strongest();
        for level in (1..=strongest).rev() {
            self.raise(&mut choice, level, level == strongest)?;
        }
        let open = choice.iter().enumerate().filter(|(_, level)| **level < strongest);
        Some(Clause(open.map(|(place, level)| (place, level + 1)).collect()))
    }

    /// Makes a bad choice as strong as this at all places where it stays bad.
    fn raise(&mut self, choice: &mut Choice, level: Level, halves: bool) -> Option<()> {
        let mut left: Vec<_> = std::iter::once(0..choice.len()).collect();
        while let Some(range) = left.pop() {
            if self.question.options.limits.budget.is_spent() {
                return None;
            }
            let mut raised = choice.clone();
            raised[range.clone()].iter_mut().for_each(|old| *old = level.max(*old));
            if raised == *choice {
                continue;
            }
            if self.judged(&raised) == Verdict::Bad {
                *choice = raised;
            } else if range.len() > 1 && !halves {
                left.extend(range.rev().map(|place| place..place + 1));
            } else if range.len() > 1 {
                let middle = range.start + range.len() / 2;
                left.extend([middle..range.end, range.start..middle]);
            }
        }
        Some(())
    }
}
