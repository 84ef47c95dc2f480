//! Links of the book as mdBook has built it, in `target/book`. `scripts/book` builds it and runs this; as a part of the
//! ordinary tests it would need mdBook.

use raddle_testing::root;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The links of a page and the anchors in it.
#[derive(Debug, Default)]
struct Page {
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

impl Page {
    fn parse(text: &str) -> Page {
        let mut page = Page::default();
        for tag in text.split('<').skip(1).filter_map(|rest| rest.split_once('>')) {
            let name = tag.0.split_whitespace().next().unwrap_or_default();
            page.anchors.extend(attribute(tag.0, "id"));
            if matches!(name, "a" | "img" | "link" | "script") {
                page.links.extend(attribute(tag.0, "href"));
                page.links.extend(attribute(tag.0, "src"));
            }
        }
        page
    }
}

/// The value of an attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, value) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = value.split_once('"')?;
    Some(value.replace("&amp;", "&").replace("%2B", "+"))
}

fn pages_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).expect("the book is built: scripts/book");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        if path.is_dir() {
            pages_below(&path, found);
        } else if path.extension().is_some_and(|end| end == "html") {
            found.push(fs::canonicalize(path).expect("a page"));
        }
    }
}

/// Why a link of a page is broken. Links to other sites are not followed.
fn fault(from: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> Option<&'static str> {
    if link.contains("://") || link.starts_with("data:") || link.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
    let file = file.split_once('?').map_or(file, |(file, _)| file);
    let target = match file {
        "" => from.to_owned(),
        file => match fs::canonicalize(from.parent().expect("a folder").join(file)) {
            Ok(target) => target,
            Err(_) => return Some("no such file"),
        },
    };
    // An empty anchor is the top of the page.
    let anchor = anchor.filter(|anchor| !anchor.is_empty())?;
    let known = pages.get(&target).is_some_and(|page| page.anchors.contains(anchor));
    (!known).then_some("no such anchor")
}

#[test]
#[ignore = "scripts/book builds the book and runs this"]
fn links_of_the_built_book_lead_somewhere() {
    let mut paths = Vec::new();
    pages_below(&root().join("target/book"), &mut paths);
    let read = |path: &PathBuf| fs::read_to_string(path).expect("a page");
    let pages: BTreeMap<PathBuf, Page> =
        paths.into_iter().map(|path| (path.clone(), Page::parse(&read(&path)))).collect();
    // The page of errors has addresses of a server's root, and the printed page repeats the others.
    let checked = |path: &Path| !path.ends_with("404.html") && !path.ends_with("print.html");
    let (mut broken, mut followed) = (Vec::new(), 0);
    for (path, page) in pages.iter().filter(|(path, _)| checked(path)) {
        for link in &page.links {
            followed += 1;
            let fault = fault(path, link, &pages);
            broken.extend(fault.map(|why| format!("{}: {link}: {why}", path.display())));
        }
    }
    println!("{} pages, {followed} links", pages.len());
    assert!(pages.len() > 20 && followed > 500, "{} pages, {followed} links", pages.len());
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn tags_are_read() {
    let page = Page::parse(
        "<h2 id=\"a-b\"><a class=\"header\" href=\"#a-b\">A</a></h2><img src=\"p.svg\">",
    );
    assert_eq!(page.links, ["#a-b", "p.svg"]);
    assert!(page.anchors.contains("a-b"));
}
