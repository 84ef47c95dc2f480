//! Shared by the tests. Not every test uses all of it.
pub(crate) mod compilers;
pub(crate) mod invariants;

use raddle_llvm::Module;
use raddle_llvm::ast::{
    Body, ConstExpr, ConstKind, Constant, Function, GlobalKind, GlobalValue, Inst, InstKind, Type,
    Variable,
};

/// The files of `tests/ll`, which contain every construct.
pub(crate) const FILES: [(&str, &str); 4] = [
    ("calls.ll", include_str!("../ll/calls.ll")),
    ("globals.ll", include_str!("../ll/globals.ll")),
    ("instructions.ll", include_str!("../ll/instructions.ll")),
    ("positions.ll", include_str!("../ll/positions.ll")),
];

/// Parses a text that must be valid.
pub(crate) fn parse(text: &str) -> Module {
    let module = raddle_llvm::parse("test.ll", text.as_bytes());
    let module = module.unwrap_or_else(|diagnostic| panic!("{diagnostic}"));
    invariants::check(&module);
    module
}

/// The diagnostic for a text that must be refused.
pub(crate) fn refused(text: &str) -> String {
    match raddle_llvm::parse("test.ll", text.as_bytes()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(diagnostic) => diagnostic.to_string(),
    }
}

pub(crate) fn global<'m>(module: &'m Module, name: &str) -> &'m GlobalValue {
    let named = |global: &&GlobalValue| global.name.is_some_and(|id| module.name(id) == name);
    module.globals.values().find(named).unwrap_or_else(|| panic!("no @{name}"))
}

pub(crate) fn variable<'m>(module: &'m Module, name: &str) -> &'m Variable {
    match &global(module, name).kind {
        GlobalKind::Variable(variable) => variable,
        kind => panic!("@{name} is {kind:?}"),
    }
}

pub(crate) fn function<'m>(module: &'m Module, name: &str) -> &'m Function {
    match &global(module, name).kind {
        GlobalKind::Function(function) => function,
        kind => panic!("@{name} is {kind:?}"),
    }
}

pub(crate) fn body<'m>(module: &'m Module, name: &str) -> &'m Body {
    function(module, name).body.as_ref().expect("the function is defined")
}

pub(crate) fn insts<'m>(module: &'m Module, name: &str) -> &'m [Inst] {
    &body(module, name).insts
}

/// Parses one line as an instruction, in a function with some parameters.
pub(crate) fn inst(text: &str) -> InstKind {
    let module = parse(&format!(
        "define void @f(i32 %a, i32 %b, ptr %p, float %x, <2 x i32> %v) {{\n  {text}\n  ret void\n}}\n"
    ));
    insts(&module, "f")[0].kind.clone()
}

pub(crate) fn init<'m>(module: &'m Module, name: &str) -> &'m Constant {
    module.constant(variable(module, name).init.expect("the variable has a value"))
}

/// The value of an integer or the bits of a float.
pub(crate) fn bits(module: &Module, name: &str) -> u128 {
    match init(module, name).kind {
        ConstKind::Int(value) => value,
        ConstKind::Float(bits) => bits,
        ref kind => panic!("@{name} is {kind:?}"),
    }
}

pub(crate) fn expr<'m>(module: &'m Module, name: &str) -> &'m ConstExpr {
    match &init(module, name).kind {
        ConstKind::Expr(expr) => expr,
        kind => panic!("@{name} is {kind:?}"),
    }
}

/// The type of a variable.
pub(crate) fn type_of<'m>(module: &'m Module, name: &str) -> &'m Type {
    module.ty(variable(module, name).ty)
}
