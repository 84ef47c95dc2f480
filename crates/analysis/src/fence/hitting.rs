//! The cheapest choice of fences that satisfies all clauses learned so far.
//!
//! A clause requires a fence of at least some strength at one of some places. The search is branch and bound
//! over the first clause that is not satisfied; clauses without a common place give the lower bound. The
//! number of fences counts first, then their strength, then the prices of their places. Of equal choices the
//! first one found wins. Choices are tried in a fixed order, so the answer is deterministic.

use raddle_engine::Budget;

/// The strength of a fence: 0 stands for none.
pub(super) type Level = u8;

/// A strength for each place.
pub(super) type Choice = Vec<Level>;

/// Requires at least this strength at one of these places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Clause(pub Vec<(usize, Level)>);

impl Clause {
    pub(super) fn is_satisfied(&self, choice: &[Level]) -> bool {
        self.0.iter().any(|(place, level)| choice[*place] >= *level)
    }
}

/// The number of fences, their total strength, and their total price.
type Cost = (u32, u32, u64);

fn cost(prices: &[u32], choice: &[Level]) -> Cost {
    let used = choice.iter().zip(prices).filter(|(level, _)| **level > 0);
    let (levels, price) = used.clone().fold((0, 0), |(levels, sum), (level, price)| {
        (levels + u32::from(*level), sum + u64::from(*price))
    });
    (used.count() as u32, levels, price)
}

/// A strength for each place that has a price; `None` if no choice satisfies all clauses. If the budget
/// runs out, the answer is meaningless.
pub(super) fn cheapest(prices: &[u32], clauses: &[Clause], budget: &Budget) -> Option<Choice> {
    let mut search = Search { prices, clauses, budget, best: None };
    search.extend(&mut vec![0; prices.len()]);
    search.best.map(|(_, choice)| choice)
}

struct Search<'c> {
    prices: &'c [u32],
    clauses: &'c [Clause],
    budget: &'c Budget,
    best: Option<(Cost, Choice)>,
}

impl Search<'_> {
    fn extend(&mut self, choice: &mut Choice) {
        if self.budget.is_spent() {
            return;
        }
        let now = cost(self.prices, choice);
        if self.best.as_ref().is_some_and(|(best, _)| self.bound(choice, now) >= *best) {
            return;
        }
        let open = self.clauses.iter().filter(|clause| !clause.is_satisfied(choice));
        let Some(clause) = open.min_by_key(|clause| clause.0.len()) else {
            self.best = Some((now, choice.clone()));
            return;
        };
        for (place, level) in &clause.0 {
            let before = std::mem::replace(&mut choice[*place], *level);
            self.extend(choice);
            choice[*place] = before;
        }
    }

    /// A lower bound for the cost of every extension of a choice.
    fn bound(&self, choice: &[Level], now: Cost) -> Cost {
        let mut taken = vec![false; choice.len()];
        let (mut count, mut weight, mut price) = now;
        for clause in self.clauses.iter().filter(|clause| !clause.is_satisfied(choice)) {
            if clause.0.iter().any(|(place, _)| taken[*place]) {
                continue;
            }
            clause.0.iter().for_each(|(place, _)| taken[*place] = true);
            let fresh = clause.0.iter().all(|(place, _)| choice[*place] == 0);
            let extra = |(place, level): &(usize, Level)| u32::from(level - choice[*place]);
            count += u32::from(fresh);
            weight += clause.0.iter().map(extra).min().unwrap_or(0);
            let due = |(place, _): &(usize, Level)| match choice[*place] {
                0 => u64::from(self.prices[*place]),
                _ => 0,
            };
            price += clause.0.iter().map(due).min().unwrap_or(0);
        }
        (count, weight, price)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cheapest(prices: &[u32], clauses: &[Clause]) -> Option<Choice> {
        super::cheapest(prices, clauses, &Budget::UNLIMITED)
    }

    fn clause(places: &[usize]) -> Clause {
        Clause(places.iter().map(|place| (*place, 1)).collect())
    }

    #[test]
    fn the_fewest_come_first_then_the_weakest() {
        assert_eq!(cheapest(&[0; 2], &[]), Some(vec![0, 0]));
        assert_eq!(cheapest(&[0; 2], &[Clause(vec![])]), None);
        assert_eq!(cheapest(&[0; 3], &[clause(&[0, 1]), clause(&[1, 2])]), Some(vec![0, 1, 0]));
        let strong = [Clause(vec![(0, 2), (1, 3)]), Clause(vec![(1, 1), (0, 1)])];
        assert_eq!(cheapest(&[0; 2], &strong), Some(vec![2, 0]));
        // One strong fence is fewer than two weak ones.
        let one = [Clause(vec![(0, 1), (2, 3)]), Clause(vec![(1, 1), (2, 3)])];
        assert_eq!(cheapest(&[0; 3], &one), Some(vec![0, 0, 3]));
        // Prices only decide between sets that are otherwise equally good.
        let either = [clause(&[0, 1]), clause(&[1, 2])];
        assert_eq!(cheapest(&[0, 9, 0], &either), Some(vec![0, 1, 0]));
        assert_eq!(cheapest(&[5, 1, 3], &[clause(&[0, 1, 2])]), Some(vec![0, 1, 0]));
    }

    /// Compared with a search of all choices.
    #[test]
    fn choices_are_as_cheap_as_any() {
        let mut state = 5u64;
        let mut random = |n: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % n
        };
        for _ in 0..300 {
            let (places, levels) = (1 + random(4) as usize, 1 + random(2) as Level);
            let clauses: Vec<Clause> = (0..random(6))
                .map(|_| {
                    let any = |p| (random(2) == 1).then_some((p, 1 + random(levels.into()) as u8));
                    Clause((0..places).collect::<Vec<_>>().into_iter().filter_map(any).collect())
                })
                .collect();
            let prices: Vec<u32> = (0..places).map(|_| random(3) as u32).collect();
            let mut all: Vec<Choice> = vec![vec![]];
            for _ in 0..places {
                let longer = |c: &Choice| -> Vec<Choice> {
                    (0..=levels).map(|level| [&c[..], &[level]].concat()).collect()
                };
                all = all.iter().flat_map(longer).collect();
            }
            all.retain(|choice| clauses.iter().all(|clause| clause.is_satisfied(choice)));
            let wanted = all.iter().map(|choice| cost(&prices, choice)).min();
            let found = cheapest(&prices, &clauses).map(|choice| cost(&prices, &choice));
            assert_eq!(found, wanted, "{clauses:?}");
        }
    }
}
