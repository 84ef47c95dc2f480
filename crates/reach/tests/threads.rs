//! Threads that come and go.

use crate::options;
use raddle_engine::Model;
use raddle_ir::text;
use raddle_reach::{Answer, reach};

/// A thread that was joined lets its joiner start another, which has to be brought to its first
/// operation.
#[test]
fn a_joiner_may_spawn() {
    let source = r#"
global @x: i32
thread main = @main()
func @set(%n: i32) {
    reg %zero: i1, %seen: i32
  entry:
    %zero = cmp eq i32 %n, 0
    br %zero, write, look
  write:
    store i32 asm @x, 1
    ret
  look:
    %seen = load i32 asm @x
    %zero = cmp eq i32 %seen, 1
    assert %zero, "it was written before"
    %zero = cmp eq i32 %seen, 0
    assert %zero, "found"
    ret
}
func @main() {
    reg %t: i64
  entry:
    %t = spawn @set(0)
    join %t
    %t = spawn @set(1)
    join %t
    ret
}
"#;
    let program = text::load("joins.rir", source.as_bytes()).expect("it parses");
    for model in [Model::Sc, Model::Tso] {
        let answer = reach(&program, &options(model)).answer;
        let Answer::Reachable(witness) = answer else { panic!("{answer:?}") };
        let message = format!("{:?}", witness.end);
        assert!(message.contains("found"), "{message}");
    }
}
