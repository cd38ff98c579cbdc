// Names and numbers for people: what the closed sets mean, and how figures are written.
// The names themselves come with the data; one that is not known here is shown as it is, without a meaning.

const CLASSES = {
  corpus: ["bad", "The evidence is in no document."],
  chunking: ["bad", "A chunk boundary parted what was found from what was needed."],
  retrieval: ["bad", "The evidence is not among the candidates of any retriever."],
  ranking: ["bad", "The evidence was among the candidates, but not in the top k."],
  packing: ["bad", "The evidence was in the top k, but not in the prompt."],
  generation: ["bad", "The evidence stood in the prompt, and the answer is wrong all the same."],
  ambiguous: ["plain", "Its label is wider than a chunk: the stage depends on how much of it is needed."],
  hallucinated: ["bad", "It has no answer in the corpus, and was given one."],
  correct: ["good", "The answer is right, with its support in the prompt."],
  correct_unsupported: ["plain", "The answer is right without support in the prompt: memory, another passage or luck."],
  correct_abstention: ["good", "It has no answer in the corpus, and the generator said so."],
  supported: ["good", "The support reached the prompt; there was no generator to use it."],
  unattributed: ["plain", "There is no evidence, no judgment, and no gold answer that the documents contain."],
  not_recorded: ["plain", "The file of recorded responses has none to one of its prompts."],
  failed: ["plain", "A call failed; never counted as wrong."],
};

const FAULTS = {
  context_use: "Right when given the gold passages alone: the context distracted the generator.",
  reader: "Wrong with the gold passages alone too: the reader, or the label.",
  abstained: "It said that it does not know.",
  refused: "It declined to answer.",
  format: "No answer could be taken from what it wrote.",
  truncated: "Its reply reached the token limit before an answer.",
  tool_call: "Its reply calls a tool and has no answer.",
  empty: "Its reply is empty.",
};

const FLAGS = {
  cut: "A gold range is cut by a chunk boundary.",
  encoder_truncated: "A gold range lies beyond what the encoder reads of its chunk.",
  ann_miss: "Exact search has the gold among its candidates, the approximate one lost it.",
  answer_elsewhere: "An answer string occurs in a packed passage that is not gold.",
  misled: "Right without context, wrong with the retrieved one.",
  label_suspect: "Perhaps the label is wrong, not the answer.",
  server_truncated: "The endpoint counted far fewer prompt tokens than were sent.",
};

const TURNS = {
  lost: ["▼", "Good in A, not in B."],
  gained: ["▲", "Not good in A, good in B."],
  moved: ["◆", "Good in neither, lost at another stage."],
};

const ARMS = {
  retrieved: "with the retrieved passages",
  oracle: "with the gold passages alone",
  gold_in_noise: "with the missing gold put in",
  closed_book: "without any passage",
};

const ORIGINS = {
  called: "a call",
  cached: "the cache",
  same_prompt: "an arm with the same prompt",
};

const RULES = {
  ranges: "by gold ranges",
  documents: "by gold documents",
  answer_string: "by answer string",
  nothing: "nothing gold to go by",
};

const TONE_GLYPHS = { good: "✓", bad: "✗", plain: "○" };

/** What a closed set's table says of a name: of its own entries only, for a name of the data may be `constructor`. */
function meant(table, name) {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** `1234567` as `1,234,567`. */
function thousands(number) {
  return String(Math.round(number)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** `1 question`, `7,405 questions`. */
function counted(number, noun) {
  return `${thousands(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** `1st`, `2nd`, `11th`, `37th`. */
function ordinal(number) {
  const teen = number % 100 >= 11 && number % 100 <= 13;
  const ending = teen ? "th" : { 1: "st", 2: "nd", 3: "rd" }[number % 10] || "th";
  return thousands(number) + ending;
}

/** A measure's value: three decimals, `1` and `0` bare; a dash where it is not defined. */
function measured(value) {
  if (value === null || value === undefined) return "–";
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}

/** A stage's score to four digits; a dash where there is none. */
function scored(value) {
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : "–";
}

/** Wall time: milliseconds below a second; a dash where none was taken. */
function timed(seconds) {
  if (!seconds) return "–";
  if (seconds >= 100) return `${Math.round(seconds)}\u00a0s`;
  if (seconds >= 1) return `${seconds.toFixed(2)}\u00a0s`;
  const milliseconds = seconds * 1000;
  return `${milliseconds >= 10 ? Math.round(milliseconds) : Number(milliseconds.toPrecision(2))}\u00a0ms`;
}

/** US dollars to two digits of weight. */
function dollars(value) {
  return value === 0 ? "$0" : `$${value >= 1 ? value.toFixed(2) : Number(value.toPrecision(2))}`;
}

/** A name of a closed set in words: `correct_unsupported` as `correct unsupported`. */
function spoken(name) {
  return name.replace(/_/g, " ");
}
