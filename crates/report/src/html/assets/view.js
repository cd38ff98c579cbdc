// The view: filters, order and the open question. It changes here alone, and each change is shown by controls, table and
// drawer and written into the address, so that all of them agree.

/** Lists the questions of the view. */
function list(app) {
  app.result = listed(app.index, app.view, app.orderOf);
  updateControls(app.controls, app.view, app.result, app.rows.length);
  showList(app.table, app.result.rows, app.view.sort);
}

/** Handles a choice in the controls. */
function change(app, chosen) {
  app.view = { ...app.view, ...chosen, q: "" };
  app.drawer.asked += 1;
  list(app);
  remember(app, false);
}

/** Handles a press on a column's head: ascending, descending, the worst first. */
function sortBy(app, key) {
  const { sort } = app.view;
  change(app, { sort: sort === key ? `-${key}` : sort === `-${key}` ? "" : key });
  const heads = [...app.table.head.querySelectorAll("[data-sort]")];
  const head = heads.find((each) => each.dataset.sort === key);
  if (head) head.focus({ preventScroll: true });
}

/** Applies the address: at the start, after a link, after Back. */
function apply(app, view) {
  const isSameList = hashOf({ ...view, q: "" }) === hashOf({ ...app.view, q: "" });
  app.view = view;
  if (!isSameList || !app.result) list(app);
  if (hashOf(view) !== "") bringIntoView();
  const isKnown = app.byId.has(view.q);
  app.notice.hidden = view.q === "" || isKnown;
  if (!app.notice.hidden) app.notice.replaceChildren("This run has no question ", shown(view.q), ".");
  if (isKnown) show(app, app.byId.get(view.q));
  else close(app);
}

/** Opens a question or moves to it; only the first adds a history entry. */
function open(app, number) {
  app.view = { ...app.view, q: app.rows[number].id };
  app.notice.hidden = true;
  remember(app, !app.drawer.dialog.open);
  show(app, number);
}

function show(app, number) {
  const at = placeOf(app.table, number);
  if (at >= 0) select(app.table, at);
  showPlace(app.drawer, at, app.table.list.length);
  showQuestion(app.drawer, number);
}

/** Handles the closing of the drawer; a dialog reports it later, when another may be open. */
function closed(app) {
  if (app.drawer.dialog.open) return;
  forget(app);
  app.table.box.focus({ preventScroll: true });
}

/** Closes the drawer, or cancels a question that is still being read. */
function close(app) {
  forget(app);
  if (app.drawer.dialog.open) app.drawer.dialog.close();
}

/** Clears the open question at once, since the address is read at once. */
function forget(app) {
  app.drawer.asked += 1;
  delete app.drawer.dialog.dataset.id;
  if (app.byId.has(app.view.q)) {
    app.view = { ...app.view, q: "" };
    remember(app, false);
  }
}

/** The next or previous question: opened where one is open, else selected. */
function step(app, by) {
  if (app.keys.open) return false;
  const isOpen = app.drawer.dialog.open;
  const at = placeOf(app.table, isOpen ? app.byId.get(app.view.q) : app.table.selected) + by;
  if (at < 0 || at >= app.table.list.length) return true;
  if (isOpen) {
    open(app, app.table.list[at]);
  } else {
    select(app.table, at);
    app.table.box.focus();
  }
  return true;
}

function remember(app, isNew) {
  writeLocation(app.view, isNew);
  app.seen();
}

function bringIntoView() {
  const section = document.getElementById("questions") || document.getElementById("rx-questions");
  const { top } = section.getBoundingClientRect();
  if (top >= 0 && top <= window.innerHeight / 2) return;
  section.scrollIntoView();
  document.getElementById("rx-grid")?.focus({ preventScroll: true });
}
