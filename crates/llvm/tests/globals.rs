//! Types, globals, constants and positions.

use crate::common;

use common::{FILES, bits, body, expr, function, global, init, insts, parse, type_of, variable};
use raddle_ir::BinOp;
use raddle_llvm::Module;
use raddle_llvm::ast::{CastOp, ConstExpr, ConstKind, Flags, GlobalKind, Linkage, LocId, Type};

fn file(name: &str) -> Module {
    let (_, text) = FILES.iter().find(|(file, _)| *file == name).expect("the file is there");
    parse(text)
}

#[test]
fn the_header() {
    let module = file("instructions.ll");
    assert_eq!(module.source_filename.map(|name| module.name(name)), Some("instructions.c"));
    assert_eq!(module.triple.map(|name| module.name(name)), Some("x86_64-pc-linux-gnu"));
    assert!(module.data_layout.is_some_and(|name| module.name(name).starts_with("e-m:e")));
    assert_eq!(file("globals.ll").module_asm.len(), 2);
}

#[test]
fn types() {
    let module = file("globals.ll");
    let Type::Struct { fields, name: Some(name), packed: false } = type_of(&module, "nested")
    else {
        panic!()
    };
    assert_eq!(module.name(*name), "0");
    let Type::Struct { fields, .. } = module.ty(fields[1]) else { panic!() };
    assert!(matches!(module.ty(fields[1]), Type::Struct { packed: true, .. }));
    assert!(matches!(type_of(&module, "unknown"), Type::Opaque { .. }));
    assert_eq!(*type_of(&module, "aliased_type"), Type::Int(32));
    assert_eq!(*type_of(&module, "x87"), Type::X86Fp80);
    let module = parse("declare void @f(target(\"spirv.Image\", void, 1), x86_amx, token)");
    let target = module.ty(function(&module, "f").params[0].ty);
    let Type::Target { name } = target else { panic!("{target:?}") };
    assert_eq!(module.name(*name), "target(\"spirv.Image\", void, 1)");
}

#[test]
fn linkage_and_properties() {
    let module = file("globals.ll");
    for (name, linkage) in [
        ("plain", Linkage::External),
        ("weak", Linkage::WeakOdr),
        ("common", Linkage::Common),
        ("extern_weak", Linkage::ExternWeak),
        ("const", Linkage::LinkOnceOdr),
        ("appending", Linkage::Appending),
        ("tls2", Linkage::Internal),
        ("f", Linkage::External),
    ] {
        assert_eq!(global(&module, name).linkage, linkage, "{name}");
    }
    assert!(variable(&module, "tls").thread_local && variable(&module, "tls2").thread_local);
    assert!(variable(&module, "const").constant && !variable(&module, "plain").constant);
    assert!(variable(&module, "extern_weak").init.is_none());
    assert_eq!(variable(&module, "quoted é").align, Some(64));
    assert_eq!(variable(&module, "space").addrspace, 1);
    let numbered = module.globals.values().filter(|global| global.name.is_none()).count();
    assert_eq!(numbered, 2);
    let renamed = module.globals.keys().filter_map(|id| module.symbol(id));
    assert!(renamed.into_iter().any(|symbol| symbol == "renamed"));
}

#[test]
fn aliases() {
    let module = file("globals.ll");
    let GlobalKind::Alias { target, .. } = global(&module, "alias").kind else { panic!() };
    assert!(matches!(module.constant(target).kind, ConstKind::Global(_)));
    let GlobalKind::Alias { target, .. } = global(&module, "inside").kind else { panic!() };
    assert!(matches!(module.constant(target).kind, ConstKind::Expr(_)));
    assert!(matches!(global(&module, "resolved").kind, GlobalKind::IFunc { .. }));
}

#[test]
fn numbers() {
    let module = file("globals.ll");
    assert_eq!(bits(&module, "widest"), 1 << 127);
    assert_eq!(bits(&module, "odd"), 127);
    assert_eq!(bits(&module, "hexadecimal"), 0xffff);
    assert_eq!(bits(&module, "halves"), 0x3c00);
    assert_eq!(bits(&module, "bfloats"), 0x3f80);
    assert_eq!(bits(&module, "x87"), 0x4000_c90f_daa2_2168_c235);
    assert_eq!(bits(&module, "quad"), 0x7fff << 112);
    let ConstKind::WideInt(text) = init(&module, "wide").kind else { panic!() };
    assert_eq!(module.name(text), "1");
    let ConstKind::Aggregate(floats) = &init(&module, "floats").kind else { panic!() };
    let floats: Vec<_> = floats.iter().map(|id| module.constant(*id).kind.clone()).collect();
    let expected = [1f32.to_bits(), (-0f32).to_bits(), 1, 0x7fc0_0000];
    assert!(floats.iter().eq(expected.map(|bits| ConstKind::Float(bits.into())).iter()));
}

#[test]
fn strings_and_aggregates() {
    let module = file("globals.ll");
    let strings = module.constants.values().filter_map(|constant| match &constant.kind {
        ConstKind::Bytes(bytes) => Some(&**bytes),
        _ => None,
    });
    assert!(strings.eq([&b"a\"b\\\n\0"[..], b"abc"]));
    let ConstKind::Aggregate(fields) = &init(&module, "const").kind else { panic!() };
    assert_eq!(module.constant(fields[1]).kind, ConstKind::Int(2));
    let ConstKind::Aggregate(elements) = &init(&module, "vectors").kind else { panic!() };
    assert_eq!(module.constant(elements[1]).kind, ConstKind::Undef);
    assert_eq!(module.constant(elements[2]).kind, ConstKind::Poison);
    // Equal scalars are one constant.
    let ints = module.constants.values().filter(|constant| {
        constant.kind == ConstKind::Int(0) && *module.ty(constant.ty) == Type::Int(64)
    });
    assert_eq!(ints.count(), 1);
}

#[test]
fn expressions() {
    let module = file("globals.ll");
    let ConstExpr::Cast { op: CastOp::Trunc, arg } = expr(&module, "difference") else { panic!() };
    let ConstKind::Expr(inner) = &module.constant(*arg).kind else { panic!() };
    assert!(matches!(**inner, ConstExpr::Binary { op: BinOp::Sub, .. }));
    let ConstExpr::Gep { indices, flags, .. } = expr(&module, "element") else { panic!() };
    assert_eq!((indices.len(), *flags), (2, Flags::INBOUNDS));
    let ConstExpr::Gep { flags, .. } = expr(&module, "ranged") else { panic!() };
    assert!(flags.contains(Flags::NUW));
    assert!(matches!(init(&module, "equivalent").kind, ConstKind::DsoLocalEquivalent(_)));
    assert!(matches!(init(&module, "unchecked").kind, ConstKind::NoCfi(_)));
    assert!(matches!(init(&module, "signed").kind, ConstKind::PtrAuth(_)));
    // Constants that newer versions no longer have.
    for (ty, text) in [
        ("i1", "icmp eq (ptr @g, ptr null)"),
        ("i1", "fcmp oeq (float 1.0, float 2.0)"),
        ("i32", "select (i1 true, i32 1, i32 2)"),
        ("i32", "extractvalue ({ i32, i8 } { i32 1, i8 2 }, 0)"),
        ("{ i32 }", "insertvalue ({ i32 } undef, i32 1, 0)"),
        ("i32", "extractelement (<2 x i32> undef, i32 0)"),
        ("<2 x i32>", "insertelement (<2 x i32> undef, i32 1, i32 0)"),
        ("<4 x i8>", "shufflevector (<2 x i8> undef, <2 x i8> undef, <4 x i32> zeroinitializer)"),
        ("double", "fneg (double 1.0)"),
        ("i64", "shl nuw (i64 1, i64 2)"),
        ("i64", "zext (i1 icmp ne (ptr @g, ptr null) to i64)"),
        ("ptr", "bitcast (ptr @g to ptr)"),
        ("ptr", "getelementptr inbounds ({ i8, i8 }, ptr @g, i32 0, inrange i32 1)"),
        ("<2 x ptr>", "getelementptr (i8, ptr @g, <2 x i64> <i64 1, i64 2>)"),
    ] {
        let module = parse(&format!("@g = global i8 0\n@x = global {ty} {text}\n"));
        expr(&module, "x");
    }
}

#[test]
fn addresses_of_blocks() {
    let module = file("globals.ll");
    let ConstKind::Aggregate(blocks) = &init(&module, "blocks").kind else { panic!() };
    let layout = &body(&module, "jumps").layout;
    for (constant, wanted) in blocks.iter().zip(&layout[1..]) {
        let ConstKind::BlockAddress { block, .. } = &module.constant(*constant).kind else {
            panic!()
        };
        assert_eq!(block, wanted);
    }
}

/// A position as `file:line:column function`, with the calls that it was inlined at.
fn show(module: &Module, loc: LocId) -> String {
    let mut parts = Vec::new();
    let mut next = Some(loc);
    while let Some(id) = next {
        let loc = module.locs[id];
        let file = loc.file.map_or("?", |file| module.name(module.files[file].name));
        let function = loc.function.map_or("?", |name| module.name(name));
        parts.push(format!("{file}:{}:{} {function}", loc.line, loc.column));
        next = loc.inlined_at;
    }
    parts.join(" < ")
}

#[test]
fn positions() {
    let module = file("positions.ll");
    let shown: Vec<_> = insts(&module, "main")
        .iter()
        .map(|inst| inst.loc.map_or(String::new(), |loc| show(&module, loc)))
        .collect();
    assert_eq!(
        shown,
        [
            "dir/main.c:10:1 main",
            "dir/main.c:20:2 main",
            "header \"h\".h:30:3 main",
            "dir/main.c:40:4 main",
            "header \"h\".h:50:5 helper < dir/main.c:60:6 middle < dir/main.c:70:7 main",
            "",
            "dir/main.c:0:0 main",
        ]
    );
    let main = function(&module, "main").loc.expect("main has a position");
    assert_eq!(show(&module, main), "dir/main.c:3:0 main");
    let file = module.locs[main].file.expect("a file");
    assert_eq!(module.name(module.files[file].directory), "/work");
}

/// Typed pointers, as LLVM printed them before version 15. The parser does not keep the pointee type.
#[test]
fn pointers_with_types() {
    let module = parse(
        "%t = type { i32*, %t*, void (i8*, ...)* }
@x = global i32* null
@f = global [2 x i32 (i32, i8**)*] zeroinitializer
@far = external global i8 addrspace(1)*
@y = global i8* bitcast (i32** @x to i8*)
@z = global i32* getelementptr inbounds ([4 x i32], [4 x i32]* @cells, i64 0, i64 1)
@cells = global [4 x i32] zeroinitializer
declare i32 @printf(i8*, ...)
define void @g(i32* %p, %t* byval(%t) %s) {
  %v = load i32, i32* %p, align 4
  store i32 %v, i32* @cells, align 4
  %q = getelementptr inbounds %t, %t* %s, i32 0, i32 0
  %r = cmpxchg i32* %p, i32 0, i32 1 seq_cst seq_cst
  %n = call i32 (i8*, ...) @printf(i8* null, i32 %v)
  ret void
}
",
    );
    for name in ["x", "y", "z"] {
        assert_eq!(module.types[variable(&module, name).ty], Type::Ptr { addrspace: 0 }, "{name}");
    }
    assert_eq!(module.types[variable(&module, "far").ty], Type::Ptr { addrspace: 1 });
    assert_eq!(insts(&module, "g").len(), 6);
}
