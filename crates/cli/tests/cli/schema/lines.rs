//! The lines of all commands for a program, validated.

use super::programs::Scope;
use raddle_analysis::estimate::forecast;
use raddle_analysis::fence::{Avoided, Question, Target, between_lines, fences};
use raddle_analysis::matrix::{Property, Row};
use raddle_analysis::reach::{self, reach};
use raddle_analysis::robust::{Interlocked, Runs, sample};
use raddle_analysis::witness::{ExpectedEnd, rerun};
use raddle_analysis::{Iterated, iterate, litmus, robust};
use raddle_budget::Budget;
use raddle_engine::{Checks, Engine, Limits, Model, Options, Sampling, Strategy};
use raddle_ir::Verified;
use raddle_patch::Written;
use raddle_report::document::{self, Entry, Origin};
use raddle_report::matrix::Table;
use raddle_report::{Run, Subject, fence, json, matrix, monitor, progress};
use raddle_testing::schema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The time of one analysis: one that runs out of it has a line, too.
fn time() -> Duration {
    Duration::from_millis(raddle_testing::scaled(20, 10))
}

/// The lines that were validated, and the faults that were found.
#[derive(Debug, Default)]
pub(super) struct Lines {
    counts: BTreeMap<&'static str, u64>,
    pub refused: u64,
    pub faults: Vec<String>,
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (schema, count) in &self.counts {
            write!(f, "{schema} {count}, ")?;
        }
        write!(f, "refused {}, faults {}", self.refused, self.faults.len())
    }
}

fn limits() -> Limits {
    Limits { budget: Budget::new(Some(time()), Some(2 << 30)), ..Limits::default() }
}

fn options(model: Model) -> Options {
    Options { limits: limits(), ..Options::new(model) }
}

impl Lines {
    pub(super) fn add(&mut self, other: Lines) {
        other.counts.into_iter().for_each(|(schema, count)| {
            *self.counts.entry(schema).or_default() += count;
        });
        self.refused += other.refused;
        self.faults.extend(other.faults);
    }

    /// Whether there were lines of every command that was run here.
    pub(super) fn has_all(&self) -> bool {
        let all = "check estimate fence litmus matrix monitor reach replay robust witness";
        all.split(' ').all(|schema| self.counts.contains_key(schema))
    }

    fn line(&mut self, schema: &'static str, file: &str, object: &impl Serialize) {
        let text = json::line(object);
        *self.counts.entry(schema).or_default() += 1;
        if let Err(fault) = schema::line_holds(schema, &text) {
            self.faults.push(format!("{file}: {schema}: {fault}"));
        }
    }

    pub(super) fn of_program(&mut self, file: &str, program: &Verified, scope: Scope) {
        for model in Model::ALL {
            self.check(file, program, options(model));
            self.litmus(file, program, &options(model));
        }
        if scope == Scope::Litmus {
            return;
        }
        for model in Engine::Reach.models() {
            self.check(file, program, options(model).by(Strategy::Lazy));
            self.reach(file, program, &options(model).by(Strategy::Lazy));
        }
        for model in Model::ALL.into_iter().filter(|model| model.is_buffered()) {
            self.robust(file, program, model);
            self.monitor(file, program, model);
            let iterated = iterate(program, &options(model));
            let options = iterated.options.clone();
            self.line(
                "check",
                file,
                &json::iterated(&Run { file, program, options: &options }, &iterated),
            );
        }
        self.matrix(file, program, scope);
        self.estimate(file, program);
        let printed = raddle_ir::text::print(program);
        *self.counts.entry("print").or_default() += 1;
        if let Err(error) = raddle_ir::text::load(file, printed.as_bytes()) {
            self.faults.push(format!("{file}: print: {error}"));
        }
    }

    /// `check`, its witness file, and `replay`.
    fn check(&mut self, file: &str, program: &Verified, options: Options) {
        let races = options.strategy.engine().finds_races();
        let checks = Checks { races, goals: false };
        let options = Options { checks, keep_going: true, ..options };
        let run = Run { file, program, options: &options };
        let checked = Iterated::once(program, &options);
        self.line("check", file, &json::iterated(&run, &checked));
        let found = &checked.result.violations;
        self.witness(&run, found.iter().map(|found| document::entry(&run, found)).collect());
    }

    fn witness(&mut self, run: &Run<'_>, entries: Vec<Entry<'_>>) {
        if entries.is_empty() {
            return;
        }
        let (file, program) = (run.file, run.program);
        let origin = Origin { inputs: vec![file.into()], arguments: Vec::new() };
        let mut text = Vec::new();
        document::write(&mut text, program, &origin, run.options.checks, entries).expect("memory");
        let value: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        self.line("witness", file, &value);
        let recorded = document::read(file, &text).unwrap_or_else(|error| panic!("{error}"));
        for witness in &recorded.witnesses {
            let options = witness.options.clone().within(limits().budget);
            let run = Run { file, program, options: &options };
            let expected = &witness.expected;
            // A replay under a time limit may end early.
            let replayed = match expected.kind {
                ExpectedEnd::Goal => reach::rerun(program, &options, &witness.schedule)
                    .map(|found| self.line("replay", file, &json::replayed_goal(&run, &found))),
                _ => rerun(program, &options, &witness.schedule, expected)
                    .map(|found| self.line("replay", file, &json::replayed(&run, &found))),
            };
            if let Err(reason) = replayed
                && !options.limits.budget.is_spent()
            {
                self.faults.push(format!("{file}: replay: {reason}"));
            }
        }
    }

    fn litmus(&mut self, file: &str, program: &Verified, options: &Options) {
        let run = Run { file, program, options };
        self.line("litmus", file, &json::litmus(&run, &litmus(program, options)));
    }

    fn reach(&mut self, file: &str, program: &Verified, options: &Options) {
        let checks = Checks { goals: true, ..Checks::default() };
        let options = Options { checks, ..options.clone() };
        let run = Run { file, program, options: &options };
        let result = reach(program, &options);
        self.line("reach", file, &raddle_report::reach::json(&run, &result));
        let reached = result.reached.iter().map(|reached| document::reached(&run, reached));
        self.witness(&run, reached.collect());
    }

    fn robust(&mut self, file: &str, program: &Verified, model: Model) {
        let result = robust(program, model, &limits(), None);
        self.line(
            "robust",
            file,
            &raddle_report::robust::json(&Subject { file, program }, &result),
        );
    }

    fn monitor(&mut self, file: &str, program: &Verified, model: Model) {
        let sampling = Sampling { seed: 0, runs: 20 };
        let runs = Runs { sampling, interlocked: Interlocked::Drains, limits: limits() };
        let found = sample(program, model, &runs);
        self.line("monitor", file, &monitor::json(&Subject { file, program }, &found));
    }

    fn estimate(&mut self, file: &str, program: &Verified) {
        let options = Options { limits: limits(), ..Options::new(Model::Tso) };
        let found = forecast(program, &options, time() / 20);
        let run = Run { file, program, options: &options };
        self.line("estimate", file, &progress::forecast_json(&run, None, &found));
    }

    /// `matrix`, and `fence` under the models that have fences.
    fn matrix(&mut self, file: &str, program: &Verified, scope: Scope) {
        let property = Property::of(program, !program.goals.is_empty());
        let judged = |model| Row::judged(program, property, options(model));
        let mut rows: Vec<Row> = Model::ALL.map(judged).into();
        let target = (scope == Scope::All).then_some(Target::Robust);
        for row in rows.iter_mut().filter(|row| !row.model().fences().is_empty()) {
            let Some(target) = target else { break };
            let (options, avoided) = (options(row.model()), Avoided::default());
            let question = Question { target, options, avoided };
            let result = fences(program, &question, between_lines);
            let written = Written::default();
            let asked = fence::Asked { file, program, question: &question, written: &written };
            self.line("fence", file, &fence::json(&asked, &result));
            row.fences = Some(result);
        }
        let table = Table {
            file,
            program,
            property,
            rows: &rows,
            target,
            races: false,
            ignored: &raddle_engine::Ignored::default(),
            optimised: None,
            stubs: &[],
            elapsed: time(),
        };
        self.line("matrix", file, &matrix::json(&table));
    }
}
