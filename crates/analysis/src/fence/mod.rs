//! The smallest set of fences that makes a program robust, or its goals unreachable.
//!
//! This is a counterexample-guided search for a minimal hitting set. The learned facts are clauses. Each
//! clause requires a fence of at least some strength at one of some places, and holds for every solution.
//! The cheapest choice that satisfies all clauses ([`hitting`]) is inserted into the program ([`insert`]) and
//! judged ([`mod@judge`]). If the result is good, the choice is a solution, and no other is cheaper. If not, the
//! judgement gives clauses that this choice violates. The number of choices is finite, so the search ends
//! with an exact minimum: the number of fences counts first, then their strength. At every moment, the number
//! of fences of the cheapest choice is a lower bound.
//!
//! Sources of clauses:
//!
//! - For robustness against TSO, an attack: a store of a thread that is delayed past a load of the same
//!   thread. In the computation that shows it, only this thread delays anything, and only from the store to
//!   the load. So the attack stays possible unless a fence lies on its path between the two, and that path
//!   is one of the paths without a fence ([`flow`]).
//! - Otherwise, monotonicity: more fences allow less. A bad choice is made stronger as long as it stays bad,
//!   at many places at once where that is possible ([`strengthen`]). Every solution is then stronger than the
//!   result at some place.
//!
//! A search that takes long also looks for a set that suffices ([`mod@reduce`]), so that it has
//! something to say if it has to give up.
//!
//! Places are points between instructions of functions that do not belong to a library or a header of the system, and
//! that the user does not exclude ([`Avoided`]). Points with only
//! local instructions between them, and no other way in or out, count as one place ([`places`]). Of equally
//! good sets, the prices of their places decide. The caller gives the prices, because it knows which places
//! are easy to write in the source. A place in a function that is called several times costs more ([`mod@calls`]),
//! since its fence takes effect in all of these calls.

mod calls;
mod flow;
mod goals;
mod hitting;
mod insert;
mod judge;
mod places;
mod reduce;
mod strengthen;

pub use calls::Calls;
pub use judge::{Avoided, Question, Target, Unknown, Verdict};
pub use places::{Places, last_in_block};

use flow::Flow;
use hitting::{Choice, Clause, Level};
use insert::Fenced;
use judge::{Judge, locked_drains};
use raddle_engine::{BoundMet, Limits, Spent, Stopped};
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
    /// The calls of the function that it is in.
    pub calls: Calls,
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
    /// No set of fewer fences is a solution.
    pub at_least: usize,
    /// If the outcome is unknown: a set that was judged to be good, if there was one. It may not be the smallest.
    pub enough: Vec<Fence>,
    /// If the outcome is unknown: the set that could not be judged. No cheaper set is a solution.
    pub candidate: Vec<Fence>,
    /// If the outcome is unknown: the bounds because of which a set could not be judged.
    pub bounds: Vec<BoundMet>,
    /// The number of places that were considered.
    pub places: usize,
    /// The number of clauses that were learned.
    pub clauses: usize,
    /// The number of programs that were judged.
    pub queries: u32,
    pub elapsed: Duration,
}

impl Fences {
    /// The answer for a program that was not searched, with the reason.
    pub fn unsearched(spent: Spent) -> Fences {
        Fences {
            outcome: Outcome::Unknown(Stopped::from(spent).phrase().to_owned()),
            at_least: 0,
            enough: Vec::new(),
            candidate: Vec::new(),
            bounds: Vec::new(),
            places: 0,
            clauses: 0,
            queries: 0,
            elapsed: Duration::ZERO,
        }
    }

    /// The fences to show: those of the answer, or those that may be or contain it.
    pub fn shown(&self) -> &[Fence] {
        match &self.outcome {
            Outcome::Fences(fences) => fences,
            Outcome::Hopeless(_) => &[],
            Outcome::Unknown(_) if self.enough.is_empty() => &self.candidate,
            Outcome::Unknown(_) => &self.enough,
        }
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
    let places = Places::of(program, &flow, question);
    let mut search = Search {
        program,
        places,
        judge: Judge::new(question),
        question,
        clauses: Vec::new(),
        at_least: 0,
        enough: None,
        candidate: Vec::new(),
        bounds: Vec::new(),
    };
    let outcome = search.run(prices);
    let enough = match &outcome {
        Outcome::Unknown(_) => search.enough.take().map(|choice| search.chosen(&choice)),
        Outcome::Fences(_) | Outcome::Hopeless(_) => None,
    };
    Fences {
        outcome,
        at_least: search.at_least,
        enough: enough.unwrap_or_default(),
        candidate: search.candidate,
        bounds: search.bounds,
        places: search.places.len(),
        clauses: search.clauses.len(),
        queries: search.judge.queries,
        elapsed: start.elapsed(),
    }
}

/// The number of programs judged after which a set that suffices is looked for. Most searches end before.
const PATIENCE: u32 = 64;

struct Search<'p> {
    program: &'p Verified,
    places: Places,
    judge: Judge<'p>,
    question: &'p Question,
    clauses: Vec<Clause>,
    /// The number of fences that all solutions have at least: that of the last choice, and one after a bad one.
    at_least: usize,
    /// A choice that was judged to be good.
    enough: Option<Choice>,
    candidate: Vec<Fence>,
    bounds: Vec<BoundMet>,
}

impl Search<'_> {
    fn run(&mut self, prices: impl FnOnce(&Places) -> Vec<u32>) -> Outcome {
        if let Some(why) = self.judge.is_hopeless(self.program) {
            return Outcome::Hopeless(why.to_owned());
        }
        let mut ask = Some(prices);
        let mut prices = vec![0; self.places.len()];
        let mut is_reduced = false;
        loop {
            let Limits { budget, progress, .. } = &self.question.options.limits;
            if !self.clauses.is_empty()
                && let Some(ask) = ask.take()
            {
                progress.edit();
                let places = self.places.iter().zip(ask(&self.places));
                prices = places.map(|(place, price)| price + place.calls.price()).collect();
            }
            progress.choose(self.clauses.len());
            let cheapest = hitting::cheapest(&prices, &self.clauses, budget);
            if let Some(spent) = budget.spent() {
                return Outcome::Unknown(Stopped::from(spent).phrase().to_owned());
            }
            let Some(choice) = cheapest else {
                let why = "it is not so even with a fence at every place that could have one";
                return Outcome::Hopeless(why.to_owned());
            };
            self.at_least = self.at_least.max(count(&choice));
            progress.bound(self.at_least, self.enough.as_deref().map(count));
            let fenced = self.fenced(&choice);
            let verdict = self.judge.judge(&fenced.program);
            if matches!(verdict, Verdict::Bad | Verdict::Attacked(_)) {
                // It is bad without fences.
                self.at_least = self.at_least.max(1);
            }
            match verdict {
                Verdict::Good => return Outcome::Fences(self.chosen(&choice)),
                Verdict::Unknown(Unknown { why, bounds }) => {
                    self.candidate = self.chosen(&choice);
                    self.bounds = bounds;
                    return Outcome::Unknown(why);
                }
                Verdict::Attacked(pairs) => self.learn_from_attacks(&fenced, &pairs),
                Verdict::Bad => {
                    let clause = self.strengthened(choice);
                    self.clauses.extend(clause);
                }
            }
            if self.judge.queries > PATIENCE && !std::mem::replace(&mut is_reduced, true) {
                self.reduce();
            }
        }
    }

    /// The verdict on a choice. One that is good and has the fewest fences so far is kept.
    fn judged(&mut self, choice: &[Level]) -> Verdict {
        let fenced = self.fenced(choice);
        let verdict = self.judge.judge(&fenced.program);
        let fewer = self.enough.as_ref().is_none_or(|known| count(choice) < count(known));
        if verdict == Verdict::Good && fewer {
            self.enough = Some(choice.to_vec());
            let progress = &self.question.options.limits.progress;
            progress.bound(self.at_least, Some(count(choice)));
        }
        verdict
    }

    /// The strength of the strongest fence.
    fn strongest(&self) -> Level {
        self.question.options.model.fences().len() as Level
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
}

/// The number of fences of a choice.
fn count(choice: &[Level]) -> usize {
    choice.iter().filter(|level| **level > 0).count()
}
