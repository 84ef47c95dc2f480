//! Services of the library that a program does not use, and that it need not pay for.
//!
//! Every thread ends with the destructors of its keys. Without a way to create keys there are none, and
//! the call goes: it would run at the end of every thread in every execution.

use raddle_ir::{Callee, FuncId, InstKind, Program};

/// What is called, and what makes it necessary.
const SERVICES: [(&str, &[&str]); 1] =
    [("raddle.keys.destroy", &["pthread_key_create", "tss_create"])];

/// Removes calls that have nothing to do.
pub fn drop_calls(program: &mut Program) {
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
