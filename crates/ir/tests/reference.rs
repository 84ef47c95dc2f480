//! Every example of the reference, `docs/ir.md`, parses and is well-formed, and the reference mentions every
//! word of the language.

use raddle_ir::text::{parse, print};
use raddle_ir::verify::errors;
use raddle_ir::{BinOp, CastOp, FenceKind, FloatPred, IntPred, Mnemonic, Order, RmwOp, UnOp};

const REFERENCE: &str = include_str!("../../../docs/ir.md");

/// The `rir` blocks, each with the line it starts at.
fn examples() -> Vec<(usize, String)> {
    let mut examples = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in REFERENCE.lines().enumerate() {
        match (&mut open, line) {
            (None, "```rir") => open = Some((index + 2, String::new())),
            (Some(_), "```") => examples.extend(open.take()),
            (Some((_, text)), line) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, _) => {}
        }
    }
    assert!(open.is_none(), "an example is not closed");
    examples
}

#[test]
fn the_examples_are_right() {
    let examples = examples();
    assert!(examples.len() >= 20, "only {} examples", examples.len());
    for (line, text) in examples {
        let program = parse("docs/ir.md", &text)
            .unwrap_or_else(|error| panic!("the example at line {line}: {error}"));
        if let Some(error) = errors(&program).first() {
            panic!("the example at line {line}: {}", error.diagnostic(&program));
        }
        assert!(parse("again", &print(&program)).is_ok(), "the example at line {line}");
    }
}

fn words<M: Mnemonic>() -> impl Iterator<Item = &'static str> {
    M::TABLE.iter().map(|(word, _)| *word)
}

#[test]
fn every_word_is_explained() {
    let all = words::<BinOp>()
        .chain(words::<UnOp>())
        .chain(words::<IntPred>())
        .chain(words::<FloatPred>())
        .chain(words::<CastOp>())
        .chain(words::<RmwOp>())
        .chain(words::<Order>())
        .chain(words::<FenceKind>());
    let missing: Vec<_> = all.filter(|word| !REFERENCE.contains(&format!("`{word}`"))).collect();
    assert!(missing.is_empty(), "not in docs/ir.md: {missing:?}");
}
