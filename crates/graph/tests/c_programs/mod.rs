//! The C programs of `tests/c/programs` and `tests/c/table1`: under SC, TSO and PSO both engines find the
//! same executions, with the same ends. Under POWER and ARM all failures of SC are found, and replay.
//!
//! Every fourth case is compared, and programs with many executions only with `RADDLE_LONG=1`; programs with
//! very many are not compared. `RADDLE_C_ONLY=word` restricts the tests to files whose name contains the word.

mod cases;

use cases::{Case, Loaded, all, compile};
use raddle_engine::{FailureKind, Model, Options, ReplayEnd, Summary, Unroll};
use raddle_front_c::clang;
use raddle_graph::{explore, replay};
use raddle_interleave as interleave;
use raddle_ir::Verified;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The reason why a case cannot be compared completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Except {
    /// The graph engine does not support overlapping accesses of different sizes, and reports this.
    Sizes,
    /// The graph engine does not support formatting into memory, and reports this.
    Formats,
    /// The graph engine ignores output, so it does not report invalid reads of printed strings.
    Prints,
    /// An execution has more events than the graph engine supports.
    Long,
    /// The end of an object is an event only in the interleaving engine. The failures are the same, but that
    /// engine counts executions separately by whether an access comes before or after the end.
    Frees,
}

/// Exceptions by file and options; an entry without options is for all cases of a file.
const EXCEPTIONS: &[(&str, &str, Except)] = &[
    ("programs/library_posix.c", "", Except::Sizes),
    ("programs/library_strings.c", "-O2", Except::Sizes),
    ("programs/library_strings.c", "", Except::Long),
    ("programs/mixed_sizes.c", "-DSPLIT", Except::Sizes),
    ("programs/mutex_errorcheck.c", "", Except::Sizes),
    ("programs/sequential_functions.c", "", Except::Sizes),
    ("programs/sequential_library.c", "", Except::Sizes),
    ("programs/thread_pool.c", "", Except::Sizes),
    ("programs/output_into_memory.c", "", Except::Formats),
    ("programs/output_of_nothing.c", "-DENDLESS", Except::Prints),
    ("programs/output_of_nothing.c", "-DFREED", Except::Prints),
    ("programs/ends_of_objects.c", "-DOF_MAIN", Except::Frees),
    ("programs/memory_delayed_store.c", "", Except::Frees),
    ("programs/memory_double_free.c", "", Except::Frees),
    ("programs/memory_stack_of_another.c", "", Except::Frees),
    ("programs/memory_use_after_free.c", "", Except::Frees),
    ("programs/read_copy_update.c", "-DNO_GRACE", Except::Frees),
];

fn exception(case: &Case) -> Option<Except> {
    let fits = |(name, option, _): &&(&str, &str, Except)| {
        case.name == *name && (option.is_empty() || case.options.iter().any(|it| it == option))
    };
    EXCEPTIONS.iter().find(fits).map(|(_, _, except)| *except)
}

fn long() -> bool {
    raddle_testing::is_long()
}

/// The maximum number of executions of a program that is compared.
fn most_executions() -> u64 {
    if long() { 50_000 } else { 300 }
}

/// The number of executions with each kind of end, and with each kind of failure.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Ends {
    executions: u64,
    blocked: u64,
    cut: u64,
    failures: BTreeMap<FailureKind, u64>,
}

fn ends(summary: &Summary) -> Ends {
    let mut failures = BTreeMap::new();
    for failure in &summary.failures {
        *failures.entry(failure.kind).or_insert(0) += failure.count;
    }
    let Summary { executions, blocked, cut, .. } = *summary;
    Ends { executions, blocked, cut, failures }
}

fn kinds(summary: &Summary) -> BTreeSet<FailureKind> {
    summary.failures.iter().map(|failure| failure.kind).collect()
}

/// The result of the interleaving engine; `None` if there are too many executions.
fn expected(loaded: &Loaded, model: Model) -> Option<Summary> {
    let model: raddle_engine::Model = model.name().parse().expect("a model of both engines");
    let mut options =
        raddle_engine::Options { keep_going: true, ..raddle_engine::Options::new(model) };
    options.limits.executions = Some(most_executions());
    options.limits.unroll = loaded.unroll.clone();
    let summary = interleave::explore(&loaded.program, &options);
    summary.stopped.is_none().then_some(summary)
}

fn found(loaded: &Loaded, model: Model) -> Summary {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(50 * most_executions());
    options.limits.unroll = loaded.unroll.clone();
    explore(&loaded.program, &options)
}

/// The difference between the engines, if there is one.
fn difference(case: &Case, loaded: &Loaded, model: Model) -> Option<String> {
    let Some(expected) = expected(loaded, model) else {
        println!("{case} under {model}: too many executions");
        return None;
    };
    let except = exception(case);
    if except == Some(Except::Long) {
        return None;
    }
    let found = found(loaded, model);
    let same = match except {
        None => ends(&found) == ends(&expected),
        Some(Except::Frees) => kinds(&found) == kinds(&expected),
        Some(Except::Prints) => found.failures.is_empty() && !expected.failures.is_empty(),
        Some(Except::Sizes | Except::Formats | Except::Long) => {
            kinds(&found).contains(&FailureKind::Unsupported)
        }
    };
    let told = || format!("{case} under {model} ({except:?}): found {found:?}\n    {expected:?}");
    (!same).then(told)
}

fn differences(case: &Case) -> Vec<String> {
    let Some(loaded) = compile(case) else { return Vec::new() };
    let models = [Model::Sc, Model::Tso, Model::Pso];
    models.into_iter().filter_map(|model| difference(case, &loaded, model)).collect()
}

fn no_complaints(cases: &[Case], complaints: fn(&Case) -> Vec<String>) {
    if clang::find(None, &raddle_front_c::Options::default().budget).is_err() {
        raddle_testing::missing("clang");
        return;
    }
    let wrong: Vec<String> = cases.par_iter().flat_map(complaints).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Every `step`-th case, because compilers take most of the time; all cases with `RADDLE_LONG=1`, and all that
/// are asked for by name.
fn some(step: usize) -> Vec<Case> {
    let all_of_them = long() || std::env::var_os("RADDLE_C_ONLY").is_some();
    all().into_iter().step_by(if all_of_them { 1 } else { step }).collect()
}

#[test]
fn engines_agree() {
    no_complaints(&some(4), differences);
}

/// All failures under SC are also found under the weaker model, and the failures found replay.
fn weak_complaint(program: &Verified, model: Model) -> Option<String> {
    let options = |model, executions| {
        let mut options = Options { keep_going: true, ..Options::new(model) };
        options.limits.executions = Some(executions);
        options.limits.unroll = Unroll::every(2);
        options
    };
    let strong = explore(program, &options(Model::Sc, most_executions()));
    let weak = explore(program, &options(model, 5 * most_executions()));
    let replayed = options(model, most_executions());
    for failure in &weak.failures {
        let end = replay(program, &replayed, &failure.schedule).end;
        if !matches!(&end, ReplayEnd::Failed(sites) if sites.contains(&failure.site)) {
            return Some(format!("{model}: {failure:?} replays to {end:?}"));
        }
    }
    let (kinds, unsupported) = (kinds(&weak), FailureKind::Unsupported);
    if weak.stopped.is_some() || strong.stopped.is_some() || kinds.contains(&unsupported) {
        return None;
    }
    let missing: Vec<_> = self::kinds(&strong).difference(&kinds).copied().collect();
    let fewer = weak.executions < strong.executions;
    (fewer || !missing.is_empty()).then(|| {
        format!(
            "{model}: {} executions, {} under sc; misses {missing:?}",
            weak.executions, strong.executions
        )
    })
}

fn weak_complaints(case: &Case) -> Vec<String> {
    if exception(case) == Some(Except::Long) {
        return Vec::new();
    }
    let Some(loaded) = compile(case) else { return Vec::new() };
    let models = [Model::Power, Model::Arm].into_iter();
    let wrong = models.filter_map(|model| weak_complaint(&loaded.program, model));
    wrong.map(|it| format!("{case}: {it}")).collect()
}

#[test]
fn weaker_models_have_more_executions() {
    no_complaints(&some(8), weak_complaints);
}
