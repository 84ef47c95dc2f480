//! Cases as SARIF 2.1.0 (OASIS, *Static Analysis Results Interchange Format*).
//!
//! There is one run. A finding that several models show is one result with a code flow for each of them. A code
//! flow has a thread flow for each thread; `executionOrder` is the order of the steps of all of them. Places are
//! relative to the root of the repository, as GitHub expects.

use super::rules::RULES;
use super::{Case, Finding, Fix, Importance, Moment, Outcome};
use crate::document::fnv1a;
use crate::json::SourceLine;
use raddle_patch::Replacement;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const BASE: &str = "%SRCROOT%";

/// What is known of the run as a whole.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The folder that names of files are relative to.
    pub folder: PathBuf,
    /// The root of the repository, or the folder.
    pub root: PathBuf,
    pub status: u8,
    /// Whether everything was done that was asked for.
    pub successful: bool,
    /// Paths by the names of files in the cases, where those are not the paths.
    pub paths: BTreeMap<String, PathBuf>,
}

/// The whole document.
pub fn document(cases: &[Case], invocation: &Invocation) -> Value {
    let writer = Writer { invocation };
    let mut log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver() },
            "originalUriBaseIds": { BASE: { "uri": folder_uri(&invocation.root) } },
            "invocations": [writer.invocation(cases)],
            "results": writer.results(cases),
        }],
    });
    let models = cases.iter().filter_map(|case| case.model);
    let models: std::collections::BTreeSet<&str> = models.collect();
    log["runs"][0]["properties"] = json!({ "models": models });
    log
}

fn driver() -> Value {
    let rules = RULES.iter().map(|rule| {
        json!({
            "id": rule.id,
            "name": rule.name,
            "shortDescription": { "text": rule.short },
            "fullDescription": { "text": rule.help },
            "help": { "text": rule.help },
            "defaultConfiguration": { "level": "error" },
            "properties": {
                "tags": ["concurrency", "correctness"],
                "precision": "very-high",
                "problem.severity": "error",
            },
        })
    });
    json!({
        "name": "raddle",
        "version": env!("CARGO_PKG_VERSION"),
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": rules.collect::<Vec<Value>>(),
    })
}

/// Findings that are the same, each with its case.
type Same<'c> = Vec<(&'c Case, &'c Finding)>;

struct Writer<'a> {
    invocation: &'a Invocation,
}

impl Writer<'_> {
    fn invocation(&self, cases: &[Case]) -> Value {
        let told = cases.iter().filter_map(|case| {
            let level = match case.outcome {
                Outcome::Unread => "error",
                Outcome::Unknown | Outcome::Skipped => "warning",
                Outcome::Passed | Outcome::Failed => return None,
            };
            let place = SourceLine { file: case.file.clone(), line: None };
            Some(json!({
                "level": level,
                "message": { "text": case.text.trim_end() },
                "locations": [self.location(&place, None)],
            }))
        });
        let Invocation { folder, status, successful, .. } = self.invocation;
        json!({
            "executionSuccessful": successful,
            "exitCode": status,
            "workingDirectory": { "uri": folder_uri(folder) },
            "toolExecutionNotifications": told.collect::<Vec<Value>>(),
        })
    }

    fn results(&self, cases: &[Case]) -> Vec<Value> {
        let mut order: Vec<Same<'_>> = Vec::new();
        let mut known = BTreeMap::new();
        for case in cases {
            for finding in &case.findings {
                // Of a finding without a line, only the message tells it from others. Two fences on one line are
                // two changes.
                let is_whole = finding.place.line.is_none() || finding.fix.is_some();
                let message = if is_whole { &*finding.message } else { "" };
                let key = (finding.rule.id, &finding.place, message, finding.accepted.is_some());
                let number = *known.entry(key).or_insert(order.len());
                match order.get_mut(number) {
                    Some(same) => same.push((case, finding)),
                    None => order.push(vec![(case, finding)]),
                }
            }
        }
        let mut seen = BTreeMap::new();
        order.iter().map(|same| self.result(same, &mut seen)).collect()
    }

    /// One result. `seen` counts the results with the same fingerprint.
    fn result(&self, same: &Same<'_>, seen: &mut BTreeMap<String, u32>) -> Value {
        let (_, first) = same[0];
        let print = fingerprint(first);
        let repeated = seen.entry(print.clone()).or_insert(0);
        *repeated += 1;
        let models: Vec<&str> = same.iter().filter_map(|(case, _)| case.model).collect();
        let text = match &first.why {
            Some(why) => format!("{}\nWhy: {why}", first.message),
            None => first.message.clone(),
        };
        let mut result = json!({
            "ruleId": first.rule.id,
            "ruleIndex": RULES.iter().position(|rule| rule == first.rule),
            "level": "error",
            "message": { "text": format!("{text}\nUnder {}.", models.join(", ")) },
            "locations": [self.result_location(first)],
            "partialFingerprints": { "raddleFinding/v1": format!("{print}:{repeated}") },
            "suppressions": first.accepted.iter().map(|reason| json!({
                "kind": "external", "status": "accepted", "justification": reason,
            })).collect::<Vec<Value>>(),
            "properties": {
                "models": models,
                "executions": same.iter().filter_map(|(case, finding)| {
                    Some((case.model?, finding.count?))
                }).collect::<BTreeMap<&str, u64>>(),
            },
        });
        let related = first.related.iter().enumerate().map(|(id, (place, words))| {
            let mut location = self.location(place, Some(words));
            location["id"] = json!(id);
            location
        });
        let related: Vec<Value> = related.collect();
        if !related.is_empty() {
            result["relatedLocations"] = json!(related);
        }
        if let Some(fix) = &first.fix {
            result["fixes"] = json!([self.fix(fix)]);
        }
        let flows = same.iter().filter(|(_, finding)| !finding.flow.is_empty());
        let flows: Vec<Value> =
            flows.map(|(case, finding)| self.code_flow(case, &finding.flow)).collect();
        if !flows.is_empty() {
            result["codeFlows"] = json!(flows);
        }
        result
    }

    fn fix(&self, fix: &Fix) -> Value {
        let changes = fix.files.iter().map(|(file, parts)| {
            let parts: Vec<Value> = parts.iter().map(replacement).collect();
            json!({ "artifactLocation": self.artifact(file), "replacements": parts })
        });
        let changes: Vec<Value> = changes.collect();
        json!({ "description": { "text": fix.words }, "artifactChanges": changes })
    }

    fn result_location(&self, finding: &Finding) -> Value {
        let mut location = self.location(&finding.place, None);
        if let (Some(text), Some(_)) = (&finding.line_text, finding.place.line) {
            location["physicalLocation"]["region"]["snippet"] = json!({ "text": text });
        }
        if let Some(function) = &finding.function {
            location["logicalLocations"] = json!([{ "name": function, "kind": "function" }]);
        }
        location
    }

    fn code_flow(&self, case: &Case, flow: &[Moment]) -> Value {
        let mut threads: Vec<(&str, Vec<Value>)> = Vec::new();
        let mut numbers = BTreeMap::new();
        for moment in flow {
            let words = format!("{}: {}", moment.thread, moment.what);
            let step = json!({
                "location": self.location(&moment.place, Some(&words)),
                "executionOrder": moment.number,
                "importance": match moment.importance {
                    Importance::Essential => "essential",
                    Importance::Important => "important",
                },
            });
            let number = *numbers.entry(moment.thread.as_str()).or_insert(threads.len());
            match threads.get_mut(number) {
                Some((_, steps)) => steps.push(step),
                None => threads.push((&moment.thread, vec![step])),
            }
        }
        let threads = threads.into_iter().map(|(thread, steps)| {
            json!({ "id": thread, "message": { "text": thread }, "locations": steps })
        });
        let under = format!("An execution under {}", case.model.unwrap_or("the model"));
        json!({ "message": { "text": under }, "threadFlows": threads.collect::<Vec<Value>>() })
    }

    /// A place. GitHub needs a line; a file as a whole has its first.
    fn location(&self, place: &SourceLine, words: Option<&str>) -> Value {
        let mut location = json!({
            "physicalLocation": {
                "artifactLocation": self.artifact(&place.file),
                "region": { "startLine": place.line.unwrap_or(1).max(1) },
            },
        });
        if let Some(words) = words {
            location["message"] = json!({ "text": words });
        }
        location
    }

    /// A file: relative to the root if it is below it.
    fn artifact(&self, file: &str) -> Value {
        let path = self.invocation.paths.get(file).map_or(Path::new(file), PathBuf::as_path);
        let path = plain(&self.invocation.folder.join(path));
        match path.strip_prefix(&self.invocation.root) {
            Ok(inside) => json!({ "uri": relative_uri(inside), "uriBaseId": BASE }),
            Err(_) => json!({ "uri": absolute_uri(&path) }),
        }
    }
}

/// Columns count units of UTF-16, from 1, and a region ends before its last column.
fn replacement(part: &Replacement) -> Value {
    let Replacement { line, last, text, .. } = part;
    let (end, column) = match last {
        Some((end, old)) => (end, old.encode_utf16().count() + 1),
        None => (line, 1),
    };
    json!({
        "deletedRegion": {
            "startLine": line, "startColumn": 1, "endLine": end, "endColumn": column,
        },
        "insertedContent": { "text": text },
    })
}

/// A path without `.` and `..`, by its text alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

fn relative_uri(path: &Path) -> String {
    let uri = encoded(path);
    // A colon in the first part would make it a scheme.
    match uri.split('/').next().is_some_and(|first| first.contains(':')) {
        true => format!("./{uri}"),
        false => uri,
    }
}

fn absolute_uri(path: &Path) -> String {
    format!("file://{}", encoded(path))
}

/// Base addresses end in a slash.
fn folder_uri(path: &Path) -> String {
    let uri = absolute_uri(path);
    if uri.ends_with('/') { uri } else { uri + "/" }
}

/// A path as a part of a URI (RFC 3986).
fn encoded(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let byte = |byte: &u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(*byte).to_string(),
        b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' | b':' => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    path.as_os_str().as_bytes().iter().map(byte).collect()
}

/// What stays the same if lines above change: the kind, the file's name, the function, and the text of the line.
fn fingerprint(finding: &Finding) -> String {
    let name = Path::new(&finding.place.file).file_name().map(|name| name.to_string_lossy());
    let line = finding.line_text.as_deref().unwrap_or(match finding.place.line {
        Some(_) => "",
        None => &finding.message,
    });
    let parts = [
        finding.rule.id,
        name.as_deref().unwrap_or(""),
        finding.function.as_deref().unwrap_or(""),
        line,
    ];
    format!("{:032x}", fnv1a(parts.join("\0").bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_relative_to_the_root() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = std::ffi::OsString::from_vec(b"x\xff.c".into());
        let invocation = Invocation {
            folder: "/r/sub".into(),
            root: "/r".into(),
            status: 0,
            successful: true,
            paths: [("x\\xff.c".to_owned(), bytes.into()), ("a.c b.c".into(), "a.c".into())].into(),
        };
        let writer = Writer { invocation: &invocation };
        let uri = |file: &str| writer.artifact(file)["uri"].as_str().map(str::to_owned);
        assert_eq!(uri("a b.c").as_deref(), Some("sub/a%20b.c"));
        assert_eq!(uri("../x:y.c").as_deref(), Some("./x:y.c"));
        assert_eq!(uri("a%b?c#d.c").as_deref(), Some("sub/a%25b%3Fc%23d.c"));
        assert_eq!(uri("x\\xff.c").as_deref(), Some("sub/x%FF.c"));
        assert_eq!(uri("a.c b.c").as_deref(), Some("sub/a.c"));
        assert_eq!(uri("./q/../ä.c").as_deref(), Some("sub/%C3%A4.c"));
        assert_eq!(uri("/usr/include/q.h").as_deref(), Some("file:///usr/include/q.h"));
        assert_eq!(writer.artifact("q.c")["uriBaseId"], BASE);
        assert!(writer.artifact("/q.c").get("uriBaseId").is_none());
    }

    #[test]
    fn a_base_ends_in_a_slash() {
        assert_eq!(folder_uri(Path::new("/")), "file:///");
        assert_eq!(folder_uri(Path::new("/a b")), "file:///a%20b/");
    }
}
