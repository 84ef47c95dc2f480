// A witness that one can step through: the reason on top, the controls, and the panes that follow the step.

class Player {
  constructor(finding, data) {
    this.machine = new Machine(finding.story, data.kinds);
    this.starred = new Set(finding.story.starred);
    this.every = false;
    this.opened = new Set();
    this.rows = rowsOf(finding.story, false, this.opened);
    /** The current row; -1 before the first step. */
    this.row = -1;
    this.timeline = new Timeline(this);
    this.source = new Source(this, data.sources);
    this.panels = new Panels(this);
    this.graph = finding.picture && finding.picture.nodes.length > 0 ? new Graph(this, finding.picture) : null;
    this.now = make("p", { class: "now", role: "status", "aria-live": "polite" });
    this.panes = [["Steps", this.timeline], ["Source", this.source], ["State", this.panels], ["Graph", this.graph]].filter(([, pane]) => pane);
    this.element = make("div", { class: "player" }, this.reason(finding), this.controls(), this.now, this.tabs(),
      make("div", { class: this.graph ? "panes" : "panes plain" }, this.panes.map(([, pane]) => pane.element)));
  }

  /** The reason in words, and the steps that it is about. */
  reason(finding) {
    const machine = this.machine;
    const steps = finding.story.starred.map((n) => make("li", {}, make("button", { class: "step", onclick: () => this.jump(n) },
      make("span", { class: "number", text: `★ ${n + 1}` }),
      make("span", { class: `who ${hue(machine.events.thread[n])}`, text: machine.thread(n) }),
      make("span", { class: "text" }, breakable(machine.what(n))),
      make("span", { class: "place", text: machine.place(n) }))));
    const words = finding.why.map((text) => make("p", { text }));
    return make("section", { class: "reason", "aria-label": "Reason" }, make("h2", { text: finding.title }), words,
      steps.length > 0 ? make("ul", { class: "causes" }, steps) : null);
  }

  controls() {
    const button = (label, text, run, key, kind) => make("button", {
      class: kind, "aria-label": label, title: `${label} (${key})`, text, onclick: run });
    this.slider = make("input", {
      type: "range", min: -1, step: 1, "aria-label": "Step",
      oninput: () => this.select(Number(this.slider.value)),
    });
    this.count = make("output", { class: "count" });
    this.fold = make("button", { class: "fold", title: "Fold steps without effect on other threads (f)", onclick: () => this.toggleAll() });
    const stars = this.starred.size > 0
      ? [button("Previous step of the reason", "★ ‹", () => this.star(-1), "p"), button("Next step of the reason", "★ ›", () => this.star(1), "n")] : [];
    return make("div", { class: "controls", role: "toolbar", "aria-label": "Steps" },
      make("span", { class: "group" },
        button("First step", "⇤", () => this.select(-1), "Home", "end"), button("Previous step", "‹", () => this.move(-1), "← k"),
        button("Next step", "›", () => this.move(1), "→ j"), button("Last step", "⇥", () => this.select(this.rows.length - 1), "End", "end")),
      stars.length > 0 ? make("span", { class: "group" }, stars) : null,
      this.slider, this.count, this.fold);
  }

  /** On narrow screens, one pane at a time. */
  tabs() {
    this.tabList = this.panes.map(([name, pane], n) => make("button", {
      role: "tab", text: name, onclick: () => this.open(n),
      onkeydown: (event) => {
        const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!move) return;
        event.preventDefault();
        event.stopPropagation();
        this.open((n + move + this.panes.length) % this.panes.length);
        this.tabList[this.tab].focus();
      },
    }));
    const list = make("div", { class: "tabs", role: "tablist", "aria-label": "Panes" }, this.tabList);
    this.open(0);
    return list;
  }

  open(tab) {
    this.tab = tab;
    this.panes.forEach(([, pane], n) => {
      pane.element.classList.toggle("open", n === tab);
      this.tabList[n].setAttribute("aria-selected", String(n === tab));
      this.tabList[n].setAttribute("tabindex", n === tab ? "0" : "-1");
    });
    if (this.shown) this.update();
  }

  /** Called when the player is on the page, so that it can measure. */
  show() {
    this.shown = true;
    this.timeline.update();
    const first = this.starred.size > 0 ? Math.min(...this.starred) : -1;
    if (this.row < 0 && first >= 0) this.jump(first);
    else this.select(this.row);
  }

  /** Goes to a row. */
  select(row) {
    const last = this.rows.length - 1;
    this.row = Math.max(-1, Math.min(row, last));
    while (this.row > 0 && this.rows[this.row].head !== undefined) this.row -= 1;
    this.machine.goto(this.row < 0 ? -1 : this.target(this.rows[this.row]));
    this.update();
  }

  /** The state that a row shows: after its event, or after the last of a stretch. */
  target(row) {
    return row.event >= 0 ? row.event : row.last;
  }

  /** Steps over rows; headings of open stretches are not steps. */
  move(by) {
    let row = this.row;
    for (let left = Math.abs(by); left > 0; left--) {
      do row += Math.sign(by);
      while (row >= 0 && row < this.rows.length && this.rows[row].head !== undefined);
    }
    this.select(row);
  }

  /** Goes to an event, in whatever row it is. */
  jump(n) {
    let low = 0;
    let high = this.rows.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.rows[middle].last < n) low = middle + 1;
      else high = middle;
    }
    this.select(low);
  }

  /** The next step of the reason, in one direction. */
  star(direction) {
    const sorted = [...this.starred].sort((a, b) => direction * (a - b));
    const next = sorted.find((n) => direction * (n - this.machine.at) > 0);
    if (next !== undefined) this.jump(next);
  }

  /** The next step at a line of the source; after the last, the first. */
  visit(file, line) {
    const { events, count, at } = this.machine;
    for (let n = 1; n <= count; n++) {
      const event = (at + n) % count;
      if (events.file[event] === file && events.line[event] === line && events.level[event] > 0) return this.jump(event);
    }
    return undefined;
  }

  /** Opens or folds a stretch. */
  toggle(row) {
    if (row.head !== undefined) this.opened.delete(row.head);
    else this.opened.add(row.fold);
    this.refold(row.head ?? row.events[0]);
  }

  toggleCurrent() {
    const row = this.rows[this.row];
    if (row && row.event < 0) this.toggle(row);
  }

  toggleAll() {
    this.every = !this.every;
    this.opened.clear();
    this.refold(this.machine.at);
  }

  refold(event) {
    this.rows = rowsOf(this.machine.story, this.every, this.opened);
    this.timeline.update();
    if (event < 0) this.select(-1);
    else this.jump(event);
  }

  /** Draws the current step. */
  update() {
    const { machine } = this;
    const { at } = machine;
    // First what measures, then what changes: so the browser lays the page out once.
    this.source.follow();
    if (this.graph) this.graph.follow();
    this.timeline.follow();
    this.slider.max = String(this.rows.length - 1);
    this.slider.value = String(this.row);
    this.slider.setAttribute("aria-valuetext", at < 0 ? "before the first step" : `step ${at + 1}`);
    this.count.textContent = `${(at + 1).toLocaleString("en")} / ${machine.count.toLocaleString("en")}`;
    this.fold.textContent = this.every ? "Fold" : "All steps";
    this.fold.setAttribute("aria-pressed", String(this.every));
    this.now.replaceChildren(...this.sentence());
    this.source.mark();
    this.panels.update();
    if (this.graph) this.graph.update();
  }

  /** The current step in words, with what it read. */
  sentence() {
    const { machine } = this;
    const { at, events } = machine;
    if (at < 0) return [make("span", { class: "text", text: "Before the first step" })];
    const row = this.rows[this.row];
    if (row && row.event < 0) return [make("span", { class: "text", text: `After ${counted(row.events.length, "folded step")}; Enter opens them` })];
    const parts = [make("span", { class: `who ${hue(events.thread[at])}`, text: machine.thread(at) }),
      make("span", { class: "text", text: machine.what(at) }), make("span", { class: "place", text: machine.place(at) })];
    const kind = machine.kind(at);
    if (kind === "read" || kind === "forward") {
      const from = events.from[at];
      parts.push(from < 0 ? make("span", { class: "note", text: "reads the initial value" })
        : make("button", { class: "link", text: `reads step ${from + 1}`, title: `${machine.thread(from)} ${machine.what(from)}`, onclick: () => this.jump(from) }));
    }
    return parts;
  }

  /** Keys; whether one was taken. */
  key(key) {
    const moves = { ArrowDown: 1, ArrowRight: 1, j: 1, ArrowUp: -1, ArrowLeft: -1, k: -1, PageDown: 10, PageUp: -10 };
    const deeds = {
      Home: () => this.select(-1), End: () => this.select(this.rows.length - 1), n: () => this.star(1), p: () => this.star(-1),
      f: () => this.toggleAll(), g: () => this.graph && this.graph.enlarge(), Enter: () => this.toggleCurrent(),
      Escape: () => this.graph && this.graph.element.classList.contains("wide") && this.graph.enlarge(),
    };
    if (moves[key]) this.move(moves[key]);
    else if (deeds[key]) deeds[key]();
    else return false;
    return true;
  }
}
