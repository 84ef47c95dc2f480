//! Tests of the C library, which is IR text: its form, the results of its functions, and programs in IR text
//! that use it, with exact numbers of executions.

mod common;
mod locks;
mod text;
mod threads;
mod values;
