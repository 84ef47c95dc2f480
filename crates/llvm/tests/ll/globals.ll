; Types, globals and constants.
module asm ".globl toplevel"
module asm "toplevel: ret"

%0 = type { i32, %1 }
%1 = type { ptr, %named }
%named = type <{ i8, i32 }>
%opaque = type opaque
%"with space" = type { %named, [0 x i8] }
%alias = type i32
%function = type void (i32, ...)

$group = comdat any
$const = comdat any
$"quoted group" = comdat largest

@plain = global i32 1
@0 = private unnamed_addr constant [6 x i8] c"a\22b\5C\0A\00", align 1
@1 = private unnamed_addr constant [3 x i8] c"abc"
@"quoted \C3\A9" = dso_local local_unnamed_addr global i64 2, section "data", align 64
@"\01renamed" = external global i32
@tls = thread_local(initialexec) global i32 3, align 4
@tls2 = internal thread_local global ptr null
@weak = weak_odr hidden global i8 4, comdat($group)
@common = common global [10 x i32] zeroinitializer, align 16
@extern_weak = extern_weak global i32
@const = linkonce_odr constant %named <{ i8 1, i32 2 }>, comdat, align 1
@space = addrspace(1) externally_initialized global i32 undef, partition "part"
@appending = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @f, ptr null }]
@nested = global %0 { i32 -1, %1 { ptr @nested, %named zeroinitializer } }
@spaced = global %"with space" { %named <{ i8 0, i32 0 }>, [0 x i8] zeroinitializer }
@unknown = external global %opaque
@aliased_type = global %alias 7
@attached = global i32 0, !dbg !0, no_sanitize_address
@grouped = global i32 0 #0
@code_model = external global i32, code_model "large"

@alias = alias i32, ptr @plain
@inside = hidden alias i32, getelementptr inbounds (i32, ptr @common, i64 2)
@resolved = ifunc void (), ptr @resolver

@halves = global half 0xH3C00
@bfloats = global bfloat 0xR3F80
@floats = global [4 x float] [float 1.0, float -0.000000e+00, float 0x36A0000000000000, float 0x7FF8000000000000]
@doubles = global <2 x double> <double 4.9406564584124654E-324, double 0xFFF0000000000000>
@x87 = global x86_fp80 0xK4000C90FDAA22168C235
@quad = global fp128 0xL00000000000000007FFF000000000000
@ppc = global ppc_fp128 0xM4D436562A0416DE00000000000000000
@widest = global i128 -170141183460469231731687303715884105728
@wide = global i256 1
@odd = global i7 127
@bools = global [2 x i1] [i1 true, i1 false]
@vectors = global <4 x i32> <i32 1, i32 undef, i32 poison, i32 4>
@hexadecimal = global i16 u0xFFFF

@address = global i64 ptrtoint (ptr @plain to i64)
@difference = global i32 trunc (i64 sub (i64 ptrtoint (ptr @plain to i64), i64 ptrtoint (ptr @common to i64)) to i32)
@element = global ptr getelementptr inbounds ([10 x i32], ptr @common, i64 0, i64 3)
@ranged = global ptr getelementptr inbounds nuw inrange(-8, 16) (i8, ptr @common, i64 8)
@integer = global ptr inttoptr (i64 4096 to ptr)
@cast = global ptr addrspacecast (ptr addrspace(1) @space to ptr)
@xored = global i64 xor (i64 ptrtoint (ptr @plain to i64), i64 -1)
@blocks = global [2 x ptr] [ptr blockaddress(@jumps, %target), ptr blockaddress(@jumps, %2)]
@equivalent = global ptr dso_local_equivalent @f
@unchecked = global ptr no_cfi @f
@signed = global ptr ptrauth (ptr @f, i32 0, i64 1234)

declare void @f()
declare void @unnamed(i32, ptr) addrspace(0)

define ptr @resolver() {
  ret ptr @f
}

define void @jumps(ptr %0) {
  indirectbr ptr %0, [label %target, label %2]

target:
  br label %2

2:
  ret void
}

uselistorder ptr @f, { 1, 0, 2, 3 }

!named.metadata = !{!0, !1}
!0 = distinct !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = !{null, !"string", i32 5, ptr @plain, !{!0}}
!2 = !DIEnumerator(name: "a", value: -5)

^0 = module: (path: "a.o", hash: (0, 0, 0, 0, 0))
^1 = gv: (guid: 123, summaries: (function: (module: ^0, flags: (linkage: external, live: 0), insts: 2)))
^2 = blockcount: 5
