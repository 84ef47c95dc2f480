//! The virtual machine and its trail.
