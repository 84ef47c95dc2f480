//! Data races that were found, and their messages.

use super::history::{Accessed, Kind};
use crate::system::System;
use raddle_engine::{FailureKind, FailureSite, Names};
use raddle_ir::LocId;
use raddle_machine::Machine;

/// Two accesses that race, in the order of the execution.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub earlier: Accessed,
    pub later: Accessed,
    /// The first byte that both touch.
    pub addr: u64,
    /// The number of events up to the later access.
    pub events: u32,
}

impl Found {
    /// Whether the two are the same error for a user: the same pair of source positions, or, without
    /// positions, the same byte.
    pub(crate) fn is_same(&self, other: &Found) -> bool {
        let placeless = self.earlier.loc == LocId::NONE || self.later.loc == LocId::NONE;
        let (here, there) =
            ((self.earlier.loc, self.later.loc), (other.earlier.loc, other.later.loc));
        (here == there || here == (there.1, there.0)) && (!placeless || self.addr == other.addr)
    }

    /// `main writes x at f.c:3, main.1:f reads it at f.c:9, and nothing orders the two`
    pub(crate) fn message(&self, machine: &Machine<'_>, names: &Names) -> String {
        let does = |access: &Accessed, what: &str| {
            let thread = machine.thread_name(access.thread);
            let place = machine.program.short_place(access.loc);
            let at = place.map_or(String::new(), |place| format!(" at {place}"));
            format!("{thread} {} {what}{at}", verb(access))
        };
        let name = names.name(machine, self.addr);
        let (earlier, later) = (does(&self.earlier, &name), does(&self.later, "it"));
        let advice = match self.earlier.volatile || self.later.volatile {
            true => "; C11 does not count volatile accesses as atomic: use _Atomic, or order them",
            false => "",
        };
        format!("{earlier}, {later}, and nothing orders the two{advice}")
    }
}

fn verb(access: &Accessed) -> &'static str {
    match (access.kind, access.plain) {
        (Kind::Read, true) => "reads",
        (Kind::Read, false) => "atomically reads",
        (Kind::Write, true) => "writes",
        (Kind::Write, false) => "atomically writes",
        (Kind::Free, _) => "frees",
    }
}

/// A race as a failure at its later access.
pub(crate) fn site(system: &System<'_>, names: &Names, found: &Found) -> FailureSite {
    let machine = &system.machine;
    let thread = machine.thread_name(found.later.thread);
    let message = found.message(machine, names);
    let site = FailureSite::new(FailureKind::Race, thread, found.later.loc, message);
    FailureSite { against: found.earlier.loc, ..site }
}
