//! Threads, observables, conditions and goals.

use super::common::{PRELUDE, breaks, line_breaks, parsed, text_breaks};
use raddle_ir::verify::{Rule, errors};
use raddle_ir::*;

#[test]
fn threads_run_defined_functions() {
    let f = "func @f(%a: ptr) {\nentry: ret\n}\n";
    for source in [
        "thread t = @none(1)".to_owned(),
        format!("{f}thread t = @f()"),
        format!("{f}thread t = @f(@t)"),
        "thread t = @g()\nfunc @g() -> i128 {\nentry: ret 1\n}".to_owned(),
    ] {
        text_breaks(Rule::Threads, &format!("{PRELUDE}{source}"));
    }
    line_breaks(Rule::Threads, &["%l2 = spawn @wide()"]);
    let mut p = parsed(&format!("{f}thread t = @f(0)"));
    p.threads[ThreadIdx::from_u32(0)].args[0] = Operand::Reg(Reg::from_u32(0));
    breaks(Rule::Threads, &p);
}

#[test]
fn observables_are_small_and_inside() {
    for source in [
        "observe o = i64 @x",
        "observe o = i32 @x+1",
        "observe o = i32 @x+18446744073709551615",
        "observe o = ptr @t",
        "global @w: i128\nobserve o = i128 @w",
        "func @f() {\nreg %r: i65\nentry: ret\n}\nthread t = @f()\nobserve o = t %r",
    ] {
        text_breaks(Rule::Observables, &format!("{PRELUDE}{source}"));
    }
}

#[test]
fn conditions_are_shallow_and_name_fixed_addresses() {
    text_breaks(Rule::Conditions, &format!("{PRELUDE}exists @t == 0"));
    let mut prop = Prop::True;
    for _ in 0..256 {
        prop = Prop::Not(Box::new(prop));
    }
    let condition = Some(Condition { quantifier: Quantifier::Exists, prop });
    breaks(Rule::Conditions, &Program { condition, ..Program::default() });
}

#[test]
fn private_globals_are_thread_local() {
    let mut program = parsed("thread_local private global @x: i32");
    assert_eq!(errors(&program), []);
    program.globals.values_mut().for_each(|global| global.thread_local = false);
    breaks(Rule::PrivateGlobals, &program);
}

#[test]
fn goals_name_threads_once_and_blocks_that_exist() {
    let source = "thread a = @f()\nthread b = @f()\ngoal a #1, b entry\n
        func @f() {\nentry:\njump #1\n#1:\nret\n}";
    let program = parsed(source);
    assert_eq!(errors(&program), []);
    let mut twice = program.clone();
    twice.goals[0].places[1].0 = twice.goals[0].places[0].0;
    breaks(Rule::Goals, &twice);
    let mut none = program.clone();
    none.goals[0].places.clear();
    breaks(Rule::Goals, &none);
    let mut nowhere = program;
    nowhere.goals[0].places[1].1 = BlockId::from_u32(2);
    breaks(Rule::References, &nowhere);
}

#[test]
fn the_memory_lock_is_shared_and_wide_enough() {
    assert_eq!(errors(&parsed("global @m: i32\nmemory_lock @m")), []);
    for global in ["global @m: i16", "const global @m: i32", "thread_local global @m: i32"] {
        text_breaks(Rule::MemoryLock, &format!("{global}\nmemory_lock @m"));
    }
}

#[test]
fn errors_say_where() {
    let source = "program \"p\"\nfile 0 = \"a.c\"\nloc 0 = 0:37:5
        func @f() {\nreg %r: i1\nentry:\nyield\nassert %r !0\nret\n}";
    let program = parsed(source);
    let errors = errors(&program);
    let message = "a.c:37:5: error: %r is read but not assigned on every path here, in function f, \
                   block0, instruction 1 [rule 12: Assignment]";
    assert_eq!(errors[0].diagnostic(&program).to_string(), message);
}
