//! Accesses, calls and choices.

use super::common::{line_breaks, lines_hold, text_breaks};
use raddle_ir::verify::Rule;

// ---- accesses ----

#[test]
fn orders_suit_the_access() {
    let mut lines = Vec::new();
    for order in ["release", "acq_rel", "asm_release"] {
        lines.push(format!("%i2 = load i32 {order} @x"));
        lines.push(format!("%i2 = await eq i32 {order} @x, 0"));
    }
    for order in ["acquire", "acq_rel", "asm_acquire", "asm_acquire_pc"] {
        lines.push(format!("store i32 {order} @x, 0"));
        lines.push(format!("%b2 = store_cond i32 {order} @x, 0"));
    }
    for line in lines {
        line_breaks(Rule::Orders, &[&line]);
    }
    lines_hold(&["%i2 = rmw add i32 release @x, 1", "%i2 = rmw add i32 asm_acquire @x, 1"]);
}

#[test]
fn failure_orders_are_those_of_loads() {
    for orders in ["seq_cst release", "seq_cst acq_rel", "asm asm_release", "plain relaxed"] {
        let line = format!("%i2, %b2 = cmpxchg i32 {orders} @x, 0, 1");
        line_breaks(Rule::FailureOrders, &[&line]);
    }
    line_breaks(Rule::FailureOrders, &["%i2, %b2 = cmpxchg i32 seq_cst asm @x, 0, 1"]);
    lines_hold(&["%i2, %b2 = cmpxchg weak i32 relaxed seq_cst @x, 0, 1"]);
}

#[test]
fn only_loads_and_conditional_stores_are_exclusive() {
    let lines = [
        "store i32 excl @x, 0",
        "%i2 = rmw add i32 excl @x, 0",
        "%i2, %b2 = cmpxchg i32 excl @x, 0, 1",
        "%i2 = await eq i32 excl @x, 0",
    ];
    line_breaks(Rule::Exclusives, &lines);
    lines_hold(&["%i2 = load i32 excl asm @x", "%b2 = store_cond i32 excl asm @x, 0"]);
}

#[test]
fn only_loads_are_raw() {
    let lines = [
        "store i32 raw @x, 0",
        "%b2 = store_cond i32 raw @x, 0",
        "%i2 = rmw add i32 raw @x, 0",
        "%i2, %b2 = cmpxchg i32 raw @x, 0, 1",
        "%i2 = await eq i32 raw @x, 0",
    ];
    line_breaks(Rule::RawAccesses, &lines);
    lines_hold(&["%i2 = load i32 raw @x", "%i2 = load i32 volatile raw acquire @x"]);
}

#[test]
fn constant_objects_are_not_written() {
    let lines = [
        "store i32 @k, 0",
        "%b2 = store_cond i32 @k, 0",
        "%i2 = rmw add i32 @k, 1",
        "%i2, %b2 = cmpxchg i32 @k, 0, 1",
        "lock @k",
        "%b2 = trylock @k",
        "unlock @k",
        "cond_wait @k, @x",
        "cond_wait @x, @k",
        "cond_signal @k",
        "cond_broadcast @k",
        "free @k",
        "%i2 = format @x, @x to @k, 4",
    ];
    line_breaks(Rule::ConstantObjects, &lines);
    lines_hold(&["%i2 = load i32 @k"]);
}

// ---- calls and choices ----

#[test]
fn calls_match_the_callee() {
    line_breaks(Rule::Calls, &["call @none()", "call @none(1, 2)", "%l2 = spawn @none()"]);
    line_breaks(Rule::Calls, &["%i2 = call @none(1)"]);
    lines_hold(&["call @wide()", "%i2 = call *%p(1, %l, @x)"]);
}

#[test]
fn cases_differ() {
    line_breaks(Rule::Cases, &["switch i32 %i {1: entry, -1: entry, 1: entry} default entry"]);
}

#[test]
fn choices_are_ranges() {
    let lines = ["%i2 = choose i32 2, 1", "%b2 = choose i1 0, 2", "%p2 = choose ptr 0, 1"];
    line_breaks(Rule::Choices, &lines);
    text_breaks(Rule::Choices, "func @f() {\nreg %w: i65\nentry: %w = choose i65 0, 1\nret\n}");
    lines_hold(&["%l2 = choose i64 0, 18446744073709551615"]);
}
