//! The kinds of findings, in words.

use raddle_analysis::witness::ExpectedEnd;
use raddle_engine::FailureKind;

/// A kind of finding.
#[derive(PartialEq, Eq, Debug)]
pub struct Rule {
    /// As in JSON and in witness files.
    pub id: &'static str,
    pub name: &'static str,
    /// One sentence.
    pub short: &'static str,
    /// What to know about it.
    pub help: &'static str,
}

const fn rule(
    id: &'static str,
    name: &'static str,
    short: &'static str,
    help: &'static str,
) -> Rule {
    Rule { id, name, short, help }
}

/// Every kind of finding.
pub static RULES: [Rule; 14] = [
    rule(
        FailureKind::Assertion.name(),
        "Assertion",
        "An assertion fails.",
        "Some execution that the memory model allows makes the condition of an assertion false.",
    ),
    rule(
        FailureKind::Deadlock.name(),
        "Deadlock",
        "Threads wait for ever.",
        "No thread can go on, and at least one has not ended: it waits for a lock, a condition variable, \
         another thread, or for a value that nobody writes any more.",
    ),
    rule(
        FailureKind::Memory.name(),
        "InvalidMemoryAccess",
        "An access to memory is invalid.",
        "An access to null, to no object, out of the bounds of its object, to an object that has ended or was \
         freed, or a write to a constant.",
    ),
    rule(
        FailureKind::LockMisuse.name(),
        "LockMisuse",
        "A lock is used wrongly.",
        "A lock is unlocked by a thread that does not hold it, used after it was destroyed, and the like.",
    ),
    rule(
        FailureKind::DivisionByZero.name(),
        "DivisionByZero",
        "An integer is divided by zero, or the result does not fit.",
        "The divisor of an integer division or remainder is zero in some execution.",
    ),
    rule(
        FailureKind::Unreachable.name(),
        "Unreachable",
        "A point is reached that the program declares unreachable.",
        "The compiler may assume that this point is never reached; what follows has no meaning.",
    ),
    rule(
        FailureKind::ThreadMisuse.name(),
        "ThreadMisuse",
        "A thread is used wrongly.",
        "A program joins something that is not a thread, itself, or a thread that was joined before.",
    ),
    rule(
        FailureKind::Uninitialised.name(),
        "UninitialisedValue",
        "A value is used that was never written.",
        "The program reads memory, or uses a variable, before anything was stored in it.",
    ),
    rule(
        FailureKind::Abort.name(),
        "Abort",
        "The program aborts itself.",
        "Some execution reaches abort() or an equivalent.",
    ),
    rule(
        FailureKind::Race.name(),
        "DataRace",
        "Two accesses race.",
        "Two threads access common bytes, one of them writes, one of the accesses is not atomic, and nothing \
         orders the two. C11 gives such a program no meaning.",
    ),
    rule(
        ExpectedEnd::Condition.name(),
        "FinalCondition",
        "A final state contradicts the condition of the program.",
        "Some execution ends in a state that ~exists forbids, or that forall does not allow.",
    ),
    rule(
        ExpectedEnd::Goal.name(),
        "GoalReached",
        "A goal of the program is reached.",
        "Some execution brings the threads to the places that the program names as a goal.",
    ),
    rule(
        "not-robust",
        "NotRobust",
        "The memory model shows behaviour that sequential consistency does not have.",
        "A store is delayed past a later access of its thread, and other threads can tell. A fence between the \
         two prevents it.",
    ),
    rule(
        NEEDS_FENCE,
        "NeedsFence",
        "A fence is needed here.",
        "It is one of the fewest fences with which the memory model shows no behaviour beyond sequential \
         consistency, or with which the program is safe.",
    ),
];

/// The rule for the fences that `raddle fence` finds.
pub(super) const NEEDS_FENCE: &str = "needs-fence";

/// The rule of this name.
pub(super) fn of(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_a_rule() {
        for (kind, name) in FailureKind::NAMES {
            assert_eq!(of(name).is_some(), kind != FailureKind::Unsupported, "{name}");
        }
    }
}
