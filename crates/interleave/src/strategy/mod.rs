//! The strategies of this engine, one per file.
//!
//! The strategies that visit all traces share the depth-first [`Search`]. A [`Plan`] defines the differences:
//! the actions that are planned when a race is found, and the next action where nothing is planned. A
//! strategy without depth-first search is an [`Explorer`] of its own; one that runs a sample of schedules, such as
//! `random`, shares the loop of [`mod@sample`].

mod exhaustive;
mod optimal;
mod persistent;
#[cfg(test)]
mod plan_tests;
mod random;
mod sample;
mod source;

use crate::event::{Action, Turn};
use crate::observe::Observers;
use crate::outcome::Outcomes;
use crate::race::Race;
use crate::search::{Search, visit};
use crate::system::System;
use crate::wakeup::{Item, List, Trees, is_initial};
use raddle_engine::{Budget, Options, Strategy};

/// Searches the executions of a system.
pub(crate) type Explorer = for<'o> fn(System<'_>, &'o Options, Option<Observers<'o>>) -> Outcomes;

/// The explorer of a strategy; `None` if the strategy belongs to another engine.
pub(crate) fn explorer(strategy: Strategy) -> Option<Explorer> {
    Some(match strategy {
        Strategy::Optimal => visit::<optimal::Optimal>,
        Strategy::Source => visit::<source::Source>,
        Strategy::Persistent => visit::<persistent::Persistent>,
        Strategy::Exhaustive => visit::<exhaustive::Exhaustive>,
        Strategy::Random => random::explore,
        Strategy::Lazy | Strategy::Graph => return None,
    })
}

/// Lengths of two lists that only grow along an execution.
pub(crate) type Mark = (u32, u32);

/// The decisions of a strategy for the depth-first search.
pub(crate) trait Plan: Default {
    /// Whether races are reversed. If not, the sleep sets stay empty and [`Plan::choose`] plans all branches.
    const REVERSES: bool = true;

    /// The size of the plan in the current state. [`Plan::restore`] returns to it when the search goes back.
    #[inline(always)]
    fn mark(&self) -> Mark {
        (0, 0)
    }

    #[inline(always)]
    fn restore(&mut self, _mark: Mark) {}

    /// Whether a branch of a state covers a sequence, which no sleeper covers. May change the sequence.
    fn covers(
        trees: &Trees,
        branches: List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        _budget: &Budget,
    ) -> bool {
        trees.heads(branches).any(|action| is_initial(action, sequence, happens_before))
    }

    /// Plans a sequence from a state, unless a branch covers it.
    fn insert(
        trees: &mut Trees,
        branches: &mut List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) {
        if !Self::covers(trees, *branches, sequence, happens_before, budget) {
            trees.push(branches, sequence[0].action);
        }
    }

    /// Plans an execution in which `last` happens before the event that it races with.
    fn reverse(search: &mut Search<'_, '_, Self>, race: Race, last: Action);

    /// Adds to the plan after an event, before the races of that event are reversed.
    #[inline(always)]
    fn reconsider(_search: &mut Search<'_, '_, Self>) {}

    /// Picks the next action where nothing is planned; [`ANY`](crate::event::ANY) of several alternatives stands
    /// for all of them. A plan that reverses races picks an enabled action that [`Search::is_awake`]: to perform
    /// a sleeping one would repeat executions. `None` ends the execution, which must have been counted before:
    /// by [`Search::end`] where nothing is enabled. Where all that is enabled is asleep it is redundant. A plan
    /// that finds nothing to pick leaves both to [`Search::choose_awake`].
    #[inline(always)]
    fn choose(search: &mut Search<'_, '_, Self>, depth: usize) -> Option<Turn> {
        search.choose_awake(depth)
    }
}
