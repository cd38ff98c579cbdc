// The passages of a question in one table: a row for each that any stage returned or that holds gold, a column for each
// stage with its rank and score there. One table instead of a list per stage, since stages return mostly the same passages:
// each text is shown once, and a row is that passage's path through the pipeline. A stage's head sorts by its ranking.

/** Numbers of all passages that a detail names. */
function numbersOf(detail) {
  const hits = detail.stages.flatMap((stage) => [...ranksOf(stage).keys()]);
  const prompts = (detail.conditions || []).flatMap((condition) => condition.attempts.flatMap((attempt) => attempt.passages));
  return [...new Set([...hits, ...goldPassages(detail), ...prompts])];
}

/** The part; `jump(number)` opens a passage in it. */
function passagesPart({ detail }, passages, hasText, depth) {
  const columns = detail.stages.map((stage) => ({ stage, ranks: ranksOf(stage) }));
  const shownAt = new Set(columns.flatMap(({ ranks }) => [...ranks.keys()]));
  const gold = goldPassages(detail);
  const rows = [...new Set([...shownAt, ...gold])];
  const bodies = new Map();
  const table = make("table", { class: "rx-table rx-passages" });
  const order = (column) => {
    table.replaceChildren(passagesHead(columns, column, order));
    for (const number of inOrder(rows, columns, column)) {
      if (!bodies.has(number)) bodies.set(number, passageRow(number, { detail, columns, passages, gold, hasText }));
      table.append(bodies.get(number));
    }
  };
  order(finalColumn(columns));
  const most = columns.some(({ stage }) => stage.n_hits > stage.hits.length)
    ? ` A dash: not in the first ${depth} of that stage.`
    : " A dash: not returned by that stage.";
  const section = part("passages", "Passages", [legend(hasText, most), make("div", { class: "rx-scroll" }, table)]);
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

function passagesHead(columns, chosen, order) {
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
        class: "rx-number",
        "aria-sort": column === chosen ? "ascending" : "none",
      },
      button,
    );
  });
  return make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "passage"), ...heads));
}

/** Two lines of the table: name and ranks, then the text and the parts of the scores. */
function passageRow(number, { detail, columns, passages, gold, hasText }) {
  const passage = passages.get(number);
  const marks = (detail.marks || {})[number] || {};
  const isGold = gold.has(number);
  const name = make(
    "th",
    { scope: "row", tabindex: "-1" },
    isGold ? make("span", { class: "rx-badge rx-badge-gold" }, "★ gold") : "",
    marks.answer ? make("span", { class: "rx-badge rx-badge-answer" }, "answer") : "",
    passageName(passage),
  );
  const cells = columns.map((column) => rankCell(number, column, isGold));
  const excerpt = hasText ? excerpted(passage.text, marks) : "";
  const text = make("td", { colspan: String(columns.length + 1) }, excerpt, explained(number, columns));
  return make(
    "tbody",
    { class: isGold ? "rx-is-gold" : null, "data-passage": String(number) },
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

function rankCell(number, { stage, ranks }, isGold) {
  const rank = ranks.get(number);
  const attributes = {
    class: "rx-number",
    "data-stage": spoken(stage.stage),
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
