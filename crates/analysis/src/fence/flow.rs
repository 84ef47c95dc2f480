//! Control flow between instructions, over all functions: which places lie between two instructions.
//!
//! A node is the place before an instruction or a terminator. Calls go to the callee's entry, and returns go
//! to every place that calls the function. So the paths found here include every path of a run, and possibly
//! paths that no run takes. A path ends at an instruction that drains the store buffer.

use raddle_ir::{
    BlockId, Callee, FenceKind, FuncId, InstKind, Order, Point, Program, TerminatorKind,
};
use std::collections::HashMap;

/// A node, by its number.
type Node = usize;

#[derive(Debug)]
pub(super) struct Flow<'p> {
    program: &'p Program,
    /// Whether read-modify-writes and locks drain the store buffer as well.
    locked_drains: bool,
    /// The node of the first instruction of each block.
    starts: HashMap<(FuncId, BlockId), Node>,
    points: Vec<Point>,
    after: Vec<Vec<Node>>,
    before: Vec<Vec<Node>>,
}

impl<'p> Flow<'p> {
    pub(super) fn new(program: &'p Program, locked_drains: bool) -> Flow<'p> {
        let (mut starts, mut points) = (HashMap::new(), Vec::new());
        for (func, function) in &program.funcs {
            for (block, body) in &function.blocks {
                starts.insert((func, block), points.len());
                let indices = 0..=body.insts.len() as u32;
                points.extend(indices.map(|index| Point { func, block, index }));
            }
        }
        let edges = vec![Vec::new(); points.len()];
        let (after, before) = (edges.clone(), edges);
        let mut flow = Flow { program, locked_drains, starts, points, after, before };
        flow.connect();
        flow
    }

    fn connect(&mut self) {
        let callers = self.callers();
        for node in 0..self.points.len() {
            let Point { func, block, index } = self.points[node];
            let body = &self.program.funcs[func].blocks[block];
            let next: Vec<Node> = match body.insts.get(index as usize) {
                Some(inst) => self.after_instruction(node, &inst.kind),
                None => match &body.term.kind {
                    TerminatorKind::Return(_) => callers.get(&func).cloned().unwrap_or_default(),
                    kind => kind.successors().iter().map(|to| self.starts[&(func, *to)]).collect(),
                },
            };
            for to in next {
                self.after[node].push(to);
                self.before[to].push(node);
            }
        }
    }

    fn after_instruction(&self, node: Node, kind: &InstKind) -> Vec<Node> {
        match kind {
            kind if drains(kind) || self.locked_drains && is_locked(kind) => Vec::new(),
            InstKind::Call { callee, .. } => {
                let entries = callees(self.program, *callee).into_iter();
                let entries = entries.filter_map(|func| self.entry(func));
                // A function that is not defined, or is called through a pointer, may also return
                // immediately.
                let opaque = match callee {
                    Callee::Direct(func) => self.entry(*func).is_none(),
                    Callee::Indirect(_) => true,
                };
                entries.chain(opaque.then_some(node + 1)).collect()
            }
            _ => vec![node + 1],
        }
    }

    fn entry(&self, func: FuncId) -> Option<Node> {
        self.starts.get(&(func, BlockId::from_u32(0))).copied()
    }

    /// By function: the places to which its calls return.
    fn callers(&self) -> HashMap<FuncId, Vec<Node>> {
        let mut callers: HashMap<FuncId, Vec<Node>> = HashMap::new();
        for (node, point) in self.points.iter().enumerate() {
            let body = &self.program.funcs[point.func].blocks[point.block];
            let inst = body.insts.get(point.index as usize);
            if let Some(InstKind::Call { callee, .. }) = inst.map(|inst| &inst.kind) {
                for func in callees(self.program, *callee) {
                    callers.entry(func).or_default().push(node + 1);
                }
            }
        }
        callers
    }

    fn node(&self, point: Point) -> Option<Node> {
        let start = self.starts.get(&(point.func, point.block))?;
        Some(start + point.index as usize)
    }

    /// The places after `from` and before (or at) `to`, on paths without a fence.
    pub(super) fn between(&self, from: Point, to: Point) -> Vec<Point> {
        let (Some(from), Some(to)) = (self.node(from), self.node(to)) else { return Vec::new() };
        self.common(&self.after[from], &[to])
    }

    /// The places between any instruction that `early` accepts and any that `late` accepts.
    pub(super) fn between_any(
        &self,
        early: impl Fn(&InstKind) -> bool,
        late: impl Fn(&InstKind) -> bool,
    ) -> Vec<Point> {
        let (mut sources, mut targets) = (Vec::new(), Vec::new());
        for (node, point) in self.points.iter().enumerate() {
            let body = &self.program.funcs[point.func].blocks[point.block];
            let Some(inst) = body.insts.get(point.index as usize) else { continue };
            if early(&inst.kind) {
                sources.extend(&self.after[node]);
            }
            if late(&inst.kind) {
                targets.push(node);
            }
        }
        self.common(&sources, &targets)
    }

    fn common(&self, sources: &[Node], targets: &[Node]) -> Vec<Point> {
        let forwards = closure(sources, &self.after);
        let backwards = closure(targets, &self.before);
        let nodes = (0..self.points.len()).filter(|node| forwards[*node] && backwards[*node]);
        nodes.map(|node| self.points[node]).collect()
    }
}

fn closure(from: &[Node], edges: &[Vec<Node>]) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut work = from.to_vec();
    while let Some(node) = work.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            work.extend(&edges[node]);
        }
    }
    seen
}

/// The functions that a call may enter.
fn callees(program: &Program, callee: Callee) -> Vec<FuncId> {
    match callee {
        Callee::Direct(func) => vec![func],
        Callee::Indirect(_) => program.funcs.keys().collect(),
    }
}

/// Whether a thread's store buffer is empty after this instruction, under every model. An
/// underapproximation is sound: it only gives more places.
fn drains(kind: &InstKind) -> bool {
    use InstKind::*;
    match kind {
        Fence { kind } => matches!(
            kind,
            FenceKind::Full
                | FenceKind::Mfence
                | FenceKind::Sync
                | FenceKind::Dmb
                | FenceKind::Dsb
                | FenceKind::CSeqCst
        ),
        Store { access, .. } => access.order == Order::SeqCst,
        _ => false,
    }
}

/// Whether an instruction that is not a fence drains the store buffer under TSO and PSO.
fn is_locked(kind: &InstKind) -> bool {
    use InstKind::*;
    matches!(
        kind,
        Rmw { .. }
            | CmpXchg { .. }
            | Lock { .. }
            | TryLock { .. }
            | Unlock { .. }
            | CondWait { .. }
    )
}
