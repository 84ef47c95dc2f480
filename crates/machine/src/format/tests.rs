//! Formats and their results, as in glibc.

use super::*;

/// Arguments start at 0x1000; strings are at the given addresses.
fn formatted(format: &str, args: &[u64], strings: &[(u64, &str)]) -> String {
    let mut memory = std::collections::BTreeMap::new();
    let slots = args.iter().flat_map(|arg| arg.to_le_bytes());
    memory.extend((0x1000u64..).zip(slots));
    for (addr, text) in strings.iter().copied().chain([(0x100, format)]) {
        memory.extend((addr..).zip(text.bytes().chain([0])));
    }
    let text = super::format(0x100, 0x1000, 4096, &|addr| memory.get(&addr).copied());
    let text = text.map_or_else(|what| format!("unsupported: {what}").into(), |t| t.bytes);
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn integers() {
    let minus = -5i64 as u64;
    for (format, args, expected) in [
        ("%d|%5d|%-5d|%05d", &[1, 2, 3, 4][..], "1|    2|3    |00004"),
        ("%d %u", &[minus, minus], "-5 4294967291"),
        ("%hhd %hd %ld", &[300, 70000, minus], "44 4464 -5"),
        ("%+d % d %+d", &[3, 3, minus], "+3  3 -5"),
        ("%x %X %#x %#X %#x", &[255, 255, 255, 255, 0], "ff FF 0xff 0XFF 0"),
        ("%o %#o %#o", &[8, 8, 0], "10 010 0"),
        ("%.3d|%8.3d|%-8.3d|%08.3d", &[7, 7, 7, 7], "007|     007|007     |     007"),
        ("[%.0d] [%#.0o]", &[0, 0], "[] [0]"),
        ("%#08x %08d", &[255, minus], "0x0000ff -0000005"),
        ("%*d %-*d| %*d|", &[5, 1, 5, 1, minus, 1], "    1 1    | 1    |"),
        ("%.*d", &[3, 1], "001"),
        ("%lu %zu %jd %td", &[u64::MAX, 1, 2, 3], "18446744073709551615 1 2 3"),
        ("100%% %c%c", &[u64::from(b'a'), u64::from(b'b')], "100% ab"),
        ("%p %p", &[0, 0x1234], "(nil) 0x1234"),
    ] {
        assert_eq!(formatted(format, args, &[]), expected, "{format}");
    }
}

#[test]
fn strings() {
    let strings = [(0x2000, "hello"), (0x3000, "")];
    let found = formatted("%s|%8s|%-8s|%.2s|%s|", &[0x2000; 5], &strings);
    assert_eq!(found, "hello|   hello|hello   |he|hello|");
    assert_eq!(
        formatted("[%s] [%s] [%s]", &[0x3000, 0, 77], &strings),
        "[] [(null)] [(bad pointer)]"
    );
    assert_eq!(super::format(5, 0, 99, &|_| None).unwrap().bytes, BAD_POINTER);
    // A string without a NUL is valid if the precision ends it.
    assert_eq!(formatted("%.1s", &[0x1000], &[]), "\0".trim_end_matches('\0'));
}

#[test]
fn odd_formats() {
    assert_eq!(formatted("%k %", &[], &[]), "%k %");
    assert_eq!(formatted("%5", &[], &[]), "%5");
    assert_eq!(formatted("%d %s", &[], &[]), "0 (null)");
    assert_eq!(formatted("%n", &[], &[]), "unsupported: %n in a format");
    assert_eq!(formatted("%1$d", &[1], &[]), "unsupported: positional arguments in a format");
    let huge = super::format(0x100, 0, 10, &|addr| {
        let text = b"%2147483647d%99999999999d\0";
        addr.checked_sub(0x100).and_then(|n| text.get(n as usize).copied())
    });
    let huge = huge.unwrap();
    assert_eq!((huge.length, huge.bytes.len()), (2 * u64::from(i32::MAX as u32), 10));
}

#[test]
fn work_is_bounded() {
    // Memory without a NUL: the string has no end.
    let endless = super::format(0, 0, 10, &|_| Some(b'a')).unwrap();
    assert_eq!(endless.bytes, &BAD_POINTER[..10]);
}
