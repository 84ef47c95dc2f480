//! Fences for the weak models: the classic tests with the sets of fences that they are known to need, and
//! a search of all placements with the oracles as judges, which share no code with the engines.

use crate::{WEAK, question};
use raddle_analysis::fence::{Outcome, Target, fences};
use raddle_engine::Model;
use raddle_ir::{Mnemonic, Program, Verified, text, verify};
use raddle_oracle::campaign::{Stop, compare_under, only_if, same, seeded};
use raddle_oracle::fences::{Cost, cheapest};
use raddle_oracle::{self as oracle, Observation, axiomatic, generate, weak};

/// The parts of a test: the threads' accesses, and the forbidden final state.
///
/// `Wx1` stores 1 to x, `Rx` loads x into the next register of its thread: `0:a`, `0:b`.
struct Classic {
    name: &'static str,
    threads: &'static [&'static [&'static str]],
    forbidden: &'static str,
    /// Under tso, pso, power and arm.
    fences: [&'static [&'static str]; 4],
}

const CLASSICS: [Classic; 9] = [
    Classic {
        name: "MP",
        threads: &[&["Wx1", "Wy1"], &["Ry", "Rx"]],
        forbidden: r#""1:a" == 1 && "1:b" == 0"#,
        fences: [&[], &["t0 store_store"], &["t0 eieio", "t1 lwsync"], &["t0 dmb.st", "t1 dmb"]],
    },
    Classic {
        name: "SB",
        threads: &[&["Wx1", "Ry"], &["Wy1", "Rx"]],
        forbidden: r#""0:a" == 0 && "1:a" == 0"#,
        fences: [
            &["t0 mfence", "t1 mfence"],
            &["t0 full", "t1 full"],
            &["t0 sync", "t1 sync"],
            &["t0 dmb", "t1 dmb"],
        ],
    },
    Classic {
        name: "LB",
        threads: &[&["Rx", "Wy1"], &["Ry", "Wx1"]],
        forbidden: r#""0:a" == 1 && "1:a" == 1"#,
        fences: [&[], &[], &["t0 lwsync", "t1 lwsync"], &["t0 dmb", "t1 dmb"]],
    },
    Classic {
        name: "2+2W",
        threads: &[&["Wx1", "Wy2"], &["Wy1", "Wx2"]],
        forbidden: "x == 1 && y == 1",
        fences: [
            &[],
            &["t0 store_store", "t1 store_store"],
            &["t0 eieio", "t1 eieio"],
            &["t0 dmb.st", "t1 dmb.st"],
        ],
    },
    Classic {
        name: "R",
        threads: &[&["Wx1", "Wy1"], &["Wy2", "Rx"]],
        forbidden: r#"y == 2 && "1:a" == 0"#,
        fences: [
            &["t1 mfence"],
            &["t0 store_store", "t1 full"],
            // The order that eieio and lwsync give is not extended by coherence alone.
            &["t0 sync", "t1 sync"],
            &["t0 dmb.st", "t1 dmb"],
        ],
    },
    Classic {
        name: "S",
        threads: &[&["Wx2", "Wy1"], &["Ry", "Wx1"]],
        forbidden: r#"x == 2 && "1:a" == 1"#,
        fences: [&[], &["t0 store_store"], &["t0 eieio", "t1 lwsync"], &["t0 dmb.st", "t1 dmb"]],
    },
    Classic {
        name: "WRC",
        threads: &[&["Wx1"], &["Rx", "Wy1"], &["Ry", "Rx"]],
        forbidden: r#""1:a" == 1 && "2:a" == 1 && "2:b" == 0"#,
        fences: [&[], &[], &["t1 lwsync", "t2 lwsync"], &["t1 dmb", "t2 dmb"]],
    },
    Classic {
        name: "ISA2",
        threads: &[&["Wx1", "Wy1"], &["Ry", "Wz1"], &["Rz", "Rx"]],
        forbidden: r#""1:a" == 1 && "2:a" == 1 && "2:b" == 0"#,
        fences: [
            &[],
            &["t0 store_store"],
            &["t0 eieio", "t1 lwsync", "t2 lwsync"],
            &["t0 dmb.st", "t1 dmb", "t2 dmb"],
        ],
    },
    Classic {
        name: "IRIW",
        threads: &[&["Wx1"], &["Wy1"], &["Rx", "Ry"], &["Ry", "Rx"]],
        forbidden: r#""2:a" == 1 && "2:b" == 0 && "3:a" == 1 && "3:b" == 0"#,
        fences: [&[], &[], &["t2 sync", "t3 sync"], &["t2 dmb", "t3 dmb"]],
    },
];

impl Classic {
    fn program(&self) -> Verified {
        let mut out = String::new();
        for place in ["x", "y", "z"] {
            out += &format!("global @{place}: i32 = 0\nobserve {place} = i32 @{place}\n");
        }
        for (number, accesses) in self.threads.iter().enumerate() {
            let (mut body, mut registers) = (String::new(), ["a", "b"].iter());
            let mut used = Vec::new();
            for access in *accesses {
                let place = &access[1..2];
                if access.starts_with('R') {
                    let register = registers.next().expect("at most two loads");
                    body += &format!("    %{register} = load i32 asm @{place}\n");
                    out += &format!("observe \"{number}:{register}\" = t{number} %{register}\n");
                    used.push(*register);
                } else {
                    body += &format!("    store i32 asm @{place}, {}\n", &access[2..]);
                }
            }
            let declared = used.iter().map(|r| format!("    reg %{r}: i32\n")).collect::<String>();
            out += &format!("thread t{number} = @t{number}()\n");
            out += &format!("func @t{number}() {{\n{declared}  entry:\n{body}    ret\n}}\n");
        }
        out += &format!("exists {}\n", self.forbidden);
        text::load(self.name, out.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{out}"))
    }
}

fn found(program: &Verified, model: Model, target: Target) -> Vec<String> {
    let question = question(model, target);
    match fences(program, &question, raddle_analysis::fence::between_lines).outcome {
        Outcome::Fences(fences) => {
            let name = |f: &raddle_analysis::fence::Fence| &program.funcs[f.place.point.func].name;
            fences.iter().map(|f| format!("{} {}", name(f), f.kind.mnemonic())).collect()
        }
        Outcome::Hopeless(why) | Outcome::Unknown(why) => vec![why],
    }
}

#[test]
fn classics_need_what_they_are_known_to_need() {
    for classic in &CLASSICS {
        let program = classic.program();
        for (model, wanted) in WEAK.into_iter().zip(classic.fences) {
            for target in [Target::Robust, Target::Goals] {
                let found = found(&program, model, target);
                assert_eq!(found, wanted, "{} {} {target:?}", classic.name, model.name());
            }
        }
    }
}

/// The executions under the model, by an oracle; `None` if the program is too large for it.
fn outcome(program: &Verified, model: Model) -> Option<raddle_oracle::Outcome> {
    match oracle::Model::named(model.name()) {
        Some(model) => axiomatic::executions(program, model).ok(),
        None => {
            let model = weak::Hardware::named(model.name())?;
            weak::executions_within(program, model, 200_000).ok()
        }
    }
}

fn is_good(program: &Verified, model: Model, target: Target) -> Option<bool> {
    let seen = outcome(program, model)?;
    match target {
        Target::Robust => {
            let sc = axiomatic::executions(program, oracle::Model::Sc).ok()?;
            Some(seen.executions + seen.blocked == sc.executions + sc.blocked)
        }
        Target::Goals => {
            let observed = seen.observation(program).ok()?;
            Some(observed == Some(Observation::Never) && seen.assertion_failures == 0)
        }
    }
}

/// The cost of the fences that the search finds.
fn cost(program: &Verified, model: Model, target: Target) -> Option<Cost> {
    let question = question(model, target);
    let kinds = model.fences();
    let level = |kind| kinds.iter().position(|k| *k == kind).map_or(0, |level| level + 1);
    match fences(program, &question, raddle_analysis::fence::between_lines).outcome {
        Outcome::Fences(fences) => Some(Cost {
            count: fences.len(),
            strength: fences.iter().map(|fence| level(fence.kind)).sum(),
        }),
        Outcome::Hopeless(_) | Outcome::Unknown(_) => None,
    }
}

/// The cost of the cheapest placement with at most `most` fences.
fn least(program: &Verified, model: Model, target: Target, most: usize) -> Option<Cost> {
    let mut good = |program: &Verified| is_good(program, model, target) == Some(true);
    cheapest(program, model.fences(), most, &mut good)
}

#[test]
fn no_placement_is_cheaper_for_classics() {
    let long = raddle_testing::is_long();
    for classic in &CLASSICS {
        // It has many thousands of sets of three fences.
        if classic.name == "ISA2" && !long {
            continue;
        }
        let program = classic.program();
        for model in WEAK {
            for target in [Target::Robust, Target::Goals] {
                let found = cost(&program, model, target).expect("there is an answer");
                let least = least(&program, model, target, found.count);
                assert_eq!(Some(found), least, "{} {} {target:?}", classic.name, model.name());
            }
        }
    }
}

/// Two threads of two or three accesses, some with dependencies and fences of their own.
fn generated(seed: u64) -> Verified {
    let config = generate::Config { instructions: 2..=3, threads: 2..=2, ..tiny() };
    generate::program(&config, seed)
}

fn tiny() -> generate::Config {
    let weights = generate::Weights {
        load: 30,
        store: 30,
        fence: 4,
        rmw: 2,
        branch: 4,
        ..generate::Weights::default()
    };
    generate::Config { weights, ..generate::Config::memory() }
}

#[test]
fn no_placement_is_cheaper_for_generated_programs() {
    let most = if raddle_testing::is_long() { 3 } else { 2 };
    let mut needing = 0;
    let tally = compare_under(seeded(60, generated), &WEAK, |program, model| {
        let program = Program { condition: None, ..program.clone().into_program() };
        let program = verify(program).expect("well-formed without its condition");
        only_if(is_good(&program, model, Target::Robust).is_some())?;
        let found = cost(&program, model, Target::Robust).ok_or(Stop::Skip)?;
        only_if(found.count <= most)?;
        needing += u32::from(found.count > 0);
        same("the cost", &Some(found), &least(&program, model, Target::Robust, found.count))
    });
    assert!(tally.compared > 40 && needing > 5, "{tally:?}, {needing} needing");
}

/// A search that gives up, at any moment, has bounds for the number of fences.
#[test]
fn what_is_known_of_an_unfinished_search_is_true() {
    let (mut bounded, mut finished) = (0, 0);
    for classic in &CLASSICS {
        let program = classic.program();
        for (model, wanted) in WEAK.into_iter().zip(classic.fences) {
            for most in 1..16 {
                let mut question = question(model, Target::Goals);
                question.options.limits.executions = Some(most);
                let found = fences(&program, &question, raddle_analysis::fence::between_lines);
                let shown = format!("{} {} {most}: {found:?}", classic.name, model.name());
                assert!(found.at_least <= wanted.len(), "{shown}");
                match &found.outcome {
                    Outcome::Fences(fences) => {
                        assert_eq!(fences.len(), wanted.len(), "{shown}");
                        assert_eq!(found.shown(), fences, "{shown}");
                        finished += 1;
                    }
                    Outcome::Unknown(_) if !found.enough.is_empty() => {
                        assert!(found.enough.len() >= wanted.len(), "{shown}");
                        let points = found.enough.iter().map(|f| (f.place.point, f.kind));
                        let fenced = program.with_fences(&points.collect::<Vec<_>>());
                        assert_eq!(is_good(&fenced, model, Target::Goals), Some(true), "{shown}");
                        bounded += 1;
                    }
                    Outcome::Unknown(_) => {}
                    Outcome::Hopeless(_) => panic!("{shown}"),
                }
            }
        }
    }
    assert!(bounded > 0 && finished > 50, "{bounded} bounded, {finished} finished");
}
