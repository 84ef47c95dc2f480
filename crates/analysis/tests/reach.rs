//! On generated programs, the witnesses of the reachability engine replay on the interleaving engine, and
//! `check` by states has the same verdict as `check` by executions. `RADDLE_LONG=1` runs many more programs.

use crate::by_states;
use raddle_analysis::reach::reach;
use raddle_analysis::robust::{By, Gap, robust};
use raddle_analysis::{Verdict, check};
use raddle_engine::{Limits, Model, Options, Strategy};
use raddle_ir::{CmpOp, Condition, Program, Prop, Quantifier, Term, Verified, text, verify};
use raddle_oracle::campaign::{
    Comparison, Stop, Subject, compare, compare_under, ensure, generated, only_if, same,
};
use raddle_oracle::generate::{Config, Weights};

fn programs(count: u64) -> impl Iterator<Item = Subject> {
    let weights = Weights {
        load: 30,
        store: 30,
        fence: 3,
        rmw: 2,
        branch: 5,
        assert: 6,
        choose: 1,
        ..Weights::default()
    };
    let bare = Config { weights, instructions: 3..=4, ..Config::memory() };
    let configs = [bare, Config::synchronised()];
    configs.into_iter().flat_map(move |config| generated(&config, count).collect::<Vec<_>>())
}

fn limited(model: Model) -> Options {
    let mut options = Options::new(model);
    options.limits.executions = Some(5_000);
    options
}

#[test]
fn what_is_found_replays() {
    let mut reached = 0;
    compare_under(programs(150), &[Model::Sc, Model::Tso], |program, model| {
        let result = reach(program, &by_states(model));
        reached += u32::from(result.reachable == Some(true));
        ensure(result.unconfirmed.is_none(), || "the witness does not replay".to_owned())
    });
    assert!(reached > 20, "{reached}");
}

const MODELS: [Model; 2] = [Model::Sc, Model::Tso];

/// The verdict by states, which must be equal to the verdict by executions.
fn judged_alike(program: &Verified, model: Model) -> Result<Verdict, Stop> {
    let by_executions = check(program, &limited(model)).verdict;
    only_if(by_executions != Verdict::Unknown)?;
    let by_states = check(program, &limited(model).by(Strategy::Lazy)).verdict;
    same("the verdict by states", &by_states, &by_executions)?;
    Ok(by_states)
}

#[test]
fn checks_by_states_and_by_executions_agree() {
    compare_under(programs(100), &MODELS, |program, model| -> Comparison {
        judged_alike(&asking(program, None), model)?;
        Ok(())
    });
}

/// The program with another condition.
fn asking(program: &Verified, condition: Option<Condition>) -> Verified {
    let program = Program { condition, ..program.clone().into_program() };
    verify(program).expect("the condition is well-formed")
}

/// A condition on the first observable, of a kind that can be violated.
fn condition(program: &Verified, seed: usize) -> Option<Condition> {
    let observable = Term::Observable(program.observables.keys().next()?);
    let quantifier = [Quantifier::NotExists, Quantifier::Forall][seed % 2];
    let prop = Prop::Cmp(CmpOp::Eq, observable, Term::Int(seed as i128 / 2 % 3));
    Some(Condition { quantifier, prop })
}

#[test]
fn final_conditions_are_judged_alike() {
    let (mut violated, mut met) = (0, 0);
    let with_condition = |(number, subject): (usize, Subject)| {
        let condition = condition(&subject.program, number);
        Subject { program: asking(&subject.program, condition), ..subject }
    };
    let subjects = programs(60).enumerate().map(with_condition);
    compare_under(subjects, &MODELS, |program, model| {
        let verdict = judged_alike(program, model)?;
        violated += u32::from(verdict == Verdict::Violation);
        met += u32::from(verdict == Verdict::Safe);
        Ok(())
    });
    assert!(violated > 20 && met > 20, "{violated} are violated, {met} are met");
}

#[test]
fn attacks_have_a_cycle() {
    let mut attacked = 0;
    compare(programs(100), |program| {
        let found = robust(program, Model::Tso, &Limits::default(), Some(By::Attacks));
        attacked += u32::from(found.robust == Some(false));
        ensure(!found.gaps.contains(&Gap::Unconfirmed), || format!("{:?}", found.gaps))
    });
    assert!(attacked > 5, "{attacked}");
}

/// A loop that never ends and is safe; no bound is met.
#[test]
fn loops_need_not_end() {
    let source = r#"
global @lock: i32
global @inside: i32
thread a = @work()
thread b = @work()
func @work() {
    reg %old: i32, %free: i1, %n: i32
  again:
    %old = rmw xchg i32 acq_rel @lock, 1
    %free = cmp eq i32 %old, 0
    br %free, critical, again
  critical:
    %n = rmw add i32 asm @inside, 1
    %free = cmp eq i32 %n, 0
    assert %free, "alone"
    %n = rmw sub i32 asm @inside, 1
    store i32 release @lock, 0
    jump again
}
"#;
    let program = text::load("spin.rir", source.as_bytes()).expect("it parses");
    for model in [Model::Sc, Model::Tso] {
        let verdict = check(&program, &Options::new(model).by(Strategy::Lazy)).verdict;
        assert_eq!(verdict, Verdict::Safe, "{model}");
    }
    let unsafe_lock = source.replace("rmw xchg i32 acq_rel @lock, 1", "load i32 asm @lock");
    let program = text::load("spin.rir", unsafe_lock.as_bytes()).expect("it parses");
    let verdict = check(&program, &Options::new(Model::Tso).by(Strategy::Lazy)).verdict;
    assert_eq!(verdict, Verdict::Violation);
}
