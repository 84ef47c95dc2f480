//! Instructions: dispatch on the keyword, and arithmetic.
//!
//! Every rule returns the operation of the instruction and the type of its result (void for none).

mod call;
mod control;
mod memory;
mod vector;

use super::Parser;
use crate::ast::{BinaryOp, CastOp, Flags, InstKind, Type, TypeId, Value};
use crate::fault::Parse;
use crate::intern::Types;
use crate::lex::Token;

/// The operation of an instruction and the type of its result.
type Made = (InstKind, TypeId);

/// The class of an instruction, determined by its keyword.
#[derive(Clone, Copy)]
enum Opcode {
    Binary(BinaryOp),
    Cast(CastOp),
    FNeg,
    ICmp,
    FCmp,
    Select,
    Freeze,
    Phi,
    Alloca,
    Load,
    Store,
    Fence,
    CmpXchg,
    AtomicRmw,
    Gep,
    Call,
    /// `tail`, `musttail` or `notail` before `call`.
    MarkedCall,
    VaArg,
    ExtractElement,
    InsertElement,
    ShuffleVector,
    ExtractValue,
    InsertValue,
    LandingPad,
    CatchPad,
    CleanupPad,
    Ret,
    Br,
    Switch,
    IndirectBr,
    Invoke,
    CallBr,
    Resume,
    CatchSwitch,
    CatchRet,
    CleanupRet,
    Unreachable,
}

pub(super) fn is_opcode(word: &[u8]) -> bool {
    opcode(word).is_some()
}

fn opcode(word: &[u8]) -> Option<Opcode> {
    Some(match word {
        b"load" => Opcode::Load,
        b"store" => Opcode::Store,
        b"getelementptr" => Opcode::Gep,
        b"call" => Opcode::Call,
        b"tail" | b"musttail" | b"notail" => Opcode::MarkedCall,
        b"br" => Opcode::Br,
        b"icmp" => Opcode::ICmp,
        b"fcmp" => Opcode::FCmp,
        b"phi" => Opcode::Phi,
        b"alloca" => Opcode::Alloca,
        b"ret" => Opcode::Ret,
        b"select" => Opcode::Select,
        b"freeze" => Opcode::Freeze,
        b"add" => Opcode::Binary(BinaryOp::Add),
        b"sub" => Opcode::Binary(BinaryOp::Sub),
        b"mul" => Opcode::Binary(BinaryOp::Mul),
        b"udiv" => Opcode::Binary(BinaryOp::UDiv),
        b"sdiv" => Opcode::Binary(BinaryOp::SDiv),
        b"urem" => Opcode::Binary(BinaryOp::URem),
        b"srem" => Opcode::Binary(BinaryOp::SRem),
        b"shl" => Opcode::Binary(BinaryOp::Shl),
        b"lshr" => Opcode::Binary(BinaryOp::LShr),
        b"ashr" => Opcode::Binary(BinaryOp::AShr),
        b"and" => Opcode::Binary(BinaryOp::And),
        b"or" => Opcode::Binary(BinaryOp::Or),
        b"xor" => Opcode::Binary(BinaryOp::Xor),
        b"fadd" => Opcode::Binary(BinaryOp::FAdd),
        b"fsub" => Opcode::Binary(BinaryOp::FSub),
        b"fmul" => Opcode::Binary(BinaryOp::FMul),
        b"fdiv" => Opcode::Binary(BinaryOp::FDiv),
        b"frem" => Opcode::Binary(BinaryOp::FRem),
        b"fneg" => Opcode::FNeg,
        b"trunc" => Opcode::Cast(CastOp::Trunc),
        b"zext" => Opcode::Cast(CastOp::ZExt),
        b"sext" => Opcode::Cast(CastOp::SExt),
        b"fptrunc" => Opcode::Cast(CastOp::FPTrunc),
        b"fpext" => Opcode::Cast(CastOp::FPExt),
        b"fptoui" => Opcode::Cast(CastOp::FPToUI),
        b"fptosi" => Opcode::Cast(CastOp::FPToSI),
        b"uitofp" => Opcode::Cast(CastOp::UIToFP),
        b"sitofp" => Opcode::Cast(CastOp::SIToFP),
        b"ptrtoint" => Opcode::Cast(CastOp::PtrToInt),
        b"ptrtoaddr" => Opcode::Cast(CastOp::PtrToAddr),
        b"inttoptr" => Opcode::Cast(CastOp::IntToPtr),
        b"bitcast" => Opcode::Cast(CastOp::BitCast),
        b"addrspacecast" => Opcode::Cast(CastOp::AddrSpaceCast),
        b"fence" => Opcode::Fence,
        b"cmpxchg" => Opcode::CmpXchg,
        b"atomicrmw" => Opcode::AtomicRmw,
        b"va_arg" => Opcode::VaArg,
        b"extractelement" => Opcode::ExtractElement,
        b"insertelement" => Opcode::InsertElement,
        b"shufflevector" => Opcode::ShuffleVector,
        b"extractvalue" => Opcode::ExtractValue,
        b"insertvalue" => Opcode::InsertValue,
        b"landingpad" => Opcode::LandingPad,
        b"catchpad" => Opcode::CatchPad,
        b"cleanuppad" => Opcode::CleanupPad,
        b"switch" => Opcode::Switch,
        b"indirectbr" => Opcode::IndirectBr,
        b"invoke" => Opcode::Invoke,
        b"callbr" => Opcode::CallBr,
        b"resume" => Opcode::Resume,
        b"catchswitch" => Opcode::CatchSwitch,
        b"catchret" => Opcode::CatchRet,
        b"cleanupret" => Opcode::CleanupRet,
        b"unreachable" => Opcode::Unreachable,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An instruction of a function that returns `ret`.
    pub(super) fn instruction(&mut self, ret: TypeId) -> Parse<Made> {
        let Token::Word(word) = self.token else { return Err(self.unexpected("an instruction")) };
        let Some(opcode) = opcode(word) else { return Err(self.unexpected("an instruction")) };
        self.advance();
        match opcode {
            Opcode::Binary(op) => self.binary(op),
            Opcode::Cast(op) => self.cast(op),
            Opcode::FNeg => {
                self.skip_fast_math();
                let (ty, value) = self.typed_value()?;
                Ok((InstKind::FNeg(value), ty))
            }
            Opcode::ICmp => self.integer_comparison(),
            Opcode::FCmp => self.float_comparison(),
            Opcode::Select => self.select(),
            Opcode::Freeze => {
                let (ty, value) = self.typed_value()?;
                Ok((InstKind::Freeze(value), ty))
            }
            Opcode::Phi => self.phi(),
            Opcode::Alloca => self.alloca(),
            Opcode::Load => self.load(),
            Opcode::Store => self.store(),
            Opcode::Fence => Ok((InstKind::Fence(self.ordering()?), Types::void())),
            Opcode::CmpXchg => self.compare_exchange(),
            Opcode::AtomicRmw => self.atomic_update(),
            Opcode::Gep => self.address(),
            Opcode::Call => self.call(false),
            Opcode::MarkedCall => {
                self.expect_word("call")?;
                self.call(word == b"musttail")
            }
            Opcode::VaArg => self.variadic_argument(),
            Opcode::ExtractElement => self.extract_element(),
            Opcode::InsertElement => self.insert_element(),
            Opcode::ShuffleVector => self.shuffle_vector(),
            Opcode::ExtractValue => self.extract_value(),
            Opcode::InsertValue => self.insert_value(),
            Opcode::LandingPad => self.landing_pad(),
            Opcode::CatchPad => self.catch_pad(),
            Opcode::CleanupPad => self.cleanup_pad(),
            Opcode::Ret => self.ret(ret),
            Opcode::Br => self.branch(),
            Opcode::Switch => self.switch(),
            Opcode::IndirectBr => self.indirect_branch(),
            Opcode::Invoke => self.invoke(),
            Opcode::CallBr => self.call_branch(),
            Opcode::Resume => {
                let (_, value) = self.typed_value()?;
                Ok((InstKind::Resume(value), Types::void()))
            }
            Opcode::CatchSwitch => self.catch_switch(),
            Opcode::CatchRet => self.catch_return(),
            Opcode::CleanupRet => self.cleanup_return(),
            Opcode::Unreachable => Ok((InstKind::Unreachable, Types::void())),
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

    fn binary(&mut self, op: BinaryOp) -> Parse<Made> {
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
        self.require_same(at, self.scalar_type(cond_ty), Types::i1())?;
        self.expect(b',')?;
        let (ty, then) = self.typed_value()?;
        self.expect(b',')?;
        let at = self.start;
        let (other_ty, otherwise) = self.typed_value()?;
        self.require_same(at, other_ty, ty)?;
        Ok((InstKind::Select { cond, then, otherwise }, ty))
    }
}
