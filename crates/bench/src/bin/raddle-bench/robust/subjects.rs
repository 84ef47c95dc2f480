//! The programs: the robust ones of the catalogue, in several sizes, and C programs with their fences.

use raddle_bench::catalogue;
use raddle_engine::Model;
use raddle_front_c::{Options, clang, load};
use raddle_ir::Verified;
use std::path::Path;

/// A program that is robust against some models.
#[derive(Debug)]
pub(super) struct Subject {
    pub name: String,
    pub program: Verified,
    pub models: &'static [Model],
}

const BOTH: &[Model] = &[Model::Tso, Model::Pso];
const TSO: &[Model] = &[Model::Tso];

/// Families of the catalogue with a small, a medium and a large parameter.
const FAMILIES: [(&str, [u32; 3]); 8] = [
    ("writers", [2, 5, 8]),
    ("readers", [2, 8, 14]),
    ("lastzero", [2, 6, 11]),
    ("increments", [2, 5, 8]),
    ("cas_increments", [2, 3, 4]),
    ("casrot", [2, 5, 7]),
    ("indexer", [2, 12, 13]),
    ("stack", [2, 3, 4]),
];

const FOLDER: &str = "tests/c/table1";
const C_PROGRAMS: [(&str, &[&str], &[Model]); 13] = [
    ("dekker.c", &["-DFENCE_TSO"], TSO),
    ("dekker.c", &["-DFENCE_PSO"], BOTH),
    ("peterson.c", &["-DFENCE_TSO"], TSO),
    ("peterson.c", &["-DFENCE_PSO"], BOTH),
    ("lamport.c", &["-DFENCE_TSO"], TSO),
    ("lamport.c", &["-DFENCE_PSO"], BOTH),
    ("szymanski.c", &["-DFENCE_TSO"], TSO),
    ("szymanski.c", &["-DFENCE_PSO"], BOTH),
    ("parker.c", &["-DFENCE_PSO"], BOTH),
    ("dcl_singleton.c", &["-DFENCE_PSO"], BOTH),
    ("pgsql_bnd.c", &["-DFENCE_PSO"], BOTH),
    ("stack.c", &[], BOTH),
    ("indexer.c", &[], BOTH),
];

pub(super) fn all() -> Vec<Subject> {
    let mut all = Vec::new();
    for (name, sizes) in FAMILIES {
        let Some(family) = catalogue::find(name) else { continue };
        for size in sizes {
            let program = (family.build)(size);
            all.push(Subject { name: program.name.clone(), program, models: BOTH });
        }
    }
    if clang::find(None, &Options::default().budget).is_err() || !Path::new(FOLDER).is_dir() {
        eprintln!("no clang or no {FOLDER} here: C programs are left out");
        return all;
    }
    all.extend(C_PROGRAMS.iter().filter_map(|(file, flags, models)| {
        let path = Path::new(FOLDER).join(file);
        let options =
            Options { flags: flags.iter().map(Into::into).collect(), ..Options::default() };
        match load(&[path], &options) {
            Ok(loaded) => {
                let name =
                    std::iter::once(file).chain(*flags).copied().collect::<Vec<_>>().join(" ");
                Some(Subject { name, program: loaded.program, models })
            }
            Err(error) => {
                eprintln!("{file} is left out: {error:?}");
                None
            }
        }
    }));
    all
}
