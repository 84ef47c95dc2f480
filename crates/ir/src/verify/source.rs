//! Rules about the types of the source.

use super::{Checker, Rule};
use crate::inst::Operand;
use crate::program::CallSite;
use crate::source::{MAX_TYPE_DEPTH, SourceId, SourceType};

/// The largest scalar, in bytes.
const MAX_SCALAR: u32 = 16;

impl Checker<'_> {
    pub(super) fn source_types(&mut self) {
        let mut depths: Vec<usize> = Vec::new();
        for (id, ty) in &self.program.types {
            let mut depth = 1;
            for part in parts(ty) {
                match depths.get(part.as_u32() as usize) {
                    Some(inner) => depth = depth.max(inner + 1),
                    None => self.error(Rule::SourceTypes, format!("{id} refers to a later type")),
                }
            }
            self.require(depth <= MAX_TYPE_DEPTH, Rule::SourceTypes, || {
                format!("{id} is nested deeper than {MAX_TYPE_DEPTH} levels")
            });
            depths.push(depth);
            if let SourceType::Scalar { bytes, .. } | SourceType::Enum { bytes, .. } = ty {
                self.require((1..=MAX_SCALAR).contains(bytes), Rule::SourceTypes, || {
                    format!("{id} has {bytes} bytes")
                });
            }
        }
        let program = self.program;
        for (site, ty) in &program.allocations {
            self.call_site(*site);
            self.source_type(Some(*ty));
        }
        for (site, func) in &program.starts {
            self.call_site(*site);
            self.constant(Operand::Func(*func), None);
        }
        let sorted = program.allocations.is_sorted_by(|a, b| a.0 < b.0)
            && program.starts.is_sorted_by(|a, b| a.0 < b.0);
        self.require(sorted, Rule::SourceTypes, || "calls are not in order".to_owned());
    }

    fn call_site(&mut self, site: CallSite) {
        self.constant(Operand::Func(site.func), None);
        self.position(site.at);
    }

    pub(super) fn source_type(&mut self, ty: Option<SourceId>) {
        let exists = ty.is_none_or(|ty| self.program.types.is_valid(ty));
        self.require(exists, Rule::References, || "a type of the source does not exist".to_owned());
    }
}

/// The types that a type refers to.
fn parts(ty: &SourceType) -> Vec<SourceId> {
    match ty {
        SourceType::Array { element, .. } => vec![*element],
        SourceType::Record { members, .. } => members.iter().map(|member| member.ty).collect(),
        _ => Vec::new(),
    }
}
