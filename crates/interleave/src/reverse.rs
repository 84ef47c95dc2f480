//! Reversing races: collects the sequences that put the later event of a race before the earlier one.
//!
//! The strategies decide which sequences are planned.

use crate::event::{Action, Class, Event};
use crate::race::Race;
use crate::search::Search;
use crate::strategy::Plan;
use crate::wakeup::{Item, LAST, is_initial};
use raddle_engine::Buffering;

impl<P: Plan> Search<'_, '_, P> {
    /// The sleep set of the state before an event.
    pub(crate) fn asleep_before(&self, event: u32) -> &[Action] {
        let level = &self.levels[event as usize];
        &self.sleepers[level.sleep_start as usize..level.sleep_end as usize]
    }

    /// Plans the first action of a sequence in the state before the earlier event, unless an initial of the
    /// sequence is planned or was explored there.
    pub(crate) fn plan_initial(&mut self, race: Race, collect: impl FnOnce(&Self, &mut Vec<Item>)) {
        let mut sequence = std::mem::take(&mut self.sequence);
        collect(self, &mut sequence);
        let system = &self.system;
        let happens_before = |a: u32, b: u32| system.precedes(a, b, race.needs);
        let initial = |action: &Action| is_initial(action, &sequence, &happens_before);
        if !self.asleep_before(race.earlier).iter().any(initial) {
            self.plan_at(race.earlier, &mut sequence, race.needs);
        }
        self.sequence = sequence;
    }

    /// The events after the earlier one that `last` needs, then `last`.
    #[inline]
    pub(crate) fn collect_needed(&self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        let system = &self.system;
        self.collect(race, last, sequence, |event| system.needs(race.needs, event));
    }

    /// All events after the earlier one that do not happen after it, then `last`.
    pub(crate) fn collect_all(&self, race: Race, last: Action, sequence: &mut Vec<Item>) {
        let system = &self.system;
        let Event { chain, index, .. } = system.events[race.earlier as usize];
        self.collect(race, last, sequence, |event| system.clocks.get(event.clock, chain) < index);
    }

    /// The events after the earlier one that are `kept`, then `last`. The sequence may be incomplete if the
    /// budget is spent; the callers do not use it then.
    #[inline(always)]
    fn collect(
        &self,
        race: Race,
        last: Action,
        sequence: &mut Vec<Item>,
        kept: impl Fn(&Event) -> bool,
    ) {
        sequence.clear();
        let buffered = self.system.rules.buffering != Buffering::None;
        let (earlier, events) = (race.earlier as usize, &self.system.events);
        for (n, event) in events[earlier + 1..].iter().enumerate() {
            let position = race.earlier + 1 + n as u32;
            if race.happened == Some(position) || !kept(event) {
                continue;
            }
            let mut action = event.action;
            if buffered && action.class == Class::Read {
                if self.system.budget().is_spent() {
                    break;
                }
                // An update that is left out leaves its store in the buffer, where it serves the load. The
                // quadratic loop is why the budget is checked here.
                for other in &events[earlier..position as usize] {
                    action.forwarded += u32::from(hides(other, &action) && !kept(other));
                }
            }
            sequence.push(Item { action, position });
        }
        sequence.push(Item { action: last, position: LAST });
    }
}

/// Whether an event is an update by the load's own thread that covers the bytes of the load.
#[inline]
fn hides(event: &Event, load: &Action) -> bool {
    event.action.update && event.action.thread == load.thread && event.action.covers(load)
}
