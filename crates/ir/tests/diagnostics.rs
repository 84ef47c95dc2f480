//! The parser's diagnostics for invalid text, and the positions that it assigns.

use raddle_ir::text::{MAX_SOURCE, ParseOptions, parse, parse_bytes, parse_with, print};
use raddle_ir::{BlockId, FuncId, LocId, Operand};

#[track_caller]
fn says(source: &str, message: &str) {
    let error = parse("t.rir", source).expect_err("it is wrong");
    assert_eq!(error.to_string(), format!("t.rir:{message}"), "{source}");
    let span = error.span.expect("the place is known");
    assert!(span.start <= span.end && span.end <= source.len(), "{span:?} in {source}");
}

/// The body of a function whose first line is line 1.
#[track_caller]
fn body_says(body: &str, message: &str) {
    says(&format!("func @f(%a: i32, %p: ptr) {{\n{body}\n}}"), message);
}

#[test]
fn items() {
    says(
        "globl @x: i32",
        "1:1: error: unexpected `globl`; expected program, file, loc, type, allocation, start, global, const, thread_local, \
         thread, observe, exists, not exists, forall, goal, memory_lock, func or library",
    );
    says("global @x i32", "1:11: error: unexpected `i32`; expected `:`");
    says("global @x: int", "1:12: error: unexpected `int`; expected a type or `bytes`");
    says(
        "global @x: i32 =\nfunc @f()",
        "1:17: error: unexpected end of the line; expected a constant",
    );
    says("global @x: i32 = 0 1", "1:20: error: unexpected `1`; expected the end of the line");
    says(
        "global @x: i32\nglobal @x: i8",
        "2:8: error: the global `@x` is declared twice; expected a new name",
    );
    says(
        "func @f()\nfunc @f()",
        "2:6: error: the function `@f` is declared twice; expected a new name",
    );
    says(
        "global @x: i32 x 2 = [1, 2, 3]",
        "1:29: error: too many initial values; expected at most 2",
    );
    says(
        "global @x: i32 = @x",
        "1:18: error: an address where i32 is expected; expected a number (use the type ptr)",
    );
    says(
        "global @x: bytes 2 = hex \"0g\"",
        "1:26: error: malformed bytes; expected two hexadecimal digits for each byte",
    );
    says(
        "global @x: i64 x 99999999 = 1",
        "1:12: error: the global is too large; expected at most 268435456 bytes",
    );
    says("library global @x: i32", "1:9: error: unexpected `global`; expected `func`");
    says("program \"a\"\nprogram \"b\"", "2:1: error: the program is named twice");
    says(
        "exists true\nexists true",
        "2:1: error: a second condition; expected one condition in a program",
    );
    says("loc 0 = 0:1:1", "1:9: error: there is no file 0; expected a number below 0");
    says(
        "file 1 = \"a\"",
        "1:6: error: file 1 stands where file 0 is expected; expected 0 (the entries of a table are numbered from 0 up)",
    );
}

#[test]
fn initialisers_are_bounded_in_all() {
    let source = "global @a: i8 x 200000000 = 1\nglobal @b: i8 x 200000000 = 1";
    says(
        source,
        "2:12: error: the initialisers of the program are too large; expected at most 268435456 bytes",
    );
}

#[test]
fn names_that_do_not_exist() {
    says(
        "thread t = @f()",
        "1:12: error: there is no function @f; expected a declared function (declare it with func @f(…))",
    );
    says(
        "observe o = i32 @x",
        "1:17: error: there is no global @x; expected a declared global (declare it with global @x: TYPE = VALUE)",
    );
    says(
        "observe o = t %r",
        "1:13: error: there is no thread t; expected a thread or a type (a thread is declared with thread NAME = @FUNCTION(…))",
    );
    says(
        "exists x == 1",
        "1:8: error: there is no observable \"x\"; expected a declared observable (declare it with observe \"x\" = …)",
    );
    body_says(
        "entry:\n%r = load i32 %p\nret",
        "3:1: error: the register `%r` is not declared; expected a declared register (declare it with reg %r: TYPE)",
    );
    body_says(
        "entry:\nstore i32 %p, %7\nret",
        "3:15: error: the register `%7` is not declared; expected a declared register (declare it with reg %7: TYPE)",
    );
    body_says(
        "entry: jump out",
        "2:13: error: there is no block `out`; expected a label of this function",
    );
    body_says(
        "entry: free @f\nret",
        "2:13: error: there is no global @f; expected a declared global (the address of a function is written &@f)",
    );
}

#[test]
fn bodies() {
    body_says(
        "",
        "3:1: error: unexpected `}`; expected a block (leave the braces out to declare a function)",
    );
    body_says(
        "ret",
        "2:1: error: unexpected `ret`; expected a label such as `entry:` (a body starts with a label)",
    );
    body_says(
        "entry: yield\nnext: ret",
        "2:1: error: the block `entry` has no terminator; expected jump, br, switch, ret or unreachable",
    );
    body_says(
        "entry: ret\nentry: ret",
        "3:1: error: the label `entry` is defined twice; expected a new label",
    );
    body_says(
        "entry: ret\nyield",
        "3:1: error: unexpected `yield`; expected a label such as `entry:` (a block ends with its terminator; what follows it needs a label)",
    );
    body_says(
        "#1: ret",
        "2:1: error: #1 is declared where block number 0 stands; expected #0 (an unnamed block is written by its number, from 0 up)",
    );
    body_says("reg %a: i8\nentry: ret", "2:5: error: the register %a is declared twice");
    body_says(
        "entry: ret 1",
        "2:12: error: a value is returned where none is declared; expected the end of the line (declare the type of the result: func @f(…) -> TYPE)",
    );
    says(
        "func @f() {\nentry: yield",
        "2:13: error: unexpected end of the file; expected an instruction or a terminator",
    );
}

#[test]
fn instructions() {
    body_says(
        "entry: frob %a\nret",
        "2:8: error: there is no instruction `frob`; expected an instruction",
    );
    body_says("entry: store i32 %p\nret", "2:20: error: unexpected end of the line; expected `,`");
    body_says(
        "entry: load i32 %p\nret",
        "2:8: error: `load` with 0 results; expected one result: %r = …",
    );
    body_says("entry: %a = lock %p\nret", "2:13: error: `lock` with 1 results; expected no result");
    body_says(
        "entry: %a = load i32 acquire relaxed %p\nret",
        "2:30: error: one `relaxed` too many; expected an address",
    );
    body_says(
        "entry: %a = load %p\nret",
        "2:18: error: unexpected `%p`; expected a type (i1 to i128, ptr, f32, f64)",
    );
    body_says(
        "entry: %a = add i32 %a, ,\nret",
        "2:25: error: unexpected `,`; expected an operand of type i32",
    );
    body_says(
        "entry: %a = add i8 %a, 256\nret",
        "2:24: error: the constant 256 does not fit i8 (i8 holds -0x80 to 0xff)",
    );
    body_says(
        "entry: %a = fadd f32 %a, 1\nret",
        "2:26: error: an integer constant where f32 is expected (write a float such as 1.0, or the encoding in hexadecimal)",
    );
    body_says(
        "entry: call *%p(-1)\nret",
        "2:17: error: the type of `-1` is not known here; expected an integer without a sign (move it into a register first, or write its bits in hexadecimal)",
    );
    body_says("entry: yield !3\nret", "2:15: error: there is no loc 3; expected a number below 0");
    body_says(
        "entry: %a = choose i32 -1, 1\nret",
        "2:24: error: `-1` is out of range; expected an integer of 0 to 2^64-1",
    );
}

#[test]
fn tokens() {
    says(
        "global @x: i32 = 1;",
        "1:19: error: a character that means nothing here: ';'; expected a name, a number, a string or punctuation (names with other characters are quoted: %\"a b\", @\"a b\")",
    );
    says(
        "program \"a",
        "1:9: error: a string is not closed on its line; expected `\"` (a line end inside a string is written \\n)",
    );
    says(
        "program \"a\\q\"",
        "1:11: error: an unknown escape in a string; expected \\n, \\t, \\r, \\\", \\\\ or \\u{…}",
    );
    says(
        "func @f(%1a: i32)",
        "1:9: error: a bare name cannot start with a digit: `%1a`; expected a number or a name (write %\"1a\")",
    );
    says(
        "global @ x: i32",
        "1:8: error: `@` is not followed by a name; expected a name such as @x",
    );
    says("global @x: i32 = 12ab", "1:18: error: a malformed number: `12ab`");
}

#[test]
fn conditions() {
    says(
        "exists",
        "1:7: error: unexpected end of the file; expected an observable, an integer or an address such as @x",
    );
    says("exists (1 == 1", "1:15: error: unexpected end of the file; expected `)`");
    says("exists 1 = 1", "1:10: error: unexpected `=`; expected `==` or `!=`");
    for deep in ["(".repeat(300), "!".repeat(300), "true => ".repeat(300), "all(".repeat(100_000)] {
        let error = parse("t.rir", &format!("exists {deep}true")).unwrap_err();
        assert_eq!(error.message, "the condition is nested too deeply");
    }
}

#[test]
fn files_that_are_no_text() {
    let error = parse_bytes("t.rir", b"program \"a\"\n\xff").unwrap_err();
    assert_eq!((error.line, error.column), (2, 1));
    let error = parse_bytes("t.rir", b"program \"a\"\n\n  \0").unwrap_err();
    assert_eq!((error.line, error.column), (3, 3));
    let error = parse("t.rir", &" ".repeat(MAX_SOURCE + 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "t.rir: error: the file has 67108865 bytes; expected at most 64 MiB"
    );
}

#[test]
fn what_has_no_position_gets_its_own() {
    let source = "file 0 = \"a.c\"
        func @f() {
          entry: yield
            yield !0
            yield !\"a.c\":7:1
            ret !\"b.c\":1:0
        }
        loc 0 = 0:7:1";
    let program = parse("t.rir", source).unwrap();
    let block = &program.funcs[FuncId::from_u32(0)].blocks[BlockId::from_u32(0)];
    let places: Vec<_> = block
        .insts
        .iter()
        .map(|i| i.loc)
        .chain([block.term.loc])
        .map(|l| program.place(l))
        .collect();
    let places: Vec<_> = places.iter().flatten().map(String::as_str).collect();
    assert_eq!(places, ["t.rir:3", "a.c:7", "a.c:7", "b.c:1"]);
    assert_eq!(block.insts[1].loc, block.insts[2].loc);
    let own = program.loc(block.insts[0].loc).unwrap();
    assert_eq!((own.line, own.column), (3, 18));
    assert_eq!(program.place(program.funcs[FuncId::from_u32(0)].loc).as_deref(), Some("t.rir:2"));
}

/// All constructs that can be written in more than one way, and their printed form.
#[test]
fn printing_is_canonical() {
    let source = "
        func @g(%0: i32, %\"a b\": i8) -> i1
        exists !(\"0:r\" != 1) && (x == @x+4 || true) && (false => all())
        observe \"0:r\" = t %r  // comment
        observe x = i32 @x
        thread \"t\" = @f()
        global @x: i32 = 0x10
        global @a: i16 x 4 = [1, -1, 3, 65535,]
        global @b: i32 x 3 = 7
        global @z: i8 x 5
        const thread_local global @p: ptr x 3 = [@x, 0, &@g]
        global @o: bytes 12 = hex \"01 02\"
        func @f() {
          reg %r: i32, %1: i1
          \"reg\":
            %r = load i32 acquire volatile @x+4
            %r, %1 = cmpxchg i32 acq_rel acquire @x, -1, 0xffffffff
            switch i32 %r {
              1: #1,
              -2: \"reg\",
            } default #1
          #1: ret
        }";
    let expected = "program \"t.rir\"
global @x: i32 = 16
global @a: i16 x 4 = [1, -1, 3, -1]
global @b: i32 x 3 = 7
global @z: i8 x 5 = 0
const thread_local global @p: ptr x 3 = [@x, 0, &@g]
global @o: bytes 12 align 8 = hex \"0102\"
thread t = @f()
observe \"0:r\" = t %r
observe x = i32 @x
exists !(\"0:r\" != 1) && (x == @x+4 || true) && (false => all())

func @g(%0: i32, %\"a b\": i8) -> i1

func @f() {
    reg %r: i32
    reg %1: i1
  reg:
    %r = load i32 volatile acquire @x+4
    %r, %1 = cmpxchg i32 acq_rel @x, -1, -1
    switch i32 %r {1: #1, -2: reg} default #1
  #1:
    ret
}
";
    let options = ParseOptions { own_positions: false };
    let program = parse_with("t.rir", source, options).unwrap();
    let text = print(&program);
    let again = parse_with("t.rir", &text, options).unwrap();
    assert_eq!(again, program);
    assert_eq!(text, expected);
}

#[test]
fn broken_programs_print() {
    let mut program = parse("t.rir", "func @f() {\nentry: free 0\nret\n}").unwrap();
    let kind = &mut program.funcs[FuncId::from_u32(0)].blocks[BlockId::from_u32(0)].insts[0].kind;
    *kind = raddle_ir::InstKind::Free { addr: Operand::Func(FuncId::from_u32(9)) };
    assert!(print(&program).contains("free &@<func9>"));
}

#[test]
fn the_new_instructions() {
    body_says(
        "entry: fail badly \"x\"",
        "2:13: error: unexpected `badly`; expected a kind of failure: assertion, memory, \
         lock_misuse, thread_misuse, uninitialised, abort",
    );
    body_says("entry: %a = halt", "2:13: error: `halt` with 1 results; expected no result");
    body_says(
        "entry: format %p, %p",
        "2:8: error: `format` with 0 results; expected one result: %r = …",
    );
    body_says(
        "entry: %a = rmw sub i32 %p, 1 when 0",
        "2:36: error: unexpected `0`; expected a comparison: eq, ne, ult, ule, ugt, uge, slt, sle, \
         sgt, sge",
    );
    body_says(
        "entry: %a = load i32 raw raw %p",
        "2:26: error: one `raw` too many; expected an address",
    );
}

#[test]
fn library_functions_have_only_the_positions_that_are_written() {
    let source = "library func @f() {\nentry:\nyield\nyield !\"a.c\":3:1\nret\n}";
    let program = parse("t.rir", source).expect("it is right");
    let function = &program.funcs[FuncId::from_u32(0)];
    let block = &function.blocks[BlockId::from_u32(0)];
    assert!(function.library);
    assert_eq!(
        (function.loc, block.insts[0].loc, block.term.loc),
        (LocId::NONE, LocId::NONE, LocId::NONE)
    );
    assert_eq!(program.place(block.insts[1].loc).as_deref(), Some("a.c:3"));
    assert_eq!(program.files, ["a.c"]);
}
