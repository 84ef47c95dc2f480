//! Random probes of the tree of decisions: how many executions a program has, estimated without a search.
//!
//! The decisions of this engine divide the complete traces of a program, and the acts of a decision are known
//! before anything below them is explored. So a random way from the root to a leaf tells the size of the tree, as
//! Knuth has it ([`raddle_engine::Sample`]). That is not so for dynamic partial-order reduction, whose branches are
//! found while the tree below them is explored. But every engine visits each trace once, so these probes tell how many
//! executions any of them will visit. What is learned of the tree leads the probes ([`crate::sizes`]).
//!
//! A deferral of a load that only code not yet fetched could store for is tried only where another thread can still write
//! there, as far as earlier probes have shown ([`writes`](super::writes)). The search asks for more: a store below
//! another act of the same decision. A deferral that leads nowhere makes a probe redundant and no estimate wrong.
//! The first probes know no writes, and are not counted. If the other acts are impossible, the deferral is tried in
//! any case. A probe that ends with a load waiting is redundant.

use super::writes::Writes;
use super::{Acts, Node, Search, TooSmall};
use crate::outcome::end_of;
use crate::sizes::{Child, Children, Sizes};
use crate::state::Act;
use fastrand::Rng;
use raddle_engine::{End, Probe, ProbeEnd};
use rustc_hash::FxHasher;
use smallvec::SmallVec;
use std::hash::Hasher;

/// Sources of a load are told apart by their distance from the newest one, up to this.
const FAR: usize = 3;

/// Probes at the start that are not counted, at most.
const WARM_UP: u32 = 8;

/// What probes have learned.
#[derive(Debug, Default)]
struct Learned {
    sizes: Sizes,
    writes: Writes,
}

impl<const W: usize> Search<'_, W> {
    /// Makes probes until the visitor has seen enough or the budget is spent.
    pub(crate) fn probes(
        mut self,
        random: &mut Rng,
        visit: &mut dyn FnMut(Probe) -> bool,
    ) -> Result<(), TooSmall> {
        let start = self.start;
        self.completable.asks_waiting = true;
        let mut learned = Learned::default();
        let mut warming = WARM_UP;
        loop {
            let probe = self.probe(random, &mut learned)?;
            if self.options.limits.budget.is_spent() {
                return Ok(());
            }
            let more = learned.writes.learn(&self);
            warming = if more { warming.saturating_sub(1) } else { 0 };
            if warming == 0 && !visit(probe) {
                return Ok(());
            }
            learned.sizes.learn(probe.end != ProbeEnd::Redundant);
            self.threads.trail.backtrack(start);
            self.steps.clear();
            self.graphs[0] = Default::default();
        }
    }

    /// Goes from the root to a leaf. The result is not valid if the budget is spent.
    fn probe(&mut self, random: &mut Rng, learned: &mut Learned) -> Result<Probe, TooSmall> {
        let mut weight = 1.0;
        while !self.options.limits.budget.is_spent() {
            if self.threads.exceeds_capacity() {
                return Err(TooSmall);
            }
            let Some(node) = self.decide() else { break };
            match self.descend(node, random, learned)? {
                Some(probability) => weight /= probability,
                None => return Ok(Probe { end: ProbeEnd::Redundant, weight }),
            }
        }
        let end = match end_of(&mut self.threads, &self.graphs[0]) {
            None => ProbeEnd::Redundant,
            Some(End::Blocked) => ProbeEnd::Blocked,
            Some(End::Cut(..)) => ProbeEnd::Cut,
            Some(End::Complete | End::Endless(_) | End::Failed(_)) => ProbeEnd::Execution,
        };
        Ok(Probe { end, weight })
    }

    /// Carries out one of the possible acts of a decision; the result is the probability that it had. `None` if no
    /// act is possible.
    fn descend(
        &mut self,
        mut node: Node,
        random: &mut Rng,
        learned: &mut Learned,
    ) -> Result<Option<f64>, TooSmall> {
        let mark = node.mark;
        let acts = match &mut node.acts {
            Acts::Choices { thread, count } => {
                let count = (*count).max(1);
                let act = Act::Choose(*thread, random.u64(0..count));
                return Ok(self.apply(act, true)?.then_some(1.0 / count as f64));
            }
            Acts::List(acts) => std::mem::take(acts),
        };
        let left = node.load.map(|load| learned.writes.left(&self.threads, &self.graphs[0], load));
        let postpones = node.needs_race && left.is_some_and(|left| !left.possible);
        let postponed = |act: &Act| postpones && matches!(act, Act::Defer(_));
        if let [only] = acts.as_slice() {
            return Ok(self.apply(*only, true)?.then_some(1.0));
        }
        let mut possible: SmallVec<[Act; 6]> = SmallVec::new();
        let mut children = Children::new();
        // The last of the possible acts, if the state after it is the current one.
        let mut applied = None;
        for (n, act) in acts.iter().enumerate().filter(|(_, act)| !postponed(act)) {
            if applied.take().is_some() {
                self.threads.trail.backtrack(mark);
                self.level = 0;
            }
            if self.apply(*act, false)? {
                applied = Some(possible.len());
                possible.push(*act);
                let prior = match (act, left) {
                    (_, None) => 1.0,
                    (Act::Defer(_), Some(left)) => left.others.max(0.1),
                    (_, Some(left)) => left.own.max(1.0),
                };
                let act = self.digest_of_act(*act, (acts.len() - n).min(FAR));
                let (state, shape) = self.digest();
                children.push(Child { state, shape, act, prior });
            } else {
                self.threads.trail.backtrack(mark);
                self.level = 0;
            }
        }
        let (chosen, probability) = match possible.as_slice() {
            [] => {
                let defer = acts.iter().copied().find(postponed);
                let Some(defer) = defer else { return Ok(None) };
                return Ok(self.apply(defer, true)?.then_some(1.0));
            }
            [_] => (0, 1.0),
            _ => learned.sizes.choose(children, random.f64()),
        };
        if applied == Some(chosen) {
            let level = std::mem::take(&mut self.level);
            self.graphs.swap(0, level);
            return Ok(Some(probability));
        }
        if applied.is_some() {
            self.threads.trail.backtrack(mark);
            self.level = 0;
        }
        Ok(self.apply(possible[chosen], true)?.then_some(probability))
    }

    /// How far each thread is, and what it has deferred: with the names of the threads, and without.
    fn digest(&self) -> (u64, u64) {
        let (threads, graph) = (&self.threads, &self.graphs[self.level]);
        let mut digest = FxHasher::default();
        let mut shape = 0u64;
        for thread in threads.ids() {
            let mut own = FxHasher::default();
            own.write_u32(threads.fetched(thread));
            for id in threads.uncommitted(thread) {
                own.write_u32(threads.event(id).po);
                if let Some(known) = threads.deferred(id) {
                    let location = threads.location(id);
                    let stores = location.map_or(0, |location| graph.stores_at(location).count());
                    own.write_u64(u64::from(stores).saturating_sub(known) + 1);
                }
            }
            let hash = own.finish();
            // A sum does not depend on the order of the threads. Mixing keeps sums of similar hashes apart.
            let mixed = (hash ^ (hash >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            shape = shape.wrapping_add(mixed ^ (mixed >> 29));
            digest.write_u64(hash);
            digest.write_u32(threads.place(thread).0);
        }
        (digest.finish(), shape)
    }

    /// The event of an act, and whether it is deferred or which of the stores it is about.
    fn digest_of_act(&self, act: Act, rank: usize) -> u64 {
        let (thread, number, rank) = match act {
            Act::Defer(id) => (self.threads.event(id).thread, self.threads.event(id).po, 0),
            Act::Read(id, _) | Act::Place(id, _) => {
                (self.threads.event(id).thread, self.threads.event(id).po, rank)
            }
            Act::Choose(thread, choice) => (thread, choice as u32, rank),
        };
        let mut digest = FxHasher::default();
        digest.write_u32(thread.0);
        digest.write_u32(number);
        digest.write_usize(rank);
        digest.finish()
    }
}
