//! Objects, bytes that were never written, and the splitting of cells.

use super::*;
use crate::fault::FailureKind;
use crate::layout::object_address;

fn object(bytes: u32) -> (Trail, Memory, u64) {
    let (mut trail, mut memory) = (Trail::default(), Memory::default());
    let id = memory.name_object(&mut trail, bytes).unwrap();
    memory.allocate(&mut trail, id, bytes, ObjectKind::ZeroedHeap).unwrap();
    (trail, memory, object_address(id))
}

#[test]
fn what_was_never_written_cannot_be_read() {
    let (mut trail, mut memory) = (Trail::default(), Memory::default());
    let id = memory.name_object(&mut trail, 100).unwrap();
    let (mark, base) = (trail.mark(), object_address(id));
    memory.allocate(&mut trail, id, 100, ObjectKind::Heap).unwrap();
    let kind = |memory: &Memory, trail: &Trail, offset, bytes, purpose| {
        memory.access(trail, base + offset, bytes, purpose).map_err(|fault| fault.kind).err()
    };
    let unset = Some(FailureKind::Uninitialised);
    assert_eq!(kind(&memory, &trail, 60, 8, Purpose::Read), unset);
    assert_eq!(kind(&memory, &trail, 60, 8, Purpose::Update), unset);
    assert_eq!(kind(&memory, &trail, 60, 8, Purpose::Copy), None);
    // A write across two words of the bit set. A read is valid if any of its bytes was written.
    let slice = memory.access(&trail, base + 62, 4, Purpose::Write).unwrap();
    assert!(memory.is_fresh(&trail, slice));
    let before = trail.mark();
    memory.write(&mut trail, slice, 0);
    for (offset, bytes, found) in
        [(58, 4, unset), (59, 4, None), (63, 1, None), (65, 8, None), (66, 8, unset)]
    {
        assert_eq!(
            kind(&memory, &trail, offset, bytes, Purpose::Read),
            found,
            "{bytes} at {offset}"
        );
    }
    trail.backtrack(before);
    assert_eq!(kind(&memory, &trail, 63, 1, Purpose::Read), unset);
    trail.backtrack(mark);
    memory.allocate(&mut trail, id, 100, ObjectKind::ZeroedHeap).unwrap();
    assert_eq!(kind(&memory, &trail, 63, 1, Purpose::Read), None);
}

#[test]
fn private_objects_know_their_owner() {
    let (mut trail, mut memory) = (Trail::default(), Memory::default());
    let id = memory.name_object(&mut trail, 8).unwrap();
    let kind = ObjectKind::Private(ThreadId(700));
    memory.allocate(&mut trail, id, 8, kind).unwrap();
    assert_eq!(memory.header(&trail, id), (8, ObjectState::Live));
    assert_eq!(memory.private_owner(&trail, object_address(id) + 4), Some(ThreadId(700)));
    memory.kill(&mut trail, id);
    assert_eq!(memory.private_owner(&trail, object_address(id)), None);
    assert_eq!(memory.private_owner(&trail, 8), None);
}

#[test]
fn bytes_round_trip_across_words() {
    let (mut trail, memory, base) = object(40);
    for offset in 0..24 {
        for bytes in [1u32, 2, 3, 4, 8, 9, 16] {
            let slice = memory.access(&trail, base + offset, bytes, Purpose::Write).unwrap();
            let value = 0x1122_3344_5566_7788_99aa_bbcc_ddee_ff01u128 << 3;
            let mask = if bytes == 16 { u128::MAX } else { (1 << (bytes * 8)) - 1 };
            memory.write(&mut trail, slice, value);
            assert_eq!(memory.read(&trail, slice), value & mask, "{bytes} at {offset}");
        }
    }
}

#[test]
fn cells_split_and_inherit() {
    let (mut trail, memory, base) = object(16);
    let whole = memory.access(&trail, base, 16, Purpose::Read).unwrap();
    let first = memory.single_cell(&trail, whole).expect("untouched objects are one cell");
    trail.set(first, 7);
    let mark = trail.mark();
    let part = memory.access(&trail, base + 4, 4, Purpose::Read).unwrap();
    assert_eq!(memory.single_cell(&trail, part), None);
    let mut cells = Vec::new();
    memory.cells(&mut trail, part, &mut cells);
    assert_eq!(cells.len(), 1);
    assert_eq!(trail.get(cells[0]), 7);
    assert_eq!(memory.single_cell(&trail, part), Some(cells[0]));
    assert_eq!(memory.single_cell(&trail, whole), None);
    cells.clear();
    memory.cells(&mut trail, whole, &mut cells);
    assert_eq!(cells.len(), 3);
    trail.backtrack(mark);
    assert_eq!(memory.single_cell(&trail, whole), Some(first));
}

#[test]
fn bad_accesses_are_told_apart() {
    let (mut trail, memory, base) = object(4);
    let message = |trail: &Trail, addr, bytes, purpose| {
        memory.access(trail, addr, bytes, purpose).unwrap_err().message
    };
    assert!(message(&trail, 0, 4, Purpose::Read).contains("null"));
    assert!(message(&trail, 1 << 40, 4, Purpose::Read).contains("in no object"));
    assert!(message(&trail, base + 2, 4, Purpose::Write).contains("offset 2"));
    assert!(message(&trail, 0, 1, Purpose::Read).contains("1 byte through"));
    memory.kill(&mut trail, ObjectId(0));
    assert!(message(&trail, base, 4, Purpose::Read).contains("dead"));
}
