// The controls above the table: search, filters with the number of questions of each choice, the number of listed
// questions, and the choice of columns.

const MOST_CHOICES = 300;
const LABELS = { class: "class", flag: "flag", tag: "tag", kind: "kind" };

/** Builds the controls; `change(part)` is called with each choice. */
function controlsOf(index, columns, change, redrawTable) {
  const search = make("input", {
    type: "search",
    id: "rx-search",
    autocomplete: "off",
    spellcheck: "false",
    placeholder: "id, question, gold or answer",
    ...shortcut("/"),
  });
  search.addEventListener("input", () => change({ search: search.value }));
  const filters = FILTERS.filter((filter) => isOffered(index, filter));
  const selects = Object.fromEntries(filters.map((filter) => [filter, make("select", { id: `rx-${filter}` })]));
  for (const [filter, select] of Object.entries(selects))
    select.addEventListener("change", () => change({ [filter]: select.value }));
  const fields = Object.entries(selects).map(([filter, select]) => field(LABELS[filter], select));
  const count = make("p", { id: "rx-count", role: "status", "aria-live": "polite" });
  const reset = make("button", { type: "button", class: "rx-link", id: "rx-reset", hidden: true }, "clear filters");
  reset.addEventListener("click", () => {
    change({ ...emptyView() });
    search.focus();
  });
  const bar = make(
    "div",
    { class: "rx-controls", role: "search", "aria-label": "Filter questions" },
    field("search", search),
    ...fields,
  );
  const line = make(
    "div",
    { class: "rx-line-over" },
    count,
    reset,
    make("span", { class: "rx-grow" }),
    columnChoice(columns, redrawTable),
    keysButton(),
  );
  return { element: make("div", { class: "rx-over" }, bar, line), search, selects, count, reset };
}

function field(label, control) {
  return make("label", { class: "rx-field", for: control.id }, make("span", {}, label), control);
}

/** A filter without choices is hidden. */
function isOffered(index, filter) {
  if (filter === "class") return true;
  const found = new Set();
  for (const row of index.run.rows) for (const choice of CHOICES[filter](row)) found.add(choice);
  return filter === "kind" ? found.size > 1 : found.size > 0;
}

/** Updates all controls to the view and its counts. */
function updateControls(controls, view, { rows, counts }, total) {
  if (controls.search.value !== view.search) controls.search.value = view.search;
  for (const [filter, select] of Object.entries(controls.selects))
    fillSelect(select, filter, counts[filter], view[filter]);
  const isAll = rows.length === total;
  const text = isAll ? counted(total, "question") : `${thousands(rows.length)} of ${counted(total, "question")}`;
  if (controls.count.textContent !== text) controls.count.textContent = text;
  controls.reset.hidden = hashOf({ ...view, q: "", sort: "" }) === "";
}

function fillSelect(select, filter, counts, chosen) {
  const names = choicesInOrder(filter, counts, chosen);
  const options = names.map((name) => option(name, choiceLabel(filter, name, counts.get(name) || 0), name === chosen));
  const wanted = [option("", "all", chosen === ""), ...options];
  const isSame =
    wanted.length === select.options.length &&
    wanted.every((made, at) => made.text === select.options[at].text && made.value === select.options[at].value);
  if (!isSame) select.replaceChildren(...wanted);
  select.value = chosen;
  select.classList.toggle("rx-chosen", chosen !== "");
}

function option(value, text, isChosen) {
  const made = make("option", { value }, text);
  made.selected = isChosen;
  return made;
}

/** Classes by stage with their faults below them, others by frequency. */
function choicesInOrder(filter, counts, chosen) {
  const names = [...counts.keys()];
  if (chosen !== "" && !counts.has(chosen)) names.push(chosen);
  if (filter !== "class")
    return names.sort((a, b) => (counts.get(b) || 0) - (counts.get(a) || 0) || (a < b ? -1 : 1)).slice(0, MOST_CHOICES);
  const place = (name) => (name === "lost" ? -1 : (CLASS_ORDER.indexOf(name.split("/")[0]) + 100) % 100);
  return names.sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}

function choiceLabel(filter, name, count) {
  const [main, fault] = filter === "class" ? name.split("/") : [name];
  const ofClass = name === "lost" ? "any loss" : fault ? `\u00a0\u00a0${main}: ${fault}` : main;
  const text = filter === "tag" ? shownPlain(name) : filter === "class" ? ofClass : name;
  return `${text} (${thousands(count)})`;
}

/** The choice of visible columns. */
function columnChoice(columns, redrawTable) {
  const boxes = columns.map((column) => {
    const box = make("input", { type: "checkbox" });
    box.checked = column.shown;
    box.disabled = column.key === "question";
    box.addEventListener("change", () => {
      column.shown = box.checked;
      redrawTable();
    });
    return make("label", { class: "rx-check" }, box, ` ${column.head}`);
  });
  return make(
    "details",
    { class: "rx-columns" },
    make("summary", {}, "columns"),
    make("div", { class: "rx-columns-list", role: "group", "aria-label": "Columns" }, ...boxes),
  );
}

function keysButton() {
  return make("button", { type: "button", class: "rx-link", "data-action": "keys" }, "keys");
}
