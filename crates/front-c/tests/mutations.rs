//! Damaged LLVM IR: a text that the parser accepts is lowered to a well-formed program or refused with a
//! diagnostic; nothing panics.

use crate::common;

use fastrand::Rng;
use raddle_front_c::{Options, lower_text};
use raddle_ir::verify::{Rule, errors};
use std::process::Command;

const MUTANTS: u64 = 3000;

/// Words that can replace each other.
const WORDS: [&str; 26] = [
    "i1",
    "i8",
    "i32",
    "i64",
    "i128",
    "i77",
    "i300",
    "ptr",
    "float",
    "double",
    "x86_fp80",
    "void",
    "0",
    "1",
    "-1",
    "99999999999",
    "undef",
    "null",
    "zeroinitializer",
    "poison",
    "{ i32, i8 }",
    "[3 x i16]",
    "<4 x i32>",
    "<3 x i1>",
    "%struct.three",
    "true",
];

fn mutate(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..rng.usize(1..3) {
        let at = rng.usize(..lines.len());
        match rng.u8(..6) {
            0 => _ = lines.remove(at),
            1 => {
                let other = rng.usize(..lines.len());
                lines.swap(at, other);
            }
            2 => {
                let copy = lines[rng.usize(..lines.len())].clone();
                lines.insert(at, copy);
            }
            _ => {
                let words: Vec<&str> = lines[at].split(' ').collect();
                let index = rng.usize(..words.len());
                let mut words: Vec<String> = words.into_iter().map(str::to_owned).collect();
                let comma = if words[index].ends_with(',') { "," } else { "" };
                words[index] = format!("{}{comma}", WORDS[rng.usize(..WORDS.len())]);
                lines[at] = words.join(" ");
            }
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_texts_never_panic() {
    let Some(compiler) = common::compilers().into_iter().next() else {
        return;
    };
    let names = ["variadic.c", "aggregates.c", "control.c", "assembly.c", "atomics.c"];
    let texts: Vec<String> = names
        .iter()
        .flat_map(|name| ["-O0", "-O2"].map(|level| (name, level)))
        .map(|(name, level)| {
            let path = common::folder("sequential").join(name);
            let mut command = Command::new(&compiler);
            command.args(["-w", "-S", "-emit-llvm", level, "-o", "-"]).arg(path);
            let output = command.output().expect("the compiler runs");
            String::from_utf8(output.stdout).expect("text")
        })
        .collect();
    let mut accepted = 0;
    for seed in 0..MUTANTS {
        let mut rng = Rng::with_seed(seed);
        let text = mutate(&texts[rng.usize(..texts.len())], &mut rng);
        let Ok(program) = lower_text("mutant.ll", text.as_bytes(), &Options::default()) else {
            continue;
        };
        accepted += 1;
        // The front end does not check that values are defined before their uses: LLVM and the verifier do.
        if let Some(error) = errors(&program).iter().find(|error| error.rule != Rule::Assignment) {
            panic!("seed {seed}: {}", error.diagnostic(&program));
        }
    }
    assert!(accepted > MUTANTS / 20, "{accepted} of {MUTANTS}");
}
