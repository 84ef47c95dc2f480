//! Seeded random schedules: each step is drawn from all enabled actions, with equal probability.

use super::sample::sample;
use crate::observe::Observers;
use crate::outcome::Outcomes;
use crate::system::System;
use raddle_engine::Options;

pub(super) fn explore<'o>(
    system: System<'_>,
    options: &'o Options,
    observers: Option<Observers<'o>>,
) -> Outcomes {
    sample(system, options, observers, |_, random, enabled| enabled[random.usize(..enabled.len())])
}
