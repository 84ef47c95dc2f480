//! Seeded random programs with loops that wait, in the forms that are common in practice, and some loops
//! that do not wait.
//!
//! Two or three threads of one to three parts each, over the cells `@x` and `@y`, a lock word and a pair of
//! counters. Some loops keep the values they read in thread-private memory. A loop may wait for a value that
//! no thread writes.

use fastrand::Rng;
use raddle_ir::{Verified, text};
use std::fmt::Write;

/// Functions that threads call in their loops.
const FUNCTIONS: &str = "
func @get() -> i32 {
    reg %r: i32
  entry:
    %r = load i32 @x
    ret %r
}

func @get_into(%p: ptr) {
    reg %r: i32
  entry:
    %r = load i32 @x
    store i32 %p, %r
    ret
}

func @wait_for_y() {
    reg %r: i32
    reg %c: i1
  entry:
    %r = load i32 @y
    %c = cmp eq i32 %r, 0
    br %c, entry, out
  out:
    ret
}
";

/// The program of a seed.
pub fn program(seed: u64) -> Verified {
    let source = source(seed);
    text::load("spinning.rir", source.as_bytes())
        .unwrap_or_else(|error| panic!("{error}\n{source}"))
}

fn source(seed: u64) -> String {
    let mut rng = Rng::with_seed(seed);
    let threads = if rng.u32(..5) == 0 { 3 } else { 2 };
    let mut out = String::new();
    for global in ["x", "y", "lock", "next", "now"] {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "global @{global}: i32");
    }
    for thread in 0..threads {
        let _ = writeln!(out, "thread t{thread} = @f{thread}()");
    }
    out += "observe x = i32 @x\nobserve y = i32 @y\n";
    for thread in 0..threads {
        let parts = rng.u32(1..=if threads == 3 { 2 } else { 3 });
        let _ = writeln!(
            out,
            "func @f{thread}() {{\n reg %r: i32, %s: i32, %k: i32, %c: i1, %d: i1, %p: ptr\n entry:\n \
             %p = alloca 8 align 4 private\n store i64 %p, 0\n %k = move i32 0\n jump b0"
        );
        for part in 0..parts {
            out += &one_part(&mut rng, part, threads == 3);
        }
        let _ = writeln!(out, " b{parts}:\n ret\n}}");
    }
    out + FUNCTIONS
}

/// A part of a thread, from `b{n}` to `b{n + 1}`.
fn one_part(rng: &mut Rng, n: u32, simple: bool) -> String {
    let cells = ["@x", "@y"];
    let (cell, other) = (cells[rng.usize(..2)], cells[rng.usize(..2)]);
    let (value, order) = (rng.u32(1..3), ["relaxed", "seq_cst"][rng.usize(..2)]);
    let next = n + 1;
    let load = |to: &str, cell: &str| format!(" {to} = load i32 {order} {cell}\n");
    let shape = if simple { rng.u32(..8) } else { rng.u32(..32) };
    let body = match shape {
        0..=2 => format!(" store i32 {order} {cell}, {value}\n jump b{next}\n"),
        3 => load("%r", cell) + &format!(" store i32 {order} {other}, %r\n jump b{next}\n"),
        4 => load("%r", cell) + &format!(" %c = cmp ult i32 %r, {value}\n br %c, b{n}, b{next}\n"),
        // The value is live at the head of the loop.
        5 | 8 => {
            format!(
                " %k = move i32 0\n jump h{n}\n h{n}:\n %c = cmp eq i32 %k, 0\n br %c, l{n}, o{n}\n l{n}:\n"
            ) + &load("%k", cell)
                + &format!(" jump h{n}\n o{n}:\n store i32 {order} {other}, %k\n jump b{next}\n")
        }
        6 => format!(" %r, %c = cmpxchg i32 seq_cst {cell}, 0, {value}\n br %c, b{next}, b{n}\n"),
        7 => " fence full\n".to_owned() + &format!(" jump b{next}\n"),
        // The last value that was read is used after the loop.
        9 | 10 => {
            load("%r", cell)
                + &format!(" %c = cmp eq i32 %r, 0\n br %c, l{n}, o{n}\n l{n}:\n")
                + &load("%k", other)
                + &format!(" jump b{n}\n o{n}:\n store i32 {order} {other}, %k\n jump b{next}\n")
        }
        11 | 12 => {
            load("%r", cell)
                + &format!(" %c = cmp eq i32 %r, 0\n br %c, i{n}, b{next}\n i{n}:\n")
                + &load("%s", other)
                + &format!(" %c = cmp eq i32 %s, 0\n br %c, i{n}, b{n}\n")
        }
        13 => {
            format!(" %r = call @get()\n %c = cmp eq i32 %r, 0\n br %c, b{n}, b{next}\n")
        }
        14 => format!(" call @wait_for_y()\n jump b{next}\n"),
        15 => load("%r", cell) + &format!(" jump b{n}\n"),
        16 => {
            format!(" jump i{n}\n i{n}:\n")
                + &load("%r", cell)
                + &format!(" %c = cmp eq i32 %r, 0\n br %c, i{n}, l{n}\n l{n}:\n")
                + &load("%s", other)
                + &format!(" jump b{n}\n")
        }
        17 | 18 => format!(
            " %r = rmw xchg i32 seq_cst @lock, 1\n %c = cmp eq i32 %r, 0\n br %c, i{n}, b{n}\n i{n}:\n \
             store i32 {order} {cell}, {value}\n store i32 {order} @lock, 0\n jump b{next}\n"
        ),
        19 => {
            load("%r", cell)
                + &load("%s", other)
                + &load("%k", cell)
                + &format!(" %c = cmp ne i32 %r, %k\n br %c, b{n}, b{next}\n")
        }
        20 => format!(
            " %k = rmw add i32 seq_cst @next, 1\n jump i{n}\n i{n}:\n %r = load i32 {order} @now\n \
             %c = cmp ne i32 %r, %k\n br %c, i{n}, o{n}\n o{n}:\n %k = add i32 %k, 1\n \
             store i32 {order} @now, %k\n jump b{next}\n"
        ),
        21 => {
            format!(" %d = move i1 0\n jump h{n}\n h{n}:\n")
                + &load("%r", cell)
                + &format!(
                    " %c = cmp eq i32 %r, {value}\n br %c, l{n}, m{n}\n l{n}:\n %d = move i1 1\n \
                     jump m{n}\n m{n}:\n br %d, b{next}, h{n}\n"
                )
        }
        22 => {
            load("%r", cell)
                + &load("%s", other)
                + &format!(" %r = or i32 %r, %s\n %c = cmp eq i32 %r, 0\n br %c, b{n}, b{next}\n")
        }
        23 => {
            load("%r", cell) + &format!(" %c = cmp ne i32 %r, {value}\n assert %c\n jump b{next}\n")
        }
        // The loop waits until the value differs from the last one.
        24 | 25 => {
            format!(" %k = move i32 0\n jump h{n}\n h{n}:\n %s = move i32 %k\n")
                + &load("%k", cell)
                + &format!(" %c = cmp eq i32 %k, %s\n br %c, h{n}, b{next}\n")
        }
        26 => format!(
            " %r = load i32 {order} {cell}\n %s = add i32 %r, 1\n \
             %r, %c = cmpxchg i32 seq_cst {cell}, %r, %s\n br %c, b{next}, b{n}\n"
        ),
        // Thread-private memory holds the value that was read.
        27 => format!(
            " call @get_into(%p)\n %r = load i32 %p\n %c = cmp eq i32 %r, 0\n br %c, b{n}, b{next}\n"
        ),
        // A load of one byte of a value that is stored as a whole.
        28 => {
            " store i32 %p, 0\n".to_owned()
                + &load("%r", cell)
                + &format!(
                    " %c = cmp ne i32 %r, 0\n br %c, l{n}, i{n}\n l{n}:\n store i8 %p, 1\n jump i{n}\n \
                     i{n}:\n %s = load i32 %p\n %c = cmp eq i32 %s, 0\n br %c, b{n}, b{next}\n"
                )
        }
        // The inner loop waits for the value that lets the outer loop continue.
        29 | 30 => {
            load("%r", cell)
                + &format!(" %c = cmp eq i32 %r, {value}\n br %c, b{next}, i{n}\n i{n}:\n")
                + &load("%s", cell)
                + &format!(" %c = cmp eq i32 %s, %r\n br %c, i{n}, b{n}\n")
        }
        _ => format!(
            " %r, %c = cmpxchg i32 seq_cst @lock, 0, 1\n br %c, i{n}, w{n}\n w{n}:\n \
             %s = load i32 {order} @lock\n %c = cmp ne i32 %s, 0\n br %c, w{n}, b{n}\n i{n}:\n \
             store i32 {order} @lock, 0\n jump b{next}\n"
        ),
    };
    format!(" b{n}:\n{body}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_well_formed() {
        for seed in 0..300 {
            program(seed);
        }
    }
}
