//! Expressions and addresses.

use super::CELL;
use super::thread::Lowering;
use crate::ast::{BinaryOp, Expr};
use raddle_ir::{BinOp, CastOp, InstKind, IntPred, Operand, Pred, Type, UnOp};

fn predicate(op: BinaryOp) -> Option<IntPred> {
    Some(match op {
        BinaryOp::Eq => IntPred::Eq,
        BinaryOp::Ne => IntPred::Ne,
        BinaryOp::Lt => IntPred::Slt,
        BinaryOp::Le => IntPred::Sle,
        BinaryOp::Gt => IntPred::Sgt,
        BinaryOp::Ge => IntPred::Sge,
        _ => return None,
    })
}

fn arithmetic(op: BinaryOp) -> Option<BinOp> {
    Some(match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::BitAnd => BinOp::And,
        _ => return None,
    })
}

pub(super) fn constant(value: i32) -> Operand {
    Operand::Int(u128::from(value as u32))
}

impl Lowering {
    /// The value of an expression, an `i32`.
    pub(super) fn value(&mut self, expr: &Expr) -> Operand {
        match expr {
            _ if expr.constant().is_some() => constant(expr.constant().unwrap_or_default()),
            Expr::Register(register) => self.register(*register).into(),
            Expr::Binary(op, sides) if arithmetic(*op).is_some() => {
                let op = arithmetic(*op).unwrap_or(BinOp::Add);
                let (a, b) = (self.value(&sides.0), self.value(&sides.1));
                let dst = self.temporary(Type::I32);
                self.push(InstKind::Bin { op, ty: Type::I32, dst, a, b });
                dst.into()
            }
            _ => {
                let a = self.truth(expr);
                let dst = self.temporary(Type::I32);
                let (from, to) = (Type::BOOL, Type::I32);
                self.push(InstKind::Cast { op: CastOp::ZExt, from, to, dst, a });
                dst.into()
            }
        }
    }

    /// Whether an expression is not zero, an `i1`.
    pub(super) fn truth(&mut self, expr: &Expr) -> Operand {
        if let Some(value) = expr.constant() {
            return Operand::Int((value != 0).into());
        }
        match expr {
            Expr::Not(of) => {
                let a = self.truth(of);
                self.negated(a)
            }
            Expr::Binary(op, sides) => match (predicate(*op), op) {
                (Some(pred), _) => {
                    let (a, b) = (self.value(&sides.0), self.value(&sides.1));
                    self.compare(pred, a, b)
                }
                (None, BinaryOp::And | BinaryOp::Or) => {
                    let op = if *op == BinaryOp::And { BinOp::And } else { BinOp::Or };
                    let (a, b) = (self.truth(&sides.0), self.truth(&sides.1));
                    self.connect(op, a, b)
                }
                (None, _) => self.is_not_zero(expr),
            },
            _ => self.is_not_zero(expr),
        }
    }

    fn is_not_zero(&mut self, expr: &Expr) -> Operand {
        let a = self.value(expr);
        self.compare(IntPred::Ne, a, constant(0))
    }

    fn compare(&mut self, pred: IntPred, a: Operand, b: Operand) -> Operand {
        let dst = self.temporary(Type::BOOL);
        self.push(InstKind::Cmp { pred: Pred::Int(pred), ty: Type::I32, dst, a, b });
        dst.into()
    }

    /// `and` or `or` of two truth values.
    pub(super) fn connect(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        let dst = self.temporary(Type::BOOL);
        self.push(InstKind::Bin { op, ty: Type::BOOL, dst, a, b });
        dst.into()
    }

    pub(super) fn negated(&mut self, a: Operand) -> Operand {
        let dst = self.temporary(Type::BOOL);
        self.push(InstKind::Un { op: UnOp::Not, ty: Type::BOOL, dst, a });
        dst.into()
    }

    /// The address of a cell. A computed address is checked; emission then continues in a new block.
    pub(super) fn address(&mut self, expr: &Expr) -> Operand {
        let mem = self.shared.mem;
        if let Some(cell) = expr.constant() {
            return Operand::Global(mem, i64::from(cell) * i64::from(CELL));
        }
        let cell = self.value(expr);
        let inside = self.compare(IntPred::Ult, cell, constant(self.shared.cells as i32));
        self.require_inside(inside);
        let (wide, pointer) = (self.temporary(Type::I64), self.temporary(Type::Ptr));
        let cast = |op, from, to, dst, a| InstKind::Cast { op, from, to, dst, a };
        self.push(cast(CastOp::ZExt, Type::I32, Type::I64, wide, cell));
        let (a, b) = (wide.into(), Operand::Int(u128::from(CELL)));
        self.push(InstKind::Bin { op: BinOp::Mul, ty: Type::I64, dst: wide, a, b });
        self.push(cast(CastOp::IntToPtr, Type::I64, Type::Ptr, pointer, wide.into()));
        let (a, b) = (Operand::Global(mem, 0), pointer.into());
        self.push(InstKind::Bin { op: BinOp::Add, ty: Type::Ptr, dst: pointer, a, b });
        pointer.into()
    }
}
