//! Generated programs, optimised and not, run natively and by raddle: the results must be equal.

use crate::common;
use raddle_engine::Model;

use fastrand::Rng;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: u64 = 8;

const TYPES: [&str; 10] = [
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "__int128",
    "unsigned __int128",
];

/// Writes functions without undefined behaviour: arithmetic is unsigned, shifts are masked, divisors are
/// odd, indices wrap.
struct Writer {
    rng: Rng,
    text: String,
}

impl Writer {
    fn ty(&mut self) -> &'static str {
        TYPES[self.rng.usize(..TYPES.len())]
    }

    fn leaf(&mut self) -> String {
        match self.rng.u8(..8) {
            0 => format!("{}", self.rng.i32(..)),
            1 => format!("{}ULL", self.rng.u64(..)),
            2 => format!("a[{}]", self.rng.u8(..8)),
            3 => format!("s.{}", ["b", "h", "w", "l", "f", "g"][self.rng.usize(..6)]),
            4 => "x".to_owned(),
            5 => "y".to_owned(),
            n => format!("v{}", n - 6),
        }
    }

    fn expression(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let ty = self.ty();
        match self.rng.u8(..14) {
            0 => format!("(u64)({a}) + (u64)({b})"),
            1 => format!("(u64)({a}) - (u64)({b})"),
            2 => format!("(u64)({a}) * (u64)({b})"),
            3 => format!("({a}) / (u64)(({b}) | 1)"),
            4 => format!("({a}) % (u64)(({b}) | 1)"),
            5 => format!("({a}) ^ ({b})"),
            6 => format!("({a}) & ~(u64)({b})"),
            7 => format!("(u64)({a}) << (({b}) & 63)"),
            8 => format!("(int64_t)({a}) >> (({b}) & 31)"),
            9 => format!("({ty})({a})"),
            10 => format!("(({a}) < ({b}) ? ({a}) : ({b}))"),
            11 => format!("(({ty})({a}) == ({ty})({b})) + !({a})"),
            12 => format!("(int32_t)({a}) / 7 + (int16_t)({b}) % 5"),
            _ => format!("help({a}, {b})"),
        }
    }

    fn statement(&mut self, depth: u32, index: &str) {
        let value = self.expression(2);
        match self.rng.u8(..10) {
            0..=2 => _ = writeln!(self.text, "v{} = {value};", self.rng.u8(..2)),
            3 => _ = writeln!(self.text, "a[(u64)({value}) % 8] ^= {index} + 3;"),
            4 => {
                let field = ["b", "h", "w", "l", "f", "g"][self.rng.usize(..6)];
                _ = writeln!(self.text, "s.{field} = {value};");
            }
            5 if depth > 0 => {
                _ = writeln!(self.text, "if (({value}) & 1) {{");
                self.statement(depth - 1, index);
                _ = writeln!(self.text, "}} else {{");
                self.statement(depth - 1, index);
                _ = writeln!(self.text, "}}");
            }
            6 if depth > 0 => {
                let inner = format!("i{depth}");
                _ = writeln!(self.text, "for (int {inner} = 0; {inner} < 3; {inner}++) {{");
                self.statement(depth - 1, &inner);
                _ = writeln!(self.text, "v0 += {inner}; }}");
            }
            7 if depth > 0 => {
                _ = writeln!(self.text, "switch ((u64)({value}) % 4) {{ case 0:");
                self.statement(depth - 1, index);
                _ = writeln!(self.text, "break; case 2:");
                self.statement(depth - 1, index);
                _ = writeln!(self.text, "default: v1 ^= 5; }}");
            }
            8 => _ = writeln!(self.text, "s = mix(s, {value});"),
            _ => _ = writeln!(self.text, "p = &a[(u64)({value}) & 7]; *p += v0; v1 = p - a;"),
        }
    }

    fn function(&mut self, number: u32) {
        let (result, x, y) = (self.ty(), self.ty(), self.ty());
        let (v0, v1) = (self.ty(), self.ty());
        _ = writeln!(self.text, "static {result} f{number}({x} x, {y} y) {{");
        _ = writeln!(self.text, "{v0} v0 = 1; {v1} v1 = 2; u64 a[8] = {{1, 2, 3}}, *p = a;");
        _ = writeln!(self.text, "struct S s = {{1, 2, 3, 4, 5, 6}};");
        for _ in 0..6 {
            self.statement(2, "1");
        }
        let value = self.expression(3);
        _ = writeln!(self.text, "return ({value}) + *p + s.f + s.g + s.w; }}");
    }
}

const HEAD: &str = "
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
typedef uint64_t u64;
struct S { int8_t b; uint16_t h; int32_t w; int64_t l; unsigned f : 5; int g : 11; };
static u64 help(u64 a, u64 b) { return a > b ? a - b : a + 3 * b; }
static struct S mix(struct S s, u64 by) { s.l ^= by; s.f++; s.h += s.w; return s; }
";

fn source(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::with_seed(seed), text: HEAD.to_owned() };
    for number in 0..6 {
        writer.function(number);
    }
    let text = &mut writer.text;
    _ = writeln!(text, "int main(void) {{ u64 sum = 0;");
    for number in 0..6 {
        for (x, y) in [(0, 0), (1, -1), (200, 77), (-30000, 123456789)] {
            _ = writeln!(text, "sum = sum * 31 + (u64)f{number}({x}, {y});");
        }
    }
    text.push_str(
        "#ifdef EXPECT
assert(sum == EXPECT);
#else
printf(\"%llu\\n\", (unsigned long long)sum);
#endif
return 0; }\n",
    );
    writer.text
}

fn natively(compiler: &Path, source: &Path) -> String {
    let binary = source.with_extension("out");
    let mut command = Command::new(compiler);
    let compiled = command.args(["-w", "-O1", "-fwrapv", "-o"]);
    let status = compiled.arg(&binary).arg(source).status().expect("the compiler runs");
    assert!(status.success(), "{}", source.display());
    let output = Command::new(&binary).output().expect("the program runs");
    String::from_utf8(output.stdout).expect("a number").trim().to_owned()
}

#[test]
fn generated_programs_compute_what_they_do_natively() {
    let Some(compiler) = common::compilers().into_iter().next() else {
        return;
    };
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    for seed in 0..raddle_testing::scaled(PROGRAMS, 20) {
        let path = folder.join(format!("generated{seed}.c"));
        std::fs::write(&path, source(seed)).expect("a scratch file");
        let expected = natively(&compiler, &path);
        let macro_flag = format!("-DEXPECT={expected}ULL");
        for level in ["-O0", "-O2"] {
            let options = common::options(&compiler, &["-w", "-fwrapv", level, &macro_flag]);
            let program = common::program(std::slice::from_ref(&path), &options);
            let summary = common::run(&program, Model::Sc);
            let wrong = common::failures(&program, &summary);
            assert!(wrong.is_empty(), "seed {seed} {level}: {wrong:?}");
        }
    }
}
