//! Instructions, one by one.

use crate::common;

use common::{FILES, body, function, inst, insts, parse};
use raddle_ir::{BinOp, IntPred, Mnemonic};
use raddle_llvm::Module;
use raddle_llvm::ast::{
    Atomic, Callee, CastOp, Clause, ConstKind, Flags, FloatPredicate, InstKind, Ordering, RmwOp,
    Type, Value,
};

fn file(name: &str) -> Module {
    let (_, text) = FILES.iter().find(|(file, _)| *file == name).expect("the file is there");
    parse(text)
}

#[test]
fn arithmetic_and_casts() {
    let module = file("instructions.ll");
    let insts = insts(&module, "arithmetic");
    let ops: Vec<_> = insts
        .iter()
        .filter_map(|inst| match inst.kind {
            InstKind::Binary { op, .. } => Some(op.mnemonic()),
            InstKind::Cast { op, .. } => Some(op.mnemonic()),
            _ => None,
        })
        .collect();
    let expected = "add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv \
                    frem fpext fptrunc fptosi fptoui sitofp uitofp trunc zext sext inttoptr \
                    ptrtoint bitcast addrspacecast and mul";
    assert_eq!(ops.join(" "), expected);
    // Results are numbered in the order of the text, after the parameters.
    let body = body(&module, "arithmetic");
    assert_eq!(body.locals.len(), 4 + insts.len() - 1);
    assert!(body.locals.values().take(4).all(|local| local.name.is_some()));
}

#[test]
fn flags() {
    let flags = |text| match inst(text) {
        InstKind::Binary { flags, .. } | InstKind::Cast { flags, .. } => flags,
        kind => panic!("{kind:?}"),
    };
    assert_eq!(flags("%1 = add nuw nsw i32 %a, %b"), Flags::NUW.with(Flags::NSW));
    assert_eq!(flags("%1 = lshr exact i32 %a, %b"), Flags::EXACT);
    assert_eq!(flags("%1 = or disjoint i32 %a, %b"), Flags::DISJOINT);
    assert_eq!(flags("%1 = zext nneg i32 %a to i64"), Flags::NNEG);
    assert_eq!(flags("%1 = trunc nuw nsw i32 %a to i8"), Flags::NUW.with(Flags::NSW));
    assert_eq!(flags("%1 = fptrunc fast float %x to half"), Flags::NONE);
    let InstKind::Gep { flags, .. } =
        inst("%1 = getelementptr inbounds nusw nuw i8, ptr %p, i32 1")
    else {
        panic!("no address")
    };
    assert!(flags.contains(Flags::INBOUNDS.with(Flags::NUSW).with(Flags::NUW)));
}

#[test]
fn comparisons() {
    let InstKind::ICmp { pred, .. } = inst("%1 = icmp samesign ult i32 %a, %b") else { panic!() };
    assert_eq!(pred, IntPred::Ult);
    let InstKind::FCmp { pred, .. } = inst("%1 = fcmp nnan ueq float %x, 1.0") else { panic!() };
    assert_eq!(pred, FloatPredicate::Ueq);
    for word in "eq ne ugt uge ult ule sgt sge slt sle".split(' ') {
        inst(&format!("%1 = icmp {word} ptr %p, null"));
    }
    for word in "false oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno true".split(' ') {
        inst(&format!("%1 = fcmp {word} float %x, %x"));
    }
}

#[test]
fn every_cast_has_its_word() {
    let InstKind::Cast { op, .. } = inst("%1 = ptrtoaddr ptr %p to i64") else { panic!() };
    assert_eq!(op, CastOp::PtrToAddr);
    let InstKind::Binary { op, .. } = inst("%1 = add <2 x i32> %v, splat (i32 1)") else {
        panic!()
    };
    assert_eq!(op, BinOp::Add);
}

#[test]
fn atomics() {
    let plain = |order| Atomic { order, scope: None };
    let InstKind::Load { atomic, volatile, align, .. } =
        inst("%1 = load atomic volatile i32, ptr %p acquire, align 4")
    else {
        panic!()
    };
    assert_eq!((atomic, volatile, align), (Some(plain(Ordering::Acquire)), true, Some(4)));
    let InstKind::CmpXchg(exchange) =
        inst("%1 = cmpxchg weak ptr %p, i32 %a, i32 %b acq_rel monotonic")
    else {
        panic!()
    };
    assert!(exchange.weak && !exchange.volatile);
    assert_eq!(exchange.success, plain(Ordering::AcqRel));
    assert_eq!(exchange.failure, Ordering::Monotonic);
    let words = "xchg add sub and nand or xor max min umax umin fadd fsub fmax fmin fmaximum \
                 fminimum fmaximumnum fminimumnum uinc_wrap udec_wrap usub_cond usub_sat";
    for word in words.split(' ') {
        let text = format!("%1 = atomicrmw {word} ptr %p, i32 %a syncscope(\"agent\") seq_cst");
        let InstKind::AtomicRmw { op, atomic, .. } = inst(&text) else { panic!() };
        assert_eq!(RmwOp::from_mnemonic(word), Some(op));
        assert!(atomic.scope.is_some());
    }
    assert!(matches!(inst("fence release"), InstKind::Fence(a) if a == plain(Ordering::Release)));
}

#[test]
fn memory() {
    let module = file("instructions.ll");
    let body = body(&module, "memory");
    let InstKind::Alloca { count: Some(_), align: Some(16), inalloca: false, .. } =
        body.insts[1].kind
    else {
        panic!("{:?}", body.insts[1])
    };
    let exchange = body.insts.iter().find(|inst| matches!(inst.kind, InstKind::CmpXchg(_)));
    let result = exchange.and_then(|inst| inst.result).expect("an exchange has a result");
    let Type::Struct { fields, name: None, packed: false } = module.ty(body.locals[result].ty)
    else {
        panic!()
    };
    assert_eq!(*module.ty(fields[0]), Type::Int(32));
    assert_eq!(*module.ty(fields[1]), Type::Int(1));
    // An address with a vector among its indices is a vector of addresses.
    let vector = body.locals.values().find(|l| l.name.is_some_and(|n| module.name(n) == "vec"));
    assert!(matches!(module.ty(vector.expect("%vec").ty), Type::Vector { len: 2, .. }));
}

#[test]
fn control_flow() {
    let module = file("instructions.ll");
    let body = body(&module, "control");
    assert_eq!(body.layout.len(), 6);
    let names: Vec<_> = body.layout.iter().map(|b| body.blocks[*b].name).collect();
    assert!(names[0].is_none() && names[1].is_none() && names[2].is_none());
    assert_eq!(names[4].map(|name| module.name(name)), Some("quoted name"));
    let InstKind::Switch { cases, .. } = &body.insts(body.layout[1])[0].kind else { panic!() };
    assert_eq!(cases.len(), 2);
    assert_eq!(module.constant(cases[0].0).kind, ConstKind::Int(0xffff_ffff));
    assert_eq!(cases[1].1, body.layout[4]);
    let InstKind::Phi { incoming } = &body.insts(body.layout[3])[0].kind else { panic!() };
    assert_eq!(incoming.len(), 4);
    assert_eq!(incoming[0].1, body.entry());
    // Code after a terminator is a separate block.
    assert_eq!(common::body(&module, "nothing").layout.len(), 2);
}

#[test]
fn numbers_may_be_left_out() {
    let module = parse("define i32 @f(i32 %0) {\n5:\n %7 = add i32 %0, 1\n ret i32 %7\n}");
    assert_eq!(body(&module, "f").locals.len(), 2);
}

#[test]
fn calls() {
    let module = file("calls.ll");
    let calls: Vec<_> = insts(&module, "calls")
        .iter()
        .filter_map(|inst| match &inst.kind {
            InstKind::Call(call) => Some(&**call),
            _ => None,
        })
        .collect();
    let Type::Func { varargs: true, params, .. } = module.ty(calls[0].ty) else { panic!() };
    assert_eq!((params.len(), calls[0].args.len()), (1, 3));
    assert!(calls[1].args[0].attrs.zeroext);
    assert_eq!(calls[1].args[1].attrs.align, Some(8));
    let big = calls[7];
    assert!(big.args[0].attrs.byval.is_some() && big.args[1].attrs.sret.is_some());
    assert!(calls[9].args.iter().all(|arg| arg.value == Value::Metadata));
    assert!(calls[11].bundles && !calls[0].bundles);
    assert!(calls.last().is_some_and(|call| call.musttail));
    let declared = function(&module, "big");
    assert_eq!(declared.params[0].attrs.byval, big.args[0].attrs.byval);
    assert!(declared.body.is_none());
}

#[test]
fn inline_assembly() {
    let module = file("calls.ll");
    let mut assembly = insts(&module, "assembly").iter().filter_map(|inst| match &inst.kind {
        InstKind::Call(call) => match &call.callee {
            Callee::Asm(asm) => Some(asm),
            Callee::Value(_) => None,
        },
        _ => None,
    });
    let fence = assembly.next().expect("a fence");
    assert_eq!(&*fence.template, "mfence");
    assert_eq!(&*fence.constraints, "~{memory},~{dirflag},~{fpsr},~{flags}");
    assert!(fence.side_effects && !fence.align_stack && !fence.intel_dialect && !fence.unwind);
    let product = assembly.next().expect("a product");
    assert_eq!(&*product.template, "mulq $2\n\tnop # \"quoted\"");
    assert!(!product.side_effects);
    let all = assembly.next().expect("one with every flag");
    assert!(all.side_effects && all.align_stack && all.intel_dialect && all.unwind);
    let InstKind::CallBr { indirect, .. } = &insts(&module, "jump")[0].kind else { panic!() };
    assert_eq!(indirect.len(), 1);
}

#[test]
fn exceptions() {
    let module = file("calls.ll");
    let body = body(&module, "exceptions");
    let InstKind::Invoke { normal, unwind, .. } = body.insts[0].kind else { panic!() };
    assert_eq!((normal, unwind), (body.layout[1], body.layout[2]));
    let InstKind::LandingPad { cleanup: true, clauses } = &body.insts(unwind)[0].kind else {
        panic!()
    };
    assert!(matches!(clauses[..], [Clause::Catch(_), Clause::Catch(_)]));
    let kinds = insts(&module, "funclets").iter().map(|inst| &inst.kind);
    assert_eq!(
        kinds
            .filter(|kind| matches!(
                kind,
                InstKind::CatchPad { .. }
                    | InstKind::CleanupPad { .. }
                    | InstKind::CatchSwitch { .. }
                    | InstKind::CatchRet { .. }
                    | InstKind::CleanupRet { .. }
            ))
            .count(),
        5
    );
}

#[test]
fn vectors_and_aggregates() {
    let module = file("instructions.ll");
    let body = body(&module, "vectors");
    let types: Vec<_> = body.insts.iter().filter_map(|inst| inst.result).collect();
    let ty = |index: usize| module.ty(body.locals[types[index]].ty);
    assert_eq!(*ty(0), Type::Int(32));
    assert!(matches!(ty(2), Type::Vector { len: 2, scalable: false, .. }));
    assert!(matches!(ty(3), Type::Vector { len: 4, .. }));
    assert_eq!(*ty(7), Type::Int(8));
    assert!(matches!(ty(8), Type::Struct { .. }));
    assert!(matches!(ty(10), Type::Vector { scalable: true, .. }));
}
