//! The machine by itself: its trail, its memory, the effects of operations, local steps, encoded states.

mod codec;
mod common;
mod memory;
mod operations;
mod programs;
mod trail;
