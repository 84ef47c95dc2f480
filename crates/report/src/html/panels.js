// The state beside the time line: threads with their store buffers, and memory.

/** The most locations that are listed at a time. */
const MOST_LOCATIONS = 60;

class Panels {
  constructor(player) {
    this.player = player;
    this.machine = player.machine;
    this.threads = make("div", { class: "threads" });
    this.memory = make("tbody");
    this.rest = make("p", { class: "empty" });
    const head = make("tr", {}, ["name", "value", "written by"].map((text) => make("th", { scope: "col", text })));
    const table = make("table", { class: "memory" }, make("thead", {}, head), this.memory);
    this.hasBuffers = this.machine.events.store.some((store) => store >= 0);
    const title = this.hasBuffers ? "Threads and store buffers" : "Threads";
    this.element = make("section", { class: "pane state", "aria-label": "State" },
      make("header", { class: "bar" }, make("h3", { text: title })), this.threads,
      make("header", { class: "bar" }, make("h3", { text: "Memory" })),
      make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Memory" }, table, this.rest));
  }

  update() {
    const { story } = this.machine;
    this.threads.replaceChildren(...story.threads.map((_, lane) => this.thread(lane)));
    const listed = this.listed();
    this.memory.replaceChildren(...listed.shown.map((location) => this.location(location)));
    this.rest.textContent = listed.left > 0 ? `${counted(listed.left, "location")} used less recently` : "";
  }

  thread(lane) {
    const { story, last, status, buffers, at } = this.machine;
    const n = last[lane];
    const card = make("div", { class: n === at && n >= 0 ? "thread active" : "thread" },
      make("div", { class: "title" },
        make("span", { class: `chip ${hue(lane)}`, text: story.threads[lane] }),
        make("span", { class: "status", text: status[lane] }),
        n >= 0 ? make("button", { class: "link", text: this.machine.place(n) || `step ${n + 1}`, onclick: () => this.player.jump(n) }) : null));
    if (this.hasBuffers) {
      const entries = buffers[lane].slice(0, 12).map((entry) => this.entry(entry, lane));
      const more = buffers[lane].length - entries.length;
      if (more > 0) entries.push(make("span", { class: "note", text: `${more} more` }));
      if (entries.length > 0) card.append(make("div", { class: "queue", role: "group", "aria-label": "store buffer, oldest first" }, entries));
    }
    return card;
  }

  /** A store in the buffer: oldest first, which is the next to leave under total store order. */
  entry(n, lane) {
    const { events, story } = this.machine;
    const text = `${story.locations[events.at[n]].name} = ${this.machine.value(n)}`;
    const fresh = n === this.machine.at ? " fresh" : "";
    return make("button", { class: `entry ${hue(lane)}${fresh}`, title: `step ${n + 1}`, text, onclick: () => this.player.jump(n) });
  }

  /** The locations to list: all, or of many those that were used last. */
  listed() {
    const { story, touched } = this.machine;
    let shown = story.locations.map((_, location) => location)
      .filter((location) => this.player.every || !story.locations[location].hidden);
    const left = Math.max(0, shown.length - MOST_LOCATIONS);
    if (left > 0) {
      shown = shown.sort((a, b) => touched[b] - touched[a]).slice(0, MOST_LOCATIONS).sort((a, b) => a - b);
    }
    return { shown, left };
  }

  location(number) {
    const { story, values, writers, events, at } = this.machine;
    const { name } = story.locations[number];
    const writer = writers[number];
    const value = values[number] ?? "?";
    const kind = at >= 0 && events.at[at] === number ? this.machine.kind(at) : "";
    const change = ["write", "update", "lock", "unlock"].includes(kind) ? "changed" : kind ? "used" : "";
    const by = writer < 0 ? make("span", { class: "note", text: "initial" })
      : make("button", {
        class: "link", text: `step ${writer + 1}`, title: `${this.machine.thread(writer)} ${this.machine.what(writer)}`,
        onclick: () => this.player.jump(writer),
      });
    const unknown = values[number] === null;
    return make("tr", { class: change }, make("th", { scope: "row" }, breakable(name)),
      make("td", { class: "value", text: value, title: unknown ? "not known" : null }), make("td", {}, by));
  }
}
