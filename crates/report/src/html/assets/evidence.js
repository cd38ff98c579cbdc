// The evidence groups with the passages that contain them and their rank at every stage, then the stages themselves.

const RANKS_TOLD = 12;

/** Ranks from 1 by passage of one stage: those shown, and gold passages below them. */
function ranksOf(stage) {
  const ranks = new Map(stage.hits.map((hit, at) => [hit.passage, at + 1]));
  for (const { passage, rank } of stage.gold_below || []) ranks.set(passage, rank);
  return ranks;
}

/** The passages with gold that this file has, by number: those that hold a byte of the evidence. */
function goldPassages(detail) {
  const places = (detail.gold || []).flat();
  const below = detail.stages.flatMap((stage) => (stage.gold_below || []).map(({ passage }) => passage));
  const hits = detail.stages.flatMap((stage) => stage.hits.filter((hit) => hit.is_gold).map((hit) => hit.passage));
  const marked = Object.entries(detail.marks || {}).filter(([, marks]) => marks.gold && marks.gold.length);
  const held = places.flatMap((place) => place.passages);
  return new Set([...held, ...below, ...hits, ...marked.map(([number]) => Number(number))]);
}

/** The total number of gold passages: `[number, true if it may be more]`, since pieces of evidence may share passages. */
function goldCount(detail, gold) {
  const places = (detail.gold || []).flat();
  if (places.every((place) => heldIn(place) <= place.passages.length)) return [gold.size, false];
  return [Math.max(gold.size, ...places.map(heldIn)), places.length > 1];
}

/** The number of passages that contain a piece of evidence. */
function heldIn(place) {
  return place.n_passages === undefined ? place.passages.length : place.n_passages;
}

function evidencePart(side, passages, jump) {
  return part("evidence", "Evidence", evidenceOf(side, passages, jump));
}

function evidenceOf({ detail }, passages, jump) {
  const groups = detail.gold || [];
  const lead = make(
    "p",
    { class: "rx-soft" },
    supportWords(detail.documents, "The documents"),
    "; ",
    supportWords(detail.chunks, "all chunks together"),
    ".",
  );
  if (groups.length === 0) return [make("p", {}, "No evidence is labelled."), lead];
  const items = groups.map((places) => {
    const name = places.length > 1 ? make("p", { class: "rx-soft" }, "any one of") : null;
    return make("li", {}, name, ...places.map((place) => placeOfGold(place, detail, passages, jump)));
  });
  const needed =
    groups.length > 1
      ? make("p", { class: "rx-soft" }, groups.length === 2 ? "Both are needed:" : `All ${groups.length} are needed:`)
      : null;
  return [needed, make("ol", { class: "rx-evidence" }, ...items), lead].filter(Boolean);
}

function placeOfGold(place, detail, passages, jump) {
  const ranges = place.ranges.slice(0, 12).map(([start, end]) => `${thousands(start)}–${thousands(end)}`);
  const more = place.ranges.length > 12 ? ` and ${place.ranges.length - 12} more` : "";
  const where = ranges.length ? `bytes ${ranges.join(", ")}${more}` : "the document as a whole";
  const head = make("div", {}, make("b", {}, shown(place.doc)), " ", make("span", { class: "rx-soft" }, where));
  if (!place.present) head.append(make("span", { class: "rx-absent" }, " ✗ not in the corpus"));
  const held = place.passages.map((number) => heldBy(number, detail, passages, jump));
  const list = held.length ? make("ul", { class: "rx-held" }, ...held) : null;
  const words = heldWords(place);
  return make("div", { class: "rx-place" }, head, list, words ? make("p", { class: "rx-soft" }, words) : null);
}

/** A note on the passages that contain a piece of evidence, if not all of them are listed. */
function heldWords(place) {
  const all = heldIn(place);
  if (all > place.passages.length)
    return `${thousands(place.passages.length)} of ${counted(all, "passage")} are in this file`;
  if (all > 0 || !place.present) return "";
  return place.ranges.length ? "no passage contains a byte of it" : "no passage is from it";
}

/** A passage that holds gold, with its rank at every stage. */
function heldBy(number, detail, passages, jump) {
  const button = make("button", { type: "button", class: "rx-link" }, shown(nameOf(passages.get(number), number), 80));
  button.addEventListener("click", () => jump(number));
  const ranks = detail.stages.map((stage) => {
    const rank = ranksOf(stage).get(number);
    const words = rank ? `${spoken(stage.stage)} ${ordinal(rank)}` : `${spoken(stage.stage)} –`;
    return make(
      "span",
      { class: rank ? "rx-rank" : "rx-rank rx-missing", title: rank ? null : "not among its hits" },
      words,
    );
  });
  return make("li", {}, button, " ", ...ranks);
}

function nameOf(passage, number) {
  return passage ? passage.id : `passage ${number}`;
}

function supportWords(support, what) {
  if (support.rule === "nothing") return `no gold label to test ${what} with`;
  return `${what} ${support.holds ? "have" : "lack"} complete evidence (${meant(RULES, support.rule) || spoken(support.rule)})`;
}

/** The hits of every stage, and the ranks of the gold passages in it. */
function stagesPart({ detail, run }) {
  const gold = goldPassages(detail);
  const count = goldCount(detail, gold);
  const rows = detail.stages.map((stage) => stageRow(stage, gold, count));
  const heads = ["stage", "hits", "time", "complete evidence", "gold evidence"].map((head, at) =>
    make("th", { scope: "col", class: at === 1 || at === 2 ? "rx-number" : null }, head),
  );
  const table = make(
    "table",
    { class: "rx-table" },
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows),
  );
  const packed =
    run.k > 0 ? make("p", { class: "rx-soft" }, `The first ${run.k} of the final ranking went to packing.`) : null;
  return part("stages", "Stages", [make("div", { class: "rx-scroll" }, table), packed].filter(Boolean));
}

/** The ranks of the gold passages in a stage: the first ones, then the number of others and of missing ones. */
function cameWords(stage, gold, [total, isLeast]) {
  const ranks = ranksOf(stage);
  const found = [...gold]
    .map((number) => ranks.get(number))
    .filter(Boolean)
    .sort((a, b) => a - b);
  if (found.length === 0) return "none of it";
  const more = found.length > RANKS_TOLD ? `${thousands(found.length - RANKS_TOLD)} more` : "";
  const missing = total - found.length;
  const lacking = missing > 0 ? `${isLeast ? "at least " : ""}${thousands(missing)} missing` : "";
  return [...found.slice(0, RANKS_TOLD).map(ordinal), more, lacking].filter(Boolean).join(", ");
}

function stageRow(stage, gold, count) {
  const support = make(
    "span",
    { class: stage.support.holds ? "rx-good" : "rx-bad" },
    stage.support.holds ? "✓ yes" : "✗ no",
  );
  const query = stage.query ? make("p", { class: "rx-soft" }, "searched for: ", shown(stage.query)) : "";
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, spoken(stage.stage), query),
    make("td", { class: "rx-number" }, thousands(stage.n_hits)),
    make("td", { class: "rx-number" }, timed(stage.seconds)),
    make(
      "td",
      {},
      stage.support.rule === "nothing" ? "–" : support,
      " ",
      make("span", { class: "rx-soft" }, meant(RULES, stage.support.rule) || ""),
    ),
    make("td", {}, gold.size ? cameWords(stage, gold, count) : "–"),
  );
}
