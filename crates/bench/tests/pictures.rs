//! The pictures of the book are those that are drawn here.

use raddle_bench::pictures::PICTURES;
use raddle_testing::{golden, root};

#[test]
fn the_pictures_of_the_models_are_current() {
    for (model, draw) in PICTURES {
        golden(&root().join(format!("docs/pictures/{model}.svg")), &draw());
    }
}
