// Where the parts meet: one view (filters, order, open question), shown by the controls, the table and the drawer, and kept
// in the address. Every change goes through `change` or `apply`, so that all of them always say the same.

async function main() {
  const home = document.getElementById("rx-questions");
  if (!home) return;
  try {
    begin(home, await readIndex());
  } catch (error) {
    home.replaceChildren(problem(error, "the questions"));
  }
}

function begin(home, index) {
  const rows = index.runs[0].rows;
  const columns = columnsOf(index);
  const orderOf = orderer(index, columns);
  const byId = new Map(rows.map((row, number) => [row.id, number]));
  let view = emptyView();
  let result = null;

  const notice = make("p", { class: "rx-problem", role: "alert", hidden: true });
  const table = tableOf(index, columns, { open: (number) => open(number, true), sortBy, linkOf: (id) => hashOf({ ...view, q: id }) });
  const controls = controlsOf(index, columns, change, () => redraw(table));
  const drawer = drawerOf(index, act, closed);
  const keys = keysDialog();
  const help = make("p", { id: "rx-grid-help", class: "rx-unseen" }, "Arrow keys move, Enter opens a question.");
  const note = make("p", { class: "rx-print-note" }, "Of the table the rows on screen are printed. Open a question to print it.");
  home.replaceChildren(controls.element, notice, table.box, help, note, drawer.dialog, keys);
  const seen = followLocation((next) => apply(next, true));

  /** Lists what the view wants. */
  function list() {
    result = listed(index, view, orderOf);
    updateControls(controls, view, result, rows.length);
    showList(table, result.rows, view.sort);
  }

  /** Somebody chose something here. */
  function change(chosen) {
    view = { ...view, ...chosen, q: "" };
    list();
    remember(false);
  }

  /** The address says something else: a link, Back. */
  function apply(next, isOutside) {
    const isSameList = hashOf({ ...next, q: "" }) === hashOf({ ...view, q: "" });
    view = next;
    if (!isSameList || !result) list();
    if (isOutside || hashOf(view) !== "") bringIntoView();
    notice.hidden = true;
    if (view.q === "") {
      if (drawer.dialog.open) drawer.dialog.close();
    } else if (byId.has(view.q)) {
      open(byId.get(view.q), false);
    } else {
      notice.replaceChildren("This run has no question ", shown(view.q), ".");
      notice.hidden = false;
    }
  }

  function bringIntoView() {
    if (hashOf(view) === "") return;
    const section = document.getElementById("questions") || home;
    const { top } = section.getBoundingClientRect();
    if (top < 0 || top > window.innerHeight / 2) section.scrollIntoView();
  }

  function remember(isNew) {
    writeLocation(view, isNew);
    seen();
  }

  /** Opens a question, or goes on to it where one is open; `isOwn`: not because the address said so. */
  function open(number, isOwn) {
    view = { ...view, q: rows[number].id };
    if (isOwn) remember(!drawer.dialog.open);
    const at = placeOf(table, number);
    if (at >= 0) select(table, at);
    showPlace(drawer, at, table.list.length);
    showQuestion(drawer, number);
  }

  function closed() {
    drawer.asked += 1;
    delete drawer.dialog.dataset.id;
    if (view.q !== "") {
      view = { ...view, q: "" };
      remember(false);
    }
    table.box.focus({ preventScroll: true });
  }

  /** The next or previous question: opened where one is open, else selected. */
  function step(by) {
    if (keys.open) return false;
    const isOpen = drawer.dialog.open;
    const at = placeOf(table, isOpen ? byId.get(view.q) : table.selected) + by;
    if (at < 0 || at >= table.list.length) return true;
    if (isOpen) open(table.list[at], true);
    else {
      select(table, at);
      table.box.focus();
    }
    return true;
  }

  function sortBy(key) {
    const next = { [key]: `-${key}`, [`-${key}`]: "" }[view.sort];
    view = { ...view, sort: next === undefined ? key : next };
    list();
    remember(false);
    const button = [...table.head.querySelectorAll("[data-sort]")].find((each) => each.dataset.sort === key);
    if (button) button.focus({ preventScroll: true });
  }

  function act(name) {
    if (name === "close") drawer.dialog.close();
    else if (name === "next") step(1);
    else if (name === "previous") step(-1);
    else if (name === "copy-link") copy(drawer, location.href, "the link");
    else if (name === "copy-json" && drawer.shown) copy(drawer, asJson(drawer.shown), "the question as JSON");
  }

  function showKeys() {
    if (!keys.open) keys.showModal();
  }

  function clearSearch() {
    if (drawer.dialog.open || keys.open || view.search === "") return false;
    change({ search: "" });
    return true;
  }

  function search() {
    if (drawer.dialog.open || keys.open) return false;
    controls.search.focus();
    controls.search.select();
    return true;
  }

  controls.element.querySelector('[data-action="keys"]').addEventListener("click", showKeys);
  followKeys({ next: () => step(1), previous: () => step(-1), search, keys: showKeys, clearSearch });
  followGridKeys(table, (number) => open(number, true));
  apply(viewOf(location.hash) || emptyView(), false);
}

main();
