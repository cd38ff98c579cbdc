// The keyboard: single letters, which are ignored in text fields and with Ctrl, Alt or Meta, and can be switched off
// (WCAG 2.1.4), for example for speech input.

const KEYS = [
  ["j", "next question"],
  ["k", "previous question"],
  ["Enter", "open the selected question"],
  ["Esc", "close the question, or clear the search"],
  ["/", "search"],
  ["↑ ↓ Page Home End", "move in the table"],
  ["?", "these keys"],
];

/** True if single letters are enabled; lasts as long as the page. */
let areLettersOn = true;

/** The attributes that announce a key to assistive tools. */
function shortcut(key) {
  return { "aria-keyshortcuts": key, "data-shortcut": key };
}

function switchLetters(isOn) {
  areLettersOn = isOn;
  for (const element of document.querySelectorAll("#rx-questions [data-shortcut]")) {
    const { shortcut: key } = element.dataset;
    if (isOn || key.length > 1) element.setAttribute("aria-keyshortcuts", key);
    else element.removeAttribute("aria-keyshortcuts");
  }
}

/** Listens on the page; `actions` are keyed by name. */
function followKeys(actions) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(event.target)) {
      if (event.key === "Escape" && event.target.id === "rx-search" && actions.clearSearch()) event.preventDefault();
      return;
    }
    const letters = { j: actions.next, k: actions.previous, "/": actions.search, "?": actions.keys };
    const act = event.key === "Escape" ? actions.clearSearch : areLettersOn ? meant(letters, event.key) : undefined;
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
    const wanted = meant(places, event.key);
    if (wanted !== undefined) select(table, wanted);
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
  const letters = make("input", { type: "checkbox", id: "rx-keys-on" });
  letters.checked = areLettersOn;
  letters.addEventListener("change", () => switchLetters(letters.checked));
  const choice = make("label", { class: "rx-check", for: "rx-keys-on" }, letters, " single-letter keys: j, k, / and ?");
  const close = make("button", { type: "button", class: "rx-button" }, "close");
  const dialog = make(
    "dialog",
    { id: "rx-keys", class: "rx-keys", "aria-labelledby": "rx-keys-head" },
    make("h2", { id: "rx-keys-head" }, "Keys"),
    make("dl", {}, ...rows),
    make("p", {}, choice),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  return dialog;
}
