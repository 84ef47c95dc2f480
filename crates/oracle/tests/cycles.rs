//! Programs made from cycles: both oracles must confirm what is known about these cycles.

use crate::common;

use common::both;
use raddle_oracle::Model;
use raddle_oracle::cycles::{Between, Cycle, Direction, Edge, enumerate};

use Direction::{R, W};

/// Whether a model keeps the two events of a program-order edge in order for all other threads.
fn keeps(model: Model, edge: Edge) -> bool {
    let Edge::Po { from, to, between, .. } = edge else { return true };
    let fenced = between == Between::FullFence;
    match model {
        Model::Sc => true,
        Model::Tso => fenced || (from, to) != (W, R),
        Model::Pso => fenced || from == R || (from, to) == (W, W) && between == Between::StoreFence,
    }
}

fn is_observed(cycle: &Cycle, model: Model) -> Option<bool> {
    let witness = cycle.witness()?;
    Some(both(&cycle.program(), model).states.contains_key(&witness))
}

fn cycle(edges: &[Edge]) -> Cycle {
    Cycle::new(edges.to_vec()).expect("a sound cycle")
}

#[test]
fn classical_cycles() {
    let observed = |edges: &[Edge]| {
        Model::ALL.map(|model| is_observed(&cycle(edges), model).expect("decided"))
    };
    let (pod, pos) = (Edge::pod, Edge::pos);
    let (rfe, fre, coe) = (Edge::Rfe, Edge::Fre, Edge::Coe);
    // SB, MP, LB, 2+2W, R, S, WRC, IRIW.
    assert_eq!(observed(&[pod(W, R), fre, pod(W, R), fre]), [false, true, true]);
    assert_eq!(observed(&[pod(W, W), rfe, pod(R, R), fre]), [false, false, true]);
    assert_eq!(observed(&[pod(R, W), rfe, pod(R, W), rfe]), [false, false, false]);
    assert_eq!(observed(&[pod(W, W), coe, pod(W, W), coe]), [false, false, true]);
    assert_eq!(observed(&[pod(W, W), coe, pod(W, R), fre]), [false, true, true]);
    assert_eq!(observed(&[pod(W, W), rfe, pod(R, W), coe]), [false, false, true]);
    assert_eq!(observed(&[rfe, pod(R, W), rfe, pod(R, R), fre]), [false; 3]);
    assert_eq!(observed(&[rfe, pod(R, R), fre, rfe, pod(R, R), fre]), [false; 3]);
    // A load that reads from the store buffer is ordered with later loads; its store is not.
    let forwarding = [pos(W, R), pod(R, R), fre, pos(W, R), pod(R, R), fre];
    assert_eq!(observed(&forwarding), [false, true, true]);
    // CoRR.
    assert_eq!(observed(&[rfe, pos(R, R), fre]), [false; 3]);
}

#[test]
fn unsound_cycles_are_refused() {
    assert!(Cycle::new(vec![Edge::Rfe, Edge::Fre]).is_none(), "no program order");
    assert!(Cycle::new(vec![Edge::pod(W, R), Edge::Fre]).is_none(), "one change of thread");
    assert!(Cycle::new(vec![Edge::Rfe, Edge::pod(R, R), Edge::Fre]).is_none(), "one `Pod`");
    assert!(Cycle::new(vec![Edge::Rfe, Edge::Rfe, Edge::pos(R, W)]).is_none(), "directions");
}

/// All cycles of all edges: none is observable if the model keeps its program order.
#[test]
fn kept_cycles_are_forbidden() {
    let length = if raddle_testing::is_long() { 5 } else { 4 };
    let cycles = enumerate(&Edge::all(), length);
    assert!(cycles.len() > 100);
    for cycle in cycles {
        let one_place = !cycle.edges().iter().any(|edge| edge.changes_place());
        for model in Model::ALL {
            let kept = cycle.edges().iter().all(|edge| keeps(model, *edge));
            let observed = is_observed(&cycle, model);
            if kept || one_place {
                assert_ne!(observed, Some(true), "{cycle} under {model}");
            }
        }
    }
}

/// If the edges of a cycle alternate between a change of location and a change of thread, one edge that the
/// model does not keep is enough.
#[test]
fn alternating_cycles_are_observed_exactly_if_an_edge_is_not_kept() {
    let mut alphabet = Edge::all();
    alphabet.retain(|edge| edge.is_external() || edge.changes_place());
    let mut alternating = enumerate(&alphabet, 4);
    alternating.retain(|cycle| {
        let kinds: Vec<bool> = cycle.edges().iter().map(|edge| edge.is_external()).collect();
        kinds.len() == 4 && kinds[0] != kinds[1] && kinds[1] != kinds[2] && kinds[2] != kinds[3]
    });
    assert_eq!(alternating.len(), 30);
    for cycle in alternating {
        for model in Model::ALL {
            let relaxed = cycle.edges().iter().any(|edge| !keeps(model, *edge));
            assert_eq!(is_observed(&cycle, model), Some(relaxed), "{cycle} under {model}");
        }
    }
}
