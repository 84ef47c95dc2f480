//! SIGINT (Ctrl-C) and SIGTERM.
//!
//! The first signal interrupts the work, not the report: every budget of the command is spent, searches
//! end, and their findings are printed and written as usual. The second one ends the process at
//! once. Either way no compiler and no half-written file is left behind.

use crate::destination;
use raddle_budget::Budget;
use raddle_front_c::clang;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The first signal that came, or 0.
static RECEIVED: AtomicI32 = AtomicI32::new(0);
/// The budgets that it interrupts.
static FLAGS: Mutex<Vec<Arc<AtomicBool>>> = Mutex::new(Vec::new());

fn flags() -> MutexGuard<'static, Vec<Arc<AtomicBool>>> {
    FLAGS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The first signal that came, if one did.
pub(crate) fn received() -> Option<i32> {
    Some(RECEIVED.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
}

/// Lets signals interrupt what works on a budget and on its parts.
pub(crate) fn interrupt(budget: &Budget) {
    let flag = budget.interruption();
    let mut flags = flags();
    flag.store(received().is_some(), Ordering::SeqCst);
    flags.push(flag);
}

/// Waits for signals in a thread of its own. Without one, signals do what they do by default.
pub(crate) fn watch() {
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    let waiting = move || signals.forever().for_each(receive);
    // If there can be no thread, a signal is only noted, and nothing is lost but its effect.
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(waiting);
}

fn receive(signal: i32) {
    if received().is_some() {
        clang::end_all();
        destination::abandon();
        let _ = emulate_default_handler(signal);
    }
    let flags = flags();
    RECEIVED.store(signal, Ordering::SeqCst);
    flags.iter().for_each(|flag| flag.store(true, Ordering::SeqCst));
}
