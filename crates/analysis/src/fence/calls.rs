//! How often functions are called: a fence in a function takes effect in all of its calls.

use raddle_ir::{Callee, FuncId, InstKind, Program};
use std::collections::{BTreeSet, HashMap};

/// The calls of a function by its name. Calls through pointers are not counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Calls {
    /// The number of instructions that call it.
    pub sites: u32,
    /// The number of functions that have such instructions.
    pub callers: u32,
    /// The number of different call stacks with which it runs, not counting recursion: more than `sites` if
    /// its callers are themselves called several times.
    pub stacks: u32,
}

impl Calls {
    /// What is added to the price of a place in such a function.
    ///
    /// A place of a function with one call stack is as good as a place of its caller. Otherwise a place in the
    /// caller is better, in whatever form it is written, and the more calls there are the more so. A place
    /// without an edit costs more than all of these.
    pub(super) fn price(self) -> u32 {
        const SHARED: u32 = 320;
        match self.stacks {
            0 | 1 => 0,
            stacks => SHARED + 10 * stacks.min(30),
        }
    }
}

/// The calls of each function that is called.
pub(super) fn calls(program: &Program) -> HashMap<FuncId, Calls> {
    let mut sites: HashMap<FuncId, Vec<FuncId>> = HashMap::new();
    for (caller, function) in &program.funcs {
        for inst in function.blocks.values().flat_map(|block| &block.insts) {
            if let InstKind::Call { callee: Callee::Direct(callee), .. } = inst.kind {
                sites.entry(callee).or_default().push(caller);
            }
        }
    }
    let stacks = stacks(program, &sites);
    let count = |(callee, callers): (&FuncId, &Vec<FuncId>)| {
        let different: BTreeSet<FuncId> = callers.iter().copied().collect();
        let calls = Calls {
            sites: callers.len() as u32,
            callers: different.len() as u32,
            stacks: stacks.get(callee).copied().unwrap_or(0),
        };
        (*callee, calls)
    };
    sites.iter().map(count).collect()
}

/// The number of call stacks of each function that is called. A function that nobody calls has one.
fn stacks(program: &Program, callers: &HashMap<FuncId, Vec<FuncId>>) -> HashMap<FuncId, u32> {
    let mut stacks: HashMap<FuncId, u32> = HashMap::new();
    let mut entered: BTreeSet<FuncId> = BTreeSet::new();
    for func in program.funcs.keys() {
        // Each function is left after its callers, but for those that it is itself called by in a circle.
        let mut left = vec![(func, false)];
        while let Some((func, is_done)) = left.pop() {
            let above = callers.get(&func).map_or(&[][..], Vec::as_slice);
            if is_done {
                let of = |caller: &FuncId| stacks.get(caller).copied().unwrap_or(0);
                let total = above.iter().map(of).fold(0, u32::saturating_add);
                stacks.insert(func, total.max(1));
            } else if entered.insert(func) {
                left.push((func, true));
                left.extend(above.iter().map(|caller| (*caller, false)));
            }
        }
    }
    stacks
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By name: call sites, callers, call stacks.
    fn counted(text: &str) -> Vec<(String, (u32, u32, u32))> {
        let program = raddle_ir::text::load("f.rir", text.as_bytes()).expect("a program");
        let calls = calls(&program);
        let named = calls.into_iter().map(|(func, calls)| {
            (program.funcs[func].name.clone(), (calls.sites, calls.callers, calls.stacks))
        });
        let mut named: Vec<_> = named.collect();
        named.sort();
        named
    }

    #[test]
    fn callers_of_callers_make_more_stacks() {
        let found = counted(
            "thread a = @a()\nthread b = @b()\n\
             func @a() {\n  entry:\n    call @wrapper()\n    call @wrapper()\n    ret\n}\n\
             func @b() {\n  entry:\n    call @wrapper()\n    call @once()\n    ret\n}\n\
             func @wrapper() {\n  entry:\n    call @helper()\n    ret\n}\n\
             func @once() {\n  entry:\n    ret\n}\n\
             func @helper() {\n  entry:\n    ret\n}\n",
        );
        let wanted = [("helper", (1, 1, 3)), ("once", (1, 1, 1)), ("wrapper", (3, 2, 3))];
        assert_eq!(found, wanted.map(|(name, calls)| (name.to_owned(), calls)));
    }

    /// A circle has no end of stacks; each of its calls counts once.
    #[test]
    fn recursion_ends() {
        let found = counted(
            "thread a = @a()\n\
             func @a() {\n  entry:\n    call @even()\n    ret\n}\n\
             func @even() {\n  entry:\n    call @odd()\n    ret\n}\n\
             func @odd() {\n  entry:\n    call @even()\n    ret\n}\n",
        );
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(_, (.., stacks))| (1..=2).contains(stacks)), "{found:?}");
    }

    #[test]
    fn more_calls_cost_more_but_less_than_no_edit() {
        let price = |stacks| Calls { stacks, ..Calls::default() }.price();
        assert_eq!((price(0), price(1)), (0, 0));
        assert!(price(2) > 300 && price(3) > price(2) && price(u32::MAX) < 700);
    }
}
