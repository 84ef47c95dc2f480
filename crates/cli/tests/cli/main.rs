//! The command from outside: what it prints, where, and how it ends.

mod bad_input;
mod buffers;
mod c;
mod check;
mod common;
mod documents;
mod fence;
mod files;
mod generated;
mod judges;
mod limits;
mod litmus;
mod loading;
mod monitor;
mod patch;
mod reach;
mod replay;
mod robust;
mod signals;
mod unroll;
mod waits;
