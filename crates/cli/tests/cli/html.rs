//! `--html` and `--dot`: the files, without a browser.

use crate::common::{Ran, raddle, root, scratch, with_clang};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// The page that a command writes, and its data.
pub(crate) fn page(path: &Path, args: &[&str]) -> Option<Value> {
    let html = path.to_str().expect("UTF-8");
    let ran = with_clang(&[&args[..1], &["--html", html], &args[1..]].concat())?;
    assert!(ran.status == Some(0) || ran.status == Some(1), "{ran:?}");
    Some(data(path))
}

/// The data of a page.
pub(crate) fn data(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("the page");
    let data = text.split_once("type=\"application/json\">").expect("the data").1;
    serde_json::from_str(data.split_once("</script>").expect("its end").0).expect("JSON")
}

/// What the events of a finding do, in words.
fn deeds(story: &Value) -> Vec<&str> {
    let strings = story["strings"].as_array().expect("strings");
    let what = story["events"]["what"].as_array().expect("numbers");
    let text = |n: &Value| strings[n.as_u64().expect("a number") as usize].as_str();
    what.iter().map(|n| text(n).expect("a string")).collect()
}

#[test]
fn a_page_tells_a_violation() {
    let path = scratch("html_violation").join("p.html");
    let data =
        page(&path, &["check", "examples/dekker.rir", "--model", "tso,sc"]).expect("no clang");
    assert_eq!(data["command"][1], "check");
    assert_eq!(data["sources"][0]["name"], "examples/dekker.rir");
    let [tso, sc] = [0, 1].map(|n| &data["answers"][n]);
    assert_eq!((&tso["verdict"], &sc["verdict"]), (&"violation".into(), &"safe".into()));
    assert_eq!(tso["next"]["command"], "raddle fence examples/dekker.rir --model tso");
    assert!(sc["next"].is_null() && sc["findings"].as_array().is_some_and(Vec::is_empty));
    let finding = &tso["findings"][0];
    assert!(
        finding["why"][0].as_str().is_some_and(|why| why.contains("still in its store buffer"))
    );
    let deeds = deeds(&finding["story"]);
    let starred = finding["story"]["starred"].as_array().expect("stars");
    let starred: Vec<&str> =
        starred.iter().map(|n| deeds[n.as_u64().expect("a number") as usize]).collect();
    let each = [
        "writes flag0 = 1 (buffered)",
        "writes flag1 = 1 (buffered)",
        "reads flag1 = 0",
        "reads flag0 = 0",
    ];
    assert_eq!(starred, each);
    let edges = finding["picture"]["edges"].as_array().expect("edges");
    let cycle = edges.iter().filter(|edge| edge["cycle"] == true);
    let mut names: Vec<&str> = cycle.filter_map(|edge| edge["name"].as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["fr", "fr", "po", "po"], "{edges:#?}");
}

/// Under models given by axioms, the page has what each load reads, and dependencies.
#[test]
fn a_page_of_a_graph_has_its_relations() {
    let folder = scratch("html_graph");
    let test = folder.join("LB.litmus");
    let text = "PPC LB+addr+po\n{\n0:r2=x; 0:r4=y;\n1:r2=y; 1:r4=x;\n}\n P0            | P1           ;\n \
        lwz r1,0(r2)  | lwz r1,0(r2) ;\n xor r5,r1,r1  | li r3,1      ;\n li r3,1       | stw r3,0(r4) ;\n \
        stwx r3,r5,r4 |              ;\n~exists (0:r1=1 /\\ 1:r1=1)\n";
    fs::write(&test, text).expect("a test");
    let path = folder.join("p.html");
    let test = test.to_str().expect("UTF-8");
    let data = page(&path, &["check", test, "--model", "power"]).expect("no clang");
    let finding = &data["answers"][0]["findings"][0];
    assert_eq!(finding["story"]["isSequence"], false);
    let edges = finding["picture"]["edges"].as_array().expect("edges");
    let count = |name: &str| edges.iter().filter(|edge| edge["name"] == name).count();
    assert_eq!(["po", "rf", "addr", "fr"].map(count), [2, 2, 1, 0], "{edges:#?}");
    let from = finding["story"]["events"]["from"].as_array().expect("sources");
    let deeds = deeds(&finding["story"]);
    for (n, deed) in deeds.iter().enumerate().filter(|(_, deed)| deed.starts_with("reads")) {
        let source = usize::try_from(from[n].as_i64().expect("a number")).expect("a write");
        assert_eq!(deeds[source].replace("writes", "reads"), **deed);
    }
}

#[test]
fn every_command_has_a_page() {
    let folder = scratch("html_commands");
    let path = folder.join("p.html");
    let aut = "tests/automata/peterson.aut";
    for (args, verdict) in [
        (&["robust", "examples/dekker.rir", "--model", "tso"][..], "not robust"),
        (&["robust", "examples/dekker-fenced.rir", "--model", "tso"], "robust"),
        (&["reach", aut, "--model", "tso"], "reachable"),
        (&["reach", aut, "--model", "sc"], "unreachable"),
        (&["fence", "examples/dekker.rir", "--model", "tso"], "1 fence"),
        (&["fence", "examples/dekker-fenced.rir", "--model", "tso"], "no fences needed"),
    ] {
        let data = page(&path, args).expect("no clang");
        let answer = &data["answers"][0];
        assert_eq!(answer["verdict"], verdict, "{args:?}");
        let found = answer["findings"].as_array().expect("findings").len();
        assert_eq!(found, usize::from(["not robust", "reachable"].contains(&verdict)), "{args:?}");
        if args[0] == "fence" && verdict == "1 fence" {
            let patch = answer["fences"]["patch"].as_str().expect("a patch");
            assert_eq!(patch.matches("\n+ ").count(), 1, "{patch}");
            let fences = answer["fences"]["fences"].as_array().expect("fences");
            assert_eq!(fences.len(), 1);
            assert!(fences[0]["why"].as_str().is_some_and(|why| why.contains("Without it")));
        }
    }
}

#[test]
fn a_page_is_refused_where_no_file_can_be() {
    let folder = scratch("html_refused");
    let input = folder.join("p.rir");
    fs::copy(root().join("examples/dekker.rir"), &input).expect("a copy");
    let input = input.to_str().expect("UTF-8");
    let refused = |ran: Ran, why: &str| {
        assert_eq!((ran.status, &*ran.out), (Some(2), ""), "{ran:?}");
        assert!(ran.err.contains(why), "{why}: {}", ran.err);
    };
    let none = folder.join("none/p.html");
    for option in ["--html", "--dot"] {
        let check = ["check", input, "--model", "tso", option];
        refused(
            raddle(&[&check[..], &[none.to_str().expect("UTF-8")]].concat()),
            "there is no folder",
        );
        refused(raddle(&[&check[..], &[input]].concat()), "which must not be lost");
    }
    // Two outputs to one file, by whatever names.
    let [plain, dotted, link] = ["w", "./w", "link"].map(|name| folder.join(name));
    std::os::unix::fs::symlink("w", &link).expect("a link");
    for other in [&plain, &dotted, &link] {
        let [one, other] = [&plain, other].map(|path| path.to_str().expect("UTF-8"));
        for option in ["--witness", "--sarif"] {
            let ran = raddle(&["check", input, "--model", "tso", "--html", one, option, other]);
            refused(ran, "names the same file");
        }
    }
    assert!(!plain.exists());
}

/// The structure of Graphviz text: strings are closed, every edge joins nodes that are declared.
#[test]
fn dot_is_well_formed() {
    let folder = scratch("dot");
    let path = folder.join("p.dot");
    let ran = raddle(&[
        "check",
        "examples/dekker.rir",
        "--model",
        "tso",
        "--dot",
        path.to_str().expect("UTF-8"),
    ]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let text = fs::read_to_string(&path).expect("the graph");
    let mut nodes = Vec::new();
    let mut cycle = 0;
    for line in text.lines().map(str::trim) {
        let quotes = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
        assert_eq!(quotes % 2, 0, "{line}");
        if let Some((from, rest)) = line.split_once(" -> ") {
            let to = rest.split(' ').next().expect("a node");
            assert!(nodes.contains(&from.to_owned()) && nodes.contains(&to.to_owned()), "{line}");
            cycle += usize::from(line.contains("penwidth=3"));
        } else if let Some(end) = line.find(" [label=").filter(|_| line.starts_with('n')) {
            nodes.push(line[..end].to_owned());
        }
    }
    assert_eq!(cycle, 4, "{text}");
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert_eq!(text.matches("subgraph").count(), 2, "a cluster for each thread");
    let ran = raddle(&[
        "check",
        "examples/dekker.rir",
        "--model",
        "sc",
        "--dot",
        path.to_str().expect("UTF-8"),
    ]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(fs::read_to_string(&path).expect("the graph").ends_with("digraph {}\n"));
}
