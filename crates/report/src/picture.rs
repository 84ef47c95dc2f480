//! A witness as a graph: a column of events per thread, and the relations between them.
//!
//! Small executions are drawn in full. Of larger ones the picture has the events that matter: those of the cycle and
//! of the cause, the end, and what is related to them in other threads, nearest first. The page and the Graphviz text
//! draw the same picture.

use crate::{Run, printable};
use raddle_analysis::cycle::{Edge, Node};
use raddle_analysis::{Relation, Relations, Via};
use raddle_engine::{Deed, ReplayEvent, Writing};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write;

/// The most events that are drawn.
const MOST_NODES: usize = 40;

/// The graph of an execution, laid out in rows.
#[derive(Serialize, Clone, PartialEq, Eq, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Picture {
    pub nodes: Vec<Drawn>,
    pub edges: Vec<DrawnEdge>,
    /// Events with relations that are not drawn.
    pub left_out: usize,
}

/// An event of the picture.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub(crate) struct Drawn {
    /// Its place among the events of the witness, from 0.
    pub event: Node,
    /// Number of the thread.
    pub thread: u32,
    /// `R x = 0`
    pub label: String,
    /// Counted from the top: below every event that its thread knows to be earlier.
    pub row: usize,
}

#[derive(Serialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct DrawnEdge {
    /// Places among the nodes.
    pub from: usize,
    pub to: usize,
    /// The relation: `rf`.
    pub name: &'static str,
    /// Whether it is on the cycle that sequential consistency forbids.
    pub cycle: bool,
}

/// The input of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'a> {
    pub events: &'a [ReplayEvent],
    pub relations: &'a Relations,
    /// For each event, whether it is of interest to readers of the source.
    pub shown: &'a [bool],
    pub starred: &'a BTreeSet<Node>,
}

impl Scene<'_> {
    pub(crate) fn picture(&self) -> Picture {
        let order = program_order(self.events.len(), self.relations);
        let candidates: BTreeSet<Node> =
            (0..self.events.len()).filter(|n| self.is_node(*n)).collect();
        let chosen = match candidates.len() <= MOST_NODES {
            true => candidates.clone(),
            false => self.chosen(&candidates),
        };
        let mut columns: BTreeMap<u32, Vec<Node>> = BTreeMap::new();
        for node in &chosen {
            columns.entry(self.events[*node].number).or_default().push(*node);
        }
        // That a thread fails or waits for ever is not in a relation: it is the end of the thread.
        let is_end =
            |node: &Node| matches!(self.events[*node].deed, Deed::Fail { .. } | Deed::Stuck(_));
        columns.values_mut().for_each(|column| column.sort_by_key(|n| (is_end(n), order[*n])));
        let places: BTreeMap<Node, usize> =
            columns.values().flatten().enumerate().map(|(place, node)| (*node, place)).collect();
        let rows = self.rows(&columns);
        let drawn = |node: &Node| Drawn {
            event: *node,
            thread: self.events[*node].number,
            label: printable(&label(&self.events[*node].deed)),
            row: rows[node],
        };
        Picture {
            nodes: columns.values().flatten().map(drawn).collect(),
            edges: self.lines(&columns, &places),
            left_out: candidates.len() - chosen.len(),
        }
    }

    /// Whether an event may be drawn. That a store leaves a buffer is a part of the store.
    fn is_node(&self, n: Node) -> bool {
        let is_event = !matches!(
            self.events[n].deed,
            Deed::Update { .. } | Deed::Choose(_) | Deed::Print(_) | Deed::Allocate { .. }
        );
        self.starred.contains(&n) || is_event && self.shown[n]
    }

    /// The events that matter most, by their distance from the cycle, the cause and the end.
    fn chosen(&self, candidates: &BTreeSet<Node>) -> BTreeSet<Node> {
        let mut near: BTreeMap<Node, Vec<Node>> = BTreeMap::new();
        for (from, to, relation) in &self.relations.edges {
            let joins = *relation != Relation::Order(Edge::Program)
                && self.events[*from].number != self.events[*to].number;
            if joins && candidates.contains(from) && candidates.contains(to) {
                near.entry(*from).or_default().push(*to);
                near.entry(*to).or_default().push(*from);
            }
        }
        let ends = (0..self.events.len())
            .filter(|n| matches!(self.events[*n].deed, Deed::Fail { .. } | Deed::Stuck(_)));
        let cycle = self.relations.cycle.iter().map(|link| link.event);
        let last = candidates.iter().rev().take(4).copied();
        let first = cycle.chain(self.starred.iter().copied()).chain(ends).chain(last);
        let mut work: VecDeque<Node> = first.collect();
        let mut chosen = BTreeSet::new();
        while let Some(node) = work.pop_front().filter(|_| chosen.len() < MOST_NODES) {
            if chosen.insert(node) {
                work.extend(near.get(&node).into_iter().flatten());
            }
        }
        chosen
    }

    /// The row of each event: below the events before it in its thread, and below the one that started it.
    fn rows(&self, columns: &BTreeMap<u32, Vec<Node>>) -> BTreeMap<Node, usize> {
        let mut rows: BTreeMap<Node, usize> = BTreeMap::new();
        // A thread is started by one with a smaller number.
        for (thread, column) in columns {
            let start = self.events.iter().position(
                |event| matches!(&event.deed, Deed::Spawn(child) if child.number == *thread),
            );
            let first = start.and_then(|start| rows.get(&start)).map_or(0, |row| row + 1);
            for (n, node) in column.iter().enumerate() {
                rows.insert(*node, first + n);
            }
        }
        // A join comes below the thread that it waits for.
        for column in columns.values() {
            let mut least = 0;
            for node in column {
                if let Deed::Join(Some(child)) = &self.events[*node].deed {
                    let ends = columns.get(&child.number).and_then(|other| other.last());
                    least = least.max(ends.map_or(0, |last| rows[last] + 1));
                }
                let row = rows.entry(*node).or_default();
                *row = least.max(*row);
                least = *row + 1;
            }
        }
        rows
    }

    fn lines(
        &self,
        columns: &BTreeMap<u32, Vec<Node>>,
        places: &BTreeMap<Node, usize>,
    ) -> Vec<DrawnEdge> {
        let cycle = &self.relations.cycle;
        let count = cycle.len();
        let mut on_cycle = BTreeSet::new();
        for (n, link) in cycle.iter().enumerate() {
            on_cycle.insert((link.event, cycle[(n + 1) % count].event, link.edge.name()));
        }
        let mut lines = BTreeSet::new();
        let mut add = |from: Node, to: Node, name: &'static str| {
            if let (Some(a), Some(b)) = (places.get(&from), places.get(&to)) {
                let cycle = on_cycle.contains(&(from, to, name));
                lines.insert(DrawnEdge { from: *a, to: *b, name, cycle });
            }
        };
        on_cycle.iter().for_each(|(from, to, name)| add(*from, *to, name));
        for pair in columns.values().flat_map(|column| column.windows(2)) {
            add(pair[0], pair[1], Edge::Program.name());
        }
        for (from, to) in self.branches(places) {
            add(from, to, Relation::Depends(Via::Control).name());
        }
        for (from, to, relation) in &self.relations.edges {
            let same = self.events[*from].number == self.events[*to].number;
            // Within a thread, program order says as much as coherence.
            let told = match relation {
                Relation::Order(Edge::Program) | Relation::Depends(Via::Control) => false,
                Relation::Order(Edge::Coherence | Edge::FromRead | Edge::Sync) => !same,
                _ => true,
            };
            if told {
                add(*from, *to, relation.name());
            }
        }
        lines.into_iter().collect()
    }
}

impl Scene<'_> {
    /// Of the control dependencies on each load, the first that is drawn: all later events of the thread depend on it
    /// as well.
    fn branches(&self, places: &BTreeMap<Node, usize>) -> BTreeMap<Node, Node> {
        let mut first: BTreeMap<Node, Node> = BTreeMap::new();
        for (load, event, relation) in &self.relations.edges {
            if *relation != Relation::Depends(Via::Control) || !places.contains_key(event) {
                continue;
            }
            let found = first.entry(*load).or_insert(*event);
            if places[event] < places[found] {
                *found = *event;
            }
        }
        first
    }
}

/// The place of each event in the program order of its thread.
pub(crate) fn program_order(events: usize, relations: &Relations) -> Vec<usize> {
    chains(events, relations, Edge::Program)
}

/// For relations that put at most one event directly after another: the distance of each event from the first
/// of its chain.
pub(crate) fn chains(events: usize, relations: &Relations, wanted: Edge) -> Vec<usize> {
    let mut next: Vec<Vec<Node>> = vec![Vec::new(); events];
    let mut has_previous = vec![false; events];
    for (from, to, relation) in &relations.edges {
        if *relation == Relation::Order(wanted) && !has_previous[*to] {
            next[*from].push(*to);
            has_previous[*to] = true;
        }
    }
    let mut place = vec![0; events];
    let mut work: Vec<Node> = (0..events).filter(|node| !has_previous[*node]).collect();
    while let Some(node) = work.pop() {
        for later in &next[node] {
            place[*later] = place[node] + 1;
            work.push(*later);
        }
    }
    place
}

/// An event in the notation of the literature: `W x = 1`.
fn label(deed: &Deed) -> String {
    match deed {
        Deed::Read { cell, .. } => format!("R {cell}"),
        Deed::Buffer { cell, .. } => format!("W {cell}"),
        Deed::Write { cell, how: Writing::Store | Writing::Conditional, .. } => format!("W {cell}"),
        Deed::Write { cell, old, .. } => format!("U {}: {old} → {}", cell.at, cell.value),
        Deed::Mismatch { cell, .. } => format!("R {cell}"),
        Deed::Lock { at, .. } => format!("lock {at}"),
        Deed::Unlock(at) => format!("unlock {at}"),
        Deed::Spawn(child) => format!("start {child}"),
        Deed::Join(Some(child)) => format!("join {child}"),
        Deed::Fence { kind, .. } => format!("fence {kind}"),
        Deed::Fail { kind, .. } => format!("✗ {}", kind.name()),
        deed => deed.to_string(),
    }
}

/// A picture as Graphviz text; `title` is above it.
pub(crate) fn dot(run: &Run<'_>, title: &str, events: &[ReplayEvent], picture: &Picture) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_dot(&mut out, run, title, events, picture);
    out
}

fn write_dot(
    out: &mut String,
    run: &Run<'_>,
    title: &str,
    events: &[ReplayEvent],
    picture: &Picture,
) -> std::fmt::Result {
    let quoted = quoted(title);
    writeln!(out, "digraph {quoted} {{")?;
    writeln!(out, "  graph [label={quoted}, labelloc=t, fontname=\"sans-serif\"];")?;
    writeln!(out, "  node [shape=box, fontname=\"monospace\", fontsize=11];")?;
    writeln!(out, "  edge [fontname=\"sans-serif\", fontsize=10];")?;
    let mut columns: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, node) in picture.nodes.iter().enumerate() {
        columns.entry(node.thread).or_default().push(place);
    }
    for (thread, column) in &columns {
        let name = &events[picture.nodes[column[0]].event].thread;
        writeln!(out, "  subgraph cluster_{thread} {{")?;
        writeln!(out, "    label={};", self::quoted(&printable(name)))?;
        for place in column {
            let node = &picture.nodes[*place];
            let at =
                run.program.short_place(events[node.event].place(run.program)).unwrap_or_default();
            let label = format!("{}: {}\n{}", node.event + 1, node.label, printable(&at));
            writeln!(out, "    n{} [label={}];", node.event, self::quoted(label.trim_end()))?;
        }
        writeln!(out, "  }}")?;
    }
    for DrawnEdge { from, to, name, cycle } in &picture.edges {
        let [from, to] = [from, to].map(|place| picture.nodes[*place].event);
        let colour = colour(name);
        let width = if *cycle { ", penwidth=3" } else { "" };
        // Only these move events down; the others may lead upwards. Graphviz 2.42 corrupts its memory over labels of
        // the others that take room in the layout.
        let (label, constraint) = match *name {
            "po" | "sync" => ("label", ""),
            _ => ("xlabel", ", constraint=false"),
        };
        writeln!(
            out,
            "  n{from} -> n{to} [{label}=\"{name}\", color=\"{colour}\", fontcolor=\"{colour}\"{width}{constraint}];"
        )?;
    }
    if picture.left_out > 0 {
        writeln!(out, "  // {} further events are left out", picture.left_out)?;
    }
    writeln!(out, "}}")
}

/// The colour of a relation on white.
fn colour(name: &str) -> &'static str {
    match name {
        "rf" => "#15803d",
        "co" => "#1d4ed8",
        "fr" => "#b45309",
        "addr" | "data" | "ctrl" => "#7e22ce",
        "sync" => "#0e7490",
        _ => "#475569",
    }
}

/// A string of Graphviz. Backslashes would begin its escapes.
fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{text}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use raddle_engine::{Bytes, Calls, Cell, Datum};
    use raddle_ir::LocId;

    fn event(thread: u32, value: u128) -> ReplayEvent {
        let at = Bytes { addr: 8, bytes: 4, name: "x".to_owned() };
        let cell = Cell { at, value: Datum::number(value, 4) };
        let deed = Deed::Write { cell, old: Datum::number(0, 4), how: Writing::Store };
        ReplayEvent {
            number: thread,
            thread: format!("P{thread}"),
            loc: LocId::NONE,
            calls: Calls::default(),
            deed,
        }
    }

    /// A thousand writes in a row, each of the other thread, so that all are related.
    fn picture(count: usize, starred: &[Node]) -> Picture {
        let events: Vec<ReplayEvent> = (0..count).map(|n| event(n as u32 % 2, n as u128)).collect();
        let edge = |edge| {
            move |n: Node| (n, n + if edge == Edge::Program { 2 } else { 1 }, Relation::Order(edge))
        };
        let program = (0..count.saturating_sub(2)).map(edge(Edge::Program));
        let coherence = (0..count.saturating_sub(1)).map(edge(Edge::Coherence));
        let edges = program.chain(coherence).collect();
        let relations = Relations { is_sequence: true, edges, cycle: Vec::new() };
        let starred: BTreeSet<Node> = starred.iter().copied().collect();
        let shown = vec![true; count];
        Scene { events: &events, relations: &relations, shown: &shown, starred: &starred }.picture()
    }

    #[test]
    fn small_executions_are_drawn_in_full() {
        let picture = picture(4, &[]);
        assert_eq!((picture.nodes.len(), picture.left_out), (4, 0));
        let count = |name| picture.edges.iter().filter(|edge| edge.name == name).count();
        assert_eq!(["po", "co"].map(count), [2, 3]);
        assert_eq!(picture.nodes.iter().map(|node| node.row).collect::<Vec<_>>(), [0, 1, 0, 1]);
    }

    #[test]
    fn of_large_executions_what_matters_is_drawn() {
        let picture = picture(1000, &[500]);
        assert_eq!((picture.nodes.len(), picture.left_out), (MOST_NODES, 1000 - MOST_NODES));
        for near in [498, 499, 500, 501, 502, 999] {
            assert!(picture.nodes.iter().any(|node| node.event == near), "{near}");
        }
        assert!(!picture.nodes.iter().any(|node| node.event == 0));
    }

    #[test]
    fn strings_of_graphviz_end_where_they_should() {
        assert_eq!(quoted("a \"b\" \\ c\nd"), "\"a \\\"b\\\" \\\\ c\\nd\"");
    }
}
