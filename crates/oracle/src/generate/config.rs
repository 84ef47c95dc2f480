//! The configuration of generated programs.

use raddle_ir::Type;
use std::ops::RangeInclusive;

/// The kinds of accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Orders {
    /// Plain machine accesses only.
    Asm,
    /// Machine accesses, and C11 atomics of every order that their kind allows.
    All,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// At least one.
    pub threads: RangeInclusive<usize>,
    /// Statements of each thread, including nested ones.
    pub instructions: RangeInclusive<usize>,
    /// Scalar globals; at least one.
    pub locations: usize,
    /// The types that globals may have: integers of whole bytes; at least one.
    pub types: Vec<Type>,
    pub orders: Orders,
    /// Percentage of stored constants that equal an earlier one.
    pub repeated_values: u32,
    pub mutexes: usize,
    pub conditions: usize,
    pub semaphores: usize,
    pub rwlocks: usize,
    pub weights: Weights,
}

macro_rules! weights {
    ($($(#[$meta:meta])* $field:ident $kind:ident),+ $(,)?) => {
        /// The relative frequency of each kind of statement.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Weights { $($(#[$meta])* pub $field: u32),+ }

        /// A kind of statement.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(super) enum Statement { $($kind),+ }

        impl Weights {
            pub(super) fn table(&self) -> Vec<(u32, Statement)> {
                vec![$((self.$field, Statement::$kind)),+]
            }
        }
    };
}

weights! {
    load Load,
    store Store,
    rmw Rmw,
    cmpxchg CmpXchg,
    /// A fence of any kind.
    fence Fence,
    /// A store-store barrier.
    store_fence StoreFence,
    /// A branch on a loaded value.
    branch Branch,
    /// A branch on a loaded value with two equal targets.
    same_way SameWay,
    /// A loop of two rounds.
    repeat Repeat,
    /// A load or store at an index computed from a loaded value.
    index Index,
    /// A load or store whose address or value depends on a loaded value but does not change with it.
    depend Depend,
    /// A load that makes a reservation, and a store that needs it.
    exclusive Exclusive,
    arithmetic Arithmetic,
    assume Assume,
    assert Assert,
    choose Choose,
    call Call,
    /// Waits for a value that some store writes, or that no store writes.
    wait_for Await,
    /// A critical section.
    lock Lock,
    try_lock TryLock,
    /// A wait on a condition variable; only drawn inside critical sections.
    wait Wait,
    signal Signal,
    broadcast Broadcast,
    /// A semaphore that is decremented and then incremented.
    semaphore Semaphore,
    /// A semaphore that is incremented, or decremented without a later increment.
    post Post,
    take Take,
    /// A section with a shared reader-writer lock, and a section with an exclusive one.
    read_lock ReadLock,
    write_lock WriteLock,
    /// A new thread, perhaps joined later.
    spawn Spawn,
}

impl Config {
    /// Accesses, fences and local code, which both oracles support.
    pub fn memory() -> Config {
        Config {
            threads: 2..=3,
            instructions: 2..=4,
            locations: 2,
            types: vec![Type::I32],
            orders: Orders::Asm,
            repeated_values: 20,
            mutexes: 0,
            conditions: 0,
            semaphores: 0,
            rwlocks: 0,
            weights: Weights {
                load: 30,
                store: 30,
                rmw: 4,
                cmpxchg: 4,
                fence: 6,
                store_fence: 4,
                branch: 5,
                repeat: 1,
                index: 4,
                arithmetic: 4,
                assume: 2,
                assert: 2,
                choose: 2,
                call: 2,
                ..Weights::default()
            },
        }
    }

    /// As [`Config::memory`], with C11 orders and accesses of every width.
    pub fn c11() -> Config {
        let types = vec![Type::I8, Type::I16, Type::I32, Type::I64];
        Config { types, orders: Orders::All, ..Config::memory() }
    }

    /// Features that matter for POWER and ARM: dependencies, fences of every kind, exclusives.
    pub fn weak() -> Config {
        Config {
            instructions: 2..=5,
            repeated_values: 10,
            weights: Weights {
                load: 26,
                store: 26,
                rmw: 3,
                cmpxchg: 3,
                fence: 10,
                branch: 10,
                same_way: 4,
                index: 5,
                depend: 14,
                exclusive: 4,
                arithmetic: 3,
                call: 1,
                choose: 1,
                ..Weights::default()
            },
            ..Config::memory()
        }
    }

    /// As [`Config::weak`], with C11 orders.
    pub fn weak_c11() -> Config {
        Config { orders: Orders::All, ..Config::weak() }
    }

    /// In addition locks, condition variables, semaphores, spawned threads and waiting loads.
    pub fn synchronised() -> Config {
        let memory = Config::memory();
        Config {
            instructions: 2..=6,
            mutexes: 2,
            conditions: 1,
            semaphores: 1,
            rwlocks: 1,
            weights: Weights {
                load: 12,
                store: 14,
                fence: 1,
                wait_for: 3,
                lock: 16,
                try_lock: 6,
                wait: 12,
                signal: 5,
                broadcast: 3,
                spawn: 6,
                semaphore: 6,
                post: 3,
                take: 3,
                read_lock: 4,
                write_lock: 4,
                ..memory.weights
            },
            ..memory
        }
    }

    /// Mostly semaphores and reader-writer locks.
    pub fn waiting() -> Config {
        Config {
            instructions: 2..=5,
            mutexes: 1,
            semaphores: 2,
            rwlocks: 2,
            weights: Weights {
                load: 6,
                store: 6,
                rmw: 2,
                fence: 2,
                wait_for: 6,
                lock: 4,
                try_lock: 4,
                semaphore: 14,
                post: 8,
                take: 8,
                read_lock: 12,
                write_lock: 12,
                ..Weights::default()
            },
            ..Config::memory()
        }
    }
}
