// An opened question: a modal dialog as a drawer on the right. First the question, the reason of its loss, gold answers
// and answer; then the evidence by stage; then texts, prompts and the other conditions.

/** Builds the dialog, closed. `act(name)` is called for its buttons, `closed()` after it was closed. */
function drawerOf(index, act, closed) {
  const place = make("span", { class: "rx-place-in-list", "aria-live": "polite" });
  const said = make("span", { class: "rx-said", role: "status" });
  const button = (action, label, keys) =>
    make("button", { type: "button", class: "rx-button", "data-action": action, ...shortcut(keys) }, label);
  const head = make(
    "div",
    { class: "rx-drawer-head" },
    button("previous", "‹ previous", "k"),
    button("next", "next ›", "j"),
    place,
    said,
    make("span", { class: "rx-grow" }),
    button("copy-link", "copy link"),
    button("copy-json", "copy as JSON"),
    button("close", "close ✕", "Escape"),
  );
  const content = make("div", { class: "rx-drawer-content", tabindex: "-1" });
  const dialog = make(
    "dialog",
    { id: "rx-question", class: "rx-drawer", "aria-labelledby": "rx-asked" },
    head,
    content,
  );
  head.addEventListener("click", (event) => {
    const pressed = event.target.closest("[data-action]");
    if (pressed) act(pressed.dataset.action);
  });
  let pressed = null;
  dialog.addEventListener("pointerdown", (event) => (pressed = event.target));
  dialog.addEventListener("click", (event) => {
    // A click outside the drawer closes it, but not the end of a text selection that began inside.
    if (event.target === dialog && pressed === dialog) act("close");
  });
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    act("close");
  });
  dialog.addEventListener("close", closed);
  return { index, dialog, head, content, place, said, asked: 0, shown: null };
}

/** Reads a question and shows it; the latest request wins. */
async function showQuestion(drawer, number) {
  const turn = ++drawer.asked;
  const sides = sidesOf(drawer.index, number);
  let parts;
  try {
    const read = await readSides(drawer.index, sides);
    parts = questionParts(drawer.index, read.sides, read.passages);
    if (turn === drawer.asked) drawer.shown = read;
  } catch (error) {
    parts = [...questionHead(sides), problem(error, "this question's details")];
    if (turn === drawer.asked) drawer.shown = null;
  }
  if (turn !== drawer.asked) return;
  drawer.content.replaceChildren(...parts);
  drawer.said.textContent = "";
  drawer.dialog.dataset.id = drawer.index.runs[0].rows[number].id;
  if (!drawer.dialog.open) drawer.dialog.showModal();
  drawer.content.scrollTop = 0;
  drawer.content.focus({ preventScroll: true });
}

/** The sides with their details, and every passage that they name. */
async function readSides(index, sides) {
  const details = await Promise.all(sides.map((side) => readDetail(index, side.at, side.number)));
  const whole = sides.map((side, at) => ({ ...side, detail: details[at] }));
  const passages = await readPassages(
    index,
    whole.flatMap((side) => numbersOf(side.detail)),
  );
  return { sides: whole, passages };
}

function questionParts(index, sides, passages) {
  const list = passagesPart(sides, passages, index.has_text, index.depth);
  return [
    ...questionHead(sides),
    reasonPart(sides),
    make("div", { class: "rx-wanted-and-came" }, goldsPart(sides, index.has_text), answerPart(sides, index.has_text)),
    scoresPart(sides),
    evidencePart(sides, passages, list.jump),
    stagesPart(sides),
    list.section,
    promptPart(sides, passages, index.has_text),
    conditionsPart(sides, index.has_text),
  ];
}

/** The question with its id, kind and tags. */
function questionHead(sides) {
  const { row, run, number } = sides[sides.length - 1];
  const about = make(
    "p",
    { class: "rx-about" },
    make("span", { class: "rx-soft" }, `question ${thousands(number + 1)} of ${thousands(run.rows.length)}`),
    make("code", {}, shown(row.id, 120)),
  );
  about.append(make("span", { class: "rx-chip" }, spoken(row.kind)));
  for (const tag of row.tags || []) about.append(make("span", { class: "rx-chip" }, shown(tag, 60)));
  if (row.other && row.other.turn) about.append(turnBadge(row.other.turn));
  if (row.other && row.other.not_compared) about.append(notCompared(row.other.not_compared));
  if (!row.other && run.label) about.append(make("span", { class: "rx-soft" }, "the other run does not have this question"));
  const asked = make("h2", { id: "rx-asked", class: "rx-asked" }, shown(row.text, NAME_UNITS));
  const isOtherText = sides.length > 1 && sides[0].row.text !== row.text;
  const askedInA = make("p", { class: "rx-soft" }, "asked in A: ", shown(sides[0].row.text, NAME_UNITS));
  return isOtherText ? [about, asked, askedInA] : [about, asked];
}

/** Shows the question's position in the list, and enables the buttons to its neighbours. */
function showPlace(drawer, at, total) {
  drawer.place.textContent = at < 0 ? "not in this list" : `${thousands(at + 1)} of ${thousands(total)}`;
  drawer.head.querySelector('[data-action="previous"]').disabled = at <= 0;
  drawer.head.querySelector('[data-action="next"]').disabled = at + 1 >= total;
}
