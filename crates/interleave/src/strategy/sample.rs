//! The loop of the strategies that run a sample of schedules: as many runs as [`Options::sampling`] says, from
//! its seed. They differ in how the next action is drawn.

use crate::event::{ANY, Turn};
use crate::limits::Watch;
use crate::observe::{Observers, Watching};
use crate::outcome::Outcomes;
use crate::race::Race;
use crate::system::System;
use fastrand::Rng;
use raddle_engine::{Options, Sampling};
use std::ops::ControlFlow;

/// Runs schedules in which `pick` draws each action from those that are enabled: at least one. If it picks
/// [`ANY`] of several alternatives, one of them is drawn with equal probability. The same seed gives the same
/// schedules if `pick` takes its random numbers from the generator that it is given.
pub(super) fn sample<'o>(
    mut system: System<'_>,
    options: &'o Options,
    observers: Option<Observers<'o>>,
    pick: impl FnMut(&System<'_>, &mut Rng, &[Turn]) -> Turn,
) -> Outcomes {
    let mut visitor = observers.map(|observers| match observers.visitors {
        Watching::All(visitor) => visitor,
        Watching::Each(visitors) => visitors(),
    });
    let Sampling { seed, runs } = options.sampling;
    let mut sampler = Sampler {
        pick,
        random: Rng::with_seed(seed),
        outcomes: Outcomes::new(system.machine.program, options),
        enabled: Vec::new(),
        races: Vec::new(),
    };
    let mut watch = Watch::new(&options.limits);
    let start = system.moment();
    for _ in 0..runs {
        sampler.run(&mut system, options.limits.events);
        if watch.is_spent() {
            break;
        }
        if let Some(visit) = &mut visitor
            && let ControlFlow::Break(found) = system.visited(visit)
        {
            sampler.outcomes.find(found);
        }
        system.go_back(start);
        if sampler.outcomes.is_decided() || watch.is_over(&sampler.outcomes.tally.summary) {
            break;
        }
    }
    watch.finish(&sampler.outcomes.tally.summary);
    sampler.outcomes.stopped = watch.stopped();
    sampler.outcomes
}

struct Sampler<P> {
    pick: P,
    random: Rng,
    outcomes: Outcomes,
    /// Scratch buffers, kept to reuse their memory.
    enabled: Vec<Turn>,
    races: Vec<Race>,
}

impl<P: FnMut(&System<'_>, &mut Rng, &[Turn]) -> Turn> Sampler<P> {
    /// Runs one schedule to its end, or until the budget is spent.
    fn run(&mut self, system: &mut System<'_>, most_events: u32) {
        loop {
            self.enabled.clear();
            for thread in system.machine.thread_ids() {
                self.enabled.extend(system.enabled_updates(thread));
                self.enabled.extend(system.enabled_step(thread));
            }
            if system.budget().is_spent() {
                return;
            }
            if self.enabled.is_empty() {
                self.outcomes.end(system);
                return;
            }
            let mut turn = (self.pick)(system, &mut self.random, &self.enabled);
            if turn.choice == ANY {
                let n = self.random.u32(0..system.machine.choice_count(turn.thread));
                turn.choice = system.machine.nth_choice(turn.thread, n);
            }
            self.races.clear();
            system.perform(turn, &mut self.races);
            self.outcomes.tally.summary.events += 1;
            system.apply_event_bound(most_events);
        }
    }
}
