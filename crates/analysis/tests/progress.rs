//! What searches report of their progress, and estimates of their size.

use raddle_analysis::estimate::{forecast, is_estimable};
use raddle_analysis::{By, explore, iterate, robust};
use raddle_engine::{Limits, Model, Options, Phase, Progress, Snapshot, Strategy, Summary};
use raddle_ir::{Verified, text};
use raddle_testing::root;
use std::fmt::Write;
use std::time::Duration;

/// `n` threads that store to one cell: `n!` executions.
fn writers(n: u32) -> Verified {
    let mut source = "global @x: i32\n".to_owned();
    for k in 0..n {
        let stored = writeln!(
            source,
            "thread t{k} = @p{k}()\nfunc @p{k}() {{\nentry:\nstore i32 asm @x, {k}\nret\n}}"
        );
        stored.expect("a string takes everything");
    }
    text::load("writers", source.as_bytes()).expect("a program")
}

fn watched(options: Options) -> (Options, Progress) {
    let progress = Progress::new();
    let limits = Limits { progress: progress.clone(), ..options.limits };
    (Options { limits, ..options }, progress)
}

fn same_numbers(shot: &Snapshot, summary: &Summary, what: &str) {
    let shown = (shot.executions, shot.blocked, shot.redundant, shot.cut, shot.events);
    let Summary { executions, blocked, redundant, cut, events, .. } = *summary;
    assert_eq!(shown, (executions, blocked, redundant, cut, events), "{what}");
}

/// The totals that were reported when a search has ended are those of its summary, however it ended.
#[test]
fn reports_end_with_the_summary() {
    let path = root().join("examples/dekker.rir");
    let source = std::fs::read(path).expect("an example");
    let dekker = text::load("dekker", &source).expect("a program");
    let programs = [writers(6), dekker];
    for strategy in Strategy::ALL.into_iter().filter(|s| s.engine().counts_executions()) {
        for (program, keep_going, most) in [
            (&programs[0], true, None),
            (&programs[0], true, Some(77)),
            (&programs[1], true, None),
            (&programs[1], false, None),
        ] {
            let mut options = Options { keep_going, ..Options::new(Model::Tso).by(strategy) };
            options.limits.executions = most;
            let (options, progress) = watched(options);
            let summary = explore(program, &options);
            let shot = progress.snapshot();
            same_numbers(&shot, &summary, &format!("{} {most:?}", strategy.name()));
            assert_eq!((shot.phase, shot.searches), (Phase::Searching(Model::Tso), 1));
        }
    }
}

/// Whether somebody looks makes no difference to the result.
#[test]
fn watched_searches_find_the_same() {
    for model in Model::ALL {
        let options = Options { keep_going: true, ..Options::new(model) };
        let (program, (watched, _)) = (writers(5), watched(options.clone()));
        assert_eq!(explore(&program, &watched), explore(&program, &options), "{model}");
    }
}

#[test]
fn searches_of_states_report_states() {
    let (options, progress) = watched(Options::new(Model::Tso).by(Strategy::Lazy));
    let program = writers(3);
    explore(&program, &options);
    let shot = progress.snapshot();
    // Without anything that can fail there is no search.
    assert_eq!((shot.phase, shot.states), (Phase::Loading, 0));
    let limits = Limits { progress: progress.clone(), ..Limits::default() };
    robust(&program, Model::Tso, &limits, Some(By::Attacks));
    let shot = progress.snapshot();
    assert_eq!(shot.phase, Phase::SearchingStates);
    assert!(shot.states > 1 && shot.level > 1, "{shot:?}");
}

#[test]
fn raised_bounds_are_reported() {
    let (options, progress) = watched(Options::new(Model::Tso));
    let found = iterate(&writers(3), &options);
    let shot = progress.snapshot();
    assert_eq!(shot.bound, Some(found.executions.len() as u64 - 1));
    assert_eq!(shot.searches as usize, found.executions.len());
}

#[test]
fn a_short_search_is_counted_and_a_long_one_estimated() {
    let options = Options::new(Model::Pso);
    let found = forecast(&writers(5), &options, Duration::from_secs(20));
    let estimate = found.estimate.expect("it is exact");
    assert!(found.is_complete() && estimate.probes == 0);
    assert_eq!((estimate.low, estimate.executions, estimate.high), (120.0, 120.0, 120.0));

    for model in [Model::Tso, Model::Power] {
        let options = Options::new(model);
        let found = forecast(&writers(14), &options, Duration::from_millis(500));
        let estimate = found.estimate.expect("an estimate");
        assert!(!found.is_complete() && estimate.probes > 0);
        let truth = (1..=14).product::<u64>() as f64;
        assert!((estimate.executions / truth - 1.0).abs() < 0.01, "{model}: {estimate:?}");
        let [low, about, high] = found.time().expect("a time");
        assert!(low <= about && about <= high && about > 100.0, "{low} {about} {high}");
    }
}

#[test]
fn some_searches_have_no_estimate() {
    let with = |strategy| is_estimable(&Options::new(Model::Tso).by(strategy));
    assert!([Strategy::Optimal, Strategy::Source, Strategy::Graph].into_iter().all(with));
    assert!(![Strategy::Exhaustive, Strategy::Random, Strategy::Lazy].into_iter().any(with));
    let bounded = Options { buffer_bound: Some(1), ..Options::new(Model::Tso) };
    assert!(!is_estimable(&bounded));
}
