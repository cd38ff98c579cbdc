// Copying: a question as JSON, raw as the run has it, or a link to it. The only way for raw text to leave the page.

/** One object: the row with its metrics' names, the detail and its passages. */
function asJson({ side: { run, row, detail }, passages }) {
  const resolved = Object.fromEntries([...passages].sort((a, b) => a[0] - b[0]));
  return JSON.stringify({ run: run.name, metrics: run.metrics, row, detail, passages: resolved }, null, 2);
}

/** Puts `text` on the clipboard and reports it. */
async function copy(drawer, text, what) {
  drawer.dialog.lastCopied = text;
  const isCopied = (await copiedByClipboard(text)) || copiedBySelection(drawer.dialog, text);
  drawer.said.textContent = isCopied ? `copied ${what}` : `could not copy ${what}`;
}

async function copiedByClipboard(text) {
  if (!navigator.clipboard || !navigator.clipboard.writeText) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (_) {
    return false;
  }
}

/** Inside the dialog, since everything outside of it is inert. */
function copiedBySelection(dialog, text) {
  const before = document.activeElement;
  const area = make("textarea", { class: "rx-unseen", "aria-hidden": "true", tabindex: "-1" });
  area.value = text;
  dialog.append(area);
  area.select();
  let isCopied = false;
  try {
    isCopied = document.execCommand("copy");
  } catch (_) {
    isCopied = false;
  }
  area.remove();
  if (before && before.focus) before.focus({ preventScroll: true });
  return isCopied;
}
