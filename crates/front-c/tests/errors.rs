//! Programs that fail. The first lines of each contain `// expect: KIND at LINE: MESSAGE`, where MESSAGE is a
//! part of the actual message.

use crate::common;
use raddle_engine::Model;

#[test]
fn failures_are_found_where_they_are() {
    let Some(compiler) = common::compilers().into_iter().next() else {
        return;
    };
    let mut wrong = Vec::new();
    for path in common::programs("errors") {
        let expected = common::header(&path, "expect").expect("it says how it fails");
        let (place, message) = expected.split_once(':').expect("KIND at LINE: MESSAGE");
        let options = common::options(&compiler, &["-w"]);
        let program = common::program(std::slice::from_ref(&path), &options);
        let summary = common::run(&program, Model::Sc);
        let found = common::failures(&program, &summary);
        let fits =
            |failure: &String| failure.starts_with(place) && failure.contains(message.trim());
        if !found.iter().any(fits) {
            wrong.push(format!("{}: {found:?}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
