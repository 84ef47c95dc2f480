//! Functions of a library: positions, names of threads, and output.

use crate::MODELS;
use crate::common::{FILE, checked, program};
use raddle_engine::{Deed, Failure, Model, Options, Replayed};
use raddle_interleave::replay;
use raddle_ir::Verified;

const LIBRARY: &str = "
global @m: i32
library func @lock(%m: ptr) {
  entry:
    call @lock_it(%m)
    ret
}
library func @lock_it(%m: ptr) {
  entry:
    lock %m
    ret
}
library func @start(%routine: ptr, %arg: i64) {
  entry:
    call *%routine(%arg)
    ret
}
";

fn place(program: &Verified, failure: &Failure) -> Option<String> {
    program.place(failure.loc)
}

#[test]
fn failures_are_where_the_library_is_called() {
    let source = format!(
        "thread main = @main()
func @main() {{
  entry:
    store i32 asm @m, -1
    call @lock(@m)
    ret
}}
{LIBRARY}"
    );
    let program = program(&source);
    for model in MODELS {
        let found = checked(&program, model);
        assert_eq!(place(&program, &found.failures[0]), Some(format!("{FILE}:5")), "{model}");
        // The events before the failure have places, too.
        let told = replay(&program, &Options::new(model), &found.failures[0].schedule);
        assert!(told.events.iter().all(|event| program.place(event.loc).is_some()), "{told:?}");
    }
}

#[test]
fn threads_are_named_after_what_they_run() {
    let source = format!(
        "thread main = @main()
func @worker(%n: i64) {{
    reg %ok: i1
  entry:
    %ok = cmp ne i64 %n, 7
    assert %ok
    ret
}}
func @main() {{
    reg %t: i64
  entry:
    %t = spawn @start(&@worker, 7)
    join %t
    ret
}}
{LIBRARY}"
    );
    let found = checked(&program(&source), Model::Sc);
    assert_eq!(found.failures[0].thread, "main.1:worker");
}

// ---- output ----

/// `format` of each text with the arguments 1, 2 and `@word`, in one thread, after `first`.
fn printing(first: &str, formats: &[&str], then: &str) -> Verified {
    let hex = |text: &str| text.bytes().map(|b| format!("{b:02x}")).collect::<String>() + "00";
    let bytes = |name: &str, text: &str| {
        format!("global @{name}: bytes {} = hex \"{}\"\n", text.len() + 1, hex(text))
    };
    let mut source = bytes("word", "word");
    let mut body = String::new();
    for (n, format) in formats.iter().enumerate() {
        source += &bytes(&format!("f{n}"), format);
        body += &format!("%n = format @f{n}, %a\n");
    }
    source += &format!(
        "global @x: i32
         global @buffer: bytes 8
         thread t = @p()
         observe n = t %n
         func @p() {{
             reg %a: ptr, %p: ptr, %n: i32, %r: i32, %ok: i1
           entry:
             {first}
             %a = alloca 24 private
             store i64 %a, 1
             %p = add ptr %a, 8
             store i64 %p, 2
             %p = add ptr %a, 16
             store ptr %p, @word
             {body}
             {then}
             ret
         }}"
    );
    program(&source)
}

fn printed(replayed: &Replayed) -> Vec<String> {
    let texts = replayed.events.iter().filter_map(|event| match &event.deed {
        Deed::Print(text) => Some(text.clone()),
        _ => None,
    });
    texts.collect()
}

#[test]
fn output_is_told_in_order() {
    let formats = ["%d and %d: %s\\n".replace("\\n", "\n"), "again %d".to_owned()];
    let formats: Vec<&str> = formats.iter().map(String::as_str).collect();
    let program = printing("store i32 asm @x, 5", &formats, "fail assertion \"over\"");
    for model in MODELS {
        let found = checked(&program, model);
        let told = replay(&program, &Options::new(model), &found.failures[0].schedule);
        assert_eq!(printed(&told), ["1 and 2: word\n", "again 1"], "{model}");
    }
}

#[test]
fn the_length_is_that_of_the_whole_text() {
    let found = checked(&printing("", &["%d and %d: %s"], ""), Model::Tso);
    assert_eq!(found.states, [(vec![13], 1)]);
    let cut = "%n = format @f0, %a to @buffer, 4\n%r = load i32 @buffer
        %ok = cmp eq i32 %r, 0x00612031\nassert %ok";
    for model in MODELS {
        let found = checked(&printing("", &["%d and %d: %s"], cut), model);
        assert_eq!((found.states, found.failures.len()), (vec![(vec![13], 1)], 0), "{model}");
        let nothing = "%n = format @f0, %a to 0, 0";
        assert!(checked(&printing("", &["%d"], nothing), model).failures.is_empty(), "{model}");
        let over = "%n = format @f0, %a to @buffer, 99";
        let found = checked(&printing("", &["%d and %d: %s"], over), model);
        assert_eq!(found.failures.len(), 1, "{model}");
    }
}

/// Formatting reads the thread's own buffered stores, and is ordered after them.
#[test]
fn formatting_sees_the_store_buffer() {
    let first = "store i8 asm @word, 99\nstore i8 asm @buffer, 33";
    let then = "%n = format @f1, %a to @buffer, 8\n%r = load i32 @buffer
        %ok = cmp eq i32 %r, 0x64726f63\nassert %ok, \"the buffer holds cord\"";
    for model in MODELS {
        let found = checked(&printing(first, &["%d", "%3$s"], ""), model);
        assert!(found.failures[0].message.contains("positional"), "{model}");
        let nowhere = checked(&printing(first, &["%s", "%d"], ""), model);
        assert_eq!(nowhere.failures[0].kind, raddle_engine::FailureKind::Memory, "{model}");
        let strings = ["x", "%.0s%.0s%s"];
        let found = checked(&printing(first, &strings, then), model);
        assert!(found.failures.is_empty(), "{model}: {:?}", found.failures);
    }
}
