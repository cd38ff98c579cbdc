// One run or two in an opened question: a part is shown once if both runs agree, else side by side, the baseline on the
// left, with a sign at each value that differs. A side is a run with the question's row and detail in it.

/** The sides of a question, the baseline first: `{ at, run, label, number, row, detail }`, details still to be read. */
function sidesOf(index, number) {
  const row = index.runs[0].rows[number];
  const side = (at, place) => ({
    at,
    run: index.runs[at],
    label: index.runs[at].label,
    number: place,
    row: index.runs[at].rows[place],
    detail: null,
  });
  const sides = [side(0, number)];
  if (row.other && index.runs[1]) sides.unshift(side(1, row.other.row));
  return sides;
}

/** A part of the drawer: heading and content, once or in a column per side. `said` returns the compared value. */
function part(name, heading, sides, build, said) {
  const section = make("section", { "data-part": name, class: `rx-part rx-part-${name}` }, make("h3", {}, heading));
  const isOne = sides.length === 1 || (said && JSON.stringify(said(sides[0])) === JSON.stringify(said(sides[1])));
  if (isOne) {
    if (sides.length > 1) section.firstChild.append(make("span", { class: "rx-same" }, "the same in A and B"));
    section.append(...[build(sides[sides.length - 1], null)].flat());
    return section;
  }
  const columns = sides.map((side, at) =>
    make("div", { class: "rx-side" }, sideHeading(side), build(side, sides[1 - at])),
  );
  section.append(make("div", { class: "rx-sides" }, ...columns));
  return section;
}

function sideHeading(side) {
  return make("p", { class: "rx-side-name" }, make("b", {}, side.label), " ", shown(side.run.name, 80));
}

/** A list of facts, `[label, raw, node]`; facts whose raw values differ between the sides are marked. */
function factList(facts, others) {
  const theirs = new Map((others || []).map(([label, raw]) => [label, JSON.stringify(raw)]));
  const items = facts.map(([label, raw, node]) => {
    const isOther = others && theirs.get(label) !== JSON.stringify(raw);
    return make(
      "div",
      { class: isOther ? "rx-fact rx-differs" : "rx-fact" },
      make("dt", {}, label),
      make("dd", {}, node, isOther ? differsSign() : ""),
    );
  });
  return make("dl", { class: "rx-facts" }, ...items);
}

function differsSign() {
  return make(
    "span",
    { class: "rx-differs-sign", title: "differs between A and B", role: "img", "aria-label": "differs" },
    "≠",
  );
}

/** A part that is built when it is first opened. */
function folding(summary, build, attributes) {
  const details = make("details", { class: "rx-fold", ...attributes }, make("summary", {}, summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(...[build()].flat());
  });
  return details;
}
