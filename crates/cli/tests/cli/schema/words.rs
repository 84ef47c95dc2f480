//! The words in the schemas are those of the tables that the outputs are made from.

use raddle_analysis::robust::{By, Gap};
use raddle_engine::{BoundKind, FailureKind, Model, Stopped, Strategy};
use raddle_testing::schema::words;
use raddle_testing::{golden, root};
use std::fs;

/// The lists that grow with the tool are written by `RADDLE_BLESS=1`.
#[test]
fn models_and_strategies_are_those_of_the_tables() {
    let path = root().join("docs/schema/common.json");
    let text = fs::read_to_string(&path).expect("the schema");
    let text = with_words(&text, "model", &Model::ALL.map(Model::name));
    golden(&path, &with_words(&text, "strategy", &Strategy::ALL.map(Strategy::name)));
}

/// The text of a schema with other words in a definition that is one line.
fn with_words(text: &str, name: &str, words: &[&str]) -> String {
    let start = format!("    \"{name}\": {{\"enum\": [");
    let line = format!("{start}\"{}\"]}},", words.join("\", \""));
    assert!(text.lines().any(|old| old.starts_with(&start)), "{name} is not one line");
    let lines = text.lines().map(|old| if old.starts_with(&start) { &line } else { old });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn words_are_those_of_the_tables() {
    let common = |name: &str| words("common.json", &format!("/$defs/{name}/enum"));
    assert_eq!(common("stopped"), Vec::from_iter(Stopped::all().map(Stopped::name)));
    let failures = FailureKind::NAMES.into_iter().map(|(kind, _)| kind);
    let errors = failures.filter(|kind| *kind != FailureKind::Unsupported).map(FailureKind::name);
    assert_eq!(common("kind-of-failure"), Vec::from_iter(errors));
    let bounds = words("common.json", "/$defs/bound/properties/kind/enum");
    assert_eq!(bounds, BoundKind::NAMES.map(|(_, name)| name));
    assert_eq!(words("robust.json", "/properties/by/enum"), By::ALL.map(By::name));
    let gaps = words("robust.json", "/properties/unknown/items/anyOf/1/enum");
    assert_eq!(gaps, Gap::OTHERS.map(Gap::name));
}

/// A table that finds a name by the number of its kind has the kinds in this order.
#[test]
fn tables_are_in_order() {
    assert!(FailureKind::NAMES.iter().all(|(kind, name)| kind.name() == *name));
    assert!(BoundKind::NAMES.iter().all(|(kind, name)| kind.name() == *name));
    assert!(Stopped::all().enumerate().all(|(number, reason)| reason as usize == number));
}
