//! Local steps of small programs, and where threads stop.

use crate::common::{BOUNDS, advance, machine, threads};
use raddle_ir::Observed;
use raddle_machine::{Bounds, FailureKind, Fault, Machine, Status, Stop, ThreadId, Word};

const FIRST: ThreadId = ThreadId(0);

/// The final value of `%r` of the first thread, or the fault.
fn result(items: &str, body: &str) -> Result<u64, Fault> {
    let program = threads(items, &[body, ""]);
    let mut machine = machine(&program);
    assert_eq!(advance(&mut machine, FIRST, 100)?, Stop::Finished, "{body}");
    let thread = program.threads.keys().next().expect("a thread");
    let func = &program.funcs[program.threads[thread].func];
    let reg = func.regs.keys().next().expect("a register");
    Ok(machine.observe(Observed::Reg(thread, reg)))
}

#[test]
fn small_programs_compute_what_they_say() {
    let fib = "func @fib(%n: i32) -> i32 {\nreg %a: i32, %b: i32, %c: i1\nentry:\n\
        %c = cmp slt i32 %n, 2\nbr %c, small, large\nsmall:\nret %n\nlarge:\n\
        %a = sub i32 %n, 1\n%a = call @fib(%a)\n%b = sub i32 %n, 2\n%b = call @fib(%b)\n\
        %a = add i32 %a, %b\nret %a\n}";
    let sum = "%r = move i32 0\n%s = move i32 10\njump head\nhead:\n%r = add i32 %r, %s\n\
        %s = sub i32 %s, 1\n%ok = cmp ne i32 %s, 0\nbr %ok, head, out\nout:";
    let cases = [
        ("", "%r = sub i32 0, 1", 0xffff_ffff),
        ("", sum, 55),
        (fib, "%r = call @fib(10)", 55),
        (
            "global @x: i32 = 4",
            "%s = load i32 asm @x\nstore i32 asm @x, 9\n%r = load i32 asm @x\n%r = mul i32 %r, %s",
            36,
        ),
        ("global @x: i32 = 4", "%r, %ok = cmpxchg i32 relaxed @x, 4, 6\n%r = load i32 asm @x", 6),
        ("", "%p = alloca 8 private\nstore i32 asm %p, 3\n%r = load i32 asm %p", 3),
        ("", "%p = malloc 4 zeroed\n%r = rmw add i32 asm %p, 5\n%r = load i32 asm %p\nfree %p", 5),
        ("func @w(%n: i64) -> i64 {\nentry:\nret %n\n}", "%t = spawn @w(1)\n%r = move i32 2", 2),
    ];
    for (items, body, expected) in cases {
        assert_eq!(result(items, body), Ok(expected), "{body}");
    }
}

#[test]
fn local_faults() {
    use FailureKind::{Assertion, DivisionByZero, Memory, Unsupported};
    let cases = [
        ("", "%r = udiv i32 1, 0", DivisionByZero, "division by zero"),
        ("", "assert 0, \"no\"", Assertion, "no"),
        ("", "%p = move ptr 64\ncall *%p()", Memory, "calls 0x40, which is not a function"),
        ("func @f()", "call @f()", Unsupported, "calls f, which is declared but not defined"),
        (
            "func @f(%n: i32) {\nentry:\ncall @f(%n)\nret\n}",
            "call @f(1)",
            Memory,
            "calls too deep: stack overflow",
        ),
    ];
    for (items, body, kind, message) in cases {
        let program = threads(items, &[body, ""]);
        let bounds = Bounds { steps: 10_000_000, ..BOUNDS };
        let mut machine = Machine::new(&program, bounds).expect("it starts");
        assert_eq!(machine.run(FIRST), Stop::Failed, "{body}");
        assert_eq!(machine.take_fault(), Some(Fault::new(kind, message)), "{body}");
        assert_eq!(machine.status(FIRST), Status::Failed);
    }
}

#[test]
fn loops_that_change_nothing_are_stopped_and_long_runs_are_cut() {
    let spin =
        "jump head\nhead:\n%r = load i32 asm @x\n%ok = cmp eq i32 %r, 0\nbr %ok, head, out\nout:";
    let count = "jump head\nhead:\n%t = add i64 %t, 1\njump head\nout:";
    let program =
        threads("global @x: i32", &[spin, &format!("%t = move i64 0\n{count}"), "assume 0"]);
    let mut machine = machine(&program);
    assert_eq!(advance(&mut machine, FIRST, 9), Ok(Stop::Spinning));
    assert!(machine.could_leave(FIRST), "another thread's store may end it");
    assert_eq!(machine.run(ThreadId(1)), Stop::Cut);
    assert_eq!(machine.status(ThreadId(1)), Status::OutOfSteps);
    assert_eq!(machine.run(ThreadId(2)), Stop::Blocked);
}

/// All words of the machine's state.
fn words(machine: &Machine<'_>) -> Vec<u64> {
    (0..machine.trail.len()).map(|n| machine.trail.get(Word::from_index(n))).collect()
}

/// Backtracking after any number of steps restores every word of the machine.
#[test]
fn random_walks_go_back() {
    use raddle_oracle::generate::{self, Config};
    for seed in 0..60 {
        let config = if seed % 2 == 0 { Config::c11() } else { Config::synchronised() };
        let program = generate::program(&config, seed);
        let mut machine = machine(&program);
        let mut random = fastrand::Rng::with_seed(seed);
        let mut marks = vec![(machine.trail.mark(), words(&machine))];
        for _ in 0..40 {
            let ready: Vec<ThreadId> =
                machine.thread_ids().filter(|id| machine.is_ready(*id)).collect();
            let Some(thread) = random.choice(ready) else { break };
            // The walk continues after a fault: its changes are undone as well.
            let _ = advance(&mut machine, thread, 1);
            machine.take_fault();
            marks.push((machine.trail.mark(), words(&machine)));
        }
        while let Some((mark, before)) = marks.pop() {
            machine.trail.backtrack(mark);
            // Words that were reserved since then are kept.
            assert_eq!(words(&machine)[..before.len()], before, "seed {seed}");
            marks.truncate(marks.len().saturating_sub(random.usize(0..4)));
        }
    }
}
