; Calls in all their forms, inline assembly, exceptions.
$inline = comdat any

%struct.big = type { [8 x i64] }
%struct.empty = type {}

@table = internal constant [2 x ptr] [ptr @callee, ptr null]
@_ZTIi = external constant ptr

declare i32 @printf(ptr noundef, ...) #0
declare void @callee(i32 noundef zeroext, ptr nocapture readonly align 8 dereferenceable(16)) local_unnamed_addr #1
declare void @big(ptr byval(%struct.big) align 8, ptr noalias sret(%struct.big))
declare noundef nonnull align 16 dereferenceable(8) ptr @attributes(i1 noundef signext) nounwind memory(none) allocsize(0) "no-trapping-math"="true"
declare fastcc void @convention()
declare cc 10 void @numbered()
declare void @llvm.dbg.declare(metadata, metadata, metadata)
declare void @llvm.assume(i1)
declare i32 @__gxx_personality_v0(...)
declare i32 @__CxxFrameHandler3(...)

define linkonce_odr dso_local range(i32 0, 10) i32 @inline(i32 range(i32 0, 5) %x) unnamed_addr section "text" comdat align 16 gc "shadow-stack" prefix i32 1 prologue i8 2 {
  ret i32 %x
}

define i32 @calls(ptr %f, i32 %n, ...) #0 {
  %1 = call i32 (ptr, ...) @printf(ptr noundef @table, i32 noundef %n, double noundef 1.5)
  call void @callee(i32 noundef zeroext 1, ptr align 8 null)
  tail call void @callee(i32 2, ptr %f) #1
  notail call fastcc void @convention()
  call cc 10 void @numbered() nounwind
  %2 = call fast float %f(float 1.0)
  %3 = call noundef nonnull align 16 ptr @attributes(i1 true) "key"="value"
  call void @big(ptr noundef byval(%struct.big) align 8 %f, ptr sret(%struct.big) align 8 %3)
  call void inttoptr (i64 4096 to ptr)()
  call void @llvm.dbg.declare(metadata ptr %f, metadata !0, metadata !DIExpression(DW_OP_plus_uconst, 8))
  call void @llvm.dbg.declare(metadata !{}, metadata !"text", metadata i32 5)
  call void @llvm.assume(i1 true) [ "align"(ptr %f, i64 8), "tag"() ]
  %4 = call i32 %f()
  call %struct.empty %f()
  %6 = call i32 %f(i32 %4)
  %7 = musttail call i32 (ptr, i32, ...) @calls(ptr %f, i32 %n, ...)
  ret i32 %7
}

define i64 @assembly(i64 %v, ptr %p) {
  call void asm sideeffect "mfence", "~{memory},~{dirflag},~{fpsr},~{flags}"(), !srcloc !0
  %1 = call { i64, i64 } asm "mulq $2\0A\09nop # \22quoted\22", "={dx},={ax},r,1"(i64 %v, i64 5)
  %2 = call i64 asm sideeffect alignstack inteldialect unwind "mov rax, $1", "=r,*m"(ptr elementtype(i64) %p)
  ret i64 %2
}

define i32 @jump(i32 %v) {
  callbr void asm sideeffect "jne ${1:l}", "r,!i"(i32 %v)
          to label %1 [label %nonzero]

1:
  ret i32 0

nonzero:
  ret i32 1
}

define i32 @exceptions(ptr %f) personality ptr @__gxx_personality_v0 {
  %1 = invoke i32 %f(i32 noundef 1) #1
          to label %fine unwind label %caught

fine:
  invoke void %f() [ "deopt"() ] to label %done unwind label %filtered

caught:
  %2 = landingpad { ptr, i32 }
          cleanup
          catch ptr @_ZTIi
          catch ptr null
  resume { ptr, i32 } %2

filtered:
  %3 = landingpad { ptr, i32 }
          filter [1 x ptr] [ptr @_ZTIi]
  %4 = extractvalue { ptr, i32 } %3, 0
  unreachable

done:
  ret i32 %1
}

define void @funclets(ptr %f) personality ptr @__CxxFrameHandler3 {
  invoke void %f() to label %done unwind label %dispatch

dispatch:
  %switch = catchswitch within none [label %handler] unwind label %cleanup

handler:
  %pad = catchpad within %switch [ptr null, i32 64, ptr %f]
  catchret from %pad to label %done

cleanup:
  %clean = cleanuppad within none []
  cleanupret from %clean unwind to caller

done:
  ret void
}

attributes #0 = { noinline nounwind "frame-pointer"="all" alignstack=16 memory(argmem: readwrite) }
attributes #1 = { cold }

!0 = !{i64 155}
