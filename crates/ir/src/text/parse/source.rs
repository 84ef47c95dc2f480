//! Types of the source, and the positions that allocate objects of them.

use super::super::cursor::{Cursor, PResult};
use super::super::lex::TokenKind;
use super::{Parser, operand};
use crate::program::{CallSite, LocId};
use crate::source::{Member, Number, SourceId, SourceType};
use crate::words::Mnemonic;

const KINDS: &str = "int, uint, char, bool, float, pointer, enum, array, struct, union or opaque";

/// `[type N]`.
pub(super) fn optional(cursor: &mut Cursor<'_>) -> PResult<Option<SourceId>> {
    match cursor.eat_word("type") {
        true => number(cursor).map(Some),
        false => Ok(None),
    }
}

fn number(cursor: &mut Cursor<'_>) -> PResult<SourceId> {
    Ok(SourceId::from_u32(cursor.integer("the number of a type")?))
}

impl Parser<'_, '_> {
    /// `type N = KIND …`
    pub(super) fn source_type(&mut self) -> PResult<()> {
        self.cursor.next();
        self.table_index(self.program.types.len(), "type")?;
        let cursor = &mut self.cursor;
        let word = cursor.word();
        if let Some(number) = Number::from_mnemonic(word) {
            cursor.next();
            let bytes = cursor.integer("a number of bytes")?;
            self.program.types.push(SourceType::Scalar { number, bytes });
            return Ok(());
        }
        let ty = match word {
            "pointer" => {
                cursor.next();
                SourceType::Pointer
            }
            "enum" => enumeration(cursor)?,
            "array" => {
                cursor.next();
                let count = cursor.integer("a number of elements")?;
                cursor.expect_word("x")?;
                SourceType::Array { count, element: number(cursor)? }
            }
            "struct" | "union" => {
                cursor.next();
                let (name, bytes) = named(cursor)?;
                cursor.expect(TokenKind::LBrace)?;
                let members = cursor.list(TokenKind::RBrace, member)?;
                SourceType::Record { name, union: word == "union", bytes, members }
            }
            "opaque" => {
                cursor.next();
                let (name, bytes) = named(cursor)?;
                SourceType::Opaque { name, bytes }
            }
            _ => return Err(cursor.unexpected(KINDS)),
        };
        self.program.types.push(ty);
        Ok(())
    }

    /// `allocation @FUNC [LOC] = TYPE`
    pub(super) fn allocation(&mut self) -> PResult<()> {
        let site = self.call_site()?;
        let ty = number(&mut self.cursor)?;
        self.program.allocations.push((site, ty));
        Ok(())
    }

    /// `start @FUNC [LOC] = @FUNC`
    pub(super) fn start(&mut self) -> PResult<()> {
        let site = self.call_site()?;
        let func = operand::function(&mut self.cursor, self.symbols)?;
        self.program.starts.push((site, func));
        Ok(())
    }

    /// `WORD @FUNC [LOC] =`
    fn call_site(&mut self) -> PResult<CallSite> {
        self.cursor.next();
        let func = operand::function(&mut self.cursor, self.symbols)?;
        let at = match self.cursor.at(TokenKind::Number) {
            true => LocId(self.cursor.integer("the number of a position")?),
            false => LocId::NONE,
        };
        self.cursor.expect(TokenKind::Assign)?;
        Ok(CallSite { func, at })
    }
}

/// `"name" BYTES`
fn named(cursor: &mut Cursor<'_>) -> PResult<(String, u64)> {
    Ok((cursor.string()?, cursor.integer("a number of bytes")?))
}

fn enumeration(cursor: &mut Cursor<'_>) -> PResult<SourceType> {
    cursor.next();
    let name = cursor.string()?;
    let Some(number) = Number::from_mnemonic(cursor.word()) else {
        return Err(cursor.unexpected("int or uint"));
    };
    cursor.next();
    let bytes = cursor.integer("a number of bytes")?;
    cursor.expect(TokenKind::LBrace)?;
    let values = cursor.list(TokenKind::RBrace, |cursor| {
        let name = cursor.string()?;
        cursor.expect(TokenKind::Assign)?;
        Ok((name, cursor.integer("a value")?))
    })?;
    Ok(SourceType::Enum { name, number, bytes, values })
}

/// `["name" :] TYPE at OFFSET [bits WIDTH from BIT]`
fn member(cursor: &mut Cursor<'_>) -> PResult<Member> {
    let mut name = String::new();
    if cursor.at(TokenKind::Quoted) {
        name = cursor.string()?;
        cursor.expect(TokenKind::Colon)?;
    }
    let ty = number(cursor)?;
    cursor.expect_word("at")?;
    let offset = cursor.integer("an offset in bytes")?;
    let mut bits = None;
    if cursor.eat_word("bits") {
        let width = cursor.integer("a number of bits")?;
        cursor.expect_word("from")?;
        bits = Some((cursor.integer("the number of a bit")?, width));
    }
    Ok(Member { name, offset, ty, bits })
}
