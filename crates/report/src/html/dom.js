// Making elements. Text from programs becomes text nodes, here and nowhere else.

const SVG = "http://www.w3.org/2000/svg";

/** Characters that change how the text around them is drawn, or that are not drawn at all: `ir::text::is_hidden`. */
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** Text in which every character can be seen: a name must not reorder or hide what stands beside it. */
function visible(text) {
  return String(text).replace(INVISIBLE, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/** Sets properties of an element: `on…` is a listener, `text` its text, all others are attributes. */
function equip(element, properties) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") element.textContent = visible(value);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : visible(value));
  }
  return element;
}

/** An element with children: elements, strings, and lists of them. */
function make(tag, properties = {}, ...children) {
  return fill(equip(document.createElement(tag), properties), ...children);
}

/** Adds children; null is none. */
function fill(element, ...children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(typeof child === "string" ? visible(child) : child);
  }
  return element;
}

/** The text of a name that may be broken where a part of it ends. */
function breakable(name) {
  return name.split(/(?<=[.\]])/).flatMap((part, n) => (n > 0 ? [make("wbr"), part] : [part]));
}

/** An element of a drawing, as `make`. */
function draw(tag, properties = {}, ...children) {
  const element = equip(document.createElementNS(SVG, tag), properties);
  element.append(...children.flat());
  return element;
}

/** `1 step`, `2 steps`. */
function counted(count, noun) {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The class of a thread's colour. */
function hue(lane) {
  return `hue${lane % 8}`;
}

/** Scrolls a container, and nothing around it, until something in it is well inside. */
function reveal(container, top, height) {
  const margin = Math.min(90, container.clientHeight / 4);
  if (top - margin < container.scrollTop) {
    container.scrollTop = top - margin;
  } else if (top + height + margin > container.scrollTop + container.clientHeight) {
    container.scrollTop = top + height + margin - container.clientHeight;
  }
}
