//! `--jobs`: results do not depend on the number of cores.

use crate::common::{file, raddle};
use serde_json::Value;

/// Three threads that increment a counter without a lock, which takes some thousands of executions. The counter may
/// have any value in the end but the one that is asserted not to be.
pub(crate) fn counter(test: &str) -> String {
    let text = "global @count: i32
global @turn: i32
thread a = @increment(1)
thread b = @increment(2)
thread c = @increment(3)
thread e = @check()
func @increment(%me: i32) {
    reg %old: i32, %new: i32
  entry:
    %old = load i32 asm @count
    %new = add i32 %old, 1
    store i32 asm @count, %new
    store i32 asm @turn, %me
    ret
}
func @check() {
    reg %total: i32, %turn: i32, %less: i1
  entry:
    %turn = load i32 asm @turn
    %total = load i32 asm @count
    %less = cmp ult i32 %total, 3
    assert %less, \"three increments are seen\"
    ret
}
";
    file(test, "counter.rir", text.as_bytes())
}

/// The output of a command as JSON, without times and memory.
pub(crate) fn printed(args: &[&str]) -> (Option<i32>, Vec<Value>) {
    let ran = raddle(args);
    let lines = ran.out.lines().map(|line| {
        let mut line: Value = serde_json::from_str(line).expect("JSON");
        without_costs(&mut line);
        line
    });
    (ran.status, lines.collect())
}

pub(crate) fn without_costs(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            let costs = ["seconds", "peak", "states_per_second", "bytes_per_state"];
            fields.retain(|name, _| !costs.contains(&name.as_str()));
            fields.values_mut().for_each(without_costs);
        }
        Value::Array(items) => items.iter_mut().for_each(without_costs),
        _ => {}
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_cores() {
    let path = counter("jobs");
    let commands: [&[&str]; 9] = [
        &["check", &path, "--model", "sc,tso,pso,power,arm", "--keep-going"],
        &["check", &path, "--model", "sc,tso,pso,power,arm"],
        &["check", &path, "--model", "tso", "--strategy", "source", "--keep-going"],
        &["check", &path, "--model", "pso", "--strategy", "persistent", "--keep-going"],
        &["check", &path, "--model", "tso", "--strategy", "random", "--keep-going"],
        &["check", &path, "--model", "tso", "--strategy", "random", "--runs", "5000"],
        &["robust", &path, "--model", "tso,pso"],
        &["robust", &path, "--model", "tso,pso", "--by", "cycles"],
        &["robust", &path, "--model", "tso,pso", "--by", "count"],
    ];
    for command in commands {
        is_the_same(command);
    }
}

/// Runs a command with several numbers of cores.
fn is_the_same(command: &[&str]) {
    let with = |jobs: &str| printed(&[command, &["--json", "--jobs", jobs]].concat());
    let alone = with("1");
    assert!(!alone.1.is_empty(), "{command:?}");
    for jobs in ["2", "3", "8"] {
        assert!(with(jobs) == alone, "{command:?} --jobs {jobs} differs from --jobs 1");
    }
}

/// Threads that `main` starts, that allocate, and that read each other's objects: some levels of the search have more than a
/// thousand states, and new threads and objects in them. The last assertion fails if `limit` is low.
fn spawning(test: &str, limit: u32) -> String {
    let text = format!(
        "global @x: i32
global @head: ptr
thread main = @main()
func @work(%me: i32) {{
    reg %n: i32, %v: i32, %c: i1, %p: ptr, %o: ptr
  entry:
    %p = malloc 8
    store i32 asm %p, %me
    store ptr asm @head, %p
    %n = move i32 0
    jump head
  head:
    %c = cmp ult i32 %n, 2
    br %c, body, out
  body:
    %v = load i32 asm @x
    %o = load ptr asm @head
    %c = cmp ult ptr %p, %o
    br %c, grow, keep
  grow:
    %p = malloc 8
    store i32 asm %p, %n
    jump keep
  keep:
    %v = add i32 %v, %me
    store i32 asm @x, %v
    %n = add i32 %n, 1
    jump head
  out:
    ret
}}
func @main() {{
    reg %a: i64, %b: i64, %d: i64, %v: i32, %c: i1
  entry:
    %a = spawn @work(1)
    %b = spawn @work(2)
    %d = spawn @work(3)
    join %a
    join %b
    join %d
    %v = load i32 asm @x
    %c = cmp ult i32 %v, {limit}
    assert %c, \"the sum is small\"
    ret
}}
"
    );
    file(test, &format!("spawning{limit}.rir"), text.as_bytes())
}

/// `--jobs` with searches of states, in which the numbers of threads and objects are given as they come.
#[test]
fn searches_of_states_do_not_depend_on_the_number_of_cores() {
    let (safe, unsafe_) = (spawning("jobs-safe", 99), spawning("jobs-unsafe", 12));
    let commands: [&[&str]; 5] = [
        &["reach", &safe, "--model", "sc"],
        &["reach", &unsafe_, "--model", "sc"],
        &["reach", &unsafe_, "--model", "tso"],
        &["check", &unsafe_, "--model", "sc,tso", "--strategy", "lazy"],
        &["robust", &unsafe_, "--model", "tso", "--by", "attacks"],
    ];
    commands.into_iter().for_each(is_the_same);
}

#[test]
fn no_core_is_refused() {
    let path = counter("jobs-none");
    let ran = raddle(&["check", &path, "--model", "sc", "--jobs", "0"]);
    assert_eq!(ran.status, Some(2), "{}", ran.err);
    assert!(ran.err.contains("--jobs"), "{}", ran.err);
}
