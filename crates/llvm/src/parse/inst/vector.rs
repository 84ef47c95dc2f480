//! Parts of vectors, arrays and structures.

use super::Made;
use crate::ast::InstKind;
use crate::fault::Parse;
use crate::parse::Parser;

impl Parser<'_> {
    pub(super) fn extract_element(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, vector) = self.typed_value()?;
        self.expect(b',')?;
        let (_, index) = self.typed_value()?;
        let element = self.element_type(ty, at)?;
        Ok((InstKind::ExtractElement { vector, index }, element))
    }

    pub(super) fn insert_element(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, vector) = self.typed_value()?;
        self.expect(b',')?;
        let (value_ty, value) = self.typed_value()?;
        let element = self.element_type(ty, at)?;
        self.require_same(at, value_ty, element)?;
        self.expect(b',')?;
        let (_, index) = self.typed_value()?;
        Ok((InstKind::InsertElement { vector, value, index }, ty))
    }

    pub(super) fn shuffle_vector(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, lhs) = self.typed_value()?;
        self.expect(b',')?;
        let (other_ty, rhs) = self.typed_value()?;
        self.require_same(at, other_ty, ty)?;
        self.expect(b',')?;
        let (mask_ty, mask) = self.typed_constant()?;
        let result = self.shuffle_type(ty, mask_ty, at)?;
        Ok((InstKind::ShuffleVector { lhs, rhs, mask }, result))
    }

    /// `, 0, 1, …` up to the metadata.
    fn path(&mut self) -> Parse<Vec<u32>> {
        let mut path = Vec::new();
        while self.comma() {
            path.push(self.expect_u32()?);
        }
        Ok(path)
    }

    pub(super) fn extract_value(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, aggregate) = self.typed_value()?;
        let path = self.path()?;
        let field = self.field_type(ty, &path, at)?;
        Ok((InstKind::ExtractValue { aggregate, indices: path.into() }, field))
    }

    pub(super) fn insert_value(&mut self) -> Parse<Made> {
        let at = self.start;
        let (ty, aggregate) = self.typed_value()?;
        self.expect(b',')?;
        let (value_ty, value) = self.typed_value()?;
        let path = self.path()?;
        let field = self.field_type(ty, &path, at)?;
        self.require_same(at, value_ty, field)?;
        Ok((InstKind::InsertValue { aggregate, value, indices: path.into() }, ty))
    }
}
