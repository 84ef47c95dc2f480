//! How fast a log is monitored, reading and parsing included.
//!
//! `cargo run --release -p raddle-monitor --example throughput [EVENTS [THREADS]]`

use raddle_monitor::{Buffers, log};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

const ADDRESSES: u32 = 1000;
const SITES: u32 = 200;

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let events = arguments.next().unwrap_or(1_000_000);
    let threads = arguments.next().unwrap_or(4).clamp(1, u64::from(log::MAX_THREADS)) as u32;
    let path = std::env::temp_dir().join(format!("raddle-throughput-{}.log", std::process::id()));
    write_log(&mut BufWriter::new(File::create(&path)?), events, threads)?;
    for (name, buffers) in [("tso", Buffers::PerThread), ("pso", Buffers::PerAddress)] {
        let start = Instant::now();
        let reading = log::monitor(File::open(&path)?, buffers);
        let seconds = start.elapsed().as_secs_f64();
        let distinct = reading.map_or(0, |reading| reading.violations.len());
        let rate = events as f64 / seconds / 1e6;
        println!(
            "{name}: {events} events of {threads} threads in {seconds:.3} s, {rate:.1} million a second, {distinct} distinct violations"
        );
    }
    std::fs::remove_file(path)
}

/// Mostly private addresses, some shared, a fence now and then: as programs do.
fn write_log(out: &mut impl Write, events: u64, threads: u32) -> std::io::Result<()> {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..events {
        let thread = random.u32(..threads);
        let shared = random.u32(..10) == 0;
        let address = random.u32(..ADDRESSES / 10);
        let address = if shared { address } else { (thread + 1) * ADDRESSES + address };
        let site = random.u32(..SITES);
        match random.u32(..100) {
            0 => writeln!(out, "{thread} f @{site}")?,
            1..=3 => writeln!(out, "{thread} u {address:x} @{site}")?,
            4..=35 => writeln!(out, "{thread} w {address:x} @{site}")?,
            _ => writeln!(out, "{thread} r {address:x} @{site}")?,
        }
    }
    out.flush()
}
