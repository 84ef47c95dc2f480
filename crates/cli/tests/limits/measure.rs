//! Runs the command and measures its time and memory.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A run that takes longer is killed, and the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(crate) struct Measured {
    pub seconds: f64,
    /// The peak resident memory.
    pub mib: f64,
    pub status: Option<i32>,
    pub out: String,
}

impl Measured {
    /// The verdict and the reason, from the report.
    pub(crate) fn end(&self) -> String {
        let field = |name: &str| {
            let (_, rest) = self.out.split_once(&format!("\"{name}\":\""))?;
            rest.split('"').next()
        };
        if let Some(verdict) = field("verdict") {
            return field("stopped").map_or(verdict.to_owned(), |why| format!("{verdict}: {why}"));
        }
        let first = self.out.lines().next().unwrap_or_default();
        let verdict = first.rsplit(": ").next().unwrap_or_default();
        let why = self.out.lines().find_map(|line| line.trim().strip_prefix("stopped early: "));
        match why {
            Some(why) if !verdict.contains(why) => format!("{verdict}: {why}"),
            _ => verdict.to_owned(),
        }
    }
}

pub(crate) fn has_clang() -> bool {
    let ran = Command::new("clang").arg("--version").stdout(Stdio::null()).status();
    ran.is_ok_and(|status| status.success())
}

pub(crate) fn measure(args: &[String]) -> Measured {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_raddle"))
        .args(args)
        .current_dir(raddle_testing::root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let read = |mut pipe: Box<dyn Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = read(Box::new(child.stdout.take().expect("a pipe")));
    let err = read(Box::new(child.stderr.take().expect("a pipe")));
    let mut kib = 0;
    let status = loop {
        kib = kib.max(peak(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().expect("a child to wait for") {
            break status;
        }
        if start.elapsed() > PATIENCE {
            let _ = child.kill();
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let seconds = start.elapsed().as_secs_f64();
    let out = out.join().expect("the output") + &err.join().expect("the messages");
    Measured { seconds, mib: kib as f64 / 1024.0, status: status.code(), out }
}

/// The peak memory of a process so far; `None` if the system does not report it.
fn peak(id: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}
