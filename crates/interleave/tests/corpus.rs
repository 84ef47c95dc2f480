//! The x86 corpus: exact numbers of executions under every model.

use raddle_interleave::{Model, Options, Strategy, explore};
use std::path::PathBuf;

#[test]
fn x86_corpus_counts() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/litmus/x86");
    let Ok(results) = std::fs::read_to_string(folder.join("results.tsv")) else {
        println!("{} is absent: passed over", folder.display());
        return;
    };
    let mut wrong = Vec::new();
    let mut checked = 0;
    for line in results.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split('\t').collect();
        let [test, model, _, executions] = fields[..] else { panic!("bad line {line}") };
        let model: Model = model.parse().unwrap();
        let path = folder.join(format!("{test}.litmus"));
        let bytes = std::fs::read(&path).unwrap();
        let litmus = raddle_front_litmus::load(test, &bytes).unwrap();
        for strategy in [Strategy::Optimal, Strategy::Source] {
            let options = Options { strategy, count_traces: true, ..Options::new(model) };
            let found = explore(&litmus.program, &options);
            let expected: u64 = executions.parse().unwrap();
            let exact = strategy != Strategy::Optimal || found.redundant == 0;
            if found.executions != expected || !exact || found.traces != Some(expected) {
                wrong.push(format!("{test} {model} {strategy:?}: {} ({} redundant, {:?} traces), expected {expected}",
                    found.executions, found.redundant, found.traces));
            }
            checked += 1;
        }
    }
    println!("{checked} checked");
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(40)].join("\n")
    );
}
