//! Plots of the measurements of the searches.

use crate::measure::Measurement;
use raddle_bench::chart::{Labels, Series, bars, scatter};
use std::fs;
use std::io;
use std::path::Path;

/// The strategy whose costs by program are shown; the plot of times has all of them.
const SHOWN: &str = "optimal";

/// Writes every plot into a folder, which is made if it does not exist. Searches that were stopped are left out.
pub(crate) fn write(folder: &Path, measurements: &[Measurement]) -> io::Result<()> {
    let complete: Vec<&Measurement> = measurements.iter().filter(|one| one.complete).collect();
    fs::create_dir_all(folder)?;
    fs::write(folder.join("time.svg"), times(&complete))?;
    fs::write(folder.join("rate.svg"), by_program(&complete, RATE, |one| one.events_per_second))?;
    fs::write(folder.join("memory.svg"), by_program(&complete, MEMORY, mebibytes))
}

const TIME: Labels<'_> =
    Labels { title: "Time by the number of executions", across: "executions", upwards: "seconds" };
const RATE: Labels<'_> = Labels {
    title: "Events per second, strategy optimal",
    across: "program",
    upwards: "events per second",
};
const MEMORY: Labels<'_> =
    Labels { title: "Peak of memory, strategy optimal", across: "program", upwards: "MiB" };

fn mebibytes(one: &Measurement) -> f64 {
    one.peak_kib.map_or(0.0, |kib| kib as f64 / 1024.0)
}

/// The different values of a field, in the order in which they come first.
fn distinct(measurements: &[&Measurement], field: impl Fn(&Measurement) -> String) -> Vec<String> {
    let mut found = Vec::new();
    for value in measurements.iter().map(|one| field(one)) {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

fn times(measurements: &[&Measurement]) -> String {
    let name = |one: &Measurement| format!("{} {}", one.model, one.strategy);
    let series = distinct(measurements, name).into_iter().map(|wanted| {
        let of_it = measurements.iter().filter(|one| name(one) == wanted);
        let points = of_it.map(|one| [one.executions as f64, one.seconds]).collect();
        Series { name: wanted, points }
    });
    scatter(TIME, &series.collect::<Vec<_>>())
}

/// A bar for each program and model.
fn by_program(
    measurements: &[&Measurement],
    labels: Labels<'_>,
    value: impl Fn(&Measurement) -> f64,
) -> String {
    let shown: Vec<&Measurement> =
        measurements.iter().filter(|one| one.strategy == SHOWN).copied().collect();
    let programs = distinct(&shown, |one| one.program.clone());
    let models = distinct(&shown, |one| one.model.clone());
    let series = models.into_iter().map(|model| {
        let of_it = shown.iter().filter(|one| one.model == model);
        let points = of_it.filter_map(|one| {
            let group = programs.iter().position(|program| *program == one.program)?;
            Some([group as f64, value(one)])
        });
        Series { points: points.collect(), name: model }
    });
    bars(labels, &programs, &series.collect::<Vec<_>>())
}
