//! Litmus tests and their reference results: our own in `tests/litmus`, and those beside
//! the project in `../shared/litmus`.

use std::path::{Path, PathBuf};

/// The litmus tests of an architecture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Corpus {
    folder: PathBuf,
}

/// The reference result of a test under a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    pub test: String,
    pub model: String,
    /// `Never`, `Sometimes` or `Always`.
    pub observation: String,
    pub executions: u64,
}

impl Corpus {
    /// The tests of the project for `x86`, `ppc` or `arm`.
    pub fn own(arch: &str) -> Corpus {
        Corpus { folder: crate::root().join("tests/litmus").join(arch) }
    }

    /// The tests beside the project. `None`, with a note, if they are missing.
    pub fn shared(arch: &str) -> Option<Corpus> {
        let folder = crate::root().join("../shared/litmus").join(arch);
        if !folder.is_dir() {
            crate::missing(&format!("../shared/litmus/{arch}"));
            return None;
        }
        Some(Corpus { folder })
    }

    /// All available tests for an architecture.
    pub fn all(arch: &str) -> Vec<Corpus> {
        [Corpus::own(arch)].into_iter().chain(Corpus::shared(arch)).collect()
    }

    /// The path of the folder, relative to the project.
    pub fn name(&self) -> String {
        let shown = self.folder.strip_prefix(crate::root()).unwrap_or(&self.folder);
        shown.display().to_string()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The files of all tests, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        crate::files(&self.folder, "litmus")
    }

    /// The text of a test, by its name in the results.
    pub fn read(&self, test: &str) -> Vec<u8> {
        // Some test names contain a slash, which file names cannot contain.
        let file = self.folder.join(format!("{}.litmus", test.replace('/', "_")));
        std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    /// Every line of the results.
    pub fn references(&self) -> Vec<Reference> {
        let path = self.folder.join("results.tsv");
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| reference(&path, line)).collect()
    }

    /// The results for one model; at least one must exist.
    pub fn references_of(&self, model: &str) -> Vec<Reference> {
        let mut references = self.references();
        references.retain(|reference| reference.model == model);
        assert!(!references.is_empty(), "{} has no results for {model}", self.folder.display());
        references
    }
}

fn reference(path: &Path, line: &str) -> Reference {
    let fields: Vec<&str> = line.split('\t').collect();
    let [test, model, observation, executions] = fields[..] else {
        panic!("{}: not four fields: {line}", path.display());
    };
    Reference {
        test: test.to_owned(),
        model: model.to_owned(),
        observation: observation.to_owned(),
        executions: executions.parse().expect("a number of executions"),
    }
}
