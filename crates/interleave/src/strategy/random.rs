//! Seeded random schedules: each step is drawn from all enabled actions, with equal probability.

use crate::event::{ANY, Turn};
use crate::limits::Watch;
use crate::observe::Visitor;
use crate::outcome::Outcomes;
use crate::system::System;
use raddle_engine::{Options, Sampling, Summary};

/// Runs as many schedules as [`Options::sampling`] says. The same seed gives the same schedules.
pub(super) fn explore<'o>(
    mut system: System<'_>,
    options: &'o Options,
    mut visitor: Option<Visitor<'o>>,
) -> Summary {
    let Sampling { seed, runs } = options.sampling;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut outcomes = Outcomes::new(system.machine.program, options);
    let mut watch = Watch::new(&options.limits);
    let start = system.moment();
    for _ in 0..runs {
        run(&mut system, options, &mut random, &mut outcomes);
        if watch.is_spent() {
            break;
        }
        if let Some(visit) = &mut visitor
            && system.visited(visit).is_break()
        {
            watch.see_enough();
        }
        system.go_back(start);
        if watch.has_seen_enough()
            || outcomes.is_decided()
            || watch.is_over(&outcomes.tally.summary)
        {
            break;
        }
    }
    watch.finish(&outcomes.tally.summary);
    outcomes.finish(watch.stopped(), options.strategy)
}

fn run(
    system: &mut System<'_>,
    options: &Options,
    random: &mut fastrand::Rng,
    outcomes: &mut Outcomes,
) {
    let mut races = Vec::new();
    loop {
        let mut enabled: Vec<Turn> = Vec::new();
        for thread in system.machine.thread_ids() {
            enabled.extend(system.enabled_updates(thread));
            enabled.extend(system.enabled_step(thread));
        }
        if system.budget().is_spent() {
            return;
        }
        let Some(mut turn) = random.choice(enabled) else {
            outcomes.end(system);
            return;
        };
        if turn.choice == ANY {
            let n = random.u32(0..system.machine.choice_count(turn.thread));
            turn.choice = system.machine.nth_choice(turn.thread, n);
        }
        system.perform(turn, &mut races);
        outcomes.tally.summary.events += 1;
        system.apply_event_bound(options.limits.events);
    }
}
