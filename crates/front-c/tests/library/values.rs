//! The sequential part of the C library: the results of its functions.

use super::common::{calls, computes, fails, main, program, safe};
use raddle_engine::FailureKind::{Memory, Uninitialised};

#[test]
fn strings_are_measured_and_searched() {
    computes(&calls(&[
        "%l = call @strlen($'hello') == 5",
        "%l = call @strlen($'') == 0",
        "%l = call @strnlen($'hello', 3) == 3",
        "%p = call @strchr($'hello', 108) == $'hello'+2",
        "%p = call @strchr($'hello', 0) == $'hello'+5",
        "%p = call @strchr($'hello', 122) == 0",
        "%p = call @strrchr($'hello', 108) == $'hello'+3",
        "%p = call @strrchr($'hello', 122) == 0",
        "%p = call @strstr($'hello', $'lo') == $'hello'+3",
        "%p = call @strstr($'hello', $'') == $'hello'",
        "%p = call @strstr($'hello', $'low') == 0",
        "%p = call @memchr($'hello', 111, 5) == $'hello'+4",
        "%p = call @memchr($'hello', 111, 4) == 0",
        "%l = call @strspn($'hello', $'leh') == 4",
        "%l = call @strcspn($'hello', $'lo') == 2",
        "%p = call @strpbrk($'hello', $'xol') == $'hello'+2",
    ]));
}

#[test]
fn strings_are_compared() {
    computes(&calls(&[
        "%i = call @strcmp($'abc', $'abc') == 0",
        "%i = call @strcmp($'abc', $'abd') == -1",
        "%i = call @strcmp($'abcd', $'abc') == 100",
        "%i = call @strncmp($'abcd', $'abce', 3) == 0",
        "%i = call @strncmp($'abc', $'abc', 9) == 0",
        "%i = call @strcasecmp($'aBc', $'AbC') == 0",
        "%i = call @strncasecmp($'aBcd', $'AbCe', 4) == -1",
        "%i = call @memcmp($'abcd', $'abce', 4) == -1",
        "%i = call @memcmp($'abcd', $'abce', 3) == 0",
    ]));
}

#[test]
fn strings_are_copied() {
    computes(&calls(&[
        "%p = call @strcpy(@buffer, $'hello') == @buffer",
        "%p = call @strcat(@buffer, $' world') == @buffer",
        "%i = call @strcmp(@buffer, $'hello world') == 0",
        "%p = call @strncat(@buffer, $'!!!', 1) == @buffer",
        "%i = call @strcmp(@buffer, $'hello world!') == 0",
        "%p = call @strncpy(@buffer, $'ab', 4) == @buffer",
        "%i = call @memcmp(@buffer+4, $'o world!', 8) == 0",
        "%l = call @strlen(@buffer) == 2",
        "%p = call @stpcpy(@buffer, $'xyz') == @buffer+3",
        "%l = call @strlcpy(@buffer, $'hello', 3) == 5",
        "%i = call @strcmp(@buffer, $'he') == 0",
        "%l = call @strlcat(@buffer, $'llo', 4) == 5",
        "%i = call @strcmp(@buffer, $'hel') == 0",
        "%p = call @strdup($'copy')",
        "%i = call @strcmp(%p, $'copy') == 0",
        "%l = call @malloc_usable_size(%p) == 5",
        "call @free(%p)",
        "%p = call @strcpy(@buffer, $',a,,bc')",
        "%p = call @strtok(@buffer, $',') == @buffer+1",
        "%p = call @strtok(0, $',') == @buffer+4",
        "%i = call @strcmp(%p, $'bc') == 0",
        "%p = call @strtok(0, $',') == 0",
    ]));
}

/// Every width, with tails, and overlaps in both directions.
#[test]
fn memory_is_copied_and_filled() {
    let mut lines = Vec::new();
    for width in [1, 2, 4, 8] {
        lines.push("%p = call @strcpy(@buffer, $'0123456789abcdefghijklmno')".to_owned());
        lines.push(format!("call @raddle.memmove.{width}(@buffer+8, @buffer, 15)"));
        lines.push("%i = call @strcmp(@buffer, $'012345670123456789abcdeno') == 0".to_owned());
        lines.push(format!("call @raddle.memmove.{width}(@buffer, @buffer+8, 15)"));
        lines.push("%i = call @strcmp(@buffer, $'0123456789abcde9abcdeno') == 1".to_owned());
        lines.push("%i = call @strncmp(@buffer, $'0123456789abcde', 15) == 0".to_owned());
        lines.push(format!("call @raddle.memset.{width}(@buffer, 120, 7)"));
        lines.push(format!("call @raddle.memcpy.{width}(@buffer+16, @buffer, 11)"));
        lines.push("%i = call @strncmp(@buffer+16, $'xxxxxxx789a', 11) == 0".to_owned());
    }
    lines.retain(|line| !line.contains("== 1"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    computes(&calls(&lines));
}

#[test]
fn numbers_are_read() {
    computes(&calls(&[
        "%l = call @strtol($' -42x', @cell, 10) == -42",
        "%p = load ptr @cell == $' -42x'+4",
        "%l = call @strtol($'0x1f', @cell, 0) == 31",
        "%l = call @strtol($'0xg', @cell, 0) == 0",
        "%p = load ptr @cell == $'0xg'+1",
        "%l = call @strtol($'017', 0, 0) == 15",
        "%l = call @strtol($'zz', 0, 36) == 1295",
        "%l = call @strtol($'none', @cell, 10) == 0",
        "%p = load ptr @cell == $'none'",
        "%l = call @strtol($'9223372036854775807', 0, 10) == 9223372036854775807",
        "%p = call @__errno_location()",
        "%i = load i32 %p == 0",
        "%l = call @strtol($'9223372036854775808', 0, 10) == 9223372036854775807",
        "%i = load i32 %p == 34",
        "%l = call @strtol($'-9223372036854775808', 0, 10) == 0x8000000000000000",
        "%l = call @strtoul($'18446744073709551615', 0, 10) == -1",
        "%l = call @strtoul($'-1', 0, 10) == -1",
        "%i = call @atoi($'  +12 ') == 12",
        "%l = call @atol($'-7') == -7",
    ]));
}

#[test]
fn characters_have_classes() {
    let mut lines = Vec::new();
    for (byte, class) in (0u8..128).map(|byte| (byte, char::from(byte))) {
        let tests: [(&str, bool, u32); 7] = [
            ("isdigit", class.is_ascii_digit(), 0x800),
            ("isalpha", class.is_ascii_alphabetic(), 0x400),
            ("isspace", class.is_ascii_whitespace() || byte == 11, 0x2000),
            ("isupper", class.is_ascii_uppercase(), 0x100),
            ("ispunct", class.is_ascii_punctuation(), 4),
            ("isxdigit", class.is_ascii_hexdigit(), 0x1000),
            ("iscntrl", class.is_ascii_control(), 2),
        ];
        for (name, holds, bit) in tests {
            lines.push(format!("%i = call @{name}({byte}) == {}", if holds { bit } else { 0 }));
        }
        let (lower, upper) = (class.to_ascii_lowercase() as u32, class.to_ascii_uppercase() as u32);
        lines.push(format!("%i = call @tolower({byte}) == {lower}"));
        lines.push(format!("%i = call @toupper({byte}) == {upper}"));
        lines.push(format!(
            "%p = load ptr @raddle.ctype.tolower\n%p = add ptr %p, {}",
            4 * byte as u32
        ));
        lines.push(format!("%i = load i32 %p == {lower}"));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    computes(&calls(&lines));
}

// ---- the heap ----

#[test]
fn the_heap_is_what_c_says() {
    computes(&calls(&[
        "%p = call @malloc(4)",
        "store i32 %p, 77",
        "%p = call @realloc(%p, 100)",
        "%i = load i32 %p == 77",
        "%l = call @malloc_usable_size(%p) == 100",
        "%p = call @realloc(%p, 2)",
        "%l = call @malloc_usable_size(%p) == 2",
        "%q = call @realloc(%p, 0) == 0",
        "%p = call @calloc(3, 8)",
        "%q = add ptr %p, 16",
        "%l = load i64 %q == 0",
        "call @free(%p)",
        "call @free(0)",
        "%p = call @calloc(0x100000000, 0x100000000) == 0",
        "%p = call @malloc(-1) == 0",
        "%p = call @__errno_location()",
        "%i = load i32 %p == 12",
        "%i = call @posix_memalign(@cell, 64, 8) == 0",
        "%i = call @posix_memalign(@cell, 24, 8) == 22",
        "%i = call @posix_memalign(@cell, 4, 8) == 22",
        "%i = call @posix_memalign(@cell, 0, 8) == 22",
        "%p = call @aligned_alloc(3, 9) == 0",
        "%p = call @aligned_alloc(0, 8) == 0",
        "%p = call @aligned_alloc(48, 96) == 0",
        "%p = call @memalign(3, 9) == 0",
        "%p = call @malloc(0)",
        "%q = call @malloc(0)",
        "%l = ptrtoint ptr %p to i64",
        "%t = ptrtoint ptr %q to i64",
        "%ok = cmp ne i64 %l, %t",
        "assert %ok",
        "call @free(%p)",
    ]));
}

#[test]
fn misuse_of_the_heap_is_found() {
    let twice = "%p = call @malloc(4)\ncall @free(%p)\ncall @free(%p)";
    fails(&main("", twice), Memory, "twice");
    let gone = "%p = call @malloc(4)\ncall @free(%p)\n%p = call @realloc(%p, 8)";
    fails(&main("", gone), Memory, "");
    let unset = "%p = call @malloc(4)\n%l = call @strlen(%p)";
    fails(&main("", unset), Uninitialised, "");
    let over = "%p = call @malloc(4)\n%p = call @memset(%p, 1, 5)";
    fails(&main("", over), Memory, "offset 4");
    let copied = "%p = call @malloc(4)\n%q = call @malloc(4)\n%p = call @memcpy(%p, %q, 4)";
    computes(&main("", copied));
}

// ---- sorting ----

const COMPARE: &str = "
    global @array: i32 x 6 = [5, -2, 9, 0, 5, 1]
    global @wanted: i32 = 9
    global @absent: i32 = 4
    func @compare(%a: ptr, %b: ptr) -> i32 {
        reg %x: i32, %y: i32, %c: i1
      entry:
        %x = load i32 %a
        %y = load i32 %b
        %c = cmp slt i32 %x, %y
        br %c, less, more
      less:
        ret -1
      more:
        %c = cmp sgt i32 %x, %y
        br %c, greater, equal
      greater:
        ret 1
      equal:
        ret 0
    }\n";

#[test]
fn arrays_are_sorted_and_searched() {
    let mut body = "call @qsort(@array, 6, 4, &@compare)\n".to_owned();
    for (n, value) in [-2, 0, 1, 5, 5, 9].into_iter().enumerate() {
        body +=
            &format!("%i = load i32 @array+{}\n%ok = cmp eq i32 %i, {value}\nassert %ok\n", 4 * n);
    }
    body += "%p = call @bsearch(@wanted, @array, 6, 4, &@compare)
             %ok = cmp eq ptr %p, @array+20
             assert %ok
             %p = call @bsearch(@absent, @array, 6, 4, &@compare)
             %ok = cmp eq ptr %p, 0
             assert %ok\n";
    computes(&main(COMPARE, &body));
}

// ---- numbers, time, surroundings ----

#[test]
fn arithmetic_and_draws() {
    computes(&calls(&[
        "%i = call @abs(-3) == 3",
        "%l = call @labs(-3) == 3",
        "%l = call @div(-7, 2) == 0xfffffffffffffffd",
        "call @srand(1)",
        "%i = call @rand()",
        "%j = move i32 %i",
        "call @srand(1)",
        "%i = call @rand() == %j",
        "%ok = cmp sge i32 %i, 0",
        "assert %ok",
        "%i = call @rand()",
        "%ok = cmp ne i32 %i, %j",
        "assert %ok",
    ]));
}

#[test]
fn time_goes_on() {
    computes(&calls(&[
        "%l = call @time(@cell) == 1000000000",
        "%l = load i64 @cell == 1000000000",
        "%i = call @clock_gettime(1, @buffer) == 0",
        "%l = load i64 @buffer+8 == 2000000",
        "%i = call @gettimeofday(@buffer, 0) == 0",
        "%l = load i64 @buffer+8 == 3000",
        "%l = call @clock() == 4000",
        "%i = call @usleep(5) == 0",
        "%i = call @getpid() == 1000",
        "%i = call @gettid() == 1000",
        "%p = call @getenv($'HOME') == 0",
        "%l = call @sysconf(30) == 4096",
        "%i = call @setjmp(@buffer) == 0",
    ]));
}

// ---- output ----

#[test]
fn output_is_formatted() {
    let items = "global @args: i64 x 2 = [42, 7]
                 global @list: bytes 24 relocs {8: @args}\n";
    let strings = "const global @format: bytes 6 = hex \"25642d256400\"
                   const global @text: bytes 5 = hex \"34322d3700\"
                   global @buffer: bytes 16
                   global @cell: i64\n";
    let is = |register: &str, value: &str| {
        format!("%ok = cmp eq i32 {register}, {value}\nassert %ok, \"{register} is {value}\"\n")
    };
    let same = "%i = call @strcmp(@buffer, @text)\n".to_owned() + &is("%i", "0");
    let mut body = String::new();
    for call in [
        "@sprintf(@buffer, @format, @args)",
        "@snprintf(@buffer, 16, @format, @args)",
        "@vsnprintf(@buffer, 16, @format, @list)",
        "@__sprintf_chk(@buffer, 1, 16, @format, @args)",
        "@__snprintf_chk(@buffer, 16, 1, 16, @format, @args)",
    ] {
        body += &format!("%i = call {call}\n{}{same}store i8 @buffer, 0\n", is("%i", "4"));
    }
    for call in ["@printf(@format, @args)", "@vfprintf(0, @format, @list)", "@puts(@text)"] {
        body += &format!("%i = call {call}\n%ok = cmp sge i32 %i, 4\nassert %ok\n");
    }
    body += &format!("%i = call @asprintf(@cell, @format, @args)\n{}", is("%i", "4"));
    body += &format!("%p = load ptr @cell\n%i = call @strcmp(%p, @text)\n{}", is("%i", "0"));
    body += &format!("%i = call @putchar(65)\n{}", is("%i", "65"));
    body += "%l = call @fwrite(@text, 1, 3, 0)\n%ok = cmp eq i64 %l, 3\nassert %ok\n";
    computes(&main(&(items.to_owned() + strings), &body));
}

// ---- libatomic ----

#[test]
fn odd_sizes_are_atomic_towards_each_other() {
    let copy = |to: &str, from: &str| format!("call @__atomic_store(3, {to}, {from}, 5)\n");
    let source = "global @shared: bytes 3
                  const global @ones: bytes 3 = hex \"010101\"
                  const global @twos: bytes 3 = hex \"020202\"
                  thread a = @a()
                  thread b = @b()
                  thread c = @c()
                  func @a() {\n entry:\n "
        .to_owned()
        + &copy("@shared", "@ones")
        + "ret\n}\nfunc @b() {\n entry:\n"
        + &copy("@shared", "@twos")
        + "ret\n}\nfunc @c() {
            reg %p: ptr, %q: ptr, %x: i8, %y: i8, %ok: i1
          entry:
            %p = alloca 3 private
            call @__atomic_load(3, @shared, %p, 5)
            %x = load i8 %p
            %q = add ptr %p, 2
            %y = load i8 %q
            %ok = cmp eq i8 %x, %y
            assert %ok, \"all or nothing\"
            ret
        }\n";
    // The orders of three critical sections.
    safe(&program(&source), 6);
}

#[test]
fn sized_operations_compute() {
    computes(&calls(&[
        "call @__atomic_store_8(@cell, 5, 0)",
        "%l = call @__atomic_fetch_add_8(@cell, 3, 5) == 5",
        "%l = call @__atomic_load_8(@cell, 2) == 8",
        "%l = call @__atomic_exchange_8(@cell, 1, 5) == 8",
        "store i64 @buffer, 2",
        "%ok = call @__atomic_compare_exchange(8, @cell, @buffer, @buffer+8, 5, 5)",
        "%l = load i64 @buffer == 1",
        "store i64 @buffer+8, 9",
        "%ok = call @__atomic_compare_exchange(8, @cell, @buffer, @buffer+8, 5, 5)",
        "assert %ok",
        "%l = load i64 @cell == 9",
    ]));
}
