// The keyboard: single letters that do nothing while somebody types, nor with Ctrl, Alt or Meta.

const KEYS = [
  ["j", "next question"],
  ["k", "previous question"],
  ["Enter", "open the selected question"],
  ["Esc", "close the question; else clear the search"],
  ["/", "search"],
  ["↑ ↓ Page Home End", "move in the table"],
  ["?", "these keys"],
];

/** Listens on the page; `actions` are named by what they do. */
function followKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && event.target.id === "rx-search" && actions.clearSearch()) event.preventDefault();
      return;
    }
    const act = {
      j: actions.next,
      k: actions.previous,
      "/": actions.search,
      "?": actions.keys,
      Escape: actions.clearSearch,
    }[event.key];
    if (act && act() !== false) event.preventDefault();
  });
}

function isTyping(target) {
  return (
    target instanceof Element &&
    Boolean(target.closest("input:not([type=checkbox]), textarea, select, [contenteditable]"))
  );
}

/** Moves within the table while it has the focus. */
function followGridKeys(table, open) {
  table.box.addEventListener("focus", () => {
    if (placeOf(table, table.selected) < 0 && table.box.matches(":focus-visible")) select(table, 0);
  });
  table.box.addEventListener("keydown", (event) => {
    if (event.target !== table.box || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = placeOf(table, table.selected);
    const page = Math.max(1, Math.floor(table.box.clientHeight / table.height) - 2);
    const places = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: table.list.length - 1,
    };
    if (event.key in places) select(table, places[event.key]);
    else if (event.key === "Enter" && at >= 0) open(table.selected);
    else return;
    event.preventDefault();
  });
}

/** A small dialog that lists the keys. */
function keysDialog() {
  const rows = KEYS.map(([key, meaning]) =>
    make(
      "div",
      {},
      make("dt", {}, ...key.split(" ").flatMap((one) => [make("kbd", {}, one), " "])),
      make("dd", {}, meaning),
    ),
  );
  const close = make("button", { type: "button", class: "rx-button" }, "close");
  const dialog = make(
    "dialog",
    { id: "rx-keys", class: "rx-keys", "aria-labelledby": "rx-keys-head" },
    make("h2", { id: "rx-keys-head" }, "Keys"),
    make("dl", {}, ...rows),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
