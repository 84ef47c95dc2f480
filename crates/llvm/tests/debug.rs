//! Types of the source, from debug information.

use crate::common::parse;
use raddle_llvm::ast::{DebugType, Encoding, Module};

/// The type of the variable `@x`, without the alias that a variable is.
fn type_of_x(module: &Module) -> &DebugType {
    let (_, variable) = module.variables().next().expect("a variable");
    let debug = variable.debug.expect("a type");
    plain(module, &module.debug_types[debug])
}

fn plain<'m>(module: &'m Module, ty: &'m DebugType) -> &'m DebugType {
    match ty {
        DebugType::Alias { name: None, to: Some(to) } => plain(module, &module.debug_types[*to]),
        other => other,
    }
}

const NODES: &str = "\
@x = global i64 0, !dbg !0\n\
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())\n\
!1 = distinct !DIGlobalVariable(name: \"x\", line: 3, type: !2, isLocal: false)\n\
!3 = !DIFile(filename: \"a.c\", directory: \"/d\")\n\
!9 = !DIBasicType(name: \"unsigned char\", size: 8, encoding: DW_ATE_unsigned_char)\n";

#[test]
fn members_and_bit_fields() {
    let module = parse(&format!(
        "{NODES}\
         !2 = !DIDerivedType(tag: DW_TAG_volatile_type, baseType: !4)\n\
         !4 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: \"s\", file: !3, \
              size: 64, flags: DIFlagA | DIFlagB, elements: !5)\n\
         !5 = !{{!6, !7, !8}}\n\
         !6 = !DIDerivedType(tag: DW_TAG_member, name: \"next\", baseType: !10, size: 64)\n\
         !7 = !DIDerivedType(tag: DW_TAG_member, name: \"b\", baseType: !9, size: 3, offset: 68, \
              flags: DIFlagBitField, extraData: i64 64)\n\
         !8 = !DISubprogram(name: \"method\")\n\
         !10 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !4, size: 64)\n"
    ));
    let DebugType::Record(record) = type_of_x(&module) else { panic!("not a record") };
    assert_eq!(record.name.map(|name| module.name(name)), Some("s"));
    assert_eq!(record.file.map(|name| module.name(name)), Some("a.c"));
    assert_eq!((record.bits, record.union, record.declaration), (64, false, false));
    let [next, bits] = &record.members[..] else { panic!("{:?}", record.members) };
    assert_eq!(next.name.map(|name| module.name(name)), Some("next"));
    assert_eq!((bits.offset, bits.bits, bits.bit_field, next.bit_field), (68, 3, true, false));
    let pointer = &module.debug_types[next.ty.expect("a type")];
    let DebugType::Pointer { to: Some(to) } = pointer else { panic!("{pointer:?}") };
    // Types that contain each other are read once.
    assert_eq!(module.debug_types[*to], DebugType::Record(record.clone()));
}

#[test]
fn arrays_and_enumerations() {
    let module = parse(&format!(
        "{NODES}\
         !2 = !DICompositeType(tag: DW_TAG_array_type, baseType: !4, elements: !5)\n\
         !4 = !DICompositeType(tag: DW_TAG_enumeration_type, name: \"e\", baseType: !9, size: 8, \
              elements: !6)\n\
         !5 = !{{!7, !8}}\n\
         !6 = !{{!10, !11}}\n\
         !7 = !DISubrange(count: 3)\n\
         !8 = !DISubrange(count: -1)\n\
         !10 = !DIEnumerator(name: \"A\", value: 0, isUnsigned: true)\n\
         !11 = !DIEnumerator(name: \"B\", value: -2)\n"
    ));
    let DebugType::Array { element, lengths } = type_of_x(&module) else { panic!("no array") };
    assert_eq!(lengths[..], [Some(3), None]);
    let element = &module.debug_types[element.expect("a type")];
    let DebugType::Enum { signed, bits, values, .. } = element else { panic!("{element:?}") };
    let values: Vec<_> = values.iter().map(|(name, value)| (module.name(*name), *value)).collect();
    assert_eq!((*signed, *bits, &values[..]), (false, 8, &[("A", 0), ("B", -2)][..]));
}

#[test]
fn what_is_malformed_is_unknown() {
    for node in [
        "!2 = !DIBasicType(name: \"t\", size: 32, encoding: DW_ATE_complex_float)",
        "!2 = !DIDerivedType(tag: DW_TAG_friend, baseType: !9)",
        "!2 = !{!9}",
        "!2 = !DICompositeType()",
        "!4 = !{}",
    ] {
        let module = parse(&format!("{NODES}{node}\n"));
        assert_eq!(*type_of_x(&module), DebugType::Unknown, "{node}");
    }
}

#[test]
fn variables_in_memory_and_allocations() {
    let body = |declare: &str| {
        format!(
            "define void @f() {{\n\
               %n = alloca ptr\n\
               {declare}\n\
               %call = call ptr @new(i64 8), !heapallocsite !9\n\
               ret void\n\
             }}\n\
             declare ptr @new(i64)\n\
             declare void @llvm.dbg.declare(metadata, metadata, metadata)\n\
             !9 = !DIBasicType(name: \"unsigned char\", size: 8, encoding: DW_ATE_unsigned_char)\n\
             !12 = !DILocalVariable(name: \"n\", scope: !13, line: 1, type: !9)\n\
             !13 = distinct !DISubprogram(name: \"f\")\n"
        )
    };
    let call =
        "call void @llvm.dbg.declare(metadata ptr %n, metadata !12, metadata !DIExpression())";
    let record = "#dbg_declare(ptr %n, !12, !DIExpression(), !DILocation(line: 1, scope: !13))";
    for declare in [call, record] {
        let module = parse(&body(declare));
        let (_, function) = module.functions().next().expect("a function");
        let body = function.body.as_ref().expect("a body");
        let types = [&body.declared[0].1, &body.allocated[0].1];
        for ty in types.map(|ty| plain(&module, &module.debug_types[*ty])) {
            let DebugType::Basic { encoding, bits, .. } = ty else { panic!("{ty:?}") };
            assert_eq!((*encoding, *bits), (Encoding::UnsignedChar, 8));
        }
        assert_eq!(body.declared.len(), 1, "{declare}");
    }
}
