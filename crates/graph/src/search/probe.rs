//! Random probes of the tree of decisions: how many executions a program has, estimated without a search.
//!
//! The decisions of this engine divide the complete traces of a program, and the acts of a decision are known
//! before anything below them is explored. So a random way from the root to a leaf tells the size of the tree, as
//! Knuth has it ([`raddle_engine::Sample`]). That is not so for dynamic partial-order reduction, whose branches are
//! found while the tree below them is explored. But every engine visits each trace once, so these probes tell how many
//! executions any of them will visit. What is learned of the tree leads the probes ([`crate::sizes`]).
//!
//! A deferral of a load that only code not yet fetched could store for is tried, as in the search, only where such
//! a store was seen: below another act of the decision there, in an earlier probe that came by the same load here.
//! So the first probes may miss something; they are forgotten as the sample grows. If the other acts are impossible,
//! the deferral is tried in any case. A probe that ends with a load waiting is redundant.

use super::{Acts, Node, Search, TooSmall};
use crate::fetch::EventId;
use crate::outcome::end_of;
use crate::sizes::{Child, Children, Sizes};
use crate::state::Act;
use fastrand::Rng;
use raddle_engine::{End, Probe, ProbeEnd};
use rustc_hash::{FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::Hasher;

/// Sources of a load are told apart by their distance from the newest one, up to this.
const FAR: usize = 3;

/// Loads that are known to race at most; later ones are not learned.
const MOST: usize = 1 << 18;

/// What probes have learned.
#[derive(Debug, Default)]
struct Learned {
    sizes: Sizes,
    /// Loads that a store could have come before.
    raced: FxHashSet<u64>,
}

impl<const W: usize> Search<'_, W> {
    /// Makes probes until the visitor has seen enough or the budget is spent.
    pub(crate) fn probes(
        mut self,
        random: &mut Rng,
        visit: &mut dyn FnMut(Probe) -> bool,
    ) -> Result<(), TooSmall> {
        self.threads.run_all();
        let start = self.threads.trail.mark();
        let mut learned = Learned::default();
        loop {
            let probe = self.probe(random, &mut learned)?;
            if self.options.limits.budget.is_spent() || !visit(probe) {
                return Ok(());
            }
            let counts = probe.end != ProbeEnd::Redundant;
            learned.sizes.learn(counts);
            for node in std::mem::take(&mut self.nodes) {
                // In a probe that was given up, all loads count as raced.
                let room = learned.raced.len() < MOST;
                if let Some(load) = node.load.filter(|_| node.race_seen && counts && room) {
                    learned.raced.insert(self.digest_of_load(load));
                }
            }
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
        let (mark, postponed) = (node.mark, self.postponed(&node, learned));
        let acts = match &mut node.acts {
            Acts::Choices { thread, count } => {
                let count = (*count).max(1);
                let act = Act::Choose(*thread, random.u64(0..count));
                return Ok(self.apply(act, true)?.then_some(1.0 / count as f64));
            }
            Acts::List(acts) => std::mem::take(acts),
        };
        if postponed.is_some() {
            self.nodes.push(node);
        } else if let [only] = acts.as_slice() {
            return Ok(self.apply(*only, true)?.then_some(1.0));
        }
        let mut possible: SmallVec<[Act; 6]> = SmallVec::new();
        let mut children = Children::new();
        for (n, act) in acts.iter().enumerate().filter(|(_, act)| Some(**act) != postponed) {
            if self.apply(*act, false)? {
                possible.push(*act);
                let act = self.digest_of_act(*act, (acts.len() - n).min(FAR));
                children.push(Child { state: self.digest(), act });
            }
            self.threads.trail.backtrack(mark);
            self.level = 0;
        }
        let (act, probability) = match possible.as_slice() {
            [] => match postponed {
                Some(defer) => (defer, 1.0),
                None => return Ok(None),
            },
            [only] => (*only, 1.0),
            _ => {
                let (chosen, probability) = learned.sizes.choose(children, random.f64());
                (possible[chosen], probability)
            }
        };
        Ok(self.apply(act, true)?.then_some(probability))
    }

    /// The deferral among the acts of a decision, if it is worth a try only after a store was seen, and none was.
    fn postponed(&self, node: &Node, learned: &Learned) -> Option<Act> {
        let load = node.load.filter(|_| node.needs_race)?;
        (!learned.raced.contains(&self.digest_of_load(load))).then_some(Act::Defer(load))
    }

    /// How far each thread is, and what it has deferred.
    fn digest(&self) -> u64 {
        let (threads, graph) = (&self.threads, &self.graphs[self.level]);
        let mut digest = FxHasher::default();
        for thread in threads.ids() {
            digest.write_u32(threads.fetched(thread));
            digest.write_u32(threads.place(thread).0);
            for id in threads.uncommitted(thread) {
                digest.write_u32(threads.event(id).po);
                if let Some(known) = threads.deferred(id) {
                    let location = threads.location(id);
                    let stores = location.map_or(0, |location| graph.stores_at(location).count());
                    digest.write_u64(u64::from(stores).saturating_sub(known) + 1);
                }
            }
        }
        digest.finish()
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

    /// A load, in any probe: its place in program order, and its address.
    fn digest_of_load(&self, load: EventId) -> u64 {
        let event = self.threads.event(load);
        let mut digest = FxHasher::default();
        digest.write_u32(event.thread.0);
        digest.write_u32(event.po);
        if let Some(location) = self.threads.location(load) {
            digest.write_u64(self.threads.extent_of(location).0);
        }
        digest.finish()
    }
}
