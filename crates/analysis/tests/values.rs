//! Values as programs interpret them, in both engines.

use raddle_analysis::check;
use raddle_engine::{Model, Options, Strategy};
use raddle_ir::{Verified, text};

const SOURCE: &str = r#"program "values"
global @rate: f64
thread P0 = @f()
func @f() {
  reg %n: i32, %m: i32, %r: f64, %c: i1
entry:
  %n = choose i32 0, 2
  %m = add i32 %n, -1
  store f64 asm @rate, 0x4004000000000000
  %r = load f64 asm @rate
  %c = cmp ne i32 %m, 1
  assert %c, "one"
  ret
}
"#;

fn told(program: &Verified, strategy: Strategy) -> Vec<String> {
    let result = check(program, &Options::new(Model::Sc).by(strategy));
    result.violations[0].witness.events.iter().map(|event| event.what()).collect()
}

#[test]
fn floats_and_choices_are_told_as_such() {
    let program = text::load("t.rir", SOURCE.as_bytes()).expect("the program parses");
    for strategy in [Strategy::Optimal, Strategy::Graph] {
        let told = told(&program, strategy);
        for wanted in ["chooses 1", "writes rate = 2.5", "reads rate = 2.5"] {
            assert!(told.iter().any(|what| what == wanted), "{wanted}: {told:?}");
        }
    }
}
