//! Values that may still wait for loads: nodes of an expression graph.
//!
//! A register holds bits or the name of a node. A node is a load or an operation on values at least
//! one of which waits; it gets its bits when the last of its loads is committed. Nodes are made in
//! an order in which operands come first, so one pass in that order settles all that can be settled.

use super::sets::DepsId;
use crate::table::{Table, impl_id};
use raddle_ir::{BinOp, CastOp, Pred, RmwOp, Type, UnOp};
use raddle_machine::{Trail, Word, eval};

/// A node of the current execution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub u32);

impl_id!(NodeId);

/// A value and the loads that it came from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Val {
    /// Its bits, if there is no node.
    pub bits: u128,
    pub node: Option<NodeId>,
    pub deps: DepsId,
}

impl Val {
    pub(crate) const fn known(bits: u128) -> Val {
        Val { bits, node: None, deps: DepsId::NONE }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Expr {
    Load,
    /// Only operations that cannot fault.
    Bin {
        op: BinOp,
        ty: Type,
        a: Val,
        b: Val,
    },
    Un {
        op: UnOp,
        ty: Type,
        a: Val,
    },
    Cmp {
        pred: Pred,
        ty: Type,
        a: Val,
        b: Val,
    },
    Cast {
        op: CastOp,
        from: Type,
        to: Type,
        a: Val,
    },
    Select {
        cond: Val,
        a: Val,
        b: Val,
    },
    Rmw {
        op: RmwOp,
        ty: Type,
        old: Val,
        operand: Val,
    },
}

#[derive(Clone, Copy, Debug)]
struct Node {
    expr: Expr,
    /// Three words: whether the bits are known, and the bits.
    words: Word,
}

const KNOWN: u32 = 0;
const LOW: u32 = 1;
const HIGH: u32 = 2;
const WORDS: u32 = 3;

#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    nodes: Table<NodeId, Node>,
    /// How many of them there are at the moment.
    count: Word,
}

impl Nodes {
    pub(super) fn new(trail: &mut Trail) -> Nodes {
        Nodes { nodes: Table::default(), count: trail.reserve(1) }
    }

    pub(super) fn make(&mut self, trail: &mut Trail, expr: Expr) -> NodeId {
        let count = trail.get(self.count);
        trail.set(self.count, count + 1);
        let id = NodeId(count as u32);
        let words = match self.nodes.get(id) {
            Some(old) => old.words,
            None => trail.reserve(WORDS),
        };
        self.nodes.put(id, Node { expr, words });
        id
    }

    /// The bits of a value, if they are known.
    #[inline]
    pub(super) fn get(&self, trail: &Trail, value: Val) -> Option<u128> {
        let Some(node) = value.node else { return Some(value.bits) };
        let words = self.nodes[node].words;
        if trail.get(words.at(KNOWN)) == 0 {
            return None;
        }
        Some(u128::from(trail.get(words.at(HIGH))) << 64 | u128::from(trail.get(words.at(LOW))))
    }

    fn set(&mut self, trail: &mut Trail, node: NodeId, bits: u128) {
        let words = self.nodes[node].words;
        trail.set(words.at(KNOWN), 1);
        trail.set(words.at(LOW), bits as u64);
        trail.set(words.at(HIGH), (bits >> 64) as u64);
    }

    /// Gives a load its value, and evaluates all nodes that waited only for it. Operands have smaller ids than
    /// their nodes, so one pass in ascending order is enough.
    pub(super) fn settle(&mut self, trail: &mut Trail, load: NodeId, bits: u128) {
        self.set(trail, load, bits);
        for node in (load.0 + 1..trail.get(self.count) as u32).map(NodeId) {
            let Node { expr, words } = self.nodes[node];
            if trail.get(words.at(KNOWN)) == 0
                && let Some(bits) = self.evaluate(trail, expr)
            {
                self.set(trail, node, bits);
            }
        }
    }

    /// Whether a value is computed from bits that are known and have a property.
    pub(super) fn any_operand(&self, value: Val, has: impl Fn(u128) -> bool) -> bool {
        let mut work = vec![value];
        while let Some(value) = work.pop() {
            let Some(node) = value.node else {
                if has(value.bits) {
                    return true;
                }
                continue;
            };
            match self.nodes[node].expr {
                Expr::Load => {}
                Expr::Un { a, .. } | Expr::Cast { a, .. } => work.push(a),
                Expr::Bin { a, b, .. } | Expr::Cmp { a, b, .. } => work.extend([a, b]),
                Expr::Select { a, b, .. } => work.extend([a, b]),
                Expr::Rmw { old, operand, .. } => work.extend([old, operand]),
            }
        }
        false
    }

    fn evaluate(&self, trail: &Trail, expr: Expr) -> Option<u128> {
        apply(expr, |value| self.get(trail, value))
    }

    /// The result of an operation: bits if they are known, else a node.
    pub(super) fn result(&mut self, trail: &mut Trail, expr: Expr, deps: DepsId) -> Val {
        match self.evaluate(trail, expr) {
            Some(bits) => Val { bits, node: None, deps },
            None => {
                let node = Some(self.make(trail, expr));
                Val { bits: 0, node, deps }
            }
        }
    }
}

/// Whether an operation can fault, so that its operands are needed at once.
pub(crate) fn can_fault(op: BinOp) -> bool {
    matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem)
}

fn apply(expr: Expr, get: impl Fn(Val) -> Option<u128>) -> Option<u128> {
    Some(match expr {
        Expr::Load => return None,
        Expr::Bin { op, ty, a, b } if ty.bits() > 64 => {
            eval::bin128(op, ty, get(a)?, get(b)?).unwrap_or(0)
        }
        Expr::Bin { op, ty, a, b } => {
            eval::bin64(op, ty, get(a)? as u64, get(b)? as u64).unwrap_or(0).into()
        }
        Expr::Un { op, ty, a } => eval::un(op, ty, get(a)?),
        Expr::Cmp { pred, ty, a, b } => eval::cmp(pred, ty, get(a)?, get(b)?).into(),
        Expr::Cast { op, from, to, a } => eval::cast(op, from, to, get(a)?),
        Expr::Select { cond, a, b } => {
            if get(cond)? != 0 {
                get(a)?
            } else {
                get(b)?
            }
        }
        Expr::Rmw { op, ty, old, operand } => eval::rmw_result(op, ty, get(old)?, get(operand)?),
    })
}
