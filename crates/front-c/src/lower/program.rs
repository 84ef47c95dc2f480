//! The program during construction.
//!
//! Only code that is reachable from the start is translated: a reference to a function or variable
//! allocates its id at once and defers its body ([`ProgramLowering::finish`] processes the deferred bodies).

use super::fixed;
use super::function;
use super::global;
use super::special::source_name;
use crate::escape::Escapes;
use crate::inline_asm::Machine;
use crate::library::{self, Library};
use crate::link::{Links, Symbol, Unit};
use crate::shape::Signature;
use crate::source::{self, Sources, is_system_file};
use crate::undefined::{self, Undefined};
use crate::{Options, tidy};
use cranelift_entity::SecondaryMap;
use raddle_ir::{
    CallSite, Diagnostic, FuncId, Function, FunctionBuilder, Global, GlobalId, Loc, LocId, Operand,
    Program, SourceId, Type as Scalar,
};
use raddle_llvm::ast::{self, DebugId, GlobalKind, Linkage};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A longer chain of aliases is taken for a cycle.
pub(super) const MAX_ALIASES: u32 = 64;

/// The inputs of the lowering.
#[derive(Clone, Copy)]
pub(crate) struct Source<'m> {
    pub units: &'m [Unit],
    pub links: &'m Links<'m>,
    pub escapes: &'m Escapes,
    pub library: &'m Library,
    pub options: &'m Options,
}

/// A function or variable that has an id but is not translated yet.
enum Pending {
    Function(FuncId, Symbol),
    Variable(GlobalId, Symbol),
    LibraryFunction(FuncId, String),
    LibraryVariable(GlobalId, String),
}

/// A program, and remarks on it.
#[derive(Debug)]
pub(crate) struct Lowered {
    pub program: Program,
    /// The machines of its inline assembly.
    pub machines: BTreeSet<Machine>,
    pub undefined: Vec<Undefined>,
    /// The functions that headers of the compiler or the system define.
    pub foreign: BTreeSet<FuncId>,
}

pub(crate) struct ProgramLowering<'m> {
    pub source: Source<'m>,
    pub program: Program,
    functions: FxHashMap<Symbol, FuncId>,
    variables: FxHashMap<Symbol, GlobalId>,
    library_functions: FxHashMap<String, FuncId>,
    library_variables: FxHashMap<String, GlobalId>,
    function_names: FxHashSet<String>,
    variable_names: FxHashSet<String>,
    pending: Vec<Pending>,
    /// For each unit, the positions that are already in the program's table.
    locs: Vec<SecondaryMap<ast::LocId, Option<LocId>>>,
    files: FxHashMap<String, u32>,
    /// The types of the source that are already in the program's table.
    pub sources: Sources,
    /// For calls, the types of the objects that they allocate; `None` if calls of one position disagree.
    pub allocations: BTreeMap<CallSite, Option<SourceId>>,
    /// For calls that start a thread: the function that it runs; `None` if they disagree.
    pub starts: BTreeMap<CallSite, Option<FuncId>>,
    /// The machines of the inline assembly.
    pub machines: BTreeSet<Machine>,
    /// The functions that headers of the compiler or the system define.
    pub foreign: BTreeSet<FuncId>,
}

impl<'m> ProgramLowering<'m> {
    pub(crate) fn new(name: &str, source: Source<'m>) -> ProgramLowering<'m> {
        ProgramLowering {
            source,
            program: Program { name: name.to_owned(), ..Program::default() },
            functions: FxHashMap::default(),
            variables: FxHashMap::default(),
            library_functions: FxHashMap::default(),
            library_variables: FxHashMap::default(),
            function_names: FxHashSet::default(),
            variable_names: FxHashSet::default(),
            pending: Vec::new(),
            locs: source.units.iter().map(|_| SecondaryMap::default()).collect(),
            files: FxHashMap::default(),
            sources: Sources::new(source.units.len()),
            allocations: BTreeMap::new(),
            starts: BTreeMap::new(),
            machines: BTreeSet::new(),
            foreign: BTreeSet::new(),
        }
    }

    /// Translates everything that was referred to, directly or indirectly.
    pub(crate) fn finish(mut self) -> Result<Lowered, Diagnostic> {
        while let Some(pending) = self.pending.pop() {
            match pending {
                Pending::Function(id, symbol) => {
                    self.program.funcs[id] = function::lower(&mut self, symbol, id);
                }
                Pending::Variable(id, symbol) => {
                    let global = global::lower(&mut self, symbol, id)?;
                    self.program.globals[id] = global;
                }
                Pending::LibraryFunction(id, name) => {
                    let library = self.source.library;
                    let name_here = self.program.funcs[id].name.clone();
                    if let Some(mut function) = library.function(&name, &mut self) {
                        function.name = name_here;
                        self.program.funcs[id] = function;
                    }
                }
                Pending::LibraryVariable(id, name) => {
                    let library = self.source.library;
                    let name_here = self.program.globals[id].name.clone();
                    if let Some(mut global) = library.variable(&name, &mut self) {
                        global.name = name_here;
                        self.program.globals[id] = global;
                    }
                }
            }
        }
        let allocations = std::mem::take(&mut self.allocations).into_iter();
        self.program.allocations = allocations.filter_map(|(at, ty)| Some((at, ty?))).collect();
        let starts = std::mem::take(&mut self.starts).into_iter();
        self.program.starts = starts.filter_map(|(at, func)| Some((at, func?))).collect();
        source::prune(&mut self.program);
        library::drop_calls(&mut self.program);
        fixed::read(&mut self.program);
        let functions = self.program.funcs.values_mut();
        functions.filter(|function| !function.library).for_each(tidy::run);
        let undefined = self.undefined();
        let ProgramLowering { program, machines, foreign, .. } = self;
        Ok(Lowered { program, machines, undefined, foreign })
    }

    /// The functions that code refers to and that have no body.
    fn undefined(&self) -> Vec<Undefined> {
        let own = self.functions.iter().map(|(symbol, id)| (*id, self.name(*symbol)));
        let of_library = self.library_functions.iter().map(|(name, id)| (*id, &**name));
        let Source { units, library, .. } = self.source;
        let known = library.names().chain(units.iter().flat_map(|unit| {
            let defined = unit.module.functions().filter(|(_, function)| function.body.is_some());
            defined.filter_map(|(id, _)| unit.module.symbol(id))
        }));
        undefined::list(&self.program, own.chain(of_library), known)
    }

    pub(crate) fn unit(&self, symbol: Symbol) -> &'m Unit {
        &self.source.units[symbol.unit]
    }

    pub(crate) fn global_value(&self, symbol: Symbol) -> &'m ast::GlobalValue {
        self.unit(symbol).module.global(symbol.global)
    }

    /// The name of a symbol in the source; numbered globals have no name.
    pub(crate) fn name(&self, symbol: Symbol) -> &'m str {
        self.unit(symbol).module.symbol(symbol.global).unwrap_or("unnamed")
    }

    /// The definition that a reference denotes. Follows aliases that are just another name.
    pub(crate) fn definition(&self, symbol: Symbol) -> Symbol {
        let mut at = self.source.links.resolve(self.source.units, symbol);
        for _ in 0..MAX_ALIASES {
            let GlobalKind::Alias { target, .. } = &self.global_value(at).kind else {
                break;
            };
            let ast::ConstKind::Global(next) = self.unit(at).module.constant(*target).kind else {
                break;
            };
            let next = Symbol { unit: at.unit, global: next };
            at = self.source.links.resolve(self.source.units, next);
        }
        at
    }

    /// The address of a symbol's definition, through at most `depth` aliases into objects.
    pub(super) fn address(&mut self, symbol: Symbol, depth: u32) -> Operand {
        let symbol = self.definition(symbol);
        let value = self.global_value(symbol);
        let absent = value.linkage == Linkage::ExternWeak;
        match &value.kind {
            GlobalKind::Function(function) => {
                let name = self.name(symbol);
                let defined = function.body.is_some()
                    || self.source.options.stub(name).is_some()
                    || self.source.library.has(known_as(name));
                if absent && !defined {
                    return Operand::Int(0);
                }
                Operand::Func(self.function(symbol))
            }
            GlobalKind::Variable(variable) => {
                let name = self.name(symbol);
                if absent && variable.init.is_none() && !self.source.library.has_variable(name) {
                    return Operand::Int(0);
                }
                Operand::Global(self.variable(symbol), 0)
            }
            GlobalKind::IFunc { .. } => Operand::Func(self.function(symbol)),
            GlobalKind::Alias { target, .. } => {
                let Some(depth) = depth.checked_sub(1) else {
                    return Operand::Undef;
                };
                self.alias(symbol, *target, depth)
            }
        }
    }

    /// An alias into the middle of an object.
    fn alias(&mut self, symbol: Symbol, target: ast::ConstId, depth: u32) -> Operand {
        use super::constant::{Folded, fold_within};
        match fold_within(self, symbol.unit, target, depth) {
            Folded::Address(Operand::Global(id, base), offset) => {
                Operand::Global(id, base.wrapping_add(offset))
            }
            Folded::Address(operand, 0) => operand,
            _ => Operand::Undef,
        }
    }

    // ---- ids ----

    /// The function for a symbol that is already resolved to a definition: with the body of the symbol, with
    /// the body from the library, or without a body.
    pub(crate) fn function(&mut self, symbol: Symbol) -> FuncId {
        if let Some(id) = self.functions.get(&symbol) {
            return *id;
        }
        let unit = self.unit(symbol);
        let name = self.name(symbol);
        let function = match &self.global_value(symbol).kind {
            GlobalKind::Function(function) => Some(&**function),
            _ => None,
        };
        let defined = function.is_some_and(|function| function.body.is_some());
        let stub = if defined { None } else { self.source.options.stub(name) };
        if !defined
            && stub.is_none()
            && let Some(id) = self.library_function(name)
        {
            self.functions.insert(symbol, id);
            return id;
        }
        let signature = function.map(|function| Signature::of(unit, function.ty));
        let body = stub.map(|stub| {
            stub.body(&signature.clone().unwrap_or_default(), &self.source.options.nondet)
        });
        let id = self.declare(name, signature);
        if let Some(body) = body {
            let name = std::mem::take(&mut self.program.funcs[id].name);
            self.program.funcs[id] = Function { name, ..body };
        }
        self.functions.insert(symbol, id);
        if defined {
            self.pending.push(Pending::Function(id, symbol));
        }
        id
    }

    /// A library function, under its public name.
    pub(crate) fn library_function(&mut self, name: &str) -> Option<FuncId> {
        let name = known_as(name);
        let spurious = format!("raddle.spurious.{name}");
        let library = self.source.library;
        let name = if self.source.options.spurious_wakeups && library.has(&spurious) {
            &spurious
        } else {
            name
        };
        if let Some(id) = self.library_functions.get(name) {
            return Some(*id);
        }
        let mut declared = library.declaration(name)?;
        declared.name = unique(&mut self.function_names, name);
        let id = self.program.funcs.push(declared);
        self.library_functions.insert(name.to_owned(), id);
        self.pending.push(Pending::LibraryFunction(id, name.to_owned()));
        Some(id)
    }

    pub(crate) fn library_variable(&mut self, name: &str) -> Option<GlobalId> {
        if let Some(id) = self.library_variables.get(name) {
            return Some(*id);
        }
        let mut global = self.source.library.variable_declaration(name)?;
        global.name = unique(&mut self.variable_names, name);
        let id = self.program.globals.push(global);
        self.library_variables.insert(name.to_owned(), id);
        self.pending.push(Pending::LibraryVariable(id, name.to_owned()));
        Some(id)
    }

    /// A function that the library refers to: from the library, from the program, or without a body.
    pub(crate) fn needed_function(&mut self, declared: &Function) -> FuncId {
        let name = &declared.name;
        if let Some(id) = self.library_function(name) {
            return id;
        }
        if let Some(symbol) = self.source.links.find(name) {
            let symbol = self.definition(symbol);
            return self.function(symbol);
        }
        let params = declared.params.iter().map(|param| declared.regs[*param].ty).collect();
        let id = self.declare(name, Some(Signature { params, ret: declared.ret }));
        self.library_functions.insert(name.clone(), id);
        id
    }

    /// A variable that the library refers to.
    pub(crate) fn needed_variable(&mut self, global: &Global) -> GlobalId {
        self.library_variable(&global.name).unwrap_or_else(|| self.add_variable(global.clone()))
    }

    fn variable(&mut self, symbol: Symbol) -> GlobalId {
        if let Some(id) = self.variables.get(&symbol) {
            return *id;
        }
        let name = self.name(symbol);
        let defined = match &self.global_value(symbol).kind {
            GlobalKind::Variable(variable) => variable.init.is_some(),
            _ => false,
        };
        let from_library = if defined { None } else { self.library_variable(name) };
        let id = from_library.unwrap_or_else(|| {
            let called = unique(&mut self.variable_names, name);
            let mut global = Global::zeroed(called, 0, 1);
            // Code that refers to the variable is translated before its contents.
            let value = self.global_value(symbol);
            global.constant = global::is_constant(value);
            global.thread_local = global::is_thread_local(value);
            let id = self.program.globals.push(global);
            self.pending.push(Pending::Variable(id, symbol));
            id
        });
        self.variables.insert(symbol, id);
        id
    }

    /// Adds a global that has no source.
    pub(crate) fn add_variable(&mut self, mut global: Global) -> GlobalId {
        global.name = unique(&mut self.variable_names, &global.name);
        self.program.globals.push(global)
    }

    /// Adds a function that has no source.
    pub(crate) fn add_function(&mut self, mut function: Function) -> FuncId {
        function.name = unique(&mut self.function_names, &function.name);
        self.program.funcs.push(function)
    }

    /// Declares a function without a body, which can be called and may get a body later.
    fn declare(&mut self, name: &str, signature: Option<Signature>) -> FuncId {
        let mut function = FunctionBuilder::new(unique(&mut self.function_names, name));
        let signature = signature.unwrap_or_default();
        for ty in &signature.params {
            function.param(None, *ty);
        }
        let mut function = function.finish();
        function.ret = signature.ret;
        function.blocks.clear();
        self.program.funcs.push(function)
    }

    pub(crate) fn params(&self, id: FuncId) -> Vec<Scalar> {
        let function = &self.program.funcs[id];
        function.params.iter().map(|param| function.regs[*param].ty).collect()
    }

    // ---- types of the source ----

    pub(crate) fn source_type(&mut self, unit: usize, ty: Option<DebugId>) -> Option<SourceId> {
        self.sources.translate(&mut self.program, self.source.units, unit, ty)
    }

    /// Records that a call allocates objects of a type.
    pub(crate) fn allocates(&mut self, site: CallSite, ty: SourceId) {
        let known = self.allocations.entry(site).or_insert(Some(ty));
        *known = known.filter(|known| *known == ty);
    }

    /// Records that a call starts a thread that runs a function.
    pub(crate) fn starts(&mut self, site: CallSite, func: FuncId) {
        let known = self.starts.entry(site).or_insert(Some(func));
        *known = known.filter(|known| *known == func);
    }

    // ---- positions ----

    pub(crate) fn loc(&mut self, unit: usize, loc: Option<ast::LocId>) -> LocId {
        let Some(id) = loc else {
            return LocId::NONE;
        };
        if let Some(known) = self.locs[unit][id] {
            return known;
        }
        // Chains of inlining are finite: walk to the outermost unknown position, then enter from there inwards.
        let module = &self.source.units[unit].module;
        let mut chain = vec![id];
        let mut outer = LocId::NONE;
        while let Some(next) = chain.last().and_then(|id| module.locs[*id].inlined_at) {
            if let Some(known) = self.locs[unit][next] {
                outer = known;
                break;
            }
            chain.push(next);
        }
        while let Some(id) = chain.pop() {
            outer = self.add_loc(unit, id, outer);
            self.locs[unit][id] = Some(outer);
        }
        outer
    }

    /// Whether a position is in a header of the compiler or the system.
    pub(crate) fn is_foreign(&self, unit: usize, loc: ast::LocId) -> bool {
        let unit = &self.source.units[unit];
        let file = unit.module.locs.get(loc).and_then(|loc| loc.file);
        file.is_some_and(|file| is_system_header(unit, file))
    }

    fn add_loc(&mut self, unit: usize, id: ast::LocId, inlined_at: LocId) -> LocId {
        let ast::Loc { line, column, file, .. } = self.source.units[unit].module.locs[id];
        let file = file.filter(|file| !is_system_header(&self.source.units[unit], *file));
        let file = file.map(|file| self.file(unit, file));
        let (Some(file), true) = (file, line > 0) else {
            // Code without a line in the program belongs to the call into which it is inlined, or else to
            // the call of its function.
            return inlined_at;
        };
        self.program.locs.push(Loc { file, line, column, inlined_at });
        LocId(self.program.locs.len() as u32 - 1)
    }

    fn file(&mut self, unit: usize, file: ast::FileId) -> u32 {
        let unit = &self.source.units[unit];
        let name = shown_file(unit, file);
        let files = &mut self.program.files;
        *self.files.entry(name).or_insert_with_key(|name| {
            files.push(name.clone());
            files.len() as u32 - 1
        })
    }
}

/// The C name of a function to which C++ gives another name.
fn known_as(name: &str) -> &str {
    match name {
        "_Znwm" | "_Znam" => "malloc",
        // Variants with an alignment (every object is sufficiently aligned), and variants that do not throw.
        "_ZnwmSt11align_val_t" | "_ZnamSt11align_val_t" => "malloc",
        "_ZnwmRKSt9nothrow_t" | "_ZnamRKSt9nothrow_t" => "malloc",
        "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => "free",
        "_ZdlPvSt11align_val_t" | "_ZdaPvSt11align_val_t" => "free",
        "_ZdlPvmSt11align_val_t" | "_ZdaPvmSt11align_val_t" => "free",
        "_ZSt9terminatev" => "abort",
        other => match source_name(other) {
            name if name.starts_with("__VERIFIER_") => name,
            _ => other,
        },
    }
}

/// Whether a file belongs to the compiler or the system, such as the headers of C++ with inline functions.
fn is_system_header(unit: &Unit, file: ast::FileId) -> bool {
    is_system_file(unit.module.name(unit.module.files[file].name))
}

/// The name that the user gave, if the file is the input itself; else the name that the compiler reports.
fn shown_file(unit: &Unit, file: ast::FileId) -> String {
    let file = &unit.module.files[file];
    let name = unit.module.name(file.name);
    let name = name.strip_prefix("./").unwrap_or(name);
    let input = unit.file.strip_prefix("./").unwrap_or(&unit.file);
    let directory = unit.module.name(file.directory);
    let whole = format!("{directory}/{name}");
    if input == name || input == whole {
        unit.file.clone()
    } else if !Path::new(name).exists() && Path::new(&whole).exists() {
        // The compilation folder is not always the folder in which the compiler was started.
        whole
    } else {
        name.to_owned()
    }
}

/// `name`, or `name.2` and so on if `name` is already used.
fn unique(names: &mut FxHashSet<String>, name: &str) -> String {
    if names.insert(name.to_owned()) {
        return name.to_owned();
    }
    let mut number = 2u32;
    loop {
        let candidate = format!("{name}.{number}");
        if names.insert(candidate.clone()) {
            return candidate;
        }
        number = number.wrapping_add(1);
    }
}
