//! Limits on loading: compilers that misbehave and inputs that never end give a diagnostic, and no process
//! is left running.

use crate::common::{Ran, command, raddle, scratch};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

const SAFE: &str = "int main(void) { return 0; }\n";

/// Compiles a program with a script as the compiler. The name of the script contains a version.
fn compiled_by(test: &str, script: &str, more: &[&str]) -> (Ran, Duration) {
    compiled_by_named(test, "clang-19", script, more)
}

fn compiled_by_named(test: &str, name: &str, script: &str, more: &[&str]) -> (Ran, Duration) {
    let folder = scratch(test);
    let compiler = folder.join(name);
    fs::write(&compiler, format!("#!/bin/sh\n{script}\n")).expect("a script");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("a script");
    fs::write(folder.join("p.c"), SAFE).expect("a program");
    let mut command = command(&["check", "p.c", "--model", "sc"]);
    command.args(more).env("CLANG", &compiler).current_dir(&folder);
    let start = Instant::now();
    let ran: Ran = command.output().expect("the command starts").into();
    (ran, start.elapsed())
}

/// Whether a process with this word on its command line is running.
pub(crate) fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|part| part == word.as_bytes()))
}

/// Waits for the end of a process: one that was killed may take a moment to end.
#[track_caller]
pub(crate) fn ends(word: &str) {
    let start = Instant::now();
    while is_running(word) {
        assert!(start.elapsed() < Duration::from_secs(5), "{word} still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The path of the real compiler, for scripts that call it.
fn clang() -> Option<String> {
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).map(|folder| folder.join("clang"));
    let found = found.into_iter().find(|file| file.is_file());
    if found.is_none() {
        raddle_testing::missing("clang");
    }
    Some(found?.to_str()?.to_owned())
}

#[test]
fn a_compiler_that_hangs_is_killed_when_time_runs_out() {
    for (n, script) in
        ["exec sleep 301", "sleep 301", "sleep 301 & wait", "exec >&- 2>&-; sleep 301"]
            .into_iter()
            .enumerate()
    {
        let seconds = format!("{}", 301 + n);
        let script = script.replace("301", &seconds);
        let (ran, took) = compiled_by("hangs", &script, &["--timeout", "0.4"]);
        assert_eq!(ran.status, Some(3), "{script}: {ran:?}");
        assert!(ran.out.starts_with("p.c under sc: unknown\n"), "{script}: {ran:?}");
        assert!(ran.err.contains("p.c: error: time ran out while"), "{script}: {ran:?}");
        assert!(took < Duration::from_millis(1400), "{script}: {took:?}");
        ends(&seconds);
    }
}

#[test]
fn so_is_one_that_does_not_say_its_version() {
    let (ran, took) = compiled_by_named("version", "cc", "sleep 311", &["--timeout", "0.4"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(took < Duration::from_millis(1400), "{took:?}");
    ends("311");
    let (ran, _) = compiled_by_named("version-endless", "cc", "yes", &[]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("the compiler prints more than 1 MiB"), "{ran:?}");
}

#[test]
fn every_command_ends_with_the_compiler() {
    let folder = scratch("commands");
    let compiler = folder.join("clang-19");
    fs::write(&compiler, "#!/bin/sh\nsleep 321\n").expect("a script");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("a script");
    fs::write(folder.join("p.c"), SAFE).expect("a program");
    for (words, wanted) in [
        ("check p.c --model sc,tso --json", "\"verdict\":\"unknown\""),
        ("robust p.c --model tso --json", "\"robust\":null"),
        ("fence p.c --model tso --json", "\"count\":null"),
        ("reach p.c --model sc --json", "\"reachable\":null"),
        ("monitor p.c --model tso --json", "\"stopped\":\"time\""),
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        let mut command = command(&words);
        command.args(["--timeout", "0.2"]).env("CLANG", &compiler).current_dir(&folder);
        let ran: Ran = command.output().expect("the command starts").into();
        assert_eq!(ran.status, Some(3), "{words:?}: {ran:?}");
        assert!(ran.out.contains(wanted), "{words:?}: {ran:?}");
        assert!(ran.err.contains("time ran out while the program was loaded"), "{ran:?}");
    }
    ends("321");
}

#[test]
fn a_compiler_that_prints_without_end_is_stopped() {
    let (ran, _) = compiled_by("prints", "yes ';'", &[]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("the compiler prints more than 256 MiB"), "{ran:?}");
    let (ran, _) = compiled_by("complains", "yes warning >&2", &[]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.err.contains("the compiler prints more than 16 MiB"), "{ran:?}");
    assert!(ran.err.len() < 1000, "{}", ran.err.len());
}

#[test]
fn the_limit_on_memory_holds_for_what_a_compiler_prints() {
    let (ran, _) =
        compiled_by("gigabytes", "head -c 3000000000 /dev/zero", &["--max-memory", "60"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.err.contains("the limit on memory was reached while"), "{ran:?}");
}

#[test]
fn a_compiler_that_dies_is_told_of() {
    for (script, wanted) in [
        ("kill -SEGV $$", "ended with signal: 11"),
        ("echo 'about to die' >&2; kill -KILL $$", "(its last words: about to die)"),
        ("exit 7", "ended with exit status: 7"),
        ("head -c 100000 /dev/urandom", "error"),
        ("printf 'define i32 @main() {'", "error"),
        ("true", "error"),
    ] {
        let (ran, _) = compiled_by("dies", script, &[]);
        assert_eq!(ran.status, Some(2), "{script}: {ran:?}");
        assert!(ran.err.contains(wanted), "{script}: {ran:?}");
        assert_eq!(ran.out, "", "{script}");
    }
}

/// raddle does not wait for processes that the compiler has started. They end with raddle, unless they have
/// left the compiler's process group.
#[test]
fn processes_that_keep_the_pipe_open_do_not_matter() {
    let Some(clang) = clang() else { return };
    for (seconds, script) in [
        ("331", format!("sleep 331 &\nexec {clang} \"$@\"")),
        ("0.5", format!("setsid sleep 0.5 &\nexec {clang} \"$@\"")),
    ] {
        let (ran, took) = compiled_by("leaves", &script, &["--timeout", "20"]);
        assert_eq!(ran.status, Some(0), "{script}: {ran:?}");
        assert!(took < Duration::from_secs(10), "{script}: {took:?}");
        ends(seconds);
    }
}

#[test]
fn what_is_not_a_file_is_refused() {
    let folder = scratch("not_files");
    let made = std::process::Command::new("mkfifo").arg(folder.join("pipe")).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    fs::create_dir(folder.join("folder")).expect("a folder");
    for (target, kind) in [
        (folder.join("pipe"), "this is a pipe; expected a file"),
        ("/dev/zero".into(), "this is a device; expected a file"),
        (folder.join("folder"), "this is a folder; expected a file"),
        (folder.join("nothing"), "no such file"),
    ] {
        for extension in ["c", "cpp", "ll", "bc", "rir", "litmus", "aut"] {
            let link = folder.join(format!("x.{extension}"));
            let _ = fs::remove_file(&link);
            symlink(&target, &link).expect("a link");
            refused(&["check", "--model", "sc"], &link, kind);
        }
        let litmus = folder.join("x.litmus");
        if !kind.contains("folder") {
            refused(&["litmus", "--model", "sc"], &litmus, kind);
        }
        refused(&["replay"], &litmus, kind);
        refused(&["print"], &litmus, kind);
    }
    refused(&["monitor"], &folder.join("folder"), "this is a folder");
}

#[track_caller]
fn refused(args: &[&str], path: &Path, wanted: &str) {
    let start = Instant::now();
    let path = path.to_str().expect("UTF-8");
    let ran = raddle(&[&[args[0], path], &args[1..]].concat());
    assert_eq!(ran.status, Some(2), "{args:?} {path}: {ran:?}");
    assert!(ran.err.contains(wanted), "{args:?} {path}: {ran:?}");
    assert_eq!(ran.out, "", "{args:?} {path}");
    assert!(start.elapsed() < Duration::from_secs(5), "{args:?} {path}");
}

/// A log may be a pipe. If nothing is written to the pipe, the command ends at its time limit.
#[test]
fn logs_may_be_pipes_and_end_with_the_time() {
    let folder = scratch("logs");
    let pipe = folder.join("pipe.log");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "a pipe");
    let pipe = pipe.to_str().expect("UTF-8");
    let start = Instant::now();
    let ran = raddle(&["monitor", pipe, "--timeout", "0.3"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.out.contains("stopped before the end of the log: time ran out"), "{ran:?}");
    assert!(start.elapsed() < Duration::from_millis(1300), "{:?}", start.elapsed());
    let mut endless = command(&["monitor", "-", "--timeout", "0.3", "--json"]);
    let mut lines = std::process::Command::new("yes");
    let mut yes = lines.arg("0 w x").stdout(std::process::Stdio::piped()).spawn().expect("yes");
    endless.stdin(yes.stdout.take().expect("a pipe"));
    let ran: Ran = endless.output().expect("the command starts").into();
    let _ = yes.kill();
    let _ = yes.wait();
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.out.contains("\"stopped\":\"time\""), "{ran:?}");
    let writer = std::process::Command::new("sh")
        .args(["-c", "printf '0 w x\\n1 r x\\n' > \"$1\"", "sh", pipe])
        .spawn();
    let ran = raddle(&["monitor", pipe, "--timeout", "20"]);
    let _ = writer.expect("a writer").wait();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.out.contains("2 events"), "{ran:?}");
}

/// The time limit includes loading, for every type of file.
#[test]
fn large_files_are_given_up_in_time() {
    let folder = scratch("large");
    let line = "  fence seq_cst\n";
    let body = line.repeat((100 << 20) / line.len());
    let text = format!("define i32 @main() {{\n{body}  ret i32 0\n}}\n");
    let path = folder.join("large.ll");
    fs::write(&path, text).expect("a large file");
    let start = Instant::now();
    let args = ["check", path.to_str().expect("UTF-8"), "--model", "sc", "--timeout", "0.3"];
    let ran = raddle(&args);
    let took = start.elapsed();
    let _ = fs::remove_file(&path);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(took < Duration::from_millis(1500), "{took:?}");
}
