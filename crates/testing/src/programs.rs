//! Programs, as IR text, that several engines are tested with.

/// The only initial thread chooses, writes in several sizes and ways, and then starts another thread, which
/// asserts the values it finds. Four executions: two choices, and whether the child sees `y`.
pub const ALONE: &str = "global @x: i32
global @y: i32
thread main = @main()
func @main() {
    reg %t: i64, %n: i32, %r: i32, %ok: i1, %p: ptr
  entry:
    %n = choose i32 0, 1
    store i32 @x, %n
    %r = rmw add i32 @x, 3
    %r, %ok = cmpxchg i32 seq_cst @x, 3, 7
    %p = add ptr @x, 1
    store i8 %p, 1
    %t = spawn @child(%n)
    store i32 @y, 1
    join %t
    ret
}
func @child(%n: i32) {
    reg %r: i32, %s: i32, %c: i1
  entry:
    %r = load i32 @x
    %s = load i32 @y
    %n = mul i32 %n, 3
    %r = add i32 %r, %n
    %c = cmp eq i32 %r, 263
    assert %c, \"what main left\"
    ret
}
";

/// 200,000 stores before the first thread is started; then a store and a load. Two executions.
pub const LONG_BEGINNING: &str = "global @a: i32 x 64
thread main = @main()
func @main() {
    reg %n: i64, %c: i1, %p: ptr, %i: i64, %t: i64, %v: i32
  entry:
    %n = add i64 0, 0
    jump head
  head:
    %c = cmp ult i64 %n, 200000
    br %c, body, end
  body:
    %i = urem i64 %n, 64
    %i = mul i64 %i, 4
    %p = inttoptr i64 %i to ptr
    %p = add ptr @a, %p
    %v = trunc i64 %n to i32
    store i32 %p, %v
    %n = add i64 %n, 1
    jump head
  end:
    %t = spawn @child()
    store i32 @a, 1
    join %t
    ret
}
func @child() {
    reg %v: i32
  entry:
    %v = load i32 @a
    ret
}
";
