//! Parses files of LLVM IR and says how fast: `measure [REPETITIONS] FILE.ll…`.

use raddle_llvm::{Module, parse};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let repetitions = match args.first().map(|arg| arg.parse::<u32>()) {
        Some(Ok(number)) => {
            args.remove(0);
            number.max(1)
        }
        _ => 1,
    };
    let mut status = ExitCode::SUCCESS;
    for file in args {
        if let Err(message) = measure(&file, repetitions) {
            eprintln!("{message}");
            status = ExitCode::FAILURE;
        }
    }
    status
}

fn measure(file: &str, repetitions: u32) -> Result<(), String> {
    let text = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    let mut best = Duration::MAX;
    let mut instructions = 0;
    for _ in 0..repetitions {
        let start = Instant::now();
        let module = parse(file, &text).map_err(|diagnostic| diagnostic.to_string())?;
        best = best.min(start.elapsed());
        instructions = count(&module);
    }
    let megabytes = text.len() as f64 / 1e6;
    println!(
        "{file}: {megabytes:.1} MB, {} lines, {instructions} instructions, {:.1} ms, {:.0} MB/s",
        text.iter().filter(|b| **b == b'\n').count(),
        best.as_secs_f64() * 1e3,
        megabytes / best.as_secs_f64(),
    );
    Ok(())
}

fn count(module: &Module) -> usize {
    module.functions().filter_map(|(_, f)| f.body.as_ref()).map(|body| body.insts.len()).sum()
}
