//! For each rule of the verifier, the smallest programs that break it and no other.

use raddle_ir::text::{ParseOptions, parse_with};
use raddle_ir::verify::{MAX_GLOBALS, MAX_OBJECT_SIZE, Rule, verify};
use raddle_ir::*;

fn parsed(source: &str) -> Program {
    let options = ParseOptions { own_positions: false };
    parse_with("t.rir", source, options).unwrap_or_else(|error| panic!("{error}\n{source}"))
}

/// `program` breaks `rule`, once, and nothing else.
#[track_caller]
fn breaks(rule: Rule, program: &Program) {
    let errors = verify(program).expect_err("it is not well-formed");
    let rules: Vec<Rule> = errors.iter().map(|error| error.rule).collect();
    assert_eq!(rules, [rule], "{errors:?}\n{program}");
    // The message is fit to be shown, also for programs that cannot be parsed back.
    let shown = errors[0].diagnostic(program).to_string();
    assert!(shown.contains(&format!("[rule {}: ", rule.number())), "{shown}");
}

#[track_caller]
fn text_breaks(rule: Rule, source: &str) {
    breaks(rule, &parsed(source));
}

const PRELUDE: &str = "
global @x: i32 = 0
const global @k: i32 = 0
thread_local global @t: ptr = 0
func @none(%a: i32)
func @wide() -> i128
";

/// A function with registers of many types, assigned, and one instruction or terminator.
fn with(line: &str) -> String {
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
fn line_breaks(rule: Rule, lines: &[&str]) {
    for line in lines {
        text_breaks(rule, &with(line));
    }
}

#[track_caller]
fn lines_hold(lines: &[&str]) {
    for line in lines {
        let program = parsed(&with(line));
        assert_eq!(verify(&program), Ok(()), "{line}");
    }
}

fn first() -> FuncId {
    FuncId::from_u32(0)
}

// ---- the program ----

#[test]
fn names_differ() {
    let rename = |change: fn(&mut Program)| {
        let mut p = parsed(
            "global @x: i32\nglobal @y: i32\nthread a = @f()\nthread b = @f()
            observe u = i32 @x\nobserve v = i32 @y\nfunc @g()
            func @f() {\nreg %r: i32, %s: i32\nentry:\njump end\nend:\nret\n}",
        );
        assert_eq!(verify(&p), Ok(()));
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

/// A program of one function that runs `kind` and returns.
fn running(kind: InstKind) -> Program {
    let mut f = FunctionBuilder::new("f");
    f.push(kind);
    f.ret(None);
    let mut p = ProgramBuilder::new("p");
    p.function(f.finish());
    p.finish()
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
    assert_eq!(verify(&locs(&[(0, LocId(1)), (0, LocId(2)), (0, LocId::NONE)])), Ok(()));
}

#[test]
fn widths_are_1_to_128() {
    for bits in [0, 129, 255] {
        let mut p = parsed("func @f(%r: i8)");
        p.funcs[first()].regs[Reg::from_u32(0)].ty = Type::Int(bits);
        breaks(Rule::Widths, &p);
    }
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
    let rules: Vec<_> = verify(&p).unwrap_err().iter().map(|error| error.rule).collect();
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
        // Control does not get there.
        "a: ret\nb: assume %r\nret",
    ] {
        assert_eq!(verify(&parsed(&f(blocks))), Ok(()), "{blocks}");
    }
    let observed = format!("thread t = @f(1)\nobserve r = t %r\n{}", f("a: ret"));
    assert_eq!(verify(&parsed(&observed)), Ok(()));
}

// ---- operands and results ----

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
    p.funcs[first()].regs.push(RegInfo { ty: Type::I8, name: None });
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

// ---- threads and what is asked ----

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
    assert_eq!(verify(&program), Ok(()));
    program.globals.values_mut().for_each(|global| global.thread_local = false);
    breaks(Rule::PrivateGlobals, &program);
}

#[test]
fn goals_name_threads_once_and_blocks_that_exist() {
    let source = "thread a = @f()\nthread b = @f()\ngoal a #1, b entry\n
        func @f() {\nentry:\njump #1\n#1:\nret\n}";
    let program = parsed(source);
    assert_eq!(verify(&program), Ok(()));
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
    assert_eq!(verify(&parsed("global @m: i32\nmemory_lock @m")), Ok(()));
    for global in ["global @m: i16", "const global @m: i32", "thread_local global @m: i32"] {
        text_breaks(Rule::MemoryLock, &format!("{global}\nmemory_lock @m"));
    }
}

#[test]
fn errors_say_where() {
    let source = "program \"p\"\nfile 0 = \"a.c\"\nloc 0 = 0:37:5
        func @f() {\nreg %r: i1\nentry:\nyield\nassert %r !0\nret\n}";
    let program = parsed(source);
    let errors = verify(&program).unwrap_err();
    let message = "a.c:37:5: error: %r is read but not assigned on every path here, in function f, \
                   block0, instruction 1 [rule 12: Assignment]";
    assert_eq!(errors[0].diagnostic(&program).to_string(), message);
}
