//! Learned sizes of subtrees, which tell random probes where to go.
//!
//! A probe is an unbiased estimate of the number of leaves whatever probabilities it takes its acts with, if they
//! depend on earlier probes only. It varies the less, the closer each probability is to the part of the leaves that
//! are below the act: with the exact parts every probe would have the same weight, the number of leaves. So probes
//! learn sizes of subtrees as they go (adaptive importance sampling, with the sizes as value function):
//!
//! - A state is known by a digest of how far each thread is and which loads it has deferred ([`Child::state`]). States
//!   with the same digest have subtrees of about the same size. After a probe, the size of each state on its way
//!   becomes the sum of the sizes of its children, from the leaf upwards, so that sizes spread from one way to others
//!   that come through the same states.
//! - Threads that run the same code are interchangeable, as far as sizes go. So sizes are also kept by the *shape* of a
//!   state ([`Child::shape`]): how many threads are how far. It is the expected size of a state that was seldom visited.
//! - A state whose shape no probe has been at gets the size that its act suggests. An act is known by its event and
//!   by the place of the store that it names ([`Child::act`]). It starts with the size that the writes to come
//!   suggest ([`Child::prior`]), and learns by which factor that is wrong.
//! - No act gets less than [`LEAST`] divided by the number of acts, and the size that its act suggests counts for a state as
//!   one visit more. So subtrees that looked empty are tried again.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The part of the probability that is the same for all acts.
const LEAST: f64 = 0.02;
/// How many visits of a state the size of its shape counts for.
const PRIOR: f64 = 2.0;
/// Sizes that a table holds at most; later ones are not learned.
const MOST: usize = 1 << 18;
/// A new size counts at least this much: what was learned first is known least.
const SLOWEST: f64 = 0.2;
/// Larger sizes are not told apart, so that sums stay finite.
const LARGEST: f64 = 1e290;

/// A state that an act leads to, and the act.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Child {
    pub state: u64,
    /// The state without the names of its threads: the same if threads have changed places.
    pub shape: u64,
    pub act: u64,
    /// The size that is expected before anything is learned, in relation to that of the siblings.
    pub prior: f64,
}

pub(crate) type Children = SmallVec<[Child; 6]>;
type Numbers = SmallVec<[f64; 6]>;

/// An average that follows the newest numbers.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Average {
    value: f64,
    count: u32,
}

impl Average {
    fn add(&mut self, number: f64) {
        self.count = self.count.saturating_add(1);
        self.value += (number - self.value) * (1.0 / f64::from(self.count)).max(SLOWEST);
    }

    /// The average with one more number, which was expected before any came.
    fn with(&self, expected: f64) -> f64 {
        let count = f64::from(self.count);
        (self.value * count + expected) / (count + 1.0)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Sizes {
    /// By [`Child::shape`].
    shapes: FxHashMap<u64, Average>,
    /// By [`Child::state`].
    states: FxHashMap<u64, Average>,
    /// By [`Child::act`]: the size below the act, divided by the one that [`Child::prior`] gives it.
    acts: FxHashMap<u64, Average>,
    /// The decisions of the current probe, each with the child that was chosen.
    way: Vec<(Children, usize)>,
}

impl Sizes {
    /// Chooses a child for a probe that draws a number of `0.0..1.0`; gives its number and its probability.
    pub(crate) fn choose(&mut self, children: Children, draw: f64) -> (usize, f64) {
        let probabilities = self.probabilities(&children);
        let mut left = draw;
        let mut at = 0;
        while at + 1 < children.len() && left >= probabilities[at] {
            left -= probabilities[at];
            at += 1;
        }
        self.way.push((children, at));
        (at, probabilities[at])
    }

    /// What is known of the size below a child, and how sure that is.
    fn known(&self, child: &Child) -> Option<Average> {
        let own = self.states.get(&child.state).copied();
        let shape = self.shapes.get(&child.shape).copied();
        match (own, shape) {
            (Some(own), Some(shape)) => {
                let count = f64::from(own.count);
                let value = (own.value * count + shape.value * PRIOR) / (count + PRIOR);
                Some(Average { value, count: shape.count })
            }
            (own, shape) => own.or(shape),
        }
    }

    fn probabilities(&self, children: &[Child]) -> Numbers {
        let count = children.len() as f64;
        let (mut sum, mut multiples) = (0.0, 0.0);
        for child in children {
            if let Some(size) = self.known(child) {
                sum += size.value;
                multiples += self.multiple(child);
            }
        }
        let mean = if sum > 0.0 { sum / multiples } else { 1.0 };
        let mut wanted: Numbers = SmallVec::new();
        for child in children {
            let expected = mean * self.multiple(child);
            wanted.push(match self.known(child) {
                Some(size) => size.with(expected),
                None => expected,
            });
        }
        let sum: f64 = wanted.iter().sum();
        let part = |wanted: f64| if sum > 0.0 { wanted / sum } else { 1.0 / count };
        wanted.iter().map(|wanted| (1.0 - LEAST) * part(*wanted) + LEAST / count).collect()
    }

    /// The size below an act, in relation to its siblings. Never 0.
    fn multiple(&self, child: &Child) -> f64 {
        child.prior * self.acts.get(&child.act).copied().unwrap_or_default().with(1.0)
    }

    /// Learns from the end of a probe: whether it counts.
    pub(crate) fn learn(&mut self, counts: bool) {
        let mut size = if counts { 1.0 } else { 0.0 };
        let mut way = std::mem::take(&mut self.way);
        for (children, chosen) in way.drain(..).rev() {
            let child = children[chosen];
            add(&mut self.states, child.state, size);
            add(&mut self.shapes, child.shape, size);
            let own = self.known(&child).map_or(size, |known| known.value);
            // A state that was never visited has a leaf at least, as far as anybody knows.
            let mean = (own / self.multiple(&child)).max(1.0);
            let sizes: Numbers = children
                .iter()
                .map(|child| match self.known(child) {
                    Some(known) => known.value,
                    None => mean * self.multiple(child),
                })
                .collect();
            size = sizes.iter().sum::<f64>().min(LARGEST);
            if size > 0.0 {
                let all: f64 = children.iter().map(|child| child.prior).sum();
                for (child, own) in children.iter().zip(sizes) {
                    if self.known(child).is_some() {
                        let part = all / (size * child.prior);
                        add(&mut self.acts, child.act, own * part);
                    }
                }
            }
        }
        self.way = way;
    }
}

fn add(table: &mut FxHashMap<u64, Average>, key: u64, number: f64) {
    if table.len() < MOST || table.contains_key(&key) {
        table.entry(key).or_default().add(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use raddle_engine::Sample;

    /// The weight of a probe of a tree that is given by the children of its nodes; a node without children counts if
    /// it `ends`.
    fn probe(
        sizes: &mut Sizes,
        random: &mut Rng,
        children: impl Fn(u64) -> Vec<u64>,
        ends: impl Fn(u64) -> bool,
    ) -> f64 {
        let (mut node, mut weight) = (0, 1.0);
        loop {
            let below = children(node);
            if below.is_empty() {
                sizes.learn(ends(node));
                return if ends(node) { weight } else { 0.0 };
            }
            let known = below.iter().enumerate();
            let known = known
                .map(|(n, child)| Child { state: *child, shape: *child, act: n as u64, prior: 1.0 })
                .collect();
            let (chosen, probability) = sizes.choose(known, random.f64());
            weight /= probability;
            node = below[chosen];
        }
    }

    fn estimated(
        probes: u32,
        children: impl Fn(u64) -> Vec<u64> + Copy,
        ends: impl Fn(u64) -> bool + Copy,
    ) -> f64 {
        let (mut sizes, mut random) = (Sizes::default(), Rng::with_seed(7));
        let mut sample = Sample::default();
        for _ in 0..probes {
            sample.add(probe(&mut sizes, &mut random, children, ends));
        }
        let estimate = sample.estimate().expect("an estimate");
        assert!(estimate.low <= estimate.executions && estimate.executions <= estimate.high);
        estimate.executions
    }

    /// Numbers nodes as in a heap.
    fn two(node: u64) -> Vec<u64> {
        vec![2 * node + 1, 2 * node + 2]
    }

    #[test]
    fn a_uniform_tree_is_counted_exactly() {
        let children = |node: u64| if node < (1 << 20) - 1 { two(node) } else { Vec::new() };
        assert_eq!(estimated(100, children, |_| true).round(), f64::from(1 << 20));
    }

    /// A left branch ends at once, a right branch goes on: a chain of 60 leaves, which no uniform probe reaches.
    #[test]
    fn a_skewed_tree_is_learned() {
        let children = |node: u64| match node {
            1000.. => Vec::new(),
            60 => vec![1060],
            node => vec![1000 + node, node + 1],
        };
        let found = estimated(3000, children, |_| true);
        assert!((55.0..67.0).contains(&found), "{found}");
    }

    /// Of two branches one is always dead, after three further steps: 2 to the 12 ways, of which one counts in
    /// sixteen.
    #[test]
    fn dead_ends_are_avoided() {
        let children = |node: u64| if node < (1 << 12) - 1 { two(node) } else { Vec::new() };
        let found = estimated(3000, children, |node| node % 16 == 0);
        assert!((200.0..320.0).contains(&found), "{found}");
    }

    #[test]
    fn sizes_stay_finite() {
        let children = |node: u64| if node < 4000 { vec![node + 1; 3] } else { Vec::new() };
        let (mut sizes, mut random) = (Sizes::default(), Rng::with_seed(1));
        let weight = probe(&mut sizes, &mut random, children, |_| true);
        assert!(weight.is_infinite());
        assert!(sizes.states.values().all(|size| size.value.is_finite()));
    }
}
