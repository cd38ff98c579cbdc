// What a passage's score is made of: BM25 and TF-IDF by the question's terms, a fusion by retriever, the largest part first.
// A bar says how large a part is beside the largest, the figure says how large it is. Built when somebody asks for it.

const MOST_PARTS = 60;

/** What the passage's scores are made of, stage by stage. */
function explained(number, columns, sides) {
  const hits = columns
    .map((column) => ({ ...column, hit: column.stage.hits.find((hit) => hit.passage === number) }))
    .filter(({ hit }) => hit && hit.parts && Object.keys(hit.parts).length);
  if (hits.length === 0) return "";
  return folding("scores explained", () =>
    make(
      "div",
      { class: "rx-explained" },
      ...hits.map(({ stage, hit, side }) => explanation(stage, hit, sides.length > 1 ? `${side.label} ` : "")),
    ),
  );
}

function explanation(stage, hit, label) {
  const parts = Object.entries(hit.parts).sort((a, b) => Math.abs(b[1]) - Math.abs(a[1]) || (a[0] < b[0] ? -1 : 1));
  const most = Math.max(...parts.map(([, value]) => Math.abs(value))) || 1;
  const rows = parts.slice(0, MOST_PARTS).map(([term, value]) => {
    const bar = make("span", { class: "rx-bar" });
    bar.style.width = `${(100 * Math.abs(value)) / most}%`;
    const name = stage.stage === "fused" ? spoken(term) : shown(term, 60);
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      make("td", { class: "rx-bar-cell", "aria-hidden": "true" }, bar),
      make("td", { class: "rx-number" }, scored(value)),
    );
  });
  const of = stage.stage === "fused" ? "by retriever" : "by term";
  return make(
    "table",
    { class: "rx-parts" },
    make("caption", {}, `${label}${spoken(stage.stage)} ${scored(hit.score)}, ${of}`),
    make("tbody", {}, ...rows),
  );
}
