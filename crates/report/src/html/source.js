// The source: the line of the current step, where every thread is, and which lines have steps.

const WORDS = new Set(("alignas alignof auto bool break case catch char class const constexpr continue default delete do " +
  "double else enum extern false float for friend goto if inline int long mutable namespace new noexcept nullptr " +
  "operator private protected public register restrict return short signed sizeof static static_assert struct switch " +
  "template this throw true try typedef typename union unsigned using virtual void volatile while " +
  "_Atomic _Bool _Static_assert _Thread_local thread_local").split(" "));
const TOKEN = /\/\/.*|\/\*.*?(?:\*\/|$)|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|^\s*#\s*\w+|[A-Za-z_]\w*|0[xX][\da-fA-F]+\w*|\d[\w.]*/g;

/** A line of C in pieces, each with its kind; whether a comment goes on in the next line. */
function tokens(line, inComment) {
  const pieces = [];
  let at = 0;
  const plain = (end) => {
    if (end > at) pieces.push(["", line.slice(at, end)]);
  };
  if (inComment) {
    const end = line.indexOf("*/");
    if (end < 0) return { pieces: [["comment", line]], inComment: true };
    pieces.push(["comment", line.slice(0, end + 2)]);
    at = end + 2;
  }
  let open = false;
  TOKEN.lastIndex = at;
  for (let match = TOKEN.exec(line); match; match = TOKEN.exec(line)) {
    const text = match[0];
    const kind = /^\/[/*]/.test(text) ? "comment" : /^["']/.test(text) ? "string" : /^\s*#/.test(text) ? "macro"
      : /^\d/.test(text) ? "digits" : WORDS.has(text) ? "word" : "";
    if (kind) {
      plain(match.index);
      pieces.push([kind, text]);
      at = match.index + text.length;
    }
    open = text.startsWith("/*") && !(text.length > 3 && text.endsWith("*/"));
  }
  plain(line.length);
  return { pieces, inComment: open };
}

class Source {
  constructor(player, sources) {
    this.player = player;
    this.machine = player.machine;
    const files = this.machine.story.files;
    /** By number of the file in the story: its lines. */
    this.listings = files.map((name) => sources.find((source) => source.name === name));
    this.pages = new Map();
    this.marks = [];
    this.code = make("div", { class: "code", tabindex: 0, role: "region", "aria-label": "Source" });
    const known = files.map((name, file) => ({ name, file })).filter(({ file }) => this.listings[file]);
    this.tabs = known.map(({ name, file }) => make("button", {
      class: "file", title: name, text: name.replace(/^.*[/\\]/, ""), onclick: () => this.open(file),
    }));
    this.known = known.map(({ file }) => file);
    this.element = make("section", { class: "pane source", "aria-label": "Source" },
      make("header", { class: "bar" }, make("h3", { text: "Source" }), make("span", { class: "files" }, this.tabs)), this.code);
    if (known.length === 0) this.code.append(make("p", { class: "empty", text: "The source could not be read." }));
    else this.open(known[0].file);
  }

  /** Shows a file. */
  open(file) {
    if (this.file === file || !this.listings[file]) return;
    this.file = file;
    if (!this.pages.has(file)) this.pages.set(file, this.page(file));
    this.code.replaceChildren(this.pages.get(file).element);
    this.tabs.forEach((tab, n) => tab.setAttribute("aria-pressed", String(this.known[n] === file)));
    this.mark();
  }

  page(file) {
    const { events, story } = this.machine;
    const steps = new Map();
    for (let n = 0; n < this.machine.count; n++) {
      if (events.file[n] === file && events.level[n] > 0 && !steps.has(events.line[n])) steps.set(events.line[n], n);
    }
    const isC = /\.(c|h|i|cc|cpp|cxx|hpp|hh|C)$/.test(story.files[file]);
    const lines = new Map();
    const element = make("div", { class: "lines" });
    for (const part of this.listings[file].parts) {
      if (part.first > 1) element.append(make("div", { class: "gap", text: "⋯" }));
      let inComment = false;
      part.lines.forEach((text, n) => {
        const number = part.first + n;
        const found = isC ? tokens(text, inComment) : { pieces: [["", text]], inComment: false };
        inComment = found.inComment;
        const pieces = found.pieces.map(([kind, piece]) => kind ? make("span", { class: kind, text: piece }) : piece);
        const line = make("div", {
          class: steps.has(number) ? "line has" : "line",
          title: steps.has(number) ? "to the next step at this line" : null,
          onclick: steps.has(number) ? () => this.player.visit(file, number) : null,
        }, make("span", { class: "gutter" }), make("span", { class: "count", text: String(number) }), make("code", {}, pieces));
        lines.set(number, line);
        element.append(line);
      });
    }
    return { element, lines };
  }

  /** Marks the lines of the current step and of all threads. */
  mark() {
    const { events, last, at } = this.machine;
    for (const line of this.marks) {
      line.classList.remove("current");
      line.firstChild.replaceChildren();
    }
    this.marks = [];
    const page = this.pages.get(this.file);
    if (!page) return;
    last.forEach((n, lane) => {
      const line = n >= 0 && events.file[n] === this.file ? page.lines.get(events.line[n]) : null;
      if (!line) return;
      line.firstChild.append(make("span", { class: `here ${hue(lane)}`, title: this.machine.story.threads[lane] }));
      this.marks.push(line);
    });
    const line = at >= 0 && events.file[at] === this.file ? page.lines.get(events.line[at]) : null;
    if (line) {
      line.classList.add("current");
      this.marks.push(line);
    }
  }

  /** Brings the line of the current step into sight. */
  follow() {
    const { events, at } = this.machine;
    const file = at >= 0 ? events.file[at] : -1;
    if (file < 0 || !this.listings[file]) return;
    this.open(file);
    const line = this.pages.get(file).lines.get(events.line[at]);
    if (line) reveal(this.code, line.offsetTop, line.offsetHeight);
  }
}
