// The time line: a row per step, with a lane for each thread and its store buffer. Only the rows in sight are
// elements of the page.

const ROW = 30;
/** Browsers draw nothing that is higher than this. */
const HIGHEST = 8_000_000;
/** The most rows that are kept as elements. */
const MOST_MADE = 600;
const LANE = 20;
const SLOT = 7;

class Timeline {
  constructor(player) {
    this.player = player;
    this.machine = player.machine;
    this.lanes = new Lanes(this.machine);
    this.lefts = [];
    let left = 8;
    for (const slots of this.lanes.widths) {
      this.lefts.push(left + LANE / 2);
      left += LANE + slots * SLOT;
    }
    this.width = left + 4;
    this.space = make("div", { class: "space", role: "presentation" });
    this.list = make("div", {
      class: "rows",
      role: "listbox",
      tabindex: 0,
      "aria-label": "Steps. Arrow keys step.",
      onscroll: () => this.schedule(),
    }, this.space);
    this.element = make("section", { class: "pane steps", "aria-label": "Time line" },
      this.heading(), this.list);
    new ResizeObserver(() => this.schedule()).observe(this.list);
  }

  heading() {
    const { threads, isSequence } = this.machine.story;
    const names = threads.map((name, lane) => make("span", { class: `chip ${hue(lane)}`, text: name }));
    const buffered = this.lanes.widths.some((slots) => slots > 0);
    const note = buffered ? "▮ in a store buffer" : isSequence ? "" : "in the order of commits";
    return make("header", { class: "bar" }, make("h3", { text: "Steps" }),
      make("span", { class: "names" }, names), make("span", { class: "note", text: note }));
  }

  /** Shows other rows. Elements are made when a row comes into sight, and kept. */
  update() {
    this.height = this.player.rows.length * ROW;
    this.scale = Math.max(1, this.height / HIGHEST);
    this.made = new Map();
    this.space.replaceChildren();
    this.space.style.height = `${this.height / this.scale + 8}px`;
    this.render();
  }

  /** Brings the current row into sight. */
  follow() {
    reveal(this.list, (this.player.row * ROW) / this.scale, ROW);
    this.render();
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  render() {
    const { rows, row: current } = this.player;
    const top = this.list.scrollTop;
    const first = Math.max(0, Math.floor((top * this.scale) / ROW) - 4);
    const last = Math.min(rows.length, first + Math.ceil(this.list.clientHeight / ROW) + 9);
    // With very many rows, a pixel of scrolling is more than a pixel of rows.
    const shift = top - top * this.scale;
    const shown = [];
    for (let n = first; n < last; n++) {
      if (this.made.size > MOST_MADE) this.made.clear();
      if (!this.made.has(n)) this.made.set(n, this.rowElement(rows[n], n));
      const element = this.made.get(n);
      element.style.transform = `translateY(${n * ROW + shift}px)`;
      element.classList.toggle("current", n === current);
      element.classList.toggle("future", rows[n].first > this.machine.at);
      element.setAttribute("aria-selected", String(n === current));
      shown.push(element);
    }
    this.place(shown);
    if (current >= first && current < last) this.list.setAttribute("aria-activedescendant", `row${current}`);
    else this.list.removeAttribute("aria-activedescendant");
  }

  /** Puts rows in place of the present ones; those that stay are not touched, so that they need no new layout. */
  place(shown) {
    const staying = new Set(shown);
    [...this.space.children].filter((element) => !staying.has(element)).forEach((element) => element.remove());
    let next = this.space.firstChild;
    for (const element of shown) {
      if (element === next) next = next.nextSibling;
      else this.space.insertBefore(element, next);
    }
  }

  rowElement(row, n) {
    const starred = row.event >= 0 && this.player.starred.has(row.event);
    const element = make("div", {
      id: `row${n}`,
      class: ["row", starred && "starred", row.event < 0 && "folded"].filter(Boolean).join(" "),
      role: "option",
      "aria-setsize": String(this.player.rows.length),
      "aria-posinset": String(n + 1),
      onclick: () => this.click(row, n),
    }, this.lanesElement(row));
    if (row.event < 0) this.fillFold(element, row, n);
    else this.fillStep(element, row.event, starred, n);
    return element;
  }

  /** The thread that all steps of a row belong to; -1 if there are several. */
  laneOf(row) {
    const lane = this.machine.events.thread;
    if (row.event >= 0) return lane[row.event];
    const lanes = new Set((row.events ?? []).map((step) => lane[step]));
    return lanes.size === 1 ? [...lanes][0] : -1;
  }

  /** The name of a row's thread, or room for it if the row above is of the same thread. */
  who(n) {
    const { rows } = this.player;
    const lane = this.laneOf(rows[n]);
    const repeats = n > 0 && this.laneOf(rows[n - 1]) === lane;
    const text = repeats ? "" : this.machine.story.threads[lane];
    return make("span", { class: `who ${hue(lane)}${repeats ? " again" : ""}`, text });
  }

  click(row, n) {
    if (row.event < 0) this.player.toggle(row);
    else this.player.select(n);
  }

  fillStep(element, n, starred, at) {
    const machine = this.machine;
    const place = machine.place(n);
    const kind = machine.kind(n);
    equip(element, {
      "aria-label": `step ${n + 1}, ${machine.thread(n)}, ${machine.what(n)}, ${place}${starred ? ", part of the reason" : ""}`,
      title: `${machine.thread(n)} ${machine.what(n)}${place ? ` (${place})` : ""}`,
    });
    fill(element,
      make("span", { class: "star", text: starred ? "★" : "" }),
      make("span", { class: "number", text: String(n + 1) }),
      this.who(at),
      make("span", { class: `what kind-${kind}`, text: machine.what(n) }),
      make("span", { class: "place", text: place.replace("line ", "") }),
    );
  }

  fillFold(element, row, n) {
    const { events, story } = this.machine;
    const text = row.head !== undefined
      ? `${counted(row.size, "step")}, opened`
      : `${counted(row.events.length, "step")} without effect on other threads`;
    const lanes = row.head !== undefined ? [] : [...new Set(row.events.map((n) => events.thread[n]))];
    const names = lanes.map((lane) => story.threads[lane]).join(", ");
    equip(element, { "aria-label": `${text} ${names}; Enter ${row.head !== undefined ? "folds" : "shows"} them` });
    fill(element,
      make("span", { class: "star", text: row.head !== undefined ? "▾" : "▸" }),
      make("span", { class: "number", text: row.head !== undefined ? "" : String(row.events[0] + 1) }),
      lanes.length === 1 ? this.who(n) : null,
      make("span", { class: "what", text: lanes.length > 1 ? `${text}: ${names}` : text }),
    );
  }

  /** The lanes of all threads in a row. */
  lanesElement(row) {
    const machine = this.machine;
    const picture = draw("svg", { class: "lanes", width: this.width, height: ROW, "aria-hidden": "true" });
    const last = Math.max(row.first, row.last);
    this.lefts.forEach((x, lane) => {
      const starts = this.lanes.start[lane];
      const ends = this.lanes.end[lane];
      if (starts < 0 || starts > last || ends < row.first) return;
      const top = starts >= row.first ? ROW / 2 : 0;
      const bottom = ends <= last && ends >= row.first ? ROW / 2 : ROW;
      picture.append(draw("line", { class: `thread ${hue(lane)}`, x1: x, x2: x, y1: top, y2: bottom }));
      for (let slot = 0; slot < this.lanes.widths[lane]; slot++) this.bar(picture, row, last, lane, slot, x);
    });
    if (row.event >= 0) {
      const lane = machine.events.thread[row.event];
      const kind = machine.kind(row.event);
      if (kind === "update") {
        const slot = this.lanes.slots[lane].findIndex((_, slot) => {
          const held = this.lanes.held(lane, slot, row.event, row.event);
          return held && held[1] === row.event;
        });
        const x = this.lefts[lane] + 8 + Math.max(0, Math.min(slot, 5)) * SLOT + 2.5;
        picture.append(draw("path", { class: `leaves ${hue(lane)}`, d: `M${x - 4} ${ROW / 2 - 2} l4 5 l4 -5` }));
      } else {
        const r = kind === "fail" || kind === "stuck" ? 6 : 4.5;
        picture.append(draw("circle", { class: `dot ${hue(lane)} ${kind}`, cx: this.lefts[lane], cy: ROW / 2, r }));
      }
    } else if (row.events) {
      for (const lane of new Set(row.events.map((n) => machine.events.thread[n]))) {
        picture.append(draw("rect", {
          class: `stretch ${hue(lane)}`, x: this.lefts[lane] - 3, y: 6, width: 6, height: ROW - 12, rx: 3,
        }));
      }
    }
    return picture;
  }

  /** A store in the buffer, from the row in which it enters to the row in which it leaves. */
  bar(picture, row, last, lane, slot, x) {
    // Of a stretch, the stores that are still there at its end.
    const held = this.lanes.held(lane, slot, row.event < 0 ? last : row.first, last);
    if (!held) return;
    const top = held[0] >= row.first ? ROW / 2 - 3 : 0;
    const bottom = held[1] <= last ? ROW / 2 : ROW;
    picture.append(draw("rect", {
      class: `store ${hue(lane)}`, x: x + 8 + slot * SLOT, y: top, width: 5, height: Math.max(2, bottom - top),
      rx: top > 0 || bottom < ROW ? 2 : 0,
    }));
    if (top > 0 && row.event >= 0) {
      picture.append(draw("line", { class: `enters ${hue(lane)}`, x1: x, x2: x + 8 + slot * SLOT, y1: ROW / 2, y2: ROW / 2 }));
    }
  }
}
