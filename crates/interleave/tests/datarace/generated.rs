//! Generated programs: the engine finds exactly the races of the definition.

use super::definition::{LOCATIONS, Order, Statement, StatementId, Threads, races};
use super::{Pair, common, pairs};
use raddle_engine::{Model, Strategy};

use raddle_ir::Verified;
use raddle_oracle::campaign::{Stop, compare_seeds, same};
use std::collections::BTreeSet;

const LOADS: [Order; 4] = [Order::Plain, Order::Relaxed, Order::Acquire, Order::SeqCst];
const STORES: [Order; 4] = [Order::Plain, Order::Relaxed, Order::Release, Order::SeqCst];
const UPDATES: [Order; 5] =
    [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
const FAILURES: [Order; 3] = [Order::Relaxed, Order::Acquire, Order::SeqCst];
const FENCES: [Order; 4] = [Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

fn any<T: Copy>(random: &mut fastrand::Rng, of: &[T]) -> T {
    of[random.usize(..of.len())]
}

fn generated(seed: u64) -> Threads {
    let mut random = fastrand::Rng::with_seed(seed);
    let count = random.usize(2..=3);
    let length = if count == 2 { 4 } else { 3 };
    let mut threads = vec![Vec::new(); count];
    for thread in &mut threads {
        while thread.len() < length {
            statement(&mut random, thread);
        }
    }
    if random.u32(..3) == 0 {
        let at = random.usize(..=threads[0].len());
        threads[0].insert(at, Statement::Spawn);
        if random.bool() {
            let at = random.usize(at + 1..=threads[0].len());
            threads[0].insert(at, Statement::Join);
        }
    }
    Threads(threads)
}

fn statement(random: &mut fastrand::Rng, thread: &mut Vec<Statement>) {
    let at = random.usize(..LOCATIONS);
    match random.u32(..10) {
        0..=2 => thread.push(Statement::Load(at, any(random, &LOADS))),
        3..=5 => thread.push(Statement::Store(at, any(random, &STORES), random.u32(0..2))),
        6 => thread.push(Statement::Add(at, any(random, &UPDATES))),
        7 => {
            let (order, failure) = (any(random, &UPDATES), any(random, &FAILURES));
            thread.push(Statement::Exchange(at, order, failure));
        }
        8 => thread.push(Statement::Fence(any(random, &FENCES))),
        _ => {
            let inside = match random.bool() {
                true => Statement::Load(at, Order::Plain),
                false => Statement::Store(at, Order::Plain, 1),
            };
            thread.extend([Statement::Lock(0), inside, Statement::Unlock(0)]);
        }
    }
}

fn word(order: Order) -> &'static str {
    match order {
        Order::Plain => "plain",
        Order::Relaxed => "relaxed",
        Order::Acquire => "acquire",
        Order::Release => "release",
        Order::AcqRel => "acq_rel",
        Order::SeqCst => "seq_cst",
    }
}

fn written(statement: Statement, last: usize) -> String {
    match statement {
        Statement::Load(at, order) => format!("%r = load i32 {} @x{at}", word(order)),
        Statement::Store(at, order, value) => {
            format!("store i32 {} @x{at}, {value}", word(order))
        }
        Statement::Add(at, order) => format!("%r = rmw add i32 {} @x{at}, 1", word(order)),
        Statement::Exchange(at, order, failure) => {
            format!("%r, %ok = cmpxchg i32 {} {} @x{at}, 0, 1", word(order), word(failure))
        }
        Statement::Fence(order) => format!("fence {}", word(order)),
        Statement::Lock(_) => "lock @m".to_owned(),
        Statement::Unlock(_) => "unlock @m".to_owned(),
        Statement::Spawn => format!("%t = spawn @p{last}()"),
        Statement::Join => "join %t".to_owned(),
    }
}

/// The program, its text, and the line of each statement.
fn built(threads: &Threads) -> (Verified, String, Vec<Vec<u32>>) {
    let last = threads.0.len() - 1;
    let spawns = threads.0[0].iter().any(|s| matches!(s, Statement::Spawn));
    let mut lines: Vec<String> = (0..LOCATIONS).map(|n| format!("global @x{n}: i32")).collect();
    lines.push("global @m: i32".to_owned());
    let mut places = Vec::new();
    for (n, body) in threads.0.iter().enumerate() {
        if n < last || !spawns {
            lines.push(format!("thread t{n} = @p{n}()"));
        }
        lines.push(format!("func @p{n}() {{"));
        lines.push("reg %r: i32, %ok: i1, %t: i64".to_owned());
        lines.push("entry:".to_owned());
        let mut own = Vec::new();
        for statement in body {
            lines.push(written(*statement, last));
            own.push(lines.len() as u32);
        }
        lines.extend(["ret".to_owned(), "}".to_owned()]);
        places.push(own);
    }
    let source = lines.join("\n");
    (common::program(&source), source, places)
}

#[test]
fn the_races_are_those_of_the_definition() {
    let mut racing = 0;
    let mut ask = |seed, model, buffers| {
        let threads = generated(seed);
        let (program, source, places) = built(&threads);
        let line = |(thread, statement): StatementId| places[thread][statement];
        let expected = races(&threads, buffers).ok_or(Stop::Skip)?;
        let expected: BTreeSet<Pair> = expected
            .into_iter()
            .map(|(a, b)| (line(a).min(line(b)), line(a).max(line(b))))
            .collect();
        let found = pairs(&program, model, Strategy::Optimal);
        racing += u64::from(!found.is_empty());
        same(format!("{model}\n{source}"), &found, &expected)
    };
    let sc = compare_seeds(50, |seed| ask(seed, Model::Sc, false));
    let tso = compare_seeds(50, |seed| ask(seed, Model::Tso, true));
    let compared = sc.compared + tso.compared;
    assert!(compared > sc.skipped + tso.skipped && racing > compared / 4, "{compared}, {racing}");
}
