//! Witnesses of realistic programs (`tests/c/witnesses`): each is printed on a page, and replays.
//!
//! The note that the test prints says for each how many steps and changes of thread the schedule has as the
//! search found it, and as it is shown, and the lines of the report.

use crate::expect::{Case, Expected};
use crate::{of_folder, there_is_a_clang};
use raddle_analysis::witness::rerun;
use raddle_analysis::{CheckResult, Offence, Verdict, Violation, check};
use raddle_engine::{Model, Options, Step};
use raddle_ir::Verified;
use raddle_report::document::{self, Origin};
use raddle_report::source::Sources;
use raddle_report::{Look, Run};
use raddle_testing::{note, root};

const FOLDER: &str = "tests/c/witnesses";
/// The lines of a page.
const PAGE: usize = 60;
const WIDTH: usize = 120;
/// A program of this many lines counts as realistic.
const LEAST_LINES: usize = 200;

#[test]
fn witnesses_fit_on_a_page() {
    if !there_is_a_clang() {
        raddle_testing::missing("clang");
        return;
    }
    let cases = of_folder(FOLDER);
    assert_eq!(cases.len(), 10);
    let totals: Vec<[usize; 2]> = cases.iter().flat_map(verify).collect();
    let [before, after] = [0, 1].map(|n| totals.iter().map(|total| total[n]).sum::<usize>());
    note(&format!("changes of thread and steps: {before} as found, {after} as shown"));
    assert!(after < before, "{after} is not less than {before}");
}

/// For each model, the steps and changes of thread as found and as shown.
fn verify(case: &Case) -> Vec<[usize; 2]> {
    let path = root().join(&case.file);
    let text = std::fs::read_to_string(&path).expect("a program");
    assert!(text.lines().count() >= LEAST_LINES, "{}", path.display());
    let loaded = raddle_front_c::load(&[path], &raddle_front_c::Options::default());
    let program =
        loaded.unwrap_or_else(|error| panic!("{}: {error:?}", case.file.display())).program;
    case.expected.iter().map(|expected| verify_under(case, &program, expected)).collect()
}

fn verify_under(case: &Case, program: &Verified, expected: &Expected) -> [usize; 2] {
    let file = case.file.display().to_string();
    let model = Model::ALL.into_iter().find(|model| model.name() == expected.model);
    let model = model.expect("a model");
    let options = Options::new(model);
    let result = check(program, &options);
    assert_eq!(result.verdict, Verdict::Violation, "{file}");
    let violation = &result.violations[0];
    let Offence::Failed(failure) = &violation.offence else { panic!("{file}: a failure") };
    assert_eq!(Some(failure.kind.name()), expected.kind.as_deref(), "{file}");

    let run = Run { file: &file, program, options: &options };
    let (folded, whole) = (lines(&run, &result, false), lines(&run, &result, true));
    assert!(folded <= PAGE && folded <= whole, "{file} under {model}: {folded} of {whole} lines");
    replays(&run, violation);
    let (old, new) = (&violation.offence.schedule(), &violation.witness.schedule);
    note(&format!(
        "{file} under {}: steps {} to {}, changes of thread {} to {}, lines {whole} to {folded}",
        expected.model,
        old.len(),
        new.len(),
        switches(old),
        switches(new),
    ));
    assert!(new.len() <= old.len() && switches(new) <= switches(old), "{file}");
    [old.len() + switches(old), new.len() + switches(new)]
}

/// The lines of the whole report.
fn lines(run: &Run<'_>, result: &CheckResult, all_steps: bool) -> usize {
    let sources = Sources::from_disk();
    let look = Look { width: WIDTH, colour: false, all_steps, calls: false, sources: &sources };
    raddle_report::check::text(run, &look, result).lines().count()
}

/// A witness file with the violation leads to it again.
fn replays(run: &Run<'_>, violation: &Violation) {
    let origin = Origin { inputs: vec![run.file.into()], arguments: Vec::new() };
    let mut text = Vec::new();
    let entries = vec![document::entry(run, violation)];
    let written = document::write(&mut text, run.program, &origin, run.options.checks, entries);
    written.expect("memory can be written");
    let recorded = document::read("w.json", &text).expect("it is a witness");
    let [witness] = &recorded.witnesses[..] else { panic!("{}: one witness", run.file) };
    assert_eq!(witness.schedule, violation.witness.schedule);
    let again = rerun(run.program, &witness.options, &witness.schedule, &witness.expected);
    let again = again.unwrap_or_else(|reason| panic!("{}: {reason}", run.file));
    assert_eq!(again.witness.events, violation.witness.events);
}

fn switches(schedule: &[Step]) -> usize {
    schedule.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count()
}
