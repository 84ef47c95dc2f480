//! Removal of calls to library services that a program does not use.
//!
//! Every thread ends with the destructors of its keys. If the program cannot create keys, it has no
//! destructors, and the call is removed: it would cost time at the end of every thread in every execution.

use raddle_ir::{Callee, FuncId, InstKind, Program};

/// The function that is called, and the functions that make the call necessary.
const SERVICES: [(&str, &[&str]); 1] =
    [("raddle.keys.destroy", &["pthread_key_create", "tss_create"])];

/// Removes calls that have no effect.
pub(crate) fn drop_calls(program: &mut Program) {
    for (service, users) in SERVICES {
        let called = |name: &str| {
            let mut found = program.funcs.iter().filter(|(_, function)| function.name == name);
            found.find(|(_, function)| !function.blocks.is_empty()).map(|(id, _)| id)
        };
        if let (Some(id), true) = (called(service), users.iter().all(|user| called(user).is_none()))
        {
            remove(program, id);
        }
    }
}

fn remove(program: &mut Program, callee: FuncId) {
    for function in program.funcs.values_mut().filter(|function| function.library) {
        for block in function.blocks.values_mut() {
            block.insts.retain(|inst| {
                !matches!(&inst.kind, InstKind::Call { callee: Callee::Direct(id), .. } if *id == callee)
            });
        }
    }
}
