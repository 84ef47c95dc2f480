//! Rejected texts, and their messages.

use crate::common;

use common::refused;
use std::fmt::Write;

#[track_caller]
fn assert_refused(text: &str, words: &str) {
    let message = refused(text);
    assert!(message.contains(words), "{message}");
}

/// The parser refuses this instruction, in a function with some parameters.
#[track_caller]
fn assert_inst_refused(inst: &str, words: &str) {
    let text = format!("define void @f(i32 %a, ptr %p) {{\n  {inst}\n  ret void\n}}\n");
    let message = refused(&text);
    assert!(message.contains(words), "{message}");
}

#[test]
fn diagnostics_have_file_line_and_column() {
    assert_eq!(
        refused("@x = global i32 0\n@y = global frob 1\n"),
        "test.ll:2:13: error: 'frob'; expected a type"
    );
}

#[test]
fn unknown_instructions_and_items_are_refused() {
    assert_inst_refused("frobnicate i32 5", "'frobnicate'; expected an instruction");
    assert_inst_refused("%x = atomicrmw frob ptr %p, i32 1 seq_cst", "an atomic operation");
    assert_refused("frob = 5", "'frob'; expected a definition");
}

#[test]
fn what_is_mentioned_must_be_defined() {
    assert_refused("@x = global ptr @y", "@y is not defined");
    assert_refused("@x = external global %t", "type %t is not defined");
    assert_inst_refused("%x = add i32 %a, %y", "a value that the function does not define");
    assert_refused("define void @f() { br label %x }", "a block that the function does not have");
    assert_refused(
        "@x = global ptr blockaddress(@f, %b)\ndefine void @f() { ret void }",
        "a block that the function does not have",
    );
    assert_inst_refused("call void @llvm.dbg()", "@llvm.dbg is not defined");
    assert_inst_refused("%x = add i32 %a, 1, !dbg !5", "metadata that is not a position");
}

#[test]
fn nothing_is_defined_twice() {
    assert_refused("@x = global i32 0\n@x = global i32 0", "@x is defined twice");
    assert_refused("%t = type {}\n%t = type {}", "type %t is defined twice");
    assert_inst_refused("%a = add i32 1, 2", "%a is defined twice");
    assert_refused("define void @f(i32 %a) {\na:\n ret void\n}", "%a is defined twice");
}

#[test]
fn numbers_go_up() {
    assert_refused("define void @f(i32 %0) {\n%1 = add i32 1, 1\nret void\n}", "out of order");
    assert_refused("define void @f() {\n%4294967295 = add i32 1, 1\nret void\n}", "too large");
}

#[test]
fn types_must_agree() {
    assert_inst_refused("%x = add i64 %a, 1", "the type is i64; expected i32");
    assert_inst_refused("%x = add ptr %p, %p", "an operation that ptr does not have");
    assert_inst_refused("%x = fadd i32 %a, %a", "an operation that i32 does not have");
    assert_inst_refused("%x = load i32, i32 %a", "an address of type i32");
    assert_inst_refused("%x = trunc i32 %a to i64", "a conversion from i32 to i64");
    assert_inst_refused("%x = sitofp ptr %p to double", "a conversion from ptr to double");
    assert_inst_refused("%x = bitcast i32 %a to double", "a conversion from i32 to double");
    assert_inst_refused("%x = bitcast i32 %a to ptr", "a conversion from i32 to ptr");
    assert_inst_refused("%x = fpext double 1.0 to float", "a conversion from double to float");
    assert_inst_refused("%x = zext <2 x i8> undef to i64", "a conversion from a vector");
    assert_inst_refused("%x = getelementptr i8, i32 %a", "an address that is not a pointer");
    assert_inst_refused("%x = load token, ptr %p", "a type that memory does not hold");
    assert_refused("@x = global i32 trunc (ptr @x to i32)", "a conversion from ptr to i32");
    assert_refused("@x = global ptr add (ptr @x, ptr @x)", "an operation that ptr does not have");
    assert_inst_refused("%x = extractvalue { i32 } undef, 1", "an index that the type");
    assert_inst_refused("br i32 %a, label %b, label %b", "the type is i32; expected i1");
    assert_inst_refused("call i32 (i64) %p(i32 1)", "arguments that the function does not take");
    assert_inst_refused("%x = call void %p()", "a name for an instruction without a result");
    assert_inst_refused("ret i32 0", "the type is i32; expected void");
    assert_refused("@x = global i32 1.0", "expected a constant of type i32");
    assert_refused("@x = global [2 x i32] [i32 1]", "elements that do not fit the type");
    assert_refused("@x = global [2 x i8] c\"abc\"", "a string of 3 bytes");
    assert_refused("@x = global float 0x3FD5555555555555", "expected a constant of type float");
    assert_refused("@x = global i32 null", "expected a constant of type i32");
}

#[test]
fn circles_are_refused() {
    assert_refused("%a = type { %b }\n%b = type { [2 x %a] }", "contains itself");
    assert_refused("@a = alias i8, ptr @b\n@b = alias i8, ptr @a", "is an alias of itself");
    assert_refused("@a = alias i8, getelementptr (i8, ptr @a, i64 1)", "is an alias of itself");
    let positions = "define void @f() {\nret void, !dbg !1\n}\n";
    assert_refused(
        &format!("{positions}!1 = !DILocation(line: 1, scope: !2, inlinedAt: !1)"),
        "a call that is inlined at itself",
    );
    assert_refused(
        &format!(
            "{positions}!1 = !DILocation(line: 1, scope: !2)\n!2 = !DILexicalBlock(scope: !3)\n\
             !3 = !DILexicalBlock(scope: !2)"
        ),
        "a scope within itself",
    );
}

#[test]
fn nesting_is_bounded() {
    let deep = 100_000;
    let levels = "nesting deeper than 128 levels";
    assert_refused(&format!("@x = external global {}", "[1 x ".repeat(deep)), levels);
    assert_refused(&format!("@x = external global {}", "{".repeat(deep)), levels);
    assert_refused(&format!("@x = external global i32{}", " (i32".repeat(deep)), levels);
    assert_refused(&format!("@x = global i32 {}", "sub (i32 ".repeat(deep)), levels);
    assert_refused(
        &format!("define void @f() !dbg !DILocation({}", "scope: !DILocation(".repeat(deep)),
        levels,
    );
    // A chain of named types, with one level each.
    let mut chain = "%t0 = type { i8 }\n".to_owned();
    for level in 1..1000 {
        writeln!(chain, "%t{level} = type {{ %t{} }}", level - 1).expect("strings grow");
    }
    assert_refused(&chain, "nests deeper than 128 levels");
    // A chain of functions that return functions is not nested in the text.
    assert_refused(&format!("@x = external global i32 {}", "()".repeat(deep)), "");
}

#[test]
fn the_text_does_not_choose_the_memory() {
    assert_refused("!4294967295 = !DIFile(filename: \"a\")\n@x = global i32 frob", "'frob'");
    assert_refused(
        "define void @f() {\n%4294967290 = add i32 1, 1\n%x = add i32 %4294967289, 1\nret void\n}",
        "a value that the function does not define",
    );
}

#[test]
fn broken_texts_are_refused() {
    for text in [
        "@x = global i32",
        "@x = global [2 x i32",
        "define void @f() {",
        "define void @f() {}",
        "define void @f() {\nx:\n}",
        "@x = global i8 c\"abc",
        "attributes #0 = { \"a\"",
        "!0 = !{",
        "\u{7f}",
        "@",
        "declare void @f(i0)",
        "declare void @f(i99999999)",
        "declare void @f(<0 x i32>)",
        "declare void @f(void)",
        "@x = global i32 0, align 3",
    ] {
        assert!(refused(text).starts_with("test.ll:1:") || text.contains('\n'), "{text}");
    }
    let message = raddle_llvm::parse("x.ll", b"@\"\\FF\" = global i32 0").expect_err("not UTF-8");
    assert!(message.to_string().contains("not UTF-8"));
}
