// The passages of a question in one table: a row for each that any stage returned or that holds gold, a column for each
// stage with its rank and score there. One table and not a list a stage, since stages return much the same passages: each
// text is there once, and a row reads as that passage's way through the pipeline. A stage's head orders by its ranking.

/** Numbers of all passages that a side's detail names. */
function numbersOf(detail) {
  const hits = detail.stages.flatMap((stage) => [...ranksOf(stage).keys()]);
  const prompts = (detail.arms || []).flatMap((arm) => arm.attempts.flatMap((attempt) => attempt.passages));
  return [...new Set([...hits, ...goldPassages(detail), ...prompts])];
}

/** The part; `jump(number)` opens a passage in it. */
function passagesPart(sides, passages, hasText, depth) {
  const columns = sides.flatMap((side) => side.detail.stages.map((stage) => ({ side, stage, ranks: ranksOf(stage) })));
  const shownAt = new Set(columns.flatMap(({ ranks }) => [...ranks.keys()]));
  const gold = new Set(sides.flatMap(({ detail }) => [...goldPassages(detail)]));
  const rows = [...new Set([...shownAt, ...gold])];
  const bodies = new Map();
  const table = make("table", { class: "rx-table rx-passages" });
  const order = (column) => {
    table.replaceChildren(passagesHead(sides, columns, column, order));
    for (const number of inOrder(rows, columns, column)) {
      if (!bodies.has(number)) bodies.set(number, passageRow(number, { sides, columns, passages, gold, hasText }));
      table.append(bodies.get(number));
    }
  };
  order(finalColumn(columns));
  const most = columns.some(({ stage }) => stage.n_hits > stage.hits.length)
    ? ` A dash: not among the first ${depth} there.`
    : " A dash: not returned there.";
  const section = make(
    "section",
    { "data-part": "passages", class: "rx-part" },
    make("h3", {}, "Passages"),
    legend(hasText, most),
    make("div", { class: "rx-scroll" }, table),
  );
  const jump = (number) => {
    const body = bodies.get(number);
    if (!body) return;
    body.scrollIntoView({ block: "center", behavior: isCalm() ? "auto" : "smooth" });
    body.querySelector("th").focus({ preventScroll: true });
  };
  return { section, jump };
}

function isCalm() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

function legend(hasText, most) {
  const marks = hasText
    ? [
        make("mark", { class: "gold" }, "gold"),
        " evidence, ",
        make("mark", { class: "answer" }, "answer"),
        " an answer string, ",
        make("mark", { class: "gold answer" }, "both"),
        ". ",
      ]
    : ["Texts are left out of this file. "];
  return make(
    "p",
    { class: "rx-legend rx-soft" },
    ...marks,
    "Rank, then score, at each stage; a stage's name orders by it.",
    most,
  );
}

/** The last ranking before packing: what the pipeline made of it in the end. */
function finalColumn(columns) {
  const rankings = columns.filter(({ stage }) => stage.stage !== "packed");
  return rankings[rankings.length - 1] || columns[columns.length - 1];
}

/** By rank in one stage; those it does not have by their best rank elsewhere. */
function inOrder(rows, columns, column) {
  const best = (number) => Math.min(...columns.map(({ ranks }) => ranks.get(number) || Infinity));
  const key = (number) => [(column && column.ranks.get(number)) || Infinity, best(number), number];
  const keys = new Map(rows.map((number) => [number, key(number)]));
  const compare = (a, b) => (a === b ? 0 : a < b ? -1 : 1);
  return [...rows].sort((a, b) => {
    const [left, right] = [keys.get(a), keys.get(b)];
    return compare(left[0], right[0]) || compare(left[1], right[1]) || compare(left[2], right[2]);
  });
}

function passagesHead(sides, columns, chosen, order) {
  const heads = columns.map((column) => {
    const button = make(
      "button",
      { type: "button", class: "rx-sort" },
      spoken(column.stage.stage),
      column === chosen ? make("span", { class: "rx-arrow", "aria-hidden": "true" }, "▲") : "",
    );
    button.addEventListener("click", () => order(column));
    return make(
      "th",
      {
        scope: "col",
        class: startsSide(column, columns) ? "rx-number rx-first" : "rx-number",
        "aria-sort": column === chosen ? "ascending" : "none",
      },
      button,
    );
  });
  const groups = sides.map((side) =>
    make("th", { colspan: String(side.detail.stages.length), scope: "colgroup", class: "rx-first" }, sideHeading(side)),
  );
  const first = sides.length > 1 ? make("tr", {}, make("td", {}), ...groups) : null;
  return make("thead", {}, first, make("tr", {}, make("th", { scope: "col" }, "passage"), ...heads));
}

function startsSide(column, columns) {
  const at = columns.indexOf(column);
  return at > 0 && columns[at - 1].side !== column.side;
}

/** Two lines of the table: name and ranks, then the text and what the scores are made of. */
function passageRow(number, { sides, columns, passages, gold, hasText }) {
  const passage = passages.get(number);
  const marks = marksOf(sides, number);
  const name = make(
    "th",
    { scope: "row", tabindex: "-1" },
    gold.has(number) ? make("span", { class: "rx-badge rx-badge-gold" }, "★ gold") : "",
    marks.answer ? make("span", { class: "rx-badge rx-badge-answer" }, "answer") : "",
    passageName(passage),
  );
  const cells = columns.map((column) => rankCell(number, column, columns, gold.has(number)));
  const text = make(
    "td",
    { colspan: String(columns.length + 1) },
    hasText ? excerpted(passage.text, marks) : "",
    explained(number, columns, sides),
  );
  return make(
    "tbody",
    { class: gold.has(number) ? "rx-is-gold" : null, "data-passage": String(number) },
    make("tr", { class: "rx-passage-head" }, name, ...cells),
    make("tr", { class: "rx-passage-text" }, text),
  );
}

function passageName(passage) {
  const [start, end] = passage.range;
  const bytes = `bytes ${thousands(start)}–${thousands(end)}`;
  const title = passage.title ? [make("span", { class: "rx-title" }, shown(passage.title, 120)), " "] : [];
  return [...title, make("span", { class: "rx-under" }, shown(passage.id, 120), ` ${bytes}`)];
}

/** Highlights of a passage; sides have the same golds, so the last that has some speaks. */
function marksOf(sides, number) {
  const found = sides.map(({ detail }) => (detail.marks || {})[number]).filter(Boolean);
  return found[found.length - 1] || {};
}

function rankCell(number, column, columns, isGold) {
  const { stage, ranks } = column;
  const rank = ranks.get(number);
  const attributes = {
    class: startsSide(column, columns) ? "rx-number rx-first" : "rx-number",
    "data-stage": `${column.side.label} ${spoken(stage.stage)}`.trim(),
  };
  if (!rank) return make("td", { ...attributes, class: `${attributes.class} rx-missing` }, "–");
  const hit = stage.hits[rank - 1];
  const isBelow = !hit || hit.passage !== number;
  const under = isBelow ? "gold" : stage.stage === "packed" ? "" : scored(hit.score);
  const title = isBelow && isGold ? `gold came ${ordinal(rank)}` : null;
  return make(
    "td",
    { ...attributes, title },
    make("b", { class: "rx-rank-number" }, isBelow ? ordinal(rank) : String(rank)),
    under ? make("span", { class: "rx-score" }, under) : "",
  );
}
