//! POWER and ARM, as in *Herding Cats* (Alglave, Maranget, Tautschnig, TOPLAS 2014).
//!
//! Axioms: acyclic(hb), irreflexive(fre;prop;hb*), acyclic(co ∪ prop). Coherence per location and
//! atomicity of read-modify-writes are the graph's. ARM is the paper's revised model: it differs from
//! POWER in that program order within a location is not part of `cc0`, and by its fences.
//!
//! `ppo` is the least fixed point of four equations over *init* and *commit* of instructions. That is
//! reachability in a graph with two nodes per event, init before commit, and the base relations as
//! edges; all of them follow program order, so one pass from the last event to the first finds it.

use super::Barrier;
use crate::bits::Bits;
use crate::graph::{Graph, Relation, RowId, Scratch, Which};
use crate::table::Id;
use raddle_ir::FenceKind::*;
use raddle_ir::{FenceKind, Order};
use smallvec::SmallVec;

/// The barrier of a fence; `light` is that of one which need not order stores with later loads.
pub(super) fn fence(kind: FenceKind, light: Barrier) -> Barrier {
    match kind {
        Compiler => Barrier::NOTHING,
        Full | CSeqCst | Mfence | Sync | Dmb | Dsb => Barrier::FULL,
        StoreStore | Sfence | Eieio | DmbSt | DsbSt => Barrier::STORES,
        Isync | Isb => Barrier::CONTEXT,
        CRelease | CAcqRel | Lwsync | CAcquire | Lfence | DmbLd | DsbLd => light,
    }
}

/// The barriers around a read-modify-write, from those that release and acquire.
pub(super) fn rmw(order: Order, release: Barrier, acquire: Barrier) -> (Barrier, Barrier) {
    use Order::*;
    match order {
        Plain | Relaxed | Asm => (Barrier::NOTHING, Barrier::NOTHING),
        Acquire | AsmAcquire | AsmAcquirePc => (Barrier::NOTHING, acquire),
        Release | AsmRelease => (release, Barrier::NOTHING),
        AcqRel => (release, acquire),
        SeqCst => (Barrier::FULL, acquire),
    }
}

/// Whether program order within a location is part of `cc0`: POWER's is, ARM's is not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SameLocation {
    Ordered,
    Unordered,
}

pub(super) fn allows<const W: usize>(graph: &mut Graph<W>, same: SameLocation) -> bool {
    happens_before(graph, same) && (!graph.has_fences || propagates(graph))
}

/// Adds the new edges of hb = ppo ∪ fences ∪ rfe. The newest event changes the ppo of its own thread only: no
/// load of another thread can have read from a store that was just committed. So only edges to the newest
/// event and edges within its thread are computed again.
fn happens_before<const W: usize>(graph: &mut Graph<W>, same: SameLocation) -> bool {
    let Some(newest) = graph.rows.ids().next_back() else { return true };
    let events = graph.of_thread(graph.rows[newest].thread);
    for other in graph.rows.ids().take(newest.index()) {
        let row = &graph.rows[other];
        let before = row.full.contains(newest) || row.rf.contains(newest);
        if before && !events.contains(other) && !graph.order(Which::HappensBefore, other, newest) {
            return false;
        }
    }
    let mut ordered: SmallVec<[RowId; 16]> = events.iter().collect();
    ordered.sort_unstable_by_key(|event| graph.rows[*event].po);
    let preserved = preserved(graph, same, &ordered);
    for (event, ppo) in ordered.iter().zip(preserved) {
        let row = &graph.rows[*event];
        let edges = ppo.or(&row.full).or(&row.light).or(&row.rf.minus(&events));
        if !graph.order_all(Which::HappensBefore, *event, edges) {
            return false;
        }
    }
    true
}

/// The inits and commits that are reachable from the init and from the commit of an event.
#[derive(Clone, Copy)]
struct Reach<const W: usize> {
    init_inits: Bits<W>,
    init_commits: Bits<W>,
    commit_inits: Bits<W>,
    commit_commits: Bits<W>,
}

/// Preserved program order, for the events of a thread in program order.
fn preserved<const W: usize>(
    graph: &Graph<W>,
    same: SameLocation,
    ordered: &[RowId],
) -> SmallVec<[Bits<W>; 16]> {
    let mut ppo: SmallVec<[Bits<W>; 16]> = SmallVec::from_elem(Bits::EMPTY, ordered.len());
    let mut reach: SmallVec<[(RowId, Reach<W>); 16]> = SmallVec::new();
    for (n, event) in ordered.iter().enumerate().rev() {
        let row = &graph.rows[*event];
        let own = graph.of_thread(row.thread);
        let rfi = row.rf.and(&own);
        // rdw and detour: something of another thread came between two accesses to a location.
        let between = row.fr.or(&row.co).minus(&own);
        let mut seen = Bits::EMPTY;
        if !row.po_loc.is_empty() {
            for store in between.iter() {
                seen.add(&graph.rows[store].rf.and(&row.po_loc));
            }
        }
        let (rdw, detour) = if row.is_store { (Bits::EMPTY, seen) } else { (seen, Bits::EMPTY) };
        let ii = row.dd.or(&rdw).or(&rfi);
        let ci = row.ci.or(&detour);
        let mut cc = row.dd.or(&row.cc);
        if same == SameLocation::Ordered {
            cc.add(&row.po_loc);
        }
        let mut from = Reach {
            init_inits: Bits::EMPTY,
            init_commits: Bits::just(*event),
            commit_inits: Bits::EMPTY,
            commit_commits: Bits::EMPTY,
        };
        let base = ii.or(&ci).or(&cc);
        for (later, to) in reach.iter().filter(|(later, _)| base.contains(*later)) {
            if cc.contains(*later) {
                from.commit_commits.insert(*later);
                from.commit_commits.add(&to.commit_commits);
                from.commit_inits.add(&to.commit_inits);
            }
            if ci.contains(*later) {
                from.commit_inits.insert(*later);
                from.commit_inits.add(&to.init_inits);
                from.commit_commits.add(&to.init_commits);
            }
            if ii.contains(*later) {
                from.init_inits.insert(*later);
                from.init_inits.add(&to.init_inits);
                from.init_commits.add(&to.init_commits);
            }
        }
        from.init_inits.add(&from.commit_inits);
        from.init_commits.add(&from.commit_commits);
        if !row.is_store {
            let loads = from.init_inits.and(&graph.loads);
            ppo[n] = loads.or(&from.init_commits.and(&graph.stores));
        }
        reach.push((*event, from));
    }
    ppo
}

/// Adds the new edges of co ∪ prop, and checks irreflexive(fre;prop;hb*).
fn propagates<const W: usize>(graph: &mut Graph<W>) -> bool {
    let mut scratch = std::mem::take(&mut graph.scratch);
    propagation(graph, &mut scratch);
    let allowed = adds_propagation(graph, &scratch.prop);
    graph.scratch = scratch;
    allowed
}

fn adds_propagation<const W: usize>(graph: &mut Graph<W>, prop: &Relation<W>) -> bool {
    for load in graph.loads.iter() {
        let row = &graph.rows[load];
        let mut propagated = Bits::EMPTY;
        for store in row.fr.minus(&graph.of_thread(row.thread)).iter() {
            propagated.add(&prop[store]);
        }
        if propagated.contains(load) || propagated.meets(&row.hb.before) {
            return false;
        }
    }
    for from in graph.rows.ids() {
        let edges = prop[from].or(&graph.rows[from].co);
        if !graph.order_all(Which::Propagation, from, edges) {
            return false;
        }
    }
    true
}

/// prop = (prop-base ∩ W×W) ∪ (com*;prop-base*;ffence;hb*), where
/// prop-base = (fences ∪ (rfe;fences));hb*.
fn propagation<const W: usize>(graph: &Graph<W>, scratch: &mut Scratch<W>) {
    let (rows, Scratch { base, prop, .. }) = (&graph.rows, &mut *scratch);
    base.refill(rows.len(), Bits::EMPTY);
    prop.refill(rows.len(), Bits::EMPTY);
    for (n, row) in rows.iter() {
        let mut fenced = row.full.or(&row.light);
        for load in row.rf.minus(&graph.of_thread(row.thread)).iter() {
            fenced.add(&rows[load].full);
            fenced.add(&rows[load].light);
        }
        base[n] = then_hb(graph, fenced);
        if row.is_store {
            prop[n] = base[n].and(&graph.stores);
        }
    }
    if graph.has_full {
        add_strong(graph, scratch);
    }
}

/// com*;prop-base*;ffence;hb*
fn add_strong<const W: usize>(graph: &Graph<W>, scratch: &mut Scratch<W>) {
    let (rows, Scratch { base, strong, prop }) = (&graph.rows, scratch);
    strong.refill(rows.len(), Bits::EMPTY);
    // prop-base is part of hb, which is closed: an event has more successors than each of its successors. So
    // in ascending order of their number, each event comes after all that it reaches.
    let fenced = rows.iter().filter(|(n, _)| !base[*n].is_empty());
    let mut order: SmallVec<[(u32, RowId); 32]> =
        fenced.map(|(n, row)| (row.hb.after.count(), n)).collect();
    order.sort_unstable();
    for (_, n) in order {
        let mut reached = then_hb(graph, rows[n].full);
        for to in base[n].iter() {
            let further = strong[to];
            reached.add(&further);
        }
        strong[n] = reached;
    }
    // com* is com, or co or fr and then rf, or nothing: all else is part of those. So every step but the last
    // is taken first: rf or nothing. A load has no rf, so the order of the rows does not matter.
    for (n, row) in rows.iter() {
        for load in row.rf.iter() {
            let further = strong[load];
            strong[n].add(&further);
        }
    }
    for (n, row) in rows.iter() {
        prop[n].add(&strong[n]);
        for store in row.co.or(&row.fr).iter() {
            prop[n].add(&strong[store]);
        }
    }
}

/// A set and all that happens after one of its members.
fn then_hb<const W: usize>(graph: &Graph<W>, set: Bits<W>) -> Bits<W> {
    let mut all = set;
    for event in set.iter() {
        all.add(&graph.rows[event].hb.after);
    }
    all
}
