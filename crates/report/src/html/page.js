// The page: the answers, the one that is open, the theme, the keys.

const THEMES = ["system", "light", "dark"];

class Theme {
  constructor() {
    this.button = make("button", { class: "small", onclick: () => this.next() });
    this.set(Theme.kept());
  }

  /** A page from a file may have no storage. */
  static kept() {
    try {
      const kept = localStorage.getItem("raddle-theme");
      return THEMES.includes(kept) ? kept : "system";
    } catch {
      return "system";
    }
  }

  set(theme) {
    this.theme = theme;
    if (theme === "system") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", theme);
    this.button.textContent = `◐ ${theme}`;
    this.button.setAttribute("aria-label", `Theme: ${theme}`);
    this.button.title = "Switch between the theme of the system, light and dark (t)";
    try {
      localStorage.setItem("raddle-theme", theme);
    } catch {
      // The theme lasts as long as the page.
    }
  }

  next() {
    this.set(THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length]);
  }
}

/** The keys, in a dialog. */
function help() {
  const keys = [["→ ↓ j", "next step"], ["← ↑ k", "previous step"], ["Page Down, Page Up", "ten steps"], ["Home, End", "first, last"],
    ["n, p", "next, previous step of the reason"], ["f", "fold steps without effect on other threads, or show all"],
    ["Enter", "open or fold the current stretch"], ["g", "enlarge the graph"], ["[ ]", "previous, next answer"],
    ["t", "switch the theme"], ["?", "this help"]];
  const rows = keys.map(([key, what]) => make("tr", {}, make("th", { scope: "row" }, make("kbd", { text: key })), make("td", { text: what })));
  const dialog = make("dialog", { class: "help", "aria-label": "Keys" }, make("h2", { text: "Keys" }), make("table", {}, make("tbody", {}, rows)),
    make("form", { method: "dialog" }, make("button", { text: "Close" })));
  return dialog;
}

/** Puts text on the clipboard; a page from a file may have to do it the old way. */
async function copy(text, button) {
  const before = button.textContent;
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = make("textarea", { class: "hidden", readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = done ? "Copied" : "Select the text to copy it";
  setTimeout(() => {
    button.textContent = before;
  }, 2000);
}

function copyButton(text, label) {
  const button = make("button", { class: "small", text: label, onclick: () => copy(text, button) });
  return button;
}

/** A command to run next. */
function next(answer) {
  if (!answer.next) return null;
  return make("p", { class: "next" }, make("span", { text: answer.next.why }), " ", make("code", { text: answer.next.command }), " ",
    copyButton(answer.next.command, "Copy"));
}

/** Fences, each with its reason, the changed lines, and the patch. */
function fencing(fences) {
  const placed = fences.fences.map((fence, n) => make("li", {}, make("b", { text: fence.title }), make("p", { text: fence.why }),
    fences.hunks.filter((hunk) => hunk.fences.includes(n)).map(changes)));
  const others = fences.hunks.filter((hunk) => hunk.fences.length === 0).map(changes);
  return make("div", { class: "fencing" }, make("h2", { text: fences.title }), make("ol", {}, placed),
    others.length > 0 ? [make("h3", { text: "What they need" }), others] : null,
    fences.patch ? make("section", { class: "patch", "aria-label": "Patch" },
      make("header", { class: "bar" }, make("h3", { text: "Patch" }), make("span", { class: "note", text: "for patch -p1 or git apply" }),
        make("span", { class: "spring" }), copyButton(fences.patch, "Copy")),
      make("pre", { class: "diff", tabindex: 0 }, fences.patch.replace(/\n$/, "").split("\n").map(difference))) : null);
}

function difference(line) {
  const kind = /^(\+\+\+|---)/.test(line) ? "file" : { "+": "added", "-": "removed", "@": "hunk" }[line[0]];
  return make("span", { class: kind, text: line });
}

function changes(hunk) {
  let number = hunk.first;
  const lines = hunk.lines.map((line) => {
    const count = line[0] === "+" ? "" : String(number);
    if (line[0] !== "+") number += 1;
    return make("span", { class: { "+": "added", "-": "removed" }[line[0]] }, make("span", { class: "count", text: count }), line);
  });
  const further = hunk.further > 0 ? make("p", { class: "note", text: `The same text is used elsewhere: there it is ${counted(hunk.further, "further fence")}.` }) : null;
  return make("div", {}, make("p", { class: "place", text: hunk.place }), make("pre", { class: "diff", tabindex: 0 }, lines), further);
}

/** A path without its first folders, if it has many. */
function short(path) {
  const parts = path.split("/");
  return parts.length <= 3 ? path : `…/${parts.slice(-2).join("/")}`;
}

class Page {
  constructor(data) {
    this.data = data;
    this.theme = new Theme();
    this.help = help();
    /** What can be opened: each answer with one of its findings, or alone. */
    this.entries = data.answers.flatMap((answer) => answer.findings.length > 0
      ? answer.findings.map((finding, n) => ({ answer, finding, first: n === 0 })) : [{ answer, finding: null, first: true }]);
    this.main = make("main");
    this.buttons = this.entries.map((entry, n) => this.button(entry, n));
    const list = this.entries.length > 1 ? make("nav", { class: "answers", "aria-label": "Answers" }, this.buttons) : null;
    this.element = make("div", { class: "app" }, this.header(), list, this.main, this.help);
  }

  header() {
    const files = [...new Set(this.data.answers.map((answer) => answer.file))];
    const command = this.data.command.map((word) => (/^[\w./,=:+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`)).join(" ");
    const title = files.length === 1 ? short(files[0]) : counted(files.length, "program");
    return make("header", { class: "top" }, make("h1", { text: title, title: files.join(" ") }), make("code", { class: "command", text: command, title: command }),
      make("span", { class: "spring" }), this.theme.button,
      make("button", { class: "small keys", text: "Keys", title: "Show the keys (?)", onclick: () => this.help.showModal() }));
  }

  /** The button of an entry in the list of answers. */
  button({ answer, finding }, n) {
    const files = new Set(this.data.answers.map((one) => one.file));
    return make("button", { class: "answer", onclick: () => this.open(n) },
      make("span", { class: `badge ${answer.tone}`, text: answer.verdict }), make("b", { text: answer.model }),
      files.size > 1 ? make("span", { text: answer.file }) : null,
      finding ? make("span", { class: "title", text: finding.title }) : null);
  }

  open(n) {
    const entry = this.entries[n];
    if (!entry) return;
    this.current = n;
    this.buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === n)));
    if (entry.finding && !entry.player) entry.player = new Player(entry.finding, this.data);
    const { answer } = entry;
    const verdict = make("div", { class: "verdict" }, make("span", { class: `badge ${answer.tone}`, text: answer.verdict }),
      make("span", { text: `under ${answer.model}` }),
      make("ul", { class: "notes" }, answer.notes.map((text) => make("li", { text }))));
    this.main.replaceChildren(...[verdict, answer.fences ? fencing(answer.fences) : null, entry.player ? entry.player.element : null,
      next(answer), make("footer", { class: "made", text: `raddle ${this.data.version}` })].filter(Boolean));
    this.player = entry.player;
    if (this.player) this.player.show();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || this.help.open) return;
    const { target } = event;
    const presses = target.closest("button, a, summary, [role=button]") && ["Enter", " "].includes(event.key);
    if (presses || target.matches("textarea, select") || (target.matches("input") && /^(Arrow|Page|Home|End)/.test(event.key))) return;
    const taken = this.command(event.key) || (this.player && this.player.key(event.key));
    if (taken) event.preventDefault();
  }

  command(key) {
    if (key === "t") this.theme.next();
    else if (key === "?") this.help.showModal();
    else if (key === "]") this.open(this.current + 1);
    else if (key === "[") this.open(this.current - 1);
    else return false;
    return true;
  }
}

const page = new Page(JSON.parse(document.getElementById("data").textContent));
document.getElementById("page").replaceChildren(page.element);
page.open(0);
document.addEventListener("keydown", (event) => page.key(event));
document.documentElement.setAttribute("data-ready", "true");
