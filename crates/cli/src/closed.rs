//! Whether the process was started with its standard output closed.
//!
//! The Rust runtime opens `/dev/null` in place of a closed standard stream before `main` runs, and a
//! result that is written there is lost without an error. So the question is asked earlier, by a function
//! that the loader calls before the runtime starts. Naming the section is the unsafe part: this
//! section holds pointers to such functions. The function calls the system once, writes one
//! atomic variable, and relies on nothing that the runtime sets up.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Always false where the loader has no such section.
pub(crate) fn standard_output() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

extern "C" fn look() {
    let flags = rustix::io::fcntl_getfd(rustix::stdio::stdout());
    CLOSED.store(flags.is_err(), Ordering::Relaxed);
}

#[cfg(any(target_os = "linux", target_os = "freebsd"))]
#[used]
#[unsafe(link_section = ".init_array")]
static BEFORE_MAIN: extern "C" fn() = look;

#[cfg(target_vendor = "apple")]
#[used]
#[unsafe(link_section = "__DATA,__mod_init_func")]
static BEFORE_MAIN: extern "C" fn() = look;
