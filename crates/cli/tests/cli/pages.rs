//! Witnesses on a page, whatever their length, and all their steps with `--all-steps`.

use crate::common::{file, raddle, scratch};

/// The lines of a page.
const PAGE: usize = 60;

/// Two threads that each store so often in a loop, and then race.
fn busy(stores: u32) -> String {
    format!(
        r#"program "busy"
global @a: i32
global @b: i32
global @flag: i32
thread P0 = @fill(@a)
thread P1 = @fill(@b)
func @fill(%at: ptr) {{
  reg %i: i32, %more: i1, %before: i32, %first: i1
entry:
  %i = add i32 0, 0
  jump head
head:
  store i32 asm %at, %i
  %i = add i32 %i, 1
  %more = cmp ult i32 %i, {stores}
  br %more, head, out
out:
  %before = rmw add i32 asm @flag, 1
  %first = cmp eq i32 %before, 0
  assert %first, "only one"
  ret
}}
"#
    )
}

/// Under SC every store is a step, under TSO every way of a store to memory.
#[test]
fn long_witnesses_are_a_page() {
    let path = file("pages_long", "busy.rir", busy(10_000).as_bytes());
    let ran = raddle(&["check", &path, "--model", "sc,tso", "--max-events", "100000"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let reports: Vec<&str> = ran.out.split_inclusive(" s\n").collect();
    assert_eq!(reports.len(), 2, "{}", ran.out);
    for report in reports {
        assert!(report.lines().count() <= PAGE, "{report}");
        assert!(report.contains("9,998 more rounds of the loop at busy.rir:13"), "{report}");
        assert!(report.contains("assertion fails: only one"), "{report}");
        assert!(report.contains("steps are folded; --all-steps shows them"), "{report}");
    }
}

#[test]
fn all_steps_are_shown_on_request() {
    let path = file("pages_all", "busy.rir", busy(70).as_bytes());
    let witness = scratch("pages_all_witness").join("w.json");
    let witness = witness.to_str().expect("UTF-8");
    let rows = |args: &[&str]| {
        let ran = raddle(args);
        assert_eq!(ran.status, Some(1), "{ran:?}");
        (ran.out.matches("writes ").count(), ran.out.lines().count())
    };
    let check = ["check", &path, "--model", "sc", "--witness", witness];
    for command in [&check[..], &["replay", witness], &["reach", &path, "--model", "sc"]] {
        let (writes, lines) = rows(command);
        assert!(writes < 70 && lines <= PAGE, "{command:?}: {writes} writes, {lines} lines");
        let (all, _) = rows(&[command, &["--all-steps"]].concat());
        assert!(all >= 70, "{command:?}: {all} writes");
    }
    let refused = raddle(&["check", &path, "--model", "sc", "--all-steps", "--json"]);
    assert_eq!(refused.status, Some(2), "{refused:?}");
}

/// The report has only the cycle, unless all steps are asked for.
#[test]
fn robustness_shows_its_schedule_on_request() {
    let dekker = ["robust", "examples/dekker.rir", "--model", "tso"];
    let (short, long) = (raddle(&dekker), raddle(&[&dekker[..], &["--all-steps"]].concat()));
    assert_eq!((short.status, long.status), (Some(1), Some(1)));
    assert!(!short.out.contains("(buffered)  ") && short.out.contains("fence cuts it"));
    assert!(long.out.contains("  1    17") && long.out.contains("P0"), "{}", long.out);
}
