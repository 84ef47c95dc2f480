//! Seeded random schedules: each step is drawn from all enabled actions, with equal probability.

use super::sample::sample;
use crate::observe::Visitor;
use crate::system::System;
use raddle_engine::{Options, Summary};

pub(super) fn explore<'o>(
    system: System<'_>,
    options: &'o Options,
    visitor: Option<Visitor<'o>>,
) -> Summary {
    sample(system, options, visitor, |_, random, enabled| enabled[random.usize(..enabled.len())])
}
