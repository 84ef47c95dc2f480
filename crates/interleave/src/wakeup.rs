//! Wakeup sequences and trees.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, *Optimal dynamic partial order reduction* (POPL 2014), the
//! algorithm that paper 000 builds on. A *wakeup sequence* is a schedule that reverses a race: first the
//! events that the later event needs, then the later event. For each state of the current execution, a
//! *wakeup tree* holds the sequences still to be explored from it.
//!
//! The sequences are collected in `reverse`; the strategies decide which of them to insert.

use crate::event::{Action, Turn};
use crate::segment::Offer;
use raddle_engine::Budget;
use smallvec::SmallVec;

/// An element of a wakeup sequence.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub action: Action,
    /// Position in the current execution, or [`LAST`].
    pub position: u32,
}

/// Stands for the position of the last element. It has no position, because it is moved.
pub(crate) const LAST: u32 = u32::MAX;

/// Index of a tree node, plus 1; 0 for none.
pub(crate) type Link = u32;

#[derive(Clone, Copy, Debug)]
struct Node {
    action: Action,
    children: List,
    next: Link,
    /// For a leaf that was offered to other workers: its index in [`Trees::offers`], plus 1.
    offer: u32,
}

/// A branch that was taken out of a tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Branch {
    pub turn: Turn,
    /// The tree below it.
    pub below: List,
    offer: u32,
}

impl Branch {
    /// Whether it is a leaf that was offered to other workers.
    #[inline(always)]
    pub(crate) fn is_offered(&self) -> bool {
        self.offer != 0
    }
}

/// A tree as a value: its nodes in the order of the search, each with the number of its children.
pub(crate) type Forest = Vec<(Action, u32, Option<Offer>)>;

/// Branches in the order of their exploration.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List {
    first: Link,
    last: Link,
}

impl List {
    pub(crate) const EMPTY: List = List { first: 0, last: 0 };

    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.first == 0
    }
}

/// The nodes of all wakeup trees, in one vector with a free list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trees {
    nodes: Vec<Node>,
    free: Vec<Link>,
    offers: Vec<Option<Offer>>,
}

impl Trees {
    fn node(&self, link: Link) -> &Node {
        &self.nodes[link as usize - 1]
    }

    fn new_node(&mut self, action: Action) -> Link {
        let node = Node { action, children: List::EMPTY, next: 0, offer: 0 };
        match self.free.pop() {
            Some(link) => {
                self.nodes[link as usize - 1] = node;
                link
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32
            }
        }
    }

    /// Adds a branch of one action, without a check whether the tree covers it.
    pub(crate) fn push(&mut self, list: &mut List, action: Action) -> u32 {
        let link = self.new_node(action);
        match list.last {
            0 => list.first = link,
            last => self.nodes[last as usize - 1].next = link,
        }
        list.last = link;
        link
    }

    /// The first actions of the branches.
    pub(crate) fn heads(&self, list: List) -> impl Iterator<Item = &Action> {
        let mut link = list.first;
        std::iter::from_fn(move || {
            let node = (link != 0).then(|| self.node(link))?;
            link = node.next;
            Some(&node.action)
        })
    }

    /// Removes the first branch.
    #[inline(always)]
    pub(crate) fn pop(&mut self, list: &mut List) -> Option<Branch> {
        if list.first == 0 {
            return None;
        }
        let link = list.first;
        let node = self.node(link);
        let popped = Branch { turn: node.action.turn(), below: node.children, offer: node.offer };
        list.first = node.next;
        if node.next == 0 {
            list.last = 0;
        }
        // Only this node is free now. Its children go on as the branches of the next level.
        self.free.push(link);
        Some(popped)
    }

    /// Inserts a sequence unless the tree covers it: adds a branch where [`Trees::follow`] finds none. Tree and
    /// sequence can be long: when the budget is spent, nothing is inserted.
    pub(crate) fn insert(
        &mut self,
        list: &mut List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) {
        if let Some(at) = self.follow(*list, sequence, happens_before, budget) {
            self.graft(list, at, sequence);
        }
    }

    /// Whether the tree covers a sequence, or the budget is spent. Takes actions out of the sequence.
    pub(crate) fn covers(
        &self,
        list: List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) -> bool {
        self.follow(list, sequence, happens_before, budget).is_none()
    }

    /// Follows the branches that are compatible with a sequence, and leaves in it the actions for a new branch; the
    /// result is the node at which that belongs, 0 for the root. `None` if the tree covers the sequence, or the
    /// budget is spent. `happens_before(a, b)` takes positions.
    fn follow(
        &self,
        list: List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) -> Option<Link> {
        let mut at: Link = 0;
        loop {
            let children = if at == 0 { list } else { self.node(at).children };
            let mut child = children.first;
            while child != 0 && !is_weak_initial(&self.node(child).action, sequence, happens_before)
            {
                if budget.is_spent() {
                    return None;
                }
                child = self.node(child).next;
            }
            if budget.is_spent() {
                return None;
            }
            if child == 0 {
                return Some(at);
            }
            // Behind a leaf everything is explored, so the leaf covers the sequence.
            if self.node(child).children.is_empty() {
                return None;
            }
            let action = self.node(child).action;
            let found = sequence.iter().position(|i| i.action.same_process(&action));
            // Below this branch, the action comes first: before all elements that it overtakes. If it is an
            // element itself, it is done; the rest of the sequence continues below it.
            let overtaken = found.unwrap_or(sequence.len());
            for item in &mut sequence[..overtaken] {
                item.action.after(&action);
            }
            if let Some(found) = found {
                sequence.remove(found);
            }
            if sequence.is_empty() {
                return None;
            }
            at = child;
        }
    }

    /// [`Trees::insert`] for a sequence of one action. Such a sequence has no positions to compare, so an
    /// action of the same process covers it, and an independent one is followed.
    #[inline]
    pub(crate) fn insert_one(&mut self, list: &mut List, mut action: Action) {
        let mut at: Link = 0;
        loop {
            let children = if at == 0 { *list } else { self.node(at).children };
            let mut child = children.first;
            while child != 0 {
                let node = self.node(child);
                if node.action.same_process(&action) {
                    return;
                }
                if !node.action.conflicts(&action) {
                    break;
                }
                child = node.next;
            }
            if child == 0 {
                self.graft_one(list, at, action);
                return;
            }
            if self.node(child).children.is_empty() {
                return;
            }
            action.after(&self.node(child).action);
            at = child;
        }
    }

    /// Appends an action as a new last branch below `at`.
    #[inline]
    fn graft_one(&mut self, list: &mut List, at: Link, action: Action) -> Link {
        if at == 0 {
            return self.push(list, action);
        }
        let mut children = self.node(at).children;
        let link = self.push(&mut children, action);
        self.nodes[at as usize - 1].children = children;
        link
    }

    /// The way to the first leaf that was not offered, from the root of a tree: at each depth the branches before it,
    /// and the branch.
    pub(crate) fn unoffered_leaf(&self, list: List) -> Option<Vec<(Vec<Turn>, Link)>> {
        let mut way: Vec<(Vec<Turn>, Link)> = Vec::new();
        let (mut before, mut at) = (Vec::new(), list.first);
        loop {
            if at == 0 {
                // No such leaf below the newest branch of the way.
                let (passed, branch) = way.pop()?;
                (before, at) = (passed, branch);
            } else if !self.node(at).children.is_empty() {
                way.push((std::mem::take(&mut before), at));
                at = self.node(at).children.first;
                continue;
            } else if self.node(at).offer == 0 {
                way.push((before, at));
                return Some(way);
            }
            before.push(self.node(at).action.turn());
            at = self.node(at).next;
        }
    }

    /// Whether a tree is a single leaf.
    pub(crate) fn is_single_leaf(&self, list: List) -> bool {
        list.first != 0 && list.first == list.last && self.node(list.first).children.is_empty()
    }

    pub(crate) fn action(&self, link: Link) -> Action {
        self.node(link).action
    }

    /// Notes that a leaf was offered to other workers.
    pub(crate) fn set_offer(&mut self, leaf: Link, offer: Offer) {
        let free = self.offers.iter().position(Option::is_none);
        let index = free.unwrap_or_else(|| {
            self.offers.push(None);
            self.offers.len() - 1
        });
        self.offers[index] = Some(offer);
        self.nodes[leaf as usize - 1].offer = index as u32 + 1;
    }

    /// The offer of a leaf that was taken out.
    pub(crate) fn offer_of(&self, branch: Branch) -> Option<Offer> {
        self.offers[branch.offer.checked_sub(1)? as usize].clone()
    }

    /// Puts a branch back that was taken out of a tree right before.
    pub(crate) fn put_back(&mut self, list: &mut List, branch: Branch) {
        let link = self.new_node(Action::of(branch.turn));
        let node = &mut self.nodes[link as usize - 1];
        (node.children, node.next, node.offer) = (branch.below, list.first, branch.offer);
        list.first = link;
        if list.last == 0 {
            list.last = link;
        }
    }

    /// [`Trees::offer_of`], which the trees forget.
    pub(crate) fn take_offer(&mut self, branch: Branch) -> Option<Offer> {
        self.offers[branch.offer.checked_sub(1)? as usize].take()
    }

    /// Takes all offers out of the trees.
    pub(crate) fn take_offers(&mut self) -> impl Iterator<Item = Offer> {
        std::mem::take(&mut self.offers).into_iter().flatten()
    }

    /// The branches that come after one of their list.
    pub(crate) fn behind(&self, link: Link) -> List {
        let first = self.node(link).next;
        List { first, last: first }
    }

    /// A tree as a value.
    pub(crate) fn export(&self, list: List) -> Forest {
        let (mut forest, mut open) = (Forest::new(), SmallVec::<[Link; 8]>::new());
        let mut at = list.first;
        loop {
            while at == 0 {
                let Some(parent) = open.pop() else { return forest };
                at = self.node(parent).next;
            }
            let node = self.node(at);
            let mut children = 0;
            let mut child = node.children.first;
            while child != 0 {
                children += 1;
                child = self.node(child).next;
            }
            let offer = node.offer.checked_sub(1).and_then(|n| self.offers[n as usize].clone());
            forest.push((node.action, children, offer));
            open.push(at);
            at = node.children.first;
        }
    }

    /// The first branches of a tree as far as they are leaves, without their offers, and at most this many. A sequence that one of
    /// them covers is covered by the whole tree.
    pub(crate) fn first_leaves(&self, list: List, most: usize) -> Forest {
        let mut forest = Forest::new();
        let mut at = list.first;
        while at != 0 && self.node(at).children.is_empty() && forest.len() < most {
            forest.push((self.node(at).action, 0, None));
            at = self.node(at).next;
        }
        forest
    }

    /// The tree that [`Trees::export`] was given.
    pub(crate) fn import(&mut self, forest: Forest) -> List {
        let mut root = List::EMPTY;
        // Nodes that miss children, with their number.
        let mut open: Vec<(Link, u32)> = Vec::new();
        for (action, children, offer) in forest {
            let at = open.last().map_or(0, |(link, _)| *link);
            let link = self.graft_one(&mut root, at, action);
            if let Some(offer) = offer {
                self.set_offer(link, offer);
            }
            if let Some((_, missing)) = open.last_mut() {
                *missing -= 1;
            }
            if children > 0 {
                open.push((link, children));
            }
            while open.last().is_some_and(|(_, missing)| *missing == 0) {
                open.pop();
            }
        }
        root
    }

    /// The number of nodes.
    pub(crate) fn size(&self) -> u32 {
        (self.nodes.len() - self.free.len()) as u32
    }

    /// Forgets all trees.
    pub(crate) fn clear(&mut self) {
        *self = Trees::default();
    }

    /// Appends the sequence as a new last branch below `at`.
    fn graft(&mut self, list: &mut List, mut at: Link, sequence: &[Item]) {
        for item in sequence {
            at = self.graft_one(list, at, item.action);
        }
    }
}

/// Whether `action` is an *initial* of the sequence: an element before which no other element has to happen.
pub(crate) fn is_initial(
    action: &Action,
    sequence: &[Item],
    happens_before: &impl Fn(u32, u32) -> bool,
) -> bool {
    let found = sequence.iter().position(|item| item.action.same_process(action));
    found.is_some_and(|n| is_initial_at(n, sequence, happens_before))
}

fn is_initial_at(n: usize, sequence: &[Item], happens_before: &impl Fn(u32, u32) -> bool) -> bool {
    !sequence[..n].iter().any(|e| happens_before(e.position, sequence[n].position))
}

/// Whether `action` is a *weak initial* of the sequence: some continuation of the sequence is equivalent to
/// one that starts with the action. This holds for an initial, and for an action that is not an element and
/// is independent of all elements.
pub(crate) fn is_weak_initial(
    action: &Action,
    sequence: &[Item],
    happens_before: &impl Fn(u32, u32) -> bool,
) -> bool {
    let mut action = *action;
    for (n, item) in sequence.iter().enumerate() {
        // Only the first element of a process can be this action; later ones happen after it.
        if item.action.same_process(&action) {
            return is_initial_at(n, sequence, happens_before);
        }
        if action.conflicts(&item.action) {
            return false;
        }
        // An update among the elements may uncover memory for a load that its buffer served.
        action.after(&item.action);
    }
    true
}

impl Action {
    /// Adapts this action to another one that now comes before it. An update of the same thread takes a store
    /// out of the buffer, and that store no longer hides memory from a load.
    #[inline]
    pub(crate) fn after(&mut self, other: &Action) {
        if self.forwarded > 0
            && other.update
            && other.thread == self.thread
            && !self.update
            && other.covers(self)
        {
            self.forwarded -= 1;
        }
    }
}
