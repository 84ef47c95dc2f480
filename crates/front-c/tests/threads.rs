//! Programs of several threads with exact numbers of executions: `// executions: sc N, tso N, pso N`, with
//! `fails` after a number if some of these executions fail.

use crate::MODELS;
use crate::common;
use raddle_engine::{Model, Options};

use raddle_interleave::explore;

fn expected(header: &str, model: Model) -> Option<(u64, bool)> {
    let part = header
        .split(',')
        .map(str::trim)
        .find_map(|part| part.strip_prefix(model.name())?.strip_prefix(' '))?;
    let mut words = part.split_whitespace();
    let number = words.next()?.parse().ok()?;
    Some((number, words.next() == Some("fails")))
}

#[test]
fn executions_are_counted() {
    let Some(compiler) = common::compilers().into_iter().next() else {
        return;
    };
    let mut wrong = Vec::new();
    for path in common::programs("threads") {
        let header = common::header(&path, "executions").expect("the program says how many");
        let options = common::options(&compiler, &["-w"]);
        let program = common::program(std::slice::from_ref(&path), &options);
        for model in MODELS {
            let Some((number, fails)) = expected(&header, model) else {
                continue;
            };
            let options = Options { keep_going: true, ..Options::new(model) };
            let summary = explore(&program, &options);
            let found = common::failures(&program, &summary);
            let what = format!("{} {model}: {found:?}", path.display());
            if (summary.executions, !found.is_empty()) != (number, fails) {
                wrong.push(format!("{what}, {} executions", summary.executions));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
