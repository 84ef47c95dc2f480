//! `--buffer-bound`: how many stores a buffer holds.

use crate::output::Stop;
use clap::Args;
use raddle_engine::Options;

#[derive(Args, Debug)]
#[command(next_help_heading = "Model")]
pub struct BufferArgs {
    /// Let store buffers hold at most K stores (tso: of a thread; pso: of a thread and byte), 0 being
    /// sc; or raise K until a bug shows or buffers are never full (check).
    #[arg(long, value_name = "K|iterate", allow_negative_numbers = true, value_parser = parse)]
    pub buffer_bound: Option<BufferBound>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BufferBound {
    Stores(u32),
    Iterate,
}

fn parse(word: &str) -> Result<BufferBound, String> {
    match word {
        "iterate" => Ok(BufferBound::Iterate),
        _ => word
            .parse()
            .map(BufferBound::Stores)
            .map_err(|_| "expected a number of stores, or 'iterate'".to_owned()),
    }
}

impl BufferArgs {
    /// The searches with their bound; whether it is to be raised.
    pub fn bounded(&self, searches: Vec<Options>) -> Result<(Vec<Options>, bool), Stop> {
        let Some(bound) = self.buffer_bound else { return Ok((searches, false)) };
        if !searches.iter().any(Options::has_buffers) {
            let why = "--buffer-bound needs --model tso or pso, and a strategy that runs them with \
                       store buffers: not lazy, not graph";
            return Err(Stop::Usage(why.to_owned()));
        }
        Ok(match bound {
            BufferBound::Iterate => (searches, true),
            BufferBound::Stores(most) => {
                let bounded = searches.into_iter().map(|options| {
                    let buffer_bound = options.has_buffers().then_some(most);
                    Options { buffer_bound, ..options }
                });
                (bounded.collect(), false)
            }
        })
    }

    /// The same where the bound cannot be raised.
    pub fn fixed(&self, searches: Vec<Options>) -> Result<Vec<Options>, Stop> {
        match self.bounded(searches)? {
            (searches, false) => Ok(searches),
            (_, true) => Err(Stop::Usage("--buffer-bound iterate is for raddle check".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds() {
        assert_eq!(parse("0"), Ok(BufferBound::Stores(0)));
        assert_eq!(parse("iterate"), Ok(BufferBound::Iterate));
        for word in ["", "-1", "4294967296", "iterated", "1.5"] {
            assert!(parse(word).is_err(), "{word}");
        }
    }
}
