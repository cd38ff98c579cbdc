// Texts of any length: a passage, a reply, a prompt. Laying out a line of a megabyte blocks the page, so at
// first a window of the text around its first highlight is shown, with buttons that widen it in steps.

const EXCERPT_UNITS = 300;
const EXCERPT_BEFORE = 90;
const WINDOW_UNITS = 2000;
const WINDOW_BEFORE = 600;
const PROMPT_UNITS = 20000;
const STEP_UNITS = 100000;

/** A text that begins with an excerpt of about three lines and opens to all of it. */
function excerpted(raw, marks) {
  if (raw === "") return make("p", { class: "rx-leftout" }, "(no text)");
  return windowed(raw, marks, around(raw, marks, EXCERPT_UNITS, EXCERPT_BEFORE));
}

/** A text that begins with its first `units`. */
function whole(raw, units = WINDOW_UNITS) {
  return windowed(raw, {}, [0, boundary(raw, Math.min(raw.length, units))]);
}

/** The placeholder of a text that the file does not have. */
function leftOut() {
  return make("p", { class: "rx-leftout" }, "(omitted)");
}

/** `units` of the text around its first highlight, from word to word where words are short. */
function around(raw, marks, units, before) {
  if (raw.length <= units * 1.3) return [0, raw.length];
  const first = Math.min(
    ...[marks.gold, marks.answer].map((ranges) => (ranges && ranges.length ? ranges[0][0] : Infinity)),
  );
  let from = Number.isFinite(first) ? Math.max(0, first - before) : 0;
  from = Math.min(from, raw.length - units);
  const space = from > 0 ? raw.indexOf(" ", from) : -1;
  if (space >= 0 && space < from + 30 && space < first) from = space + 1;
  let to = Math.min(raw.length, from + units);
  const last = raw.lastIndexOf(" ", to);
  if (to < raw.length && last > to - 30 && last > from) to = last;
  return [boundary(raw, from), boundary(raw, to)];
}

/** A block of text that shows a window of `raw`, with buttons under it for the rest. */
function windowed(raw, marks, start) {
  const text = make("div", { class: "rx-body", dir: "auto" });
  const buttons = make("div", { class: "rx-more" });
  const show = ([from, to]) => {
    text.replaceChildren();
    if (from > 0) text.append(make("span", { class: "rx-cut" }, "… "));
    appendMarked(text, raw, from, to, marks);
    if (to < raw.length) text.append(make("span", { class: "rx-cut" }, " …"));
    const steps = furtherSteps(raw, marks, [from, to], start);
    buttons.replaceChildren(...steps.map(([label, window]) => stepButton(label, () => show(window), buttons)));
  };
  show(start);
  return make("div", { class: "rx-long" }, text, buttons);
}

/** Buttons that widen the window: first to a screenful, then by 100,000 units at a time, and back. */
function furtherSteps(raw, marks, [from, to], start) {
  const steps = [];
  const isWhole = from === 0 && to === raw.length;
  if (!isWhole && raw.length <= WINDOW_UNITS) {
    steps.push([`all ${thousands(raw.length)} characters`, [0, raw.length]]);
  } else if (!isWhole && to - from < WINDOW_UNITS * 0.9) {
    const wider = around(raw, marks, WINDOW_UNITS, WINDOW_BEFORE);
    steps.push([`${thousands(wider[1] - wider[0])} of ${thousands(raw.length)} characters`, wider]);
  } else if (!isWhole) {
    const back = boundary(raw, Math.max(0, from - STEP_UNITS));
    const on = boundary(raw, Math.min(raw.length, to + STEP_UNITS));
    if (from > 0) steps.push([`${thousands(from - back)} characters before`, [back, to]]);
    if (to < raw.length)
      steps.push([`${thousands(on - to)} more of ${thousands(raw.length - to)} characters`, [from, on]]);
  }
  if (from !== start[0] || to !== start[1]) steps.push(["less", start]);
  return steps;
}

function stepButton(label, act, buttons) {
  const button = make("button", { type: "button", class: "rx-link" }, label);
  button.addEventListener("click", () => {
    act();
    const next = buttons.querySelector("button");
    if (next) next.focus({ preventScroll: true });
  });
  return button;
}
