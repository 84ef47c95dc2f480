// The rows of the time line: events, and stretches of events that are folded into one row.

/** Stories of at most so many events are not folded. */
const SHORT = 60;
/** The most stores of a buffer that are drawn beside each other. */
const SLOTS = 6;
/** The least length of a stretch that is folded. */
const STRETCH = 4;

/**
 * The rows for a story, in order. Each stands for the events from `first` to `last` and shows `event`; a folded
 * stretch shows none. Events that no reader of the source asks for belong to the row after them.
 */
function rowsOf(story, every, opened) {
  const level = story.events.level;
  const count = level.length;
  const rows = [];
  if (every) {
    for (let n = 0; n < count; n++) rows.push({ first: n, last: n, event: n });
    return rows;
  }
  const told = level.reduce((sum, one) => sum + (one > 0 ? 1 : 0), 0);
  let first = 0;
  const one = (n) => {
    rows.push({ first, last: n, event: n });
    first = n + 1;
  };
  for (let n = 0; n < count; n++) {
    if (level[n] === 2) {
      one(n);
    } else if (level[n] === 1) {
      const stretch = [];
      let end = n;
      for (; end < count && level[end] < 2; end++) {
        if (level[end] === 1) stretch.push(end);
      }
      if (stretch.length < STRETCH || told <= SHORT || opened.has(n)) {
        if (opened.has(n)) rows.push({ first, last: first - 1, event: -1, head: n, size: stretch.length });
        stretch.forEach(one);
      } else {
        rows.push({ first, last: end - 1, event: -1, fold: n, events: stretch });
        first = end;
      }
      n = end - 1;
    }
  }
  if (rows.length > 0) rows[rows.length - 1].last = count - 1;
  return rows.filter((row) => row.last >= row.first || row.head !== undefined);
}

/** Where each thread begins and ends, and where each buffered store is drawn. */
class Lanes {
  constructor(machine) {
    const { thread, store, other } = machine.events;
    const count = machine.story.threads.length;
    this.start = new Array(count).fill(-1);
    this.end = new Array(count).fill(-1);
    /** By lane and slot: the stores that are drawn there, as `[enters, leaves]`, in order. */
    this.slots = Array.from({ length: count }, () => []);
    const inside = Array.from({ length: count }, () => new Map());
    for (let n = 0; n < machine.count; n++) {
      const lane = thread[n];
      const kind = machine.kind(n);
      if (this.start[lane] < 0) this.start[lane] = n;
      this.end[lane] = n;
      if (kind === "spawn" && other[n] >= 0 && this.start[other[n]] < 0) this.start[other[n]] = n;
      if (kind === "buffer") {
        const slots = this.slots[lane];
        let slot = slots.findIndex((stores) => stores[stores.length - 1][1] < n);
        if (slot < 0 && slots.length < SLOTS) slot = slots.push([]) - 1;
        // A store for which there is no room is not drawn.
        if (slot < 0) continue;
        const interval = [n, Infinity];
        slots[slot].push(interval);
        inside[lane].set(store[n], interval);
      } else if (kind === "update") {
        const interval = inside[lane].get(store[n]);
        if (interval) interval[1] = n;
      }
    }
    this.widths = this.slots.map((slots) => slots.length);
  }

  /** The store that a slot holds at some time between two events, or none. */
  held(lane, slot, first, last) {
    const stores = this.slots[lane][slot];
    let low = 0;
    let high = stores.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stores[middle][1] < first) low = middle + 1;
      else high = middle;
    }
    return low < stores.length && stores[low][0] <= last ? stores[low] : null;
  }
}
