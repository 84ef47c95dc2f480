//! A witness in columns: one array for each property of its events, with strings by number. So the page of a
//! witness of a hundred thousand steps stays small, and the script reads it fast.

use super::listing::Lines;
use crate::picture::chains;
use crate::witness::Worded;
use crate::{Run, printable};
use raddle_analysis::cycle::{Edge, Node};
use raddle_analysis::{Relation, Relations};
use raddle_engine::{Bytes, Cell, Deed, Ending, ReplayEvent};
use raddle_ir::GlobalId;
use raddle_machine::layout;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The kinds of events, as the script names them.
pub(super) const KINDS: [&str; 18] = [
    "read", "forward", "write", "buffer", "update", "lock", "unlock", "wait", "wake", "signal",
    "spawn", "join", "allocate", "free", "fence", "fail", "stuck", "other",
];

/// Where there is no number.
const NONE: i32 = -1;

#[derive(Serialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(super) struct StoryData {
    strings: Vec<String>,
    /// Names of the threads, in the order of their lanes.
    threads: Vec<String>,
    files: Vec<String>,
    locations: Vec<Location>,
    /// Whether loads read the last write; otherwise events have a place in coherence order.
    is_sequence: bool,
    starred: Vec<Node>,
    events: Columns,
}

/// The properties of events, each in order.
#[derive(Serialize, Debug, Default)]
struct Columns {
    /// The lane.
    thread: Vec<u32>,
    kind: Vec<u8>,
    file: Vec<i32>,
    line: Vec<u32>,
    /// The event in words.
    what: Vec<u32>,
    /// The location.
    at: Vec<i32>,
    value: Vec<i32>,
    /// The index of a buffered store among those of its thread.
    store: Vec<i32>,
    /// The lane of the thread that is started or joined.
    other: Vec<i32>,
    /// 0: only for those who ask; 1: of its own thread; 2: threads affect each other.
    level: Vec<u8>,
    /// The event that a load reads from.
    from: Vec<i32>,
    /// The place in coherence order, if the events are not a sequence.
    rank: Vec<u32>,
}

/// Bytes of memory.
#[derive(Serialize, Debug)]
struct Location {
    name: String,
    /// The value before the first write, if it is known.
    initial: Option<String>,
    /// Whether only events of level 0 touch it.
    hidden: bool,
    /// Locations that share bytes with it.
    overlaps: Vec<usize>,
    #[serde(skip)]
    addr: u64,
    #[serde(skip)]
    bytes: u32,
    #[serde(skip)]
    written: bool,
    /// The thread that touches it; `None` if several do.
    #[serde(skip)]
    owner: Option<u32>,
}

/// The input of a story.
pub(super) struct Tale<'a> {
    pub run: &'a Run<'a>,
    pub events: &'a [ReplayEvent],
    pub relations: Option<&'a Relations>,
    /// The events as readers of the source see them.
    pub worded: &'a Worded,
    pub starred: &'a BTreeSet<Node>,
}

/// The tables of numbers while a story is written.
#[derive(Default)]
struct Writer {
    story: StoryData,
    strings: HashMap<String, u32>,
    lanes: BTreeMap<u32, u32>,
    files: HashMap<u32, i32>,
    locations: BTreeMap<(u64, u32), usize>,
}

impl Tale<'_> {
    /// The story; adds the lines of the source that it needs.
    pub(super) fn story(&self, lines: &mut Lines) -> StoryData {
        let mut writer = Writer::default();
        writer.cast(self.events);
        for (n, event) in self.events.iter().enumerate() {
            let is_shown = self.worded.shown()[n] || self.starred.contains(&n);
            writer.add(self.run, event, self.worded.what(n, event), is_shown);
            if let Some((file, line)) = position(self.run, event).filter(|_| is_shown) {
                lines.insert(&self.run.program.files[file as usize], line);
            }
        }
        writer.find_overlaps();
        let levels = self.levels(&writer);
        let mut story = writer.story;
        story.events.level = levels;
        story.events.from = self.sources();
        story.is_sequence = self.relations.is_none_or(|relations| relations.is_sequence);
        if let Some(relations) = self.relations.filter(|relations| !relations.is_sequence) {
            let ranks = chains(self.events.len(), relations, Edge::Coherence);
            story.events.rank = ranks.into_iter().map(|rank| rank as u32).collect();
        }
        story.starred = self.starred.iter().copied().collect();
        story
    }

    /// For each event, the one that it reads from.
    fn sources(&self) -> Vec<i32> {
        let mut from = vec![NONE; self.events.len()];
        for (write, read, relation) in self.relations.iter().flat_map(|found| &found.edges) {
            if *relation == Relation::Order(Edge::ReadsFrom) {
                from[*read] = *write as i32;
            }
        }
        from
    }

    /// For each event, whether it affects other threads, only its own, or is of no interest.
    fn levels(&self, writer: &Writer) -> Vec<u8> {
        let shared = |n: usize| {
            let at = usize::try_from(writer.story.events.at[n]).ok();
            at.is_some_and(|at| writer.story.locations[at].owner.is_none())
        };
        let mut matters: Vec<bool> = match self.relations {
            Some(relations) => self.affecting(relations),
            None => (0..self.events.len()).map(shared).collect(),
        };
        // A store that leaves the buffer matters as much as the store.
        let mut stores: HashMap<(u32, u32), usize> = HashMap::new();
        for (n, event) in self.events.iter().enumerate() {
            match &event.deed {
                Deed::Buffer { store, .. } => {
                    stores.insert((event.number, *store), n);
                }
                Deed::Update { store, .. } => {
                    let store = stores.get(&(event.number, *store));
                    matters[n] |= store.is_some_and(|store| matters[*store]);
                }
                Deed::Spawn(_) | Deed::Join(_) | Deed::Fail { .. } | Deed::Stuck(_) => {
                    matters[n] = true;
                }
                _ => {}
            }
        }
        let level = |n: usize| match () {
            () if self.starred.contains(&n) => 2,
            () if !self.worded.shown()[n] => 0,
            () => 1 + u8::from(matters[n]),
        };
        (0..self.events.len()).map(level).collect()
    }

    /// Events that are related to those of other threads.
    fn affecting(&self, relations: &Relations) -> Vec<bool> {
        let mut affecting = vec![false; self.events.len()];
        for (from, to, relation) in &relations.edges {
            let tells =
                matches!(relation, Relation::Order(Edge::ReadsFrom | Edge::Coherence | Edge::Sync));
            if tells && self.events[*from].number != self.events[*to].number {
                affecting[*from] = true;
                affecting[*to] = true;
            }
        }
        relations.cycle.iter().for_each(|link| affecting[link.event] = true);
        affecting
    }
}

/// The file and line of an event.
fn position(run: &Run<'_>, event: &ReplayEvent) -> Option<(u32, u32)> {
    let loc = run.program.loc(event.place(run.program))?;
    (loc.file as usize).lt(&run.program.files.len()).then_some((loc.file, loc.line))
}

impl Writer {
    /// Gives every thread that has events a lane.
    fn cast(&mut self, events: &[ReplayEvent]) {
        let names: BTreeMap<u32, &String> =
            events.iter().map(|event| (event.number, &event.thread)).collect();
        for (lane, (number, name)) in names.into_iter().enumerate() {
            self.lanes.insert(number, lane as u32);
            self.story.threads.push(printable(name));
        }
    }

    fn string(&mut self, text: String) -> u32 {
        if let Some(number) = self.strings.get(&text) {
            return *number;
        }
        let number = self.story.strings.len() as u32;
        self.story.strings.push(text.clone());
        self.strings.insert(text, number);
        number
    }

    fn add(&mut self, run: &Run<'_>, event: &ReplayEvent, what: String, is_shown: bool) {
        let (kind, at, value) = told(&event.deed);
        let what = self.string(printable(&what));
        let position = position(run, event);
        let file = position.map_or(NONE, |(file, _)| {
            let files = &mut self.story.files;
            *self.files.entry(file).or_insert_with(|| {
                files.push(printable(&run.program.files[file as usize]));
                files.len() as i32 - 1
            })
        });
        let at = at.map_or(NONE, |at| self.location(run, event, at, is_shown) as i32);
        let value = value.map(|value| printable(&value));
        let value = value.map_or(NONE, |value| self.string(value) as i32);
        let lane = |number: u32| self.lanes.get(&number).map_or(NONE, |lane| *lane as i32);
        let (store, other) = match &event.deed {
            Deed::Buffer { store, .. } | Deed::Update { store, .. } => (*store as i32, NONE),
            Deed::Spawn(child) | Deed::Join(Some(child)) => (NONE, lane(child.number)),
            _ => (NONE, NONE),
        };
        let thread = self.lanes[&event.number];
        let columns = &mut self.story.events;
        columns.thread.push(thread);
        columns.kind.push(KINDS.iter().position(|known| *known == kind).unwrap_or_default() as u8);
        columns.file.push(file);
        columns.line.push(position.map_or(0, |(_, line)| line));
        columns.what.push(what);
        columns.at.push(at);
        columns.value.push(value);
        columns.store.push(store);
        columns.other.push(other);
    }

    /// The number of a location, which an event touches.
    fn location(
        &mut self,
        run: &Run<'_>,
        event: &ReplayEvent,
        at: &Bytes,
        is_shown: bool,
    ) -> usize {
        let locations = &mut self.story.locations;
        let number = *self.locations.entry((at.addr, at.bytes)).or_insert_with(|| {
            locations.push(Location {
                name: printable(&at.name),
                initial: initial(run, at),
                hidden: true,
                overlaps: Vec::new(),
                addr: at.addr,
                bytes: at.bytes,
                written: false,
                owner: Some(event.number),
            });
            locations.len() - 1
        });
        let location = &mut locations[number];
        location.hidden &= !is_shown;
        location.owner = location.owner.filter(|owner| *owner == event.number);
        match &event.deed {
            Deed::Read { cell, forwarded: false } if !location.written => {
                location.initial = Some(printable(&cell.value.shown));
            }
            Deed::Write { old, .. } if !location.written => {
                location.initial = Some(printable(&old.shown));
            }
            _ => {}
        }
        location.written |= matches!(event.deed, Deed::Write { .. } | Deed::Update { .. });
        number
    }

    /// Finds the locations that share bytes.
    fn find_overlaps(&mut self) {
        let mut open: Vec<usize> = Vec::new();
        for ((addr, _), number) in &self.locations {
            let end = |n: &usize| {
                let location = &self.story.locations[*n];
                location.addr.saturating_add(location.bytes.into())
            };
            open.retain(|other| end(other) > *addr);
            for other in &open {
                self.story.locations[*other].overlaps.push(*number);
                self.story.locations[*number].overlaps.push(*other);
            }
            open.push(*number);
        }
    }
}

/// The bytes of a global before any write, as a number.
fn initial(run: &Run<'_>, at: &Bytes) -> Option<String> {
    let (object, offset) = layout::split_address(at.addr)?;
    let global = run.program.globals.get(GlobalId::from_u32(object.0))?;
    let offset = u64::from(offset);
    let end = offset.checked_add(at.bytes.into())?;
    let moved = |(at, _): &(u64, _)| *at < end && offset < at.saturating_add(8);
    if global.thread_local || at.bytes > 16 || end > global.size || global.relocs.iter().any(moved)
    {
        return None;
    }
    let byte = |n: u64| u128::from(global.init.get(n as usize).copied().unwrap_or(0));
    let bits = (offset..end).rev().fold(0, |bits, n| bits << 8 | byte(n));
    Some(raddle_engine::Datum::number(bits, at.bytes).shown)
}

/// The kind of an event, the bytes that it touches, and the value that it reads or writes.
fn told(deed: &Deed) -> (&'static str, Option<&Bytes>, Option<String>) {
    let cell = |kind, cell: &'_ Cell| (kind, cell.value.shown.clone());
    let (kind, value) = match deed {
        Deed::Read { cell: found, forwarded: false } => cell("read", found),
        Deed::Mismatch { cell: found, .. } => cell("read", found),
        Deed::Read { cell: found, .. } => cell("forward", found),
        Deed::Write { cell: new, .. } => cell("write", new),
        Deed::Buffer { cell: new, .. } => cell("buffer", new),
        Deed::Update { cell: new, .. } => cell("update", new),
        _ => ("", String::new()),
    };
    let at = match deed {
        Deed::Read { cell: Cell { at, .. }, .. }
        | Deed::Mismatch { cell: Cell { at, .. }, .. }
        | Deed::Write { cell: Cell { at, .. }, .. }
        | Deed::Buffer { cell: Cell { at, .. }, .. }
        | Deed::Update { cell: Cell { at, .. }, .. }
        | Deed::LostReservation(at)
        | Deed::Lock { at, .. }
        | Deed::FindsLocked(at)
        | Deed::Unlock(at)
        | Deed::StartWaiting(at)
        | Deed::StopWaiting(at)
        | Deed::Signal { at, .. }
        | Deed::Broadcast(at)
        | Deed::Touch(at)
        | Deed::Fail { at: Some(at), .. } => Some(at),
        // Objects are not locations: their size is not that of an access.
        _ => None,
    };
    if !kind.is_empty() {
        return (kind, at, Some(value));
    }
    let kind = match deed {
        Deed::Lock { .. } => "lock",
        Deed::Unlock(_) => "unlock",
        Deed::StartWaiting(_) => "wait",
        Deed::StopWaiting(_) => "wake",
        Deed::Signal { .. } | Deed::Broadcast(_) => "signal",
        Deed::Spawn(_) => "spawn",
        Deed::Join(_) => "join",
        Deed::Allocate { .. } => "allocate",
        Deed::Free { by: Ending::Free, .. } => "free",
        Deed::Fence { .. } => "fence",
        Deed::Fail { .. } => "fail",
        Deed::Stuck(_) => "stuck",
        _ => "other",
    };
    (kind, at, None)
}
