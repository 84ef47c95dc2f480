//! Candidate executions: the events of each thread, and the write that each read reads from.
//!
//! In all three models po ∪ rf is acyclic (a read is ordered before the later events of its thread).
//! So every allowed execution can be built in an order in which each read comes after the
//! write that it reads. Writes and fences are appended as soon as their thread reaches them; when
//! every thread is at a read, any of them may read from any existing write. The same
//! candidate can be built in several such orders, and is kept once.

use crate::arith;
use crate::barriers::{self, Barrier};
use crate::layout::{Extent, Places};
use crate::local::{Context, End, Thread};
use crate::outcome::Trouble;
use raddle_ir::{InstKind, Reg, Type};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The maximum number of partial candidates.
const BUDGET: usize = 500_000;
/// The maximum number of visible instructions of one thread.
const STEPS: usize = 64;

/// An entry of a thread's history, by thread and index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct ItemRef {
    pub thread: usize,
    pub index: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Source {
    Init,
    Write(ItemRef),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Access {
    pub place: Extent,
    pub read: Option<Source>,
    pub written: Option<u128>,
    /// Whether it acts as a full barrier on both sides.
    pub locked: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Item {
    Access(Access),
    Barrier(Barrier),
    Choice(u64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Run {
    local: Thread,
    items: Vec<Item>,
    /// The number of executed visible instructions; some of them leave no item.
    steps: usize,
}

impl Run {
    fn finish_inst(&mut self, cx: &Context) -> Result<(), Trouble> {
        self.steps += 1;
        self.local.finish_inst(cx)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Candidate {
    /// Shared between candidates that differ in other threads.
    runs: Vec<Rc<Run>>,
}

impl Candidate {
    pub(super) fn items(&self) -> impl Iterator<Item = &[Item]> {
        self.runs.iter().map(|run| run.items.as_slice())
    }

    pub(super) fn ends(&self) -> Vec<Option<End>> {
        self.runs.iter().map(|run| run.local.end()).collect()
    }

    pub(super) fn locals(&self) -> Vec<&Thread> {
        self.runs.iter().map(|run| &run.local).collect()
    }

    fn with(&self, thread: usize, run: Run) -> Candidate {
        let mut next = self.clone();
        next.runs[thread] = Rc::new(run);
        next
    }

    /// The writes to a place so far, with their values, and the initial value.
    fn sources(&self, cx: &Context, place: Extent) -> Vec<(Source, u128)> {
        let mut sources = vec![(Source::Init, cx.layout.initial(place))];
        for (thread, run) in self.runs.iter().enumerate() {
            for (index, item) in run.items.iter().enumerate() {
                if let Item::Access(Access { place: p, written: Some(value), .. }) = item
                    && *p == place
                {
                    sources.push((Source::Write(ItemRef { thread, index }), *value));
                }
            }
        }
        sources
    }
}

/// The effect of a reading instruction, as a function of the value that it reads.
struct Reader {
    dst: Reg,
    ty: Type,
    place: Extent,
    locked: bool,
    /// Maps the value read to the value written, if the instruction writes.
    effect: Effect,
}

enum Effect {
    None,
    Modify { op: raddle_ir::RmwOp, operand: u128 },
    Exchange { expected: u128, new: u128, ok: Reg },
}

pub(super) struct Candidates<'c, 'p> {
    cx: &'c Context<'p>,
    places: Places,
}

impl<'c, 'p> Candidates<'c, 'p> {
    pub(super) fn new(cx: &'c Context<'p>) -> Candidates<'c, 'p> {
        Candidates { cx, places: Places::default() }
    }

    pub(super) fn all(mut self) -> Result<Vec<Candidate>, Trouble> {
        let threads = self.cx.program.threads.keys();
        let start = |thread| {
            let local = Thread::initial(self.cx, thread)?;
            Ok(Rc::new(Run { local, items: Vec::new(), steps: 0 }))
        };
        let runs: Result<_, Trouble> = threads.map(start).collect();
        let first = Candidate { runs: runs? };
        let mut seen = FxHashSet::from_iter([first.clone()]);
        let mut open = vec![first];
        let mut complete = Vec::new();
        while let Some(candidate) = open.pop() {
            if candidate.runs.iter().all(|run| run.local.end().is_some()) {
                complete.push(candidate);
                continue;
            }
            for next in self.successors(&candidate)? {
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
            let endless = candidate.runs.iter().any(|run| run.steps > STEPS);
            if endless || seen.len() > BUDGET {
                return Err(Trouble::Budget);
            }
        }
        Ok(complete)
    }

    fn successors(&mut self, candidate: &Candidate) -> Result<Vec<Candidate>, Trouble> {
        for thread in 0..candidate.runs.len() {
            if let Some(next) = self.without_reading(candidate, thread)? {
                return Ok(next);
            }
        }
        let mut next = Vec::new();
        for thread in 0..candidate.runs.len() {
            next.extend(self.by_reading(candidate, thread)?);
        }
        Ok(next)
    }

    /// Executes the next instruction of a thread if it does not read memory.
    fn without_reading(
        &mut self,
        candidate: &Candidate,
        thread: usize,
    ) -> Result<Option<Vec<Candidate>>, Trouble> {
        let cx = self.cx;
        let run = &candidate.runs[thread];
        let Some(inst) = run.local.at(cx) else { return Ok(None) };
        let mut next = Run::clone(run);
        match inst {
            InstKind::Store { ty, addr, value, access } => {
                let place = Extent::new(next.local.address(cx, *addr), *ty);
                if !cx.layout.allows(place, true) {
                    next.local.fail();
                    return Ok(Some(vec![candidate.with(thread, next)]));
                }
                self.places.note(place)?;
                let written = Some(next.local.value(cx, *value, *ty));
                let store = Access { place, read: None, written, locked: false };
                next.items.extend(barriers::before_store(access.order).map(Item::Barrier));
                next.items.push(Item::Access(store));
                next.items.extend(barriers::after_store(access.order).map(Item::Barrier));
            }
            InstKind::Fence { kind } => {
                next.items.extend(barriers::of_fence(*kind).map(Item::Barrier));
            }
            InstKind::Choose { dst, lo, hi, .. } => {
                return self.choose(candidate, thread, *dst, *lo..=*hi).map(Some);
            }
            InstKind::Load { .. } | InstKind::Rmw { when: None, .. } | InstKind::CmpXchg { .. } => {
                return Ok(None);
            }
            other => return Trouble::unsupported(format!("in the axiomatic oracle: {other:?}")),
        }
        next.finish_inst(cx)?;
        Ok(Some(vec![candidate.with(thread, next)]))
    }

    fn choose(
        &self,
        candidate: &Candidate,
        thread: usize,
        dst: Reg,
        values: std::ops::RangeInclusive<u64>,
    ) -> Result<Vec<Candidate>, Trouble> {
        let mut all = Vec::new();
        for value in values {
            let mut next = Run::clone(&candidate.runs[thread]);
            next.items.push(Item::Choice(value));
            next.local.set(dst, value.into());
            next.finish_inst(self.cx)?;
            all.push(candidate.with(thread, next));
        }
        Ok(all)
    }

    /// Executes the read at which a thread stands, from every existing write.
    fn by_reading(
        &mut self,
        candidate: &Candidate,
        thread: usize,
    ) -> Result<Vec<Candidate>, Trouble> {
        let run = &candidate.runs[thread];
        let Some(reader) = run.local.at(self.cx).and_then(|inst| self.reader(run, inst)) else {
            return Ok(Vec::new());
        };
        let writes = !matches!(reader.effect, Effect::None);
        if !self.cx.layout.allows(reader.place, writes) {
            let mut next = Run::clone(run);
            next.local.fail();
            return Ok(vec![candidate.with(thread, next)]);
        }
        self.places.note(reader.place)?;
        let sources = candidate.sources(self.cx, reader.place);
        let read = |(source, value)| {
            let next = self.read(Run::clone(run), &reader, source, value)?;
            Ok(candidate.with(thread, next))
        };
        sources.into_iter().map(read).collect()
    }

    fn reader(&self, run: &Run, inst: &InstKind) -> Option<Reader> {
        let place = |addr, ty| Extent::new(run.local.address(self.cx, addr), ty);
        let value = |operand, ty| run.local.value(self.cx, operand, ty);
        match *inst {
            InstKind::Load { dst, ty, addr, .. } => {
                let place = place(addr, ty);
                Some(Reader { dst, ty, place, locked: false, effect: Effect::None })
            }
            InstKind::Rmw { op, ty, dst, addr, value: operand, .. } => {
                let effect = Effect::Modify { op, operand: value(operand, ty) };
                Some(Reader { dst, ty, place: place(addr, ty), locked: true, effect })
            }
            InstKind::CmpXchg { ty, dst, ok, addr, expected, new, .. } => {
                let (expected, new) = (value(expected, ty), value(new, ty));
                let effect = Effect::Exchange { expected, new, ok };
                Some(Reader { dst, ty, place: place(addr, ty), locked: true, effect })
            }
            _ => None,
        }
    }

    fn read(
        &self,
        mut run: Run,
        reader: &Reader,
        source: Source,
        value: u128,
    ) -> Result<Run, Trouble> {
        let old = value & reader.ty.mask();
        run.local.set(reader.dst, old);
        let written = match reader.effect {
            Effect::None => None,
            Effect::Modify { op, operand } => Some(arith::modify(op, reader.ty, old, operand)?),
            Effect::Exchange { expected, new, ok } => {
                run.local.set(ok, (old == expected).into());
                (old == expected).then_some(new)
            }
        };
        let Reader { place, locked, .. } = *reader;
        run.items.push(Item::Access(Access { place, read: Some(source), written, locked }));
        run.finish_inst(self.cx)?;
        Ok(run)
    }
}
