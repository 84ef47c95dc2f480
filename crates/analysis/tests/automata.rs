//! The automata of `tests/automata`, against the answers in `expected.tsv`: robust under TSO or not,
//! the number of fences that it takes, whether a goal is reachable under SC and under TSO.

#[path = "support/automata.rs"]
mod support;

use raddle_analysis::fence::{Outcome, Question, Target, WeakModel, fences};
use raddle_engine::Limits;
use raddle_interleave::Model;
use raddle_ir::{FenceKind, Program};
use raddle_oracle::capped::{reached, reached_at_last};
use raddle_oracle::{Trouble, automata, fences::fewest};
use raddle_reach::{Answer, Options, ReachModel, Robust, reach, robust};
use support::{expected, folder, load};

/// States that the oracle may look at.
const BUDGET: usize = 10_000;

fn long() -> u64 {
    raddle_testing::scaled(1, 20)
}

fn is_robust(program: &Program) -> String {
    match robust(program, &Options::default()).verdict {
        Robust::Robust => "yes".to_owned(),
        Robust::Attacked(_) => "no".to_owned(),
        Robust::Unknown(why) => why.to_string(),
    }
}

/// The same with its witness replayed.
fn is_confirmed_robust(program: &Program) -> String {
    use raddle_analysis::robust::{By, robust};
    let found = robust(program, Model::Tso, &Limits::default(), Some(By::Attacks));
    match (found.robust, found.witness) {
        (Some(true), None) => "yes".to_owned(),
        (Some(false), Some(_)) => "no".to_owned(),
        _ => format!("{:?}", found.gaps),
    }
}

fn number_of_fences(program: &Program) -> String {
    let (model, target) = (WeakModel::Tso, Target::Robust);
    let question = Question { model, target, limits: Limits::default(), workers: 1 };
    match fences(program, &question, raddle_analysis::fence::between_lines).outcome {
        Outcome::Fences(fences) => fences.len().to_string(),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => why,
    }
}

fn is_reachable(program: &Program, model: ReachModel) -> String {
    if program.goals.is_empty() {
        return "-".to_owned();
    }
    let found = raddle_analysis::reach::reach(program, model, &Options::default());
    match found.reachable {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => format!("{:?}, unconfirmed: {:?}", found.unknown, found.unconfirmed),
    }
}

#[test]
fn automata_are_as_expected() {
    let rows = expected();
    let mut wrong = Vec::new();
    for row in &rows {
        let program = load(&row[0]);
        let found = [
            row[0].clone(),
            is_confirmed_robust(&program),
            number_of_fences(&program),
            is_reachable(&program, ReachModel::Sc),
            is_reachable(&program, ReachModel::Tso),
        ];
        if found != *row {
            wrong.push(format!("{} instead of {}", found.join("\t"), row.join("\t")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let mut listed: Vec<String> = rows.into_iter().map(|row| format!("{}.aut", row[0])).collect();
    let entries = std::fs::read_dir(folder()).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut there: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
    there.retain(|name| name.ends_with(".aut"));
    listed.sort();
    there.sort();
    assert_eq!(listed, there, "expected.tsv lists every file");
}

/// What the oracle finds reachable under SC and under TSO; `None` if it is too much for it.
fn by_trying(program: &Program) -> Option<[String; 2]> {
    let yes = |goals: usize| if goals > 0 { "yes" } else { "no" }.to_owned();
    let answer = reached(program, 0, BUDGET).and_then(|sc| {
        Ok([yes(sc.goals.len()), yes(reached_at_last(program, BUDGET)?.goals.len())])
    });
    match answer {
        Ok(answer) => Some(answer),
        Err(Trouble::Budget) => None,
        Err(trouble) => panic!("{trouble}"),
    }
}

#[test]
fn goals_are_reached_as_by_trying_everything() {
    let mut compared = 0;
    for row in expected().iter().filter(|row| row[3] != "-") {
        if let Some(found) = by_trying(&load(&row[0])) {
            assert_eq!(found, row[3..], "{}", row[0]);
            compared += 1;
        }
    }
    assert!(compared >= 6, "only {compared} were compared");
}

#[test]
fn generated_automata_reach_what_trying_everything_does() {
    let (mut compared, mut relaxed) = (0, 0);
    for seed in 0..60 * long() {
        let source = automata::source(seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        let Some(found) = by_trying(&program) else { continue };
        let options = Options { max_delayed: 6, ..Options::default() };
        let engine = [ReachModel::Sc, ReachModel::Tso].map(|model| {
            match reach(&program, model, &options).answer {
                Answer::Reachable(_) => "yes",
                Answer::Unreachable => "no",
                Answer::Unknown(_) => "unknown",
            }
        });
        // Where stores are delayed without end, the engine may not know.
        let agree = |(engine, oracle): (&str, &String)| engine == oracle || engine == "unknown";
        assert!(engine.into_iter().zip(&found).all(agree), "{engine:?}, not {found:?}\n{source}");
        compared += u64::from(!engine.contains(&"unknown"));
        relaxed += u64::from(found[0] != found[1]);
    }
    assert!(compared > 20 * long() && relaxed > 0, "{compared} compared, {relaxed} relaxed");
}

/// A store that waits for a lock on memory reaches it only when the lock is given back: what was
/// overtaken and missed meanwhile shows only then.
#[test]
fn attacks_end_outside_of_locks() {
    let left = "thread t0\ninitial a\ntransition a b write 1 0\ntransition b c read r 1\nend\n";
    let right = "thread t1\ninitial a\ntransition a b write 1 1\ntransition b c lock
        transition c d read s 0\n";
    let verdict = |rest: &str| {
        let source = format!("{left}{right}{rest}end\n");
        let program = raddle_front_automata::load("t.aut", source.as_bytes()).expect("well-formed");
        is_confirmed_robust(&program)
    };
    assert_eq!(verdict(""), "yes");
    assert_eq!(verdict("transition d e unlock\n"), "no");
    assert_eq!(verdict("transition d e check s\ntransition e f unlock\n"), "yes");
}

#[test]
fn no_smaller_set_of_fences_helps() {
    let mut good = |program: &Program| is_robust(program) == "yes";
    for name in ["dekker-simple", "peterson", "parker", "chase-lev"] {
        let program = load(name);
        let fewest = fewest(&program, FenceKind::Mfence, 2, &mut good);
        assert_eq!(fewest.map(|n| n.to_string()), Some(number_of_fences(&program)), "{name}");
    }
    let mut needing = 0;
    for seed in 0..25 * long() {
        let source = automata::source(seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        if is_robust(&program) != "no" {
            continue;
        }
        let Some(fewest) = fewest(&program, FenceKind::Mfence, 1, &mut good) else { continue };
        assert_eq!(fewest.to_string(), number_of_fences(&program), "{source}");
        needing += 1;
    }
    assert!(needing > 0, "only {needing} needed fences");
}

/// Peterson's fences come after the turn is written and before the other's flag is read.
#[test]
fn fences_are_shown_where_they_go() {
    let program = load("peterson");
    let (model, target) = (WeakModel::Tso, Target::Robust);
    let question = Question { model, target, limits: Limits::default(), workers: 1 };
    let Outcome::Fences(fences) =
        fences(&program, &question, raddle_analysis::fence::between_lines).outcome
    else {
        panic!("there is an answer")
    };
    let line = |loc| program.loc(loc).map(|loc| loc.line);
    let lines: Vec<_> =
        fences.iter().map(|f| (line(f.place.after), line(f.place.before))).collect();
    assert_eq!(lines, [(Some(8), Some(9)), (Some(21), Some(22))]);
}
