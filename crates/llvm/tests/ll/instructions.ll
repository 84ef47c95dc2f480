; Every instruction and its operands and flags, as LLVM 19 reads them.
source_filename = "instructions.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i32, i64 }
%struct.outer = type { i8, %struct.pair, [4 x i16] }
%later = type { %struct.pair }

@g = global i32 0, align 4
@fp = global ptr @arithmetic

define i64 @arithmetic(i32 %a, i32 %b, float %f, double %d) {
  %1 = add nuw nsw i32 %a, %b
  %2 = sub nsw i32 %1, -1
  %3 = mul nuw i32 %2, 3
  %4 = udiv exact i32 %3, 2
  %5 = sdiv i32 %4, %b
  %6 = urem i32 %5, 7
  %7 = srem i32 %6, %a
  %8 = shl nuw nsw i32 %7, 1
  %9 = lshr exact i32 %8, 1
  %10 = ashr i32 %9, 2
  %11 = and i32 %10, 255
  %12 = or disjoint i32 %11, 256
  %13 = xor i32 %12, -1
  %14 = fadd fast float %f, 1.0
  %15 = fsub nnan ninf nsz float %14, 5.000000e-01
  %16 = fmul arcp contract afn reassoc float %15, 0x3FD5555560000000
  %17 = fdiv float %16, %f
  %18 = frem float %17, 2.0
  %19 = fneg fast float %18
  %20 = fpext float %19 to double
  %21 = fptrunc double %20 to float
  %22 = fptosi float %21 to i16
  %23 = fptoui double %d to i64
  %24 = sitofp i16 %22 to double
  %25 = uitofp nneg i64 %23 to float
  %26 = trunc nuw i64 %23 to i8
  %27 = zext nneg i8 %26 to i128
  %28 = sext i8 %26 to i64
  %29 = inttoptr i64 %28 to ptr
  %30 = ptrtoint ptr %29 to i64
  %31 = bitcast float %25 to i32
  %32 = addrspacecast ptr %29 to ptr addrspace(1)
  %33 = icmp ult i32 %31, %13
  %34 = icmp eq ptr %29, null
  %35 = fcmp fast ole double %24, 1.0e+10
  %36 = fcmp uno float %25, %25
  %37 = select i1 %33, i64 %30, i64 0
  %38 = freeze i64 %37
  %39 = and i1 %34, %35
  %wide = mul i256 0, 115792089237316195423570985008687907853269984665640564039457584007913129639935
  ret i64 %38
}

define i32 @memory(ptr %p, i32 %n, ptr addrspace(1) %q) {
entry:
  %x = alloca i32, align 4
  %vla = alloca i8, i32 %n, align 16
  %other = alloca %struct.outer, i64 2, align 8, addrspace(0)
  %old = alloca inalloca i32
  store i32 %n, ptr %x, align 4
  store volatile i8 1, ptr %vla, align 1
  store atomic i32 2, ptr %x release, align 4
  store atomic volatile i32 2, ptr %x syncscope("singlethread") seq_cst, align 4
  %0 = load i32, ptr %x, align 4, !tbaa !0
  %1 = load volatile i32, ptr %x
  %2 = load atomic i32, ptr %p monotonic, align 4
  %3 = load atomic volatile i32, ptr %p syncscope("agent") acquire, align 4, !nontemporal !1
  %4 = load i8, ptr addrspace(1) %q, align 1
  fence acquire
  fence syncscope("singlethread") seq_cst
  %5 = cmpxchg ptr %p, i32 %0, i32 %1 acq_rel monotonic, align 4
  %6 = cmpxchg weak volatile ptr %p, i64 0, i64 1 syncscope("singlethread") seq_cst acquire
  %7 = extractvalue { i32, i1 } %5, 1
  %8 = atomicrmw add ptr %p, i32 1 seq_cst, align 4
  %9 = atomicrmw volatile xchg ptr %p, ptr null acquire
  %10 = atomicrmw nand ptr %p, i8 1 monotonic
  %11 = atomicrmw umax ptr %p, i8 1 monotonic
  %12 = atomicrmw fadd ptr %p, float 1.0 monotonic
  %13 = atomicrmw fmax ptr %p, double 1.0 monotonic
  %14 = atomicrmw uinc_wrap ptr %p, i32 9 syncscope("agent") release
  %15 = atomicrmw udec_wrap ptr %p, i32 9 release, align 4
  %16 = getelementptr inbounds %struct.outer, ptr %other, i64 1, i32 2, i64 %index
  %17 = getelementptr inbounds nuw i8, ptr %16, i64 4
  %18 = getelementptr nusw nuw i8, ptr %17, i32 -1
  %19 = getelementptr i8, ptr %18
  %vec = getelementptr i8, ptr %19, <2 x i64> <i64 0, i64 8>
  %index = zext i32 %0 to i64
  %20 = va_arg ptr %p, double
  ret i32 %8
}

define <4 x i32> @vectors(<4 x i32> %a, <4 x i32> %b, { i32, [2 x i8] } %s) {
  %1 = extractelement <4 x i32> %a, i32 0
  %2 = insertelement <4 x i32> %b, i32 %1, i64 1
  %3 = shufflevector <4 x i32> %2, <4 x i32> poison, <2 x i32> <i32 0, i32 poison>
  %4 = shufflevector <2 x i32> %3, <2 x i32> undef, <4 x i32> zeroinitializer
  %5 = add <4 x i32> %4, <i32 1, i32 2, i32 3, i32 4>
  %6 = icmp sgt <4 x i32> %5, splat (i32 2)
  %7 = select <4 x i1> %6, <4 x i32> %5, <4 x i32> %b
  %8 = extractvalue { i32, [2 x i8] } %s, 1, 0
  %9 = insertvalue { i32, [2 x i8] } %s, i8 %8, 1, 1
  %10 = insertvalue { i32, [2 x i8] } poison, i32 0, 0
  %11 = shufflevector <vscale x 4 x i32> undef, <vscale x 4 x i32> undef, <vscale x 4 x i32> zeroinitializer
  ret <4 x i32> %7
}

define i32 @control(i32 %n, ptr %p) {
  br i1 true, label %loop, label %1

1:                                                ; preds = %0
  switch i32 %n, label %2 [
    i32 -1, label %loop
    i32 5, label %"quoted name"
  ], !prof !2

2:
  indirectbr ptr %p, [label %loop, label %"quoted name"]

loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ], [ %n, %1 ], [ 0, %2 ]
  %f = phi fast float [ 0.0, %0 ], [ 1.0, %loop ], [ 2.0, %1 ], [ 3.0, %2 ]
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %n
  br i1 %done, label %"quoted name", label %loop, !llvm.loop !3

"quoted name":
  switch i8 0, label %end []

end:
  ret i32 %n
}

define void @nothing() {
  unreachable
  ret void
}

!0 = !{!1, !1, i64 0}
!1 = !{i32 1}
!2 = !{!"branch_weights", i32 1, i32 2, i32 3}
!3 = distinct !{!3, !4}
!4 = !{!"llvm.loop.mustprogress"}
