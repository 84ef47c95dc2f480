//! Functions that a program refers to and nobody defines: each with who calls it, and what is known of it.
//!
//! Calling one is reported when a run reaches the call. This list says it in advance, and all at once.

use raddle_ir::near::nearest;
use raddle_ir::{Callee, FuncId, Function, InstKind, LocId, Operand, Program, Type};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A function without a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undefined {
    pub name: String,
    /// The type of its results.
    pub returns: Option<Type>,
    /// The places that call it or take its address, in the order of the program.
    pub uses: Vec<Use>,
    pub hint: Option<Hint>,
}

/// A place that calls a function or takes its address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Use {
    /// The function or the variable.
    pub by: String,
    pub loc: LocId,
    pub is_call: bool,
}

/// What is known of an undefined function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hint {
    /// A function whose name is nearly the same.
    Meant(String),
    /// The part of the environment that it belongs to, which is not modelled.
    Environment(&'static str),
}

/// Parts of the environment that are not modelled: prefixes of names, and names.
const ENVIRONMENT: &[(&str, &[&str], &[&str])] = &[
    ("the C++ library", &["_ZNSt", "_ZNKSt", "_ZSt", "_ZNSs", "_ZNSa", "__cxa_", "__gxx_"], &[]),
    ("POSIX threads", &["pthread_", "sem_"], &[]),
    ("C11 threads", &["mtx_", "cnd_", "thrd_", "tss_"], &[]),
    ("atomic operations", &["__atomic_", "__sync_"], &[]),
    (
        "files and input",
        &[],
        &[
            "access",
            "close",
            "creat",
            "fclose",
            "fcntl",
            "fdopen",
            "feof",
            "ferror",
            "fgetc",
            "fgets",
            "fopen",
            "fread",
            "freopen",
            "fscanf",
            "fseek",
            "fstat",
            "fsync",
            "ftell",
            "ftruncate",
            "getc",
            "getchar",
            "getdelim",
            "getline",
            "ioctl",
            "lseek",
            "lstat",
            "mkdir",
            "mkstemp",
            "open",
            "openat",
            "opendir",
            "pread",
            "pwrite",
            "read",
            "readdir",
            "readv",
            "remove",
            "rename",
            "rewind",
            "rmdir",
            "scanf",
            "stat",
            "tmpfile",
            "ungetc",
            "unlink",
            "vfscanf",
            "vscanf",
            "writev",
        ],
    ),
    (
        "processes and signals",
        &[],
        &[
            "alarm",
            "execl",
            "execle",
            "execlp",
            "execv",
            "execve",
            "execvp",
            "fork",
            "kill",
            "pipe",
            "pipe2",
            "popen",
            "raise",
            "sigaction",
            "sigemptyset",
            "sigprocmask",
            "sigwait",
            "system",
            "vfork",
            "wait",
            "waitpid",
        ],
    ),
    (
        "networks and waiting for descriptors",
        &["epoll_", "getaddrinfo", "io_uring_"],
        &[
            "accept",
            "accept4",
            "bind",
            "connect",
            "eventfd",
            "listen",
            "poll",
            "ppoll",
            "recv",
            "recvfrom",
            "recvmsg",
            "select",
            "send",
            "sendmsg",
            "sendto",
            "setsockopt",
            "shutdown",
            "socket",
            "socketpair",
            "timerfd_create",
        ],
    ),
    (
        "memory of the system",
        &["shm_"],
        &["madvise", "mmap", "mprotect", "mremap", "munmap", "sbrk"],
    ),
    ("system calls", &[], &["syscall"]),
    ("loading at run time", &[], &["dlclose", "dlerror", "dlopen", "dlsym"]),
    (
        "mathematics that is not exact",
        &[],
        &[
            "acos", "asin", "atan", "atan2", "cbrt", "cos", "cosh", "exp", "exp2", "expf", "hypot",
            "log", "log10", "log2", "logf", "pow", "powf", "sin", "sinf", "sinh", "tan", "tanh",
        ],
    ),
];

fn environment(name: &str) -> Option<&'static str> {
    let found = ENVIRONMENT.iter().find(|(_, prefixes, names)| {
        names.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix))
    });
    found.map(|(part, ..)| *part)
}

/// The undefined functions that a program refers to, in alphabetical order. `names` gives the name in the source
/// for each function without a body; `known` are the names of all functions that there are.
pub(crate) fn list<'n>(
    program: &Program,
    names: impl IntoIterator<Item = (FuncId, &'n str)>,
    known: impl IntoIterator<Item = &'n str>,
) -> Vec<Undefined> {
    let names = names.into_iter().filter(|(id, _)| program.funcs[*id].blocks.is_empty());
    let names: FxHashMap<FuncId, &str> = names.collect();
    if names.is_empty() {
        return Vec::new();
    }
    let mut uses: BTreeMap<&str, (FuncId, Vec<Use>)> = BTreeMap::new();
    for_each_use(program, |id, found| {
        if let Some(name) = names.get(&id).filter(|name| !throws(name)) {
            uses.entry(name).or_insert_with(|| (id, Vec::new())).1.push(found);
        }
    });
    if uses.is_empty() {
        return Vec::new();
    }
    let known: Vec<&str> = known.into_iter().collect();
    let undefined = |(name, (id, uses)): (&str, (FuncId, Vec<Use>))| Undefined {
        name: name.to_owned(),
        returns: program.funcs[id].ret,
        hint: hint(name, &known),
        uses: distinct(uses),
    };
    uses.into_iter().map(undefined).collect()
}

/// Whether a function of the C++ library does nothing but throw: nearly every program refers to some, and none
/// can run one, since exceptions are not supported.
fn throws(name: &str) -> bool {
    name.starts_with("_ZSt") && name.contains("__throw_")
}

fn hint(name: &str, known: &[&str]) -> Option<Hint> {
    // Names of C++ are mangled: that two of them differ by a letter says little.
    let meant = if name.starts_with("_Z") { None } else { nearest(name, known.iter().copied()) };
    let meant = meant.map(|meant| Hint::Meant(meant.to_owned()));
    let part = environment(name).map(Hint::Environment);
    // A name on the list is spelled right; a prefix alone says nothing about the rest of the name.
    let is_listed = ENVIRONMENT.iter().any(|(_, _, names)| names.contains(&name));
    if is_listed { part } else { meant.or(part) }
}

/// One use for each function and line.
fn distinct(uses: Vec<Use>) -> Vec<Use> {
    let mut seen = Vec::with_capacity(uses.len());
    for found in uses {
        if seen.last() != Some(&found) {
            seen.push(found);
        }
    }
    seen
}

/// Calls `found` for every call of a function and for every place that takes the address of one.
fn for_each_use(program: &Program, mut found: impl FnMut(FuncId, Use)) {
    for func in program.funcs.values() {
        for_each_use_in(func, &mut found);
    }
    for global in program.globals.values() {
        for (_, operand) in &global.relocs {
            if let Operand::Func(id) = operand {
                let (by, loc) = (global.name.clone(), LocId::NONE);
                found(*id, Use { by, loc, is_call: false });
            }
        }
    }
}

fn for_each_use_in(func: &Function, found: &mut impl FnMut(FuncId, Use)) {
    let mut found = |id, loc, is_call| found(id, Use { by: func.name.clone(), loc, is_call });
    for block in func.blocks.values() {
        for inst in &block.insts {
            inst.kind.for_each_operand(|operand| {
                if let Operand::Func(id) = operand {
                    found(id, inst.loc, false);
                }
            });
            if let InstKind::Call { callee: Callee::Direct(id), .. }
            | InstKind::Spawn { callee: Callee::Direct(id), .. } = inst.kind
            {
                found(id, inst.loc, true);
            }
        }
        if let Some(Operand::Func(id)) = block.term.kind.operand() {
            found(id, block.term.loc, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::load::lower;

    const TEXT: &str = "@table = global ptr @handler
        declare i32 @read_sensor(ptr)
        declare void @phtread_exit(ptr)
        declare i32 @fopen(ptr, ptr)
        declare i32 @pthread_join(i64, ptr)
        declare void @handler()
        declare i32 @unused()
        define void @poll() {
          %a = call i32 @read_sensor(ptr null)
          ret void
        }
        define void @dead() {
          %a = call i32 @unused()
          ret void
        }
        define i32 @main() {
          call void @poll()
          %a = call i32 @read_sensor(ptr null)
          %b = call i32 @fopen(ptr null, ptr null)
          call void @phtread_exit(ptr null)
          %c = call i32 @pthread_join(i64 0, ptr null)
          %h = load ptr, ptr @table
          call void %h()
          ret i32 %b
        }";

    fn undefined(text: &str) -> Vec<Undefined> {
        lower("t.ll", text.as_bytes(), &Options::default()).expect("a program").undefined
    }

    #[test]
    fn all_are_listed_with_those_who_call_them() {
        let found = undefined(TEXT);
        let names: Vec<&str> = found.iter().map(|undefined| &*undefined.name).collect();
        assert_eq!(names, ["fopen", "handler", "phtread_exit", "read_sensor"]);
        let hints: Vec<_> = found.iter().map(|undefined| undefined.hint.clone()).collect();
        let meant = |name: &str| Some(Hint::Meant(name.to_owned()));
        let files = Some(Hint::Environment("files and input"));
        assert_eq!(hints, [files, None, meant("pthread_exit"), None]);
        let users = |n: usize| found[n].uses.iter().map(|found| (&*found.by, found.is_call));
        assert_eq!(users(1).collect::<Vec<_>>(), [("table", false)]);
        let mut callers: Vec<_> = users(3).collect();
        callers.sort_unstable();
        assert_eq!(callers, [("main", true), ("poll", true)]);
        assert_eq!((found[2].returns, found[3].returns), (None, Some(Type::I32)));
    }

    #[test]
    fn a_program_that_is_whole_has_none() {
        assert_eq!(undefined("define i32 @main() { ret i32 0 }"), []);
    }

    #[test]
    fn the_environment_has_names_of_its_own() {
        assert_eq!(environment("pthread_foo"), Some("POSIX threads"));
        assert_eq!(environment("recvmsg"), Some("networks and waiting for descriptors"));
        assert_eq!(environment("reader"), None);
        let hint = hint("pthread_creat", &["pthread_create"]);
        assert_eq!(hint, Some(Hint::Meant("pthread_create".to_owned())));
    }
}
