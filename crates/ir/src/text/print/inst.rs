//! Instructions and terminators.

use super::super::literal::{constant, quote};
use super::names::Names;
use crate::inst::{Access, InstKind, Operand, Pred, TerminatorKind};
use crate::types::Type;
use crate::words::{Mnemonic, Order};

pub(super) fn instruction(names: &Names<'_>, kind: &InstKind) -> String {
    let results: Vec<_> = kind.defs().into_iter().flatten().map(|reg| names.reg(reg)).collect();
    let text = operation(names, kind);
    if results.is_empty() { text } else { format!("{} = {text}", results.join(", ")) }
}

/// The text after the `=`; one arm for each instruction.
fn operation(names: &Names<'_>, kind: &InstKind) -> String {
    let op = |operand: &Operand, ty: &Type| names.operand(*operand, *ty);
    let at = |operand: &Operand| names.operand(*operand, Type::Ptr);
    let int = |operand: &Operand| names.operand(*operand, Type::I64);
    let bit = |operand: &Operand| names.operand(*operand, Type::BOOL);
    match kind {
        InstKind::Bin { op: word, ty, a, b, .. } => {
            format!("{} {ty} {}, {}", word.mnemonic(), op(a, ty), op(b, ty))
        }
        InstKind::Un { op: word, ty, a, .. } => format!("{} {ty} {}", word.mnemonic(), op(a, ty)),
        InstKind::Cmp { pred, ty, a, b, .. } => {
            format!("cmp {} {ty} {}, {}", predicate(*pred), op(a, ty), op(b, ty))
        }
        InstKind::Cast { op: word, from, to, a, .. } => {
            format!("{} {from} {} to {to}", word.mnemonic(), op(a, from))
        }
        InstKind::Select { ty, cond, a, b, .. } => {
            format!("select {ty} {}, {}, {}", bit(cond), op(a, ty), op(b, ty))
        }
        InstKind::Move { ty, a, .. } => format!("move {ty} {}", op(a, ty)),
        InstKind::Call { callee, args, .. } => format!("call {}", names.call(*callee, args)),
        InstKind::Alloca { size, align, private, .. } => {
            let private = if *private { " private" } else { "" };
            format!("alloca {} align {align}{private}", int(size))
        }
        InstKind::Malloc { size, align, zeroed, .. } => {
            let zeroed = if *zeroed { " zeroed" } else { "" };
            format!("malloc {} align {align}{zeroed}", int(size))
        }
        InstKind::Free { addr } => format!("free {}", at(addr)),
        InstKind::Load { ty, addr, access, .. } => {
            format!("load {ty}{} {}", words(*access), at(addr))
        }
        InstKind::Store { ty, addr, value, access } => {
            format!("store {ty}{} {}, {}", words(*access), at(addr), op(value, ty))
        }
        InstKind::Rmw { op: word, ty, addr, value, access, when, .. } => {
            let (word, access) = (word.mnemonic(), words(*access));
            let when = when.map_or(String::new(), |(pred, wanted)| {
                format!(" when {} {}", pred.mnemonic(), op(&wanted, ty))
            });
            format!("rmw {word} {ty}{access} {}, {}{when}", at(addr), op(value, ty))
        }
        InstKind::CmpXchg { ty, addr, expected, new, weak, success, failure, .. } => {
            let weak = if *weak { "weak " } else { "" };
            let orders = exchange_words(*success, *failure);
            let (expected, new) = (op(expected, ty), op(new, ty));
            format!("cmpxchg {weak}{ty}{orders} {}, {expected}, {new}", at(addr))
        }
        InstKind::StoreCond { ty, addr, value, access, .. } => {
            format!("store_cond {ty}{} {}, {}", words(*access), at(addr), op(value, ty))
        }
        InstKind::Fence { kind } => format!("fence {}", kind.mnemonic()),
        InstKind::Spawn { callee, args, .. } => format!("spawn {}", names.call(*callee, args)),
        InstKind::Join { thread, .. } => format!("join {}", int(thread)),
        InstKind::Extent { addr, .. } => format!("extent {}", at(addr)),
        InstKind::SelfId { .. } => "self".to_owned(),
        InstKind::ThreadExit { value } => format!("exit {}", int(value)),
        InstKind::Yield => "yield".to_owned(),
        InstKind::Halt => "halt".to_owned(),
        InstKind::Lock { addr } => format!("lock {}", at(addr)),
        InstKind::TryLock { addr, .. } => format!("trylock {}", at(addr)),
        InstKind::Unlock { addr } => format!("unlock {}", at(addr)),
        InstKind::CondWait { cond, mutex, .. } => format!("cond_wait {}, {}", at(cond), at(mutex)),
        InstKind::CondSignal { cond } => format!("cond_signal {}", at(cond)),
        InstKind::CondBroadcast { cond } => format!("cond_broadcast {}", at(cond)),
        InstKind::Await { ty, pred, addr, value, access, .. } => {
            let (pred, access) = (pred.mnemonic(), words(*access));
            format!("await {pred} {ty}{access} {}, {}", at(addr), op(value, ty))
        }
        InstKind::Assume { cond } => format!("assume {}", bit(cond)),
        InstKind::Assert { cond, message } if message.is_empty() => format!("assert {}", bit(cond)),
        InstKind::Assert { cond, message } => format!("assert {}, {}", bit(cond), quote(message)),
        InstKind::Choose { ty, lo, hi, partial, .. } => {
            format!("choose {ty} {lo}, {hi}{}", if *partial { " partial" } else { "" })
        }
        InstKind::Unsupported { what } => format!("unsupported {}", quote(what)),
        InstKind::Fail { kind, message } => format!("fail {} {}", kind.mnemonic(), quote(message)),
        InstKind::Format { format, args, to, .. } => {
            let to = to.map_or(String::new(), |(buffer, size)| {
                format!(" to {}, {}", at(&buffer), int(&size))
            });
            format!("format {}, {}{to}", at(format), at(args))
        }
    }
}

fn predicate(pred: Pred) -> &'static str {
    match pred {
        Pred::Int(pred) => pred.mnemonic(),
        Pred::Float(pred) => pred.mnemonic(),
    }
}

fn flags(access: Access) -> String {
    let volatile = if access.volatile { " volatile" } else { "" };
    let exclusive = if access.exclusive { " excl" } else { "" };
    let raw = if access.raw { " raw" } else { "" };
    format!("{volatile}{exclusive}{raw}")
}

/// The words of an access, each with a space before it; `plain` is the default and is not written.
fn words(access: Access) -> String {
    match access.order {
        Order::Plain => flags(access),
        order => format!("{} {}", flags(access), order.mnemonic()),
    }
}

/// The words of a compare-exchange; the failure order is written only if it is not the implied one.
fn exchange_words(success: Access, failure: Order) -> String {
    if failure == success.order.implied_failure() {
        return words(success);
    }
    format!("{} {} {}", flags(success), success.order.mnemonic(), failure.mnemonic())
}

pub(super) fn terminator(names: &Names<'_>, kind: &TerminatorKind) -> String {
    match kind {
        TerminatorKind::Jump(to) => format!("jump {}", names.block(*to)),
        TerminatorKind::Branch { cond, then, els } => {
            let cond = names.operand(*cond, Type::BOOL);
            format!("br {cond}, {}, {}", names.block(*then), names.block(*els))
        }
        TerminatorKind::Switch { ty, value, cases, default } => {
            let case = |(value, to): &(u128, _)| {
                format!("{}: {}", constant(*value, *ty), names.block(*to))
            };
            let cases: Vec<_> = cases.iter().map(case).collect();
            let (value, default) = (names.operand(*value, *ty), names.block(*default));
            format!("switch {ty} {value} {{{}}} default {default}", cases.join(", "))
        }
        TerminatorKind::Return(None) => "ret".to_owned(),
        TerminatorKind::Return(Some(value)) => {
            let ty = names.function.and_then(|f| f.ret);
            format!("ret {}", names.operand(*value, ty))
        }
        TerminatorKind::Unreachable => "unreachable".to_owned(),
    }
}
