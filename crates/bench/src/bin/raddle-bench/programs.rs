//! The programs of the tables about long searches: those of the catalogue, with sizes for which one worker takes about a second or
//! more on a machine of today.

use raddle_bench::{atomics, cells, locks};
use raddle_engine::Model;
use raddle_ir::Verified;

/// A program with a parameter.
struct Family {
    name: &'static str,
    build: fn(u32) -> Verified,
    /// The parameter for the models of the interleaving engine, and for those of the graph engine.
    sizes: [u32; 2],
}

const FAMILIES: [Family; 10] = [
    Family { name: "writers", build: cells::writers, sizes: [10, 8] },
    Family { name: "readers", build: cells::readers, sizes: [20, 16] },
    Family { name: "lastzero", build: cells::lastzero, sizes: [17, 14] },
    Family { name: "fib_bench", build: cells::fib_bench, sizes: [5, 4] },
    Family { name: "increments", build: atomics::increments, sizes: [10, 8] },
    Family { name: "cas_increments", build: atomics::cas_increments, sizes: [6, 5] },
    Family { name: "casrot", build: atomics::casrot, sizes: [11, 9] },
    Family { name: "indexer", build: atomics::indexer, sizes: [17, 15] },
    Family { name: "stack", build: locks::stack, sizes: [5, 4] },
    Family { name: "locks", build: locks::locks, sizes: [5, 4] },
];

/// The programs whose names begin with one of `names`, or all of them, under each model.
pub(crate) fn subjects<'a>(
    names: &'a [String],
    models: &'a [Model],
) -> impl Iterator<Item = (String, Verified, Model)> + 'a {
    let wanted = |name: &str| names.is_empty() || names.iter().any(|it| name.starts_with(it));
    FAMILIES.into_iter().filter(move |family| wanted(family.name)).flat_map(move |family| {
        models.iter().map(move |model| {
            let Family { name, build, sizes } = family;
            let size = sizes[usize::from(!model.is_buffered() && *model != Model::Sc)];
            (format!("{name}({size})"), build(size), *model)
        })
    })
}
