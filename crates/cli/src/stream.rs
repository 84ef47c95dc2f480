//! Logs to read, which may be pipes that never end.

use crate::source::PAUSE;
use raddle_budget::Budget;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// How many bytes are read at a time: the budget is looked at in between, and events can take far more
/// memory than their text.
const PIECE: usize = 1 << 14;

/// A file, a pipe or a terminal. Once the budget is spent, reading it times out.
#[derive(Debug)]
pub(crate) struct Stream {
    file: File,
    budget: Budget,
}

impl Stream {
    /// Opens a file; `-` is the standard input. A named pipe is opened without waiting for a writer: who
    /// reads waits for it.
    pub(crate) fn open(path: &Path, budget: &Budget) -> io::Result<Stream> {
        let file = if path == Path::new("-") {
            File::from(io::stdin().as_fd().try_clone_to_owned()?)
        } else {
            let flags = rustix::fs::OFlags::NONBLOCK.bits();
            OpenOptions::new().read(true).custom_flags(flags as i32).open(path)?
        };
        Ok(Stream { file, budget: budget.clone() })
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len().min(PIECE);
        let buffer = &mut buffer[..most];
        loop {
            if self.budget.is_spent() {
                return Err(ErrorKind::TimedOut.into());
            }
            let mut files = [PollFd::new(&self.file, PollFlags::IN)];
            let pause = Timespec::try_from(PAUSE).ok();
            match poll(&mut files, pause.as_ref()) {
                Ok(0) | Err(rustix::io::Errno::INTR) => continue,
                Ok(_) => {}
                Err(error) => return Err(error.into()),
            }
            match self.file.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
        }
    }
}
