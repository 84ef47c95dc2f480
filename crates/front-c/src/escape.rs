//! Escape analysis: finds local variables that no other thread can ever access.
//!
//! The address of a variable flows through registers, through variables that are only loaded and stored
//! whole, into parameters of functions called by name, and out of their results. It *escapes* if it
//! is stored to any other memory, passed to an unknown function (or through a function pointer, or to a new
//! thread), or converted to an integer. The analysis ignores the order of instructions and covers the
//! whole program: flows are edges between values, and escaping propagates against the direction of the
//! edges.
//!
//! [`keeps_private`] lists the library functions that read the object an argument points to and keep no
//! copy of the address. Their result may be the argument itself.

use crate::link::{Links, Symbol, Unit};
use crate::promote;
use crate::uses::Uses;
use cranelift_entity::{EntityRef, SecondaryMap};
use raddle_llvm::ast::{
    Body, Call, Callee, CastOp, Function, GlobalKind, InstKind, LocalId, Value,
};
use rustc_hash::FxHashMap;

/// The result of the analysis: a bit for each value of each function.
#[derive(Debug, Default)]
pub(crate) struct Escapes {
    /// The index of each function's first value.
    bases: FxHashMap<Symbol, u32>,
    escaped: Vec<bool>,
}

impl Escapes {
    pub(crate) fn new(units: &[Unit], links: &Links<'_>) -> Escapes {
        let mut flow = Flow {
            units,
            links,
            bases: FxHashMap::default(),
            edges: Vec::new(),
            seeds: Vec::new(),
        };
        let nodes = flow.number();
        flow.collect();
        let escaped = propagate(nodes, flow.edges, flow.seeds);
        Escapes { bases: flow.bases, escaped }
    }

    /// Whether the object that a value points to (an `alloca`, a `byval` parameter) is accessed only by its
    /// own thread.
    pub(crate) fn is_private(&self, function: Symbol, local: LocalId) -> bool {
        let base = self.bases.get(&function);
        base.is_some_and(|base| !self.escaped[*base as usize + 1 + local.index()])
    }
}

struct Flow<'m> {
    units: &'m [Unit],
    links: &'m Links<'m>,
    /// The first node of a function stands for its result, the others for its values.
    bases: FxHashMap<Symbol, u32>,
    edges: Vec<(u32, u32)>,
    seeds: Vec<u32>,
}

impl<'m> Flow<'m> {
    fn bodies(&self) -> impl Iterator<Item = (Symbol, &'m Unit, &'m Body)> + use<'m> {
        self.units.iter().enumerate().flat_map(|(index, unit)| {
            unit.module.functions().filter_map(move |(global, function)| {
                Some((Symbol { unit: index, global }, unit, function.body.as_ref()?))
            })
        })
    }

    fn number(&mut self) -> usize {
        let mut next = 0u32;
        for (symbol, _, body) in self.bodies() {
            self.bases.insert(symbol, next);
            next += 1 + body.locals.len() as u32;
        }
        next as usize
    }

    fn collect(&mut self) {
        for (symbol, unit, body) in self.bodies() {
            let base = self.bases[&symbol];
            let simple = simple_variables(unit, body);
            let mut part = Part { flow: self, symbol, base, simple };
            body.insts.iter().for_each(|inst| part.inst(&inst.kind, inst.result));
        }
    }

    /// The body that a direct call runs.
    fn callee(&self, unit: usize, callee: &Callee) -> Option<(Symbol, &'m Function)> {
        let global = self.units[unit].called(callee)?;
        let symbol = self.links.resolve(self.units, Symbol { unit, global });
        match &self.units[symbol.unit].module.global(symbol.global).kind {
            GlobalKind::Function(function) => Some((symbol, function)),
            _ => None,
        }
    }
}

/// Variables whose address is only used for loads and stores: the flow through their contents can be
/// followed.
fn simple_variables(unit: &Unit, body: &Body) -> SecondaryMap<LocalId, bool> {
    let uses = Uses::new(body);
    let mut simple = SecondaryMap::new();
    for inst in &body.insts {
        let (InstKind::Alloca { .. }, Some(alloca)) = (&inst.kind, inst.result) else {
            continue;
        };
        let harmless = |index: &u32| match &body.insts[*index as usize].kind {
            InstKind::Load { .. } => true,
            InstKind::Store { value, .. } => *value != Value::Local(alloca),
            kind => promote::is_marker(unit, kind),
        };
        simple[alloca] = uses.of(alloca).iter().all(harmless);
    }
    simple
}

/// The edges and seeds of one function.
struct Part<'f, 'm> {
    flow: &'f mut Flow<'m>,
    symbol: Symbol,
    base: u32,
    simple: SecondaryMap<LocalId, bool>,
}

impl Part<'_, '_> {
    fn node(&self, local: LocalId) -> u32 {
        self.base + 1 + local.index() as u32
    }

    fn seed(&mut self, value: Value) {
        if let Value::Local(local) = value {
            let node = self.node(local);
            self.flow.seeds.push(node);
        }
    }

    fn edge(&mut self, from: Value, to: u32) {
        if let Value::Local(local) = from {
            let node = self.node(local);
            self.flow.edges.push((node, to));
        }
    }

    fn flow_to(&mut self, from: Value, result: Option<LocalId>) {
        if let Some(result) = result {
            let to = self.node(result);
            self.edge(from, to);
        }
    }

    fn inst(&mut self, kind: &InstKind, result: Option<LocalId>) {
        match kind {
            InstKind::Store { value, ptr, .. } => match ptr {
                Value::Local(pointer) if self.simple[*pointer] => {
                    let to = self.node(*pointer);
                    self.edge(*value, to);
                }
                _ => self.seed(*value),
            },
            // The node of such a variable stands for its contents; an address loaded from other memory has escaped
            // when it was stored there.
            InstKind::Load { ptr: Value::Local(pointer), .. } if self.simple[*pointer] => {
                self.flow_to(Value::Local(*pointer), result);
            }
            InstKind::Cast { op: CastOp::PtrToInt | CastOp::PtrToAddr, arg, .. } => self.seed(*arg),
            InstKind::Gep { base: from, .. }
            | InstKind::Cast { arg: from, .. }
            | InstKind::Freeze(from)
            | InstKind::ExtractValue { aggregate: from, .. } => self.flow_to(*from, result),
            InstKind::Select { then: a, otherwise: b, .. }
            | InstKind::InsertValue { aggregate: a, value: b, .. } => {
                self.flow_to(*a, result);
                self.flow_to(*b, result);
            }
            InstKind::Phi { incoming } => {
                incoming.iter().for_each(|(value, _)| self.flow_to(*value, result));
            }
            InstKind::Ret(Some(value)) => self.edge(*value, self.base),
            InstKind::CmpXchg(exchange) => {
                self.seed(exchange.expected);
                self.seed(exchange.new);
            }
            InstKind::AtomicRmw { value, .. } => self.seed(*value),
            InstKind::Call(call)
            | InstKind::Invoke { call, .. }
            | InstKind::CallBr { call, .. } => {
                self.call(call, result);
            }
            InstKind::InsertElement { value, .. } => self.seed(*value),
            InstKind::Resume(value) => self.seed(*value),
            // The other instructions read through an address, compare it, or compute with numbers.
            _ => {}
        }
    }

    fn call(&mut self, call: &Call, result: Option<LocalId>) {
        let Some((symbol, function)) = self.flow.callee(self.symbol.unit, &call.callee) else {
            return call.args.iter().for_each(|arg| self.seed(arg.value));
        };
        match self.flow.bases.get(&symbol).copied() {
            Some(base) if function.body.is_some() => {
                for (index, arg) in call.args.iter().enumerate() {
                    if arg.attrs.byval.is_some() {
                        continue;
                    }
                    if index < function.params.len() {
                        self.edge(arg.value, base + 1 + index as u32);
                    } else {
                        self.seed(arg.value);
                    }
                }
                if let Some(result) = result {
                    let to = self.node(result);
                    self.flow.edges.push((base, to));
                }
            }
            _ => {
                let unit = &self.flow.units[symbol.unit];
                let name = unit.module.symbol(symbol.global).unwrap_or("");
                for (index, arg) in call.args.iter().enumerate() {
                    if keeps_private(name, index) {
                        self.flow_to(arg.value, result);
                    } else {
                        self.seed(arg.value);
                    }
                }
            }
        }
    }
}

/// Marks the seeds and all values that flow into them.
fn propagate(nodes: usize, mut edges: Vec<(u32, u32)>, seeds: Vec<u32>) -> Vec<bool> {
    edges.sort_unstable_by_key(|(_, to)| *to);
    let mut escaped = vec![false; nodes];
    let mut left = Vec::new();
    for seed in seeds {
        if !std::mem::replace(&mut escaped[seed as usize], true) {
            left.push(seed);
        }
    }
    while let Some(node) = left.pop() {
        let start = edges.partition_point(|(_, to)| *to < node);
        for (from, _) in edges[start..].iter().take_while(|(_, to)| *to == node) {
            if !std::mem::replace(&mut escaped[*from as usize], true) {
                left.push(*from);
            }
        }
    }
    escaped
}

/// Whether a function of the library, or an intrinsic, keeps no copy of its argument `index`.
fn keeps_private(name: &str, index: usize) -> bool {
    if let Some(intrinsic) = name.strip_prefix("llvm.") {
        return !intrinsic.starts_with("eh.") && !intrinsic.starts_with("stackrestore");
    }
    match name {
        "pthread_create" | "thrd_create" => index < 2 && !(name == "thrd_create" && index == 1),
        "pthread_join"
        | "thrd_join"
        | "pthread_mutex_init"
        | "pthread_cond_init"
        | "pthread_rwlock_init"
        | "pthread_barrier_init"
        | "clock_gettime"
        | "thrd_sleep" => index == 1,
        "time" | "gettimeofday" | "nanosleep" | "posix_memalign" | "mtx_init" => {
            index == 0 && name != "mtx_init"
        }
        _ => KEEP_NOTHING.binary_search(&name).is_ok() || keeps_nothing_by_prefix(name),
    }
}

fn keeps_nothing_by_prefix(name: &str) -> bool {
    const PREFIXES: [&str; 4] = ["__atomic_", "__VERIFIER_", "pthread_attr_", "pthread_mutexattr_"];
    PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Sorted.
const KEEP_NOTHING: [&str; 62] = [
    "__assert_fail",
    "__fprintf_chk",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__printf_chk",
    "__snprintf_chk",
    "__sprintf_chk",
    "__strcat_chk",
    "__strcpy_chk",
    "__strncat_chk",
    "__strncpy_chk",
    "__vfprintf_chk",
    "__vprintf_chk",
    "__vsnprintf_chk",
    "__vsprintf_chk",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "fprintf",
    "fputc",
    "fputs",
    "fwrite",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "mempcpy",
    "memset",
    "perror",
    "printf",
    "putc",
    "putchar",
    "puts",
    "snprintf",
    "sprintf",
    "stpcpy",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcoll",
    "strcpy",
    "strcspn",
    "strdup",
    "strlcat",
    "strlcpy",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strndup",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "vfprintf",
    "vprintf",
    "vsnprintf",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted() {
        assert!(KEEP_NOTHING.is_sorted());
    }

    #[test]
    fn the_argument_of_a_new_thread_escapes() {
        assert!(keeps_private("pthread_create", 0));
        assert!(!keeps_private("pthread_create", 3));
        assert!(keeps_private("printf", 5));
        assert!(!keeps_private("qsort", 0));
    }
}
