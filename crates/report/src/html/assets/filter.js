// The listed questions and their order. One pass over the rows finds those that pass and, for every choice of every
// filter, the number that would pass with it: a row that only one filter rejects counts for that filter's choices.

const FILTERS = ["class", "flag", "tag", "kind"];

/** The values of a row that a filter can choose. */
const CHOICES = {
  class: (row) => classesOf(row),
  flag: (row) => [...new Set(row.flags)],
  tag: (row) => [...new Set(row.tags)],
  kind: (row) => [row.kind],
};

/** A row's class with its fault, and `lost` for a loss. */
function classesOf(row) {
  return row.fault ? [row.class, `${row.class}/${row.fault}`, ...lostOf(row)] : [row.class, ...lostOf(row)];
}

/** `lost` gathers all classes of a loss. */
function lostOf(row) {
  const [tone] = meant(CLASSES, row.class) || [];
  return tone === "bad" ? ["lost"] : [];
}

const NONE = -1;
const SEVERAL = -2;

/** The filter values and the searched text of each row, prepared when first needed. */
let choices = null;
let haystacks = null;

/** Runs when the browser is idle, so that the first typed letter does not wait for it. */
function prepareSearch(index) {
  if (!haystacks) haystacks = index.run.rows.map(haystackOf);
}

function haystackOf(row) {
  const texts = [row.id, row.text, row.gold || "", row.answer || ""];
  return folded(texts.join("\n"));
}

/** Compatible characters made one, lower case. */
function folded(text) {
  return text.normalize("NFKC").toLowerCase();
}

/** The words that must all occur; text in double quotes is one word. */
function needlesOf(search) {
  const needles = [];
  for (const match of folded(search).matchAll(/"([^"]+)"?|\S+/g)) needles.push(match[1] || match[0]);
  return needles.filter((needle) => needle !== '"');
}

/** The listed rows by number, in order, and the counts of every choice of every filter. */
function listed(index, view, orderOf) {
  const { rows } = index.run;
  const needles = needlesOf(view.search);
  if (needles.length) prepareSearch(index);
  if (!choices) choices = rows.map((row) => FILTERS.map((filter) => CHOICES[filter](row)));
  const wanted = FILTERS.map((filter) => view[filter]);
  const tallies = FILTERS.map(() => new Map());
  const passes = new Uint8Array(rows.length);
  rows.forEach((_, number) => {
    if (needles.length && !needles.every((needle) => haystacks[number].includes(needle))) return;
    const own = choices[number];
    const failed = failedFilters(own, wanted);
    if (failed === NONE) passes[number] = 1;
    if (failed === SEVERAL) return;
    for (let at = 0; at < tallies.length; at++) if (failed === NONE || failed === at) tally(tallies[at], own[at]);
  });
  const counts = Object.fromEntries(FILTERS.map((filter, at) => [filter, tallies[at]]));
  return { rows: orderOf(view.sort).filter((number) => passes[number] === 1), counts };
}

/** The index of the only filter that rejects a row, `NONE` or `SEVERAL`. */
function failedFilters(own, wanted) {
  let failed = NONE;
  for (let at = 0; at < wanted.length; at++) {
    if (wanted[at] === "" || own[at].includes(wanted[at])) continue;
    if (failed !== NONE) return SEVERAL;
    failed = at;
  }
  return failed;
}

function tally(counts, values) {
  for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
}

/** Orders rows by a column, at first by class; the last order is kept. `sort` is a column's key, with `-` before it for the reverse. */
function orderer(index, columns) {
  const { rows } = index.run;
  const inRunOrder = rows.map((_, number) => number);
  const find = (wanted) => columns.find(({ key }) => key === wanted);
  let kept = {};
  return (sort) => {
    if (sort !== kept.sort) {
      const column = find(sort.replace(/^-/, "")) || find("class");
      kept = { sort, order: sorted(inRunOrder, column, rows, sort.startsWith("-") ? -1 : 1) };
    }
    return kept.order;
  };
}

/** Stable; a row without a value comes last either way. */
function sorted(numbers, column, rows, sign) {
  const keys = rows.map((row, number) => column.sortKey(row, number));
  const isMissing = (key) => key === null || key === undefined || key === "";
  return [...numbers].sort((a, b) => {
    const [left, right] = [keys[a], keys[b]];
    if (isMissing(left) || isMissing(right)) return isMissing(left) - isMissing(right) || a - b;
    return left < right ? -sign : left > right ? sign : a - b;
  });
}
