//! The automata of `tests/automata`, compared with the answers in `expected.tsv`: whether they are robust
//! under TSO, the least number of fences that makes them robust, and whether a goal is reachable under SC
//! and under TSO.

use crate::support::{expected, folder, load};
use crate::{by_states, question};
use raddle_analysis::fence::{Outcome, Target, fences};
use raddle_engine::{Limits, Model};
use raddle_ir::{FenceKind, Verified};
use raddle_oracle::campaign::{Stop, compare_seeds, only_if, same};
use raddle_oracle::capped::{reached, reached_at_last};
use raddle_oracle::{Trouble, automata, fences::fewest};
use raddle_reach::{Answer, Robust, reach, robust};
use raddle_testing::{files, golden};

/// The number of states that the oracle may visit.
const BUDGET: usize = 10_000;

fn is_robust(program: &Verified) -> String {
    match robust(program, &by_states(Model::Tso)).verdict {
        Robust::Robust => "yes".to_owned(),
        Robust::Attacked(_) => "no".to_owned(),
        Robust::Unknown(why) => why.to_string(),
    }
}

/// The same, but also replays the witness.
fn is_confirmed_robust(program: &Verified) -> String {
    use raddle_analysis::robust::{By, robust};
    let found = robust(program, Model::Tso, &Limits::default(), Some(By::Attacks));
    match (found.robust, found.witness) {
        (Some(true), None) => "yes".to_owned(),
        (Some(false), Some(_)) => "no".to_owned(),
        _ => format!("{:?}", found.gaps),
    }
}

fn number_of_fences(program: &Verified) -> String {
    let question = question(Model::Tso, Target::Robust);
    match fences(program, &question, raddle_analysis::fence::between_lines).outcome {
        Outcome::Fences(fences) => fences.len().to_string(),
        Outcome::Hopeless(why) | Outcome::Unknown(why) => why,
    }
}

fn is_reachable(program: &Verified, model: Model) -> String {
    if program.goals.is_empty() {
        return "-".to_owned();
    }
    let found = raddle_analysis::reach::reach(program, &by_states(model));
    match found.reachable {
        Some(true) => "yes".to_owned(),
        Some(false) => "no".to_owned(),
        None => format!("{:?}, unconfirmed: {:?}", found.unknown, found.unconfirmed),
    }
}

/// The rows of `expected.tsv` in order, and a row for every file that has none.
#[test]
fn automata_are_as_expected() {
    let path = folder().join("expected.tsv");
    let kept = std::fs::read_to_string(&path).expect("expected.tsv");
    let mut text: String = kept
        .lines()
        .filter(|line| line.starts_with('#'))
        .fold(String::new(), |text, line| text + line + "\n");
    let mut names: Vec<String> = expected().into_iter().map(|[name, ..]| name).collect();
    for file in files(&folder(), "aut") {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    for name in names {
        let program = load(&name);
        let found = [
            name,
            is_confirmed_robust(&program),
            number_of_fences(&program),
            is_reachable(&program, Model::Sc),
            is_reachable(&program, Model::Tso),
        ];
        text += &(found.join("\t") + "\n");
    }
    golden(&path, &text);
}

/// Whether the oracle reaches a goal under SC and under TSO.
fn by_trying(program: &Verified) -> Result<[String; 2], Trouble> {
    let yes = |goals: usize| if goals > 0 { "yes" } else { "no" }.to_owned();
    let sc = reached(program, 0, BUDGET)?;
    Ok([yes(sc.goals.len()), yes(reached_at_last(program, BUDGET)?.goals.len())])
}

#[test]
fn goals_are_reached_as_by_trying_everything() {
    let mut compared = 0;
    for row in expected().iter().filter(|row| row[3] != "-") {
        if let Ok(found) = by_trying(&load(&row[0])) {
            assert_eq!(found, row[3..], "{}", row[0]);
            compared += 1;
        }
    }
    assert!(compared >= 6, "only {compared} were compared");
}

#[test]
fn generated_automata_reach_what_trying_everything_does() {
    let mut relaxed = 0;
    let tally = compare_seeds(30, |seed| {
        let source = automata::source(seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        let found = by_trying(&program)?;
        relaxed += u64::from(found[0] != found[1]);
        for (model, oracle) in [Model::Sc, Model::Tso].into_iter().zip(&found) {
            let mut options = by_states(model);
            options.limits.delayed_stores = 6;
            let engine = match reach(&program, &options).answer {
                Answer::Reachable(_) => "yes",
                Answer::Unreachable => "no",
                // If stores can be delayed without end, the engine may not have an answer.
                Answer::Unknown(_) => return Err(Stop::Skip),
            };
            same(format!("{model:?}\n{source}"), &engine, &oracle.as_str())?;
        }
        Ok(())
    });
    assert!(tally.compared > tally.skipped / 2 && relaxed > 0, "{tally:?}, {relaxed} relaxed");
}

/// A store that waits for the memory lock reaches memory only when the lock is released. Until then, no
/// execution shows that it was overtaken or missed.
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
    let mut good = |program: &Verified| is_robust(program) == "yes";
    for name in ["dekker-simple", "peterson", "parker", "chase-lev"] {
        let program = load(name);
        let fewest = fewest(&program, FenceKind::Mfence, 2, &mut good);
        assert_eq!(fewest.map(|n| n.to_string()), Some(number_of_fences(&program)), "{name}");
    }
    compare_seeds(25, |seed| {
        let source = automata::source(seed);
        let program = raddle_front_automata::load("g.aut", source.as_bytes()).expect("well-formed");
        only_if(is_robust(&program) == "no")?;
        let fewest = fewest(&program, FenceKind::Mfence, 1, &mut good).ok_or(Stop::Skip)?;
        same(source, &number_of_fences(&program), &fewest.to_string())
    });
}

/// Peterson's fences are between the store to the turn and the load of the other thread's flag.
#[test]
fn fences_are_shown_where_they_go() {
    let program = load("peterson");
    let question = question(Model::Tso, Target::Robust);
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
