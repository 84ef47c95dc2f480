//! How the allocator treats large blocks.
//!
//! glibc raises the size from which on a block is a mapping of its own to that of the largest block that was
//! freed, up to 32 MiB. Below, an array that grows is copied beside itself, and what it leaves is kept. With
//! a fixed size a large array grows where it is, without a copy, and its memory goes back to the system when it
//! is dropped: `--max-memory` holds, and programs fit into less of it.

#![allow(unsafe_code)]

/// Blocks of this size and more are mappings of their own.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: i32 = 1 << 20;

/// Fixes the size of large blocks. To be called while there is one thread.
pub(crate) fn map_large_blocks() {
    // SAFETY: `mallopt` takes any arguments, sets a parameter of the allocator, and has no other effect. Its
    // answer, whether the value was accepted, does not matter: without it, more memory is used.
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE);
    }
}
