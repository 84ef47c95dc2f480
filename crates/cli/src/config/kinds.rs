//! Which errors are checked, and which are known.

use crate::args::kinds::{Kind, KindArgs};
use crate::output::Stop;
use raddle_engine::{Checks, FailureKind, Ignored};

/// The optional checks, and the errors that are not reported.
pub(super) fn kinds(args: &KindArgs) -> Result<(Checks, Ignored), Stop> {
    let KindArgs { checked, unchecked, none, known } = args;
    if let Some(both) = checked.iter().find(|kind| unchecked.contains(kind)) {
        let name = both.name();
        return Err(Stop::Usage(format!("--check {name} and --no-check {name} contradict")));
    }
    let is_left_out = |kind: &Kind| !checked.contains(kind) && (*none || unchecked.contains(kind));
    let mut ignored = Ignored { known: known.clone(), ..Ignored::default() };
    for kind in Kind::all().filter(is_left_out) {
        match kind {
            // They are only looked for when asked for.
            Kind::Failure(FailureKind::Race) => {}
            Kind::Failure(kind) => ignored.kinds.push(kind),
            Kind::Condition => ignored.condition = true,
        }
    }
    let races = checked.contains(&Kind::Failure(FailureKind::Race));
    Ok((Checks { races, goals: false }, ignored))
}

/// The first option given that a search of states does not heed.
pub(super) fn of_executions(ignored: &Ignored) -> Option<&'static str> {
    let left_out = !ignored.kinds.is_empty() || ignored.condition;
    let known = (!ignored.known.is_empty()).then_some("--suppress");
    left_out.then_some("--no-check").or(known)
}
