//! The invariants that the parser guarantees for every module, checked for each id.

use raddle_llvm::Module;
use raddle_llvm::ast::{
    BlockId, Body, Callee, Clause, ConstExpr, ConstId, ConstKind, Def, GlobalKind, InstKind,
    MAX_NESTING, Type, TypeId, Value,
};

/// Panics if the module breaks an invariant.
pub(crate) fn check(module: &Module) {
    for ty in module.types.keys() {
        check_type(module, ty, 0);
    }
    for constant in module.constants.keys() {
        check_constant(module, constant, 0);
    }
    for loc in module.locs.values() {
        let mut next = loc.inlined_at;
        let mut steps = 0;
        while let Some(id) = next {
            next = module.locs[id].inlined_at;
            steps += 1;
            assert!(steps <= module.locs.len());
        }
        if let Some(file) = loc.file {
            module.name(module.files[file].name);
            module.name(module.files[file].directory);
        }
    }
    for global in module.globals.values() {
        match &global.kind {
            GlobalKind::Variable(variable) => {
                let ty = variable.init.map(|init| module.constant(init).ty);
                assert!(ty.is_none_or(|ty| ty == variable.ty));
            }
            GlobalKind::Function(function) => {
                let Type::Func { ret, params, .. } = module.ty(function.ty) else {
                    panic!("a function without a function type")
                };
                assert_eq!(*ret, function.ret);
                assert!(params.iter().copied().eq(function.params.iter().map(|param| param.ty)));
                if let Some(body) = &function.body {
                    check_body(module, body, function.params.len());
                }
            }
            GlobalKind::Alias { target: id, .. } | GlobalKind::IFunc { resolver: id, .. } => {
                module.constant(*id);
            }
        }
    }
}

fn check_type(module: &Module, ty: TypeId, depth: usize) {
    assert!(depth <= MAX_NESTING);
    match module.ty(ty) {
        Type::Array { element, .. } | Type::Vector { element, .. } => {
            check_type(module, *element, depth + 1);
        }
        Type::Struct { fields, .. } if depth < 4 => {
            fields.iter().for_each(|field| check_type(module, *field, depth + 1));
        }
        // At greater depth only one path is checked: the number of all paths is exponential.
        Type::Struct { fields, .. } => {
            fields.iter().take(1).for_each(|field| check_type(module, *field, depth + 1));
        }
        _ => {}
    }
}

fn check_constant(module: &Module, id: ConstId, depth: usize) {
    assert!(depth <= MAX_NESTING);
    let constant = module.constant(id);
    module.ty(constant.ty);
    match &constant.kind {
        ConstKind::Int(value) => match module.ty(constant.ty) {
            Type::Int(bits) => assert!(*bits >= 128 || value >> bits == 0),
            ty => panic!("an integer of type {ty:?}"),
        },
        ConstKind::Aggregate(elements) if depth == 0 => {
            elements.iter().for_each(|element| check_constant(module, *element, 1));
        }
        ConstKind::Aggregate(elements) => {
            elements.iter().take(1).for_each(|e| check_constant(module, *e, depth + 1));
        }
        ConstKind::BlockAddress { function, block } => match &module.global(*function).kind {
            GlobalKind::Function(function) => {
                assert!(function.body.as_ref().is_some_and(|body| body.blocks.is_valid(*block)));
            }
            kind => panic!("a block of {kind:?}"),
        },
        ConstKind::Expr(expr) => {
            if let ConstExpr::Cast { arg, .. } | ConstExpr::Gep { base: arg, .. } = &**expr {
                check_constant(module, *arg, depth + 1);
            }
        }
        _ => {}
    }
}

fn check_body(module: &Module, body: &Body, params: usize) {
    assert!(!body.layout.is_empty());
    assert_eq!(body.layout.len(), body.blocks.len());
    let mut covered = 0;
    for block in &body.layout {
        let range = &body.blocks[*block].insts;
        assert_eq!(range.start, covered);
        covered = range.end;
        let (last, before) = body.insts(*block).split_last().expect("a block has instructions");
        assert!(last.kind.is_terminator());
        assert!(before.iter().all(|inst| !inst.kind.is_terminator()));
    }
    assert_eq!(covered as usize, body.insts.len());
    for (index, (id, local)) in body.locals.iter().enumerate() {
        module.ty(local.ty);
        match local.def {
            Def::Param(param) => assert!(index < params && param as usize == index),
            Def::Inst(inst) => assert_eq!(body.insts[inst as usize].result, Some(id)),
        }
    }
    for inst in &body.insts {
        if let Some(loc) = inst.loc {
            assert!(module.locs.is_valid(loc));
        }
        operands(&inst.kind).into_iter().for_each(|value| {
            module.value_type(body, value);
        });
        targets(&inst.kind).into_iter().for_each(|block| assert!(body.blocks.is_valid(block)));
    }
}

fn operands(kind: &InstKind) -> Vec<Value> {
    match kind {
        InstKind::Ret(value) => value.iter().copied().collect(),
        InstKind::CondBr { cond, .. } => vec![*cond],
        InstKind::Switch { value, .. } => vec![*value],
        InstKind::Call(call) | InstKind::Invoke { call, .. } | InstKind::CallBr { call, .. } => {
            let mut values: Vec<Value> = call.args.iter().map(|arg| arg.value).collect();
            if let Callee::Value(callee) = call.callee {
                values.push(callee);
            }
            values
        }
        InstKind::Binary { lhs, rhs, .. }
        | InstKind::ICmp { lhs, rhs, .. }
        | InstKind::FCmp { lhs, rhs, .. } => vec![*lhs, *rhs],
        InstKind::Cast { arg, .. } | InstKind::Freeze(arg) | InstKind::FNeg(arg) => vec![*arg],
        InstKind::Select { cond, then, otherwise } => vec![*cond, *then, *otherwise],
        InstKind::Phi { incoming } => incoming.iter().map(|(value, _)| *value).collect(),
        InstKind::Load { ptr, .. } => vec![*ptr],
        InstKind::Store { value, ptr, .. } => vec![*value, *ptr],
        InstKind::Gep { base, indices, .. } => indices.iter().copied().chain([*base]).collect(),
        InstKind::LandingPad { clauses, .. } => clauses
            .iter()
            .map(|clause| match clause {
                Clause::Catch(value) | Clause::Filter(value) => *value,
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn targets(kind: &InstKind) -> Vec<BlockId> {
    match kind {
        InstKind::Br(block) => vec![*block],
        InstKind::CondBr { then, otherwise, .. } => vec![*then, *otherwise],
        InstKind::Switch { default, cases, .. } => {
            cases.iter().map(|(_, block)| *block).chain([*default]).collect()
        }
        InstKind::Phi { incoming } => incoming.iter().map(|(_, block)| *block).collect(),
        InstKind::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
        InstKind::IndirectBr { targets, .. } => targets.to_vec(),
        _ => Vec::new(),
    }
}
