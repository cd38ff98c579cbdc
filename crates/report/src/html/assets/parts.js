// The parts of an opened question. A side is its number, row and detail with the run.

/** A part of the drawer: heading and content. */
function part(name, heading, content) {
  const attributes = { "data-part": name, class: `rx-part rx-part-${name}` };
  return make("section", attributes, make("h3", {}, heading), ...[content].flat());
}

/** A list of facts, `[label, node]`. */
function factList(facts) {
  const items = facts.map(([label, node]) =>
    make("div", { class: "rx-fact" }, make("dt", {}, label), make("dd", {}, node)),
  );
  return make("dl", { class: "rx-facts" }, ...items);
}

/** A part that is built when it is first opened. */
function folding(summary, build, attributes) {
  const details = make("details", { class: "rx-fold", ...attributes }, make("summary", {}, summary));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(...[build()].flat());
  });
  return details;
}
