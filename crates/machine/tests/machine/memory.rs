//! Objects, compared with a simple model of them: bytes, cells, bounds, and the messages of faults.

use fastrand::Rng;
use raddle_machine::layout::{ObjectId, object_address};
use raddle_machine::memory::{Memory, ObjectKind, Purpose};
use raddle_machine::{FailureKind, Trail};

fn objects(kinds: &[(u32, ObjectKind)]) -> (Trail, Memory) {
    let (mut trail, mut memory) = (Trail::default(), Memory::default());
    for (bytes, kind) in kinds {
        let object = memory.name_object(&mut trail, *bytes).expect("there is room");
        memory.allocate(&mut trail, object, *bytes, *kind).expect("there is room");
    }
    (trail, memory)
}

/// The bytes, and for each byte the word of its cell, are the same as if every byte had its own word.
#[test]
fn random_accesses_are_as_those_of_bytes() {
    const SIZE: u32 = 90;
    for seed in 0..60 {
        let mut random = Rng::with_seed(seed);
        let (mut trail, memory) = objects(&[(SIZE, ObjectKind::ZeroedHeap)]);
        let base = object_address(ObjectId(0));
        let start = trail.mark();
        let (mut bytes, mut cells) = ([0u8; SIZE as usize], [0u64; SIZE as usize]);
        for step in 1..150u64 {
            let count = random.u32(1..=16);
            let offset = random.u32(0..=SIZE - count);
            let range = offset as usize..(offset + count) as usize;
            let slice = memory.access(&trail, base + u64::from(offset), count, Purpose::Update);
            let slice = slice.expect("it is inside");
            let mut now = [0; 16];
            now[..count as usize].copy_from_slice(&bytes[range.clone()]);
            assert_eq!(memory.read(&trail, slice), u128::from_le_bytes(now), "seed {seed}");
            let value = random.u128(..);
            memory.write(&mut trail, slice, value);
            bytes[range.clone()].copy_from_slice(&value.to_le_bytes()[..count as usize]);
            let mut found = Vec::new();
            memory.cells(&mut trail, slice, &mut found);
            let mut expected: Vec<u64> = cells[range.clone()].to_vec();
            let mut seen: Vec<u64> = found.iter().map(|cell| trail.get(*cell)).collect();
            expected.dedup();
            seen.dedup();
            assert_eq!(seen, expected, "seed {seed}");
            found.iter().for_each(|cell| trail.set(*cell, step));
            cells[range].fill(step);
        }
        trail.backtrack(start);
        let whole = memory.access(&trail, base, 16, Purpose::Read).expect("it lives");
        assert_eq!(memory.read(&trail, whole), 0);
    }
}

#[test]
fn faults_of_accesses_say_what_is_wrong() {
    let kinds = [
        (4, ObjectKind::Global),
        (4, ObjectKind::Constant),
        (8, ObjectKind::Heap),
        (4, ObjectKind::ZeroedHeap),
    ];
    let (mut trail, memory) = objects(&kinds);
    memory.kill(&mut trail, ObjectId(3));
    let at = |object: u32| object_address(ObjectId(object));
    let nowhere = at(9);
    let cases = [
        (0, 4, Purpose::Read, "reads 4 bytes through a null pointer".to_owned()),
        (8, 1, Purpose::Write, "writes 1 byte through a null pointer".to_owned()),
        (
            nowhere,
            2,
            Purpose::Read,
            format!("reads 2 bytes at {nowhere:#x}, which is in no object"),
        ),
        (
            at(0) + 2,
            4,
            Purpose::Update,
            "writes 4 bytes at offset 2 of an object of 4 bytes".to_owned(),
        ),
        (
            at(2) - 8,
            4,
            Purpose::Write,
            "writes 4 bytes at offset -8 of an object of 8 bytes".to_owned(),
        ),
        (at(1), 4, Purpose::Write, "writes 4 bytes of a constant".to_owned()),
        (at(3), 4, Purpose::Copy, "reads 4 bytes of a dead object".to_owned()),
        (at(2), 1, Purpose::Read, "reads 1 byte that was never written".to_owned()),
        (at(2), 8, Purpose::Update, "reads 8 bytes that were never written".to_owned()),
    ];
    for (addr, bytes, purpose, message) in cases {
        assert!(memory.find(&trail, addr, bytes, purpose).is_none(), "{message}");
        let fault = memory.access(&trail, addr, bytes, purpose).expect_err(&message);
        let kind = match message.contains("never written") {
            true => FailureKind::Uninitialised,
            false => FailureKind::Memory,
        };
        assert_eq!((fault.kind, fault.message), (kind, message));
    }
    for (addr, bytes, purpose) in
        [(at(1), 4, Purpose::Read), (at(2), 8, Purpose::Write), (at(2), 8, Purpose::Copy)]
    {
        assert!(memory.access(&trail, addr, bytes, purpose).is_ok());
    }
}

#[test]
fn only_live_objects_of_the_heap_are_freed_and_only_once() {
    let (mut trail, memory) = objects(&[(4, ObjectKind::Global), (4, ObjectKind::Heap)]);
    let [global, heap] = [0, 1].map(|object| object_address(ObjectId(object)));
    let why = |trail: &Trail, addr| memory.whole(trail, addr, false).map_err(|f| f.message).err();
    assert_eq!(why(&trail, heap), None);
    assert_eq!(why(&trail, global).as_deref(), Some("frees something that is not a heap object"));
    assert!(memory.whole(&trail, global, true).is_ok(), "frames end objects of any kind");
    let middle = "frees a pointer into the middle of an object";
    assert_eq!(why(&trail, heap + 1).as_deref(), Some(middle));
    assert_eq!(why(&trail, 64).as_deref(), Some("frees an address that is in no object"));
    memory.kill(&mut trail, ObjectId(1));
    assert_eq!(why(&trail, heap).as_deref(), Some("frees an object twice"));
    assert!(memory.is_dead(&trail, heap, 4) && !memory.is_dead(&trail, global, 4));
}
