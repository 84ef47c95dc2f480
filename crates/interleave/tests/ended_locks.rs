//! Locks and condition variables in objects that have ended: under every model this is a failure of kind
//! `memory`, and it replays.

use crate::MODELS;
use raddle_engine::{FailureKind, Options, ReplayEnd};
use raddle_interleave::{explore, replay};
use raddle_ir::text;

fn fails(body: &str) {
    let source = format!(
        "global @m: i32\nglobal @p: ptr\nthread t0 = @f()\nthread t1 = @g()\n\
         func @f() {{\n reg %a: ptr, %b: ptr, %ok: i1\n entry:\n %a = malloc 4 zeroed\n \
         %b = malloc 4 zeroed\n {body}\n ret\n}}\nfunc @g() {{\n reg %q: ptr\n entry:\n \
         %q = load ptr @p\n ret\n}}\n"
    );
    let program = text::load("t.rir", source.as_bytes()).expect("the program parses");
    for model in MODELS {
        let options = Options { keep_going: true, ..Options::new(model) };
        let summary = explore(&program, &options);
        assert!(!summary.failures.is_empty(), "{model}: {body}");
        for failure in &summary.failures {
            assert_eq!(failure.kind, FailureKind::Memory, "{model}: {body}: {failure:?}");
            let again = replay(&program, &Options::new(model), &failure.schedule);
            assert!(matches!(again.end, ReplayEnd::Failed(_)), "{model}: {body}: {again:?}");
        }
    }
}

#[test]
fn the_memory_is_what_is_wrong() {
    fails("free %a\n unlock %a");
    fails("lock %a\n free %a\n unlock %a");
    fails("free %a\n lock %a");
    fails("free %a\n %ok = trylock %a");
    fails("free %a\n cond_wait %b, %a");
    fails("lock %a\n free %b\n cond_wait %b, %a");
    fails("free %b\n cond_signal %b");
    fails("free %b\n cond_broadcast %b");
    fails("unlock 0");
}
