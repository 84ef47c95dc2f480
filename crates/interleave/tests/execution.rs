//! The results of local code: arithmetic of every width, control flow, calls, objects.
//!
//! Each program has one thread, `main`, which stores its results to `@out`, observed words of 64 bits. So only
//! the machine is tested.

use crate::MODELS;
use crate::common;

use common::{checked, program};

/// The number of words in `@out`.
const RESULTS: usize = 4;

/// Registers of `main`.
const REGISTERS: &str = "%a: i64, %b: i64, %c: i1, %i: i32, %n: i8, %w: i128, %v: i128, %p: ptr, \
                         %q: ptr, %f: f64, %g: f32, %t: i64";

/// The results of a program in which `body` is the body of `main`.
fn results(items: &str, body: &str) -> [u64; RESULTS] {
    let observed: String =
        (0..RESULTS).map(|n| format!("observe out{n} = i64 @out+{}\n", n * 8)).collect();
    let end = if body.contains("ret") { "" } else { "ret" };
    let program = program(&format!(
        "global @out: i64 x {RESULTS}\n{observed}thread main = @main()\n{items}\n\
         func @main() {{\nreg {REGISTERS}\nentry:\n{body}\n{end}\n}}"
    ));
    let found = MODELS.map(|model| {
        let found = checked(&program, model);
        let [(state, 1)] = &found.states[..] else { panic!("{model}: {found:?}\n{body}") };
        <[u64; RESULTS]>::try_from(state.as_slice()).expect("one value for each result")
    });
    assert!(found.iter().all(|other| *other == found[0]), "{found:?}\n{body}");
    found[0]
}

/// The result of one expression of type `i64`, `%a`.
fn value(body: &str) -> u64 {
    results("", &format!("{body}\nstore i64 @out, %a"))[0]
}

#[test]
fn integers() {
    let table: [(&str, u64); 22] = [
        ("%a = add i64 -1, 2", 1),
        ("%a = sub i64 1, 2", u64::MAX),
        ("%a = mul i64 0x100000000, 0x100000000", 0),
        ("%a = udiv i64 -1, 2", i64::MAX as u64),
        ("%a = sdiv i64 -7, 2", -3i64 as u64),
        ("%a = srem i64 -7, 2", -1i64 as u64),
        ("%a = urem i64 7, 4", 3),
        ("%a = and i64 12, 10", 8),
        ("%a = or i64 12, 10", 14),
        ("%a = xor i64 12, 10", 6),
        ("%a = shl i64 1, 63", 1 << 63),
        ("%a = shl i64 1, 64", 0),
        ("%a = lshr i64 -1, 63", 1),
        ("%a = lshr i64 -1, 200", 0),
        ("%a = ashr i64 -8, 1", -4i64 as u64),
        ("%a = ashr i64 -8, 64", u64::MAX),
        ("%a = not i64 0", u64::MAX),
        ("%a = neg i64 5", -5i64 as u64),
        ("%c = cmp slt i64 -1, 0\n%a = zext i1 %c to i64", 1),
        ("%c = cmp ult i64 -1, 0\n%a = zext i1 %c to i64", 0),
        ("%c = cmp sge i64 -1, -1\n%a = zext i1 %c to i64", 1),
        ("%c = cmp ne i64 3, 3\n%a = select i64 %c, 10, 20", 20),
    ];
    for (body, expected) in table {
        assert_eq!(value(body), expected, "{body}");
    }
}

/// Narrow values wrap at their own width, and are extended with zeros or the sign.
#[test]
fn widths() {
    let table: [(&str, u64); 6] = [
        ("%n = add i8 200, 100\n%a = zext i8 %n to i64", 44),
        ("%n = move i8 -1\n%a = sext i8 %n to i64", u64::MAX),
        ("%n = ashr i8 -128, 7\n%a = zext i8 %n to i64", 255),
        ("%i = trunc i64 0x1ffffffff to i32\n%a = zext i32 %i to i64", 0xffff_ffff),
        ("%i = move i32 0x80000000\n%a = sext i32 %i to i64", 0xffff_ffff_8000_0000),
        ("%c = trunc i64 6 to i1\n%a = sext i1 %c to i64", 0),
    ];
    for (body, expected) in table {
        assert_eq!(value(body), expected, "{body}");
    }
}

/// The low word of an `i128` result, and the high one.
fn wide(body: &str) -> u128 {
    let store = "store i128 @out, %w";
    let words = results("", &format!("{body}\n{store}"));
    u128::from(words[1]) << 64 | u128::from(words[0])
}

#[test]
fn wide_integers() {
    let big = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210u128;
    let table: [(&str, u128); 12] = [
        ("%w = add i128 %v, %v", big.wrapping_add(big)),
        ("%w = mul i128 %v, %v", big.wrapping_mul(big)),
        ("%w = udiv i128 %v, 1000000007", big / 1_000_000_007),
        ("%w = urem i128 %v, 1000000007", big % 1_000_000_007),
        ("%w = sub i128 0, %v", big.wrapping_neg()),
        ("%w = neg i128 %v\n%w = sdiv i128 %w, 3", -(big as i128 / 3) as u128),
        ("%w = shl i128 %v, 100", big << 100),
        ("%w = lshr i128 %v, 70", big >> 70),
        ("%w = not i128 %v\n%w = ashr i128 %w, 64", (!big as i128 >> 64) as u128),
        ("%w = shl i128 %v, 128", 0),
        ("%a = trunc i128 %v to i64\n%w = sext i64 %a to i128", big as i64 as i128 as u128),
        ("%c = cmp ugt i128 %v, 0xffffffffffffffff\n%w = zext i1 %c to i128", 1),
    ];
    for (body, expected) in table {
        let body = format!("%v = move i128 {big:#x}\n{body}");
        assert_eq!(wide(&body), expected, "{body}");
    }
}

#[test]
fn floats() {
    let bits = f64::to_bits;
    let table: [(&str, u64); 14] = [
        ("%f = fadd f64 0.1, 0.2\n%a = bitcast f64 %f to i64", bits(0.1 + 0.2)),
        ("%f = fsub f64 1.0, 2.5\n%a = bitcast f64 %f to i64", bits(-1.5)),
        ("%f = fmul f64 3.0, -0.0\n%a = bitcast f64 %f to i64", bits(-0.0)),
        ("%f = fdiv f64 1.0, 0.0\n%a = bitcast f64 %f to i64", bits(f64::INFINITY)),
        ("%f = frem f64 -7.5, 2.0\n%a = bitcast f64 %f to i64", bits(-1.5)),
        ("%f = fneg f64 0.0\n%a = bitcast f64 %f to i64", bits(-0.0)),
        (
            "%g = fadd f32 0.1, 0.2\n%f = fpext f32 %g to f64\n%a = bitcast f64 %f to i64",
            bits(f64::from(0.1f32 + 0.2f32)),
        ),
        (
            "%g = fptrunc f64 0.1 to f32\n%i = bitcast f32 %g to i32\n%a = zext i32 %i to i64",
            u64::from(0.1f32.to_bits()),
        ),
        ("%a = fptosi f64 -2.9 to i64", -2i64 as u64),
        ("%a = fptoui f64 2.9 to i64", 2),
        ("%f = sitofp i64 -3 to f64\n%a = bitcast f64 %f to i64", bits(-3.0)),
        ("%f = uitofp i64 -1 to f64\n%a = bitcast f64 %f to i64", bits(u64::MAX as f64)),
        ("%f = fdiv f64 0.0, 0.0\n%c = cmp oeq f64 %f, %f\n%a = zext i1 %c to i64", 0),
        ("%f = fdiv f64 0.0, 0.0\n%c = cmp une f64 %f, %f\n%a = zext i1 %c to i64", 1),
    ];
    for (body, expected) in table {
        assert_eq!(value(body), expected, "{body}");
    }
}

#[test]
fn switches() {
    for (input, expected) in [("0", 10), ("-1", 20), ("255", 20), ("7", 30)] {
        let body = format!(
            "%n = move i8 {input}
             switch i8 %n {{0: zero, -1: ones}} default other
             zero:\n%a = move i64 10\njump done
             ones:\n%a = move i64 20\njump done
             other:\n%a = move i64 30\njump done
             done:\nstore i64 @out, %a\nret"
        );
        assert_eq!(results("", &body)[0], expected, "{input}");
    }
}

#[test]
fn loops() {
    let body = "%a = move i64 0\n%b = move i64 0\njump head
                head:\n%c = cmp ult i64 %b, 100\nbr %c, body, done
                body:\n%b = add i64 %b, 1\n%a = add i64 %a, %b\njump head
                done:\nstore i64 @out, %a\nret";
    assert_eq!(results("", body)[0], 5050);
}

const FUNCTIONS: &str = "
    func @fib(%n: i64) -> i64 {
        reg %c: i1, %a: i64, %b: i64
      entry:
        %c = cmp ult i64 %n, 2
        br %c, small, large
      small:
        ret %n
      large:
        %a = sub i64 %n, 1
        %a = call @fib(%a)
        %b = sub i64 %n, 2
        %b = call @fib(%b)
        %a = add i64 %a, %b
        ret %a
    }
    func @depth(%n: i64) -> i64 {
        reg %c: i1, %a: i64
      entry:
        %c = cmp eq i64 %n, 0
        br %c, bottom, further
      bottom:
        ret 0
      further:
        %a = sub i64 %n, 1
        %a = call @depth(%a)
        %a = add i64 %a, 1
        ret %a
    }
    func @square(%w: i128) -> i128 {
      entry:
        %w = mul i128 %w, %w
        ret %w
    }";

#[test]
fn calls() {
    let call = |body: &str| results(FUNCTIONS, &format!("{body}\nstore i64 @out, %a"))[0];
    assert_eq!(call("%a = call @fib(15)"), 610);
    assert_eq!(call("%a = call @depth(5000)"), 5000);
    assert_eq!(call("%p = move ptr &@fib\n%a = call *%p(10)"), 55);
    assert_eq!(call("%w = call @square(0x100000001)\n%a = trunc i128 %w to i64"), 0x2_0000_0001);
}

/// Recursion with an object in each frame: each sees its own.
#[test]
fn every_frame_has_its_own_objects() {
    let items = "
        func @sum(%n: i64) -> i64 {
            reg %p: ptr, %c: i1, %a: i64, %b: i64
          entry:
            %p = alloca 8
            store i64 %p, %n
            %c = cmp eq i64 %n, 0
            br %c, bottom, further
          bottom:
            ret 0
          further:
            %a = sub i64 %n, 1
            %a = call @sum(%a)
            %b = load i64 %p
            %a = add i64 %a, %b
            ret %a
        }";
    assert_eq!(results(items, "%a = call @sum(4)\nstore i64 @out, %a")[0], 10);
}

/// Objects have different addresses; zeroed objects are zero; bytes are little-endian; freed objects have
/// ended.
#[test]
fn heap_objects() {
    let body = "%p = malloc 16 zeroed\n%q = malloc 16
                store i64 %q, 0x1122334455667788\n%a = load i64 %p\nstore i64 @out, %a
                %n = load i8 %q\n%a = zext i8 %n to i64\nstore i64 @out+8, %a
                %q = add ptr %q, 1\n%i = load i32 %q\n%a = zext i32 %i to i64\nstore i64 @out+16, %a
                %c = cmp eq ptr %p, %q\n%a = zext i1 %c to i64\nstore i64 @out+24, %a\nfree %p";
    assert_eq!(results("", body), [0, 0x88, 0x4455_6677, 0]);
}

#[test]
fn globals_start_as_they_say() {
    let items = "const global @table: i16 x 3 = [1, -2]\nglobal @pointer: ptr = @table+2";
    let body = "%p = load ptr @pointer\n%i = load i32 %p\n%a = zext i32 %i to i64\n\
                store i64 @out, %a";
    assert_eq!(results(items, body)[0], 0xfffe);
}

/// Each thread has its own copy, which starts with the initial value.
#[test]
fn thread_locals() {
    let items = "
        thread_local global @mine: i64 = 5
        func @child() -> i64 {
            reg %a: i64
          entry:
            %a = load i64 @mine
            %a = add i64 %a, 1
            store i64 @mine, %a
            ret %a
        }";
    let body = "store i64 @mine, 40\n%t = spawn @child()\n%a = join %t\nstore i64 @out, %a\n\
                %a = load i64 @mine\nstore i64 @out+8, %a";
    assert_eq!(results(items, body)[..2], [6, 40]);
}

#[test]
fn atomic_operations() {
    let table: [(&str, u64, u64); 11] = [
        ("xchg", 3, 3),
        ("add", 3, 15),
        ("sub", 3, 9),
        ("and", 10, 8),
        ("nand", 10, !8),
        ("or", 3, 15),
        ("xor", 10, 6),
        ("max", u64::MAX, 12),
        ("min", u64::MAX, u64::MAX),
        ("umax", u64::MAX, u64::MAX),
        ("umin", u64::MAX, 12),
    ];
    for (op, operand, after) in table {
        let body = format!(
            "store i64 @out, 12\n%a = rmw {op} i64 seq_cst @out, {operand}\nstore i64 @out+8, %a"
        );
        assert_eq!(results("", &body)[..2], [after, 12], "{op}");
    }
}

#[test]
fn compare_and_exchange() {
    let body = "%a, %c = cmpxchg i64 seq_cst @out, 0, 7\n%b = zext i1 %c to i64
                store i64 @out+8, %b\n%a, %c = cmpxchg i64 seq_cst @out, 0, 8
                store i64 @out+16, %a\n%b = zext i1 %c to i64\nstore i64 @out+24, %b";
    assert_eq!(results("", body), [7, 1, 7, 0]);
}
