//! Prints a program of a parametric family: `raddle-automata lamport 5 > lamport-5.aut`.

use clap::Parser;
use raddle_bench::automata::FAMILIES;
use std::process::ExitCode;

/// Print a program of one of the families lamport, diamond and loop.
#[derive(Parser)]
struct Cli {
    family: String,
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    size: u32,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    match FAMILIES.iter().find(|family| family.name == cli.family) {
        Some(family) => {
            print!("{}", (family.source)(cli.size));
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("there is no family {}; expected lamport, diamond or loop", cli.family);
            ExitCode::from(2)
        }
    }
}
