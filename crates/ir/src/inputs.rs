//! Inputs for which a program tries only some of the possible values.

use crate::{Callee, FuncId, Function, Inst, InstKind, LocId, Program};
use cranelift_entity::SecondaryMap;

impl Program {
    /// The places where the program takes an input and tries only some of its values (`choose … partial`),
    /// each once, in the order of the functions. A choice inside a library function is reported at the calls
    /// that lead to it. The search covers the whole text of the program, also code that is never reached.
    pub fn partial_inputs(&self) -> Vec<LocId> {
        let takes = self.functions_with_partial_inputs();
        let mut places = Vec::new();
        for func in self.funcs.values().filter(|func| !func.library) {
            places.extend(self.partial(func, &takes).map(|inst| inst.loc));
        }
        if places.is_empty() && self.funcs.keys().any(|id| self.funcs[id].library && takes[id]) {
            // The library function is called through a pointer, or not at all.
            places.push(LocId::NONE);
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// For each function: whether it contains such a choice itself, or calls a library function that does,
    /// directly or indirectly.
    fn functions_with_partial_inputs(&self) -> SecondaryMap<FuncId, bool> {
        let mut takes: SecondaryMap<FuncId, bool> = SecondaryMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for (id, func) in &self.funcs {
                if !takes[id] && self.partial(func, &takes).next().is_some() {
                    takes[id] = true;
                    changed = true;
                }
            }
        }
        takes
    }

    /// The choices of a function, and its calls of library functions that take such inputs.
    fn partial<'p>(
        &'p self,
        func: &'p Function,
        takes: &SecondaryMap<FuncId, bool>,
    ) -> impl Iterator<Item = &'p Inst> {
        let insts = func.blocks.values().flat_map(|block| &block.insts);
        insts.filter(|inst| match inst.kind {
            InstKind::Choose { partial, .. } => partial,
            InstKind::Call { callee: Callee::Direct(to), .. } => {
                self.funcs[to].library && takes[to]
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::text;

    fn places(source: &str) -> Vec<String> {
        let program = text::parse("t.rir", source).expect("the program parses");
        let places = program.partial_inputs();
        places.iter().filter_map(|loc| program.place(*loc)).collect()
    }

    #[test]
    fn choices_and_calls_of_the_library_count() {
        let source = "library func @rand() {
    reg %r: i1
  entry:
    %r = choose i1 0, 0 partial
    ret
}
library func @inner() {
  entry:
    call @rand()
    ret
}
func @f() {
    reg %r: i32
  entry:
    %r = choose i32 0, 3
    %r = choose i32 0, 3 partial
    call @inner()
    ret
}
";
        assert_eq!(places(source), ["t.rir:16", "t.rir:17"]);
    }

    #[test]
    fn a_choice_of_all_values_does_not() {
        let source = "func @f() {\n reg %r: i1\n entry:\n %r = choose i1 0, 1\n ret\n}\n";
        assert!(places(source).is_empty());
    }
}
