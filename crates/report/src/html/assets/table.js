// The table of questions. Only the rows on screen are in the tree: they have one height, so a row's place follows from its
// number, and scrolling adds and drops rows. It is a grid for assistive tools: the box has the focus, the selected row is
// its active descendant, and the total number of rows is announced although most are not in the tree.

const ROWS_BEYOND = 6;
const COLUMN_GAP = 0.75;

/** Builds the table; `open(row)` is called for a row that is clicked or entered, `sortBy(key)` for a head. */
function tableOf(index, columns, { open, sortBy, linkOf }) {
  const head = make("div", { role: "row", class: "rx-head", "aria-rowindex": "1" });
  const body = make("div", { role: "rowgroup", class: "rx-rows" });
  const box = make(
    "div",
    {
      role: "grid",
      class: "rx-grid",
      id: "rx-grid",
      tabindex: "0",
      "aria-label": "Questions",
      "aria-describedby": "rx-grid-help",
    },
    make("div", { role: "rowgroup", class: "rx-headgroup" }, head),
    body,
  );
  const table = {
    index,
    columns,
    visible: [],
    box,
    head,
    body,
    list: [],
    selected: -1,
    drawn: new Map(),
    height: 46,
    room: 800,
    sort: null,
    linkOf,
  };
  box.addEventListener("scroll", () => drawLater(table), { passive: true });
  window.addEventListener("resize", () => redraw(table));
  head.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sort]");
    if (button) sortBy(button.dataset.sort);
  });
  body.addEventListener("click", (event) => {
    const row = event.target.closest("[data-row]");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!row || !isPlain) return;
    event.preventDefault();
    open(Number(row.dataset.row));
  });
  return table;
}

/** Shows another list of rows, from its top. Nothing is measured between the changes, so the page is laid out once. */
function showList(table, rows, sort) {
  table.box.scrollTop = 0;
  table.list = rows;
  table.box.setAttribute("aria-rowcount", String(rows.length + 1));
  if (table.sort !== sort) {
    table.sort = sort;
    if (table.visible.length) drawHead(table);
  }
  if (table.visible.length) redrawRows(table, 0);
  else redraw(table);
}

/** Redraws the table for other columns or another width. */
function redraw(table) {
  const style = getComputedStyle(table.box);
  table.height = parseFloat(style.getPropertyValue("--rx-row-px")) || 46;
  table.room = parseFloat(style.maxHeight) || window.innerHeight;
  const top = table.box.scrollTop;
  const columns = table.columns.filter((column) => column.shown);
  table.visible = columns;
  table.box.style.setProperty("--rx-columns", columns.map(gridWidth).join(" "));
  table.box.style.setProperty(
    "--rx-least",
    `${columns.reduce((sum, column) => sum + column.width[0], 0) + columns.length * COLUMN_GAP + COLUMN_GAP}em`,
  );
  drawHead(table);
  redrawRows(table, top);
}

function drawHead(table) {
  table.head.replaceChildren(...table.visible.map((column, at) => headCell(column, at, table.sort)));
}

function redrawRows(table, top) {
  table.body.style.height = `${table.list.length * table.height}px`;
  table.drawn.clear();
  table.body.replaceChildren();
  drawRows(table, top, 0);
  drawLater(table);
}

/** Rows of the window and those beyond it, in the next frame. */
function drawLater(table) {
  if (table.isAsked) return;
  table.isAsked = true;
  requestAnimationFrame(() => {
    table.isAsked = false;
    drawRows(table, table.box.scrollTop, ROWS_BEYOND);
  });
}

function headCell(column, at, sort) {
  const isDown = sort === `-${column.key}`;
  const order = isDown ? "descending" : sort === column.key ? "ascending" : "none";
  const arrow = { descending: "▼", ascending: "▲", none: "" }[order];
  const words = headPieces(column.head).flatMap((piece, i) => (i ? [make("wbr"), piece] : [piece]));
  const button = make(
    "button",
    { type: "button", "data-sort": column.key, class: "rx-sort" },
    ...words,
    make("span", { class: "rx-arrow", "aria-hidden": "true" }, arrow),
  );
  return make(
    "div",
    {
      role: "columnheader",
      "aria-colindex": String(at + 1),
      "aria-sort": order,
      class: column.isNumber ? "rx-number" : null,
    },
    button,
  );
}

/** Puts the rows of the window, and some beyond it, into the tree, and removes the others. */
function drawRows(table, top, beyond) {
  const { list, height, room, drawn, body } = table;
  const first = Math.max(0, Math.floor(top / height) - beyond);
  const last = Math.min(list.length, Math.ceil((top + room) / height) + beyond);
  for (const [at, element] of drawn) {
    if (at >= first && at < last) continue;
    element.remove();
    drawn.delete(at);
  }
  // From the last to the first, each before the one below it: the tree's order is the order on screen.
  let below = null;
  for (let at = last - 1; at >= first; at--) {
    if (!drawn.has(at)) {
      drawn.set(at, rowElement(table, at));
      body.insertBefore(drawn.get(at), below);
    }
    below = drawn.get(at);
  }
  markSelected(table);
}

function rowElement(table, at) {
  const number = table.list[at];
  const row = table.index.run.rows[number];
  const attributes = {
    role: "row",
    class: "rx-row",
    id: `rx-row-${number}`,
    "data-row": String(number),
    "data-id": row.id,
    "aria-rowindex": String(at + 2),
  };
  const cells = table.visible.map((column, place) => {
    const content = column.cell ? column.cell(row, number) : questionLink(table, row);
    const names = [
      "rx-cell",
      `rx-c-${/^[a-z]+$/.test(column.key) ? column.key : "metric"}`,
      column.isNumber && "rx-number",
    ];
    return make(
      "div",
      {
        role: "gridcell",
        "aria-colindex": String(place + 1),
        class: names.filter(Boolean).join(" "),
        "data-head": column.head,
      },
      content,
    );
  });
  const element = make("div", attributes, ...cells);
  element.style.top = `${at * table.height}px`;
  return element;
}

function questionLink(table, row) {
  return make("a", { href: table.linkOf(row.id), tabindex: "-1" }, shown(row.text));
}

/** Selects the row at a place of the list and brings it into the box. */
function select(table, at) {
  if (table.list.length === 0) return;
  table.selected = table.list[Math.max(0, Math.min(table.list.length - 1, at))];
  const place = placeOf(table, table.selected);
  const top = place * table.height;
  const headHeight = table.head.offsetHeight;
  const room = table.box.clientHeight - headHeight - table.height;
  if (top < table.box.scrollTop) table.box.scrollTop = top;
  else if (top > table.box.scrollTop + room) table.box.scrollTop = top - Math.max(0, room);
  drawRows(table, table.box.scrollTop, ROWS_BEYOND);
}

/** A row's place in the list, -1 where it is filtered out. */
function placeOf(table, number) {
  return table.list.indexOf(number);
}

function markSelected(table) {
  let active = null;
  for (const element of table.drawn.values()) {
    const isSelected = Number(element.dataset.row) === table.selected;
    element.setAttribute("aria-selected", String(isSelected));
    if (isSelected) active = element.id;
  }
  if (active) table.box.setAttribute("aria-activedescendant", active);
  else table.box.removeAttribute("aria-activedescendant");
}
