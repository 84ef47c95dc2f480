//! Finds the instructions that an edited program has and the original does not have.
//!
//! An edit adds marks or fences and must not change anything else. Both versions of a function are walked in
//! step, from their entries. The instructions must be equal up to the names of registers, and so must the
//! control flow. Blocks need not be equal: an added instruction keeps a block that would have been empty, so
//! the edited function may pass through marks and plain jumps at any time.
//!
//! Copies of registers need not be equal either: an inlined call temporarily divides a block, and copies are
//! removed within blocks. A register that is only ever a copy is replaced by the register it copies.
//!
//! An added instruction that is on one way into a block, but not on all, belongs to the end of that way.

use raddle_analysis::fence::Places;
use raddle_ir::{
    BlockId, Callee, FenceKind, FuncId, Function, GlobalId, InstKind, Operand, Point, Program, Reg,
    TerminatorKind,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The form of a mark in the front end for C: assembly that it does not understand.
const MARK: &str = "inline assembly: raddle.mark ";
/// The fence of C++, which is a function.
const CPP_FENCE: &str = "_ZSt19atomic_thread_fenceSt12memory_order";

/// An added instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Added {
    Mark(u32),
    Fence,
}

/// The place of an added instruction in the original.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Spot {
    At(Point),
    /// On the way from a branch to a block that has other ways in. This is not a point of the original.
    Between(FuncId, BlockId, BlockId),
}

impl Spot {
    /// The number of the place that a fence here is at.
    pub(crate) fn place(&self, places: &Places) -> Option<usize> {
        match self {
            Spot::At(point) => places.number(*point),
            Spot::Between(..) => None,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Alignment {
    pub added: BTreeMap<Added, BTreeSet<Spot>>,
    /// The functions that differ in more than the additions.
    pub different: Vec<FuncId>,
}

/// Compares all functions that do not belong to a library. If `lenient`, integers may differ: they may be
/// numbers of lines that have moved.
pub(crate) fn align(original: &Program, edited: &Program, lenient: bool) -> Alignment {
    let mut named: HashMap<&str, Vec<FuncId>> = HashMap::new();
    for (id, function) in edited.funcs.iter().rev() {
        named.entry(&function.name).or_default().push(id);
    }
    let mut all = Alignment::default();
    for (id, function) in &original.funcs {
        let twin = named.get_mut(&*function.name).and_then(Vec::pop);
        if function.library {
            continue;
        }
        let walked = twin.and_then(|twin| {
            let mut walk = Walk::new(original, edited, id, twin, lenient);
            walk.run().map(|()| walk.spots())
        });
        match walked {
            Some(spots) => {
                for (added, spot) in spots {
                    all.added.entry(added).or_default().insert(spot);
                }
            }
            None => all.different.push(id),
        }
    }
    all
}

/// A place in the edited function: block and index.
type At = (BlockId, usize);

/// The end of a block that control comes from.
#[derive(Clone, Copy)]
enum Edge {
    Entry,
    Jump(BlockId),
    Branch(BlockId),
}

/// Added instructions on the way into a block, by where they are in the edited function.
struct Arrival {
    edge: Edge,
    passed: Vec<(At, Added)>,
}

struct Walk<'p> {
    original: &'p Program,
    edited: &'p Program,
    func: FuncId,
    ours: &'p Function,
    theirs: &'p Function,
    lenient: bool,
    our_copies: HashMap<Reg, Operand>,
    their_copies: HashMap<Reg, Operand>,
    /// The correspondence of registers, in both directions.
    to_theirs: HashMap<Reg, Reg>,
    to_ours: HashMap<Reg, Reg>,
    /// By block of the original: the place in the edited function that corresponds to its start.
    begins: BTreeMap<BlockId, At>,
    arrivals: BTreeMap<BlockId, Vec<Arrival>>,
    inside: Vec<(Added, Point)>,
    work: Vec<BlockId>,
}

impl<'p> Walk<'p> {
    fn new(
        original: &'p Program,
        edited: &'p Program,
        func: FuncId,
        twin: FuncId,
        lenient: bool,
    ) -> Walk<'p> {
        Walk {
            original,
            edited,
            func,
            ours: &original.funcs[func],
            theirs: &edited.funcs[twin],
            lenient,
            our_copies: copies(&original.funcs[func]),
            their_copies: copies(&edited.funcs[twin]),
            to_theirs: HashMap::new(),
            to_ours: HashMap::new(),
            begins: BTreeMap::new(),
            arrivals: BTreeMap::new(),
            inside: Vec::new(),
            work: Vec::new(),
        }
    }

    fn run(&mut self) -> Option<()> {
        if self.ours.blocks.is_empty() || self.theirs.blocks.is_empty() {
            return (self.ours.blocks.is_empty() == self.theirs.blocks.is_empty()).then_some(());
        }
        if self.ours.params.len() != self.theirs.params.len() {
            return None;
        }
        for (a, b) in self.ours.params.iter().zip(&self.theirs.params) {
            self.link(*a, *b)?;
        }
        let entry = BlockId::from_u32(0);
        self.arrive(entry, Edge::Entry, (entry, 0))?;
        while let Some(block) = self.work.pop() {
            self.block(block)?;
        }
        Some(())
    }

    /// Skips added instructions, copies and plain jumps.
    fn pass(&self, (mut block, mut index): At) -> Option<(Vec<(At, Added)>, At)> {
        let mut passed = Vec::new();
        for _ in 0..=self.theirs.blocks.len() {
            let body = &self.theirs.blocks[block];
            while let Some(inst) = body.insts.get(index) {
                match self.added(&inst.kind) {
                    Some(added) => passed.push(((block, index), added)),
                    None if is_copy(&self.their_copies, &inst.kind) => {}
                    None => break,
                }
                index += 1;
            }
            match body.term.kind {
                TerminatorKind::Jump(to) if index == body.insts.len() => (block, index) = (to, 0),
                _ => return Some((passed, (block, index))),
            }
        }
        None
    }

    /// [`Walk::pass`] up to the instruction that stands for this one of the original. A fence of the original is not
    /// added; of several equal fences, the last one is taken for it.
    fn pass_to(&self, ours: Option<&InstKind>, at: At) -> Option<(Vec<(At, Added)>, At)> {
        let (mut passed, mut core) = self.pass(at)?;
        let is_same = |((block, index), _): &(At, Added)| {
            let theirs = &self.theirs.blocks[*block].insts[*index].kind;
            ours.is_some_and(|ours| self.is_same_fence(ours, theirs))
        };
        if let Some(found) = passed.iter().rposition(is_same) {
            core = passed[found].0;
            passed.truncate(found);
        }
        Some((passed, core))
    }

    /// The first instruction that is not a copy, in a block of the original or after the plain jumps from there.
    fn first_in(&self, mut block: BlockId) -> Option<&'p InstKind> {
        for _ in 0..=self.ours.blocks.len() {
            let body = &self.ours.blocks[block];
            let first = body.insts.iter().find(|inst| !is_copy(&self.our_copies, &inst.kind));
            match body.term.kind {
                _ if first.is_some() => return first.map(|inst| &inst.kind),
                TerminatorKind::Jump(to) => block = to,
                _ => return None,
            }
        }
        None
    }

    fn added(&self, kind: &InstKind) -> Option<Added> {
        match kind {
            InstKind::Unsupported { what } => {
                what.strip_prefix(MARK)?.parse().ok().map(Added::Mark)
            }
            InstKind::Fence { kind } if *kind != FenceKind::Compiler => Some(Added::Fence),
            InstKind::Call { callee: Callee::Direct(to), .. } => {
                (self.edited.funcs[*to].name == CPP_FENCE).then_some(Added::Fence)
            }
            _ => None,
        }
    }

    fn block(&mut self, block: BlockId) -> Option<()> {
        let body = &self.ours.blocks[block];
        let mut at = self.begins[&block];
        for (index, inst) in body.insts.iter().enumerate() {
            if is_copy(&self.our_copies, &inst.kind) {
                continue;
            }
            let (passed, core) = self.pass_to(Some(&inst.kind), at)?;
            self.note(block, index, &passed);
            let theirs = &self.theirs.blocks[core.0].insts.get(core.1)?.kind;
            self.same(&inst.kind, theirs)?;
            at = (core.0, core.1 + 1);
        }
        if let TerminatorKind::Jump(to) = body.term.kind {
            return self.arrive(to, Edge::Jump(block), at);
        }
        let (passed, core) = self.pass(at)?;
        self.note(block, body.insts.len(), &passed);
        let last = &self.theirs.blocks[core.0];
        if core.1 != last.insts.len() {
            return None;
        }
        self.same_end(&body.term.kind, &last.term.kind)?;
        let ways = body.term.kind.successors().into_iter().zip(last.term.kind.successors());
        for (ours, theirs) in ways.collect::<Vec<_>>() {
            self.arrive(ours, Edge::Branch(block), (theirs, 0))?;
        }
        Some(())
    }

    fn is_same_fence(&self, ours: &InstKind, theirs: &InstKind) -> bool {
        use Callee::Direct;
        use InstKind::{Call, Fence};
        match (ours, theirs) {
            (Fence { kind: a }, Fence { kind: b }) => a == b,
            (Call { callee: Direct(a), args: x, .. }, Call { callee: Direct(b), args: y, .. }) => {
                self.same_function(*a, *b) && x == y
            }
            _ => false,
        }
    }

    fn note(&mut self, block: BlockId, index: usize, passed: &[(At, Added)]) {
        let point = Point { func: self.func, block, index: index as u32 };
        self.inside.extend(passed.iter().map(|(_, added)| (*added, point)));
    }

    /// Notes a way into a block of the original, which continues at a place of the edited function.
    fn arrive(&mut self, block: BlockId, edge: Edge, at: At) -> Option<()> {
        let (passed, at) = self.pass_to(self.first_in(block), at)?;
        let arrival = Arrival { edge, passed };
        let first = *self.begins.entry(block).or_insert_with(|| {
            self.work.push(block);
            at
        });
        self.arrivals.entry(block).or_default().push(arrival);
        (first == at).then_some(())
    }

    fn link(&mut self, ours: Reg, theirs: Reg) -> Option<()> {
        let a = *self.to_theirs.entry(ours).or_insert(theirs);
        let b = *self.to_ours.entry(theirs).or_insert(ours);
        (a == theirs && b == ours).then_some(())
    }

    fn same_operand(&mut self, ours: Operand, theirs: Operand) -> Option<()> {
        match (copied(&self.our_copies, ours), copied(&self.their_copies, theirs)) {
            (Operand::Reg(a), Operand::Reg(b)) => self.link(a, b),
            (Operand::Global(a, x), Operand::Global(b, y)) => {
                (x == y && self.same_global(a, b)).then_some(())
            }
            (Operand::Func(a), Operand::Func(b)) => self.same_function(a, b).then_some(()),
            (Operand::Int(a), Operand::Int(b)) => (a == b || self.lenient).then_some(()),
            (a, b) => (a == b).then_some(()),
        }
    }

    /// Texts are not compared, because the texts of assertions contain the edit.
    fn same_global(&self, ours: GlobalId, theirs: GlobalId) -> bool {
        let (a, b) = (&self.original.globals[ours], &self.edited.globals[theirs]);
        let is_text = |name: &str| name.starts_with(".str");
        a.name == b.name || a.constant && b.constant && is_text(&a.name) && is_text(&b.name)
    }

    fn same_function(&self, ours: FuncId, theirs: FuncId) -> bool {
        self.original.funcs[ours].name == self.edited.funcs[theirs].name
    }

    fn same(&mut self, ours: &InstKind, theirs: &InstKind) -> Option<()> {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        ours.for_each_operand(|operand| a.push(operand));
        theirs.for_each_operand(|operand| b.push(operand));
        if a.len() != b.len() {
            return None;
        }
        for (a, b) in a.iter().zip(b) {
            self.same_operand(*a, b)?;
        }
        for (a, b) in ours.defs().into_iter().zip(theirs.defs()) {
            match (a, b) {
                (Some(a), Some(b)) => self.link(a, b)?,
                (None, None) => {}
                _ => return None,
            }
        }
        // After the names are made equal, the instructions must be equal.
        let mut renamed = theirs.clone();
        let (mut operands, mut defs) = (a.into_iter(), ours.defs().into_iter().flatten());
        renamed.for_each_operand_mut(|operand| {
            *operand = operands.next().unwrap_or(*operand);
        });
        renamed.for_each_def_mut(|def| *def = defs.next().unwrap_or(*def));
        self.forget_names(ours, &mut renamed)?;
        (renamed == *ours).then_some(())
    }

    /// Makes equal the parts that are not compared literally: callees, and the texts of messages.
    fn forget_names(&self, ours: &InstKind, renamed: &mut InstKind) -> Option<()> {
        use InstKind::{Assert, Call, Fail, Spawn};
        match (ours, renamed) {
            (Call { callee: a, .. }, Call { callee: b, .. })
            | (Spawn { callee: a, .. }, Spawn { callee: b, .. }) => {
                if let (Callee::Direct(x), Callee::Direct(y)) = (*a, *b) {
                    self.same_function(x, y).then_some(())?;
                }
                *b = *a;
            }
            (Assert { message: a, .. }, Assert { message: b, .. })
            | (Fail { message: a, .. }, Fail { message: b, .. }) => a.clone_into(b),
            _ => {}
        }
        Some(())
    }

    fn same_end(&mut self, ours: &TerminatorKind, theirs: &TerminatorKind) -> Option<()> {
        use TerminatorKind::{Branch, Return, Switch, Unreachable};
        match (ours, theirs) {
            (Branch { cond: a, .. }, Branch { cond: b, .. }) => self.same_operand(*a, *b),
            (Switch { value: a, cases: x, .. }, Switch { value: b, cases: y, .. }) => {
                let values = x.iter().map(|(value, _)| value);
                values.eq(y.iter().map(|(value, _)| value)).then_some(())?;
                self.same_operand(*a, *b)
            }
            (Return(Some(a)), Return(Some(b))) => self.same_operand(*a, *b),
            (Return(None), Return(None)) | (Unreachable, Unreachable) => Some(()),
            _ => None,
        }
    }

    fn spots(&self) -> Vec<(Added, Spot)> {
        let mut spots: Vec<(Added, Spot)> =
            self.inside.iter().map(|(added, point)| (*added, Spot::At(*point))).collect();
        for (block, arrivals) in &self.arrivals {
            let everywhere = |at: &At| {
                arrivals.iter().all(|way| way.passed.iter().any(|(other, _)| other == at))
            };
            for arrival in arrivals {
                for (at, added) in &arrival.passed {
                    let spot = match arrival.edge {
                        _ if everywhere(at) => self.at(*block, 0),
                        Edge::Entry => self.at(*block, 0),
                        Edge::Jump(from) => self.at(from, self.ours.blocks[from].insts.len()),
                        Edge::Branch(from) => Spot::Between(self.func, from, *block),
                    };
                    spots.push((*added, spot));
                }
            }
        }
        spots
    }

    fn at(&self, block: BlockId, index: usize) -> Spot {
        Spot::At(Point { func: self.func, block, index: index as u32 })
    }
}

/// The registers that only one instruction sets, to a constant or to a register that only one instruction
/// sets.
///
/// Such a register equals its origin wherever it is read, also in loops: it is assigned on every path to
/// a read (rule 12 of the verifier), and so is its origin on every path to the copy. Suppose that a path
/// sets the origin again and then reads the copy without passing the move. Then the first path to the
/// origin, continued in the same way, would read the copy before it was ever assigned.
fn copies(function: &Function) -> HashMap<Reg, Operand> {
    let mut sets: HashMap<Reg, u32> = function.params.iter().map(|param| (*param, 1)).collect();
    let insts = || function.blocks.values().flat_map(|block| &block.insts);
    for reg in insts().flat_map(|inst| inst.kind.defs()).flatten() {
        *sets.entry(reg).or_default() += 1;
    }
    let once = |reg: &Reg| sets.get(reg) == Some(&1);
    let copies = insts().filter_map(|inst| match inst.kind {
        InstKind::Move { dst, a: Operand::Reg(from), .. } if !once(&from) || from == dst => None,
        InstKind::Move { dst, a, .. } => once(&dst).then_some((dst, a)),
        _ => None,
    });
    copies.collect()
}

fn is_copy(copies: &HashMap<Reg, Operand>, kind: &InstKind) -> bool {
    matches!(kind, InstKind::Move { dst, .. } if copies.contains_key(dst))
}

/// Follows copies from an operand to their origin.
fn copied(copies: &HashMap<Reg, Operand>, operand: Operand) -> Operand {
    let mut operand = operand;
    for _ in 0..=copies.len() {
        match operand {
            Operand::Reg(reg) if copies.contains_key(&reg) => operand = copies[&reg],
            _ => break,
        }
    }
    operand
}
