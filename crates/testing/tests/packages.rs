//! Every crate that is published has what a registry asks of it, and depends on published versions only.
//!
//! `make package` asks cargo itself; this test names the line that is missing, and needs no network.

use raddle_testing::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines of a table of a manifest.
fn table<'a>(manifest: &'a str, name: &str) -> Vec<&'a str> {
    let header = format!("[{name}]");
    let after = manifest.lines().skip_while(|line| *line != header).skip(1);
    let lines = after.take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// The value of a key that is on a line of its own.
fn value<'a>(lines: &[&'a str], key: &str) -> Option<&'a str> {
    let values = lines.iter().filter_map(|line| line.split_once(" = "));
    values.filter(|(name, _)| *name == key).map(|(_, value)| value).next()
}

fn version() -> String {
    let workspace = read("Cargo.toml");
    let quoted = value(&table(&workspace, "workspace.package"), "version").expect("a version");
    quoted.trim_matches('"').to_owned()
}

/// The folder and the manifest of every crate.
fn crates() -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(root().join("crates")).expect("the crates");
    let folders = entries.map(|entry| entry.expect("a crate").path());
    let mut crates: Vec<_> =
        folders.map(|folder| (folder.clone(), read(folder.join("Cargo.toml")))).collect();
    crates.sort();
    crates
}

fn is_published(manifest: &str) -> bool {
    value(&table(manifest, "package"), "publish") != Some("false")
}

#[test]
fn published_crates_are_described() {
    let workspace = read("Cargo.toml");
    let shared = table(&workspace, "workspace.package");
    let licences = ["LICENSE-APACHE", "LICENSE-MIT"];
    for (folder, manifest) in crates().into_iter().filter(|(_, manifest)| is_published(manifest)) {
        let shown = folder.display();
        let package = table(&manifest, "package");
        for key in ["categories", "description", "keywords", "license", "readme", "rust-version"] {
            let inherits = package.contains(&format!("{key}.workspace = true").as_str());
            let given = value(if inherits { &shared } else { &package }, key);
            let is_given = given.is_some_and(|given| given.len() > 2);
            assert!(is_given, "{shown}: no {key}");
        }
        assert!(package.contains(&"version.workspace = true"), "{shown}: a version of its own");
        for licence in licences {
            assert_eq!(read(folder.join(licence)), read(licence), "{shown}: {licence}");
        }
    }
}

/// Crates of the project are depended on by a version of the workspace; where only tests need them, by path
/// alone, since cargo then leaves them out of what is published.
#[test]
fn dependencies_can_be_published() {
    let workspace = read("Cargo.toml");
    let versioned = format!(", version = \"{}\" }}", version());
    let mut published = Vec::new();
    for entry in table(&workspace, "workspace.dependencies") {
        let Some((name, given)) = entry.split_once(" = { path = ") else { continue };
        if given.ends_with(&versioned) {
            published.push(name);
        } else {
            assert!(!given.contains("version"), "{entry}: not the version of the workspace");
        }
    }
    let own = |line: &&str| line.starts_with("raddle-");
    for (folder, manifest) in crates() {
        let name = value(&table(&manifest, "package"), "name").expect("a name").trim_matches('"');
        let is_listed = name == "raddle" || published.contains(&name);
        assert_eq!(is_listed, is_published(&manifest), "{name}: published, or without a version?");
        if !is_published(&manifest) {
            continue;
        }
        let shown = folder.display();
        for line in table(&manifest, "dependencies").into_iter().filter(own) {
            let name = line.strip_suffix(".workspace = true");
            assert!(name.is_some_and(|name| published.contains(&name)), "{shown}: {line}");
        }
        for line in table(&manifest, "dev-dependencies").into_iter().filter(own) {
            let versioned = line.contains("version")
                || published.iter().any(|name| line.starts_with(&format!("{name}.workspace")));
            assert!(!versioned, "{shown}: tests depend on crates of the project by path: {line}");
        }
    }
    assert!(published.len() > 10, "only {} crates are published", published.len());
}

/// The crates of the project that a crate depends on, by the table of ARCHITECTURE.md and by their manifests.
#[test]
fn the_architecture_has_every_dependency() {
    let named = |text: &str| -> BTreeSet<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let architecture = read("ARCHITECTURE.md");
    let rows = architecture.lines().skip_while(|line| *line != "## Crates");
    let rows = rows.skip(1).take_while(|line| !line.starts_with("## "));
    let mut told: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows.filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [name, _, uses] = cells[..] else { panic!("{row}") };
        let uses = match uses.strip_prefix("all of the above, without ") {
            Some(others) => {
                told.keys().filter(|it| !named(others).contains(*it)).cloned().collect()
            }
            None => named(uses),
        };
        told.insert(name.trim().trim_matches('`').to_owned(), uses);
    }
    for (folder, manifest) in crates() {
        let name = folder.file_name().expect("a name").to_string_lossy();
        let lines = table(&manifest, "dependencies").into_iter();
        let own = lines.filter_map(|line| line.strip_prefix("raddle-")?.split(['.', ' ']).next());
        let own: BTreeSet<String> = own.map(str::to_owned).collect();
        assert_eq!(told.remove(&*name), Some(own), "{name}");
    }
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn the_changelog_has_the_current_version() {
    let changelog = read("CHANGELOG.md");
    let heading = format!("## [{}] - ", version());
    let mut headings = changelog.lines().filter(|line| line.starts_with("## "));
    assert_eq!(headings.next(), Some("## [Unreleased]"));
    let released = headings.next().expect("a release");
    assert!(released.starts_with(&heading), "{released}, but the version is {}", version());
}
