//! The chains of a thread's updates: see [`crate::clock`].

use crate::clock::{Chain, ClockId};
use crate::record::{Base, FewConflicts};
use crate::system::{System, field};
use raddle_engine::Buffering;
use raddle_machine::ThreadId;

impl System<'_> {
    /// The chain that an update with this base and these conflicts extends.
    #[inline(always)]
    pub(crate) fn update_chain(
        &mut self,
        thread: ThreadId,
        base: Base,
        few: FewConflicts,
    ) -> Chain {
        // The updates of one queue are one chain.
        if self.rules.buffering == Buffering::Fifo
            && let Some((chain, _)) = self.process(thread).update_chains.first()
        {
            return *chain;
        }
        let [first, second, third] =
            [few.write, few.reads[0], few.reads[1]].map(|name| self.named(name).clock);
        self.fitting_chain(thread, &[base.0, base.1, first, second, third])
    }

    /// The chain that an update extends which has seen these clocks: one whose newest update it has seen, or
    /// a new one.
    fn fitting_chain(&mut self, thread: ThreadId, seen: &[ClockId]) -> Chain {
        let fits = self.process(thread).update_chains.iter().find(|(chain, newest)| {
            let newest = ClockId(self.machine.trail.get(*newest) as u32);
            let newest = self.clocks.get(newest, *chain);
            seen.iter().any(|clock| self.clocks.get(*clock, *chain) == newest)
        });
        match fits {
            Some((chain, _)) => *chain,
            None => self.new_update_chain(thread),
        }
    }

    /// The clock of all updates of a thread so far.
    pub(crate) fn updates(&mut self, thread: ThreadId) -> ClockId {
        if self.rules.buffering != Buffering::PerLocation {
            return self.clock(thread, field::UPDATES);
        }
        // The newest update of a chain has seen the earlier ones.
        let mut all = ClockId::NONE;
        for n in 0..self.process(thread).update_chains.len() {
            let (_, newest) = self.process(thread).update_chains[n];
            let newest = ClockId(self.machine.trail.get(newest) as u32);
            all = self.clocks.joined(all, newest);
        }
        all
    }

    #[cold]
    fn new_update_chain(&mut self, thread: ThreadId) -> Chain {
        let chain = self.new_chain();
        let newest = self.machine.trail.reserve(1);
        self.processes[thread.0 as usize].update_chains.push((chain, newest));
        chain
    }

    /// Stores the clock of the newest update of a chain. With one queue, `field::UPDATES` holds it.
    #[inline]
    pub(crate) fn note_update(&mut self, thread: ThreadId, chain: Chain, clock: ClockId) {
        if self.rules.buffering == Buffering::Fifo {
            return;
        }
        let chains = &self.processes[thread.0 as usize].update_chains;
        if let Some((_, newest)) = chains.iter().find(|(known, _)| *known == chain) {
            self.machine.trail.set(*newest, clock.0.into());
        }
    }
}
