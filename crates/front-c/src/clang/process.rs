//! Running a program that may misbehave: hang, print without end, die, leave processes behind.
//!
//! The program runs in its own process group, so that the whole group can be killed, and no process of the
//! group outlives the call. [`end_all`] kills all running programs, for a caller that has to exit.

use raddle_budget::{Budget, Spent};
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval at which limits are checked.
const PAUSE: Duration = Duration::from_millis(10);
/// The interval at which a program that has closed its output is polled for its end.
const SHORT_PAUSE: Duration = Duration::from_micros(200);
/// The maximum number of bytes that a program may print to standard error.
const MAX_MESSAGES: usize = 1 << 24;
const CHUNK: usize = 1 << 16;
/// The memory limit is meant for raddle itself: a compiler that holds less than this is not stopped.
const SMALL: u64 = 1 << 30;

/// The limits of a program that is run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowed<'a> {
    /// Bytes of standard output.
    pub output: usize,
    pub time: Duration,
    /// The remaining budget of the caller. Its memory limit also applies to the program, if the program
    /// holds more than a compiler usually does (`SMALL`).
    pub budget: &'a Budget,
}

/// The result of a program that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub status: ExitStatus,
    pub output: Vec<u8>,
    pub messages: Vec<u8>,
}

/// The reason why a program did not run to its end.
#[derive(Debug)]
pub(super) enum Trouble {
    NotRun(io::Error),
    TooSlow,
    /// The program printed more than this many bytes.
    TooLong(usize),
    /// The caller's budget is spent, or [`end_all`] was called.
    Stopped(Spent),
}

/// Runs a program with an empty standard input.
pub(super) fn run(command: &mut Command, allowed: &Allowed<'_>) -> Result<Ended, Trouble> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let mut group = Group::start(command)?;
    let mut output = Stream::new(group.child.stdout.take(), allowed.output)?;
    let mut messages = Stream::new(group.child.stderr.take(), MAX_MESSAGES)?;
    let start = Instant::now();
    while !group.has_ended()? {
        if let Some(spent) = allowed.budget.spent() {
            return Err(Trouble::Stopped(spent));
        }
        if start.elapsed() > allowed.time {
            return Err(Trouble::TooSlow);
        }
        let memory = allowed.budget.memory();
        if memory.is_some_and(|memory| resident(group.id, 0) > memory.max(SMALL)) {
            return Err(Trouble::Stopped(Spent::Memory));
        }
        wait(&[&output, &messages]);
        output.read_available()?;
        messages.read_available()?;
    }
    // Child processes of the program may keep the pipes open. The output of the program itself is already in
    // the pipes, so nothing of it is lost.
    group.kill();
    output.read_available()?;
    messages.read_available()?;
    let status = group.child.wait().map_err(Trouble::NotRun)?;
    Ok(Ended { status, output: output.bytes, messages: messages.bytes })
}

/// All running process groups.
struct Groups {
    running: Vec<Pid>,
    /// Whether no more groups may be started.
    closed: bool,
}

static GROUPS: Mutex<Groups> = Mutex::new(Groups { running: Vec::new(), closed: false });

fn groups() -> MutexGuard<'static, Groups> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills every running program, and prevents others from starting.
pub fn end_all() {
    let mut groups = groups();
    groups.closed = true;
    for group in &groups.running {
        let _ = kill_process_group(*group, Signal::KILL);
    }
}

/// A process and all its descendants that have not left its process group.
struct Group {
    child: Child,
    id: Pid,
}

impl Group {
    fn start(command: &mut Command) -> Result<Group, Trouble> {
        let mut groups = groups();
        if groups.closed {
            return Err(Trouble::Stopped(Spent::Interrupted));
        }
        let child = command.spawn().map_err(Trouble::NotRun)?;
        let id = Pid::from_child(&child);
        groups.running.push(id);
        Ok(Group { child, id })
    }

    /// Whether the process has ended. It is not reaped, so that its id is not reused.
    fn has_ended(&self) -> Result<bool, Trouble> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match waitid(WaitId::Pid(self.id), options) {
            Ok(status) => Ok(status.is_some()),
            Err(error) => Err(Trouble::NotRun(error.into())),
        }
    }

    /// Must be called before the process is reaped: afterwards the id may belong to another process.
    fn kill(&mut self) {
        let mut groups = groups();
        if groups.running.contains(&self.id) {
            let _ = kill_process_group(self.id, Signal::KILL);
            groups.running.retain(|id| *id != self.id);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
        let _ = self.child.wait();
    }
}

/// The reading end of a pipe, and the bytes read from it.
struct Stream<R> {
    pipe: Option<R>,
    bytes: Vec<u8>,
    most: usize,
}

impl<R: AsFd> Stream<R> {
    fn new(pipe: Option<R>, most: usize) -> Result<Stream<R>, Trouble> {
        if let Some(pipe) = &pipe {
            rustix::io::ioctl_fionbio(pipe, true).map_err(|e| Trouble::NotRun(e.into()))?;
        }
        Ok(Stream { pipe, bytes: Vec::new(), most })
    }

    /// Reads until the pipe is empty or closed.
    fn read_available(&mut self) -> Result<(), Trouble> {
        let Some(pipe) = &mut self.pipe else { return Ok(()) };
        loop {
            self.bytes.reserve(CHUNK);
            let read = rustix::io::read(&*pipe, spare_capacity(&mut self.bytes));
            match read {
                Ok(0) => {
                    self.pipe = None;
                    return Ok(());
                }
                Ok(_) if self.bytes.len() > self.most => return Err(Trouble::TooLong(self.most)),
                Ok(_) => {}
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Ok(()),
                Err(error) => return Err(Trouble::NotRun(error.into())),
            }
        }
    }
}

/// The part of a stream that [`wait`] needs.
trait Pipe {
    fn poll_fd(&self) -> Option<PollFd<'_>>;
}

impl<R: AsFd> Pipe for Stream<R> {
    fn poll_fd(&self) -> Option<PollFd<'_>> {
        self.pipe.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN))
    }
}

/// Waits until a stream has data to read, or until the pause is over.
fn wait(streams: &[&dyn Pipe]) {
    let mut open: Vec<PollFd<'_>> = streams.iter().filter_map(|stream| stream.poll_fd()).collect();
    if open.is_empty() {
        return std::thread::sleep(SHORT_PAUSE);
    }
    let pause = Timespec::try_from(PAUSE).ok();
    // Errors of the pipes are reported when the pipes are read.
    let _ = poll(&mut open, pause.as_ref());
}

/// Bytes of physical memory that a process and its children hold, on systems that report it.
fn resident(process: Pid, depth: u32) -> u64 {
    const PAGE: u64 = 4096;
    const DEEPEST: u32 = 8;
    let folder = format!("/proc/{}", process.as_raw_nonzero());
    let pages = fs::read_to_string(format!("{folder}/statm")).ok();
    let pages = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    let own = pages.unwrap_or(0).saturating_mul(PAGE);
    if depth == DEEPEST {
        return own;
    }
    let task = format!("{folder}/task/{}/children", process.as_raw_nonzero());
    let children = fs::read_to_string(task).unwrap_or_default();
    let children = children.split_whitespace().filter_map(|n| Pid::from_raw(n.parse().ok()?));
    children.map(|child| resident(child, depth + 1)).fold(own, u64::saturating_add)
}
