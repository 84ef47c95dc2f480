//! A plan that picks actions in an order of its own, by the rule of [`Plan::choose`], visits the same traces as
//! the strategies, each once.

use super::Plan;
use crate::event::{Action, Turn};
use crate::race::Race;
use crate::search::{Search, visit};
use crate::system::{System, Watched};
use raddle_engine::{Engine, Model, Options, Summary};
use raddle_ir::Verified;
use raddle_machine::ThreadId;
use raddle_oracle::campaign::{Comparison, compare_under, generated, only_if, same};
use raddle_oracle::generate::Config;

/// Source-DPOR that prefers updates to steps, and the newest thread.
#[derive(Debug, Default)]
struct Newest;

impl Plan for Newest {
    fn reverse(search: &mut Search<'_, '_, Newest>, race: Race, last: Action) {
        search.plan_initial(race, |search, sequence| search.collect_all(race, last, sequence));
    }

    fn choose(search: &mut Search<'_, '_, Newest>, depth: usize) -> Option<Turn> {
        let mut threads: Vec<ThreadId> = search.system.machine.thread_ids().collect();
        threads.reverse();
        for thread in threads {
            let updates = search.system.enabled_updates(thread);
            let mut turns = updates.chain(search.system.enabled_step(thread));
            let awake = turns.find(|turn| search.is_awake(depth, turn));
            if awake.is_some() {
                return awake;
            }
        }
        search.choose_awake(depth)
    }
}

fn same_traces(program: &Verified, model: Model) -> Comparison {
    let mut options = Options { keep_going: true, ..Options::new(model) };
    options.limits.executions = Some(5_000);
    let expected = crate::explore(program, &options);
    only_if(expected.stopped.is_none())?;
    options.count_traces = true;
    options.limits.executions = Some(50_000);
    let system = System::new(program, &options, Watched::Search).expect("the program can start");
    let found = visit::<Newest>(system, &options, None).finish(options.strategy);
    let counts = |summary: &Summary| (summary.executions, summary.blocked, summary.states.clone());
    same("executions, blocked, final states", &counts(&found), &counts(&expected))?;
    same("traces", &found.traces, &Some(expected.executions + expected.blocked))
}

fn agree(config: &Config) {
    let models: Vec<Model> = Engine::Interleave.models().collect();
    let tally = compare_under(generated(config, 25), &models, same_traces);
    assert!(tally.compared > tally.skipped, "most programs are too large");
}

#[test]
fn over_memory() {
    agree(&Config::memory());
}

#[test]
fn over_waits() {
    agree(&Config::waiting());
}

/// With choices among the waiters that a signal may wake.
#[test]
fn over_synchronisation() {
    agree(&Config::synchronised());
}
