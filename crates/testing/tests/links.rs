//! Links in the documents of the project lead somewhere, and the table of contents of the book lists every page.
//!
//! Links to other sites are not followed: a test must not depend on them.

use raddle_testing::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// A document without the parts in which brackets mean nothing.
#[derive(Debug)]
struct Page {
    links: Vec<String>,
    /// The anchors of its headings, as the book and usual viewers of Markdown make them.
    anchors: BTreeSet<String>,
}

impl Page {
    fn parse(text: &str) -> Page {
        let (mut links, mut anchors, mut seen) = (Vec::new(), BTreeSet::new(), BTreeMap::new());
        for line in prose(text) {
            if line.starts_with('#') {
                let anchor = anchor(line.trim_start_matches('#').trim());
                let before: &mut u32 = seen.entry(anchor.clone()).or_default();
                anchors.insert(match *before {
                    0 => anchor,
                    times => format!("{anchor}-{times}"),
                });
                *before += 1;
            }
            links.extend(targets(&without_code(line)));
        }
        Page { links, anchors }
    }
}

/// The lines outside of blocks of code: those between fences, and indented ones after an empty line.
fn prose(text: &str) -> Vec<&str> {
    let (mut lines, mut fenced, mut code, mut was_empty) = (Vec::new(), false, false, true);
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        let is_empty = line.trim().is_empty();
        let is_indented = line.starts_with("    ");
        code = is_indented && (was_empty || code) || is_empty && code;
        if !fenced && !is_fence && !code && !is_empty {
            lines.push(line);
        }
        was_empty = is_empty;
    }
    lines
}

/// A line without what stands between backquotes.
fn without_code(line: &str) -> String {
    let parts = line.split('`').enumerate();
    parts.filter(|(at, _)| at % 2 == 0).map(|(_, part)| part).collect()
}

/// The targets of `[text](target)` and `![text](target)`.
fn targets(line: &str) -> Vec<String> {
    let ends = line.match_indices("](").map(|(at, bracket)| &line[at + bracket.len()..]);
    let inside = ends.filter_map(|rest| rest.split_once(')'));
    inside.map(|(target, _)| target.to_owned()).collect()
}

/// The anchor of a heading: its letters and digits in lower case, with dashes for spaces.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// The Markdown files below a folder.
fn pages_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("a folder of documents");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            pages_below(&path, found);
        } else if path.extension().is_some_and(|end| end == "md") {
            found.push(path);
        }
    }
}

/// The documents, relative to the project.
fn documents() -> BTreeMap<PathBuf, Page> {
    let mut paths = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]
        .map(|name| root().join(name))
        .to_vec();
    for folder in ["docs", "tests", "examples"] {
        pages_below(&root().join(folder), &mut paths);
    }
    let relative = |path: &Path| path.strip_prefix(root()).expect("below the root").to_owned();
    let read = |path: &Path| fs::read_to_string(path).expect("a document");
    paths.iter().map(|path| (relative(path), Page::parse(&read(path)))).collect()
}

/// A path without `.` and `..`; none if it leaves the project.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir if out.pop() => {}
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(out)
}

/// Why a link of a document is broken.
fn fault(from: &Path, link: &str, documents: &BTreeMap<PathBuf, Page>) -> Option<&'static str> {
    if link.starts_with("https://") || link.starts_with("http://") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
    let folder = from.parent().expect("a document has a folder");
    let target = if file.is_empty() { Some(from.to_owned()) } else { normal(&folder.join(file)) };
    let Some(target) = target else { return Some("leaves the project") };
    if !root().join(&target).exists() {
        return Some("no such file");
    }
    // The book is built of this folder alone.
    if from.starts_with("docs") && !target.starts_with("docs") {
        return Some("leaves the book; name the file without a link");
    }
    let anchor = anchor?;
    let known = documents.get(&target).is_some_and(|page| page.anchors.contains(anchor));
    (!known).then_some("no such heading")
}

#[test]
fn links_lead_somewhere() {
    let documents = documents();
    let (mut broken, mut followed) = (Vec::new(), 0);
    for (from, page) in &documents {
        for link in &page.links {
            followed += 1;
            let fault = fault(from, link, &documents);
            broken.extend(fault.map(|why| format!("{}: {link}: {why}", from.display())));
        }
    }
    assert!(followed > 100, "only {followed} links were found");
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_table_of_contents_lists_every_page_once() {
    let summary = Path::new("docs/SUMMARY.md");
    let documents = documents();
    let mut listed: Vec<PathBuf> =
        documents[summary].links.iter().map(|link| Path::new("docs").join(link)).collect();
    listed.sort();
    let is_page = |path: &&PathBuf| path.starts_with("docs") && *path != summary;
    let pages: Vec<PathBuf> = documents.keys().filter(is_page).cloned().collect();
    assert_eq!(listed, pages);
}

/// The checker itself: code is skipped, and each way in which a link can be broken is found.
#[test]
fn broken_links_are_found() {
    let text = "# A `b`: c\n\n## Twice\n[x](#a-b-c) `[no](no)`\n\n    [no](no)\n\n## Twice\n\
                ```\n[no](no)\n```\n![y](p.svg) [z](other.md#twice-1)\n";
    let page = Page::parse(text);
    assert_eq!(page.links, ["#a-b-c", "p.svg", "other.md#twice-1"]);
    assert_eq!(page.anchors, ["a-b-c", "twice", "twice-1"].map(str::to_owned).into());
    let page_at = |path: &str| (PathBuf::from(path), Page::parse(text));
    let documents = [page_at("docs/models.md"), page_at("README.md")].into();
    let fault = |link| fault(Path::new("docs/models.md"), link, &documents);
    assert_eq!(fault("#twice-1"), None);
    assert_eq!(fault("#thrice"), Some("no such heading"));
    assert_eq!(fault("nowhere.md"), Some("no such file"));
    assert_eq!(fault("../README.md"), Some("leaves the book; name the file without a link"));
    assert_eq!(fault("../../elsewhere"), Some("leaves the project"));
}
