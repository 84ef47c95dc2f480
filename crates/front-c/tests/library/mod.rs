//! Tests of the C library, which is IR text: its form, what its functions compute, and programs in IR
//! text that use it, with exact numbers of executions.

mod common;
mod locks;
mod text;
mod threads;
mod values;
