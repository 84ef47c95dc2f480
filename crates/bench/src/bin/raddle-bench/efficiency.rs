//! The efficiency of slices on many workers, by simulation from slices that are really made.
//!
//! The search of a program is run in slices, one after the other, as `raddle slice` and a scheduler on a cluster would, and the clock of
//! the simulation says when each of them starts and ends. A slice is limited by a number of executions instead of a time, so that slices may be
//! short and a search that takes a minute here stands for one that takes days. Its time on the clock is the number of its events, and a
//! fixed part of a whole slice for what a slice costs in addition: starting, going its way again, writing.

use crate::programs::subjects;
use crate::table::json_line;
use raddle_analysis::explore;
use raddle_engine::{FrontierState, Keeper, Model, Options, Saved, Start, Summary};
use raddle_ir::Verified;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// The slices that one worker would need for the whole search.
const SLICES: u64 = 20_000;
/// The costs of a slice, as a part of a whole one.
const COST: f64 = 0.02;
const WORKERS: [usize; 4] = [10, 100, 1_000, 4_000];

/// The result for a program and a number of workers.
#[derive(Serialize, Debug)]
struct Row {
    program: String,
    model: &'static str,
    executions: u64,
    workers: usize,
    slices: u64,
    /// The time of all slices, divided by that of the search by one worker in one piece.
    overhead: f64,
    /// The time of the search in one piece, divided by the time of the simulated search and by the number of workers.
    efficiency: f64,
    /// The largest frontier that is sent.
    bytes: usize,
}

pub(crate) fn run(
    (names, models): (&[String], &[Model]),
    out: &mut impl Write,
    mut json: Option<&mut dyn Write>,
) -> io::Result<()> {
    writeln!(out, "\nefficiency of {SLICES} slices, simulated")?;
    writeln!(
        out,
        "{:16} {:5} {:>11} {:>7} {:>8} {:>9} {:>10} {:>7}",
        "program", "model", "executions", "workers", "slices", "overhead", "efficiency", "KiB"
    )?;
    for (name, program, model) in subjects(names, models) {
        let options = Options { keep_going: true, ..Options::new(model) };
        let expected = explore(&program, &options);
        let whole = expected.events as f64;
        for workers in WORKERS {
            let mut simulation = Simulation::new(&program, &options, &expected);
            simulation.run(workers);
            let row = Row {
                program: name.clone(),
                model: model.name(),
                executions: expected.executions,
                workers,
                slices: simulation.slices,
                overhead: simulation.worked / whole,
                efficiency: whole / simulation.now / workers as f64,
                bytes: simulation.bytes,
            };
            writeln!(
                out,
                "{:16} {:5} {:>11} {:>7} {:>8} {:>9.2} {:>10.2} {:>7.1}",
                row.program,
                row.model,
                row.executions,
                row.workers,
                row.slices,
                row.overhead,
                row.efficiency,
                row.bytes as f64 / 1024.0,
            )?;
            out.flush()?;
            json.as_mut().map_or(Ok(()), |json| json_line(json, &row))?;
        }
    }
    Ok(())
}

/// A search that is sliced: the whole one, or a part of another one.
struct Node {
    parent: Option<usize>,
    /// Its parts that are missing, by name.
    parts: BTreeMap<u64, usize>,
    /// The part that it waits for.
    waits_for: Option<usize>,
    frontier: Option<Vec<u8>>,
    /// Results of its parts that are to be put in.
    results: Vec<Vec<u8>>,
    explored: u64,
    state: FrontierState,
    is_running: bool,
}

struct Simulation<'p> {
    program: &'p Verified,
    options: Options,
    expected: &'p Summary,
    nodes: Vec<Node>,
    ready: VecDeque<usize>,
    /// The nodes that are being sliced, by the time at which they end.
    ends: BinaryHeap<Reverse<(u64, usize)>>,
    outputs: BTreeMap<usize, Saved>,
    now: f64,
    worked: f64,
    slices: u64,
    bytes: usize,
    /// The most executions of a slice.
    length: u64,
}

impl<'p> Simulation<'p> {
    fn new(program: &'p Verified, options: &Options, expected: &'p Summary) -> Simulation<'p> {
        let whole = Node {
            parent: None,
            parts: BTreeMap::new(),
            waits_for: None,
            frontier: None,
            results: Vec::new(),
            explored: 0,
            state: FrontierState::Open,
            is_running: false,
        };
        Simulation {
            program,
            options: options.clone(),
            expected,
            nodes: vec![whole],
            ready: VecDeque::from([0]),
            ends: BinaryHeap::new(),
            outputs: BTreeMap::new(),
            now: 0.0,
            worked: 0.0,
            slices: 0,
            bytes: 0,
            length: (explored(expected) / SLICES).max(1),
        }
    }

    fn run(&mut self, workers: usize) {
        loop {
            while self.ends.len() < workers
                && let Some(node) = self.ready.pop_front()
            {
                // As many parts as there are workers without work.
                let idle = workers - self.ends.len() - 1;
                let parts = idle.saturating_sub(self.ready.len()).min(16);
                self.start(node, parts);
            }
            let Some(Reverse((time, node))) = self.ends.pop() else { break };
            self.now = time as f64;
            self.end(node);
        }
        assert_eq!(self.nodes[0].state, FrontierState::Done, "the search has come to an end");
    }

    fn start(&mut self, number: usize, parts: usize) {
        let node = &mut self.nodes[number];
        let results = std::mem::take(&mut node.results);
        let start = node.frontier.take().map(|frontier| Start { frontier, results });
        node.is_running = true;
        let saved = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&saved);
        let keeper = Keeper::new(start, parts, move |saved| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
        });
        let mut options = self.options.clone();
        options.limits.executions = Some(node.explored + self.length);
        options.limits.keeper = keeper;
        let summary = explore(self.program, &options);
        let saved = saved.lock().unwrap_or_else(PoisonError::into_inner).take();
        let refusal = options.limits.keeper.refusal();
        assert_eq!(refusal, None, "no frontier is refused");
        let saved = saved.expect("every slice leaves a frontier");
        if number == 0 && saved.state == FrontierState::Done {
            assert_eq!(summary, *self.expected, "slices have another result than one search");
        }
        let slice = self.expected.events as f64 / SLICES as f64;
        let work = saved.summary.events - options.limits.keeper.before().events;
        let time = work as f64 + slice * COST;
        self.slices += 1;
        self.worked += time;
        let sizes = saved.parts.iter().map(|part| part.frontier.len());
        self.bytes = self.bytes.max(sizes.max().unwrap_or(0));
        self.outputs.insert(number, saved);
        self.ends.push(Reverse(((self.now + time).ceil() as u64, number)));
    }

    fn end(&mut self, number: usize) {
        let Some(saved) = self.outputs.remove(&number) else { return };
        for part in saved.parts {
            let child = self.nodes.len();
            self.nodes[number].parts.insert(part.name, child);
            self.ready.push_back(child);
            self.nodes.push(Node {
                parent: Some(number),
                parts: BTreeMap::new(),
                waits_for: None,
                frontier: Some(part.frontier),
                results: Vec::new(),
                explored: 0,
                state: FrontierState::Open,
                is_running: false,
            });
        }
        let node = &mut self.nodes[number];
        node.is_running = false;
        node.state = saved.state;
        node.explored = explored(&saved.summary);
        node.frontier = Some(saved.rest);
        node.waits_for = match saved.state {
            FrontierState::Waiting => saved.needs.and_then(|name| node.parts.get(&name).copied()),
            _ => None,
        };
        let (parent, has_results) = (node.parent, !node.results.is_empty());
        if let Some(parent) = parent
            && (saved.state == FrontierState::Done || self.nodes[parent].waits_for == Some(number))
        {
            return self.come_back(number, parent);
        }
        if saved.state == FrontierState::Open || has_results {
            self.ready.push_back(number);
        }
        if let Some(part) = self.nodes[number].waits_for
            && !self.nodes[part].is_running
        {
            self.come_back(part, number);
        }
    }

    /// A part comes back to the search that it is of, with its own parts.
    fn come_back(&mut self, number: usize, parent: usize) {
        let node = &mut self.nodes[number];
        let (parts, results) = (std::mem::take(&mut node.parts), std::mem::take(&mut node.results));
        let frontier = node.frontier.take().unwrap_or_default();
        let explored = node.explored;
        self.ready.retain(|other| *other != number);
        for part in parts.values() {
            self.nodes[*part].parent = Some(parent);
        }
        let above = &mut self.nodes[parent];
        above.explored += explored;
        above.results.push(frontier);
        above.results.extend(results);
        above.parts.retain(|_, part| *part != number);
        above.parts.extend(parts);
        above.waits_for = None;
        if !above.is_running && !self.ready.contains(&parent) {
            self.ready.push_back(parent);
        }
    }
}

fn explored(summary: &Summary) -> u64 {
    summary.executions + summary.blocked + summary.redundant + summary.cut
}
