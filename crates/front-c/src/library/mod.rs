//! The C library, as IR text: its functions and variables, and how they are linked in.
//!
//! Each `*.rir` file covers a header. A file is parsed when one of its items is first needed, and only
//! reachable items become part of a program. A file declares the functions of other files that it uses;
//! all files share one name space. The last parameter of a variadic function is called `va`
//! (see [`crate::shape`]).

mod unused;

pub(crate) use unused::drop_calls;

use crate::lower::ProgramLowering;
use raddle_ir::{
    Callee, FuncId, Function, Global, GlobalId, Inst, InstKind, LocId, Operand, Program, RegInfo,
    Type, text,
};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;

/// Name and contents of each file.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// Functions whose results depend on the environment; the library invents their results.
const STAND_INS: &[&str] = &[
    "clock",
    "clock_gettime",
    "getenv",
    "getpid",
    "gettid",
    "gettimeofday",
    "lrand48",
    "rand",
    "rand_r",
    "random",
    "secure_getenv",
    "sysconf",
    "time",
    "timespec_get",
];

/// The stand-in functions that a program uses, in alphabetical order.
pub(crate) fn stand_ins(program: &Program) -> Vec<&'static str> {
    let used = program.funcs.values().filter(|func| func.library && !func.blocks.is_empty());
    let mut found: Vec<_> =
        used.filter_map(|func| STAND_INS.iter().copied().find(|name| *name == func.name)).collect();
    found.sort_unstable();
    found
}

/// Whether the library invents the results of this function.
pub(crate) fn is_stand_in(name: &str) -> bool {
    STAND_INS.contains(&name)
}

/// Marks the choices of stand-in functions as partial: they give only some of the possible values.
pub(crate) fn mark_stand_ins(program: &mut Program) {
    for func in program.funcs.values_mut().filter(|func| func.library) {
        let Some(block) = func.blocks.values_mut().next() else { continue };
        if STAND_INS.contains(&func.name.as_str()) {
            let dst = func.regs.push(RegInfo::new(Type::BOOL, None));
            let kind = InstKind::Choose { dst, ty: Type::BOOL, lo: 0, hi: 0, partial: true };
            block.insts.insert(0, Inst { kind, loc: LocId::NONE });
        }
    }
}

/// An index of the library: the file that defines each name.
pub(crate) struct Library {
    functions: FxHashMap<&'static str, usize>,
    variables: FxHashMap<&'static str, usize>,
    parsed: Vec<OnceCell<Parsed>>,
}

/// A parsed file, with an index of its names.
struct Parsed {
    program: Program,
    functions: FxHashMap<String, FuncId>,
    variables: FxHashMap<String, GlobalId>,
}

impl Library {
    /// Builds the index from the first words of lines, without parsing.
    pub(crate) fn new() -> Library {
        let mut library = Library {
            functions: FxHashMap::default(),
            variables: FxHashMap::default(),
            parsed: FILES.iter().map(|_| OnceCell::new()).collect(),
        };
        for (file, (_, contents)) in FILES.iter().enumerate() {
            for line in contents.lines() {
                match outline(line) {
                    Some(Item::Function(name)) => library.functions.insert(name, file),
                    Some(Item::Variable(name)) => library.variables.insert(name, file),
                    None => None,
                };
            }
        }
        library
    }

    /// Whether the library has a function of that name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    /// The names of the functions that programs may call.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().copied().filter(|name| !name.starts_with("raddle."))
    }

    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    fn file(&self, file: usize) -> &Parsed {
        self.parsed[file].get_or_init(|| {
            let (name, contents) = FILES[file];
            match text::parse(name, contents) {
                Ok(program) => Parsed::new(program),
                // Inputs cannot change these files, and a test parses all of them.
                Err(diagnostic) => unreachable!("the library is well-formed: {diagnostic}"),
            }
        })
    }

    fn find(&self, name: &str) -> Option<(&Parsed, &Function)> {
        let parsed = self.file(*self.functions.get(name)?);
        let id = parsed.functions.get(name)?;
        Some((parsed, &parsed.program.funcs[*id]))
    }

    fn find_variable(&self, name: &str) -> Option<(&Parsed, &Global)> {
        let parsed = self.file(*self.variables.get(name)?);
        let id = parsed.variables.get(name)?;
        Some((parsed, &parsed.program.globals[*id]))
    }

    /// A function without its body.
    pub(crate) fn declaration(&self, name: &str) -> Option<Function> {
        let (_, function) = self.find(name)?;
        let mut declared = function.clone();
        declared.blocks.clear();
        declared.regs = function.params.iter().map(|param| function.regs[*param].clone()).collect();
        declared.loc = LocId::NONE;
        Some(declared)
    }

    /// A function, with its references translated to ids of `into`.
    pub(crate) fn function(&self, name: &str, into: &mut ProgramLowering<'_>) -> Option<Function> {
        let (parsed, function) = self.find(name)?;
        let mut function = function.clone();
        function.loc = LocId::NONE;
        for block in function.blocks.values_mut() {
            for inst in &mut block.insts {
                inst.loc = LocId::NONE;
                inst.kind.for_each_operand_mut(|operand| parsed.relocate(operand, into));
                if let InstKind::Call { callee: Callee::Direct(id), .. }
                | InstKind::Spawn { callee: Callee::Direct(id), .. } = &mut inst.kind
                {
                    *id = parsed.function(*id, into);
                }
            }
            block.term.loc = LocId::NONE;
            if let Some(operand) = block.term.kind.operand_mut() {
                parsed.relocate(operand, into);
            }
        }
        Some(function)
    }

    /// A variable, with its references translated to ids of `into`.
    pub(crate) fn variable(&self, name: &str, into: &mut ProgramLowering<'_>) -> Option<Global> {
        let (parsed, global) = self.find_variable(name)?;
        let mut global = global.clone();
        for (_, operand) in &mut global.relocs {
            parsed.relocate(operand, into);
        }
        Some(global)
    }

    /// A variable without its contents.
    pub(crate) fn variable_declaration(&self, name: &str) -> Option<Global> {
        let (_, global) = self.find_variable(name)?;
        Some(Global { relocs: Vec::new(), ..global.clone() })
    }
}

impl Parsed {
    fn new(program: Program) -> Parsed {
        let functions = program.funcs.iter().map(|(id, f)| (f.name.clone(), id)).collect();
        let variables = program.globals.iter().map(|(id, g)| (g.name.clone(), id)).collect();
        Parsed { program, functions, variables }
    }

    fn function(&self, id: FuncId, into: &mut ProgramLowering<'_>) -> FuncId {
        into.needed_function(&self.program.funcs[id])
    }

    fn relocate(&self, operand: &mut Operand, into: &mut ProgramLowering<'_>) {
        match operand {
            Operand::Func(id) => *id = self.function(*id, into),
            Operand::Global(id, _) => *id = into.needed_variable(&self.program.globals[*id]),
            _ => {}
        }
    }
}

enum Item<'t> {
    Function(&'t str),
    Variable(&'t str),
}

/// The item whose definition starts on this line. Items start in the first column; a body starts on the
/// same line.
fn outline(line: &str) -> Option<Item<'_>> {
    if line.starts_with([' ', '/', '}']) {
        return None;
    }
    let (before, after) = line.split_once('@')?;
    let name = after.split(['(', ':', ' ']).next()?;
    let mut words = before.split_whitespace();
    if words.clone().any(|word| word == "global") {
        return Some(Item::Variable(name));
    }
    (words.any(|word| word == "func") && line.trim_end().ends_with('{'))
        .then_some(Item::Function(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_ir::verify::errors;

    #[test]
    fn every_file_is_well_formed_and_what_the_outline_says() {
        let library = Library::new();
        for (file, (name, _)) in FILES.iter().enumerate() {
            let parsed = library.file(file);
            if let Some(error) = errors(&parsed.program).first() {
                panic!("{name}: {}", error.diagnostic(&parsed.program));
            }
            for function in parsed.program.funcs.values().filter(|f| !f.blocks.is_empty()) {
                assert_eq!(
                    library.functions.get(&*function.name),
                    Some(&file),
                    "{}",
                    function.name
                );
            }
        }
    }

    #[test]
    fn stand_ins_are_there_and_noticed() {
        let library = Library::new();
        for name in STAND_INS {
            assert!(library.has(name), "{name}");
        }
        let text = "declare i32 @rand()
                    declare i64 @time(ptr)
                    define i32 @main() {
                      %r = call i32 @rand()
                      ret i32 %r
                    }";
        let options = crate::Options::default();
        let program = crate::lower_text("t.ll", text.as_bytes(), &options).expect("a program");
        assert_eq!(stand_ins(&program), ["rand"]);
    }

    #[test]
    fn outlines() {
        let name = |line| match outline(line) {
            Some(Item::Function(name) | Item::Variable(name)) => Some(name),
            None => None,
        };
        assert_eq!(name("library func @f(%a: i32) -> i32 {"), Some("f"));
        assert_eq!(name("private thread_local global @g: i32"), Some("g"));
        assert_eq!(name("func @declared()"), None);
        assert_eq!(name("// global @g"), None);
        assert_eq!(name("    store i32 @g, 1"), None);
    }
}
