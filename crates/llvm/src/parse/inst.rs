//! Instructions: dispatch on the keyword, and arithmetic.
//!
//! Every rule returns the operation of the instruction and the type of its result (void for none).

mod call;
mod control;
mod memory;
mod vector;

use super::Parser;
use crate::ast::{CastOp, Flags, InstKind, Type, TypeId, Value};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::Token;
use raddle_ir::{BinOp, Mnemonic};

/// The operation of an instruction and the type of its result.
type Made = (InstKind, TypeId);

/// Parses an instruction from behind its keyword.
type Rule<'t> = fn(&mut Parser<'t>) -> Parse<Made>;

pub(super) fn is_opcode(word: &[u8]) -> bool {
    rule(word).is_some()
        || BinOp::from_mnemonic(word).is_some()
        || CastOp::from_mnemonic(word).is_some()
}

/// The rule for a keyword that is neither a binary operation nor a conversion.
fn rule<'t>(word: &[u8]) -> Option<Rule<'t>> {
    Some(match word {
        b"load" => Parser::load,
        b"store" => Parser::store,
        b"getelementptr" => Parser::address,
        b"call" => |parser| parser.call(false),
        b"tail" | b"notail" => |parser| parser.marked_call(false),
        b"musttail" => |parser| parser.marked_call(true),
        b"br" => Parser::branch,
        b"icmp" => Parser::integer_comparison,
        b"fcmp" => Parser::float_comparison,
        b"phi" => Parser::phi,
        b"alloca" => Parser::alloca,
        b"ret" => Parser::ret,
        b"select" => Parser::select,
        b"freeze" => Parser::freeze,
        b"fneg" => Parser::negation,
        b"fence" => Parser::fence,
        b"cmpxchg" => Parser::compare_exchange,
        b"atomicrmw" => Parser::atomic_update,
        b"va_arg" => Parser::variadic_argument,
        b"extractelement" => Parser::extract_element,
        b"insertelement" => Parser::insert_element,
        b"shufflevector" => Parser::shuffle_vector,
        b"extractvalue" => Parser::extract_value,
        b"insertvalue" => Parser::insert_value,
        b"landingpad" => Parser::landing_pad,
        b"catchpad" => Parser::catch_pad,
        b"cleanuppad" => Parser::cleanup_pad,
        b"switch" => Parser::switch,
        b"indirectbr" => Parser::indirect_branch,
        b"invoke" => Parser::invoke,
        b"callbr" => Parser::call_branch,
        b"resume" => Parser::resume,
        b"catchswitch" => Parser::catch_switch,
        b"catchret" => Parser::catch_return,
        b"cleanupret" => Parser::cleanup_return,
        b"unreachable" => |_| Ok((InstKind::Unreachable, Types::VOID)),
        _ => return None,
    })
}

impl Parser<'_> {
    pub(super) fn instruction(&mut self) -> Parse<Made> {
        let Token::Word(word) = self.token else { return Err(self.unexpected("an instruction")) };
        if let Some(rule) = rule(word) {
            self.advance();
            rule(self)
        } else if let Some(op) = BinOp::from_mnemonic(word) {
            self.advance();
            self.binary(op)
        } else if let Some(op) = CastOp::from_mnemonic(word) {
            self.advance();
            self.cast(op)
        } else {
            Err(self.unexpected("an instruction"))
        }
    }

    /// Skips fast-math flags. They only permit optimisers to change results.
    pub(super) fn skip_fast_math(&mut self) {
        while let Token::Word(
            b"fast" | b"nnan" | b"ninf" | b"nsz" | b"arcp" | b"contract" | b"afn" | b"reassoc",
        ) = self.token
        {
            self.advance();
        }
    }

    /// The flags of an operation on integers.
    fn integer_flags(&mut self) -> Flags {
        let mut flags = Flags::NONE;
        loop {
            flags = flags.with(match self.token {
                Token::Word(b"nuw") => Flags::NUW,
                Token::Word(b"nsw") => Flags::NSW,
                Token::Word(b"exact") => Flags::EXACT,
                Token::Word(b"disjoint") => Flags::DISJOINT,
                Token::Word(b"nneg") => Flags::NNEG,
                _ => return flags,
            });
            self.advance();
        }
    }

    /// `type a, b`: two operands of one type.
    fn two_operands(&mut self) -> Parse<(TypeId, Value, Value)> {
        let (ty, lhs) = self.typed_value()?;
        self.expect(b',')?;
        let rhs = self.value(ty)?;
        Ok((ty, lhs, rhs))
    }

    fn binary(&mut self, op: BinOp) -> Parse<Made> {
        let flags = if op.is_float() {
            self.skip_fast_math();
            Flags::NONE
        } else {
            self.integer_flags()
        };
        let at = self.start;
        let (ty, lhs, rhs) = self.two_operands()?;
        self.require_operation(op, ty, at)?;
        Ok((InstKind::Binary { op, flags, lhs, rhs }, ty))
    }

    fn cast(&mut self, op: CastOp) -> Parse<Made> {
        self.skip_fast_math();
        let flags = self.integer_flags();
        self.skip_fast_math();
        let at = self.start;
        let (from, arg) = self.typed_value()?;
        self.expect_word("to")?;
        let to = self.value_ty()?;
        self.require_cast(op, from, to, at)?;
        Ok((InstKind::Cast { op, flags, arg }, to))
    }

    fn negation(&mut self) -> Parse<Made> {
        self.skip_fast_math();
        let (ty, value) = self.typed_value()?;
        Ok((InstKind::FNeg(value), ty))
    }

    fn freeze(&mut self) -> Parse<Made> {
        let (ty, value) = self.typed_value()?;
        Ok((InstKind::Freeze(value), ty))
    }

    fn integer_comparison(&mut self) -> Parse<Made> {
        self.eat_word(b"samesign");
        let pred = self.expect_one_of("a predicate")?;
        let at = self.start;
        let (ty, lhs, rhs) = self.two_operands()?;
        match self.types.types[self.scalar_type(ty)] {
            Type::Int(_) | Type::Ptr { .. } => {}
            _ => {
                return Err(
                    self.fault_at(at, "a comparison of values that are not integers or pointers")
                );
            }
        }
        Ok((InstKind::ICmp { pred, lhs, rhs }, self.truth_type(ty)))
    }

    fn float_comparison(&mut self) -> Parse<Made> {
        self.skip_fast_math();
        let pred = self.expect_one_of("a predicate")?;
        let at = self.start;
        let (ty, lhs, rhs) = self.two_operands()?;
        if !self.is_float(ty) {
            return Err(self.fault_at(at, "a comparison of values that are not floats"));
        }
        Ok((InstKind::FCmp { pred, lhs, rhs }, self.truth_type(ty)))
    }

    fn select(&mut self) -> Parse<Made> {
        self.skip_fast_math();
        let at = self.start;
        let (cond_ty, cond) = self.typed_value()?;
        self.require_same(at, self.scalar_type(cond_ty), Types::I1)?;
        self.expect(b',')?;
        let (ty, then) = self.typed_value()?;
        self.expect(b',')?;
        let at = self.start;
        let (other_ty, otherwise) = self.typed_value()?;
        self.require_same(at, other_ty, ty)?;
        Ok((InstKind::Select { cond, then, otherwise }, ty))
    }
}
