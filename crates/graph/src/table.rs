//! Dense tables indexed by typed ids: threads, fetched events, locations, committed events.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A dense number of one kind of thing.
pub(crate) trait Id: Copy {
    fn from_index(index: usize) -> Self;
    fn index(self) -> usize;
}

/// Implements [`Id`] for a tuple struct around a `u32`.
macro_rules! impl_id {
    ($id:path) => {
        impl $crate::table::Id for $id {
            #[inline(always)]
            fn from_index(index: usize) -> Self {
                $id(index as u32)
            }

            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use impl_id;

impl_id!(raddle_machine::ThreadId);

/// An id, or none, as a word of the trail.
#[inline(always)]
pub(crate) fn to_word<I: Id>(id: Option<I>) -> u64 {
    id.map_or(0, |id| id.index() as u64 + 1)
}

/// The id, or none, that [`to_word`] has written.
#[inline(always)]
pub(crate) fn from_word<I: Id>(word: u64) -> Option<I> {
    (word as usize).checked_sub(1).map(I::from_index)
}

/// Items of one kind, in the order of their ids.
#[derive(Debug)]
pub(crate) struct Table<I, T> {
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I: Id, T> Table<I, T> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    /// The id that the next item will have.
    #[inline]
    pub(crate) fn next_id(&self) -> I {
        I::from_index(self.items.len())
    }

    pub(crate) fn push(&mut self, item: T) -> I {
        let id = self.next_id();
        self.items.push(item);
        id
    }

    #[inline]
    pub(crate) fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Makes the table long enough for an id.
    pub(crate) fn reach(&mut self, id: I, empty: T)
    where
        T: Clone,
    {
        if self.items.len() <= id.index() {
            self.items.resize(id.index() + 1, empty);
        }
    }

    /// Makes a table of so many items of one value.
    pub(crate) fn refill(&mut self, count: usize, item: T)
    where
        T: Clone,
    {
        self.items.clear();
        self.items.resize(count, item);
    }

    /// Replaces an item, or adds it as the next one.
    pub(crate) fn put(&mut self, id: I, item: T) {
        match self.items.get_mut(id.index()) {
            Some(old) => *old = item,
            None => self.items.push(item),
        }
    }

    #[inline]
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    #[inline]
    pub(crate) fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    #[inline]
    pub(crate) fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(n, item)| (I::from_index(n), item))
    }
}

impl<I, T> Default for Table<I, T> {
    fn default() -> Self {
        Table { items: Vec::new(), ids: PhantomData }
    }
}

impl<I, T: Clone> Clone for Table<I, T> {
    fn clone(&self) -> Self {
        Table { items: self.items.clone(), ids: PhantomData }
    }

    /// Keeps the memory of the table that is overwritten.
    fn clone_from(&mut self, other: &Self) {
        self.items.clone_from(&other.items);
    }
}

impl<I: Id, T> Index<I> for Table<I, T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Table<I, T> {
    #[inline(always)]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}
