//! No reduction: visits every interleaving. The other strategies are compared with it.

use super::Plan;
use crate::event::{ANY, Action, Turn};
use crate::race::Race;
use crate::search::Search;
use crate::wakeup::List;

#[derive(Debug, Default)]
pub(super) struct Exhaustive;

impl Plan for Exhaustive {
    const REVERSES: bool = false;

    fn reverse(_search: &mut Search<'_, '_, Exhaustive>, _race: Race, _last: Action) {}

    /// Plans every enabled action, each alternative as a branch of its own, and takes the first.
    fn choose(search: &mut Search<'_, '_, Exhaustive>, depth: usize) -> Option<Turn> {
        let mut branches = List::EMPTY;
        for thread in search.system.machine.thread_ids() {
            let updates = search.system.enabled_updates(thread);
            for turn in updates.chain(search.system.enabled_step(thread)) {
                if turn.choice != ANY {
                    search.trees.push(&mut branches, Action::of(turn));
                    continue;
                }
                for n in 0..search.system.machine.choice_count(thread) {
                    let choice = search.system.machine.nth_choice(thread, n);
                    search.trees.push(&mut branches, Action::of(Turn { choice, ..turn }));
                }
            }
        }
        let first = search.trees.pop(&mut branches).map(|branch| branch.turn);
        search.levels[depth].branches = branches;
        if first.is_none() {
            search.end();
        }
        first
    }
}
