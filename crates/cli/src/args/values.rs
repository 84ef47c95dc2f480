//! Values with a syntax of their own.

use raddle_engine::LoopBound;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// A range of inputs may have this many values: every one is explored.
const MAX_VALUES: u64 = 1 << 16;

/// `LO..HI`, both ends included: `--nondet-range`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Range(pub RangeInclusive<i64>);

impl Default for Range {
    fn default() -> Range {
        Range(raddle_front_c::Options::default().nondet)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.0.start(), self.0.end())
    }
}

impl FromStr for Range {
    type Err = String;

    fn from_str(word: &str) -> Result<Range, String> {
        let wanted = || "expected two numbers with two points between, such as -1..2".to_owned();
        let (low, high) = word.split_once("..").ok_or_else(wanted)?;
        let number = |digits: &str| digits.trim().parse::<i64>().map_err(|_| wanted());
        let (low, high) = (number(low)?, number(high)?);
        if low > high {
            return Err(format!("{low} is more than {high}"));
        }
        if high.abs_diff(low) >= MAX_VALUES {
            return Err(format!("every value is explored; that is more than {MAX_VALUES}"));
        }
        Ok(Range(low..=high))
    }
}

/// `K|iterate`: `--buffer-bound`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BufferBound {
    Stores(u32),
    Iterate,
}

impl FromStr for BufferBound {
    type Err = String;

    fn from_str(word: &str) -> Result<BufferBound, String> {
        if word == "iterate" {
            return Ok(BufferBound::Iterate);
        }
        let stores = word.parse().map(BufferBound::Stores);
        stores.map_err(|_| "expected a number of stores, or 'iterate'".to_owned())
    }
}

/// One use of `--unroll`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnrollArg {
    /// `N`
    Every(u32),
    /// `FILE:LINE=N`
    At(LoopBound),
}

impl FromStr for UnrollArg {
    type Err = String;

    fn from_str(word: &str) -> Result<UnrollArg, String> {
        let wanted =
            || "expected a number, or a number for one loop such as queue.c:40=3".to_owned();
        let number = |digits: &str| digits.parse::<u32>().map_err(|_| wanted());
        let Some((place, most)) = word.rsplit_once('=') else {
            return number(word).map(UnrollArg::Every);
        };
        let (file, line) = place.rsplit_once(':').ok_or_else(wanted)?;
        if file.is_empty() {
            return Err(wanted());
        }
        let (line, most) = (number(line)?, number(most)?);
        Ok(UnrollArg::At(LoopBound { file: file.to_owned(), line, most }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_inputs() {
        assert_eq!("-1..2".parse(), Ok(Range(-1..=2)));
        assert_eq!(Range::default().to_string().parse(), Ok(Range::default()));
        for word in ["3", "3..1", "a..b", "0..99999999"] {
            assert!(word.parse::<Range>().is_err(), "{word}");
        }
    }

    #[test]
    fn bounds_on_buffers() {
        assert_eq!("0".parse(), Ok(BufferBound::Stores(0)));
        assert_eq!("iterate".parse(), Ok(BufferBound::Iterate));
        for word in ["", "-1", "4294967296", "iterated", "1.5"] {
            assert!(word.parse::<BufferBound>().is_err(), "{word}");
        }
    }

    #[test]
    fn bounds_on_loops() {
        let at = |file: &str, line, most| {
            Ok(UnrollArg::At(LoopBound { file: file.to_owned(), line, most }))
        };
        assert_eq!("3".parse(), Ok(UnrollArg::Every(3)));
        assert_eq!("q.c:40=0".parse(), at("q.c", 40, 0));
        assert_eq!("a=b/C:q.c:7=12".parse(), at("a=b/C:q.c", 7, 12));
        for wrong in ["", "-1", "x", "q.c=3", ":3=4", "q.c:x=3", "q.c:3=", "q.c:3=-1", "q.c:3"] {
            assert!(wrong.parse::<UnrollArg>().is_err(), "{wrong}");
        }
    }
}
