//! The axioms, as written in Herding Cats (sections 4 to 6); each relation is computed as a whole.
//!
//! acyclic(po-loc ∪ com) was checked before: see [`super::communication`].

use super::Hardware;
use super::communication::Communication;
use super::graph::Graph;
use crate::relation::Relation;

pub(super) fn allow(model: Hardware, graph: &Graph, communication: &Communication) -> bool {
    let external = |r: &Relation| r.clone().and(&graph.external);
    let (rfe, coe, fre) =
        (external(&communication.rf), external(&communication.co), external(&communication.fr));
    if !graph.rmw.clone().and(&fre.then(&coe)).is_empty() {
        return false;
    }
    let ffence = full_fences(model, graph);
    let fences = ffence.clone().or(&light_fences(model, graph));
    let hb = preserved(model, graph, communication).or(&fences).or(&rfe);
    if !hb.is_acyclic() {
        return false;
    }
    let hb_star = hb.star();
    let base = fences.clone().or(&rfe.then(&fences)).then(&hb_star);
    let strong = communication.com().star().then(&base.clone().star()).then(&ffence).then(&hb_star);
    let prop = base.between(graph.writes, graph.writes).or(&strong);
    fre.then(&prop).then(&hb_star).is_irreflexive() && prop.or(&communication.co).is_acyclic()
}

fn full_fences(model: Hardware, graph: &Graph) -> Relation {
    match model {
        Hardware::Power => graph.full.clone(),
        Hardware::Arm => graph.full.clone().or(&store_fences(graph)),
    }
}

fn light_fences(model: Hardware, graph: &Graph) -> Relation {
    match model {
        Hardware::Power => {
            let from_reads = graph.light.clone().between(graph.reads, graph.all);
            let from_writes = graph.light.clone().between(graph.writes, graph.writes);
            from_reads.or(&from_writes).or(&store_fences(graph))
        }
        Hardware::Arm => Relation::empty(graph.len()),
    }
}

fn store_fences(graph: &Graph) -> Relation {
    graph.stores.clone().between(graph.writes, graph.writes)
}

/// ppo: the least fixed point of the four relations between initiations and commits.
fn preserved(model: Hardware, graph: &Graph, communication: &Communication) -> Relation {
    let external = |r: &Relation| r.clone().and(&graph.external);
    let rfe = external(&communication.rf);
    let rfi = communication.rf.clone().and(&graph.internal);
    let dd = graph.addr.clone().or(&graph.data);
    let rdw = external(&communication.fr).then(&rfe).and(&graph.po_loc);
    let detour = external(&communication.co).then(&rfe).and(&graph.po_loc);

    let mut ii = dd.clone().or(&rdw).or(&rfi);
    let mut ci = graph.ctrl_fenced.clone().or(&detour);
    let mut ic = Relation::empty(graph.len());
    let mut cc = dd.or(&graph.ctrl).or(&graph.addr.then(&graph.po));
    if model == Hardware::Power {
        cc.union(&graph.po_loc);
    }
    loop {
        let next_ii = ii.clone().or(&ci).or(&ic.then(&ci)).or(&ii.then(&ii));
        let next_ci = ci.clone().or(&ci.then(&ii)).or(&cc.then(&ci));
        let next_ic = ic.clone().or(&ii).or(&cc).or(&ic.then(&cc)).or(&ii.then(&ic));
        let next_cc = cc.clone().or(&ci).or(&ci.then(&ic)).or(&cc.then(&cc));
        if (&next_ii, &next_ci, &next_ic, &next_cc) == (&ii, &ci, &ic, &cc) {
            break;
        }
        (ii, ci, ic, cc) = (next_ii, next_ci, next_ic, next_cc);
    }
    let reads = ii.between(graph.reads, graph.reads);
    reads.or(&ic.between(graph.reads, graph.writes))
}
