//! Exit statuses.

use raddle_analysis::Verdict;

/// How a run ended; of several runs, the greatest is the whole's.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) enum Status {
    /// No violation.
    #[default]
    Fine,
    /// The search ended before it could tell.
    Unknown,
    Violation,
    /// Bad input or usage: a part of the work was not done.
    Bad,
    /// The reader of standard output went away.
    Unread,
}

impl Status {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Status::Fine => 0,
            Status::Violation => 1,
            Status::Bad => 2,
            Status::Unknown => 3,
            // As of a process that SIGPIPE has ended.
            Status::Unread => 141,
        }
    }

    /// The status in words, for the help.
    pub(crate) const fn about(self) -> &'static str {
        match self {
            Status::Fine => "no violation",
            Status::Violation => "violation",
            Status::Bad => "bad input or usage",
            Status::Unknown => "unknown",
            Status::Unread => "nobody reads the output",
        }
    }

    /// `strict`: a bound that was met is as bad as not knowing.
    pub(crate) const fn of(verdict: Verdict, strict: bool) -> Status {
        match verdict {
            Verdict::Safe => Status::Fine,
            Verdict::SafeBounded if strict => Status::Unknown,
            Verdict::SafeBounded => Status::Fine,
            Verdict::Violation => Status::Violation,
            Verdict::Unknown => Status::Unknown,
        }
    }
}

/// The exit status of a command that a signal has interrupted, as shells have it.
pub(crate) const fn interrupted(signal: i32) -> u8 {
    128 + (signal & 0x7f) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_precedence() {
        let order = [Status::Fine, Status::Unknown, Status::Violation, Status::Bad, Status::Unread];
        assert!(order.is_sorted());
        assert_eq!(order.map(Status::code), [0, 3, 1, 2, 141]);
    }

    #[test]
    fn strict_makes_bounds_unknown() {
        assert_eq!(Status::of(Verdict::SafeBounded, false), Status::Fine);
        assert_eq!(Status::of(Verdict::SafeBounded, true), Status::Unknown);
    }
}
