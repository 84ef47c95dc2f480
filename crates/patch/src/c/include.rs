//! Adds an `#include`.

use super::sites::parser;
use crate::text::{Piece, line_end, line_start, next_line};

/// Whether a text includes a header directly, at any place.
pub(crate) fn has(text: &[u8], header: &str) -> bool {
    let mut lines = text.split(|byte| *byte == b'\n');
    lines.any(|line| included(line).is_some_and(|name| name == header.as_bytes()))
}

/// The header that a line includes.
fn included(line: &[u8]) -> Option<&[u8]> {
    let rest = line.trim_ascii_start().strip_prefix(b"#")?;
    let rest = rest.trim_ascii_start().strip_prefix(b"include")?.trim_ascii_start();
    let (close, name) = match rest.split_first()? {
        (b'<', name) => (b'>', name),
        (b'"', name) => (b'"', name),
        _ => return None,
    };
    name.split(|byte| *byte == close).next()
}

/// Adds an `#include`, unless the text has it, after the last unconditional `#include` before any declaration; if there is none,
/// before the first declaration. So macros that must come first, such as `_GNU_SOURCE`, stay first.
pub(crate) fn add(text: &[u8], cpp: bool, header: &str) -> Option<Piece> {
    if has(text, header) {
        return None;
    }
    let tree = parser(cpp)?.parse(text, None)?;
    let mut level = tree.root_node();
    let mut at = None;
    loop {
        let mut guard = None;
        let mut cursor = level.walk();
        for node in level.named_children(&mut cursor) {
            match node.kind() {
                "preproc_include" => at = Some(next_line(text, node.end_byte().max(1) - 1)),
                // The whole contents of a header are inside its guard.
                "preproc_ifdef" if is_guard(text, node) => guard = Some(node),
                kind if kind == "comment" || kind.starts_with("preproc_") => {}
                "identifier" | "number_literal" | "string_literal" => {}
                _ => {
                    at = at.or(Some(line_start(text, node.start_byte())));
                    break;
                }
            }
        }
        match guard {
            Some(node) if at.is_none() => level = node,
            _ => break,
        }
    }
    let line = format!("#include <{header}>{}", line_end(text));
    Some(Piece::stands(at?, line))
}

/// Whether this is `#ifndef X` with `#define X` as the first line inside.
fn is_guard(text: &[u8], node: tree_sitter::Node<'_>) -> bool {
    let name = node.child_by_field_name("name").map(|name| &text[name.byte_range()]);
    let mut cursor = node.walk();
    let define = node.named_children(&mut cursor).find(|child| child.kind() == "preproc_def");
    let defined = define.and_then(|define| define.child_by_field_name("name"));
    name.is_some() && name == defined.map(|name| &text[name.byte_range()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str) -> String {
        let piece = add(text.as_bytes(), false, "stdatomic.h").expect("a place");
        String::from_utf8(crate::text::with(text.as_bytes(), &[piece])).expect("text")
    }

    #[test]
    fn includes_are_recognised() {
        for line in ["#include <atomic>", "#include<atomic>", " #  include \"atomic\" // why"] {
            assert!(has(line.as_bytes(), "atomic"), "{line}");
        }
        for line in ["// #include <atomic>", "#include <atomic_ops>", "#define include <atomic>"] {
            assert!(!has(line.as_bytes(), "atomic"), "{line}");
        }
    }

    #[test]
    fn the_first_definitions_stay_first() {
        let text =
            "// x\n#define _GNU_SOURCE\n#include <a.h>\n#if X\n#include <b.h>\n#endif\nint x;\n";
        let wanted = text.replace("<a.h>\n", "<a.h>\n#include <stdatomic.h>\n");
        assert_eq!(added(text), wanted);
        assert_eq!(added("#define X 1\n\nint x;"), "#define X 1\n\n#include <stdatomic.h>\nint x;");
    }

    #[test]
    fn guards_are_not_conditions() {
        let text = "#ifndef X_H\n#define X_H\n#include \"y.h\"\nint x;\n#endif\n";
        assert_eq!(added(text), text.replace("y.h\"\n", "y.h\"\n#include <stdatomic.h>\n"));
        let text = "#ifndef X_H\n#define X_H\nint x;\n#endif\n";
        assert_eq!(added(text), text.replace("int", "#include <stdatomic.h>\nint"));
    }
}
