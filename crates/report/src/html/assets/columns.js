// The table's columns: head, width, content and sort key of a cell. Shown at first are the question, its class, where its evidence went, gold answer and answer.

const CLASS_ORDER = Object.keys(CLASSES);

/** All columns of the index, each with `shown`: true if it is visible at first. */
function columnsOf(index) {
  const { rows, metrics } = index.run;
  const some = (test) => rows.some(test);
  const text = (key) => (row) => shown(row[key] || "", CELL_UNITS / 2);
  const lower = (key) => (row) => (row[key] || "").slice(0, CELL_UNITS).toLowerCase();
  const fixed = (key, head, width, cell, sortKey, isShown) => ({ key, head, width, cell, sortKey, shown: isShown });
  const metric = (name, at) => {
    const value = (row) => row.scores[at];
    const cell = (row) => figure(value(row));
    return { ...fixed(name, name, [headWidth(name), 0], cell, value, false), isNumber: true };
  };
  return [
    {
      ...fixed(
        "number",
        "#",
        [2.8, 0],
        (row, at) => make("span", { class: "rx-soft" }, thousands(at + 1)),
        (row, at) => at,
        true,
      ),
      isNumber: true,
    },
    fixed("question", "question", [12.6, 3], null, lower("text"), true),
    fixed("class", "class", [9.5, 0], classCell, (row) => classKey(row), true),
    fixed("evidence", "evidence", [12.6, 3], text("reason"), lower("reason"), true),
    fixed(
      "flags",
      "flags",
      [6.4, 0],
      flagsCell,
      (row) => (row.flags || []).join(" "),
      false,
    ),
    fixed(
      "kind",
      "kind",
      [3.4, 0],
      (row) => spoken(row.kind),
      (row) => row.kind,
      false,
    ),
    fixed(
      "tags",
      "tags",
      [6.6, 0],
      tagsCell,
      (row) => (row.tags || []).join(" ").toLowerCase(),
      false,
    ),
    fixed(
      "gold",
      "gold",
      [6.6, 1],
      text("gold"),
      lower("gold"),
      some((row) => row.gold),
    ),
    fixed(
      "answer",
      "answer",
      [6.6, 1],
      text("answer"),
      lower("answer"),
      some((row) => row.answer),
    ),
    ...metrics.map(metric),
  ];
}

/** A column's width for the grid: a minimum in ems, and a share of the remaining width. */
function gridWidth({ width: [least, share] }) {
  return share ? `minmax(${least}em, ${share}fr)` : `${least}em`;
}

/** The pieces at which the head of a column may break: `Evidence`, `Recall`, `@5`. */
function headPieces(name) {
  return name.split(/(?=@)|(?<=[a-z])(?=[A-Z])/);
}

/** A column of figures is as wide as the longest piece of its head. */
function headWidth(name) {
  const longest = Math.max(...headPieces(name).map((piece) => piece.length));
  return Math.max(3.2, longest * 0.62 + 0.7);
}

function figure(value) {
  const text = measured(value);
  return make("span", { class: text === "0" || text === "–" ? "rx-figure rx-soft" : "rx-figure" }, text);
}

/** The worst class first, then by fault. */
function classKey(row) {
  const at = CLASS_ORDER.indexOf(row.class);
  return `${String(at < 0 ? 99 : at).padStart(2, "0")} ${row.fault || ""}`;
}

function classCell(row) {
  return [classBadge(row.class), row.fault ? make("span", { class: "rx-fault" }, ` ${row.fault}`) : ""];
}

/** A class's name with a sign that marks a loss without relying on colour. */
function classBadge(name) {
  const [tone, meaning] = meant(CLASSES, name) || ["plain", ""];
  const glyph = make("span", { class: "rx-glyph", "aria-hidden": "true" }, TONE_GLYPHS[tone]);
  return make("span", { class: `rx-class rx-${tone}`, title: meaning || null }, glyph, " ", name);
}

function flagsCell(row) {
  return make("span", { class: "rx-flags" }, (row.flags || []).map(spoken).join(", "));
}

function tagsCell(row) {
  return make("span", { class: "rx-soft" }, shown((row.tags || []).join(", "), CELL_UNITS / 2));
}
