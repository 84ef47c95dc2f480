//! The classic litmus tests, `examples/classics`, under every model: against what the literature says of them, and
//! the table of the book.

use crate::common::{raddle, root};
use raddle_engine::Model;
use raddle_testing::golden;
use std::collections::BTreeMap;
use std::fs;

const PAGE: &str = "docs/pictures.md";

/// The tests in the order of the table, each with the models that allow its outcome. The sources are the tables of
/// *Herding Cats* (POWER, ARM), *A Tutorial Introduction to the ARM and POWER Relaxed Memory Models* (POWER, ARM),
/// *x86-TSO* (TSO) and the SPARC manual (PSO). ARM has no light fence, so that `lwsync` is a full one there.
const ALLOWED: [(&str, &[Model]); 20] = {
    use Model::{Arm, Power, Pso, Tso};
    [
        ("SB", &[Tso, Pso, Power, Arm]),
        ("SB+lwsyncs", &[Tso, Pso, Power]),
        ("SB+syncs", &[]),
        ("R", &[Tso, Pso, Power, Arm]),
        ("MP", &[Pso, Power, Arm]),
        ("MP+lwsync+po", &[Power, Arm]),
        ("MP+lwsync+addr", &[]),
        ("S", &[Pso, Power, Arm]),
        ("2+2W", &[Pso, Power, Arm]),
        ("2+2W+lwsyncs", &[]),
        ("LB", &[Power, Arm]),
        ("LB+datas", &[]),
        ("WRC", &[Power, Arm]),
        ("WRC+addrs", &[Power, Arm]),
        ("WRC+lwsync+addr", &[]),
        ("IRIW", &[Power, Arm]),
        ("IRIW+addrs", &[Power, Arm]),
        ("IRIW+lwsyncs", &[Power]),
        ("IRIW+syncs", &[]),
        ("CoRR", &[]),
    ]
};

/// The models that the literature speaks of: all outcomes are beyond SC, and each other model allows one.
fn models() -> Vec<Model> {
    let is_known = |model: &Model| ALLOWED.iter().any(|(_, allowed)| allowed.contains(model));
    Model::ALL.into_iter().filter(|model| *model == Model::Sc || is_known(model)).collect()
}

/// Whether each test's outcome is observed, by test and model.
fn observed() -> BTreeMap<(String, String), bool> {
    let models = Vec::from_iter(models().into_iter().map(Model::name)).join(",");
    let ran = raddle(&["litmus", "examples/classics", "--model", &models, "--json"]);
    assert_eq!(ran.status, Some(0), "{}", ran.err);
    let results = ran.out.lines().map(|line| {
        let result: serde_json::Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(result["complete"], true, "{result}");
        let word = |key: &str| result[key].as_str().expect("a word").to_owned();
        let observed = word("observation") != "Never";
        ((word("test"), word("model")), observed)
    });
    results.collect()
}

/// What a test asks, from its file.
fn description(test: &str) -> String {
    let path = root().join(format!("examples/classics/{test}.litmus"));
    let text = fs::read_to_string(path).expect("a test");
    text.split('"').nth(1).expect("a description").to_owned()
}

#[test]
fn classic_tests_have_the_outcomes_of_the_literature() {
    let (models, observed) = (models(), observed());
    assert_eq!(observed.len(), ALLOWED.len() * models.len());
    for (test, allowed) in ALLOWED {
        for &model in &models {
            let found = observed[&(test.to_owned(), model.to_string())];
            assert_eq!(found, allowed.contains(&model), "{test} under {model}");
        }
    }
    let names = Vec::from_iter(models.iter().map(|model| format!("`{model}`"))).join(" | ");
    let mut table = format!("| test | | {names} |\n|---|---|{}\n", "---|".repeat(models.len()));
    for (test, allowed) in ALLOWED {
        let word = |model| if allowed.contains(model) { "**Allowed**" } else { "Forbidden" };
        let words = Vec::from_iter(models.iter().map(word)).join(" | ");
        table += &format!("| {test} | {} | {words} |\n", description(test));
    }
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path).expect("the page");
    let lines = || page.lines().map(|line| format!("{line}\n"));
    let before: String = lines().take_while(|line| !line.starts_with("| test |")).collect();
    let after: String =
        lines().skip(before.lines().count()).skip_while(|l| l.starts_with('|')).collect();
    golden(&path, &format!("{before}{table}{after}"));
}
