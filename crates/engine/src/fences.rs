//! The fences that empty a store buffer, defined once for all engines with buffers.

use raddle_ir::FenceKind;

/// Whether a thread waits at the fence until its stores have left its buffer.
pub const fn tso_drains(kind: FenceKind) -> bool {
    use FenceKind::*;
    matches!(kind, Full | CSeqCst | Mfence | Sync | Dmb | Dsb)
}
