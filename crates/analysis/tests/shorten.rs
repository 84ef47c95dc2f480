//! Shortened witnesses: they replay to the same offence, and are never worse than the schedule that was found.

use crate::MODELS;
use raddle_analysis::why::why;
use raddle_analysis::{Cause, Offence, Verdict, Violation, check, replay};
use raddle_engine::{
    Checks, Deed, FailureKind, Model, Options, ReplayEnd, Replayed, Step, Strategy,
};
use raddle_ir::{Condition, Prop, Quantifier, Verified, text, verify};
use raddle_oracle::campaign::{Comparison, compare_under, ensure, generated, same};
use raddle_oracle::generate::Config;

fn parsed(source: &str) -> Verified {
    let program = text::load("t.rir", source.as_bytes());
    program.unwrap_or_else(|wrong| panic!("{}: {}\n{source}", wrong.line, wrong.message))
}

fn switches(schedule: &[Step]) -> usize {
    schedule.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count()
}

/// The part of a replay's end that belongs to an offence.
fn shows(end: &ReplayEnd, offence: &Offence) -> bool {
    match (end, offence) {
        (ReplayEnd::Failed(sites), Offence::Failed(failure)) => sites.contains(&failure.site),
        (ReplayEnd::Complete { state }, Offence::Condition(outcome)) => *state == outcome.values,
        _ => false,
    }
}

/// Totals over a campaign: steps and changes of thread, before and after.
#[derive(Default, Debug)]
struct Totals {
    steps: (usize, usize),
    switches: (usize, usize),
}

fn is_no_worse(
    program: &Verified,
    options: &Options,
    violation: &Violation,
    totals: &mut Totals,
) -> Comparison {
    let Violation { offence, witness, .. } = violation;
    let Replayed { end, events, .. } = replay(program, options, offence.schedule());
    ensure(shows(&end, offence), || format!("the original does not replay: {end:?}"))?;
    let again = replay(program, options, &witness.schedule);
    let shorter = &again.end;
    ensure(shows(shorter, offence), || format!("{:?}\n{shorter:?}", witness.schedule))?;
    let (old, new) = (offence.schedule(), witness.schedule.as_slice());
    let grows = new.len() > old.len() || switches(new) > switches(old);
    ensure(!grows, || format!("it grows:\n{old:?}\n{new:?}"))?;
    totals.steps.0 += old.len();
    totals.steps.1 += new.len();
    totals.switches.0 += switches(old);
    totals.switches.1 += switches(new);
    if options.strategy == Strategy::Graph {
        return Ok(());
    }
    same("the events", &again.events, &witness.events)?;
    let before = why(program, &events, offence);
    let blames = |causes: &[Cause]| {
        let relaxed = |cause: &&Cause| {
            matches!(
                cause,
                Cause::StaleRead { .. } | Cause::Overtaken { .. } | Cause::Delayed { .. }
            )
        };
        causes.iter().filter(relaxed).count()
    };
    let count = |why: &Option<raddle_analysis::Why>| why.as_ref().map(|why| blames(&why.causes));
    ensure(count(&witness.why) >= count(&before), || {
        format!("the reason is lost: {before:?}\n{:?}", witness.why)
    })
}

/// A final state that is always an offence, and every failure, deadlock and race.
fn campaign(config: &Config, count: u64, strategy: Option<Strategy>) -> Totals {
    let mut totals = Totals::default();
    compare_under(generated(config, count), &MODELS, |program, model| {
        let condition = Some(Condition { quantifier: Quantifier::Forall, prop: Prop::False });
        let program = raddle_ir::Program { condition, ..program.clone().into_program() };
        let program = verify(program).expect("the condition is well-formed");
        let mut options = Options { keep_going: true, ..Options::new(model) };
        options.checks = Checks { races: strategy.is_none(), ..Checks::default() };
        options.limits.executions = Some(300);
        let options = strategy.map_or(options.clone(), |strategy| options.by(strategy));
        let result = check(&program, &options);
        ensure(result.unconfirmed.is_empty(), || format!("{:?}", result.unconfirmed))?;
        for violation in &result.violations {
            is_no_worse(&program, &options, violation, &mut totals)?;
        }
        Ok(())
    });
    totals
}

#[test]
fn memory_and_races() {
    for config in [Config::memory(), Config::c11()] {
        let totals = campaign(&config, 40, None);
        assert!(totals.switches.1 * 10 < totals.switches.0 * 9, "{totals:?}");
    }
}

#[test]
fn synchronised_and_waiting() {
    for config in [Config::synchronised(), Config::waiting()] {
        let totals = campaign(&config, 40, None);
        assert!(totals.switches.1 < totals.switches.0, "{totals:?}");
    }
}

#[test]
fn graphs() {
    let totals = campaign(&Config::memory(), 40, Some(Strategy::Graph));
    assert!(totals.switches.1 < totals.switches.0, "{totals:?}");
}

fn violation(program: &Verified, options: &Options) -> Violation {
    let result = check(program, options);
    assert_eq!(result.verdict, Verdict::Violation, "{}", program.name);
    result.violations.into_iter().next().expect("a violation")
}

/// A thread that the failure does not depend on has no steps in the witness.
#[test]
fn steps_of_other_threads_are_left_out() {
    let program = parsed(
        r#"
program "bystander"
global @x: i32
global @y: i32
thread a = @store(@x)
thread b = @store(@y)
thread c = @look()
func @store(%at: ptr) {
entry:
  store i32 asm %at, 1
  store i32 asm %at, 2
  ret
}
func @look() {
  reg %seen: i32, %fine: i1
entry:
  %seen = load i32 asm @y
  %fine = cmp eq i32 %seen, 0
  assert %fine, "y has changed"
  ret
}
"#,
    );
    for model in MODELS {
        let witness = violation(&program, &Options::new(model)).witness;
        let threads: Vec<u32> = witness.schedule.iter().map(|step| step.thread().0).collect();
        assert!(threads.len() <= 3, "{model}: {:?}", witness.schedule);
        assert!(!threads.contains(&0), "{model}: {:?}", witness.schedule);
        assert_eq!(threads.last(), Some(&2), "{model}");
    }
}

/// A thread that tries again and again shows the round in which it succeeds.
#[test]
fn rounds_that_change_nothing_are_cut() {
    let program = parsed(
        r#"
program "spin"
global @x: i32
thread a = @count()
thread b = @await()
func @count() {
  reg %i: i32, %more: i1
entry:
  store i32 asm @x, 1
  store i32 asm @x, 2
  store i32 asm @x, 3
  store i32 asm @x, 4
  store i32 asm @x, 5
  store i32 asm @x, 6
  ret
}
func @await() {
  reg %seen: i32, %done: i1, %i: i32, %more: i1
entry:
  %i = add i32 0, 0
  jump loop
loop:
  %seen = load i32 asm @x
  %i = add i32 %i, 1
  %done = cmp eq i32 %seen, 6
  br %done, end, again
again:
  %more = cmp ult i32 %i, 20
  br %more, loop, away
away:
  ret
end:
  assert 0, "x is six"
  ret
}
"#,
    );
    let sampled = Options { keep_going: false, ..Options::new(Model::Sc).by(Strategy::Random) };
    let violation = violation(&program, &sampled);
    let (old, new) = (violation.offence.schedule(), violation.witness.schedule);
    assert!(old.len() > 8, "nothing to cut: {old:?}");
    // Six stores, and two loads: that the value changed in between is the cause.
    assert_eq!(new.len(), 8, "{new:?}");
    assert!(matches!(violation.witness.why.expect("a cause").causes[..], [Cause::Between { .. }]));
}

/// A delayed store that is the cause stays delayed, though another one does not.
#[test]
fn the_store_that_matters_stays_in_its_buffer() {
    let source =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/dekker.rir"));
    let program = parsed(&source.expect("an example"));
    let found = violation(&program, &Options::new(Model::Tso));
    let events = &found.witness.events;
    let why = found.witness.why.expect("a reason");
    for cause in &why.causes {
        let Cause::StaleRead { read, store, .. } = *cause else { panic!("{cause:?}") };
        let Deed::Buffer { store: number, .. } = events[store].deed else { panic!("a store") };
        let leaves = events.iter().position(|event| {
            event.number == events[store].number
                && matches!(event.deed, Deed::Update { store, .. } if store == number)
        });
        assert!(store < read && leaves.is_none_or(|leaves| read < leaves), "{events:?}");
    }
    let Offence::Failed(failure) = &found.offence else { panic!("a failure") };
    assert_eq!(failure.kind, FailureKind::Assertion);
    assert_eq!(why.causes.len(), 2, "each thread missed the other's store");
}
