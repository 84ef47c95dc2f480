//! `raddle doctor`.

use crate::common::{command, raddle, scratch, with_clang};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn object(text: &str) -> Value {
    serde_json::from_str(text.trim_end()).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_machine_without_clang_is_told_how_to_get_one() {
    let folder = scratch("doctor-empty");
    let run = |args: &[&str]| {
        let mut command = command(args);
        let ran = command.env("PATH", &folder).env_remove("CLANG").output();
        crate::common::Ran::from(ran.expect("the command starts"))
    };
    let ran = run(&["doctor"]);
    assert_eq!((ran.status, &*ran.err), (Some(2), ""), "{ran:?}");
    assert!(ran.out.contains("problem: clang: no clang on the path"), "{}", ran.out);
    assert!(ran.out.contains("advice: install it: apt install clang"), "{}", ran.out);
    assert!(ran.out.ends_with("litmus tests, automata and IR text can\n"), "{}", ran.out);
    let found = object(&run(&["doctor", "--json"]).out);
    assert_eq!((&found["usable"], &found["clang"]), (&json!(false), &Value::Null), "{found}");
    assert_eq!((&found["clangs"], &found["compiles"]), (&json!([]), &json!([])), "{found}");
    assert_eq!(
        found["tools"],
        json!([{"name": "patch", "path": null}, {"name": "git", "path": null}])
    );
    assert_eq!(found["version"], env!("CARGO_PKG_VERSION"));
    assert!(found["cores"].as_u64().is_some_and(|cores| cores > 0), "{found}");
    assert_eq!(found["oldest_clang"], 14);
}

#[test]
fn a_compiler_that_does_not_work_is_noticed() {
    let folder = scratch("doctor-broken");
    let write = |name: &str, script: &str| {
        let path = folder.join(name);
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a script");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
        path.to_str().expect("UTF-8").to_owned()
    };
    let missing =
        write("clang-15", "echo \"p.c:1:10: fatal error: 'pthread.h' file not found\" >&2; exit 1");
    let ran = raddle(&["doctor", "--clang", &missing]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.out.contains("(version 15): --clang; 14 or later is needed"), "{}", ran.out);
    assert!(
        ran.out.contains("a small C program does not compile: 'pthread.h' file not found"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("advice: apt install libc6-dev"), "{}", ran.out);
    let slow = write("clang-16", "sleep 30");
    let ran = raddle(&["doctor", "--timeout", "0.2", "--clang", &slow]);
    assert_eq!(ran.status, Some(2), "{ran:?}");
    assert!(ran.out.contains("it took too long"), "{}", ran.out);
    let old = write("clang-11", "exit 1");
    let ran = raddle(&["doctor", "--clang", &old]);
    assert!(ran.out.contains("clang 11 is too old"), "{}", ran.out);
    let ran = raddle(&["doctor", "--clang", "/nonexistent/clang"]);
    assert!(ran.out.contains("--clang names a compiler that is not there"), "{}", ran.out);
}

#[test]
fn a_machine_with_clang_compiles() {
    if with_clang(&["print", "examples/dekker.c"]).is_none() {
        return;
    }
    let ran = raddle(&["doctor", "--json"]);
    let found = object(&ran.out);
    assert_eq!(found["usable"], true, "{found}");
    let compiles = found["compiles"].as_array().expect("the languages");
    let languages: Vec<&Value> = compiles.iter().map(|compiled| &compiled["language"]).collect();
    assert_eq!(languages, ["C", "C++"]);
    assert_eq!(compiles[0]["works"], true, "{found}");
    // Without the headers of C++ the status is 3: a part of raddle cannot be used.
    let status = if compiles[1]["works"] == true { 0 } else { 3 };
    assert_eq!(ran.status, Some(status), "{found}");
    let chosen = &found["clang"]["path"];
    let all = found["clangs"].as_array().expect("the compilers");
    assert!(found["clang"]["by"] != "path" || all.iter().any(|c| c["path"] == *chosen), "{found}");
}
