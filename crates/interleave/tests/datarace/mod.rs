//! Data races: for each rule of C11's happens-before, a program that races and a similar one that does not,
//! and generated programs, compared with a direct implementation of the definition.

mod definition;
mod generated;

use crate::MODELS;
use crate::common::{self, threads};
use raddle_engine::{Checks, Failure, FailureKind, Model, Options, ReplayEnd, Strategy, Summary};
use raddle_interleave::{explore, replay};
use raddle_ir::Verified;
use std::collections::BTreeSet;

const ITEMS: &str = "global @x: i32\nglobal @y: i32\nglobal @z: i32\nglobal @m: i32\n\
                     global @n: i32\nglobal @c: i32\nglobal @p: ptr";

/// The lines of the two accesses, the smaller first.
type Pair = (u32, u32);

/// Options that search for races.
fn racing(model: Model) -> Options {
    let checks = Checks { races: true, ..Checks::default() };
    Options { checks, keep_going: true, ..Options::new(model) }
}

fn search(program: &Verified, model: Model, strategy: Strategy) -> Summary {
    explore(program, &racing(model).by(strategy))
}

fn pair(program: &Verified, failure: &Failure) -> Pair {
    let line = |loc| program.loc(loc).map_or(0, |loc| loc.line);
    let (a, b) = (line(failure.loc), line(failure.against));
    (a.min(b), a.max(b))
}

fn races(summary: &Summary) -> impl Iterator<Item = &Failure> {
    summary.failures.iter().filter(|failure| failure.kind == FailureKind::Race)
}

/// The pairs of lines that race under a model, each of which replays.
fn pairs(program: &Verified, model: Model, strategy: Strategy) -> BTreeSet<Pair> {
    let found = search(program, model, strategy);
    for race in races(&found) {
        replays(program, model, race);
    }
    races(&found).map(|race| pair(program, race)).collect()
}

fn replays(program: &Verified, model: Model, race: &Failure) {
    let replayed = replay(program, &racing(model), &race.schedule);
    let ReplayEnd::Failed(sites) = &replayed.end else { panic!("{race:?}: {replayed:?}") };
    assert!(sites.contains(&race.site), "{:?} replays to {sites:?}", race.site);
    let unchecked = replay(program, &Options::new(model), &race.schedule);
    let other = match &unchecked.end {
        ReplayEnd::Failed(sites) => sites.iter().all(|site| site.kind != FailureKind::Race),
        _ => true,
    };
    assert!(other, "a race that was not asked for");
}

/// This many pairs of places race under every model, and every strategy finds the same pairs.
fn expect(bodies: &[&str], racing: usize) {
    expect_in(&threads(ITEMS, bodies), racing);
}

fn expect_in(program: &Verified, racing: usize) {
    for model in MODELS {
        let found = pairs(program, model, Strategy::Optimal);
        assert_eq!(found.len(), racing, "{model}: {found:?}");
        for strategy in [Strategy::Source, Strategy::Exhaustive] {
            assert_eq!(found, pairs(program, model, strategy), "{strategy:?} under {model}");
        }
    }
}

const WRITE: &str = "store i32 @x, 1";
const READ: &str = "%r = load i32 @x";

// ---- which accesses conflict ----

#[test]
fn plain_accesses_of_two_threads_race_if_one_writes() {
    expect(&[WRITE, READ], 1);
    expect(&[WRITE, "store i32 @x, 2"], 1);
    expect(&[READ, READ], 0);
    expect(&[WRITE, "%r = load i32 @y"], 0);
    expect(&["store i32 @x, 1\n%r = load i32 @x"], 0);
}

#[test]
fn one_plain_access_is_enough() {
    expect(&["store i32 seq_cst @x, 1", "%r = load i32 seq_cst @x"], 0);
    expect(&["store i32 relaxed @x, 1", "%r = load i32 relaxed @x"], 0);
    expect(&["store i32 seq_cst @x, 1", READ], 1);
    expect(&[WRITE, "%r = load i32 seq_cst @x"], 1);
    expect(&[WRITE, "%r = rmw add i32 seq_cst @x, 1"], 1);
    expect(&[READ, "%r, %ok = cmpxchg i32 seq_cst @x, 5, 6"], 0);
    expect(&[READ, "%r, %ok = cmpxchg i32 seq_cst @x, 0, 6"], 1);
}

#[test]
fn volatile_does_not_help_and_assembly_never_races() {
    expect(&["store i32 volatile @x, 1", "%r = load i32 volatile @x"], 1);
    expect(&["store i32 asm @x, 1", "%r = load i32 asm @x"], 0);
}

#[test]
fn bytes_count_not_variables() {
    expect(&["store i16 @x, 1", "%p = add ptr @x, 2\nstore i16 %p, 1"], 0);
    expect(&["store i16 @x, 1", "%p = add ptr @x, 1\nstore i16 %p, 1"], 1);
    expect(&["store i32 @x, 1", "%p = add ptr @x, 3\nstore i8 %p, 1"], 1);
}

#[test]
fn every_pair_of_places_is_found_once() {
    // Both writes race with the read, although the read never comes between them.
    let writer = "store i32 @x, 1\nstore i32 @x, 2\nstore i32 relaxed @y, 1";
    let reader = "%s = load i32 relaxed @y\n%ok = cmp eq i32 %s, 1\nassume %ok\n%r = load i32 @x";
    expect(&[writer, reader], 2);
    // The same place in two threads, in either order.
    let source = format!(
        "{ITEMS}\nfunc @f() {{\nentry:\nstore i32 @x, 1\nret\n}}\n\
         thread a = @f()\nthread b = @f()\nthread c = @f()"
    );
    expect_in(&common::program(&source), 1);
}

#[test]
fn objects_of_one_thread_do_not_race() {
    let own = "%p = alloca 4 align 4 private\nstore i32 %p, 1\n%r = load i32 %p";
    expect(&[own, own], 0);
    let items = format!("{ITEMS}\nthread_local global @t: i32");
    expect_in(&threads(&items, &["store i32 @t, 1", "store i32 @t, 1"]), 0);
}

#[test]
fn free_conflicts_with_every_access() {
    let make = "%p = malloc 4 zeroed\nstore ptr release @p, %p";
    let get = "%p = load ptr acquire @p\n%ok = cmp ne ptr %p, 0\nassume %ok";
    for access in ["store i32 %p, 1", "%r = load i32 %p", "%r = load i32 seq_cst %p", "lock %p"] {
        let access = format!("{get}\n{access}");
        expect(&[make, &access, &format!("{get}\nfree %p")], 1);
    }
    let after = format!("{get}\nstore i32 %p, 1\nstore i32 release @y, 1");
    let free = "%r = await eq i32 acquire @y, 1\n%p = load ptr acquire @p\nfree %p";
    expect(&[make, &after, free], 0);
}

// ---- spawn and join ----

fn spawning(parent: &str) -> Verified {
    let source = format!(
        "{ITEMS}\nfunc @child() {{\nentry:\nstore i32 @x, 1\nret\n}}\n\
         func @main() {{\nreg %t: i64, %r: i32\nentry:\n{parent}\nret\n}}\nthread main = @main()"
    );
    common::program(&source)
}

#[test]
fn spawn_and_join_order() {
    expect_in(&spawning("store i32 @x, 2\n%t = spawn @child()\njoin %t\n%r = load i32 @x"), 0);
    expect_in(&spawning("%t = spawn @child()\nstore i32 @x, 2\njoin %t"), 1);
    expect_in(&spawning("%t = spawn @child()\n%r = load i32 @x"), 1);
    expect_in(&spawning("%t = spawn @child()\njoin %t\n%t = spawn @child()\njoin %t"), 0);
    expect_in(&spawning("%t = spawn @child()\n%t = spawn @child()\njoin %t"), 1);
}

// ---- locks ----

#[test]
fn a_common_lock_orders() {
    let with = |lock: &str| format!("lock @{lock}\n{WRITE}\nunlock @{lock}");
    expect(&[&with("m"), &with("m"), &with("m")], 0);
    expect(&[&with("m"), &with("n")], 1);
    expect(&[&with("m"), WRITE], 1);
    expect(&[&format!("lock @m\nunlock @m\n{WRITE}"), &with("m")], 1);
}

#[test]
fn a_try_orders_if_it_succeeds() {
    let section = format!("lock @m\n{WRITE}\nunlock @m");
    let attempt = |then: &str, els: &str| {
        format!(
            "%ok = trylock @m\nbr %ok, taken, other\ntaken:\n{then}\nunlock @m\nret\n\
             other:\n{els}\nret"
        )
    };
    let nothing = "%s = move i32 0";
    expect(&[&section, &attempt(READ, nothing)], 0);
    expect(&[&section, &attempt(nothing, READ)], 1);
}

#[test]
fn a_wait_takes_its_lock_again() {
    let waiter = |after: &str| {
        format!(
            "lock @m\n%s = load i32 @y\n%ok = cmp eq i32 %s, 0\nbr %ok, wait, done\n\
             wait:\ncond_wait @c, @m\njump done\ndone:\n{after}\nret"
        )
    };
    let signaller = format!("{WRITE}\nlock @m\nstore i32 @y, 1\ncond_signal @c\nunlock @m");
    expect(&[&waiter(&format!("{READ}\nunlock @m")), &signaller], 0);
    expect(&[&waiter(&format!("unlock @m\n{READ}")), &signaller], 0);
    // The signal alone orders nothing: accesses after the unlock are not ordered with the wait.
    let late = "lock @m\nstore i32 @y, 1\ncond_signal @c\nunlock @m\nstore i32 @x, 1";
    expect(&[&waiter(&format!("unlock @m\n{READ}")), late], 1);
}

#[test]
fn semaphores_and_reader_writer_locks_order_by_their_orders() {
    let post = |order: &str| format!("{WRITE}\n%s = rmw add i32 {order} @y, 1");
    let take = |order: &str| format!("%s = rmw sub i32 {order} @y, 1 when ne 0\n{READ}");
    expect(&[&post("release"), &take("acquire")], 0);
    expect(&[&post("relaxed"), &take("acquire")], 1);
    expect(&[&post("release"), &take("relaxed")], 1);
    let reader = "%s = rmw add i32 acquire @m, 1 when ne -1\n%r = load i32 @x\n\
                  %s = rmw sub i32 release @m, 1";
    let writer = "%s = rmw xchg i32 acquire @m, -1 when eq 0\nstore i32 @x, 1\n\
                  %s = rmw xchg i32 release @m, 0";
    expect(&[reader, reader, writer], 0);
    let hasty = "%s = rmw add i32 acquire @m, 1 when ne -1\nstore i32 @x, 1\n\
                 %s = rmw sub i32 release @m, 1";
    expect(&[hasty, hasty], 1);
}

// ---- atomics ----

fn passing(release: &str, acquire: &str) -> [String; 2] {
    let reader = format!("{acquire}\n%ok = cmp eq i32 %s, 1\nassume %ok\n{READ}");
    [format!("{WRITE}\n{release}"), reader]
}

fn expect_passing(release: &str, acquire: &str, racing: usize) {
    let [writer, reader] = passing(release, acquire);
    expect(&[&writer, &reader], racing);
}

#[test]
fn release_and_acquire_order() {
    for (store, load, racing) in [
        ("release", "acquire", 0),
        ("seq_cst", "seq_cst", 0),
        ("release", "seq_cst", 0),
        ("seq_cst", "acquire", 0),
        ("relaxed", "acquire", 1),
        ("release", "relaxed", 1),
        ("relaxed", "relaxed", 1),
    ] {
        let load = format!("%s = load i32 {load} @y");
        expect_passing(&format!("store i32 {store} @y, 1"), &load, racing);
    }
    expect_passing("store i32 release @y, 1", "%s = await eq i32 acquire @y, 1", 0);
    expect_passing("store i32 release @y, 1", "%s = await eq i32 relaxed @y, 1", 1);
    let exchange = |order: &str| format!("%s, %ok = cmpxchg i32 {order} @y, 1, 2");
    expect_passing("store i32 release @y, 1", &exchange("acquire"), 0);
    expect_passing("store i32 release @y, 1", &exchange("relaxed"), 1);
    // An exchange that fails has its own order.
    let failing = |order: &str| format!("%s, %ok = cmpxchg i32 {order} @y, 7, 2");
    expect_passing("store i32 release @y, 1", &failing("acq_rel acquire"), 0);
    expect_passing("store i32 release @y, 1", &failing("acq_rel relaxed"), 1);
}

#[test]
fn the_synchronising_access_is_ordered_itself() {
    // The plain store before the release store to the same variable races.
    expect_passing("store i32 @y, 0\nstore i32 release @y, 1", "%s = load i32 acquire @y", 1);
    let init = "store i32 @y, 5\nstore i32 release @z, 1";
    let user = "%r = await eq i32 acquire @z, 1\n%s = load i32 relaxed @y";
    expect(&[init, user], 0);
}

#[test]
fn read_modify_writes_continue_a_release_sequence() {
    let [writer, reader] = passing("store i32 release @y, 5", "%s = load i32 acquire @y");
    let between = |order: &str| format!("%s, %ok = cmpxchg i32 {order} @y, 5, 1");
    expect(&[&writer, &reader, &between("relaxed")], 0);
    // A store does not continue the release sequence, not even one of the same thread (C++20).
    let overwrite = "%s = load i32 relaxed @y\n%ok = cmp eq i32 %s, 5\nassume %ok\n\
                     store i32 relaxed @y, 1";
    expect(&[&writer, &reader, overwrite], 1);
    let both = "store i32 release @y, 5\nstore i32 relaxed @y, 1";
    expect_passing(both, "%s = load i32 acquire @y", 1);
}

#[test]
fn fences_order() {
    for (before, after, racing) in [
        ("release", "acquire", 0),
        ("seq_cst", "seq_cst", 0),
        ("acq_rel", "acq_rel", 0),
        ("full", "full", 0),
        ("acquire", "acquire", 1),
        ("release", "release", 1),
        ("compiler", "compiler", 1),
    ] {
        let load = format!("%s = load i32 relaxed @y\nfence {after}");
        expect_passing(&format!("fence {before}\nstore i32 relaxed @y, 1"), &load, racing);
    }
    // A fence and an access; a fence on the wrong side.
    expect_passing("fence release\nstore i32 relaxed @y, 1", "%s = load i32 acquire @y", 0);
    expect_passing("store i32 release @y, 1", "%s = load i32 relaxed @y\nfence acquire", 0);
    expect_passing("store i32 relaxed @y, 1\nfence release", "%s = load i32 acquire @y", 1);
    expect_passing("store i32 release @y, 1", "fence acquire\n%s = load i32 relaxed @y", 1);
    // Without an atomic access, fences order nothing, and the flag races as well.
    expect_passing("fence release\nstore i32 @y, 1", "%s = load i32 @y\nfence acquire", 2);
}

#[test]
fn order_is_transitive() {
    let first = format!("{WRITE}\nstore i32 release @y, 1");
    let second = "%s = await eq i32 acquire @y, 1\nstore i32 release @z, 1";
    let third = format!("%s = await eq i32 acquire @z, 1\n{READ}");
    expect(&[&first, second, &third], 0);
    let careless = "%s = await eq i32 relaxed @y, 1\nstore i32 release @z, 1";
    expect(&[&first, careless, &third], 1);
}

// ---- reports ----

#[test]
fn a_race_is_told_with_both_places() {
    let program = threads(ITEMS, &[WRITE, READ]);
    let found = search(&program, Model::Sc, Strategy::Optimal);
    let race = races(&found).next().expect("it races");
    let line = |loc| program.place(loc).expect("it has a place");
    let (earlier, later) = (line(race.against), line(race.loc));
    assert_eq!(
        race.message,
        format!("t0 writes x at {earlier}, t1 reads it at {later}, and nothing orders the two")
    );
    assert_eq!(race.count, 2, "both orders show it");
    // The states are those of a search without the check for races.
    let plain = explore(&program, &Options { keep_going: true, ..Options::new(Model::Sc) });
    assert_eq!((found.executions, &found.states), (plain.executions, &plain.states));
    assert!(plain.failures.is_empty());
}

#[test]
fn other_failures_are_found_beside_races() {
    let check = "%r = load i32 @x\n%ok = cmp eq i32 %r, 0\nassert %ok";
    let program = threads(ITEMS, &[WRITE, check]);
    let found = search(&program, Model::Tso, Strategy::Optimal);
    let mut kinds: Vec<FailureKind> = found.failures.iter().map(|f| f.kind).collect();
    kinds.sort();
    assert_eq!(kinds, [FailureKind::Assertion, FailureKind::Race]);
}
