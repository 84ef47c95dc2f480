//! Types of the source.

use super::super::literal::quote;
use super::names::Names;
use super::put;
use crate::program::{CallSite, LocId, Program};
use crate::source::{Member, SourceId, SourceType};
use crate::words::Mnemonic;
use std::fmt::Write;

pub(super) fn tables(out: &mut String, program: &Program) {
    for (id, ty) in &program.types {
        put!(out, "type {} = {}\n", id.as_u32(), shown(ty));
    }
    let names = Names { program, function: None };
    let site = |site: &CallSite| match site.at {
        LocId::NONE => names.func(site.func),
        at => format!("{} {}", names.func(site.func), at.0),
    };
    for (at, ty) in &program.allocations {
        put!(out, "allocation {} = {}\n", site(at), ty.as_u32());
    }
    for (at, func) in &program.starts {
        put!(out, "start {} = {}\n", site(at), names.func(*func));
    }
}

/// ` type 3`, or nothing.
pub(super) fn optional(ty: Option<SourceId>) -> String {
    ty.map_or_else(String::new, |ty| format!(" type {}", ty.as_u32()))
}

fn shown(ty: &SourceType) -> String {
    match ty {
        SourceType::Scalar { number, bytes } => format!("{} {bytes}", number.mnemonic()),
        SourceType::Pointer => "pointer".to_owned(),
        SourceType::Array { element, count } => format!("array {count} x {}", element.as_u32()),
        SourceType::Opaque { name, bytes } => format!("opaque {} {bytes}", quote(name)),
        SourceType::Enum { name, number, bytes, values } => {
            let values = values.iter().map(|(name, value)| format!("{} = {value}", quote(name)));
            let values = values.collect::<Vec<_>>().join(", ");
            format!("enum {} {} {bytes} {{{values}}}", quote(name), number.mnemonic())
        }
        SourceType::Record { name, union, bytes, members } => {
            let kind = if *union { "union" } else { "struct" };
            let members = members.iter().map(member).collect::<Vec<_>>().join(", ");
            format!("{kind} {} {bytes} {{{members}}}", quote(name))
        }
    }
}

fn member(member: &Member) -> String {
    let Member { name, offset, ty, bits } = member;
    let mut out = String::new();
    if !name.is_empty() {
        put!(out, "{}: ", quote(name));
    }
    put!(out, "{} at {offset}", ty.as_u32());
    if let Some((first, width)) = bits {
        put!(out, " bits {width} from {first}");
    }
    out
}
