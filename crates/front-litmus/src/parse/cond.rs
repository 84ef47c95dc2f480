//! The part after the program: `locations [...]` and the final condition.
//!
//! `/\` binds more tightly than `\/`, and `\/` more tightly than `=>`, which groups to the right.
//! The old form `final P; with name: exists; ... default: ~exists;` takes its quantifier from
//! `default`, and is `exists` without one.

use super::cursor::Cursor;
use super::token::Tok;
use crate::ast::{Final, ListedPlace, PropAst, TermAst};
use raddle_ir::{CmpOp, Diagnostic, Quantifier};

/// The maximum nesting of parentheses, negations and implications. One level makes at most three nested
/// propositions, so the depth stays below the limit of the verifier.
const MAX_DEPTH: u32 = 64;
const _: () = assert!(3 * MAX_DEPTH as usize + 4 < raddle_ir::verify::MAX_CONDITION_DEPTH);

const QUANTIFIER: &str = "`exists`, `~exists`, `forall` or the end of the test";

/// Whether the program ends here and the condition part starts.
pub(super) fn at_condition(cursor: &Cursor<'_>) -> bool {
    match cursor.peek() {
        Tok::Word(word) => match word.as_str() {
            "exists" | "forall" | "final" | "locations" | "filter" => true,
            "not" => matches!(cursor.peek_at(1), Tok::Word(next) if next == "exists"),
            _ => false,
        },
        Tok::Punct('~') | Tok::End | Tok::Notes => true,
        _ => false,
    }
}

pub(super) fn parse(
    cursor: &mut Cursor<'_>,
) -> Result<(Vec<ListedPlace>, Option<Final>), Diagnostic> {
    let locations = if cursor.is_word("locations") { locations(cursor)? } else { Vec::new() };
    if cursor.is_word("filter") {
        return Err(cursor
            .at()
            .error(cursor.file, "`filter` is not supported")
            .expected(QUANTIFIER)
            .help("put the filter into the condition: `exists (filter /\\ condition)`"));
    }
    let condition = condition(cursor)?;
    while cursor.eat_punct(';') {}
    match cursor.peek() {
        Tok::End | Tok::Notes => Ok((locations, condition)),
        _ => Err(cursor.unexpected("the end of the test")),
    }
}

/// `locations [x; 0:r1; p*;]`
fn locations(cursor: &mut Cursor<'_>) -> Result<Vec<ListedPlace>, Diagnostic> {
    cursor.bump();
    cursor.expect_punct('[', "`[` and the locations")?;
    let mut places = Vec::new();
    loop {
        while cursor.eat_punct(';') {}
        if cursor.eat_punct(']') {
            return Ok(places);
        }
        let place = cursor.place()?;
        let mut pointer = false;
        while cursor.eat_punct('*') {
            pointer = true;
        }
        places.push(ListedPlace { place, pointer });
        if !cursor.is_punct(';') && !cursor.is_punct(']') {
            return Err(cursor.unexpected("`;` or the `]` that ends the locations"));
        }
    }
}

fn condition(cursor: &mut Cursor<'_>) -> Result<Option<Final>, Diagnostic> {
    if matches!(cursor.peek(), Tok::End | Tok::Notes) {
        return Ok(None);
    }
    if cursor.is_word("final") {
        cursor.bump();
        let prop = proposition(cursor, 0)?;
        return Ok(Some(Final { quantifier: old_quantifier(cursor)?, prop }));
    }
    let quantifier = quantifier(cursor)?;
    let prop = proposition(cursor, 0)?;
    Ok(Some(Final { quantifier, prop }))
}

fn quantifier(cursor: &mut Cursor<'_>) -> Result<Quantifier, Diagnostic> {
    let negated = cursor.is_punct('~') || cursor.is_word("not");
    if negated {
        cursor.bump();
    }
    let quantifier = match cursor.peek() {
        Tok::Word(word) if word == "exists" && negated => Quantifier::NotExists,
        Tok::Word(word) if word == "exists" => Quantifier::Exists,
        Tok::Word(word) if word == "forall" && !negated => Quantifier::Forall,
        _ => return Err(cursor.unexpected(if negated { "`exists`" } else { QUANTIFIER })),
    };
    cursor.bump();
    Ok(quantifier)
}

/// The `; with name: quantifier; ...` after a `final` condition.
fn old_quantifier(cursor: &mut Cursor<'_>) -> Result<Quantifier, Diagnostic> {
    let mut found = Quantifier::Exists;
    cursor.eat_punct(';');
    if !cursor.is_word("with") {
        return Ok(found);
    }
    cursor.bump();
    while matches!(cursor.peek(), Tok::Word(_)) {
        let name = cursor.word("the name of a model")?;
        cursor.expect_punct(':', "`:` and a quantifier")?;
        let quantifier = quantifier(cursor)?;
        if name.text == "default" {
            found = quantifier;
        }
        cursor.expect_punct(';', "`;`")?;
    }
    Ok(found)
}

fn proposition(cursor: &mut Cursor<'_>, depth: u32) -> Result<PropAst, Diagnostic> {
    if depth > MAX_DEPTH {
        let message = format!("the condition nests more than {MAX_DEPTH} levels deep");
        return Err(cursor
            .at()
            .error(cursor.file, message)
            .expected("a flatter condition")
            .help("`/\\` and `\\/` need no parentheses between equals"));
    }
    let left = chain(cursor, &Tok::Or, PropAst::Or, |cursor| {
        chain(cursor, &Tok::And, PropAst::And, |cursor| primary(cursor, depth))
    })?;
    if !cursor.eat(&Tok::Implies) {
        return Ok(left);
    }
    let right = proposition(cursor, depth + 1)?;
    Ok(PropAst::Implies(Box::new(left), Box::new(right)))
}

/// One or more operands with the same operator between them.
fn chain(
    cursor: &mut Cursor<'_>,
    operator: &Tok,
    join: impl Fn(Vec<PropAst>) -> PropAst,
    operand: impl Fn(&mut Cursor<'_>) -> Result<PropAst, Diagnostic>,
) -> Result<PropAst, Diagnostic> {
    let first = operand(cursor)?;
    if cursor.peek() != operator {
        return Ok(first);
    }
    let mut all = vec![first];
    while cursor.eat(operator) {
        all.push(operand(cursor)?);
    }
    Ok(join(all))
}

fn primary(cursor: &mut Cursor<'_>, depth: u32) -> Result<PropAst, Diagnostic> {
    if cursor.eat_punct('(') {
        let inner = proposition(cursor, depth + 1)?;
        cursor.expect_punct(')', "`)`, `/\\`, `\\/` or `=>`")?;
        return Ok(inner);
    }
    if cursor.is_punct('~') || cursor.is_word("not") {
        cursor.bump();
        if depth > MAX_DEPTH {
            // `proposition` reports that the nesting is too deep.
            return proposition(cursor, depth);
        }
        return Ok(PropAst::Not(Box::new(primary(cursor, depth + 1)?)));
    }
    // A location may be called `true` if a comparison follows.
    let compared = matches!(cursor.peek_at(1), Tok::Punct('=' | '!') | Tok::NotEqual);
    for (word, prop) in [("true", PropAst::True), ("false", PropAst::False)] {
        if cursor.is_word(word) && !compared {
            cursor.bump();
            return Ok(prop);
        }
    }
    comparison(cursor)
}

fn comparison(cursor: &mut Cursor<'_>) -> Result<PropAst, Diagnostic> {
    let left = cursor.place()?;
    let op = if cursor.eat_punct('=') {
        cursor.eat_punct('=');
        CmpOp::Eq
    } else if cursor.eat(&Tok::NotEqual) {
        CmpOp::Ne
    } else {
        return Err(cursor.unexpected("`=`, `!=` or `<>`"));
    };
    Ok(PropAst::Cmp(op, left, right_side(cursor)?))
}

/// On the right side a bare name is an address; a register or `[x]` stands for its value.
fn right_side(cursor: &mut Cursor<'_>) -> Result<TermAst, Diagnostic> {
    if cursor.at_thread() || cursor.is_punct('[') || cursor.is_punct('%') {
        return Ok(TermAst::Location(cursor.place()?));
    }
    Ok(TermAst::Value(cursor.value()?))
}
