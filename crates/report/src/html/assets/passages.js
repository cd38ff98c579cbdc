// The passages of a question in one table: a row for each that any stage returned or that holds gold, a column for each
// stage with its rank and score there. One table instead of a list per stage, since stages return mostly the same passages:
// each text is shown once, and a row is that passage's path through the pipeline. A stage's head sorts by its ranking.

/** Numbers of all passages that a side's detail names. */
function numbersOf(detail) {
  const hits = detail.stages.flatMap((stage) => [...ranksOf(stage).keys()]);
  const prompts = (detail.conditions || []).flatMap((condition) => condition.attempts.flatMap((attempt) => attempt.passages));
  return [...new Set([...hits, ...goldPassages(detail), ...prompts])];
}

/** The part; `jump(number)` opens a passage in it. */
function passagesPart(sides, passages, hasText, depth) {
  const columns = sides.flatMap((side) => side.detail.stages.map((stage) => ({ side, stage, ranks: ranksOf(stage) })));
  const shownAt = new Set(columns.flatMap(({ ranks }) => [...ranks.keys()]));
  const gold = new Map(sides.map((side) => [side, goldPassages(side.detail)]));
  const named = new Map(sides.map((side) => [side, new Set(numbersOf(side.detail))]));
  const rows = [...new Set([...shownAt, ...[...gold.values()].flatMap((numbers) => [...numbers])])];
  const bodies = new Map();
  const table = make("table", { class: "rx-table rx-passages" });
  const order = (column) => {
    table.replaceChildren(passagesHead(sides, columns, column, order));
    for (const number of inOrder(rows, columns, column)) {
      if (!bodies.has(number)) bodies.set(number, passageRow(number, { sides, columns, passages, gold, named, hasText }));
      table.append(bodies.get(number));
    }
  };
  order(finalColumn(columns));
  const most = columns.some(({ stage }) => stage.n_hits > stage.hits.length)
    ? ` A dash: not in the first ${depth} of that stage.`
    : " A dash: not returned by that stage.";
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
    : ["This file omits texts. "];
  return make(
    "p",
    { class: "rx-legend rx-soft" },
    ...marks,
    "Rank, then score, at each stage; select a stage's name to sort by it.",
    most,
  );
}

/** The last ranking before packing. */
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

/** Two lines of the table: name and ranks, then the text and the parts of the scores. */
function passageRow(number, { sides, columns, passages, gold, named, hasText }) {
  const passage = passages.get(number);
  const marked = marksOf(
    sides.filter((side) => named.get(side).has(number)),
    number,
  );
  const isGold = sides.some((side) => gold.get(side).has(number));
  const name = make(
    "th",
    { scope: "row", tabindex: "-1" },
    ...goldBadges(number, sides, gold, named),
    marked.some(({ marks }) => marks.answer) ? make("span", { class: "rx-badge rx-badge-answer" }, "answer") : "",
    passageName(passage),
  );
  const cells = columns.map((column) => rankCell(number, column, columns, gold.get(column.side).has(number)));
  const texts = hasText ? marked.flatMap((one) => textOf(passage, one)) : [];
  const text = make("td", { colspan: String(columns.length + 1) }, ...texts, explained(number, columns, sides));
  return make(
    "tbody",
    { class: isGold ? "rx-is-gold" : null, "data-passage": String(number) },
    make("tr", { class: "rx-passage-head" }, name, ...cells),
    make("tr", { class: "rx-passage-text" }, text),
  );
}

/** The badge of gold passages, with the side if only one has the label. */
function goldBadges(number, sides, gold, named) {
  const asked = sides.filter((side) => named.get(side).has(number));
  const having = asked.filter((side) => gold.get(side).has(number));
  const badge = (words) => make("span", { class: "rx-badge rx-badge-gold" }, words);
  if (having.length === asked.length) return having.length ? [badge("★ gold")] : [];
  return having.map((side) => badge(`★ gold in ${side.label}`));
}

/** The text with one side's highlights, labelled with the side if sides differ. */
function textOf(passage, { label, marks }) {
  const head = label ? [make("p", { class: "rx-soft" }, `highlights of ${label}`)] : [];
  return [...head, excerpted(passage.text, marks)];
}

/** Highlights of a passage by side, `{ label, marks }`: once if the sides agree; gold may differ between runs. */
function marksOf(sides, number) {
  const own = sides.map((side) => ({ label: side.label, marks: (side.detail.marks || {})[number] || {} }));
  const isOne = own.every(({ marks }) => JSON.stringify(marks) === JSON.stringify(own[0].marks));
  return isOne ? own.slice(0, 1).map(({ marks }) => ({ label: "", marks })) : own;
}

function passageName(passage) {
  const [start, end] = passage.range;
  const bytes = `bytes ${thousands(start)}–${thousands(end)}`;
  const title = passage.title ? [make("span", { class: "rx-title" }, shown(passage.title, 120)), " "] : [];
  return [...title, make("span", { class: "rx-under" }, shown(passage.id, 120), ` ${bytes}`)];
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
  const title = isBelow && isGold ? `gold evidence at rank ${rank}` : null;
  return make(
    "td",
    { ...attributes, title },
    make("b", { class: "rx-rank-number" }, isBelow ? ordinal(rank) : String(rank)),
    under ? make("span", { class: "rx-score" }, under) : "",
  );
}
