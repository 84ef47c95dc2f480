//! Syntactic checks: whether two guards exclude each other, and whether exactly one of them always holds.
//!
//! Only the form of the guards counts: comparisons of the same two expressions, and comparisons
//! of one expression with different constants. This avoids choices that can never be made.

use crate::ast::{BinaryOp, Expr};

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const ALL: u8 = LESS | EQUAL | GREATER;

/// The relations between the two sides that satisfy a comparison.
fn relations(op: BinaryOp) -> Option<u8> {
    Some(match op {
        BinaryOp::Eq => EQUAL,
        BinaryOp::Ne => LESS | GREATER,
        BinaryOp::Lt => LESS,
        BinaryOp::Le => LESS | EQUAL,
        BinaryOp::Gt => GREATER,
        BinaryOp::Ge => GREATER | EQUAL,
        _ => return None,
    })
}

/// An expression as a comparison: the comparison itself, or the comparison of the expression with zero.
fn comparison(expr: &Expr) -> (u8, &Expr, &Expr) {
    const ZERO: Expr = Expr::Constant(0);
    match expr {
        Expr::Binary(op, sides) => match relations(*op) {
            Some(mask) => (mask, &sides.0, &sides.1),
            None => (LESS | GREATER, expr, &ZERO),
        },
        Expr::Not(of) => {
            let (mask, a, b) = comparison(of);
            (ALL & !mask, a, b)
        }
        _ => (LESS | GREATER, expr, &ZERO),
    }
}

/// Whether the two can never hold at the same time.
pub(super) fn exclude(one: &Expr, other: &Expr) -> bool {
    let ((m, a, b), (n, c, d)) = (comparison(one), comparison(other));
    let same = a == c && b == d;
    let constants = b.constant().zip(d.constant()).is_some_and(|(b, d)| b != d);
    same && m & n == 0 || a == c && constants && m == EQUAL && n == EQUAL
}

/// Whether always exactly one of the two holds.
pub(super) fn complement(one: &Expr, other: &Expr) -> bool {
    let ((m, a, b), (n, c, d)) = (comparison(one), comparison(other));
    a == c && b == d && m & n == 0 && m | n == ALL
}
