//! Calls: `call`, and the calls in `invoke` and `callbr`.

use super::Made;
use crate::ast::{
    Arg, Call, Callee, ConstKind, InlineAsm, InstKind, ParamAttrs, Type, TypeId, Value,
};
use crate::fault::Parse;
use crate::intern::Types;
use crate::parse::Parser;
use crate::parse::metadata::NodeRef;

/// Metadata in a list of operands.
#[derive(Clone, Copy)]
enum Operand {
    Value(Value),
    Node(NodeRef),
    Other,
}

impl Parser<'_> {
    /// `call …`, starting behind the keyword.
    pub(super) fn call(&mut self, musttail: bool) -> Parse<Made> {
        let (call, ret) = self.callee_and_arguments(musttail)?;
        Ok((InstKind::Call(Box::new(call)), ret))
    }

    /// `call …` behind one of its markers.
    pub(super) fn marked_call(&mut self, musttail: bool) -> Parse<Made> {
        self.expect_word("call")?;
        self.call(musttail)
    }

    /// `invoke … to label %a unwind label %b`.
    pub(super) fn invoke(&mut self) -> Parse<Made> {
        let (call, ret) = self.callee_and_arguments(false)?;
        self.expect_word("to")?;
        let normal = self.target()?;
        self.expect_word("unwind")?;
        let unwind = self.target()?;
        Ok((InstKind::Invoke { call: Box::new(call), normal, unwind }, ret))
    }

    /// `callbr … to label %a [label %b, …]`.
    pub(super) fn call_branch(&mut self) -> Parse<Made> {
        let (call, ret) = self.callee_and_arguments(false)?;
        self.expect_word("to")?;
        let fallthrough = self.target()?;
        self.expect(b'[')?;
        let indirect = self.list_until(b']', Self::target)?.into();
        Ok((InstKind::CallBr { call: Box::new(call), fallthrough, indirect }, ret))
    }

    /// `[attributes] type callee(arguments) [attributes] [[bundles]]`; also returns the return type.
    fn callee_and_arguments(&mut self, musttail: bool) -> Parse<(Call, TypeId)> {
        let addrspace = self.attrs_before_type()?;
        let written = self.ty()?;
        let at = self.start;
        let callee = self.callee(addrspace)?;
        let declares = self.is_declare(&callee);
        let (args, types) = self.arguments(declares)?;
        let (ty, ret) = self.callee_type(written, &types, at)?;
        self.attrs_after_call()?;
        let bundles = self.is(b'[');
        if bundles {
            self.skip_brackets()?;
        }
        Ok((Call { callee, ty, args: args.into(), musttail, bundles }, ret))
    }

    /// The type of the called function, and its return type. If the text gives only the return type, the
    /// arguments determine the rest.
    fn callee_type(
        &mut self,
        written: TypeId,
        arguments: &[TypeId],
        at: usize,
    ) -> Parse<(TypeId, TypeId)> {
        match &self.types.types[written] {
            Type::Func { ret, params, varargs } => {
                let ret = *ret;
                let enough =
                    if *varargs { arguments.starts_with(params) } else { arguments == &params[..] };
                match enough {
                    true => Ok((written, ret)),
                    false => Err(self.fault_at(at, "arguments that the function does not take")),
                }
            }
            _ => {
                let params = arguments.into();
                let ty = Type::Func { ret: written, params, varargs: false };
                Ok((self.types.intern(ty), written))
            }
        }
    }

    /// Whether a call only says which variable is at an address.
    fn is_declare(&self, callee: &Callee) -> bool {
        let Callee::Value(Value::Const(id)) = callee else { return false };
        let ConstKind::Global(global) = self.constants.constants[*id].kind else { return false };
        let name = self.globals.entries[global].symbol.name();
        name.is_some_and(|name| &*self.names.strings[name] == "llvm.dbg.declare")
    }

    fn callee(&mut self, addrspace: u32) -> Parse<Callee> {
        if self.is_word(b"asm") {
            return Ok(Callee::Asm(Box::new(self.inline_asm()?)));
        }
        let ty = self.types.pointer(addrspace);
        Ok(Callee::Value(self.value(ty)?))
    }

    /// `asm [flags] "template", "constraints"`.
    fn inline_asm(&mut self) -> Parse<InlineAsm> {
        self.expect_word("asm")?;
        let side_effects = self.eat_word(b"sideeffect");
        let align_stack = self.eat_word(b"alignstack");
        let intel_dialect = self.eat_word(b"inteldialect");
        let unwind = self.eat_word(b"unwind");
        let template = String::from_utf8_lossy(&self.expect_string()?).into();
        self.expect(b',')?;
        let constraints = String::from_utf8_lossy(&self.expect_string()?).into();
        Ok(InlineAsm { template, constraints, side_effects, align_stack, intel_dialect, unwind })
    }

    /// `(T [attributes] value, …)`; the caller's own variadic arguments (`...`) may come last.
    fn arguments(&mut self, declares: bool) -> Parse<(Vec<Arg>, Vec<TypeId>)> {
        let (mut args, mut types) = (Vec::new(), Vec::new());
        let mut metadata = Vec::new();
        // A musttail call forwards `...` unchanged.
        self.variadic_list(|p| {
            let ty = p.value_ty()?;
            let arg = if ty == Types::METADATA {
                metadata.push(p.metadata_operand()?);
                Arg { value: Value::Metadata, attrs: ParamAttrs::default() }
            } else {
                let attrs = p.param_attrs()?;
                Arg { value: p.value(ty)?, attrs }
            };
            args.push(arg);
            types.push(ty);
            Ok(())
        })?;
        // `llvm.dbg.declare(metadata T* %x, metadata !12, …)` says where a variable is.
        if let [Operand::Value(address), Operand::Node(variable), _] = metadata[..]
            && declares
        {
            self.declared(Some(address), Some(variable));
        }
        Ok((args, types))
    }

    /// The part after `metadata` in a list of operands: metadata, or a value wrapped as metadata.
    fn metadata_operand(&mut self) -> Parse<Operand> {
        if self.begins_type() {
            return Ok(Operand::Value(self.typed_value()?.1));
        }
        Ok(self.metadata_ref()?.map_or(Operand::Other, Operand::Node))
    }

    /// `[T a, T b]`: the operands of exception-handling pads, which may be metadata.
    pub(super) fn pad_arguments(&mut self) -> Parse<Box<[Value]>> {
        self.expect(b'[')?;
        let values = self.list_until(b']', |p| {
            let ty = p.value_ty()?;
            if ty == Types::METADATA {
                p.metadata_operand()?;
                return Ok(Value::Metadata);
            }
            p.value(ty)
        })?;
        Ok(values.into())
    }
}
