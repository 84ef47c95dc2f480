//! Operands and results of instructions.

use super::common::{breaks, first, line_breaks, lines_hold, parsed, running, text_breaks, with};
use raddle_ir::verify::Rule;
use raddle_ir::*;

#[test]
fn operands_have_the_type_asked_for() {
    let lines = [
        "%i2 = add i32 %i, %l",
        "%i2 = move i32 @x",
        "%l2 = move i64 &@none",
        "%i2 = load i32 %l",
        "%i2 = select i32 %i, 1, 2",
        "assert %i",
        "assume %p",
        "br %i, entry, entry",
        "switch i32 %l {} default entry",
        "%p2 = alloca %i",
        "%p2 = malloc %p",
        "store i32 %p, %f",
        "lock %i",
        "cond_wait %p, %l",
        "%l2 = extent %l",
        "join %i",
        "exit %p",
        "call @none(%l)",
        "call *%l()",
        "%l2 = spawn @none(%b)",
        "%b2 = cmp oeq f32 %f, %d",
        "%l2 = zext i32 %l to i64",
        "%i2 = rmw add i32 @x, %l",
        "%i2, %b2 = cmpxchg i32 @x, %l, 1",
        "%i2, %b2 = cmpxchg i32 @x, 1, %l",
        "%i2 = await eq i32 @x, %l",
        "%i2 = rmw sub i32 @x, 1 when ugt %l",
        "%i2 = format %l, %p",
        "%i2 = format %p, %i",
        "%i2 = format %p, %p to %l, 8",
        "%i2 = format %p, %p to %p, %i",
    ];
    line_breaks(Rule::OperandTypes, &lines);
    text_breaks(Rule::OperandTypes, "func @f(%a: i32) -> i64 {\nentry: ret %a\n}");
    let lines =
        ["%p2 = move ptr &@none", "%p2 = add ptr @x, 4", "%i2 = load i32 0x40", "free undef"];
    lines_hold(&lines);
}

#[test]
fn constants_fit() {
    let int = Operand::Int(256);
    let mut p = running(InstKind::Move { ty: Type::I8, dst: Reg::from_u32(0), a: int });
    p.funcs[first()].regs.push(RegInfo::new(Type::I8, None));
    breaks(Rule::Constants, &p);
    let mut p = parsed(&with("switch i32 %i {1: entry} default entry"));
    let f = p.funcs.keys().next_back().expect("it has functions");
    let term = &mut p.funcs[f].blocks[BlockId::from_u32(0)].term.kind;
    let TerminatorKind::Switch { cases, .. } = term else { panic!("it is a switch") };
    cases[0].0 = 1 << 32;
    breaks(Rule::Constants, &p);
}

#[test]
fn results_have_their_type() {
    let lines = [
        "%l2 = add i32 %i, %i",
        "%i2 = cmp eq i32 %i, %i",
        "%i2 = sext i32 %i to i64",
        "%i2 = alloca 8",
        "%l2 = load i32 @x",
        "%i2 = store_cond i32 @x, 1",
        "%l2, %b2 = cmpxchg i32 @x, 0, 1",
        "%i2, %l2 = cmpxchg i32 @x, 0, 1",
        "%i2 = trylock %p",
        "%i2 = cond_wait %p, %p",
        "%i2 = extent %p",
        "%i2 = spawn @none(1)",
        "%i2 = join %l",
        "%p2 = self",
        "%i2 = choose i64 0, 1",
        "%i2 = call @wide()",
        "%l2 = rmw xchg i32 @x, 0",
        "%l2 = await ne i32 @x, 0",
        "%l2 = rmw sub i32 @x, 1 when ugt 0",
        "%l2 = format %p, %p",
    ];
    line_breaks(Rule::ResultTypes, &lines);
}

#[test]
fn operations_take_their_types() {
    let lines = [
        "%f2 = add f32 %f, %f",
        "%i2 = fadd i32 %i, %i",
        "%p2 = mul ptr %p, %p",
        "%p2 = xor ptr %p, %p",
        "%p2 = not ptr %p",
        "%i2 = fneg i32 %i",
        "%f2 = neg f32 %f",
        "%b2 = cmp eq f32 %f, %f",
        "%b2 = cmp oeq i32 %i, %i",
        "%f2 = rmw add f32 %p, %f",
        "%i2 = rmw fadd i32 @x, 1",
        "%p2 = rmw umax ptr %p, %p",
        "%f2 = await eq f32 %p, %f",
        "%f2 = rmw xchg f32 %p, %f when eq %f",
        "switch ptr %p {} default entry",
    ];
    line_breaks(Rule::Operations, &lines);
    let holding = [
        "%p2 = rmw add ptr %p, 8",
        "%p2 = rmw xchg ptr %p, 0 when ne 0",
        "%f2 = rmw xchg f32 %p, %f",
        "%p2 = sub ptr %p, 8",
    ];
    lines_hold(&holding);
}

#[test]
fn casts_relate_their_types() {
    let lines = [
        "%i2 = trunc i32 %i to i32",
        "%l2 = trunc i32 %i to i64",
        "%i2 = zext i64 %l to i32",
        "%i2 = sext i32 %i to i32",
        "%p2 = zext i32 %i to ptr",
        "%p2 = bitcast i64 %l to ptr",
        "%d2 = bitcast f32 %f to f64",
        "%p2 = ptrtoint i64 %l to ptr",
        "%l2 = inttoptr ptr %p to i64",
        "%d2 = fptrunc f32 %f to f64",
        "%f2 = fpext f64 %d to f32",
        "%f2 = fptoui i32 %i to f32",
        "%i2 = fptosi i32 %i to i32",
        "%i2 = uitofp f32 %f to i32",
        "%d2 = sitofp f32 %f to f64",
    ];
    line_breaks(Rule::Casts, &lines);
    let holding = [
        "%i2 = bitcast f32 %f to i32",
        "%p2 = bitcast ptr %p to ptr",
        "%i2 = ptrtoint ptr %p to i32",
    ];
    lines_hold(&holding);
}

#[test]
fn two_results_are_two_registers() {
    line_breaks(Rule::DistinctResults, &["%b2, %b2 = cmpxchg i1 %p, 0, 1"]);
}
