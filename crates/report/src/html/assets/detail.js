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
  const { run } = drawer.index;
  const asked = { run, number, row: run.rows[number] };
  let parts;
  try {
    const detail = await readDetail(drawer.index, number);
    const read = { side: { ...asked, detail }, passages: await readPassages(drawer.index, numbersOf(detail)) };
    parts = questionParts(drawer.index, read.side, read.passages);
    if (turn === drawer.asked) drawer.shown = read;
  } catch (error) {
    parts = [...questionHead(asked), problem(error, "this question's details")];
    if (turn === drawer.asked) drawer.shown = null;
  }
  if (turn !== drawer.asked) return;
  drawer.content.replaceChildren(...parts);
  drawer.said.textContent = "";
  drawer.dialog.dataset.id = asked.row.id;
  if (!drawer.dialog.open) drawer.dialog.showModal();
  drawer.content.scrollTop = 0;
  drawer.content.focus({ preventScroll: true });
}

function questionParts(index, side, passages) {
  const list = passagesPart(side, passages, index.has_text, index.depth);
  return [
    ...questionHead(side),
    reasonPart(side),
    make("div", { class: "rx-wanted-and-came" }, goldsPart(side, index.has_text), answerPart(side, index.has_text)),
    scoresPart(side),
    evidencePart(side, passages, list.jump),
    stagesPart(side),
    list.section,
    promptPart(side, passages, index.has_text),
    conditionsPart(side, index.has_text),
  ];
}

/** The question with its id, kind and tags. */
function questionHead({ row, run, number, detail }) {
  const about = make(
    "p",
    { class: "rx-about" },
    make("span", { class: "rx-soft" }, `question ${thousands(number + 1)} of ${thousands(run.rows.length)}`),
    make("code", {}, shown(row.id, 120)),
  );
  about.append(make("span", { class: "rx-chip" }, spoken(row.kind)));
  for (const tag of row.tags || []) about.append(make("span", { class: "rx-chip" }, shown(tag, 60)));
  const asked = make("h2", { id: "rx-asked", class: "rx-asked" }, shown(row.text, NAME_UNITS));
  const turn = ({ role, text }) => make("p", { class: "rx-soft" }, `${role}: `, shown(text, NAME_UNITS));
  return [about, ...detail.history.map(turn), asked];
}

/** Shows the question's position in the list, and enables the buttons to its neighbours. */
function showPlace(drawer, at, total) {
  drawer.place.textContent = at < 0 ? "not in this list" : `${thousands(at + 1)} of ${thousands(total)}`;
  drawer.head.querySelector('[data-action="previous"]').disabled = at <= 0;
  drawer.head.querySelector('[data-action="next"]').disabled = at + 1 >= total;
}
