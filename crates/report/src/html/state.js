// The state of an execution after each of its steps: memory, store buffers, threads.
//
// A step changes a few entries of tables. How to undo each change goes to a log, so that stepping back undoes exactly
// what stepping forward did, and no step costs more than it changes.

class Machine {
  constructor(story, kinds) {
    this.story = story;
    this.events = story.events;
    this.count = story.events.thread.length;
    this.kinds = kinds;
    /** The last event that happened; -1 before the first. */
    this.at = -1;
    /** By location: its value, null if it is not known; and the event that wrote it, -1 for none. */
    this.values = story.locations.map((location) => location.initial);
    this.writers = story.locations.map(() => -1);
    /** By location: the last event that touched it. */
    this.touched = story.locations.map(() => -1);
    /** By lane: the stores in its buffer, oldest first, as events; the last event; the status. */
    this.buffers = story.threads.map(() => []);
    this.last = story.threads.map(() => -1);
    this.status = story.threads.map(() => "runs");
    for (let n = 0; n < this.count; n++) {
      if (this.kind(n) === "spawn" && this.events.other[n] >= 0) this.status[this.events.other[n]] = "not started";
    }
    this.log = [];
    this.marks = [];
  }

  kind(n) {
    return this.kinds[this.events.kind[n]];
  }

  what(n) {
    return this.story.strings[this.events.what[n]];
  }

  value(n) {
    const value = this.events.value[n];
    return value < 0 ? null : this.story.strings[value];
  }

  thread(n) {
    return this.story.threads[this.events.thread[n]];
  }

  /** The file of an event without folders; the line alone if there is only one file. */
  place(n) {
    const { file, line } = this.events;
    if (file[n] < 0) return "";
    const short = this.story.files[file[n]].replace(/^.*[/\\]/, "");
    return this.story.files.length === 1 ? `line ${line[n]}` : `${short}:${line[n]}`;
  }

  /** Goes to the state after an event. */
  goto(target) {
    while (this.at < target) this.forward();
    while (this.at > target) this.back();
  }

  back() {
    const mark = this.marks.pop();
    while (this.log.length > mark) this.log.pop()();
    this.at -= 1;
  }

  set(table, key, value) {
    const old = table[key];
    this.log.push(() => {
      table[key] = old;
    });
    table[key] = value;
  }

  forward() {
    this.marks.push(this.log.length);
    this.at += 1;
    const n = this.at;
    const { thread, at, other } = this.events;
    const lane = thread[n];
    this.set(this.last, lane, n);
    if (at[n] >= 0) this.set(this.touched, at[n], n);
    switch (this.kind(n)) {
      case "read":
        if (this.story.isSequence && this.values[at[n]] === null) this.set(this.values, at[n], this.value(n));
        break;
      case "buffer":
        this.buffers[lane].push(n);
        this.log.push(() => this.buffers[lane].pop());
        break;
      case "update":
        this.leave(n);
        break;
      case "write":
        this.write(at[n], this.value(n), n);
        break;
      case "lock":
        this.write(at[n], `held by ${this.story.threads[lane]}`, n);
        this.set(this.status, lane, "runs");
        break;
      case "unlock":
        this.write(at[n], "free", n);
        break;
      case "wait":
        this.set(this.status, lane, "waits");
        break;
      case "wake":
        this.set(this.status, lane, "runs");
        break;
      case "spawn":
        if (other[n] >= 0) this.set(this.status, other[n], "runs");
        break;
      case "join":
        if (other[n] >= 0) this.set(this.status, other[n], "ended");
        break;
      case "fail":
        this.set(this.status, lane, "fails");
        break;
      case "stuck":
        this.set(this.status, lane, "waits for ever");
        break;
      default:
    }
  }

  /** A store leaves the buffer for memory. */
  leave(n) {
    const { thread, store, at } = this.events;
    const buffer = this.buffers[thread[n]];
    const place = buffer.findIndex((entry) => store[entry] === store[n]);
    let entered = n;
    if (place >= 0) {
      [entered] = buffer.splice(place, 1);
      this.log.push(() => buffer.splice(place, 0, entered));
    }
    this.write(at[n], this.value(n), entered);
  }

  write(location, value, n) {
    if (location < 0) return;
    const rank = this.events.rank;
    const before = this.writers[location];
    // Without an order in time, the last write of those so far is the last in coherence order.
    if (!this.story.isSequence && before >= 0 && rank[before] > rank[n]) return;
    this.set(this.values, location, value);
    this.set(this.writers, location, n);
    for (const other of this.story.locations[location].overlaps) {
      this.set(this.values, other, null);
      this.set(this.writers, other, n);
    }
  }
}
