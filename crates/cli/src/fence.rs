//! `raddle fence`.

use crate::config::FenceConfig;
use crate::output::{Output, Stop};
use crate::pages::{Pages, quoted};
use crate::reports::Reports;
use crate::source::{self, Source};
use crate::status::Status;
use raddle_analysis::fence::{Fences, Outcome, Question, Unknown, Verdict, fences, judge};
use raddle_budget::Budget;
use raddle_ir::near::did_you_mean;
use raddle_ir::{FuncId, Function, Program};
use raddle_patch::{Editor, Written};
use raddle_report::fence::{Asked, json, text};
use raddle_report::source::Sources;
use raddle_report::{Look, Run, html, printable};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) fn run(
    config: &FenceConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let ended = run_with(config, reports, output);
    if matches!(ended, Err(Stop::Refused)) {
        reports.refused(&config.source.shown(), output);
    }
    ended
}

fn run_with(
    config: &FenceConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let FenceConfig { source, .. } = config;
    output.follow(&config.shown);
    let mut pages = Pages::at(&config.files, &[source], output)?;
    let options = &config.question.options;
    let source = source::prepare(source, &[options.model], &options.limits.unroll, output)?;
    reports.check_against(&source, output)?;
    pages.check_against(&source, output)?;
    let mut question = config.question.clone();
    if source.stopped.is_none() {
        question.avoided.functions = avoided(&source, &question.avoided.named)?;
    }
    let question = &question;
    let (result, written) = match source.stopped {
        Some(spent) => (Fences::unsearched(spent), Written::default()),
        None => search(config, question, &source)?,
    };
    let Source { program, shown: file, .. } = &source;
    let asked = Asked { file, program, question, written: &written };
    let (run, sources) = (Run { file, program, options }, Sources::from_disk());
    reports.add(&run, &sources, |cases| {
        cases.fences(&asked, &result, text(&asked, &Look::plain(&sources), &result))
    });
    let printed = print(config, &asked, &result, output);
    let here = std::env::current_dir().unwrap_or_default();
    pages.add(|| html::fences(&asked, &here, &result));
    pages.save(&Sources::from_disk(), output);
    printed.map(|_| output.status())
}

/// The functions that get no fences: those of the system's headers, and those that are named or in files that are named.
fn avoided(source: &Source, named: &[String]) -> Result<BTreeSet<FuncId>, Stop> {
    let program = &source.program;
    let mut avoided = source.foreign.clone();
    for name in named {
        let matching = program.funcs.iter().filter(|(_, function)| !function.library);
        let matching = matching
            .filter(|(_, function)| {
                is_called(&function.name, name)
                    || file_of(program, function)
                        .is_some_and(|file| Path::new(file).ends_with(name))
            })
            .map(|(id, _)| id);
        let before = avoided.len();
        let found: Vec<FuncId> = matching.collect();
        avoided.extend(&found);
        if found.is_empty() && avoided.len() == before {
            return Err(Stop::Usage(missing(program, name)));
        }
    }
    Ok(avoided)
}

fn missing(program: &Program, name: &str) -> String {
    let own = || program.funcs.values().filter(|function| !function.library);
    let files = own().filter_map(|function| file_of(program, function));
    let files = files.map(|file| program.short_name(file));
    let functions = own().map(|function| simple(&printable(&function.name)));
    let known: BTreeSet<String> = files.chain(functions).collect();
    let meant = did_you_mean(name, known.iter().map(|known| &**known));
    let meant = meant.map_or(String::new(), |meant| format!("; {meant}"));
    format!("--avoid {name}: the program has no such file or function{meant}")
}

/// The file of a function: that of its first instruction with a position.
fn file_of<'p>(program: &'p Program, function: &Function) -> Option<&'p str> {
    let insts = function.blocks.values().flat_map(|block| &block.insts);
    let locs = std::iter::once(function.loc).chain(insts.map(|inst| inst.loc));
    let loc = locs.filter_map(|loc| program.loc(loc)).next()?;
    program.files.get(loc.file as usize).map(|file| &**file)
}

/// Whether a function has this name: as the program has it, as reports show it, or without template arguments and the
/// classes and name spaces around it.
fn is_called(function: &str, name: &str) -> bool {
    let shown = printable(function);
    let simple = simple(&shown);
    function == name
        || shown == name
        || simple.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}

/// A name without template arguments.
fn simple(name: &str) -> String {
    let mut depth = 0u32;
    let mut simple = String::new();
    // The brackets of `operator<` and `operator->` stand for nothing else.
    let (scope, operator) = match name.find("operator") {
        Some(at) => name.split_at(at),
        None => (name, ""),
    };
    for c in scope.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            c if depth == 0 => simple.push(c),
            _ => {}
        }
    }
    simple + operator
}

/// The fences, and how they are written in the source.
fn search(
    config: &FenceConfig,
    question: &Question,
    source: &Source,
) -> Result<(Fences, Written), Stop> {
    let files = &config.source;
    let program = &source.program;
    let has_condition = program.goals.is_empty() && program.condition.is_some();
    config.refuse_limits(!has_condition)?;
    let budget = &question.options.limits.budget;
    // Fences of a search that gave up are written as edits with the time that is left for reports.
    let late: OnceCell<Budget> = OnceCell::new();
    let reload = |texts: &[(PathBuf, Vec<u8>)]| {
        let budget = late.get().unwrap_or(budget);
        match budget.spent() {
            Some(_) => Err("there is no time left".to_owned()),
            None => source::reload(&files.within(budget), texts),
        }
    };
    let mut editor = Editor::new(source.editable(), &reload, budget);
    let result = fences(program, question, |places| editor.prices(program, places));
    if budget.is_spent() {
        editor.go_on_within(late.get_or_init(|| budget.for_report()));
    }
    question.options.limits.progress.edit();
    let written = match &result.outcome {
        Outcome::Fences(fences) => editor.write(program, fences, &|edited| judge(edited, question)),
        // The source is not judged again: there is no time left, or the judge has no answer.
        Outcome::Unknown(why) => {
            let unknown = Unknown { why: why.clone(), bounds: Vec::new() };
            editor.write(program, result.shown(), &|_| Verdict::Unknown(unknown.clone()))
        }
        Outcome::Hopeless(_) => Written::default(),
    };
    Ok((result, written))
}

fn print(
    config: &FenceConfig,
    asked: &Asked<'_>,
    result: &Fences,
    output: &mut Output,
) -> Result<Status, Stop> {
    let is_bounded = !asked.program.partial_inputs().is_empty();
    output.note(match &result.outcome {
        Outcome::Fences(_) if config.strict && is_bounded => Status::Unknown,
        Outcome::Fences(_) => Status::Fine,
        Outcome::Hopeless(_) => Status::Violation,
        Outcome::Unknown(_) => Status::Unknown,
    });
    if config.patch {
        return patch(asked, result, output);
    }
    let shown = match config.json {
        true => raddle_report::json::line(&json(asked, result)),
        false => text(asked, &output.look(&Sources::from_disk()), result),
    };
    output.print(&shown)?;
    Ok(output.status())
}

/// Prints the patch alone, if one was found and judged good; otherwise the report goes to standard error.
fn patch(asked: &Asked<'_>, result: &Fences, output: &mut Output) -> Result<Status, Stop> {
    let needed = matches!(&result.outcome, Outcome::Fences(fences) if !fences.is_empty());
    if needed && asked.written.checked.is_some() {
        let folder = std::env::current_dir().map_err(Stop::Io)?;
        let patch = asked.written.patch(&folder);
        output.print_bytes(&patch.text)?;
        if let Some(folder) = patch.elsewhere {
            output.complain(&format!("note: {}", elsewhere(&folder)));
        }
        return Ok(output.status());
    }
    let shown = text(asked, &output.look(&Sources::from_disk()), result);
    output.write_error(shown.trim_end());
    if needed {
        let why = match asked.question.options.limits.budget.spent() {
            Some(_) => "the search for edits was cut short",
            None => "not every fence can be written as an edit",
        };
        output.complain(&format!("error: {why}: there is no patch"));
        output.note(Status::Unknown);
    }
    Ok(output.status())
}

/// How a patch is applied to files that are not in the current folder.
fn elsewhere(folder: &Path) -> String {
    let name = quoted(&folder.to_string_lossy());
    format!("the patch names files from {name}: patch -p1 -d {name}, or git -C {name} apply")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_called_by_parts_of_their_names() {
        let mangled = "_ZN5QueueIiE4pushERKi";
        for name in ["push", "Queue::push", "Queue<int>::push", mangled] {
            assert!(is_called(mangled, name), "{name}");
        }
        for name in ["ush", "eue::push", "pop", "Queue", "int"] {
            assert!(!is_called(mangled, name), "{name}");
        }
        assert!(is_called("lock", "lock") && !is_called("unlock", "lock"));
    }
}
