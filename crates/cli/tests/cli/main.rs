//! The command line: the output, its destination, and the exit status.

mod bad_input;
mod book;
mod buffers;
mod c;
mod check;
mod classics;
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
