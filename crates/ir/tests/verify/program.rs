//! The program as a whole.

use super::common::{PRELUDE, breaks, first, line_breaks, parsed, running, text_breaks};
use raddle_ir::verify::{MAX_GLOBALS, MAX_OBJECT_SIZE, Rule, errors};
use raddle_ir::*;

// ---- the program ----

#[test]
fn names_differ() {
    let rename = |change: fn(&mut Program)| {
        let mut p = parsed(
            "global @x: i32\nglobal @y: i32\nthread a = @f()\nthread b = @f()
            observe u = i32 @x\nobserve v = i32 @y\nfunc @g()
            func @f() {\nreg %r: i32, %s: i32\nentry:\njump end\nend:\nret\n}",
        );
        assert_eq!(errors(&p), []);
        change(&mut p);
        breaks(Rule::Names, &p);
    };
    rename(|p| p.globals[GlobalId::from_u32(1)].name = "x".into());
    rename(|p| p.funcs[first()].name = "f".into());
    rename(|p| p.threads[ThreadIdx::from_u32(1)].name = "a".into());
    rename(|p| p.observables[ObservableId::from_u32(1)].name = "u".into());
    rename(|p| p.funcs[FuncId::from_u32(1)].regs[Reg::from_u32(1)].name = Some("r".into()));
    rename(|p| {
        p.funcs[FuncId::from_u32(1)].blocks[BlockId::from_u32(1)].name = Some("entry".into());
    });
}

#[test]
fn references_exist() {
    let reg = Reg::from_u32(0);
    let (int, nowhere) = (Operand::Int(0), BlockId::from_u32(9));
    let callee = Callee::Direct(FuncId::from_u32(9));
    for kind in [
        InstKind::Move { ty: Type::I32, dst: reg, a: int },
        InstKind::Free { addr: Operand::Reg(reg) },
        InstKind::Free { addr: Operand::Global(GlobalId::from_u32(9), 0) },
        InstKind::Free { addr: Operand::Func(FuncId::from_u32(9)) },
        InstKind::Call { dst: None, callee, args: vec![int] },
    ] {
        breaks(Rule::References, &running(kind));
    }
    let mut p = running(InstKind::Yield);
    p.funcs[first()].blocks[BlockId::from_u32(0)].term.kind = TerminatorKind::Jump(nowhere);
    breaks(Rule::References, &p);
    let mut b = ProgramBuilder::new("p");
    b.thread("t", FuncId::from_u32(9), vec![]);
    breaks(Rule::References, &b.finish());
    for what in [
        Observed::Reg(ThreadIdx::from_u32(9), reg),
        Observed::Mem { global: GlobalId::from_u32(9), offset: 0, ty: Type::I32 },
    ] {
        let mut b = ProgramBuilder::new("p");
        b.observe("o", what);
        breaks(Rule::References, &b.finish());
    }
    for term in
        [Term::Observable(ObservableId::from_u32(9)), Term::Global(GlobalId::from_u32(9), 0)]
    {
        let prop = Prop::Not(Box::new(Prop::Cmp(CmpOp::Eq, Term::Int(0), term)));
        let condition = Some(Condition { quantifier: Quantifier::Exists, prop });
        breaks(Rule::References, &Program { condition, ..Program::default() });
    }
}

#[test]
fn positions_exist_and_are_not_inlined_in_circles() {
    let mut p = running(InstKind::Yield);
    p.funcs[first()].blocks[BlockId::from_u32(0)].insts[0].loc = LocId(0);
    breaks(Rule::Positions, &p);
    let mut p = running(InstKind::Yield);
    p.funcs[first()].loc = LocId(3);
    breaks(Rule::Positions, &p);
    let locs = |locs: &[(u32, LocId)]| {
        let loc = |(file, inlined_at): &(u32, LocId)| Loc {
            file: *file,
            line: 1,
            column: 1,
            inlined_at: *inlined_at,
        };
        let locs = locs.iter().map(loc).collect();
        Program { files: vec!["a.c".into()], locs, ..Program::default() }
    };
    breaks(Rule::Positions, &locs(&[(1, LocId::NONE)]));
    breaks(Rule::Positions, &locs(&[(0, LocId(7))]));
    breaks(Rule::Positions, &locs(&[(0, LocId(0))]));
    breaks(
        Rule::Positions,
        &locs(&[(0, LocId::NONE), (0, LocId(2)), (0, LocId(3)), (0, LocId(1))]),
    );
    assert_eq!(errors(&locs(&[(0, LocId(1)), (0, LocId(2)), (0, LocId::NONE)])), []);
}

#[test]
fn widths_are_1_to_128() {
    for bits in [0, 129, 255] {
        let mut p = parsed("func @f(%r: i8)");
        p.funcs[first()].regs[Reg::from_u32(0)].ty = Type::Int(bits);
        breaks(Rule::Widths, &p);
    }
}

// ---- types of the source ----

#[test]
fn source_types_refer_to_earlier_ones() {
    text_breaks(Rule::SourceTypes, "type 0 = array 2 x 0");
    text_breaks(Rule::SourceTypes, "type 0 = struct \"s\" 8 {\"next\": 1 at 0}\ntype 1 = pointer");
    text_breaks(Rule::SourceTypes, "type 0 = int 17");
    text_breaks(Rule::SourceTypes, "type 0 = enum \"e\" uint 0 {}");
    let nested = (1..=64).map(|n| format!("type {n} = array 1 x {}\n", n - 1));
    text_breaks(Rule::SourceTypes, &format!("type 0 = int 4\n{}", nested.collect::<String>()));
}

#[test]
fn source_types_that_are_referred_to_exist() {
    text_breaks(Rule::References, "global @x: i32 type 0");
    text_breaks(Rule::References, "allocation @f = 0\nfunc @f() {\n  entry:\n    ret\n}");
    text_breaks(Rule::References, "func @f() {\n    reg %p: ptr type 1\n  entry:\n    ret\n}");
}

#[test]
fn notes_on_calls_are_in_order() {
    let body = "{\n  entry:\n    ret\n}\n";
    let funcs = format!("func @f() {body}func @g() {body}");
    let types = "type 0 = int 4\nallocation @g = 0\nallocation @f = 0\n";
    text_breaks(Rule::SourceTypes, &format!("{types}{funcs}"));
    text_breaks(Rule::SourceTypes, &format!("start @f = @g\nstart @f = @f\n{funcs}"));
}

// ---- memory objects ----

#[test]
fn objects_have_bounded_sizes() {
    text_breaks(Rule::Sizes, &format!("global @x: bytes {}", MAX_OBJECT_SIZE + 1));
    let mut b = ProgramBuilder::new("p");
    for index in 0..=MAX_GLOBALS {
        b.global(Global::zeroed(index.to_string(), 4, 4));
    }
    let p = b.finish();
    let rules: Vec<_> = errors(&p).iter().map(|error| error.rule).collect();
    assert_eq!(rules, [Rule::Sizes]);
}

#[test]
fn alignments_are_powers_of_two() {
    text_breaks(Rule::Alignments, "global @x: bytes 4 align 0");
    text_breaks(Rule::Alignments, "global @x: i32 align 3");
    text_breaks(Rule::Alignments, &format!("global @x: i32 align {}", MAX_OBJECT_SIZE * 2));
    line_breaks(Rule::Alignments, &["%p2 = alloca 8 align 6", "%p2 = malloc 8 align 0"]);
}

#[test]
fn initial_bytes_fit() {
    text_breaks(Rule::InitialBytes, "global @x: bytes 2 = hex \"000000\"");
}

#[test]
fn relocations_are_fixed_addresses_inside() {
    for object in [
        "bytes 8 relocs {0: 5}",
        "bytes 8 relocs {0: undef}",
        "bytes 8 relocs {0: @t}",
        "bytes 8 relocs {1: @x}",
        "bytes 8 relocs {18446744073709551615: @x}",
        "bytes 16 relocs {0: @x, 4: &@none}",
        "bytes 16 relocs {8: @x, 8: @x}",
    ] {
        text_breaks(Rule::Relocations, &format!("{PRELUDE}global @g: {object}"));
    }
}

// ---- functions ----

#[test]
fn parameters_come_first() {
    let mut p = parsed("func @f(%a: i32, %b: i32)");
    p.funcs[first()].params.swap(0, 1);
    breaks(Rule::Parameters, &p);
    let mut p = parsed("func @f()");
    p.funcs[first()].params.push(Reg::from_u32(0));
    breaks(Rule::Parameters, &p);
}

#[test]
fn declarations_have_no_registers() {
    let mut p = parsed("func @f(%a: i32)");
    p.funcs[first()].params.clear();
    breaks(Rule::Declarations, &p);
}

#[test]
fn returns_match() {
    text_breaks(Rule::Returns, "func @f() -> i32 {\nentry: ret\n}");
    let mut p = parsed("func @f() -> i32 {\nentry: ret 1\n}");
    p.funcs[first()].ret = None;
    breaks(Rule::Returns, &p);
}

#[test]
fn registers_are_assigned_before_they_are_read() {
    let f = |blocks: &str| format!("func @f(%c: i1) {{\nreg %r: i1, %s: i1\n{blocks}\n}}");
    for blocks in [
        "a: assert %r\nret",
        "a: %r = move i1 %r\nret",
        "a: br %r, b, b\nb: ret",
        "a: br %c, b, c\nb: %r = move i1 0\njump c\nc: assume %r\nret",
        "a: jump c\nb: %r = move i1 0\njump c\nc: assume %r\nbr %c, b, c",
        "a: br %c, b, a\nb: %s = move i1 %r\n%r = move i1 0\njump a",
    ] {
        text_breaks(Rule::Assignment, &f(blocks));
    }
    for blocks in [
        "a: assert %c\nret",
        "a: br %c, b, c\nb: %r = move i1 0\njump d\nc: %r = move i1 1\njump d\nd: assume %r\nret",
        "a: %r = move i1 0\njump b\nb: assume %r\nbr %c, b, c\nc: assume %r\nret",
        // The block is not reachable.
        "a: ret\nb: assume %r\nret",
    ] {
        assert_eq!(errors(&parsed(&f(blocks))), [], "{blocks}");
    }
    let observed = format!("thread t = @f(1)\nobserve r = t %r\n{}", f("a: ret"));
    assert_eq!(errors(&parsed(&observed)), []);
}
