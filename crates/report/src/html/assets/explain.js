// The parts of a passage's score: BM25 and TF-IDF by the question's terms, a fusion by retriever, the largest part first.
// A bar shows a part relative to the largest; score and parts have the same decimals, so that they add up. Scores that a
// stage only passes on are shown as a sentence. Built on request.

const MOST_PARTS = 60;
const PART_DECIMALS = 4;

/** Stages whose only part is not a term of the score: the part's name and its description. */
const CARRIED = {
  reranked: ["before", "score before reranking"],
  external: ["given", "score as recorded"],
};

/** The parts of the passage's scores, stage by stage. */
function explained(number, columns) {
  const hits = columns
    .map((column) => ({ ...column, hit: column.stage.hits.find((hit) => hit.passage === number) }))
    .filter(({ hit }) => hit && hit.parts && Object.keys(hit.parts).length);
  if (hits.length === 0) return "";
  return folding("scores explained", () =>
    make(
      "div",
      { class: "rx-explained" },
      ...hits.map(({ stage, hit }) => explanation(stage, hit)),
    ),
  );
}

function explanation(stage, hit) {
  const head = `${spoken(stage.stage)} ${partOf(hit.score)}`;
  const [name, words] = meant(CARRIED, stage.stage) || [];
  if (name !== undefined && Object.hasOwn(hit.parts, name))
    return make("p", { class: "rx-carried" }, `${head}; ${words}: ${partOf(hit.parts[name])}`);
  const parts = Object.entries(hit.parts).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || (a[0] < b[0] ? -1 : 1));
  const most = Math.max(...parts.slice(0, 1).map(([, value]) => Math.abs(value))) || 1;
  const isFusion = stage.stage === "fused";
  const rows = parts
    .slice(0, MOST_PARTS)
    .map(([term, value]) => partRow(isFusion ? spoken(term) : shown(term, 60), value, most));
  return make(
    "table",
    { class: "rx-parts" },
    make("caption", {}, `${head}, ${isFusion ? "by retriever" : "by term"}`),
    make("tbody", {}, ...rows, restRow(parts.slice(MOST_PARTS))),
  );
}

function partRow(name, value, most) {
  const bar = make("span", { class: "rx-bar" });
  bar.style.width = `${(100 * Math.abs(value)) / most}%`;
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, name),
    make("td", { class: "rx-bar-cell", "aria-hidden": "true" }, bar),
    make("td", { class: "rx-number" }, partOf(value)),
  );
}

/** The parts that are not listed, with their sum. */
function restRow(parts) {
  if (parts.length === 0) return null;
  const sum = parts.reduce((all, [, value]) => all + value, 0);
  return make(
    "tr",
    {},
    make("th", { scope: "row", class: "rx-soft" }, `and ${thousands(parts.length)} more`),
    make("td", { class: "rx-bar-cell", "aria-hidden": "true" }),
    make("td", { class: "rx-number" }, partOf(sum)),
  );
}

function partOf(value) {
  return Number.isFinite(value) ? value.toFixed(PART_DECIMALS) : "–";
}
