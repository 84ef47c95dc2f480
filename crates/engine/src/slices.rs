//! Searches in slices: stopped at random moments, divided into parts, and put together again. For tests of the engines.

use crate::keeper::{FrontierState, Keeper, Part, Saved, Start};
use crate::options::Options;
use crate::summary::{Stopped, Summary};
use fastrand::Rng;
use std::sync::{Arc, Mutex, PoisonError};

/// A search that is run in slices.
#[derive(Debug)]
pub struct Sliced<F> {
    /// Runs a search with options.
    pub explore: F,
    pub options: Options,
    pub random: Rng,
    /// The number of slices so far, of parts, and of slices that could not go on without the results of a part.
    pub slices: u32,
    pub parts: u32,
    pub waits: u32,
}

impl<F: Fn(&Options) -> Summary> Sliced<F> {
    pub fn new(options: &Options, seed: u64, explore: F) -> Sliced<F> {
        let (options, random) = (options.clone(), Rng::with_seed(seed));
        Sliced { explore, options, random, slices: 0, parts: 0, waits: 0 }
    }

    /// The summary of the whole search.
    pub fn run(&mut self) -> Summary {
        self.solve(None).1
    }

    /// Goes on with a frontier until it is done. Returns it, and its summary.
    fn solve(&mut self, mut frontier: Option<Vec<u8>>) -> (Vec<u8>, Summary) {
        let mut missing: Vec<Part> = Vec::new();
        let mut results: Vec<Vec<u8>> = Vec::new();
        let mut explored = 0;
        loop {
            let start = frontier.take().map(|frontier| Start { frontier, results });
            let (saved, summary) = self.slice(start, explored);
            let Summary { executions, blocked, redundant, cut, .. } = saved.summary;
            explored = executions + blocked + redundant + cut;
            self.slices += 1;
            self.parts += saved.parts.len() as u32;
            if saved.state == FrontierState::Done {
                return (saved.rest, summary);
            }
            missing.extend(saved.parts);
            frontier = Some(saved.rest);
            // Some of the parts, in any order; if the rest cannot go on, the one that it waits for.
            self.random.shuffle(&mut missing);
            let mut now = self.random.usize(0..=missing.len());
            if saved.state == FrontierState::Waiting {
                self.waits += 1;
                let needed = missing.iter().position(|part| Some(part.name) == saved.needs);
                missing.swap(0, needed.expect("the rest waits for a part"));
                now = now.max(1);
            }
            results = Vec::new();
            for part in missing.drain(..now).collect::<Vec<_>>() {
                match self.random.bool() {
                    true => results.push(self.solve(Some(part.frontier)).0),
                    false => self.begin(part, &mut results, &mut missing),
                }
            }
        }
    }

    /// A part comes back before it is done, and so do some of its own parts. The others are missing, then.
    fn begin(&mut self, part: Part, results: &mut Vec<Vec<u8>>, missing: &mut Vec<Part>) {
        let start = Start { frontier: part.frontier, results: Vec::new() };
        let saved = self.slice(Some(start), 0).0;
        self.slices += 1;
        self.parts += saved.parts.len() as u32;
        // Either as it is, or as far as it gets without its parts.
        results.push(match self.random.bool() {
            true => saved.rest,
            false => {
                let start = Start { frontier: saved.rest, results: Vec::new() };
                self.search(Some(start), None, |_| {}).0.rest
            }
        });
        for part in saved.parts {
            match self.random.bool() {
                true => missing.push(part),
                false => self.begin(part, results, missing),
            }
        }
    }

    /// One slice after so many executions: its last frontier, and its summary.
    fn slice(&mut self, start: Option<Start>, explored: u64) -> (Saved, Summary) {
        match self.random.u32(0..8) {
            // At the first opportunity.
            0..4 => self.search(start, None, |keeper| keeper.end(Stopped::Time)),
            4..7 => {
                let most = explored + self.random.u64(1..20);
                self.search(start, Some(most), |_| {})
            }
            // Saved once, and the search goes on.
            _ => self.search(start, None, Keeper::request),
        }
    }

    /// Searches up to a number of executions: the last frontier, and the summary.
    fn search(
        &mut self,
        start: Option<Start>,
        most: Option<u64>,
        ask: impl FnOnce(&Keeper),
    ) -> (Saved, Summary) {
        let last = Arc::new(Mutex::new(None));
        let kept = Arc::clone(&last);
        let parts = self.random.usize(0..4);
        let keeper = Keeper::new(start, parts, move |saved| {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(saved);
        });
        ask(&keeper);
        let mut options = self.options.clone();
        options.limits.executions = most;
        options.limits.workers = self.random.usize(1..4);
        options.limits.keeper = keeper.clone();
        let summary = (self.explore)(&options);
        if let Some(why) = keeper.refusal() {
            panic!("a frontier was refused: {why}");
        }
        let saved = last.lock().unwrap_or_else(PoisonError::into_inner).take();
        (saved.expect("a frontier was saved"), summary)
    }
}
