//! `raddle matrix`: one program under all models, in parallel.
//!
//! Workers take the models from the weakest to the strongest: a weak model has the most executions, and the
//! table is there when the last one is done. With a time limit, which is divided among the models that are still to
//! be searched, the order is the other way round: so the weak models have all the time that the strong ones leave. The
//! order of the rows does not depend on that. The memory limit is one for all that are searched
//! at the same time, since a process has one memory: when it is reached, those that were stopped are searched
//! again one after the other, each with all of it.

use crate::config::MatrixConfig;
use crate::destination::Destination;
use crate::output::{Output, Stop};
use crate::reports::Reports;
use crate::signals;
use crate::source::{self, Source};
use crate::status::Status;
use raddle_analysis::fence::{Avoided, Question, Target, between_lines, fences};
use raddle_analysis::matrix::{Property, Row, Standing};
use raddle_budget::Budget;
use raddle_engine::{Model, Options, Spent};
use raddle_ir::Verified;
use raddle_report::matrix::{Table, html, json, text};
use raddle_report::source::Sources;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

/// Room for recursion, as the main thread has it.
const STACK: usize = 8 << 20;

pub(crate) fn run(
    config: &MatrixConfig,
    reports: &mut Reports,
    output: &mut Output,
) -> Result<Status, Stop> {
    let start = Instant::now();
    let page = page(config, output)?;
    let models: Vec<Model> = config.searches.iter().map(|options| options.model).collect();
    let source = source::prepare(&config.source, &models, &config.limits.unroll, output)?;
    if let Some(page) = &page {
        let apart = page.is_none_of(source.paths());
        apart.map_err(|diagnostic| output.refuse(&diagnostic))?;
    }
    // A strategy that was named is used, whatever the program is about.
    let has_goals = config.source.is_automata() || !source.program.goals.is_empty();
    let property = match Property::of(&source.program, has_goals && !config.has_strategy) {
        Property::Forbidden if config.ignored.condition => Property::Safe,
        property => property,
    };
    if property == Property::Unreachable {
        config.refuse_kinds()?;
    }
    let rows = match source.stopped {
        Some(spent) => all_unsearched(config, property, spent),
        None => Work::new(config, &source, property).rows(),
    };
    for row in &rows {
        if let Some(result) = row.check() {
            reports.matched(&row.options, result);
        }
        output.note(Status::of(row.verdict(), config.strict));
    }
    let stubs = source::phrases(&config.source.c.stubs);
    let Source { program, shown: file, optimised, .. } = &source;
    let table = Table {
        file,
        program,
        property,
        rows: &rows,
        target: config.fences,
        races: config.races,
        ignored: &config.ignored,
        optimised: optimised.as_deref(),
        stubs: &stubs,
        elapsed: start.elapsed(),
    };
    let printed = match config.json {
        true => output.print_json(&json(&table)),
        false => output.print(&text(&table, &output.look(&Sources::none()))),
    };
    // The page is written even if the reader of the output went away.
    if let Some(page) = page
        && let Err(diagnostic) = page.write(|out| out.write_all(html(&table).as_bytes()))
    {
        output.refuse(&diagnostic);
    }
    printed.map(|()| output.status())
}

/// The file of the page, which can be written and is not an input.
fn page(config: &MatrixConfig, output: &mut Output) -> Result<Option<Destination>, Stop> {
    let source = &config.source;
    let inputs = source.files.iter().chain(&source.c.clang).map(|file| file.as_path());
    let page = config.html.as_deref().map(|path| Destination::checked(path, inputs)).transpose();
    page.map_err(|diagnostic| output.refuse(&diagnostic))
}

fn all_unsearched(config: &MatrixConfig, property: Property, spent: Spent) -> Vec<Row> {
    let searches = config.searches.iter();
    searches.map(|options| Row::unsearched(property, options.clone(), spent)).collect()
}

/// The models of a program that are still to be searched, and the rows that are done.
struct Work<'a> {
    config: &'a MatrixConfig,
    program: &'a Verified,
    property: Property,
    avoided: Avoided,
    state: Mutex<State>,
}

struct State {
    /// Indices of the searches that no worker has taken yet; the last one is taken first.
    left: Vec<usize>,
    rows: Vec<Option<Row>>,
}

impl<'a> Work<'a> {
    fn new(config: &'a MatrixConfig, source: &'a Source, property: Property) -> Work<'a> {
        let program = &source.program;
        let avoided = Avoided { functions: source.foreign.clone(), ..Avoided::default() };
        let count = config.searches.len();
        let mut left: Vec<usize> = (0..count).collect();
        if config.limits.budget.time_left().is_some() {
            left.reverse();
        }
        let state = State { left, rows: (0..count).map(|_| None).collect() };
        Work { config, program, property, avoided, state: Mutex::new(state) }
    }

    /// The rows of all models, in the order of the searches.
    fn rows(self) -> Vec<Row> {
        let jobs = self.config.jobs;
        thread::scope(|scope| {
            for _ in 1..jobs {
                let worker = thread::Builder::new().stack_size(STACK);
                // If the system has no more threads, the others do the work.
                let _ = worker.spawn_scoped(scope, || self.work(jobs));
            }
            self.work(jobs);
        });
        if jobs > 1 {
            self.retry_without_others();
        }
        let Work { config, property, state, .. } = self;
        let rows = state.into_inner().unwrap_or_else(PoisonError::into_inner).rows;
        let done = rows.into_iter().zip(&config.searches).map(|(row, options)| {
            row.unwrap_or_else(|| Row::unsearched(property, options.clone(), Spent::Interrupted))
        });
        done.collect()
    }

    fn with_state<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Searches models until none is left. `jobs` workers do so at the same time.
    fn work(&self, jobs: usize) {
        while signals::received().is_none() {
            let taken = self.with_state(|state| Some((state.left.pop()?, state.left.len() + 1)));
            let Some((index, left)) = taken else { return };
            let row = self.judged(index, self.budget(left.div_ceil(jobs)));
            self.with_state(|state| state.rows[index] = Some(row));
        }
    }

    /// Searches those again that were stopped because all together took too much memory.
    fn retry_without_others(&self) {
        if self.config.limits.budget.time_left().is_some_and(|left| left.is_zero()) {
            return;
        }
        let is_stopped = |row: &Option<Row>| row.as_ref().is_some_and(Row::is_out_of_memory);
        let stopped = self.with_state(|state| {
            let rows = state.rows.iter_mut().enumerate();
            let stopped = rows.filter(|(_, row)| is_stopped(row));
            // The memory of the old rows is given back first.
            stopped.map(|(index, row)| (index, row.take()).0).collect::<Vec<_>>()
        });
        self.with_state(|state| state.left = stopped);
        self.work(1);
    }

    /// A budget for a model that shares the time that is left with this many. Its memory is that of the process.
    fn budget(&self, parts: usize) -> Budget {
        let whole = &self.config.limits.budget;
        let time = whole.time_left().map(|time| time / parts.max(1) as u32);
        let budget = Budget::new(time, whole.memory());
        signals::interrupt(&budget);
        budget
    }

    fn judged(&self, index: usize, budget: Budget) -> Row {
        let options = self.config.searches[index].clone();
        let for_check = if self.config.fences.is_some() { budget.share(2) } else { budget.clone() };
        let mut row = Row::judged(self.program, self.property, options.within(for_check));
        if let Some(target) = self.config.fences
            && !row.model().fences().is_empty()
            && (target == Target::Robust || row.standing == Standing::Fails)
        {
            let model = row.model();
            let limits = self.config.limits.clone();
            let options = Options { limits, ..Options::new(model) }.within(budget);
            let question = Question { target, options, avoided: self.avoided.clone() };
            row.fences = Some(fences(self.program, &question, between_lines));
        }
        row
    }
}
