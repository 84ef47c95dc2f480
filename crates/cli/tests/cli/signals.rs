//! SIGINT and SIGTERM end the search, but the report is still printed.
//!
//! `RADDLE_LONG=1` interrupts at 200 moments or more instead of a few.

use crate::common::{Ran, command, file, lacks_clang, root, scratch};
use crate::limits::endless;
use crate::loading::ends;
use fastrand::Rng;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A program whose first executions show a violation, and which has a very large number of executions.
const LONG: &str = "#include <assert.h>
#include <pthread.h>
int x, y, z[8];
void *left(void *a) { x = 1; int r = y; for (int i = 0; i < 8; i++) z[i] = i; return (void *)(long)r; }
void *right(void *a) { y = 1; int r = x; for (int i = 7; i >= 0; i--) z[i] += i; return (void *)(long)r; }
int main(void) {
    pthread_t a, b, c; void *r, *s;
    pthread_create(&a, 0, left, 0); pthread_create(&b, 0, right, 0); pthread_create(&c, 0, right, 0);
    pthread_join(a, &r); pthread_join(b, &s); pthread_join(c, 0);
    assert(r);
}
";

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("a signal");
}

fn started(command: &mut Command) -> Child {
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the command starts")
}

/// Waits for the process to end; fails if that takes too long.
#[track_caller]
fn ended(mut child: Child, what: &str) -> (Option<i32>, Ran) {
    let start = Instant::now();
    let patience = Duration::from_secs(10);
    let [out, err] = [child.stdout.take().map(whole), child.stderr.take().map(whole)];
    while child.try_wait().expect("a process").is_none() {
        if start.elapsed() > patience {
            let _ = child.kill();
            panic!("{what} goes on after a signal");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let status = child.wait().expect("it has ended");
    let text = |read: Option<std::thread::JoinHandle<String>>| {
        read.map_or_else(String::new, |read| read.join().expect("what was printed"))
    };
    let ran = Ran { status: status.code(), out: text(out), err: text(err) };
    (status.signal(), ran)
}

fn whole(mut stream: impl Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("UTF-8");
        text
    })
}

/// Lets a command run for a moment and sends a signal.
#[track_caller]
fn interrupted(args: &[&str], moment: Duration, signal: Signal) -> Ran {
    let child = started(&mut command(args));
    std::thread::sleep(moment);
    send(&child, signal);
    let (killed, ran) = ended(child, &format!("{args:?}"));
    assert_eq!(killed, None, "{args:?}: {ran:?}");
    ran
}

/// Checks the output of an interrupted check: every line is complete, and its verdict is allowed.
fn judged(ran: &Ran, what: &str) {
    assert!(!ran.out.is_empty(), "{what}: no report: {ran:?}");
    for line in ran.out.lines() {
        let object: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let verdict = object["verdict"].as_str().unwrap_or_default();
        assert!(["violation", "unknown"].contains(&verdict), "{what}: {line}");
        assert_eq!(object["stopped"], "interrupted", "{what}: {line}");
        if verdict == "violation" {
            assert!(object["errors"][0]["schedule"].is_array(), "{what}: {line}");
        }
    }
}

/// At every moment (start, compilation, search), an interrupted check prints a report and leaves no partial
/// file.
#[test]
fn a_check_reports_whenever_it_is_interrupted() {
    let folder = scratch("interrupted");
    fs::write(folder.join("interrupted-p.c"), LONG).expect("a program");
    let mut rng = Rng::with_seed(14);
    let mut violations = 0;
    let count = raddle_testing::scaled(10, 20);
    for n in 0..count {
        let moment = Duration::from_micros(rng.u64(20_000..900_000));
        let (signal, status) = [(Signal::INT, 130), (Signal::TERM, 143)][n as usize % 2];
        let args = ["check", "interrupted-p.c", "--keep-going", "--json", "--model", "tso,pso"];
        let mut command = command(&args);
        command.args(["--witness", "w.json"]).current_dir(&folder);
        let child = started(&mut command);
        std::thread::sleep(moment);
        send(&child, signal);
        let (killed, ran) = ended(child, "a check");
        if lacks_clang(&ran) {
            return;
        }
        let what = format!("after {moment:?}");
        assert_eq!((killed, ran.status), (None, Some(status)), "{what}: {ran:?}");
        judged(&ran, &what);
        let found = ran.out.lines().filter(|line| line.contains("\"violation\"")).count();
        violations += found;
        whole_witness(&folder.join("w.json"), found > 0, &what);
        let names: Vec<_> = fs::read_dir(&folder).expect("a folder").flatten().collect();
        assert!(names.len() <= 2, "{what}: {names:?}");
    }
    println!("{violations} violations in {count} interrupted runs of two models");
    assert!(violations > 0, "what was found is reported");
    ends("interrupted-p.c");
}

/// If a violation was found, there is a witness file; a witness file is always complete.
fn whole_witness(path: &Path, found: bool, what: &str) {
    match fs::read_to_string(path) {
        Err(error) => assert!(!found, "{what}: {error}"),
        Ok(text) => {
            let document: Value = serde_json::from_str(&text).expect("a whole file");
            let witnesses = document["witnesses"].as_array().expect("a list");
            assert_eq!(!witnesses.is_empty(), found, "{what}");
            fs::remove_file(path).expect("a file");
        }
    }
}

#[test]
fn every_command_reports() {
    let path = endless("interrupted-commands");
    for (words, wanted) in [
        ("check P --model sc", "under sc: unknown"),
        ("check P --model tso --strategy random --runs 100000000", "under tso: unknown"),
        ("check P --model tso --buffer-bound iterate", "stores: unknown"),
        ("check P --model sc --strategy exhaustive", "under sc: unknown"),
        ("check P --model tso --strategy lazy", "under tso: unknown"),
        ("check P --model power --unroll 60", "under power: unknown"),
        ("robust P --model tso --json", "\"robust\":null"),
        ("robust P --model tso --by cycles --json", "\"robust\":null"),
        ("robust P --model tso --by attacks --json", "\"robust\":null"),
        ("fence P --model tso --json", "\"count\":null"),
        ("fence P --model pso --json", "\"count\":null"),
        ("reach P --model tso --json", "\"reachable\":null"),
        ("matrix P --model sc,tso,pso --jobs 1", "unknown under sc, tso and pso"),
        ("matrix P --model sc,tso,pso --jobs 3 --json", "\"unknown\":[\"sc\",\"tso\",\"pso\"]"),
        ("monitor P --runs 100000000 --json --model tso", "\"stopped\":\"interrupted\""),
    ] {
        let args: Vec<&str> = words.split(' ').map(|w| if w == "P" { &path } else { w }).collect();
        let ran = interrupted(&args, Duration::from_millis(300), Signal::INT);
        assert_eq!(ran.status, Some(130), "{words}: {ran:?}");
        assert!(ran.out.contains(wanted), "{words}: {ran:?}");
    }
}

#[test]
fn logs_that_never_end_are_reported() {
    let mut child = started(command(&["monitor", "-", "--model", "tso"]).stdin(Stdio::piped()));
    let mut input = child.stdin.take().expect("a pipe");
    std::io::Write::write_all(&mut input, b"0 w x\n0 r y\n1 w y\n1 r x\n1 r").expect("a log");
    std::thread::sleep(Duration::from_millis(300));
    send(&child, Signal::TERM);
    let (_, ran) = ended(child, "monitor");
    assert_eq!(ran.status, Some(143), "{ran:?}");
    assert!(ran.out.contains("1 distinct violation"), "{ran:?}");
    assert!(ran.out.contains("  stopped before the end of the log: "), "{ran:?}");
    assert!(ran.out.contains("4 events"), "{ran:?}");
}

/// Of many tests, those that were started are reported, in order.
#[test]
fn litmus_tests_that_were_begun_are_reported() {
    let folder = scratch("interrupted-litmus");
    let example = fs::read(root().join("examples/SB.litmus")).expect("an example");
    let slow = fs::read_to_string(endless("interrupted-litmus-slow")).expect("a program");
    let path = |n: u32, end: &str| folder.join(format!("{n:03}.{end}"));
    (0..40).for_each(|n| fs::write(path(n, "litmus"), &example).expect("a test"));
    (40..44).for_each(|n| fs::write(path(n, "rir"), &slow).expect("a test"));
    (44..60).for_each(|n| fs::write(path(n, "litmus"), &example).expect("a test"));
    let files = (0..60).map(|n| path(n, if (40..44).contains(&n) { "rir" } else { "litmus" }));
    let files: Vec<String> = files.map(|file| file.to_str().expect("UTF-8").to_owned()).collect();
    let mut args = vec!["litmus", "--model", "tso", "--json", "--jobs", "2"];
    args.extend(files.iter().map(String::as_str));
    let ran = interrupted(&args, Duration::from_millis(700), Signal::INT);
    assert_eq!(ran.status, Some(130), "{ran:?}");
    let objects = ran.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let names: Vec<String> =
        objects.map(|object| object["file"].as_str().expect("a name").to_owned()).collect();
    assert!(names.is_sorted() && names.len() >= 40 && names.len() < 60, "{names:?}");
    assert!(ran.err.contains("of 60 tests were run"), "{ran:?}");
}

/// The compiler ends with the first signal.
#[test]
fn compilers_are_not_left_behind() {
    for (signal, status) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let mut child = hanging(if status == 130 { "341" } else { "342" });
        wait_for_start(&mut child);
        send(&child, signal);
        let (_, ran) = ended(child, "a check");
        assert_eq!(ran.status, Some(status), "{ran:?}");
        assert!(ran.out.contains("under sc: unknown"), "{ran:?}");
        assert!(ran.err.contains("interrupted while the program was loaded"), "{ran:?}");
    }
    ends("341");
    ends("342");
}

/// A check whose compiler hangs. The compiler creates a file when it starts.
fn hanging(seconds: &str) -> Child {
    let program = file(&format!("hanging-{seconds}"), "p.c", b"int main(void) { return 0; }\n");
    let compiler = Path::new(&program).with_file_name("clang-19");
    fs::write(&compiler, format!("#!/bin/sh\n: > started\nsleep {seconds}\n")).expect("a script");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&compiler, mode).expect("a script");
    let mut command = command(&["check", &program, "--model", "sc"]);
    command.env("CLANG", &compiler).current_dir(compiler.parent().expect("a folder"));
    let started_file = compiler.with_file_name("started");
    let child = started(&mut command);
    let start = Instant::now();
    while !started_file.exists() && start.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Gives the script time to reach its `sleep`.
fn wait_for_start(child: &mut Child) {
    std::thread::sleep(Duration::from_millis(50));
    assert!(child.try_wait().expect("a process").is_none(), "it has ended by itself");
}

/// The second signal ends the process at once, without a report.
#[test]
fn the_second_signal_ends_at_once() {
    // The witness is written to a pipe without a reader, so the report never ends.
    let folder = scratch("twice");
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    let path = endless("twice-program");
    let mut command = command(&["check", &path, "--model", "sc", "--witness"]);
    let child = started(command.arg(&pipe));
    std::thread::sleep(Duration::from_millis(300));
    send(&child, Signal::INT);
    std::thread::sleep(Duration::from_millis(700));
    send(&child, Signal::INT);
    let (killed, ran) = ended(child, "a check");
    assert_eq!(killed, Some(2), "{ran:?}");
}

/// A second signal while the compiler is being killed does not leave it running.
#[test]
fn two_signals_in_a_row_leave_no_compiler() {
    let mut child = hanging("351");
    wait_for_start(&mut child);
    send(&child, Signal::INT);
    send(&child, Signal::TERM);
    let _ = ended(child, "a check");
    ends("351");
}

/// Results are printed line by line, so a reader has all complete lines when the command is interrupted.
#[test]
fn lines_are_whole_when_the_reader_sends_the_signal() {
    let path = endless("interrupted-lines");
    let args = ["check", &path, "--model", "sc,tso,pso", "--json", "--timeout", "0.9"];
    let mut child = started(&mut command(&args));
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    std::thread::sleep(Duration::from_millis(150));
    send(&child, Signal::INT);
    let lines: Vec<String> = lines.by_ref().map(|line| line.expect("a line")).collect();
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert_eq!(lines.len(), 3, "every model is told of: {lines:?}");
    lines.iter().for_each(|line| drop(serde_json::from_str::<Value>(line).expect("JSON")));
}
