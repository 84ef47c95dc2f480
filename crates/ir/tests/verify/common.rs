//! Programs that break a rule, and the checks of the reported errors.

use raddle_ir::text::{ParseOptions, parse_with};
use raddle_ir::verify::{Rule, errors};
use raddle_ir::*;

pub(super) fn parsed(source: &str) -> Program {
    let options = ParseOptions { own_positions: false };
    parse_with("t.rir", source, options).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// `program` breaks `rule`, once, and nothing else.
#[track_caller]
pub(super) fn breaks(rule: Rule, program: &Program) {
    let errors = errors(program);
    let rules: Vec<Rule> = errors.iter().map(|error| error.rule).collect();
    assert_eq!(rules, [rule], "{errors:?}\n{program}");
    // A message can be shown, also for programs whose text does not parse.
    let shown = errors[0].diagnostic(program).to_string();
    assert!(shown.contains(&format!("[rule {}: ", rule.number())), "{shown}");
}

#[track_caller]
pub(super) fn text_breaks(rule: Rule, source: &str) {
    breaks(rule, &parsed(source));
}

pub(super) const PRELUDE: &str = "
global @x: i32 = 0
const global @k: i32 = 0
thread_local global @t: ptr = 0
func @none(%a: i32)
func @wide() -> i128
";

/// A function with registers of many types, assigned, and one instruction or terminator.
pub(super) fn with(line: &str) -> String {
    let terminator = ["ret", "switch", "jump", "br"].iter().any(|word| line.starts_with(word));
    let end = if terminator { "" } else { "ret" };
    format!(
        "{PRELUDE}
        func @f(%b: i1, %i: i32, %l: i64, %p: ptr, %f: f32, %d: f64, %w: i128) {{
            reg %b2: i1, %i2: i32, %l2: i64, %p2: ptr, %f2: f32, %d2: f64
          entry:
            {line}
            {end}
        }}"
    )
}

/// One instruction breaks `rule`.
#[track_caller]
pub(super) fn line_breaks(rule: Rule, lines: &[&str]) {
    for line in lines {
        text_breaks(rule, &with(line));
    }
}

#[track_caller]
pub(super) fn lines_hold(lines: &[&str]) {
    for line in lines {
        let program = parsed(&with(line));
        assert_eq!(errors(&program), [], "{line}");
    }
}

pub(super) fn first() -> FuncId {
    FuncId::from_u32(0)
}

/// A program of one function that runs `kind` and returns.
pub(super) fn running(kind: InstKind) -> Program {
    let mut f = FunctionBuilder::new("f");
    f.push(kind);
    f.ret(None);
    let mut p = ProgramBuilder::new("p");
    p.function(f.finish());
    p.finish()
}
