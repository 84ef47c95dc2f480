//! Programs whose moves can be remembered.

use raddle_ir::Program;

/// Whether a move changes nothing but its own thread and, if it writes, shared memory, and depends
/// on nothing else: nobody is started, woken or waited for, and no local step touches memory.
pub(crate) fn is_memoizable(program: &Program) -> bool {
    use raddle_ir::InstKind::*;
    let mut blocks = program.funcs.values().flat_map(|func| func.blocks.values());
    let wide = blocks.any(|block| {
        let mut insts = block.insts.iter();
        insts.any(|inst| {
            let kind = &inst.kind;
            matches!(kind, Join { .. } | CondWait { .. } | CondSignal { .. } | Format { .. })
                || matches!(kind, CondBroadcast { .. })
        })
    });
    !wide && !names_as_it_goes(program) && program.globals.values().all(|global| !global.private)
}

/// Whether numbers of threads and objects depend on the order of the search.
pub(crate) fn names_as_it_goes(program: &Program) -> bool {
    use raddle_ir::InstKind::*;
    let insts = program.funcs.values().flat_map(|func| func.blocks.values());
    let names = insts
        .flat_map(|block| &block.insts)
        .any(|inst| matches!(inst.kind, Spawn { .. } | Alloca { .. } | Malloc { .. }));
    names || program.globals.values().any(|global| global.thread_local)
}
