// The execution as a graph: a column of events for each thread, and the relations between them.

const COLUMN = 230;
const NODE = { width: 176, height: 32 };
const LEVEL = 62;
const TOP = 44;

const RELATIONS = {
  po: "program order",
  rf: "a load reads from a write",
  co: "a write is overwritten by another",
  fr: "a load misses a write",
  sync: "threads start, end, wake each other",
  addr: "the address depends on a load",
  data: "the value depends on a load",
  ctrl: "a branch depends on a load",
};

class Graph {
  constructor(player, picture) {
    this.player = player;
    this.picture = picture;
    this.columns = [...new Set(picture.nodes.map((node) => node.thread))];
    const rows = Math.max(0, ...picture.nodes.map((node) => node.row)) + 1;
    const size = { width: this.columns.length * COLUMN + 20, height: TOP + rows * LEVEL };
    this.svg = draw("svg", {
      class: "graph", viewBox: `0 0 ${size.width} ${size.height}`, width: size.width, height: size.height,
      role: "group", "aria-label": "Events and the relations between them",
    }, this.arrows(), this.titles());
    this.svg.style.setProperty("--natural", `${size.width}px`);
    const edges = draw("g");
    const cycle = draw("g");
    picture.edges.forEach((edge, n) => (edge.cycle ? cycle : edges).append(this.edge(edge, n)));
    this.nodes = picture.nodes.map((node) => this.node(node));
    this.svg.append(edges, cycle, ...this.nodes, ...this.labels());
    this.wide = make("button", { class: "small", text: "Enlarge", "aria-pressed": "false", onclick: () => this.enlarge() });
    this.scroll = make("div", { class: "scroll canvas", tabindex: 0, role: "region", "aria-label": "Graph" }, this.svg);
    this.element = make("section", { class: "pane graph", "aria-label": "Graph" },
      make("header", { class: "bar" }, make("h3", { text: "Graph" }), make("span", { class: "spring" }), this.wide),
      this.scroll, this.legend());
  }

  enlarge() {
    const wide = this.element.classList.toggle("wide");
    this.wide.textContent = wide ? "Reduce" : "Enlarge";
    this.wide.setAttribute("aria-pressed", String(wide));
  }

  arrows() {
    return draw("defs", {}, Object.keys(RELATIONS).map((name) => draw("marker", {
      id: `arrow-${name}`, class: `arrow ${name}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8,
      markerUnits: "userSpaceOnUse", orient: "auto-start-reverse",
    }, draw("path", { d: "M0 0.5 L8 4 L0 7.5 z" }))));
  }

  titles() {
    const { machine } = this.player;
    return this.columns.map((thread, column) => {
      const node = this.picture.nodes.find((node) => node.thread === thread);
      const lane = machine.events.thread[node.event];
      return draw("text", { class: `title ${hue(lane)}`, x: this.x(column), y: 18, "text-anchor": "middle", text: clip(machine.thread(node.event), 28) });
    });
  }

  x(column) {
    return 10 + column * COLUMN + COLUMN / 2;
  }

  middle(node) {
    return { x: this.x(this.columns.indexOf(node.thread)), y: TOP + node.row * LEVEL + NODE.height / 2 - 8 };
  }

  node(node) {
    const { machine, starred } = this.player;
    const { x, y } = this.middle(node);
    const place = machine.place(node.event);
    const title = `step ${node.event + 1}: ${machine.thread(node.event)} ${machine.what(node.event)}${place ? ` (${place})` : ""}`;
    const go = () => this.player.jump(node.event);
    return draw("g", {
      class: starred.has(node.event) ? "node starred" : "node", tabindex: 0, role: "button", "aria-label": title,
      onclick: go,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        go();
      },
    }, draw("title", { text: title }),
    draw("rect", { x: x - NODE.width / 2, y: y - NODE.height / 2, width: NODE.width, height: NODE.height, rx: 7 }),
    draw("text", { class: "number", x: x - NODE.width / 2 + 8, y: y + 4, text: String(node.event + 1) }),
    draw("text", { class: "label", x: x + 10, y: y + 4, "text-anchor": "middle", text: clip(node.label, 19) }));
  }

  /** The curve of an edge, and the middle of it. */
  curve(edge, n) {
    const [a, b] = [this.picture.nodes[edge.from], this.picture.nodes[edge.to]];
    const [from, to] = [this.middle(a), this.middle(b)];
    const half = NODE.width / 2;
    if (a.thread === b.thread) {
      const down = to.y > from.y ? 1 : -1;
      const close = Math.abs(to.y - from.y) <= LEVEL;
      if (edge.name === "po" && close) {
        const [y1, y2] = [from.y + (down * NODE.height) / 2, to.y - (down * NODE.height) / 2];
        return { path: `M${from.x} ${y1} L${to.x} ${y2}`, x: from.x + 12, y: (y1 + y2) / 2 };
      }
      // Around the events between, on the left; dependencies on the right.
      const side = edge.name === "po" || edge.name === "rf" ? -1 : 1;
      const out = from.x + side * (half + 16 + (n % 3) * 5);
      const [y1, y2] = [from.y + 6 * down, to.y - 6 * down];
      return {
        path: `M${from.x + side * half} ${y1} C${out} ${y1} ${out} ${y2} ${from.x + side * half} ${y2}`,
        x: out - side * 4, y: (y1 + y2) / 2,
      };
    }
    const side = to.x > from.x ? 1 : -1;
    const lift = ((n % 4) - 1.5) * 5;
    const [x1, x2] = [from.x + side * half, to.x - side * half];
    const [y1, y2] = [from.y + lift, to.y + lift];
    const bend = Math.max(24, Math.abs(x2 - x1) / 2);
    // Labels of crossing edges stay apart if none is in the middle.
    const t = 0.3;
    const [c1, c2] = [x1 + side * bend, x2 - side * bend];
    const at = (p0, p1, p2, p3) => (1 - t) ** 3 * p0 + 3 * (1 - t) ** 2 * t * p1 + 3 * (1 - t) * t ** 2 * p2 + t ** 3 * p3;
    return { path: `M${x1} ${y1} C${c1} ${y1} ${c2} ${y2} ${x2} ${y2}`, x: at(x1, c1, c2, x2), y: at(y1, y1, y2, y2) };
  }

  edge(edge, n) {
    const { path } = this.curve(edge, n);
    return draw("path", { class: `edge ${edge.name}${edge.cycle ? " cycle" : ""}`, d: path, "marker-end": `url(#arrow-${edge.name})` });
  }

  /** Program order has no labels unless it is on the cycle. */
  labels() {
    return this.picture.edges.map((edge, n) => {
      if (edge.name === "po" && !edge.cycle) return draw("g");
      const { x, y } = this.curve(edge, n);
      return draw("text", { class: `relation ${edge.name}`, x, y: y + 4, "text-anchor": "middle", text: edge.name });
    });
  }

  legend() {
    const used = Object.keys(RELATIONS).filter((name) => this.picture.edges.some((edge) => edge.name === name));
    const entries = used.map((name) => make("span", { class: "meaning" }, make("b", { class: name, text: name }), ` ${RELATIONS[name]}`));
    if (this.picture.edges.some((edge) => edge.cycle)) {
      entries.unshift(make("span", { class: "meaning" }, make("b", { class: "thick", text: "━" }), " the cycle"));
    }
    if (this.picture.leftOut > 0) entries.push(make("span", { class: "note", text: `${counted(this.picture.leftOut, "event")} left out` }));
    return make("footer", { class: "legend" }, entries);
  }

  update() {
    const { machine } = this.player;
    this.picture.nodes.forEach((node, n) => {
      this.nodes[n].classList.toggle("current", node.event === machine.at);
      this.nodes[n].classList.toggle("future", node.event > machine.at);
    });
  }

  /** Brings the current event into sight. */
  follow() {
    const node = this.picture.nodes.find((node) => node.event === this.player.machine.at);
    if (!node) return;
    const scale = this.svg.clientWidth / this.svg.viewBox.baseVal.width;
    reveal(this.scroll, (this.middle(node).y - NODE.height / 2) * scale, NODE.height * scale);
  }
}

/** A text of at most so many characters. */
function clip(text, most) {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
}
