//! Wakeup sequences and trees.
//!
//! Abdulla, Aronis, Jonsson, Sagonas, *Optimal dynamic partial order reduction* (POPL 2014), the
//! algorithm that paper 000 builds on. A *wakeup sequence* is a schedule that reverses a race: first the
//! events that the later event needs, then the later event. For each state of the current execution, a
//! *wakeup tree* holds the sequences still to be explored from it.
//!
//! The sequences are collected in `reverse`; the strategies decide which of them to insert.

use crate::event::{Action, Turn};
use raddle_engine::Budget;

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
type Link = u32;

#[derive(Clone, Copy, Debug)]
struct Node {
    action: Action,
    children: List,
    next: Link,
}

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
}

impl Trees {
    fn node(&self, link: Link) -> &Node {
        &self.nodes[link as usize - 1]
    }

    fn new_node(&mut self, action: Action) -> Link {
        let node = Node { action, children: List::EMPTY, next: 0 };
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

    /// Removes the first branch; returns its action and the tree below it.
    #[inline(always)]
    pub(crate) fn pop(&mut self, list: &mut List) -> Option<(Turn, List)> {
        if list.first == 0 {
            return None;
        }
        let link = list.first;
        let node = self.node(link);
        let popped = (node.action.turn(), node.children);
        list.first = node.next;
        if node.next == 0 {
            list.last = 0;
        }
        // Only this node is free now. Its children go on as the branches of the next level.
        self.free.push(link);
        Some(popped)
    }

    /// Inserts a sequence unless the tree covers it. It follows the branches that are compatible with the
    /// sequence, and adds a branch where none is. `happens_before(a, b)` takes positions. Tree and sequence
    /// can be long: when the budget is spent, nothing is inserted.
    pub(crate) fn insert(
        &mut self,
        list: &mut List,
        sequence: &mut Vec<Item>,
        happens_before: &impl Fn(u32, u32) -> bool,
        budget: &Budget,
    ) {
        let mut at: Link = 0;
        loop {
            let children = if at == 0 { *list } else { self.node(at).children };
            let mut child = children.first;
            while child != 0 && !is_weak_initial(&self.node(child).action, sequence, happens_before)
            {
                if budget.is_spent() {
                    return;
                }
                child = self.node(child).next;
            }
            if budget.is_spent() {
                return;
            }
            if child == 0 {
                return self.graft(list, at, sequence);
            }
            // Behind a leaf everything is explored, so the leaf covers the sequence.
            if self.node(child).children.is_empty() {
                return;
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
                return;
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
