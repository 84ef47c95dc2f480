//! A property of the trail: after any walk of steps and returns to earlier moments, the system is equal to a
//! fresh system after the steps that were not undone.
//!
//! The comparison covers everything that is observable from outside: the state of the machine, buffers, the
//! events with the events that they read from or overwrote, happens-before (between events, and as the threads
//! and the buffered stores see it), failures, and the enabled steps.
//!
//! The numbers of spawned threads may differ: a system numbers a thread when some execution first spawns it,
//! and keeps the number. So threads are matched by name, and two values in a register or in memory match if
//! they are equal or handles of the same thread. Objects have such numbers too; here, only one thread of a
//! program allocates objects, in its own order.

use crate::buffer::Entry;
use crate::clock::ClockId;
use crate::event::{ANY, Action, Event, Identity, Turn};
use crate::system::{Moment, System, Watched, field};
use fastrand::Rng;
use raddle_engine::{Engine, Limits, Model, Options};
use raddle_ir::{Verified, text};
use raddle_machine::codec::take;
use raddle_machine::layout::{ObjectId, object_address};
use raddle_machine::memory::ObjectState;
use raddle_machine::visible::handle;
use raddle_machine::{Status, ThreadId};
use raddle_oracle::generate::{self, Config};
use raddle_testing::scaled;
use std::collections::BTreeMap;

/// The number of steps and returns of one walk.
const MOVES: usize = 120;

fn fresh<'p>(program: &'p Verified, options: &Options) -> System<'p> {
    System::new(program, options, Watched::Search).expect("generated programs can start")
}

/// All enabled turns, with one turn for each alternative.
fn enabled(system: &System<'_>) -> Vec<Turn> {
    let mut all = Vec::new();
    for thread in system.machine.thread_ids() {
        all.extend(system.enabled_updates(thread));
        let Some(turn) = system.enabled_step(thread) else { continue };
        if turn.choice != ANY {
            all.push(turn);
            continue;
        }
        let choices =
            (0..system.machine.choice_count(thread)).map(|n| system.machine.nth_choice(thread, n));
        all.extend(choices.map(|choice| Turn { choice, ..turn }));
    }
    all
}

/// Performs a walk; returns the turns that were not undone.
fn walk(system: &mut System<'_>, rng: &mut Rng) -> Vec<Turn> {
    let mut moments: Vec<Moment> = Vec::new();
    let mut schedule = Vec::new();
    for _ in 0..MOVES {
        let next = rng.choice(enabled(system));
        let back = next.is_none() || rng.u32(..8) == 0;
        match next.filter(|_| !back) {
            Some(turn) => {
                moments.push(system.moment());
                system.perform(turn, &mut Vec::new());
                schedule.push(turn);
            }
            None if moments.is_empty() => {}
            None => {
                let to = rng.usize(..moments.len());
                system.go_back(moments[to]);
                moments.truncate(to);
                schedule.truncate(to);
            }
        }
    }
    schedule
}

/// A system, and another one whose thread numbers it is translated to.
struct Matched<'s, 'p> {
    system: &'s System<'p>,
    other: &'s System<'p>,
}

impl Matched<'_, '_> {
    /// The same thread of the other system, by name.
    fn thread(&self, thread: ThreadId) -> Option<ThreadId> {
        let name = self.system.machine.thread_name(thread);
        let other = &self.other.machine;
        other.thread_ids().find(|id| other.thread_name(*id) == name)
    }

    /// The same action with the thread numbers of the other system.
    fn action(&self, action: &Action) -> Action {
        let thread = self.thread(action.thread).expect("threads that act have names");
        // The choice of a signal is the number of a thread plus 1, as a handle is.
        let choice = match action.is_alternative() && action.addr != 0 {
            true => {
                let handle = self.handle(action.choice.into());
                handle.map_or(action.choice, |handle| handle as u32)
            }
            false => action.choice,
        };
        Action { thread, choice, ..*action }
    }

    fn turn(&self, turn: &Turn) -> Turn {
        self.action(&Action::of(*turn)).turn()
    }

    fn handle(&self, value: u64) -> Option<u64> {
        let thread = self.system.machine.thread_of(value)?;
        self.thread(thread).map(handle)
    }

    /// Whether two values are the same, or the handles of the same thread.
    fn alike(&self, mine: u64, theirs: u64) -> bool {
        mine == theirs || self.handle(mine) == Some(theirs)
    }

    fn wide_alike(&self, mine: u128, theirs: u128) -> bool {
        let halves = |value: u128| [value as u64, (value >> 64) as u64];
        halves(mine).into_iter().zip(halves(theirs)).all(|(a, b)| self.alike(a, b))
    }

    fn check(&self) {
        self.check_machine();
        self.check_events();
        self.check_threads();
        self.check_failures();
        self.check_enabled();
    }

    fn check_machine(&self) {
        let (mine, theirs) = (threads(self.system), threads(self.other));
        assert!(mine.keys().eq(theirs.keys()));
        for ((name, numbers), other) in mine.iter().zip(theirs.values()) {
            self.check_values(numbers, other, name);
        }
        let (mine, theirs) = (objects(self.system), objects(self.other));
        assert!(mine.keys().eq(theirs.keys()));
        for (bytes, other) in mine.values().zip(theirs.values()) {
            self.check_values(bytes, other, "memory");
        }
    }

    fn check_values(&self, mine: &[u64], theirs: &[u64], of: &str) {
        let same =
            mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(a, b)| self.alike(*a, *b));
        assert!(same, "{of}: {mine:?} and {theirs:?}");
    }

    fn check_events(&self) {
        let (mine, theirs) = (&self.system.events, &self.other.events);
        assert_eq!(mine.len(), theirs.len());
        for (n, (event, other)) in mine.iter().zip(theirs).enumerate() {
            assert_eq!(self.action(&event.action), other.action, "event {n}");
            let (detail, theirs) = (self.system.detail(event), self.other.detail(other));
            assert!(self.wide_alike(detail.old, theirs.old), "event {n}: {event:?}, {other:?}");
            assert_eq!(detail.open, theirs.open, "event {n}");
            assert_eq!(source(self.system, event), source(self.other, other), "event {n}");
            self.check_clocks(event.clock, other.clock, &format!("event {n}"));
        }
    }

    /// Both clocks have seen the same events.
    fn check_clocks(&self, mine: ClockId, theirs: ClockId, of: &str) {
        let seen = |system: &System<'_>, clock| -> Vec<bool> {
            (0..system.events.len() as u32).map(|event| system.seen(event, clock)).collect()
        };
        assert_eq!(seen(self.system, mine), seen(self.other, theirs), "what {of} has seen");
    }

    fn check_threads(&self) {
        for thread in self.system.machine.thread_ids() {
            if self.system.machine.status(thread) == Status::Absent {
                continue;
            }
            let other = self.thread(thread).expect("present threads have names");
            let name = self.system.machine.thread_name(thread);
            let plain = [field::FULL_AT, field::EPOCH, field::DRAINING, field::LEFT_EPOCH];
            let reserved = [field::RESERVED, field::RESERVED_BYTES, field::RESERVED_AFTER];
            for word in plain.into_iter().chain(reserved) {
                let values = (self.system.get(thread, word), self.other.get(other, word));
                assert_eq!(values.0, values.1, "word {word} of {name}");
            }
            let clocks = [field::CLOCK, field::EARLIER_UPDATES, field::UPDATES, field::WOKEN_BY];
            for word in clocks {
                let clocks = (self.system.clock(thread, word), self.other.clock(other, word));
                self.check_clocks(clocks.0, clocks.1, name);
            }
            self.check_buffers(thread, other);
        }
    }

    fn check_buffers(&self, thread: ThreadId, other: ThreadId) {
        let (mine, theirs) = (entries(self.system, thread), entries(self.other, other));
        assert_eq!(mine.len(), theirs.len());
        for (a, b) in mine.iter().zip(&theirs) {
            let place = |e: &Entry| (e.index, e.addr, e.bytes, e.epoch, e.load);
            assert_eq!(place(a), place(b));
            assert!(self.wide_alike(a.value, b.value), "{a:?} and {b:?}");
            self.check_clocks(a.clock, b.clock, "a buffered store");
        }
    }

    fn check_failures(&self) {
        let known = |system: &System<'_>| -> Vec<_> {
            let name = |thread| system.machine.thread_name(thread).to_owned();
            let failures = system.failures.iter();
            failures.map(|f| (name(f.thread), f.fault.clone(), f.loc)).collect()
        };
        assert_eq!(known(self.system), known(self.other));
    }

    fn check_enabled(&self) {
        let order = |turn: &Turn| (turn.thread, turn.update, turn.addr, turn.choice);
        let mut mine: Vec<_> = enabled(self.system).iter().map(|turn| self.turn(turn)).collect();
        let mut theirs = enabled(self.other);
        mine.sort_by_key(order);
        theirs.sort_by_key(order);
        assert_eq!(mine, theirs, "what can happen next");
    }
}

/// The state of each thread that exists, as numbers, by its name.
fn threads(system: &System<'_>) -> BTreeMap<String, Vec<u64>> {
    let mut machine = system.machine.clone();
    machine.prepare_codec();
    let exist = machine.thread_ids().filter(|id| machine.status(*id) != Status::Absent);
    let state = |id| {
        let mut bytes = Vec::new();
        machine.encode_thread(id, &mut bytes);
        let (mut left, mut numbers) =
            (&bytes[..], vec![machine.pc(id).0.into(), machine.result(id)]);
        while !left.is_empty() {
            numbers.push(take(&mut left));
        }
        (machine.thread_name(id).to_owned(), numbers)
    };
    exist.map(state).collect()
}

/// The bytes of each live object.
fn objects(system: &System<'_>) -> BTreeMap<ObjectId, Vec<u64>> {
    let machine = &system.machine;
    let all = (0..machine.memory.len() as u32).map(ObjectId);
    let live = all.filter_map(|id| match machine.memory.header(&machine.trail, id) {
        (size, ObjectState::Live | ObjectState::Constant) => Some((id, size)),
        _ => None,
    });
    let byte = |addr: u64| machine.peek(addr).unwrap_or(0).into();
    live.map(|(id, size)| {
        let addr = object_address(id);
        (id, (addr..addr + u64::from(size)).map(byte).collect())
    })
    .collect()
}

/// The position of the event that an event read from or overwrote, if it has happened.
fn source(system: &System<'_>, event: &Event) -> Option<usize> {
    let has = |event: &Event, identity: Identity| event.identity() == identity;
    system.events.iter().position(|other| has(other, event.source))
}

fn entries(system: &System<'_>, thread: ThreadId) -> Vec<Entry> {
    let trail = &system.machine.trail;
    system.process(thread).buffer.oldest_first(trail).collect()
}

/// Walks on one system, then performs the same steps on a fresh one. Only the first system searches for
/// races, which must make no difference.
fn check_walk(program: &Verified, options: &Options, seed: u64) {
    let mut walked = fresh(program, options);
    walked.wants_races = true;
    let schedule = walk(&mut walked, &mut Rng::with_seed(seed));
    let mut straight = fresh(program, options);
    for turn in &schedule {
        let turn = Matched { system: &walked, other: &straight }.turn(turn);
        straight.perform(turn, &mut Vec::new());
    }
    Matched { system: &walked, other: &straight }.check();
}

/// Every model, and small buffers.
fn models() -> Vec<Options> {
    let unbounded = Engine::Interleave.models().map(|model| (model, None));
    let bounded = [(Model::Tso, 0), (Model::Tso, 1), (Model::Tso, 2), (Model::Pso, 1)];
    let bounded = bounded.into_iter().map(|(model, most)| (model, Some(most)));
    let options = |(model, buffer_bound)| {
        let limits = Limits { local_steps: 100_000, ..Limits::default() };
        Options { buffer_bound, limits, ..Options::new(model) }
    };
    unbounded.chain(bounded).map(options).collect()
}

fn check_walks(config: &Config, programs: u64) {
    for seed in 0..scaled(programs, 80) {
        let program = generate::program(config, seed);
        for model in models() {
            let checked = std::panic::catch_unwind(|| check_walk(&program, &model, seed));
            assert!(checked.is_ok(), "seed {seed} under {model:?}:\n{}", text::print(&program));
        }
    }
}

#[test]
fn walks_over_memory() {
    check_walks(&Config { instructions: 3..=8, ..Config::memory() }, 100);
}

#[test]
fn walks_over_atomics_of_every_width() {
    check_walks(&Config { instructions: 3..=8, ..Config::c11() }, 100);
}

#[test]
fn walks_over_synchronisation() {
    check_walks(&Config { instructions: 3..=8, ..Config::synchronised() }, 100);
}

/// Constructs that the generator does not make: objects that are allocated and freed, recursion, thread-local
/// copies, reservations, faults.
const OBJECTS: &str = "
    global @shared: ptr
    global @x: i64
    thread_local global @mine: i64 = 5
    thread t0 = @owner()
    thread t1 = @user()
    thread t2 = @user()

    func @deep(%n: i64) -> i64 {
        reg %p: ptr, %c: i1, %a: i64
      entry:
        %p = alloca 24
        store i64 asm %p, %n
        %c = cmp eq i64 %n, 0
        br %c, bottom, further
      bottom:
        %a = load i64 asm @x
        ret %a
      further:
        %a = sub i64 %n, 1
        %a = call @deep(%a)
        %n = load i64 asm %p
        %a = add i64 %a, %n
        ret %a
    }
    func @owner() {
        reg %p: ptr, %t: i64, %a: i64
      entry:
        %p = malloc 8 zeroed
        store ptr asm @shared, %p
        %t = spawn @user()
        %a = call @deep(3)
        store i64 asm %p, %a
        free %p
        %p = malloc 40
        store ptr asm @shared, %p
        join %t
        ret
    }
    func @user() {
        reg %p: ptr, %c: i1, %a: i64
      entry:
        %a = load i64 asm @mine
        %a = add i64 %a, 1
        store i64 asm @mine, %a
        %a = load i64 excl asm @x
        %a = add i64 %a, 1
        %c = store_cond i64 excl asm @x, %a
        %p = load ptr asm @shared
        %c = cmp eq ptr %p, 0
        br %c, done, use
      use:
        %a = load i64 asm %p
        store i64 asm %p, %a
        jump done
      done:
        ret
    }";

#[test]
fn walks_over_objects() {
    let program = text::load("objects.rir", OBJECTS.as_bytes()).expect("a well-formed program");
    for model in models() {
        (0..scaled(250, 80)).for_each(|seed| check_walk(&program, &model, seed));
    }
}
