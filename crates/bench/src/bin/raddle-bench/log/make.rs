//! Generated logs of any length; the same arguments give the same log.

use clap::ValueEnum;
use std::io::{Result, Write};

const THREADS: u32 = 8;
const LOCKS: u32 = 16;
/// The number of addresses that each lock protects.
const CELLS: u32 = 16;
const SITES: u32 = 64;

/// The behaviour of the threads of a log.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Read and write under locks.
    Locked,
    /// Read and write without locks: nearly every line is a violation.
    Racy,
    /// As `Racy`, but without sites.
    Bare,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Kind::Locked => "locked",
            Kind::Racy => "racy",
            Kind::Bare => "bare",
        }
    }
}

/// Writes this many events, one on each line.
pub(super) fn write(out: &mut impl Write, kind: Kind, events: u64) -> Result<()> {
    let mut random = fastrand::Rng::with_seed(1);
    match kind {
        Kind::Locked => locked(out, &mut random, events),
        Kind::Racy | Kind::Bare => racy(out, &mut random, events, kind == Kind::Racy),
    }
}

/// Critical sections: lock, some accesses to the protected addresses, unlock.
fn locked(out: &mut impl Write, random: &mut fastrand::Rng, events: u64) -> Result<()> {
    let mut left = events;
    while left > 0 {
        let (thread, lock) = (random.u32(..THREADS), random.u32(..LOCKS));
        writeln!(out, "{thread} u lock[{lock}] @queue.c:{}", 20 + lock)?;
        left -= 1;
        for n in 0..left.saturating_sub(1).min(random.u64(1..8)) {
            let cell = lock * CELLS + random.u32(..CELLS);
            let (op, line) = if random.u32(..3) == 0 { ("w", 40 + n) } else { ("r", 50 + n) };
            writeln!(out, "{thread} {op} cell[{cell}] @queue.c:{line}")?;
            left -= 1;
        }
        if left > 0 {
            writeln!(out, "{thread} u lock[{lock}] @queue.c:{}", 60 + lock)?;
            left -= 1;
        }
    }
    Ok(())
}

fn racy(out: &mut impl Write, random: &mut fastrand::Rng, events: u64, sites: bool) -> Result<()> {
    for _ in 0..events {
        let (thread, cell) = (random.u32(..THREADS), random.u32(..LOCKS * CELLS));
        let op = if random.bool() { "w" } else { "r" };
        match sites {
            true => {
                writeln!(out, "{thread} {op} cell[{cell}] @queue.c:{}", random.u32(..SITES))?;
            }
            false => writeln!(out, "{thread} {op} cell[{cell}]")?,
        }
    }
    Ok(())
}
