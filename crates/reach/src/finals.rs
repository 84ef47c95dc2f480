//! The final states of a program. Under TSO these are the final states of the extended program, once no
//! attack on it succeeds ([`crate::lazy`]).

use crate::api::{FinalState, FinalStates, Unknown};
use crate::lazy::{Asker, unknown};
use crate::path::Manner;
use crate::rules::Rules;
use crate::search::{Found, Target};
use raddle_engine::Options;
use raddle_ir::Verified;
use raddle_machine::code::Pc;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The values of the program's observables when all threads have ended, for each final state.
pub fn final_states(program: &Verified, options: &Options) -> FinalStates {
    let mut asker = Asker::new(program, options);
    let (states, unknown) = match asker.finals() {
        Ok(states) => (states, None),
        Err(unknown) => (Vec::new(), Some(unknown)),
    };
    FinalStates { states, unknown, effort: asker.effort() }
}

impl Asker<'_, '_> {
    fn finals(&mut self) -> Result<Vec<FinalState>, Unknown> {
        let mut delayable = FxHashSet::default();
        let mut cap = self.first_cap();
        loop {
            let (found, capped) = match self.manner()? {
                Manner::Sc => (Vec::new(), false),
                Manner::Tso | Manner::TsoDrained => self.attack_stores(&delayable, cap)?,
            };
            if !found.is_empty() {
                delayable.extend(found);
                continue;
            }
            match self.finals_of(&delayable, cap)? {
                Some(states) if !capped => return Ok(states),
                _ => cap = self.doubled_cap(cap)?,
            }
        }
    }

    /// The stores, not yet delayable, by which attacks succeed, and whether the bound was met.
    fn attack_stores(
        &mut self,
        delayable: &FxHashSet<Pc>,
        cap: usize,
    ) -> Result<(Vec<Pc>, bool), Unknown> {
        let attacked = self.find_attacks(delayable, cap, false)?;
        Ok((attacked.found.iter().map(|attack| attack.store).collect(), attacked.capped))
    }

    /// The final states of the extended program; `None` if the bound was met.
    fn finals_of(
        &mut self,
        delayable: &FxHashSet<Pc>,
        cap: usize,
    ) -> Result<Option<Vec<FinalState>>, Unknown> {
        let delayable = Arc::new(delayable.clone());
        let rules = Rules { delayable, cap, ..Rules::default() };
        let search = self.search(&rules, Target::Finals);
        let mut search = search.map_err(|fault| self.cannot_start(fault))?.find_all();
        let outcome = search.run();
        self.count(&outcome);
        if let Some(unknown) = unknown(&outcome) {
            return Err(unknown);
        }
        if outcome.capped {
            return Ok(None);
        }
        let manner = self.manner()?;
        let mut states = Vec::new();
        for finding in &outcome.found {
            let Found::Final(values) = &finding.kind else { continue };
            let schedule =
                self.schedule(&search, &rules, finding, manner).ok_or_else(|| self.lost())?;
            states.push(FinalState { values: values.clone(), schedule: schedule.steps });
        }
        states.sort_unstable_by(|a, b| a.values.cmp(&b.values));
        Ok(Some(states))
    }
}
