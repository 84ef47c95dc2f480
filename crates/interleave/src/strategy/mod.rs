//! The strategies of this engine, each a file.
//!
//! The depth-first [`Search`] is common to those that visit all traces. A [`Plan`] says what differs: the
//! actions that are planned when a race is found, and the choice of the next action where nothing is
//! planned. A strategy that needs no depth-first search is an [`Explorer`] by itself, as `random` is.
//!
//! | module | strategy |
//! |---|---|
//! | [`optimal`] | Optimal-DPOR: whole wakeup sequences |
//! | [`source`] | Source-DPOR: first actions, one initial of all that does not happen after the earlier event |
//! | [`persistent`] | persistent sets: the same, of the events that the later event needs |
//! | [`exhaustive`] | no reduction: every enabled action |
//! | [`random`] | random schedules |

mod exhaustive;
mod optimal;
mod persistent;
mod random;
mod source;

use crate::event::{Action, Turn};
use crate::observe::Visitor;
use crate::race::Race;
use crate::search::{Search, visit};
use crate::system::System;
use raddle_engine::{Options, Strategy, Summary};

/// Searches the executions of a system.
pub(crate) type Explorer = for<'o> fn(System<'_>, &'o Options, Option<Visitor<'o>>) -> Summary;

/// The explorer of a strategy; `None` if the strategy is another engine's.
pub(crate) fn explorer(strategy: Strategy) -> Option<Explorer> {
    Some(match strategy {
        Strategy::Optimal => visit::<optimal::Optimal>,
        Strategy::Source => visit::<source::Source>,
        Strategy::Persistent => visit::<persistent::Persistent>,
        Strategy::Exhaustive => visit::<exhaustive::Exhaustive>,
        Strategy::Random => random::explore,
        _ => return None,
    })
}

/// Lengths of two lists that only grow along an execution.
pub(crate) type Mark = (u32, u32);

/// What a strategy of the depth-first search decides.
pub(crate) trait Plan: Default {
    /// Whether races are reversed. Otherwise nothing sleeps either, and [`Plan::choose`] plans all branches.
    const REVERSES: bool = true;

    /// How much of the plan there is before an event, to be restored when the search goes back.
    #[inline(always)]
    fn mark(&self) -> Mark {
        (0, 0)
    }

    #[inline(always)]
    fn restore(&mut self, _mark: Mark) {}

    /// Plans an execution in which `last` happens before the event that it races with.
    fn reverse(search: &mut Search<'_, '_, Self>, race: Race, last: Action);

    /// Plans anew after an event, before its own races are reversed.
    #[inline(always)]
    fn reconsider(_search: &mut Search<'_, '_, Self>) {}

    /// Picks the next action where nothing is planned. `None` at the end of the execution.
    #[inline(always)]
    fn choose(search: &mut Search<'_, '_, Self>, depth: usize) -> Option<Turn> {
        search.choose_awake(depth)
    }
}
