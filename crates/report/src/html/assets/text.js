// Inserts untrusted text (corpus, questions, answers) into the page, only as text nodes and only here. Control characters
// are shown as their pictures, invisible and bidirectional ones as their code point in a box, isolated from the text
// around. Only the display changes: ranges count in the raw text, and copying as JSON takes the raw text.

const CELL_UNITS = 200;
const NAME_UNITS = 2000;
const MOST_CODES = 6;
const PLAIN = /^[ -~]*$/;
const ODD = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]+/gu;
const ODD_BUT_LINES = /(?:(?![\n\t])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb])+/gu;

/** An element with attributes and children: nodes, or words of this script's own. Never for data: see `shown`. */
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== undefined && value !== null && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** A text of the data in one line of at most `most` UTF-16 units. */
function shown(raw, most = CELL_UNITS) {
  const element = make("bdi", { class: "rx-text", dir: "auto" });
  const end = raw.length > most ? boundary(raw, most) : raw.length;
  appendText(element, raw.slice(0, end), false);
  if (end < raw.length) element.append(make("span", { class: "rx-cut" }, "…"));
  return element;
}

/** A text of the data as a plain string, for places without elements such as options. */
function shownPlain(raw, most = 60) {
  const end = boundary(raw, Math.min(raw.length, most));
  const text = raw.slice(0, end).replace(ODD, (run) => `[${codes(run)}]`);
  return end < raw.length ? `${text}…` : text;
}

/** Appends `raw` to `parent` as text nodes and boxes; `lines`: line feeds and tabs stay. */
function appendText(parent, raw, lines) {
  if (PLAIN.test(raw)) {
    if (raw !== "") parent.append(document.createTextNode(raw));
    return;
  }
  let done = 0;
  for (const match of raw.matchAll(lines ? ODD_BUT_LINES : ODD)) {
    if (isAtHome(raw, match.index, match[0])) continue;
    if (match.index > done) parent.append(document.createTextNode(raw.slice(done, match.index)));
    parent.append(oddBox(match[0]));
    done = match.index + match[0].length;
  }
  if (done < raw.length) parent.append(document.createTextNode(raw.slice(done)));
}

/** Joiners between letters that are not ASCII, and a variation selector behind one: Persian, Hindi and emoji need them. */
function isAtHome(raw, at, run) {
  if (!/^(?:[\ufe00-\ufe0f]|\ufe0f?[\u200c\u200d])$/.test(run)) return false;
  const isWide = (unit) => unit > 0x7f;
  if (run.length === 1 && run >= "\ufe00") return isWide(raw.charCodeAt(at - 1)) || raw.charCodeAt(at + 1) === 0x20e3;
  return isWide(raw.charCodeAt(at - 1)) && isWide(raw.charCodeAt(at + run.length));
}

/** Characters that cannot be seen: pictures of controls, else code points in a box. */
function oddBox(run) {
  const pictures = /^[\0-\x1f\x7f]+$/.test(run) && run.length <= 40;
  const text = pictures ? Array.from(run, picture).join("") : codes(run);
  return make("span", { class: pictures ? "rx-odd rx-control" : "rx-odd", title: codes(run) }, text);
}

function picture(control) {
  const code = control.charCodeAt(0);
  return String.fromCharCode(code === 0x7f ? 0x2421 : 0x2400 + code);
}

function codes(run) {
  const points = Array.from(run.slice(0, MOST_CODES * 2)).slice(0, MOST_CODES);
  const names = points.map((point) => `U+${point.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  const rest = run.length - points.join("").length;
  return names.join(" ") + (rest > 0 ? ` and ${thousands(rest)} more` : "");
}

/** The nearest position at or before `at` that does not split a surrogate pair. */
function boundary(raw, at) {
  const unit = raw.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** Units `from` to `to` of `raw` with what `marks` says highlighted; gold and answer strings may overlap. One sweep over both. */
function appendMarked(parent, raw, from, to, marks) {
  const layers = ["gold", "answer"].map((name) => ({ name, ranges: marks[name] || [], next: 0 }));
  const made = document.createDocumentFragment();
  for (let at = from; at < to; ) {
    const [names, until] = pieceAt(layers, at, to);
    const target = names.length ? made.appendChild(make("mark", { class: names.join(" ") })) : made;
    appendText(target, raw.slice(at, until), true);
    at = until;
  }
  parent.append(made);
}

/** The layers that cover the unit at `at`, and the position where they change, at most `to`. Ranges ascend and do not overlap within a layer. */
function pieceAt(layers, at, to) {
  const names = [];
  let until = to;
  for (const layer of layers) {
    while (layer.next < layer.ranges.length && layer.ranges[layer.next][1] <= at) layer.next += 1;
    const range = layer.ranges[layer.next];
    if (!range) continue;
    if (range[0] <= at) names.push(layer.name);
    until = Math.min(until, range[0] <= at ? range[1] : range[0]);
  }
  return [names, until];
}
