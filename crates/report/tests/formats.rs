//! The exact output formats: text as people and scripts of the field read it, and the fields of JSON.

use raddle_analysis::{
    CheckResult, ConditionResult, LitmusResult, Observation, Offence, Outcome, Verdict, Violation,
    Witness,
};
use raddle_engine::{
    BoundKind, BoundMet, Bytes, Calls, Cell, Datum, Deed, Failure, FailureKind, FailureSite, Model,
    Options, ReplayEvent, Step, Stopped, Summary, Unroll,
};
use raddle_ir::{
    CmpOp, Condition, LocId, Observed, ProgramBuilder, Prop, Quantifier, Term, Type, Verified,
    verify,
};
use raddle_machine::ThreadId;
use raddle_report::source::Sources;
use raddle_report::{Look, Run, check, json, litmus};
use serde_json::Value;
use std::time::Duration;

/// Two observed cells and a condition that both are zero.
fn program(quantifier: Quantifier) -> Verified {
    let mut builder = ProgramBuilder::new("SB");
    let file = builder.file("SB.litmus");
    builder.loc(file, 7, 2);
    let mut atoms = Vec::new();
    for name in ["y", "x"] {
        let global = builder.scalar(name, Type::I32, 0);
        let id = builder.observe(name, Observed::Mem { global, offset: 0, ty: Type::I32 });
        atoms.push(Prop::Cmp(CmpOp::Eq, Term::Observable(id), Term::Int(0)));
    }
    let mut program = builder.finish();
    program.condition = Some(Condition { quantifier, prop: Prop::And(atoms) });
    verify(program).expect("it is well-formed")
}

fn shown(run: &Run<'_>, result: &CheckResult) -> String {
    let sources = &Sources::none();
    let look = Look { width: 100, colour: false, all_steps: false, calls: false, sources };
    check::text(run, &look, result)
}

fn summary() -> Summary {
    Summary {
        executions: 4,
        events: 20,
        states: vec![(vec![0, 0], 1), (vec![0, 1], 2), (vec![1, 0xffff_ffff], 1)],
        ..Summary::default()
    }
}

fn result(summary: Summary, verdict: Verdict) -> CheckResult {
    CheckResult {
        verdict,
        violations: Vec::new(),
        suppressed: Vec::new(),
        unchecked: Vec::new(),
        unsupported: Vec::new(),
        shows_nothing: false,
        unconfirmed: Vec::new(),
        unreplayed: Vec::new(),
        condition: None,
        summary,
        elapsed: Duration::from_millis(1500),
    }
}

fn observed(quantifier: Quantifier, check: CheckResult) -> LitmusResult {
    let counterexample = (quantifier == Quantifier::NotExists).then(|| Outcome {
        values: vec![0, 0],
        count: 1,
        schedule: Vec::new(),
    });
    let condition = ConditionResult { quantifier, positive: 1, negative: 3, counterexample };
    LitmusResult { observation: Observation::Sometimes, condition, check }
}

fn failure() -> Failure {
    let schedule = vec![Step::Run(ThreadId(0)), Step::Update { thread: ThreadId(0), store: 3 }];
    let message = "both are in".to_owned();
    FailureSite::new(FailureKind::Assertion, "P0", LocId(0), message).shown_by(1, schedule)
}

fn violation() -> CheckResult {
    let cell = || Cell {
        at: Bytes { addr: 1 << 28, bytes: 4, name: "x".into() },
        value: Datum { bits: 1, shown: "1".into() },
    };
    let event = |deed: Deed| ReplayEvent {
        number: 0,
        thread: "P0".into(),
        loc: LocId(0),
        calls: Calls::from([]),
        deed,
    };
    let witness = Witness {
        schedule: failure().schedule,
        events: vec![
            event(Deed::Buffer { cell: cell(), store: 3, drains: false }),
            event(Deed::Update { cell: cell(), store: 3 }),
        ],
        origins: Vec::new(),
        why: None,
    };
    let mut result = result(
        Summary { failures: vec![failure()], stopped: Some(Stopped::Failure), ..summary() },
        Verdict::Violation,
    );
    result.violations = vec![Violation { offence: Offence::Failed(failure()), witness, count: 1 }];
    result
}

fn bounded() -> CheckResult {
    let bounds = vec![BoundMet { kind: BoundKind::Events, loc: LocId(0), count: 2 }];
    result(Summary { bounds, cut: 2, ..summary() }, Verdict::SafeBounded)
}

#[test]
fn litmus_text() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let result = observed(Quantifier::Exists, result(summary(), Verdict::Safe));
    let expected = r"Test SB Allowed
States 3
x=-1; y=1;
x=0; y=0;
x=1; y=0;
Ok
Witnesses
Positive: 1 Negative: 3
Condition exists (y=0 /\ x=0)
Observation SB Sometimes 1 3
Executions 4 (tso, optimal)

";
    assert_eq!(litmus::text(&run, &result), expected);
}

#[test]
fn litmus_text_says_what_is_not_ordinary() {
    let program = program(Quantifier::NotExists);
    let options = Options::new(Model::Sc);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let mut check = bounded();
    check.summary.stopped = Some(Stopped::Time);
    check.summary.blocked = 3;
    let text = litmus::text(&run, &observed(Quantifier::NotExists, check));
    assert!(text.starts_with("Test SB Forbidden\n"), "{text}");
    let end = "No
Witnesses
Positive: 1 Negative: 3
Condition ~exists (y=0 /\\ x=0)
Observation SB Sometimes 1 3
Executions 4 (sc, optimal)
Blocked 3
Bound 100000 events of one thread (--max-events) at SB.litmus:7 (2 executions cut)
Stopped: time ran out

";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn violation_text_lists_the_replayed_schedule() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let expected = "SB.litmus under tso: violation
  assertion in thread P0 at SB.litmus:7: both are in (1 execution)

       line  P0
       ----  -----------------------
    1     7  writes x = 1 (buffered)
    2     7  x = 1 reaches memory

  4 executions, 20 events (tso, optimal) 1.500 s
";
    assert_eq!(shown(&run, &violation()), expected);
}

#[test]
fn a_violated_condition_has_a_state_and_a_schedule() {
    let program = program(Quantifier::NotExists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let Violation { witness, .. } = violation().violations.remove(0);
    let schedule = witness.schedule.clone();
    let outcome = Outcome { values: vec![0, 0], count: 1, schedule };
    let mut result = result(summary(), Verdict::Violation);
    result.violations =
        vec![Violation { offence: Offence::Condition(outcome.clone()), witness, count: 2 }];
    let expected = r"SB.litmus under tso: violation
  condition ~exists (y=0 /\ x=0) fails in 2 executions
  a final state: x=0; y=0;

       line  P0
       ----  -----------------------
    1     7  writes x = 1 (buffered)
    2     7  x = 1 reaches memory

  4 executions, 20 events (tso, optimal) 1.500 s
";
    assert_eq!(shown(&run, &result), expected);

    let object = parsed(&json::line(&json::check(&run, &result)));
    let error = &object["errors"][0];
    assert_eq!((&error["kind"], &error["confirmed"]), (&"condition".into(), &true.into()));
    assert_eq!(error["count"], 2);
    assert_eq!(error["schedule"].as_array().map(Vec::len), Some(2));
    assert_eq!(error["state"], serde_json::json!({ "x": 0, "y": 0 }));

    result.violations.clear();
    result.unconfirmed = vec![Offence::Condition(outcome)];
    let text = litmus::text(&run, &observed(Quantifier::NotExists, result));
    assert!(text.contains("\nWarning: a defect of raddle: this did not replay: final"), "{text}");
}

#[test]
fn bounds_and_early_ends_are_said() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Pso);
    let run = Run { file: "a.rir", program: &program, options: &options };
    let text = shown(&run, &bounded());
    assert!(text.starts_with("a.rir under pso: safe up to bounds\n"), "{text}");
    assert!(text.contains(
        "bound met: 100000 events of one thread (--max-events) at SB.litmus:7 (2 executions cut)"
    ));
    for (kind, words) in [
        (BoundKind::Iterations, "a loop went back 4 times (--unroll) at"),
        (BoundKind::LocalSteps, "10000000 instructions without an event at"),
    ] {
        let mut options = options.clone();
        options.limits.unroll = Unroll::every(4);
        let mut result = bounded();
        result.summary.bounds[0].kind = kind;
        let text = shown(&Run { options: &options, ..run }, &result);
        assert!(text.contains(&format!("bound met: {words}")), "{text}");
    }

    let early = Summary { stopped: Some(Stopped::Memory), ..summary() };
    let text = shown(&run, &result(early, Verdict::Unknown));
    assert!(text.contains("stopped early: the limit on memory was reached"), "{text}");

    let mut odd = result(summary(), Verdict::Unknown);
    odd.unconfirmed = vec![Offence::Failed(failure())];
    assert!(shown(&run, &odd).contains("a defect of raddle"));
}

fn parsed(line: &str) -> Value {
    assert_eq!(line.matches('\n').count(), 1, "one object, one line");
    serde_json::from_str(line).expect("valid JSON")
}

#[test]
fn litmus_json() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let result = observed(Quantifier::Exists, result(summary(), Verdict::Safe));
    let mut object = parsed(&json::line(&json::litmus(&run, &result)));
    let peak = object.as_object_mut().and_then(|fields| fields.remove("peak"));
    assert!(peak.is_some_and(|peak| peak.is_null() || peak.as_u64() > Some(0)));
    let expected = serde_json::json!({
        "test": "SB", "file": "SB.litmus", "model": "tso", "buffer_bound": null,
        "strategy": "optimal",
        "observation": "Sometimes", "complete": true, "verdict": "safe",
        "executions": 4, "blocked": 0, "redundant": 0,
        "states": [
            { "values": { "x": 0, "y": 0 }, "count": 1 },
            { "values": { "x": 1, "y": 0 }, "count": 2 },
            { "values": { "x": -1, "y": 1 }, "count": 1 },
        ],
        "positive": 1, "negative": 3,
        "condition": "exists (y=0 /\\ x=0)", "condition_holds": true,
        "errors": [], "bounds": [], "stopped": null, "shows_nothing": false, "events": 20,
        "seconds": 1.5,
    });
    assert_eq!(object, expected);
}

#[test]
fn check_json() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let object = parsed(&json::line(&json::check(&run, &violation())));
    assert_eq!(object["verdict"], "violation");
    assert_eq!(object["stopped"], "failure");
    let error = serde_json::json!({
        "kind": "assertion", "thread": "P0", "file": "SB.litmus", "line": 7,
        "message": "both are in", "count": 1, "confirmed": true,
        "schedule": [
            { "run": 0 },
            { "update": { "thread": 0, "store": 3 } },
        ],
        "witness": [
            { "thread": "P0", "file": "SB.litmus", "line": 7, "what": "writes x = 1 (buffered)",
              "kind": "buffer", "at": "x", "value": "1", "store": 3 },
            { "thread": "P0", "file": "SB.litmus", "line": 7, "what": "x = 1 reaches memory",
              "kind": "update", "at": "x", "value": "1", "store": 3 },
        ],
        "why": null, "causes": [],
    });
    assert_eq!(object["errors"], serde_json::json!([error]));

    let object = parsed(&json::line(&json::check(&run, &bounded())));
    assert_eq!(object["verdict"], "safe-bounded");
    let bound = serde_json::json!({ "kind": "events", "file": "SB.litmus", "line": 7, "count": 2 });
    assert_eq!(object["bounds"], serde_json::json!([bound]));
}

/// Internal events of a library are in the JSON, but not in the text.
#[test]
fn only_what_has_a_place_in_the_source_is_shown() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let mut result = violation();
    let events = &mut result.violations[0].witness.events;
    events[0].loc = LocId::NONE;
    let text = shown(&run, &result);
    assert!(!text.contains("(buffered)") && text.contains("    2     7  x = 1 reaches"), "{text}");
    let object = parsed(&json::line(&json::check(&run, &result)));
    assert_eq!(object["errors"][0]["witness"].as_array().map(Vec::len), Some(2));
}

#[test]
fn many_threads_make_a_list_and_colours_are_asked_for() {
    let program = program(Quantifier::Exists);
    let options = Options::new(Model::Tso);
    let run = Run { file: "SB.litmus", program: &program, options: &options };
    let mut result = violation();
    let events = &mut result.violations[0].witness.events;
    for number in 1..8 {
        let thread = format!("P{number}");
        events.push(ReplayEvent { number, thread, ..events[0].clone() });
    }
    let list = "
       line
    1     7  P0  writes x = 1 (buffered)
    2     7  P0  x = 1 reaches memory
    3     7  P1  writes x = 1 (buffered)
";
    let text = shown(&run, &result);
    assert!(text.contains(list) && !text.contains('\x1b'), "{text}");
    let sources = &Sources::none();
    let look = Look { width: 100, colour: true, all_steps: false, calls: false, sources };
    assert!(check::text(&run, &look, &result).contains("\x1b[33mwrites x = 1 (buffered)\x1b[0m"));
}
