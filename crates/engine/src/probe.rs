//! Random probes of a search.

/// How a probe ended, in the words of [`crate::Summary`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProbeEnd {
    /// In an execution that is complete or failed.
    Execution,
    Blocked,
    Cut,
    /// Another way covers this one, or nothing is there.
    Redundant,
}

/// A random way from the root of a search to a leaf.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Probe {
    pub end: ProbeEnd,
    /// One divided by the probability of this way.
    pub weight: f64,
}

impl Probe {
    /// The weight that counts: nothing for a way that leads nowhere.
    pub fn counted(&self) -> f64 {
        if self.end == ProbeEnd::Redundant { 0.0 } else { self.weight }
    }
}

/// What a visitor of probes sees.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Probing {
    /// Probes start, or start over: those before do not count.
    Starts,
    Ended(Probe),
}
