//! Encoded states: numbers, threads, objects.

use crate::common::{advance, threads};
use raddle_budget::Budget;
use raddle_machine::codec::{put, take};
use raddle_machine::{Bounds, Machine, Stop, ThreadId, Unroll, Watch};

#[test]
fn numbers_come_back() {
    let numbers = [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX];
    let mut bytes = Vec::new();
    numbers.iter().for_each(|number| put(&mut bytes, *number));
    let mut rest = bytes.as_slice();
    assert_eq!(numbers.map(|_| take(&mut rest)), numbers);
    assert_eq!((rest, take(&mut rest)), (&[][..], 0));
}

fn encode(machine: &Machine<'_>) -> Vec<Vec<u8>> {
    let string = |encode: &dyn Fn(&mut Vec<u8>)| {
        let mut out = Vec::new();
        encode(&mut out);
        out
    };
    let threads = machine.thread_ids().map(|id| string(&|out| machine.encode_thread(id, out)));
    let groups = (0..machine.group_count()).map(|n| string(&|out| machine.encode_group(n, out)));
    threads.chain(groups).collect()
}

/// A fresh machine that decodes the strings of another machine is in the same state, and continues in the same
/// way.
#[test]
fn states_come_back() {
    let items = "global @x: i32 = 1\nglobal @m: i32\nfunc @f(%n: i32) -> i32 {\nreg %q: ptr\n\
        entry:\n%q = alloca 4\nstore i32 asm %q, %n\n%n = load i32 asm %q\nret %n\n}";
    let body = "%r = load i32 asm @x\nlock @m\n%s = call @f(%r)\n%p = malloc 12 zeroed\n\
        store i32 asm %p, %s\nunlock @m\nfree %p\nstore i32 asm @x, %s";
    let program = threads(items, &[body, "%r = load i32 asm @x"]);
    let bounds =
        Bounds { steps: 1000, unroll: Unroll::NONE, spin: true, budget: Budget::UNLIMITED };
    let fresh = || {
        let mut machine = Machine::new(&program, bounds.clone()).expect("it starts");
        machine.watch(Watch::Silent);
        machine.prepare_codec();
        machine
    };
    for steps in 0..12 {
        let mut machine = fresh();
        let stop = advance(&mut machine, ThreadId(0), steps).expect("no fault");
        let strings = encode(&machine);
        // Names that the machine has assigned are kept; everything else is reset to the start.
        let mut again = machine.clone();
        again.trail.backtrack(fresh().trail.mark());
        let count = again.thread_count() as usize;
        for (n, string) in strings.iter().enumerate() {
            match n < count {
                true => again.decode_thread(ThreadId(n as u32), string),
                false => again.decode_group((n - count) as u32, string),
            }
        }
        assert_eq!(encode(&again), strings, "after {steps}");
        if stop == Stop::Visible {
            for machine in [&mut machine, &mut again] {
                assert_eq!(advance(machine, ThreadId(0), 20), Ok(Stop::Finished));
            }
            assert_eq!(encode(&again), encode(&machine), "after {steps}");
        }
    }
}
