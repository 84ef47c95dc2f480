//! Whether the moves of a program can be memoized, and whether its numbers depend on the search.

use raddle_ir::Program;

/// Whether a move depends on, and changes, only its own thread and shared memory: no thread starts, wakes
/// or joins another, and no local step accesses memory.
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
    !wide
        && !numbers_on_first_use(program)
        && program.globals.values().all(|global| !global.private)
}

/// Whether the numbers of threads and objects depend on the order of the search.
pub(crate) fn numbers_on_first_use(program: &Program) -> bool {
    use raddle_ir::InstKind::*;
    let insts = program.funcs.values().flat_map(|func| func.blocks.values());
    let names = insts
        .flat_map(|block| &block.insts)
        .any(|inst| matches!(inst.kind, Spawn { .. } | Alloca { .. } | Malloc { .. }));
    names || program.globals.values().any(|global| global.thread_local)
}
