//! What is left of a search, as a value.
//!
//! A frontier is a list of [`Item`]s: subtrees, each with a name. That of a whole search is one item, the tree. Within an item, the
//! subtrees that were offered are in their slots, at their places in the order of the search ([`crate::Sharing`]), so results come together
//! in that order, wherever they were found.
//!
//! A subtree can be given away ([`split`]): it becomes the only item of another frontier, named by a hash of its content,
//! and its slot keeps the name. What becomes of the other frontier takes the place of the name ([`Frontier::fill`]): its results when it is done, or the
//! rest of it, which is gone on with here then. So nothing can come to a wrong place, and a subtree that was explored twice, since a
//! result was lost, has the same results.
//!
//! The rest of a subtree should come back when nothing is left here but to wait for it. It comes next in the order of the search then, so the
//! reversals that it has found for states above take effect at once, and may be branches for many workers.

use crate::keeper::{FrontierState, Keeper, NOT_MISSING, Part, Saved, Start};
use crate::share::{Found, Slot, Subtrees, Task};
use crate::summary::Summary;
use rustc_hash::{FxHashMap, FxHasher};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::hash::Hasher;

/// A subtree of a frontier.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(
    serialize = "T: Serialize, D: Serialize",
    deserialize = "T: Deserialize<'de>, D: Deserialize<'de>"
))]
pub struct Item<T, D, L> {
    /// The name under which the subtree was given away; 0 for the tree of the whole search.
    pub name: u64,
    pub slot: Slot<T, D, L>,
}

impl<T: Subtrees<T, D, L>, D, L> Item<T, D, L> {
    /// Whether nothing is left of the subtree.
    pub fn is_done(&self) -> bool {
        self.slot.is_done()
    }
}

impl<T, D, L> Clone for Item<T, D, L> {
    fn clone(&self) -> Self {
        Item { name: self.name, slot: self.slot.clone() }
    }
}

/// What is left of a search.
#[derive(Debug)]
pub struct Frontier<T, D, L> {
    pub items: Vec<Item<T, D, L>>,
}

impl<T, D, L> Frontier<T, D, L>
where
    T: Task + Subtrees<T, D, L> + Serialize + DeserializeOwned,
    D: Serialize + DeserializeOwned,
{
    /// The frontier of a search that has not begun.
    pub fn whole(tree: T) -> Self {
        Frontier { items: vec![Item { name: 0, slot: Slot::open(tree) }] }
    }

    /// The frontier that a search begins with; if there is none to go on with, that of the whole tree.
    pub fn start(keeper: &Keeper, tree: impl FnOnce() -> T) -> Result<Self, String> {
        let Some(Start { frontier, results }) = keeper.start() else {
            return Ok(Frontier::whole(tree()));
        };
        let frontier = Frontier::read(&frontier)?;
        for result in &results {
            frontier.fill(&Frontier::read(result)?)?;
        }
        Ok(frontier)
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let items = postcard::from_bytes(bytes).map_err(|error| error.to_string())?;
        Ok(Frontier { items })
    }

    /// Puts parts into their places.
    fn fill(&self, results: &Self) -> Result<(), String> {
        let mut away = FxHashMap::default();
        for item in &self.items {
            item.slot.walk(&mut |slot, found| {
                if let Found::Away(name) = found {
                    away.insert(name, slot.clone());
                }
            });
        }
        for item in &results.items {
            let Some(slot) = away.get(&item.name) else {
                return Err(NOT_MISSING.to_owned());
            };
            slot.come_back(&item.slot);
        }
        Ok(())
    }
}

/// When a frontier is saved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Moment {
    /// The search goes on.
    Between,
    /// The search was asked to end.
    End,
    /// Nothing is left that could be explored.
    Over,
}

/// Writes a frontier while nobody explores it, divides it into parts if the search ends, and has both saved. `summary` puts its results
/// together.
pub fn save<T, D, L>(
    items: &[Item<T, D, L>],
    keeper: &Keeper,
    moment: Moment,
    summary: impl FnOnce() -> Summary,
) where
    T: Task + Subtrees<T, D, L> + Serialize,
    D: Serialize,
{
    let summary = summary();
    let is_done = items.iter().all(Item::is_done);
    let parts = if moment == Moment::End { keeper.parts() } else { 0 };
    let parts = split(items, parts).and_then(|parts| Ok((parts, postcard::to_stdvec(items)?)));
    let needs = needed(items);
    let state = match moment {
        _ if is_done => FrontierState::Done,
        Moment::Between | Moment::End => FrontierState::Open,
        Moment::Over => FrontierState::Waiting,
    };
    let is_last = moment != Moment::Between;
    match parts {
        Ok((parts, rest)) => keeper.save(Saved { rest, parts, needs, state, summary, is_last }),
        Err(error) => keeper.refuse(error.to_string()),
    }
}

/// Gives away the largest subtrees that nobody has begun, or goes on with: those nearest to the root.
fn split<T, D, L>(items: &[Item<T, D, L>], parts: usize) -> Result<Vec<Part>, postcard::Error>
where
    T: Task + Subtrees<T, D, L> + Serialize,
    D: Serialize,
{
    let mut given = Vec::new();
    while given.len() < parts {
        let Some(largest) = largest(items) else { break };
        let mut hasher = FxHasher::default();
        hasher.write(&postcard::to_stdvec(&largest)?);
        let name = hasher.finish() | 1;
        let frontier = postcard::to_stdvec(&[Item { name, slot: largest.give_away(name) }][..])?;
        given.push(Part { name, frontier });
    }
    Ok(given)
}

/// The part that is missing first in the order of the search.
fn needed<T, D, L>(items: &[Item<T, D, L>]) -> Option<u64>
where
    T: Subtrees<T, D, L>,
{
    let mut needed = None;
    for item in items {
        item.slot.walk(&mut |_, found| {
            if let Found::Away(name) = found {
                needed.get_or_insert(name);
            }
        });
    }
    needed
}

/// The open subtree nearest to the root, without those of which a part is away.
fn largest<T, D, L>(items: &[Item<T, D, L>]) -> Option<Slot<T, D, L>>
where
    T: Task + Subtrees<T, D, L>,
{
    let mut open: Vec<(usize, Slot<T, D, L>)> = Vec::new();
    for item in items {
        item.slot.walk(&mut |slot, found| {
            if let Found::Task(task) = found
                && !item.slot.is(slot)
            {
                open.push((task.depth(), slot.clone()));
            }
        });
    }
    open.sort_by_key(|(depth, _)| *depth);
    let is_whole = |slot: &Slot<T, D, L>| {
        let mut is_whole = slot.is_open();
        slot.walk(&mut |_, found| is_whole &= !matches!(found, Found::Away(_)));
        is_whole
    };
    open.into_iter().map(|(_, slot)| slot).find(is_whole)
}
