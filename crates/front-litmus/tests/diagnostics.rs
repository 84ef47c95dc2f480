//! Every kind of bad input gives one diagnostic: at the right line, with the found and the expected text.

use raddle_front_litmus::load;
use raddle_ir::Diagnostic;
use raddle_ir::file::MAX_BYTES;

fn refuse(source: &str) -> Diagnostic {
    match load("t.litmus", source.as_bytes()) {
        Ok(_) => panic!("this should not load:\n{source}"),
        Err(diagnostic) => diagnostic,
    }
}

#[track_caller]
fn check(source: &str, place: (u32, u32), message: &str, expected: &str) {
    let found = refuse(source);
    let text = found.to_string();
    assert!(found.message.contains(message), "{text}");
    assert!(found.expected.as_deref().unwrap_or_default().contains(expected), "{text}");
    assert_eq!((found.line, found.column), place, "{text}");
    let span = found.span.expect("a span");
    assert!(span.start <= span.end && span.end <= source.len().max(1), "{text}");
}

/// One thread of X86 with this code and condition.
fn x86(code: &str, condition: &str) -> String {
    format!("X86 t\n{{ }}\n P0 ;\n {code} ;\n{condition}\n")
}

fn ppc(code: &str, condition: &str) -> String {
    format!("PPC t\n{{ 0:r2=x; }}\n P0 ;\n {code} ;\n{condition}\n")
}

fn arm(code: &str, condition: &str) -> String {
    format!("ARM t\n{{ 0:R2=x; }}\n P0 ;\n {code} ;\n{condition}\n")
}

const TRUE: &str = "exists (true)";

#[test]
fn architectures() {
    for arch in ["AArch64", "RISCV", "MIPS", "C", "X86_64", "LISA"] {
        check(&format!("{arch} t\n{{ }}\n"), (1, 1), arch, "X86, PPC or ARM");
    }
    check("Z80 t\n{ }\n", (1, 1), "`Z80` is not an architecture", "X86, PPC or ARM");
    check("", (1, 1), "no test", "X86, PPC or ARM");
    check("\n\n(* nothing *)\n", (4, 1), "no test", "X86");
}

#[test]
fn headers() {
    check("X86\n{ }\n P0 ;\n", (1, 4), "no name", "a name");
    check("X86 t\n\"doc\"\nCycle=Fre\n", (4, 1), "ends within its header", "initial state");
    check("X86 t\n(* (* *)\n{ }\n", (2, 1), "comment does not end", "`*)`");
}

#[test]
fn files() {
    let binary = load("t.litmus", b"X86 t\n{ }\n\0\x01").expect_err("binary");
    assert_eq!((binary.line, binary.message.as_str()), (3, "this is not text"));
    let latin = load("t.litmus", b"X86 t\n\"caf\xe9\"\n{ }\n").expect_err("not UTF-8");
    assert_eq!((latin.line, latin.column), (2, 5));
    let long = load("t.litmus", &vec![b' '; MAX_BYTES + 1]).expect_err("too long");
    assert!(long.expected.expect("a limit").contains("16 MiB"));
}

#[test]
fn initial_states() {
    let with = |init: &str| format!("PPC t\n{{\n{init}\n}}\n P0 ;\n nop ;\n{TRUE}\n");
    check(&with("0:q1=1;"), (3, 3), "`q1` is not a register of PPC", "r0 to r31");
    check(&with("0:r32=1;"), (3, 3), "`r32` is not a register", "r0 to r31");
    check(&with("1:r1=1;"), (3, 1), "no thread 1", "thread 0");
    check(&with("r1=1;"), (3, 1), "`r1` is a register", "with its thread");
    check(&with("x=;"), (3, 3), "found `;`", "a number or the name of a location");
    check(&with("x=1 y=2;"), (3, 5), "found `y`", "`;` or the `}`");
    check(&with("x=1; x=2;"), (3, 6), "another initial value in line 3", "one initial value");
    check(&with("0:r1=1; 0:r1=x;"), (3, 9), "another initial value", "one");
    check(&with("%a=1; %a=2;"), (3, 7), "another initial value", "one");
    check(&with("x=0x100000000;"), (3, 3), "does not fit", "32 bits");
    check(&with("x=-2147483649;"), (3, 3), "does not fit", "32 bits");
    check(&with("x=18446744073709551616;"), (3, 3), "too large", "64 bits");
    check(&with("x=-18446744073709551615;"), (3, 3), "too small", "64 bits");
    check(&with("x=0x;"), (3, 3), "`0x` is not a number", "decimal");
    check(&with("x=12ab;"), (3, 3), "`12ab` is not a number", "decimal");
    check(&with("int x[2];"), (3, 6), "arrays are not supported", "one value");
    check(&with("4294967296:r1=0;"), (3, 1), "not a thread", "");
    check("PPC t\n{ x=1;", (2, 7), "the test ends here", "");
}

#[test]
fn columns() {
    let with = |rows: &str| format!("X86 t\n{{ }}\n P0 | P1 ;\n{rows}\n{TRUE}\n");
    check(&with(" NOP ;"), (4, 2), "this row has 1 columns", "2, one for each thread");
    check(&with(" NOP | NOP | NOP ;"), (4, 12), "more than 2 columns", "2");
    check(&with(" NOP | NOP"), (5, 1), "found `exists`", "`;`");
    check("X86 t\n{ }\n P0 | P2 ;\n", (3, 7), "found `P2`", "`P1`");
    check("X86 t\n{ }\n", (3, 1), "the test ends here", "`P0`");
    check("X86 t\n{ }\n P0 | P1\n", (4, 1), "the test ends here", "`|` or `;`");
    let titles: Vec<String> = (0..1025).map(|i| format!("P{i}")).collect();
    let many = format!("X86 t\n{{ }}\n{} ;\n", titles.join("|"));
    check(&many, (3, 5035), "more than 1024 threads", "fewer columns");
    check("X86 t\n P0 ;\n", (3, 1), "header", "initial state");
    check("X86 t\n{ x=1\n P0 ;\n NOP ;\n", (3, 2), "found `P0`", "`}`");
    check("X86 t\n{ }\n P0 ;\n MOV EAX,", (4, 10), "the test ends here", "an operand");
}

#[test]
fn instructions() {
    check(&x86("HLT", TRUE), (4, 2), "`hlt` is not supported", "docs/litmus.md");
    check(&x86("MOVNTI [x],EAX", TRUE), (4, 2), "`movnti`", "X86");
    check(&ppc("lwbrx r1,0,r2", TRUE), (4, 2), "`lwbrx`", "PPC");
    check(&arm("LDREQ R1,[R2]", TRUE), (4, 2), "`ldreq`", "ARM");
    check(&x86("MOV EAX", TRUE), (4, 2), "1 operands", "2 operands");
    check(&ppc("lwz r1,0(r2),r3", TRUE), (4, 9), "not a number", "a number");
    check(&arm("ADD R1,R2,R3,R4", TRUE), (4, 2), "4 operands", "3 operands");
    check(&x86("MOV EQX,$1", TRUE), (4, 6), "`EQX` is not a register of X86", "EAX");
    check(&x86("MOV EAX,x", TRUE), (4, 10), "`x` is not a register", "EAX");
    check(&ppc("lwz r1,0(x)", TRUE), (4, 11), "`x` is not a register of PPC", "r0");
    check(&arm("LDR R1,[R16]", TRUE), (4, 10), "`R16` is not a register of ARM", "R12");
    check(&arm("MOV R1,[R2]", TRUE), (4, 9), "memory cannot be used", "a register or a number");
    check(&ppc("li r1,r2", TRUE), (4, 8), "not a number", "a number");
    check(&ppc("stwx r1,4,r2", TRUE), (4, 10), "not a register", "or 0");
    check(&ppc("cmpw cr3,r1,r2", TRUE), (4, 7), "only condition field 0", "cr0");
    check(&ppc("lwz r1,4294967296(r2)", TRUE), (4, 9), "displacement", "32 bits");
    check(&arm("MOV R1,#4294967296", TRUE), (4, 9), "does not fit", "32 bits");
    check(&arm("DMB FOO", TRUE), (4, 2), "unknown option", "SY");
    check(&arm("ISB ST", TRUE), (4, 2), "unknown option", "SY");
    check(&arm("MOV R1,#1 2", TRUE), (4, 12), "found `2`", "`;`");
    check(&arm("MOV R1,@1", TRUE), (4, 9), "found `@`", "an operand");
}

#[test]
fn x86_operands() {
    check(&x86("MOV $1,EAX", TRUE), (4, 6), "cannot be written", "register or memory");
    check(&x86("MOV [x],[y]", TRUE), (4, 2), "both operands", "a register");
    check(&x86("CMP [x],[y]", TRUE), (4, 2), "both operands", "a register");
    check(&x86("LOCK MOV [x],$1", TRUE), (4, 2), "cannot be locked", "XADD");
    check(&x86("LOCK INC EAX", TRUE), (4, 2), "cannot be locked", "on memory");
    check(&x86("LOCK MFENCE", TRUE), (4, 2), "cannot be locked", "on memory");
    check(&x86("ADDB [x],$1", TRUE), (4, 2), "less than a word", "whole words");
    check(&x86("MOV EAX,[x,EBX]", TRUE), (4, 13), "cannot be indexed", "`]`");
    check(&ppc("lock add r1,r1,r1", TRUE), (4, 2), "no `lock` prefix", "");
}

#[test]
fn labels_and_flags() {
    check(&x86("JMP away", TRUE), (4, 6), "thread 0 has no label `away`", "a label");
    check(&x86("JE $1", TRUE), (4, 5), "not a label", "a label");
    check(&x86("L: NOP ;\n L: NOP", TRUE), (5, 2), "`L` is defined twice", "only once");
    check(&x86("INC EAX ;\n JB L ;\n L:", TRUE), (5, 2), "`jb` needs a flag", "comparison");
    check(&x86("L: JB L ;\n INC EAX", TRUE), (4, 5), "`jb` needs a flag", "comparison");
    check(&x86("IMUL EAX,EBX ;\n JE L ;\n L:", TRUE), (5, 2), "`je` needs a flag", "comparison");
    check(&x86("L: JS L ;\n DIV EBX", TRUE), (4, 5), "`js` needs a flag", "comparison");
    check(&x86("LOCK IMUL EAX,EBX", TRUE), (4, 2), "cannot be locked", "ADD");
    check(&arm("SDIVS R1,R2,R3", TRUE), (4, 2), "sdivs", "");
    check(&arm("ADDS R1,R1,#1 ;\n BLT L ;\n L:", TRUE), (5, 2), "`blt` needs", "comparison");
    assert!(load("t", x86("INC EAX ;\n CMP EAX,$1 ;\n JB L ;\n L:", TRUE).as_bytes()).is_ok());
    assert!(load("t", x86("INC EAX ;\n JNE L ;\n L:", TRUE).as_bytes()).is_ok());
}

#[test]
fn conditions() {
    let with = |condition: &str| x86("MOV EAX,[x]", condition);
    check(&with("exists (0:EQX=1)"), (5, 11), "`EQX` is not a register of X86", "EAX");
    check(&with("exists (1:EAX=1)"), (5, 9), "no thread 1", "thread 0");
    check(&with("exists (EAX=1)"), (5, 9), "`EAX` is a register", "its thread");
    check(&with("exists (%a=1)"), (5, 9), "`%a` is a register", "its thread");
    check(&with("exists (0:EAX=EBX)"), (5, 15), "`EBX` is a register", "a location");
    check(&with("exists (0:EAX=1"), (6, 1), "the test ends here", "`)`");
    check(&with("exists 0:EAX"), (6, 1), "the test ends here", "`=`");
    check(&with("exists (x=4294967296)"), (5, 11), "does not fit", "32 bits");
    check(&with("exists ([x]=0:EAX)"), (5, 13), "64 bits", "same width");
    check(&with("exists (x=1) y"), (5, 14), "found `y`", "the end of the test");
    check(&with("exists"), (6, 1), "the test ends here", "a register");
    check(&with("~forall (x=1)"), (5, 2), "found `forall`", "`exists`");
    check(&with("filter (x=1)\nexists (x=1)"), (5, 1), "`filter` is not supported", "`exists`");
    check(&with("locations [x y]"), (5, 14), "found `y`", "`;` or the `]`");
    check(&with("locations [x;"), (6, 1), "the test ends here", "");
    check(&with("locations [2:EAX;]"), (5, 12), "no thread 2", "thread 0");
    check(&with("exists (x=1 /\\)"), (5, 15), "found `)`", "a register");
    let deep = format!("exists {}true{}", "(".repeat(500), ")".repeat(500));
    check(&with(&deep), (5, 73), "more than 64 levels", "flatter");
    let negations = format!("exists {}true", "~".repeat(100_000));
    check(&with(&negations), (5, 74), "more than 64 levels", "flatter");
    let chain = format!("exists {}true", "true => ".repeat(100_000));
    check(&with(&chain), (5, 528), "more than 64 levels", "flatter");
}

#[test]
fn byte_locations_have_byte_values() {
    let source = "X86 t\n{ uint8_t b; }\n P0 ;\n MOVB [b],$1 ;\nexists (b=256)\n";
    check(source, (5, 11), "does not fit", "8 bits");
}

#[test]
fn help_shows_a_way_out() {
    let help = |source: &str| refuse(source).help.unwrap_or_default();
    assert!(help("RISCV t\n{ }\n").contains("X86 SB"));
    assert!(help(&x86("MOV EAX,x", TRUE)).contains("[x]"));
    assert!(help(&x86("JMP away", TRUE)).contains("away:"));
    assert!(help(&x86("NOP", "exists (EAX=1)")).contains("0:EAX"));
    assert!(help(&x86("NOP", "filter (true)")).contains("exists (filter"));
}
