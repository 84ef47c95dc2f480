//! The exact words of the causes in witnesses.

use crate::MODELS;
use raddle_analysis::why::why;
use raddle_analysis::{Cause, Offence, Outcome, Verdict, check};
use raddle_engine::{Model, Options, Step};
use raddle_interleave::{explore, replay};
use raddle_ir::{Condition, Program, Prop, Quantifier, Verified, text, verify};
use raddle_oracle::campaign::{compare_under, ensure, generated, same};
use raddle_oracle::generate::Config;

fn parsed(file: &str, source: &str) -> Verified {
    text::load(file, source.as_bytes()).expect("the program parses")
}

fn explained(program: &Verified, model: Model) -> (String, Vec<Cause>) {
    let result = check(program, &Options::new(model));
    assert_eq!(result.verdict, Verdict::Violation, "{}", program.name);
    match result.violations[0].witness.why.clone() {
        Some(why) => (why.words, why.causes),
        None => (String::new(), Vec::new()),
    }
}

fn reason(source: &str, model: Model) -> String {
    explained(&parsed("t.rir", source), model).0
}

fn litmus(source: &str, model: Model) -> String {
    let test = raddle_front_litmus::load("t.litmus", source.as_bytes());
    explained(&test.expect("the test parses").program, model).0
}

fn example(name: &str) -> Verified {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    parsed(name, &std::fs::read_to_string(path).expect("an example"))
}

#[test]
fn dekker_reads_while_the_other_store_is_buffered() {
    for model in [Model::Tso, Model::Pso] {
        let (words, causes) = explained(&example("dekker.rir"), model);
        assert_eq!(
            words,
            "P1 read flag0 = 0 at dekker.rir:18 because P0's store flag0 = 1 at dekker.rir:17 was \
             still in its store buffer; likewise P0 read flag1 = 0 at dekker.rir:18 while P1's \
             store at dekker.rir:17 was in its own"
        );
        assert!(matches!(causes[..], [Cause::StaleRead { .. }, Cause::StaleRead { .. }]));
    }
}

/// Buffers are in use here, but the failure is possible without them.
#[test]
fn a_lost_increment_is_not_blamed_on_buffers() {
    for model in MODELS {
        let (words, causes) = explained(&example("counter.rir"), model);
        assert_eq!(
            words,
            "main.2:worker's write count = 1 at counter.rir:28 came between main.1:worker's read \
             count = 0 at counter.rir:26 and its write count = 1 at counter.rir:28, which \
             overwrites it",
            "{model}"
        );
        assert!(matches!(causes[..], [Cause::Between { .. }]));
    }
}

/// A broken lock that loads and then stores. The reported cause is the lost increment, not that both threads
/// release the lock, each after a write of its own.
#[test]
fn after_a_write_of_its_own_a_thread_does_not_go_by_what_it_read() {
    let source = r#"
program "look-then-take"
global @lock: i32
global @count: i32
thread main = @main()
func @main() {
  reg %one: i64, %two: i64, %total: i32, %both: i1
entry:
  %one = spawn @worker()
  %two = spawn @worker()
  join %one
  join %two
  %total = load i32 asm @count
  %both = cmp eq i32 %total, 2
  assert %both, "an increment was lost"
  ret
}
func @worker() {
  reg %free: i32, %old: i32, %new: i32, %c: i1
entry:
  %free = load i32 asm @lock
  %c = cmp eq i32 %free, 0
  assume %c
  store i32 asm @lock, 1
  %old = load i32 asm @count
  %new = add i32 %old, 1
  store i32 asm @count, %new
  store i32 asm @lock, 0
  ret
}
"#;
    let (words, causes) = explained(&parsed("t.rir", source), Model::Sc);
    assert!(words.contains("write count = 1") && !words.contains("lock"), "{words}");
    assert!(matches!(causes[..], [Cause::Between { .. }]));
}

#[test]
fn a_deadlock_says_who_holds_what_since_where() {
    let (words, causes) = explained(&example("deadlock.rir"), Model::Tso);
    assert_eq!(
        words,
        "P0 waits at deadlock.rir:15 for lock b, which P1 took at deadlock.rir:14; \
         P1 waits at deadlock.rir:15 for lock a, which P0 took at deadlock.rir:14"
    );
    assert!(matches!(
        causes[..],
        [Cause::Waits { taken: Some(1), .. }, Cause::Waits { taken: Some(0), .. }]
    ));
}

const SPIN: &str = r#"
program "spin"
global @a: i32
global @x: i32
thread P0 = @f()
thread P1 = @g()
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
func @g() {
entry:
  lock @a
  lock @a
  ret
}
"#;

#[test]
fn a_deadlock_says_who_spins() {
    for model in MODELS {
        let (words, causes) = explained(&parsed("t.rir", SPIN), model);
        assert_eq!(
            words,
            "P1 waits at t.rir:21 for lock a, which it took itself at t.rir:20; \
             P0 spins for ever at t.rir:14"
        );
        assert!(matches!(causes[1], Cause::Waits { taken: None, .. }), "{causes:?}");
    }
}

const MP: &str = r#"
program "mp"
global @data: i32
global @flag: i32
thread P0 = @send()
thread P1 = @receive()
func @send() {
entry:
  store i32 asm @data, 42
  store i32 asm @flag, 1
  ret
}
func @receive() {
  reg %seen: i32, %data: i32, %ok: i1
entry:
  %seen = load i32 asm @flag
  %ok = cmp eq i32 %seen, 1
  assume %ok
  %data = load i32 asm @data
  %ok = cmp eq i32 %data, 42
  assert %ok, "the data is there"
  ret
}
"#;

#[test]
fn under_pso_a_later_store_overtakes() {
    assert_eq!(
        reason(MP, Model::Pso),
        "P1 read data = 0 at t.rir:19 because P0's store data = 42 at t.rir:9 was still in its \
         store buffer, although its later store flag = 1 at t.rir:10 had already reached memory"
    );
}

#[test]
fn stores_that_overtake_with_no_load_in_sight() {
    let source = "X86 2+2W\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n \
                  MOV [y],$2 | MOV [x],$2 ;\n~exists (x=1 /\\ y=1)\n";
    let words = litmus(source, Model::Pso);
    let one = "P0's store y = 2 at t.litmus:5 reached memory before its earlier store x = 1 at \
               t.litmus:4";
    let other = "P1's store x = 2 at t.litmus:5 reached memory before its earlier store y = 1 at \
                 t.litmus:4";
    assert!(words == one || words == other, "{words}");
}

/// A store between the two is on the cycle by program order alone, and is not the cause.
#[test]
fn stores_in_between_are_not_blamed() {
    let test = "X86 2+2W+between\n{}\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$2 ;\n \
                MOV [w],$1 | MOV [v],$1 ;\n MOV [y],$1 | MOV [x],$2 ;\n~exists (x=1 /\\ y=2)\n";
    let words = litmus(test, Model::Pso);
    let (later, earlier) = words.split_once(" reached memory before its earlier ").expect("a pair");
    let [later, earlier] =
        [later, earlier].map(|part| part.contains("x = ") || part.contains("y = "));
    assert!(later && earlier, "{words}");
}

#[test]
fn a_load_before_the_own_store() {
    let source = "X86 R\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$2 ;\n \
                  MOV [y],$1 | MOV EAX,[x] ;\n~exists (y=2 /\\ 1:EAX=0)\n";
    let words = litmus(source, Model::Tso);
    let missed = "P1 read x = 0 at t.litmus:5 because P0's store x = 1 at t.litmus:4 was still in \
                  its store buffer";
    let early = "P1 read x = 0 at t.litmus:5 while its own earlier store y = 2 at t.litmus:4 was \
                 still in its store buffer";
    assert!(words == missed || words == early, "{words}");
}

#[test]
fn a_dead_object_has_a_life() {
    let source = r#"
program "uaf"
global @p: ptr
thread main = @main()
func @main() {
  reg %p: ptr, %t: i64
entry:
  %p = malloc 16
  store ptr asm @p, %p
  %t = spawn @user()
  free %p
  join %t
  ret
}
func @user() {
  reg %p: ptr, %v: i32
entry:
  %p = load ptr asm @p
  store i32 asm %p, 1
  ret
}
"#;
    assert_eq!(
        reason(source, Model::Sc),
        "heap object 1 of main (16 bytes) was allocated by main at t.rir:8 and was freed by main \
         at t.rir:11"
    );
}

#[test]
fn a_null_pointer_comes_from_somewhere() {
    let source = r#"
program "null"
global @p: ptr
thread main = @main()
func @main() {
  reg %p: ptr, %v: i32
entry:
  %p = load ptr asm @p
  %v = load i32 asm %p
  ret
}
"#;
    assert_eq!(reason(source, Model::Sc), "main read p = 0 at t.rir:8");
}

#[test]
fn a_signal_can_be_wasted() {
    let source = r#"
program "wasted"
global @m: i32
global @c: i32
thread P0 = @wait()
thread P1 = @signal()
func @wait() {
entry:
  lock @m
  cond_wait @c, @m
  unlock @m
  ret
}
func @signal() {
entry:
  cond_signal @c
  ret
}
"#;
    assert_eq!(
        reason(source, Model::Sc),
        "P0 waits at t.rir:10 for a signal on c, which P1 signalled at t.rir:16 when nobody waited"
    );
}

#[test]
fn what_was_read_last_came_from_another() {
    let source = r#"
program "source"
global @x: i32
thread P0 = @write()
thread P1 = @read()
func @write() {
entry:
  store i32 asm @x, 1
  ret
}
func @read() {
  reg %x: i32, %ok: i1
entry:
  %x = load i32 asm @x
  %ok = cmp eq i32 %x, 0
  assert %ok, "nobody writes"
  ret
}
"#;
    for model in MODELS {
        assert_eq!(reason(source, model), "P1 read x = 1 at t.rir:14, which P0 wrote at t.rir:8");
    }
}

/// No cause is better than a wrong one.
#[test]
fn a_failure_without_others_needs_no_reason() {
    let source = r#"
program "alone"
thread P0 = @f()
func @f() {
entry:
  assert 0, "never"
  ret
}
"#;
    assert_eq!(reason(source, Model::Tso), "");
}

/// A final state that is not reachable under SC has a cause. The cause of an execution under SC never refers
/// to the memory model.
#[test]
fn the_memory_model_is_blamed_iff_it_is_to_blame() {
    let mut blamed = 0;
    for config in [Config::memory(), Config::c11(), Config::synchronised()] {
        compare_under(generated(&config, 60), &MODELS, |program, model| {
            let prop = Prop::False;
            let condition = Some(Condition { quantifier: Quantifier::Forall, prop });
            let program = Program { condition, ..program.clone().into_program() };
            let program = verify(program).expect("the condition is well-formed");
            let strongest = states(&program, Model::Sc);
            for (values, schedule) in states(&program, model) {
                let events = replay(&program, &Options::new(model), &schedule).events;
                let outcome = Outcome { values: values.clone(), count: 1, schedule };
                let reason = why(&program, &events, &Offence::Condition(outcome));
                if model == Model::Sc {
                    same("the reason", &reason, &None)?;
                } else if strongest.iter().all(|(reached, _)| *reached != values) {
                    ensure(reason.is_some(), || format!("no reason for {values:?}"))?;
                    blamed += 1;
                }
            }
            Ok(())
        });
    }
    assert!(blamed > 50, "{blamed} are too few to mean anything");
}

fn states(program: &Verified, model: Model) -> Vec<(Vec<u64>, Vec<Step>)> {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(2_000);
    let found = explore(program, &options);
    let states = found.states.into_iter().map(|(values, _)| values);
    states.zip(found.witnesses).collect()
}
