//! `raddle matrix`: one program under all models.

use crate::common::{file, raddle, scratch, with_clang};
use crate::limits::endless;
use raddle_engine::{Engine, Model};
use serde_json::{Value, json};
use std::fs;

/// The models that the tests are about; there may be more.
const MODELS: &str = "--model=sc,tso,pso,power,arm";

/// The exit status and the object that is printed.
fn matrix(args: &[&str]) -> (Option<i32>, Value) {
    let ran = raddle(&[&["matrix", "--json"], args].concat());
    let object = serde_json::from_str(ran.out.trim_end());
    (ran.status, object.unwrap_or_else(|error| panic!("{error}: {ran:?}")))
}

/// One field of every model.
fn each<'v>(object: &'v Value, field: &str) -> Vec<&'v Value> {
    let models = object["models"].as_array().expect("the models");
    models.iter().map(|model| &model[field]).collect()
}

#[test]
fn the_table_says_where_a_program_is_safe() {
    let ran = raddle(&["matrix", "examples/MP.litmus", MODELS]);
    assert_eq!((ran.status, &*ran.err), (Some(1), ""), "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "examples/MP.litmus");
    let first: Vec<&str> = lines[2..7].iter().filter_map(|l| l.split_whitespace().next()).collect();
    assert_eq!(first, ["sc", "tso", "pso", "power", "arm"]);
    assert!(lines[4].ends_with(r"condition: ~exists (1:EAX=1 /\ 1:EBX=0) fails"), "{}", ran.out);
    assert_eq!(lines[7], "  safe under sc and tso; not safe under pso, power and arm");
    assert_eq!(lines[8], "  the weakest model under which it is safe: tso");
    assert!(lines[9].starts_with("  5 models, "), "{}", ran.out);
}

#[test]
fn json_has_a_row_for_every_model() {
    let (status, object) = matrix(&["examples/dekker.rir", MODELS]);
    assert_eq!(status, Some(1), "{object}");
    assert_eq!(object["property"], "safe");
    assert_eq!(each(&object, "model"), ["sc", "tso", "pso", "power", "arm"]);
    assert_eq!(each(&object, "strategy"), ["optimal", "optimal", "optimal", "graph", "graph"]);
    let bad = "violation";
    assert_eq!(each(&object, "verdict"), ["safe", bad, bad, bad, bad]);
    assert_eq!(object["holds"], json!(["sc"]));
    assert_eq!(object["fails"], json!(["tso", "pso", "power", "arm"]));
    assert_eq!((&object["unknown"], &object["weakest"]), (&json!([]), &json!(["sc"])));
    let error = &object["models"][1]["error"];
    assert_eq!((&error["kind"], &error["line"]), (&json!("assertion"), &json!(24)), "{error}");
    assert_eq!(error["file"], "examples/dekker.rir");
    assert_eq!(object["models"][0]["error"], Value::Null);
    assert!(object["models"][0].get("fences").is_none(), "{object}");
    // The counts are those of `raddle check`.
    for (n, model) in ["sc", "tso", "pso", "power", "arm"].iter().enumerate() {
        let ran = raddle(&["check", "examples/dekker.rir", "--json", "--model", model]);
        let alone: Value = serde_json::from_str(&ran.out).expect("JSON");
        assert_eq!(object["models"][n]["executions"], alone["executions"], "{model}");
    }
}

#[test]
fn the_order_does_not_depend_on_the_workers() {
    let without_times = |jobs: &str| {
        let (_, mut object) = matrix(&["examples/dekker.rir", "--fences", "--jobs", jobs]);
        for model in object["models"].as_array_mut().expect("the models") {
            model["seconds"] = Value::Null;
            if let Some(fences) = model.get_mut("fences") {
                fences["seconds"] = Value::Null;
            }
        }
        object["models"].take()
    };
    assert_eq!(without_times("1"), without_times("5"));
}

#[test]
fn models_can_be_chosen() {
    let (status, object) = matrix(&["examples/dekker-fenced.rir", "--model", "arm,tso,arm"]);
    assert_eq!(status, Some(0), "{object}");
    assert_eq!(each(&object, "model"), ["tso", "arm"]);
    assert_eq!(object["weakest"], json!(["tso", "arm"]));
    let (_, object) = matrix(&["examples/dekker.rir", "--strategy", "source"]);
    assert_eq!(each(&object, "model")[..3], ["sc", "tso", "pso"]);
    assert!(!each(&object, "model").contains(&&json!("power")), "{object}");
    let (_, object) = matrix(&["examples/dekker.rir", "--strategy", "lazy"]);
    let by_states: Vec<&str> = Engine::Reach.models().map(Model::name).collect();
    assert_eq!(each(&object, "model"), by_states);
    assert!(each(&object, "strategy").into_iter().all(|name| name == "lazy"), "{object}");
    for wrong in [
        &["--model", "power", "--strategy", "optimal"][..],
        &["--strategy", "graph", "--check", "races"],
        &["--seed", "1"],
        &["--jobs", "0"],
        &["--fences=more"],
        &["--timeout", "0"],
    ] {
        let ran = raddle(&[&["matrix", "examples/dekker.rir"], wrong].concat());
        assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{wrong:?}: {ran:?}");
    }
}

#[test]
fn litmus_tests_show_what_is_observed() {
    let (status, object) = matrix(&["examples/SB.litmus", MODELS, "--fences"]);
    assert_eq!(status, Some(0), "an exists is not a violation: {object}");
    assert_eq!(object["property"], "forbidden");
    let some = "Sometimes";
    assert_eq!(each(&object, "observation"), ["Never", some, some, some, some]);
    assert_eq!(object["weakest"], json!(["sc"]));
    let counts: Vec<&Value> = each(&object, "fences").iter().map(|f| &f["count"]).collect();
    assert_eq!(counts, [&Value::Null, &json!(2), &json!(2), &json!(2), &json!(2)]);
    let ran = raddle(&["matrix", "examples/SB.litmus", MODELS]);
    assert!(
        ran.out.contains("  never observed under sc; observed under tso, pso, power and arm\n")
    );
}

#[test]
fn automata_are_decided_where_states_are_searched() {
    let (status, object) = matrix(&["tests/automata/peterson.aut", MODELS, "--fences"]);
    assert_eq!(status, Some(1), "{object}");
    assert_eq!(object["property"], "unreachable");
    let open = "unknown";
    assert_eq!(each(&object, "verdict"), ["safe", "violation", open, open, open]);
    assert_eq!(each(&object, "executions"), [&Value::Null; 5]);
    assert_eq!(object["models"][1]["fences"]["count"], 2);
    let reason = object["models"][3]["reason"].as_str().expect("a reason");
    let models = Model::names(Engine::Reach.models()).replace(" or ", " and ");
    assert!(reason.contains(&format!("under {models} only")), "{reason}");
}

#[test]
fn fences_are_those_of_the_fence_command() {
    for aim in ["safe", "robust"] {
        let (_, object) = matrix(&["examples/dekker.rir", MODELS, &format!("--fences={aim}")]);
        for (n, model) in ["tso", "pso", "power", "arm"].iter().enumerate() {
            let fences = &object["models"][n + 1]["fences"];
            let mut args = vec!["fence", "examples/dekker.rir", "--json", "--model", model];
            args.extend((aim == "safe").then_some("--goal"));
            let alone: Value = serde_json::from_str(&raddle(&args).out).expect("JSON");
            assert!(alone["count"].is_u64(), "{alone}");
            for field in ["target", "count", "hopeless"] {
                assert_eq!(fences[field], alone[field], "{aim} {model} {field}");
            }
            let places = fences["places"].as_array().expect("places");
            assert_eq!(Some(places.len() as u64), fences["count"].as_u64(), "{fences}");
        }
    }
    // Where a program fails under sc, no fences help.
    let (_, object) = matrix(&["examples/deadlock.rir", "--fences", "--model", "tso"]);
    let fences = &object["models"][0]["fences"];
    assert_eq!((&fences["hopeless"], &fences["count"]), (&json!(true), &Value::Null), "{fences}");
}

#[test]
fn races_are_looked_for_where_there_is_such_a_check() {
    let (_, object) = matrix(&["examples/dekker.rir", MODELS, "--check", "races"]);
    assert_eq!(each(&object, "races"), [true, true, true, false, false]);
    let ran = raddle(&["matrix", "examples/dekker.rir", MODELS, "--check", "races"]);
    assert!(ran.out.contains("  data races were not looked for under power and arm\n"), "{ran:?}");
}

#[test]
fn limits_are_shared() {
    let path = endless("matrix-limits");
    let start = std::time::Instant::now();
    let (status, object) = matrix(&[&path, "--model", "sc,tso,pso", "--timeout", "0.6"]);
    assert!(start.elapsed().as_secs_f64() < 5.0, "one limit for all models");
    assert_eq!(status, Some(3), "{object}");
    assert_eq!(each(&object, "stopped"), ["time"; 3]);
    let (_, object) = matrix(&[&path, "--model", "sc,pso", "--max-executions", "3"]);
    assert_eq!(each(&object, "stopped"), ["executions"; 2]);
    assert_eq!(each(&object, "executions"), [3, 3]);
    let ran = raddle(&["matrix", &path, "--model", "sc,tso", "--max-executions", "3"]);
    assert!(ran.out.contains("  unknown under sc and tso\n"), "{ran:?}");
    assert!(ran.out.contains("stopped early: "), "{ran:?}");
}

/// Models that are stopped because all together take too much memory are searched again alone.
#[test]
fn memory_is_one_limit() {
    let path = endless("matrix-memory");
    let args = [&*path, "--strategy", "lazy", "--max-memory", "20", "--jobs", "2"];
    let (status, object) = matrix(&args);
    assert_eq!(status, Some(3), "{object}");
    for model in object["models"].as_array().expect("the models") {
        let reason = model["reason"].as_str().unwrap_or_default();
        assert!(reason.contains("memory"), "{model}");
    }
}

#[test]
fn the_page_is_whole_and_escaped() {
    let text = "thread P0 = @p()
        func @p() {
          reg %no: i1
        entry:
          %no = move i1 0
          assert %no, \"<script>&\"
          ret
        }";
    let path = file("matrix-page", "page.rir", text.as_bytes());
    let page = scratch("matrix-page-out").join("page.html");
    let page_name = page.to_str().expect("UTF-8");
    let ran = raddle(&["matrix", &path, MODELS, "--html", page_name]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let html = fs::read_to_string(&page).expect("the page");
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>\n"), "{html}");
    assert!(html.contains("&lt;script&gt;&amp;") && !html.contains("<script"), "{html}");
    assert_eq!(html.matches("<tr ").count(), 6, "{html}");
    for outside in ["http:", "https:", "src=", "href=", "url("] {
        assert!(!html.contains(outside), "{outside} in {html}");
    }
    for (open, close) in
        [("<table", "</table>"), ("<td", "</td>"), ("<th ", "</th>"), ("<p>", "</p>")]
    {
        assert_eq!(html.matches(open).count(), html.matches(close).count(), "{open}");
    }
    // The program must not be lost.
    let ran = raddle(&["matrix", &path, "--html", &path]);
    assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).expect("the program"), text);
}

#[test]
fn a_c_program_is_loaded_once() {
    let page = scratch("matrix-c").join("dekker.html");
    let args =
        ["matrix", "examples/dekker.c", MODELS, "--json", "--html", page.to_str().expect("UTF-8")];
    let Some(ran) = with_clang(&[&args[..], &["--", "-DFENCE"]].concat()) else { return };
    let object: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((ran.status, &object["weakest"]), (Some(1), &json!(["tso"])), "{ran:?}");
    // Remarks on the program are printed once, not for every model.
    assert_eq!(ran.err.matches("warning: ").count(), 1, "{}", ran.err);
    assert!(page.exists());
}

#[test]
fn files_that_cannot_be_loaded_have_no_table() {
    for args in [&["missing.rir"][..], &["examples/dekker.rir", "examples/MP.litmus"]] {
        let ran = raddle(&[&["matrix"], args].concat());
        assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{ran:?}");
    }
    let ran = raddle(&["matrix", "examples/dekker.rir", MODELS, "--timeout", "0.000001"]);
    assert_eq!(ran.status, Some(3), "{ran:?}");
    assert!(ran.out.contains("unknown under sc, tso, pso, power and arm"), "{ran:?}");
}

/// The kinds of errors and the suppressions are those of `check`.
#[test]
fn errors_are_left_out_as_in_a_check() {
    let program = "examples/deadlock.rir";
    let known = "deadlock@deadlock.rir=known";
    for options in [
        &["--no-deadlock"][..],
        &["--no-check", "deadlock,memory"],
        &["--suppress", known],
        &["--no-check", "all", "--check", "deadlock"],
    ] {
        let (status, object) = matrix(&[&[program, MODELS][..], options].concat());
        let models = ["check", program, "--json", MODELS];
        let checked = raddle(&[&models[..], options].concat());
        assert_eq!(status, checked.status, "{options:?}: {object:#}");
        let lines = checked.out.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let lines: Vec<Value> = lines.collect();
        let verdicts: Vec<&Value> = lines.iter().map(|line| &line["verdict"]).collect();
        assert_eq!(each(&object, "verdict"), verdicts, "{options:?}");
        assert_eq!(object["not_checked"], lines[0]["not_checked"], "{options:?}");
    }
    let (_, object) = matrix(&[program, "--suppress", known]);
    let by = json!(["deadlock@deadlock.rir"]);
    assert!(each(&object, "suppressed").into_iter().all(|found| *found == by), "{object:#}");
    let ran = raddle(&["matrix", program, "--suppress", "abort@deadlock.rir=old", "--no-deadlock"]);
    assert!(ran.err.contains("the suppression abort@deadlock.rir matches no error"), "{ran:?}");
    // A condition that is not judged is not what the table is about.
    let (status, object) = matrix(&["examples/SB.litmus", "--no-check", "condition"]);
    assert_eq!((status, &object["property"]), (Some(0), &"safe".into()), "{object:#}");
}

#[test]
fn errors_are_not_left_out_where_all_of_them_count() {
    for args in [
        &["tests/automata/peterson.aut", "--no-deadlock"][..],
        &["examples/deadlock.rir", "--no-deadlock", "--fences"],
    ] {
        let ran = raddle(&[&["matrix"], args].concat());
        assert_eq!(ran.status, Some(2), "{ran:?}");
        assert!(ran.err.contains("--no-check is "), "{ran:?}");
    }
    let robust = ["matrix", "examples/deadlock.rir", "--no-deadlock", "--fences=robust"];
    assert_eq!(raddle(&robust).status, Some(0));
}
