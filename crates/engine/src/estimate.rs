//! How large a search is going to be, estimated from random probes of its tree.
//!
//! A probe goes from the root of the tree to a leaf. Its weight is one divided by the probability of the way that it
//! took, or 0 if the way leads nowhere. The mean of the weights is an unbiased estimate of the number of leaves: Knuth,
//! *Estimating the efficiency of backtrack programs* (Mathematics of Computation, 1975).
//!
//! The weights are skewed: most are too small, and few very large ones make up for it. So the uncertainty is given as
//! a factor and not as a difference, as for a log-normal distribution with the variance of the mean; and where a few
//! probes have most of the weight, larger ones are probably missing, and the range is widened upwards.
//!
//! Probes that learn get better ([`crate::Probe`]). They are collected in epochs, each twice as long as the one
//! before, and the mean is that of the newest two: the probes of the time when little was known are forgotten.

/// The number of executions of a search: complete, failed, blocked and cut ones.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub executions: f64,
    /// The range that the number is probably in.
    pub low: f64,
    pub high: f64,
    /// The number of random probes it is from.
    pub probes: u64,
}

impl Estimate {
    /// The estimate when so many executions were searched already: it cannot be less.
    pub fn at_least(self, searched: u64) -> Estimate {
        let least = searched as f64;
        let Estimate { executions, low, high, probes } = self;
        let [executions, low, high] = [executions, low, high].map(|number| number.max(least));
        Estimate { executions, low, high, probes }
    }
}

/// The length of the first epoch.
const FIRST: u64 = 64;
/// Fewer probes show nothing.
const ENOUGH: u64 = 4;
/// The width of the range in standard deviations. With two, it would have the truth in nineteen of twenty samples of a
/// normal distribution. The large weights that are missing make the variance look too small, so it is wider.
const WIDTH: f64 = 3.0;
/// How much fewer probes than this are distrusted: so many that count may hide as large a part again.
const FEW: f64 = 10.0;

/// Sums over the probes of an epoch.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Epoch {
    probes: u64,
    /// Those with a weight.
    live: u64,
    sum: f64,
    squares: f64,
}

impl Epoch {
    fn and(self, other: Epoch) -> Epoch {
        Epoch {
            probes: self.probes + other.probes,
            live: self.live + other.live,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }
}

/// The weights of random probes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sample {
    probes: u64,
    before: Epoch,
    current: Epoch,
}

impl Sample {
    /// Adds the weight of a probe.
    pub fn add(&mut self, weight: f64) {
        self.probes += 1;
        if self.current.probes >= FIRST.max(2 * self.before.probes) {
            self.before = std::mem::take(&mut self.current);
        }
        let (live, squares) = (u64::from(weight > 0.0), weight * weight);
        let one = Epoch { probes: 1, live, sum: weight, squares };
        self.current = self.current.and(one);
    }

    /// The mean, and its variance in relation to its square; `None` if nothing was found.
    fn mean(&self) -> Option<(f64, f64)> {
        let both = self.before.and(self.current);
        let count = both.probes as f64;
        let mean = both.sum / count;
        let variance = (both.squares / count - mean * mean).max(0.0) / count;
        let relative = variance / (mean * mean);
        (both.probes >= ENOUGH && mean > 0.0 && relative.is_finite()).then_some((mean, relative))
    }

    /// The estimate from all probes so far.
    pub fn estimate(&self) -> Option<Estimate> {
        let (executions, relative) = self.mean()?;
        let factor = (WIDTH * relative.ln_1p().sqrt()).exp();
        let live = self.before.and(self.current).live as f64;
        // The share of the largest weights is about `relative`: with most of the weight in one probe it is 1.
        let missing = (1.0 + 4.0 * relative) * (1.0 + FEW * relative.sqrt() / live.sqrt());
        let (low, high) = ((executions / factor).max(1.0), executions * factor * missing);
        Some(Estimate { executions: executions.max(1.0), low, high, probes: self.probes })
    }

    /// Whether further probes would not make the estimate much better.
    pub fn is_precise(&self) -> bool {
        self.probes >= 4 * FIRST && self.mean().is_some_and(|(_, relative)| relative < 0.000_1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(weights: impl IntoIterator<Item = f64>) -> Sample {
        let mut sample = Sample::default();
        weights.into_iter().for_each(|weight| sample.add(weight));
        sample
    }

    #[test]
    fn equal_weights_are_certain() {
        let sample = sample([720.0; 300]);
        let expected = Estimate { executions: 720.0, low: 720.0, high: 720.0, probes: 300 };
        assert_eq!(sample.estimate(), Some(expected));
        assert!(sample.is_precise());
    }

    #[test]
    fn few_probes_show_nothing() {
        assert_eq!(sample([5.0; 3]).estimate(), None);
        assert_eq!(sample([0.0; 5000]).estimate(), None);
    }

    #[test]
    fn an_estimate_is_not_less_than_what_was_searched() {
        let estimate = Estimate { executions: 5.0, low: 4.0, high: 6.0, probes: 9 };
        assert_eq!(estimate.at_least(3), estimate);
        let [five, seven] = [estimate.at_least(5), estimate.at_least(7)];
        assert_eq!((five.low, five.executions, five.high), (5.0, 5.0, 6.0));
        assert_eq!((seven.low, seven.executions, seven.high), (7.0, 7.0, 7.0));
    }

    #[test]
    fn one_large_weight_is_uncertain() {
        let weights = (0..100).map(|n| if n == 50 { 1000.0 } else { 0.0 });
        let found = sample(weights).estimate().expect("an estimate");
        assert!((found.executions - 10.0).abs() < 1e-9, "{found:?}");
        assert!(found.low < 2.5 && found.high > 100.0, "{found:?}");
    }

    #[test]
    fn what_was_known_least_is_forgotten() {
        let weights = (0..2000).map(|n| if n < 100 { 1.0 } else { 10.0 });
        let found = sample(weights).estimate().expect("an estimate");
        assert!((found.executions - 10.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.probes, 2000);
    }
}
