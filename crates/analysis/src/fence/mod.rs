//! The smallest set of fences that makes a program robust, or its goals unreachable.
//!
//! This is a counterexample-guided search for a minimal hitting set. The learned facts are clauses. Each
//! clause requires a fence of at least some strength at one of some places, and holds for every solution.
//! The cheapest choice that satisfies all clauses ([`hitting`]) is inserted into the program ([`insert`]) and
//! judged ([`mod@judge`]). If the result is good, the choice is a solution, and no other is cheaper. If not, the
//! judgement gives clauses that this choice violates. The number of choices is finite, so the search ends
//! with an exact minimum: the number of fences counts first, then their strength.
//!
//! Sources of clauses:
//!
//! - For robustness against TSO, an attack: a store of a thread that is delayed past a load of the same
//!   thread. In the computation that shows it, only this thread delays anything, and only from the store to
//!   the load. So the attack stays possible unless a fence lies on its path between the two, and that path
//!   is one of the paths without a fence ([`flow`]).
//! - Otherwise, monotonicity: more fences allow less. A bad choice is made stronger as long as it stays bad.
//!   Every solution is then stronger than the result at some place.
//!
//! Places are points between instructions of functions that do not belong to a library. Points with only
//! local instructions between them, and no other way in or out, count as one place ([`places`]). Of equally
//! good sets, the prices of their places decide. The caller gives the prices, because it knows which places
//! are easy to write in the source.

mod flow;
mod goals;
mod hitting;
mod insert;
mod judge;
mod places;

pub use judge::{Question, Target, Verdict};
pub use places::Places;

use flow::Flow;
use hitting::{Choice, Clause, Level};
use insert::Fenced;
use judge::{Judge, locked_drains};
use raddle_engine::{Spent, Stopped};
use raddle_ir::{FenceKind, LocId, Point, Verified};
use std::time::{Duration, Instant};

/// A place for a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FencePoint {
    pub point: Point,
    /// The position of the instruction before the fence, if the block has one.
    pub after: LocId,
    /// The position of the instruction after the fence.
    pub before: LocId,
    /// Whether the instructions before and after are on the same line of the source.
    pub within_line: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fence {
    pub place: FencePoint,
    pub kind: FenceKind,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The smallest set; empty if the program needs no fences. The program with exactly these fences was
    /// judged to be good.
    Fences(Vec<Fence>),
    /// No fences help, with the reason.
    Hopeless(String),
    Unknown(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fences {
    pub outcome: Outcome,
    /// If the outcome is unknown: the set that could not be judged. No cheaper set is a solution.
    pub candidate: Vec<Fence>,
    /// The number of places that were considered.
    pub places: usize,
    /// The number of programs that were judged.
    pub queries: u32,
    pub elapsed: Duration,
}

impl Fences {
    /// The answer for a program that was not searched, with the reason.
    pub fn unsearched(spent: Spent) -> Fences {
        let why = Stopped::from(spent).phrase().to_owned();
        let (outcome, candidate) = (Outcome::Unknown(why), Vec::new());
        Fences { outcome, candidate, places: 0, queries: 0, elapsed: Duration::ZERO }
    }
}

/// Whether a program needs no fences.
pub fn judge(program: &Verified, question: &Question) -> Verdict {
    Judge::new(question).judge(program)
}

/// A preference for places between lines of the source.
pub fn between_lines(places: &Places) -> Vec<u32> {
    places.iter().map(|place| u32::from(place.within_line)).collect()
}

/// Searches for the smallest set of fences.
///
/// Of equally good sets, the one with the lowest total price is returned. Prices are computed at most
/// once, when it is known that fences are needed.
pub fn fences(
    program: &Verified,
    question: &Question,
    prices: impl FnOnce(&Places) -> Vec<u32>,
) -> Fences {
    let start = Instant::now();
    // The flow takes as much memory as the program, and so does each copy with fences that is judged.
    if !question.options.limits.budget.affords(4 * program.code_bytes()) {
        return Fences { elapsed: start.elapsed(), ..Fences::unsearched(Spent::Memory) };
    }
    let flow = Flow::new(program, locked_drains(question.options.model));
    let places = Places::of(program, &flow, question.options.model);
    let judge = Judge::new(question);
    let (clauses, candidate) = (Vec::new(), Vec::new());
    let mut search = Search { program, places, judge, question, clauses, candidate };
    let outcome = search.run(prices);
    Fences {
        outcome,
        candidate: search.candidate,
        places: search.places.len(),
        queries: search.judge.queries,
        elapsed: start.elapsed(),
    }
}

struct Search<'p> {
    program: &'p Verified,
    places: Places,
    judge: Judge<'p>,
    question: &'p Question,
    clauses: Vec<Clause>,
    candidate: Vec<Fence>,
}

impl Search<'_> {
    fn run(&mut self, prices: impl FnOnce(&Places) -> Vec<u32>) -> Outcome {
        if let Some(why) = self.judge.is_hopeless(self.program) {
            return Outcome::Hopeless(why.to_owned());
        }
        let mut ask = Some(prices);
        let mut prices = vec![0; self.places.len()];
        loop {
            if !self.clauses.is_empty()
                && let Some(ask) = ask.take()
            {
                prices = ask(&self.places);
            }
            let budget = &self.question.options.limits.budget;
            let cheapest = hitting::cheapest(&prices, &self.clauses, budget);
            if let Some(spent) = budget.spent() {
                return Outcome::Unknown(Stopped::from(spent).phrase().to_owned());
            }
            let Some(choice) = cheapest else {
                let why = "it is not so even with a fence at every place that could have one";
                return Outcome::Hopeless(why.to_owned());
            };
            let fenced = self.fenced(&choice);
            match self.judge.judge(&fenced.program) {
                Verdict::Good => return Outcome::Fences(self.chosen(&choice)),
                Verdict::Unknown(why) => {
                    self.candidate = self.chosen(&choice);
                    return Outcome::Unknown(why);
                }
                Verdict::Attacked(pairs) => self.learn_from_attacks(&fenced, &pairs),
                Verdict::Bad => {
                    let clause = self.strengthened(choice);
                    self.clauses.push(clause);
                }
            }
        }
    }

    fn chosen(&self, choice: &[Level]) -> Vec<Fence> {
        let kinds = self.question.options.model.fences();
        let chosen = choice.iter().enumerate().filter(|(_, level)| **level > 0);
        let fence = |(place, level): (usize, &Level)| Fence {
            place: self.places[place],
            kind: kinds[usize::from(*level) - 1],
        };
        let mut fences: Vec<Fence> = chosen.map(fence).collect();
        fences.sort_by_key(|fence| fence.place.point);
        fences
    }

    fn fenced(&self, choice: &[Level]) -> Fenced {
        let fences = self.chosen(choice);
        let fences = fences.iter().map(|fence| (fence.place.point, fence.kind)).collect();
        insert::insert(self.program, fences)
    }

    /// Learns a clause from each pair of a store and a load that overtakes it, in the program with
    /// fences.
    fn learn_from_attacks(&mut self, fenced: &Fenced, pairs: &[(Point, Point)]) {
        let flow = Flow::new(&fenced.program, locked_drains(self.question.options.model));
        for (store, load) in pairs {
            let between = flow.between(*store, *load);
            let between = between.iter().map(|point| fenced.original(*point));
            let mut places: Vec<usize> =
                between.filter_map(|point| self.places.number(point)).collect();
            places.sort_unstable();
            places.dedup();
            let clause = Clause(places.into_iter().map(|place| (place, 1)).collect());
            if !self.clauses.contains(&clause) {
                self.clauses.push(clause);
            }
        }
    }

    /// A clause that every solution satisfies, given that this choice is bad.
    fn strengthened(&mut self, mut choice: Choice) -> Clause {
        let strongest = self.question.options.model.fences().len() as Level;
        for place in 0..choice.len() {
            // Once the budget is spent, the clause is not used.
            if self.question.options.limits.budget.is_spent() {
                break;
            }
            let before = choice[place];
            for level in (before + 1..=strongest).rev() {
                choice[place] = level;
                let fenced = self.fenced(&choice);
                if matches!(self.judge.judge(&fenced.program), Verdict::Bad) {
                    break;
                }
                choice[place] = before;
            }
        }
        let open = choice.iter().enumerate().filter(|(_, level)| **level < strongest);
        Clause(open.map(|(place, level)| (place, level + 1)).collect())
    }
}
