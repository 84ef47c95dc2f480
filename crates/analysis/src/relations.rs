//! The relations between the events of a witness, for people who look at its graph.
//!
//! An execution of an interleaving engine is a sequence: a load reads the last write that reached memory, and the
//! relations follow from the order ([`Order`]). An execution of the graph engine is replayed once more, because its
//! relations are in its schedule and the dependencies of its events are known only to the engine. The events of its
//! witness are in the order of the schedule if the relations have a cycle, and else sorted so that they are a
//! sequence as well.

use crate::cycle::graph::Graph;
use crate::cycle::story::Order;
use crate::cycle::{Edge, Link, Node};
use crate::search::replay_graph;
use crate::why::graph;
use crate::{Cause, Witness};
use raddle_engine::{Deed, Engine, Options, ReplayEvent};
use raddle_graph::Via;
use raddle_ir::Verified;

/// Why two events belong together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    Order(Edge),
    Depends(Via),
}

impl Relation {
    /// The usual abbreviation in the literature.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::Order(edge) => edge.name(),
            Relation::Depends(Via::Address) => "addr",
            Relation::Depends(Via::Data) => "data",
            Relation::Depends(Via::Control) => "ctrl",
        }
    }
}

/// The relations of an execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relations {
    /// Whether the events are in an order in time: each load reads the last write.
    pub is_sequence: bool,
    /// Of program order and of coherence only the steps from one event to the next.
    pub edges: Vec<(Node, Node, Relation)>,
    /// A cycle that sequential consistency forbids and that the cause is about, if there is one.
    pub cycle: Vec<Link>,
}

/// The maximal number of events of a witness whose relations are computed: nobody reads a larger graph.
const MOST_EVENTS: usize = 20_000;

/// The relations of a witness; `None` if it is too long, or if the budget ended first.
pub fn relations(program: &Verified, options: &Options, witness: &Witness) -> Option<Relations> {
    if witness.events.len() > MOST_EVENTS || options.limits.budget.is_spent() {
        return None;
    }
    match options.strategy.engine() {
        Engine::Graph => of_graph(program, options, witness),
        Engine::Interleave | Engine::Reach => Some(of_sequence(witness)),
    }
}

fn of_sequence(witness: &Witness) -> Relations {
    let order = Order::of(&witness.events);
    let mut edges = listed(&order.conflicts.graph);
    let forwarded = order.forwarded.iter();
    edges.extend(forwarded.map(|(store, load)| (*store, *load, Relation::Order(Edge::ReadsFrom))));
    let cycle = cycle(&order.conflicts.graph, causes(witness));
    Relations { is_sequence: true, edges, cycle }
}

fn of_graph(program: &Verified, options: &Options, witness: &Witness) -> Option<Relations> {
    let (replayed, dependencies) = replay_graph(program, options, &witness.schedule);
    if options.limits.budget.is_spent() {
        return None;
    }
    let mut graph = graph::relations(&witness.schedule, &replayed);
    let depends = dependencies
        .iter()
        .map(|d| (replayed.starts[d.load], replayed.starts[d.step], Relation::Depends(d.via)));
    let in_place: Vec<Node> = (0..replayed.events.len()).collect();
    if are_permuted(&replayed.events, &in_place, &witness.events) {
        let mut edges = listed(&graph);
        edges.extend(depends);
        let cycle = cycle(&graph, causes(witness));
        return Some(Relations { is_sequence: false, edges, cycle });
    }
    let sorted = graph::in_time(&mut graph, &replayed)?;
    if !are_permuted(&replayed.events, &sorted, &witness.events) {
        return None;
    }
    let mut place = vec![0; sorted.len()];
    sorted.iter().enumerate().for_each(|(now, before)| place[*before] = now);
    let mut relations = of_sequence(witness);
    relations.edges.extend(depends.map(|(from, to, relation)| (place[from], place[to], relation)));
    Some(relations)
}

/// Whether some events in another order are these. The messages of failures may differ: a witness names objects.
fn are_permuted(events: &[ReplayEvent], order: &[Node], sorted: &[ReplayEvent]) -> bool {
    let is_same = |a: &ReplayEvent, b: &ReplayEvent| match (&a.deed, &b.deed) {
        (Deed::Fail { at, .. }, Deed::Fail { at: other, .. }) => {
            (a.number, a.loc, at) == (b.number, b.loc, other)
        }
        _ => a == b,
    };
    events.len() == sorted.len()
        && order.iter().zip(sorted).all(|(node, event)| is_same(&events[*node], event))
}

fn listed(graph: &Graph) -> Vec<(Node, Node, Relation)> {
    let nodes = 0..graph.next().len();
    let edges = nodes.flat_map(|from| {
        let next = graph.next().of(from).iter();
        next.map(move |(to, edge)| (from, *to as Node, Relation::Order(*edge)))
    });
    edges.collect()
}

fn causes(witness: &Witness) -> &[Cause] {
    witness.why.as_ref().map_or(&[], |why| &why.causes)
}

/// The cycle that the causes are about.
fn cycle(graph: &Graph, causes: &[Cause]) -> Vec<Link> {
    let named: Vec<Node> = causes
        .iter()
        .filter_map(|cause| match cause {
            Cause::InCycle { event } => Some(*event),
            _ => None,
        })
        .collect();
    if !named.is_empty() {
        return through(graph, &named);
    }
    let found = causes.iter().find_map(|cause| match *cause {
        Cause::StaleRead { read, store, .. } => closed(graph, read, store, Edge::FromRead),
        Cause::Overtaken { earlier, later } => closed(graph, earlier, later, Edge::Program),
        Cause::Delayed { store, read } => closed(graph, store, read, Edge::Program),
        _ => None,
    });
    found.unwrap_or_default()
}

/// An edge and a shortest path back.
fn closed(graph: &Graph, from: Node, to: Node, edge: Edge) -> Option<Vec<Link>> {
    let back = graph.path(to, from, usize::MAX, |_| true)?;
    Some([vec![Link { event: from, edge }], back].concat())
}

/// The cycle through some of its events. Between two that no edge joins are others of their thread.
fn through(graph: &Graph, events: &[Node]) -> Vec<Link> {
    let next = |n: usize| events[(n + 1) % events.len()];
    let joined = |n: usize| {
        let next = next(n);
        graph.next().of(events[n]).iter().find(|(to, _)| *to as Node == next)
    };
    let link = |n: usize| Link {
        event: events[n],
        edge: joined(n).map_or(Edge::Program, |(_, edge)| *edge),
    };
    (0..events.len()).map(link).collect()
}
