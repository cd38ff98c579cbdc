// The data in this file: blocks of JSON, compressed and written as base64, in elements that no browser runs or shows.
// The index precedes this script; the other blocks follow it, so that the table is there before they are read.
// Nothing is fetched: a block is decompressed from the page's own text, and a few blocks are cached.

const BLOCKS_KEPT = 48;
const keptBlocks = new Map();

/** The index; its text is removed, since it is needed once. */
async function readIndex() {
  const element = document.getElementById("rx-index");
  if (!element) throw new Error("the index is not in the file");
  const index = await unpacked(element.textContent);
  element.textContent = "";
  return index;
}

/** The detail of the question in row `row`. */
async function readDetail(index, row) {
  const per = index.details_per_block;
  const block = await readBlock(`rx-q${Math.floor(row / per)}`);
  return opened(entry(block, row % per, `question ${row + 1}`));
}

/** A trace with what is known of each stage in the stage, and the numbers of its passages. */
function opened({ question, gold, stages, conditions, by_stage, n_gold, ...rest }) {
  const places = (group, at) =>
    group.map((place, member) => ({
      ...place,
      ranges: place.needed,
      n_passages: n_gold[at][member],
      passages: place.chunks.map(Number),
    }));
  const stage = (recorded, at) => {
    const { label, gold: ranked, n_hits, support } = by_stage[at];
    const ranks = new Set(ranked.map(([rank]) => rank));
    const hit = (one, index) => ({ ...one, passage: Number(one.id), is_gold: ranks.has(index + 1) });
    const gold_below = ranked.map(([rank, passage]) => ({ rank, passage }));
    return { ...recorded, stage: label, n_hits, support, hits: recorded.hits.map(hit), gold_below };
  };
  const attempt = (call) => ({
    ...call,
    passages: call.passages.map(Number),
    error: call.error && call.error.message,
  });
  return {
    ...rest,
    history: question.history || [],
    answers: question.answers,
    required: question.required,
    forbidden: question.forbidden,
    documents: gold.documents,
    chunks: gold.chunks,
    gold: gold.groups.map(places),
    stages: stages.map(stage),
    conditions: conditions.map((condition) => ({ ...condition, attempts: condition.attempts.map(attempt) })),
  };
}

/** Passages by number. */
async function readPassages(index, numbers) {
  const read = async (number) => {
    const at = blockOf(index.passage_blocks, number);
    const block = await readBlock(`rx-p${at}`);
    return [number, entry(block, number - index.passage_blocks[at], `passage ${number}`)];
  };
  return new Map(await Promise.all([...new Set(numbers)].map(read)));
}

/** The last block that begins at or before `number`. */
function blockOf(starts, number) {
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= number) low = middle;
    else high = middle;
  }
  return low;
}

function entry(block, at, name) {
  if (!Array.isArray(block) || block[at] === undefined) throw new Error(`${name} is not in the file`);
  return block[at];
}

/** A block's value, from the cache or from its element; the least recently used one is evicted. */
function readBlock(id) {
  const block = keptBlocks.get(id) || elementWhenRead(id).then((element) => unpacked(element.textContent));
  keptBlocks.delete(id);
  keptBlocks.set(id, block);
  block.catch(() => keptBlocks.delete(id));
  if (keptBlocks.size > BLOCKS_KEPT) keptBlocks.delete(keptBlocks.keys().next().value);
  return block;
}

/** The element once the parser has read all of it. */
async function elementWhenRead(id) {
  const isRead = (element) => element && (document.readyState !== "loading" || element.nextElementSibling);
  let element = document.getElementById(id);
  if (!isRead(element) && document.readyState === "loading") {
    await new Promise((resolve) => document.addEventListener("DOMContentLoaded", resolve, { once: true }));
    element = document.getElementById(id);
  }
  if (!element) throw new Error(`the block ${id} is not in the file`);
  return element;
}

/** The value of base64 of gzip of JSON. */
async function unpacked(base64) {
  if (typeof DecompressionStream === "undefined") throw new TooOld();
  try {
    const stream = new Blob([bytesOf(base64.trim())]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  } catch (_) {
    throw new Error("a block cannot be decompressed");
  }
}

/** Decodes base64. */
function bytesOf(base64) {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** The browser cannot decompress. */
class TooOld extends Error {}

/** The message shown if data cannot be read. */
function problem(error, what) {
  const sentence =
    error instanceof TooOld
      ? `This browser cannot decompress ${what}, because it has no DecompressionStream; browsers since 2023 have it. The rest of the report is complete.`
      : `${what[0].toUpperCase()}${what.slice(1)} cannot be read: this file is damaged or truncated. The rest of the report is complete.`;
  const reason =
    error instanceof TooOld ? "" : make("span", { class: "rx-soft" }, " (", shown(String(error && error.message)), ")");
  return make("p", { class: "rx-problem", role: "alert" }, sentence, reason);
}
