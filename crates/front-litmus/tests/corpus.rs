//! Every test of the corpora loads, and its observables are those that its text mentions.

use raddle_front_litmus::{Arch, load};
use raddle_ir::Program;
use raddle_testing::{Corpus, note};

fn check_corpus(folder: &str, arch: Arch) {
    let files: Vec<_> = Corpus::all(folder).iter().flat_map(Corpus::files).collect();
    let mut failures = Vec::new();
    for path in &files {
        let bytes = std::fs::read(path).expect("the corpus can be read");
        match load(&path.to_string_lossy(), &bytes) {
            Err(diagnostic) => failures.push(diagnostic.to_string()),
            Ok(litmus) => {
                assert_eq!(litmus.arch, arch);
                let text = String::from_utf8_lossy(&bytes);
                assert!(text.contains(&litmus.name), "{path:?}");
                if let Err(problem) = check_program(&litmus.program, &text) {
                    failures.push(format!("{}: {problem}", path.display()));
                }
            }
        }
    }
    note(&format!("{} tests, {} failures", files.len(), failures.len()));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn check_program(program: &Program, text: &str) -> Result<(), String> {
    for (id, observable) in &program.observables {
        let bare = observable.name.trim_matches(['[', ']']);
        if !text.contains(bare) {
            return Err(format!("{} is observed but not mentioned", observable.name));
        }
        program.observable_type(id);
    }
    let condition = program.condition.as_ref().ok_or("no condition")?;
    // Evaluating it visits every term, which must name observables that exist.
    condition.prop.holds(&mut |_, left, right| {
        for term in [left, right] {
            if let raddle_ir::Term::Observable(id) = term {
                assert!(program.observables.is_valid(id));
            }
        }
        true
    });
    Ok(())
}

#[test]
fn x86_corpus_loads() {
    check_corpus("x86", Arch::X86);
}

#[test]
fn ppc_corpus_loads() {
    check_corpus("ppc", Arch::Ppc);
}

#[test]
fn arm_corpus_loads() {
    check_corpus("arm", Arch::Arm);
}
