//! Litmus programs from cycles of relations.
//!
//! A cycle is a list of edges between memory events, the last leading back to the first: program
//! order within a thread, to the same place (`Pos`) or to another one (`Pod`), perhaps across a
//! fence or with a dependency; and communication between threads (`Rfe`, `Fre`, `Coe`). It becomes a
//! program that has an execution with exactly these edges if the model allows the cycle. The method is that
//! of Alglave, Maranget, Sarkar and Sewell, "Fences in Weak Memory Models" (2010).
//!
//! Communication edges relate events of one place. So all events between two `Pod` edges access the same
//! place, and each such segment gets a new place. Along a segment writes store 1, 2, … in
//! coherence order, and a read is expected to see the last write before it. A cycle without a
//! `Pod` edge has a single place and contradicts coherence; its segment is cut at a `Pos`
//! edge, which is the edge that the expected values contradict.

mod between;
mod litmus;

pub use between::Between;
pub use litmus::Arch;

use raddle_ir::{
    Access, CmpOp, Condition, FunctionBuilder, InstKind, ObservableId, Observed, Operand,
    ProgramBuilder, Prop, Quantifier, Reg, Term, Type, Verified, verify,
};
use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Direction {
    R,
    W,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Edge {
    Rfe,
    Fre,
    Coe,
    Po { from: Direction, to: Direction, same_place: bool, between: Between },
}

impl Edge {
    pub const fn pod(from: Direction, to: Direction) -> Edge {
        Edge::Po { from, to, same_place: false, between: Between::Nothing }
    }

    pub const fn pos(from: Direction, to: Direction) -> Edge {
        Edge::Po { from, to, same_place: true, between: Between::Nothing }
    }

    pub const fn fenced(from: Direction, to: Direction) -> Edge {
        Edge::Po { from, to, same_place: false, between: Between::FullFence }
    }

    /// Communication, and program order with every fence that matters for `sc`, `tso` and `pso`.
    pub fn all() -> Vec<Edge> {
        Edge::with(&[Between::Nothing, Between::StoreFence, Between::FullFence])
    }

    /// Communication, and program order with every fence and dependency.
    pub fn weak() -> Vec<Edge> {
        Edge::with(&Between::ALL)
    }

    fn with(all: &[Between]) -> Vec<Edge> {
        use Direction::{R, W};
        let mut edges = vec![Edge::Rfe, Edge::Fre, Edge::Coe];
        for (from, to) in [(R, R), (R, W), (W, R), (W, W)] {
            for same_place in [false, true] {
                let fitting = all.iter().filter(|between| between.fits(from, to));
                let po = |between: &Between| Edge::Po { from, to, same_place, between: *between };
                edges.extend(fitting.map(po));
            }
        }
        edges
    }

    pub const fn from(self) -> Direction {
        match self {
            Edge::Rfe | Edge::Coe => Direction::W,
            Edge::Fre => Direction::R,
            Edge::Po { from, .. } => from,
        }
    }

    pub const fn to(self) -> Direction {
        match self {
            Edge::Rfe => Direction::R,
            Edge::Fre | Edge::Coe => Direction::W,
            Edge::Po { to, .. } => to,
        }
    }

    pub const fn is_external(self) -> bool {
        !matches!(self, Edge::Po { .. })
    }

    pub const fn changes_place(self) -> bool {
        matches!(self, Edge::Po { same_place: false, .. })
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Edge::Po { from, to, same_place, between } = self else {
            return write!(f, "{self:?}");
        };
        let place = if *same_place { 's' } else { 'd' };
        write!(f, "{}{place}{from:?}{to:?}", between.name())
    }
}

/// A cycle of edges; edge `i` leads from event `i` to the next one, and the last edge to event 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    edges: Vec<Edge>,
}

/// All cycles of at most `length` edges of an alphabet, each once (and not once for each rotation).
pub fn enumerate(alphabet: &[Edge], length: usize) -> Vec<Cycle> {
    let mut cycles = Vec::new();
    let mut paths: Vec<Vec<Edge>> = alphabet.iter().map(|edge| vec![*edge]).collect();
    for _ in 1..length {
        let extend = |path: &Vec<Edge>| -> Vec<Vec<Edge>> {
            let fits = alphabet.iter().filter(|e| e.from() == path[path.len() - 1].to());
            fits.map(|edge| [&path[..], &[*edge]].concat()).collect()
        };
        paths = paths.iter().flat_map(extend).collect();
        let found = paths.iter().filter(|path| is_first_rotation(path));
        cycles.extend(found.filter_map(|path| Cycle::new(path.clone())));
    }
    cycles
}

fn is_first_rotation(edges: &[Edge]) -> bool {
    (1..edges.len()).all(|i| edges <= &[&edges[i..], &edges[..i]].concat()[..])
}

/// An event of the program.
#[derive(Clone, Copy, Debug)]
struct Node {
    direction: Direction,
    place: usize,
    /// The value that a write stores or that a read is expected to see.
    value: u64,
}

impl Cycle {
    /// `None` if no program has such a cycle: the directions do not match, or it has fewer than two changes
    /// of thread, no program order, or a single change of place.
    pub fn new(edges: Vec<Edge>) -> Option<Cycle> {
        let next = |i: usize| edges[(i + 1) % edges.len()];
        let fits = edges.iter().enumerate().all(|(i, edge)| edge.to() == next(i).from());
        let external = edges.iter().filter(|edge| edge.is_external()).count();
        let places = edges.iter().filter(|edge| edge.changes_place()).count();
        let sound = fits && external >= 2 && external < edges.len() && places != 1;
        sound.then_some(Cycle { edges })
    }

    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edge that leads to an event.
    fn into(&self, event: usize) -> Edge {
        self.edges[(event + self.edges.len() - 1) % self.edges.len()]
    }

    /// The events in cyclic order, starting with one whose incoming edge satisfies `begins`.
    fn round(&self, begins: impl Fn(Edge) -> bool) -> Vec<usize> {
        let count = self.edges.len();
        let first = (0..count).find(|event| begins(self.into(*event))).unwrap_or(0);
        (first..first + count).map(|event| event % count).collect()
    }

    fn nodes(&self) -> Vec<Node> {
        let one_place = !self.edges.iter().any(|edge| edge.changes_place());
        let cuts = move |edge: Edge| match one_place {
            true => !edge.is_external(),
            false => edge.changes_place(),
        };
        let empty = Node { direction: Direction::R, place: 0, value: 0 };
        let mut nodes = vec![empty; self.edges.len()];
        let (mut stretches, mut writes) = (0, 0);
        for event in self.round(cuts) {
            if stretches == 0 || self.into(event).changes_place() {
                (stretches, writes) = (stretches + 1, 0);
            }
            let direction = self.edges[event].from();
            writes += u64::from(direction == Direction::W);
            nodes[event] = Node { direction, place: stretches - 1, value: writes };
        }
        nodes
    }

    /// The events of each thread, in program order.
    fn threads(&self) -> Vec<Vec<usize>> {
        let mut threads: Vec<Vec<usize>> = Vec::new();
        for event in self.round(Edge::is_external) {
            match threads.last_mut() {
                Some(thread) if !self.into(event).is_external() => thread.push(event),
                _ => threads.push(vec![event]),
            }
        }
        threads
    }

    /// The program. Its condition holds in exactly the executions that contain the cycle. It has no condition
    /// if a place has three writes, since the final state then does not determine the coherence order.
    pub fn program(&self) -> Verified {
        let nodes = self.nodes();
        let mut builder = ProgramBuilder::new(self.to_string());
        let places = nodes.iter().map(|node| node.place + 1).max().unwrap_or(0);
        let globals: Vec<_> =
            (0..places).map(|i| builder.scalar(format!("x{i}"), Type::I32, 0)).collect();
        let mut expected = Vec::new();
        for (index, thread) in self.threads().iter().enumerate() {
            let mut function = FunctionBuilder::new(format!("p{index}"));
            let (mut loads, mut last) = (Vec::new(), None);
            for event in thread {
                let node = nodes[*event];
                let addr = globals[node.place].into();
                last = push_event(&mut function, self.into(*event), node, addr, last);
                loads.extend(last.map(|reg| (reg, node.value)));
            }
            function.ret(None);
            let func = builder.function(function.finish());
            let thread = builder.thread(format!("t{index}"), func, Vec::new());
            for (i, (reg, value)) in loads.into_iter().enumerate() {
                let what = Observed::Reg(thread, reg);
                expected.push((builder.observe(format!("{index}:r{i}"), what), value));
            }
        }
        for (place, global) in globals.into_iter().enumerate() {
            let what = Observed::Mem { global, offset: 0, ty: Type::I32 };
            let id = builder.observe(format!("x{place}"), what);
            expected.push((id, last_value(&nodes, place)));
        }
        builder.program.condition = self.is_decided(&nodes).then(|| all_equal(&expected));
        verify(builder.finish()).expect("programs of cycles are well-formed")
    }

    fn is_decided(&self, nodes: &[Node]) -> bool {
        nodes.iter().all(|node| last_value(nodes, node.place) <= 2)
    }

    /// The values of the program's observables that show the cycle, if the program has a condition.
    pub fn witness(&self) -> Option<Vec<u64>> {
        match self.program().into_program().condition?.prop {
            Prop::And(parts) => Some(parts.iter().filter_map(expected_value).collect()),
            _ => None,
        }
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.edges.iter().map(Edge::to_string).collect();
        f.write_str(&names.join(" "))
    }
}

fn last_value(nodes: &[Node], place: usize) -> u64 {
    nodes.iter().filter(|node| node.place == place).map(|node| node.value).max().unwrap_or(0)
}

/// Emits an event and the fence or dependency before it. `last` is the register of the previous event, if
/// that is a read of the same thread. Returns the register of this event if it is a read.
fn push_event(
    function: &mut FunctionBuilder,
    edge: Edge,
    node: Node,
    addr: Operand,
    last: Option<Reg>,
) -> Option<Reg> {
    let access = between::Access { addr, value: node.value.into() };
    let between::Access { addr, value } = match edge {
        Edge::Po { between, .. } => between::push(function, between, last, access),
        Edge::Rfe | Edge::Fre | Edge::Coe => access,
    };
    let (ty, access) = (Type::I32, Access::ASM);
    match node.direction {
        Direction::W => {
            function.push(InstKind::Store { ty, addr, value, access });
            None
        }
        Direction::R => {
            let dst = function.reg(None, ty);
            function.push(InstKind::Load { dst, ty, addr, access });
            Some(dst)
        }
    }
}

fn all_equal(expected: &[(ObservableId, u64)]) -> Condition {
    let equal = |(id, value): &(ObservableId, u64)| {
        Prop::Cmp(CmpOp::Eq, Term::Observable(*id), Term::Int(i128::from(*value)))
    };
    let prop = Prop::And(expected.iter().map(equal).collect());
    Condition { quantifier: Quantifier::Exists, prop }
}

fn expected_value(prop: &Prop) -> Option<u64> {
    match prop {
        Prop::Cmp(_, _, Term::Int(value)) => u64::try_from(*value).ok(),
        _ => None,
    }
}
