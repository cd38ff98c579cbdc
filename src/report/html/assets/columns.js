// The table's columns: head, width, what a cell shows and what it is sorted by. With two runs a cell has two lines, the
// baseline above the run. A column that says nothing of this run is left out until it is asked for.

const CLASS_ORDER = Object.keys(CLASSES);
const MEASURES_SHOWN = 4;

/** All columns of the index, each with `shown`: whether it is there to begin with. */
function columnsOf(index) {
  const [run, baseline] = index.runs;
  const rows = run.rows;
  const some = (test) => rows.some(test);
  const two = (build) => (row) => sideCells(index, row, build);
  const text = (key) => two((side) => shown(side[key] || "", CELL_UNITS / 2));
  const lower = (key) => (row) => (row[key] || "").slice(0, CELL_UNITS).toLowerCase();
  const fixed = (key, head, width, cell, sortKey, isShown) => ({ key, head, width, cell, sortKey, shown: isShown });
  const number = (key, head, width, value, print, isShown) => ({
    ...fixed(key, head, width, two((side) => figure(value(side), print)), value, isShown),
    isNumber: true,
  });
  return [
    { ...fixed("number", "#", "3.6rem", (row, at) => make("span", { class: "rx-soft" }, thousands(at + 1)), (row, at) => at, true), isNumber: true },
    fixed("question", "question", "minmax(15rem, 3fr)", null, lower("text"), true),
    baseline && fixed("turn", "turn", "5.4rem", turnCell, (row) => row.other && row.other.turn, true),
    fixed("class", "class", "minmax(9rem, 0.8fr)", two(classCell), (row) => classKey(row), true),
    fixed("flags", "flags", "7.4rem", flagsCell, (row) => (row.flags || []).join(" "), some((row) => row.flags)),
    fixed("kind", "kind", "4.6rem", (row) => spoken(row.kind), (row) => row.kind, some((row) => row.kind !== rows[0].kind)),
    fixed("tags", "tags", "6.4rem", tagsCell, (row) => (row.tags || []).join(" ").toLowerCase(), some((row) => row.tags)),
    fixed("gold", "gold", "minmax(7rem, 1.2fr)", (row) => shown(row.gold || "", CELL_UNITS / 2), lower("gold"), some((row) => row.gold)),
    fixed("answer", "answer", "minmax(7rem, 1.2fr)", text("answer"), lower("answer"), some((row) => row.answer)),
    ...run.measures.map((name, at) => number(name, name, headWidth(name), (side) => side.scores[at], measured, at < MEASURES_SHOWN)),
    number("seconds", "seconds", "4.9rem", (side) => side.seconds, (seconds) => seconds.toFixed(2), true),
    number("tokens", "tokens", "4.6rem", (side) => side.tokens, thousands, some((row) => row.tokens > 0)),
  ].filter(Boolean);
}

/** A column of figures is as wide as its head, which breaks before its cutoff. */
function headWidth(name) {
  const longest = Math.max(...name.split("@").map((part) => part.length));
  return `${Math.max(3.6, longest * 0.52 + 1.4)}rem`;
}

/** One cell's contents for one run, two lines for two. */
function sideCells(index, row, build) {
  if (index.runs.length < 2) return build(row);
  const other = otherRow(index, row);
  const line = (label, content) => make("span", { class: "rx-line" }, make("span", { class: "rx-ab" }, label), " ", content);
  return [line("A", other ? build(other) : "–"), line("B", build(row))];
}

function figure(value, print) {
  const text = value === null || value === undefined ? "–" : print(value);
  return make("span", { class: text === "0" || text === "–" ? "rx-figure rx-soft" : "rx-figure" }, text);
}

/** By stage of the loss, then by fault. */
function classKey(row) {
  const at = CLASS_ORDER.indexOf(row.class);
  return `${String(at < 0 ? 99 : at).padStart(2, "0")} ${row.fault || ""}`;
}

function classCell(row) {
  return [classBadge(row.class), row.fault ? make("span", { class: "rx-fault" }, ` ${spoken(row.fault)}`) : ""];
}

/** A class's name with a sign of whether it is a loss: never colour alone. */
function classBadge(name) {
  const [tone, meaning] = CLASSES[name] || ["plain", ""];
  const glyph = make("span", { class: "rx-glyph", "aria-hidden": "true" }, TONE_GLYPHS[tone]);
  return make("span", { class: `rx-class rx-${tone}`, title: meaning || null }, glyph, " ", spoken(name));
}

function flagsCell(row) {
  return make("span", { class: "rx-flags" }, (row.flags || []).map(spoken).join(", "));
}

function tagsCell(row) {
  return make("span", { class: "rx-soft" }, shown((row.tags || []).join(", "), CELL_UNITS / 2));
}

function turnCell(row) {
  if (!row.other) return make("span", { class: "rx-soft" }, "not in A");
  return row.other.turn ? turnBadge(row.other.turn) : make("span", { class: "rx-soft" }, row.other.differs ? "differs" : "same");
}

function turnBadge(turn) {
  const [glyph, meaning] = TURNS[turn] || ["", ""];
  return make("span", { class: `rx-turn rx-turn-${turn}`, title: meaning }, make("span", { "aria-hidden": "true" }, glyph), ` ${turn}`);
}
