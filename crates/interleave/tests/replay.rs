//! Schedules: they replay to the result of the search, and the events of the replay are readable.

use crate::MODELS;
use raddle_engine::{
    EventRef, Failure, FailureKind, Model, Options, ReplayEnd, Sampling, Step, Strategy, Summary,
};
use raddle_interleave::{explore, replay};
use raddle_ir::{Condition, Program, Prop, Quantifier, Verified, text, verify};
use raddle_machine::ThreadId;
use raddle_oracle::campaign::{Comparison, compare_under, ensure, generated, same};
use raddle_oracle::generate::{self, Config};

fn parsed(source: &str) -> Verified {
    text::load("t.rir", source.as_bytes()).expect("the program parses")
}

fn options(model: Model) -> Options {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(2_000);
    options.limits.events = 1_000;
    options
}

fn run(program: &Verified, model: Model) -> Summary {
    explore(program, &options(model))
}

fn optimal_and_sampled(program: &Verified, model: Model, sampling: Sampling) -> [Summary; 2] {
    let sampled = Options { sampling, ..options(model).by(Strategy::Random) };
    [run(program, model), explore(program, &sampled)]
}

fn failure_replays(program: &Verified, model: Model, failure: &Failure) -> Comparison {
    let end = replay(program, &Options::new(model), &failure.schedule).end;
    let is_there = match &end {
        ReplayEnd::Failed(sites) => sites.contains(&failure.site),
        _ => false,
    };
    ensure(is_there, || format!("{failure:?} replays to {end:?}"))
}

/// The program with another condition.
fn asking(program: Verified, quantifier: Quantifier, prop: Prop) -> Verified {
    let condition = Some(Condition { quantifier, prop });
    let program = Program { condition, ..program.into_program() };
    verify(program).expect("the condition is well-formed")
}

fn all_replays(program: &Verified, model: Model) -> Comparison {
    // Every state violates this condition.
    let program = asking(program.clone(), Quantifier::Forall, Prop::False);
    for found in optimal_and_sampled(&program, model, Sampling { seed: 7, runs: 20 }) {
        same("schedules and states", &found.witnesses.len(), &found.states.len())?;
        for ((values, _), schedule) in found.states.iter().zip(&found.witnesses) {
            let end = replay(&program, &Options::new(model), schedule).end;
            same("the replay", &end, &ReplayEnd::Complete { state: values.clone() })?;
        }
        for failure in &found.failures {
            failure_replays(&program, model, failure)?;
        }
    }
    Ok(())
}

#[test]
fn every_final_state_and_failure_replays() {
    for config in [Config::memory(), Config::c11(), Config::synchronised()] {
        compare_under(generated(&config, 80), &MODELS, all_replays);
    }
}

#[test]
fn no_schedules_are_kept_where_no_state_can_be_wrong() {
    let program = generate::program(&Config::memory(), 1);
    assert!(run(&program, Model::Tso).witnesses.is_empty());
    let asked = asking(program, Quantifier::Exists, Prop::True);
    assert!(run(&asked, Model::Tso).witnesses.is_empty());
}

/// The failure requires that the second child runs before the first is spawned. The search spawns the first
/// child first, and keeps its number.
const SPAWNERS: &str = r#"
program "spawners"
global @x: i32
thread P0 = @parent(1)
thread P1 = @parent(2)
func @parent(%n: i32) {
  reg %seen: i32, %ok: i1, %t: i64
entry:
  %seen = load i32 asm @x
  %ok = cmp ne i32 %seen, 2
  assert %ok, "the second came first"
  %t = spawn @child(%n)
  join %t
  ret
}
func @child(%n: i32) {
  reg %old: i32
entry:
  %old = rmw xchg i32 asm @x, %n
  ret
}
"#;

#[test]
fn threads_are_numbered_by_the_schedule_not_by_the_search() {
    let program = parsed(SPAWNERS);
    for model in MODELS {
        for found in optimal_and_sampled(&program, model, Sampling { seed: 3, runs: 200 }) {
            assert!(!found.failures.is_empty(), "{model}");
            for failure in &found.failures {
                assert_eq!(failure_replays(&program, model, failure), Ok(()));
            }
        }
    }
}

#[test]
fn every_failure_of_one_execution_is_there() {
    let source = r#"
program "both"
thread P0 = @wrong()
thread P1 = @wrong()
thread P2 = @other()
func @wrong() {
entry:
  assert 0, "wrong"
  ret
}
func @other() {
entry:
  assert 0, "wrong"
  ret
}
"#;
    let program = parsed(source);
    let found = run(&program, Model::Sc);
    assert_eq!(found.failures.len(), 2, "one for each place");
    for failure in &found.failures {
        assert_eq!(failure.count, 1);
        assert_eq!(failure_replays(&program, Model::Sc, failure), Ok(()));
    }
}

/// The thread, line and description of each event along a schedule.
fn told(program: &Verified, model: Model, schedule: &[Step]) -> Vec<String> {
    let line = |loc| program.loc(loc).map_or(0, |loc| loc.line);
    let replayed = replay(program, &Options::new(model), schedule);
    replayed.events.iter().map(|e| format!("{} {} {}", e.thread, line(e.loc), e.what())).collect()
}

fn step(thread: u32) -> Step {
    Step::Run(ThreadId(thread))
}

fn update(thread: u32, store: u32) -> Step {
    Step::Update { thread: ThreadId(thread), store }
}

const TALE: &str = r#"
program "tale"
global @x: i32
global @y: i32
thread P0 = @writer()
func @writer() {
  reg %a: i32, %b: i32
entry:
  store i32 asm @x, 1
  %a = load i32 asm @x
  store i32 asm @x, 2
  store i32 asm @y, 3
  fence full
  %b = load i32 asm @y
  ret
}
"#;

#[test]
fn a_replay_tells_of_buffers_and_fences_with_their_places() {
    let program = parsed(TALE);
    let schedule = [step(0), update(0, 0), update(0, 2), update(0, 1), step(0)];
    let expected = [
        "P0 9 writes x = 1 (buffered)",
        "P0 10 reads x = 1 (from its own store buffer)",
        "P0 11 writes x = 2 (buffered)",
        "P0 12 writes y = 3 (buffered)",
        "P0 13 comes to a fence (full) and waits until the store buffer is empty",
        "P0 9 x = 1 reaches memory",
        "P0 12 y = 3 reaches memory",
        "P0 11 x = 2 reaches memory",
        "P0 14 reads y = 3",
    ];
    assert_eq!(told(&program, Model::Pso, &schedule), expected);
    assert_eq!(
        replay(&program, &Options::new(Model::Pso), &schedule).end,
        ReplayEnd::Complete { state: Vec::new() }
    );
}

#[test]
fn under_sc_a_store_is_told_once() {
    let program = parsed(TALE);
    let expected = [
        "P0 9 writes x = 1",
        "P0 10 reads x = 1",
        "P0 11 writes x = 2",
        "P0 12 writes y = 3",
        "P0 14 reads y = 3",
    ];
    assert_eq!(told(&program, Model::Sc, &[step(0); 5]), expected);
}

#[test]
fn schedules_that_do_not_fit_are_refused() {
    let program = parsed(TALE);
    let end = |schedule: &[Step]| replay(&program, &Options::new(Model::Tso), schedule).end;
    assert_eq!(end(&[step(0)]), ReplayEnd::Short);
    assert_eq!(end(&[step(7)]), ReplayEnd::Stuck(0));
    assert_eq!(end(&[step(0), update(0, 1)]), ReplayEnd::Stuck(1), "TSO keeps the order");
    assert_eq!(end(&[step(0), step(0)]), ReplayEnd::Stuck(1), "the fence waits");
}

#[test]
fn choices_out_of_range_are_refused() {
    let source = r#"
program "choice"
thread P0 = @f()
func @f() {
  reg %c: i32
entry:
  %c = choose i32 0, 2
  ret
}
"#;
    let program = parsed(source);
    let end = |step| replay(&program, &Options::new(Model::Sc), &[step]).end;
    let thread = ThreadId(0);
    let choose = |choice| end(Step::Choose { thread, choice });
    assert_eq!(choose(2), ReplayEnd::Complete { state: Vec::new() });
    assert_eq!(choose(3), ReplayEnd::Stuck(0));
    assert_eq!(choose(u64::MAX), ReplayEnd::Stuck(0));
    let event = EventRef { thread, index: 0 };
    for other in [
        step(0),
        update(0, 0),
        Step::Signal { thread, woken: None },
        Step::CommitLoad { event, from: None },
        Step::CommitStore { event, after: Some(event) },
    ] {
        assert_eq!(end(other), ReplayEnd::Stuck(0), "{other:?}");
    }
}

#[test]
fn a_deadlock_tells_who_waits_for_what() {
    let source = r#"
program "deadlock"
global @a: i32
thread P0 = @f()
func @f() {
entry:
  lock @a
  lock @a
  ret
}
"#;
    let program = parsed(source);
    let found = run(&program, Model::Tso);
    assert_eq!(found.failures[0].kind, FailureKind::Deadlock);
    let expected = ["P0 7 locks a", "P0 8 waits for lock a, held by P0, for ever"];
    assert_eq!(told(&program, Model::Tso, &found.failures[0].schedule), expected);
}

#[test]
fn a_deadlock_tells_who_spins() {
    let source = r#"
program "spin"
global @x: i32
thread P0 = @f()
func @f() {
  reg %r: i32, %c: i1
entry:
  jump head
head:
  %r = load i32 asm @x
  %c = cmp eq i32 %r, 0
  br %c, head, out
out:
  ret
}
"#;
    let program = parsed(source);
    let found = run(&program, Model::Tso);
    assert_eq!(found.failures[0].kind, FailureKind::Deadlock);
    let expected = ["P0 10 reads x = 0", "P0 12 spins for ever"];
    assert_eq!(told(&program, Model::Tso, &found.failures[0].schedule), expected);
}

#[test]
fn spawns_and_joins_are_told() {
    let source = r#"
program "family"
global @x: i32
thread main = @main()
func @child() {
entry:
  store i32 asm @x, 1
  ret
}
func @main() {
  reg %t: i64, %r: i32
entry:
  %t = spawn @child()
  join %t
  %r = load i32 asm @x
  ret
}
"#;
    let program = parsed(source);
    let expected = [
        "main 13 starts main.1:child",
        "main.1:child 7 writes x = 1 (buffered)",
        "main.1:child 7 x = 1 reaches memory",
        "main 14 joins main.1:child",
        "main 15 reads x = 1",
    ];
    assert_eq!(told(&program, Model::Tso, &[update(1, 0), step(0)]), expected);
}

/// The named memory: an element, objects of the heap and of frames, pointers to them.
#[test]
fn addresses_have_names() {
    let source = r#"
program "names"
global @g: ptr
thread main = @main()
func @main() {
  reg %p: ptr, %q: ptr, %buf: ptr, %t: i64, %r: i64
entry:
  %p = malloc 16
  %q = malloc 16
  %buf = alloca 8
  %t = spawn @f(%q)
  join %t
  store ptr asm @g, %q
  store i32 asm %buf, -1
  store ptr asm %p, &@f
  free %q
  %r = load i64 asm %q
  ret
}
func @f(%at: ptr) {
  reg %in: ptr
entry:
  %in = add ptr %at, 8
  store i32 asm %in, 7
  ret
}
"#;
    let program = parsed(source);
    let found = run(&program, Model::Sc);
    let expected = [
        "main 8 allocates heap object 1 of main (16 bytes)",
        "main 9 allocates heap object 2 of main (16 bytes)",
        "main 10 allocates main's buf (8 bytes)",
        "main 11 starts main.1:f",
        "main.1:f 24 writes heap object 2 of main+8 = 7",
        "main 12 joins main.1:f",
        "main 13 writes g = &heap object 2 of main",
        "main 14 writes main's buf = -1",
        "main 15 writes heap object 1 of main = &f",
        "main 16 frees heap object 2 of main",
        "main 17 accesses heap object 2 of main",
        "main 17 fails: reads 8 bytes of a dead object",
    ];
    assert_eq!(told(&program, Model::Sc, &found.failures[0].schedule), expected);
}

/// Accesses to private objects are not reported, events of library functions are reported at their calls, and
/// output is reported where it happens.
#[test]
fn only_what_others_could_see_is_told() {
    let source = r#"
program "private"
global @x: i32
global @format: bytes 9 = hex "78 20 69 73 20 25 64 0a 00"
thread main = @main()
library func @put(%at: ptr, %value: i32) {
entry:
  store i32 asm %at, %value
  ret
}
library func @print(%args: ptr) {
  reg %n: i32
entry:
  %n = format @format, %args
  ret
}
func @main() {
  reg %own: ptr, %r: i64
entry:
  %own = alloca 8 private
  %r = load i64 asm @x8
  store i64 asm %own, 5
  store i32 asm @x, 1
  store i64 asm %own, %r
  call @put(@x, 2)
  call @print(%own)
  ret
}
global @x8: i64
"#;
    let program = parsed(source);
    let schedule = [step(0), update(0, 0), update(0, 1)];
    let expected = [
        "main 20 allocates main's own (8 bytes)",
        "main 21 reads x8 = 0",
        "main 23 writes x = 1 (buffered)",
        "main 25 writes x = 2 (buffered)",
        "main 26 prints \"x is 0\\n\"",
        "main 23 x = 1 reaches memory",
        "main 25 x = 2 reaches memory",
    ];
    assert_eq!(told(&program, Model::Tso, &schedule), expected);
}

#[test]
fn elements_have_an_index() {
    let source = r#"
program "array"
global @flag: i32 x 4
global @pair: bytes 32
global @other: i32 x 4
thread P0 = @f(3)
func @f(%i: i64) {
  reg %by: i64, %at: ptr
entry:
  %by = shl i64 %i, 2
  %at = inttoptr i64 %by to ptr
  %at = add ptr @flag, %at
  store i32 asm %at, 1
  %by = sub i64 %i, 2
  %by = mul i64 %by, 16
  %at = inttoptr i64 %by to ptr
  %at = add ptr @pair+4, %at
  store i32 asm %at, 2
  store i32 asm @flag, 3
  store i32 asm @other+4, 4
  ret
}
"#;
    let program = parsed(source);
    let expected = [
        "P0 13 writes flag[3] = 1",
        "P0 18 writes pair[1]+4 = 2",
        "P0 19 writes flag[0] = 3",
        "P0 20 writes other+4 = 4",
    ];
    assert_eq!(told(&program, Model::Sc, &[step(0); 4]), expected);
}
