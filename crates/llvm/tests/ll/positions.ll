; Positions: nodes before and after their use, distinct and inline, scopes, inlining, records.
source_filename = "dir/main.c"

define i32 @main(i32 %n) !dbg !5 {
  %1 = add i32 %n, 1, !dbg !10
    #dbg_value(i32 %1, !20, !DIExpression(), !10)
  %2 = add i32 %1, 2, !dbg !11, !annotation !21
    #dbg_declare(ptr null, !20, !DIExpression(DW_OP_deref), !10)
  %3 = add i32 %2, 3, !dbg !12
    #dbg_label(!22, !10)
  %4 = add i32 %3, 4, !nosanitize !7, !dbg !DILocation(line: 40, column: 4, scope: !5)
  %5 = add i32 %4, 5, !dbg !13
  %6 = add i32 %5, 6
  ret i32 %6, !dbg !14
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3, !4}

!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "clang (1)", isOptimized: false, runtimeVersion: 0, emissionKind: LineTablesOnly, splitDebugInlining: false)
!1 = !DIFile(filename: "dir/main.c", directory: "/work", checksumkind: CSK_MD5, checksum: "0123456789abcdef0123456789abcdef")
!2 = !DIFile(filename: "header \22h\22.h", directory: "/work")
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = !{i32 7, !"Dwarf Version", i32 5}
!5 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 3, type: !6, scopeLine: 4, flags: DIFlagPrototyped | DIFlagAllCallsDescribed, spFlags: DISPFlagDefinition, unit: !0, retainedNodes: !7)
!6 = !DISubroutineType(types: !7)
!7 = !{}
!8 = distinct !DILexicalBlock(scope: !5, file: !1, line: 20, column: 3)
!9 = !DILexicalBlockFile(scope: !8, file: !2, discriminator: 0)
!10 = !DILocation(line: 10, column: 1, scope: !5)
!11 = !DILocation(line: 20, column: 2, scope: !8)
!12 = !DILocation(line: 30, column: 3, scope: !9)
!13 = distinct !DILocation(line: 50, column: 5, scope: !15, inlinedAt: !16)
!14 = !DILocation(line: 0, scope: !5)
!15 = distinct !DISubprogram(name: "helper", scope: !2, file: !2, line: 1, spFlags: DISPFlagDefinition, unit: !0)
!16 = distinct !DILocation(line: 60, column: 6, scope: !17, inlinedAt: !18)
!17 = distinct !DISubprogram(name: "middle", scope: !1, file: !1, line: 2, spFlags: DISPFlagDefinition, unit: !0)
!18 = distinct !DILocation(line: 70, column: 7, scope: !8)
!20 = !DILocalVariable(name: "x", scope: !5, file: !1, line: 4)
!21 = !{!"note"}
!22 = !DILabel(scope: !5, name: "l", file: !1, line: 5)
