// Entry point: reads the index, builds controls, table and drawer, and passes user actions to the view (`view.js`), which
// all of them show.

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
  const { rows } = index.run;
  const columns = columnsOf(index);
  const app = { index, rows, view: emptyView(), result: null, orderOf: orderer(index, columns) };
  app.byId = new Map(rows.map((row, number) => [row.id, number]));
  app.notice = make("p", { class: "rx-problem", role: "alert", hidden: true });
  app.table = tableOf(index, columns, {
    open: (number) => open(app, number),
    sortBy: (key) => sortBy(app, key),
    linkOf: (id) => hashOf({ ...app.view, q: id }),
  });
  app.controls = controlsOf(
    index,
    columns,
    (chosen) => change(app, chosen),
    () => redraw(app.table),
  );
  app.drawer = drawerOf(
    index,
    (action) => act(app, action),
    () => closed(app),
  );
  app.keys = keysDialog();
  place(home, app);
  app.seen = followLocation((view) => apply(app, view));
  listen(app);
  apply(app, viewOf(location.hash) || emptyView());
  (window.requestIdleCallback || setTimeout)(() => prepareSearch(index));
}

function place(home, { controls, notice, table, drawer, keys }) {
  const help = make("p", { id: "rx-grid-help", class: "rx-unseen" }, "Arrow keys move, Enter opens a question.");
  const paper = "The table of questions is for the screen. To print a question, open it.";
  const note = make("p", { class: "rx-print-note" }, paper);
  home.replaceChildren(controls.element, notice, table.box, help, note, drawer.dialog, keys);
}

function listen(app) {
  const isFree = () => !app.drawer.dialog.open && !app.keys.open;
  const showKeys = () => {
    if (!app.keys.open) app.keys.showModal();
  };
  const search = () => {
    if (!isFree()) return false;
    app.controls.search.focus();
    app.controls.search.select();
    return true;
  };
  const clearSearch = () => {
    if (!isFree() || app.view.search === "") return false;
    change(app, { search: "" });
    return true;
  };
  app.controls.element.querySelector('[data-action="keys"]').addEventListener("click", showKeys);
  followKeys({ next: () => step(app, 1), previous: () => step(app, -1), search, keys: showKeys, clearSearch });
  followGridKeys(app.table, (number) => open(app, number));
}

/** A button of the drawer. */
function act(app, action) {
  const { drawer } = app;
  if (action === "close") close(app);
  else if (action === "next") step(app, 1);
  else if (action === "previous") step(app, -1);
  else if (action === "copy-link") copy(drawer, location.href, "the link");
  else if (action === "copy-json" && drawer.shown) copy(drawer, asJson(drawer.shown), "the question as JSON");
}

main();
