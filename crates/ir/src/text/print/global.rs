//! Globals: as typed values if that loses no information, else as bytes.

use super::super::literal::name;
use super::super::object::{Contents, natural_align, unpack};
use super::names::Names;
use super::{put, source};
use crate::inst::Operand;
use crate::program::{Global, Program};
use crate::types::Type;
use std::fmt::Write;

pub(super) fn global(program: &Program, global: &Global) -> String {
    let mut out = String::new();
    if global.constant {
        out.push_str("const ");
    }
    if global.thread_local {
        out.push_str("thread_local ");
    }
    if global.private {
        out.push_str("private ");
    }
    put!(out, "global @{}: ", name(&global.name));
    let names = Names { program, function: None };
    let candidates = if global.init.len() <= MOST_TYPED { candidates(global) } else { Vec::new() };
    let typed = candidates.into_iter().find_map(|ty| typed(&names, global, ty));
    out.push_str(&typed.unwrap_or_else(|| raw(&names, global)));
    out
}

/// An object with more initial bytes than this is printed as bytes, which takes far less text and memory.
const MOST_TYPED: usize = 1 << 16;

/// Element types that could describe the object. These are guesses, since globals keep no types.
fn candidates(global: &Global) -> Vec<Type> {
    let mut types = Vec::new();
    if !global.relocs.is_empty() {
        types.push(Type::Ptr);
    } else {
        if (1..=16).contains(&global.size) {
            types.push(Type::Int(global.size as u8 * 8));
        }
        if matches!(global.align, 1 | 2 | 4 | 8 | 16) {
            types.push(Type::Int(global.align as u8 * 8));
        }
    }
    types
}

/// The typed form, if parsing it returns the same object.
fn typed(names: &Names<'_>, global: &Global, ty: Type) -> Option<String> {
    let width = u64::from(ty.bytes());
    let count = global.size / width;
    if natural_align(ty) != global.align || count == 0 || count * width != global.size {
        return None;
    }
    let contents = Contents { init: global.init.clone(), relocs: global.relocs.clone() };
    let elements = unpack(ty, &contents).filter(|elements| elements.len() as u64 <= count)?;
    let mut out = ty.to_string();
    if count > 1 {
        put!(out, " x {count}");
    }
    out.push_str(&source::optional(global.ty));
    put!(out, " = {}", initialiser(names, &elements, ty, count));
    Some(out)
}

fn initialiser(names: &Names<'_>, elements: &[Operand], ty: Type, count: u64) -> String {
    let Some(first) = elements.first() else {
        return "0".to_owned();
    };
    if elements.len() as u64 == count && elements.iter().all(|element| element == first) {
        return names.operand(*first, ty);
    }
    let elements: Vec<_> = elements.iter().map(|element| names.operand(*element, ty)).collect();
    format!("[{}]", elements.join(", "))
}

fn raw(names: &Names<'_>, global: &Global) -> String {
    let mut out = format!("bytes {} align {}", global.size, global.align);
    out.push_str(&source::optional(global.ty));
    if !global.init.is_empty() {
        out.push_str(" = hex \"");
        for byte in &global.init {
            put!(out, "{byte:02x}");
        }
        out.push('"');
    }
    if !global.relocs.is_empty() {
        let entry = |(at, to): &(u64, Operand)| format!("{at}: {}", names.address(*to));
        let entries: Vec<_> = global.relocs.iter().map(entry).collect();
        put!(out, " relocs {{{}}}", entries.join(", "));
    }
    out
}
