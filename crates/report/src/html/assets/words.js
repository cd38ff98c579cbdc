// Meanings of the closed sets, and formatting of numbers. The names come with the data; unknown ones are shown without a
// meaning.

/** The worst first: the earlier the evidence was lost, the worse. */
const CLASSES = {
  not_in_corpus: ["bad", "The evidence is in no document."],
  split: ["bad", "A chunk boundary splits the evidence."],
  not_retrieved: ["bad", "The evidence is not among the candidates of any retriever."],
  ranked_low: ["bad", "The evidence was among the candidates, but not in the top k."],
  not_packed: ["bad", "The evidence was in the top k, but not in the prompt."],
  not_in_prompt: ["bad", "The evidence was lost before the prompt; which stage lost it is not recorded."],
  wrong_answer: ["bad", "The evidence was in the prompt, but the answer is wrong."],
  hallucinated: ["bad", "The question is unanswerable, but was answered."],
  unclear: ["plain", "No usable label, a label wider than a chunk, or results that do not show the prompt."],
  unsure: ["plain", "The rule cannot tell whether the answer is correct."],
  failed: ["plain", "A call failed, its response is not recorded, or its reply is no answer; this never counts as wrong."],
  correct_without_evidence: ["plain", "The answer is correct without complete evidence in the prompt: from memory, another passage or by chance."],
  delivered: ["good", "The evidence reached the prompt, and there is no answer to judge."],
  correct: ["good", "The answer is correct, with complete evidence in the prompt."],
  declined: ["good", "The question is unanswerable, and the generator declined."],
};

const FAULTS = {
  ignored_context: "Correct with the gold passages alone: the other passages distracted the generator.",
  misread: "Wrong with the gold passages alone too: the generator or the label is at fault.",
  declined: "The generator answered that it does not know.",
};

const FLAGS = {
  answer_elsewhere: "An answer string occurs in a packed passage that is not gold.",
  label_suspect: "The label may be wrong, not the answer.",
  prompt_truncated: "The endpoint counted far fewer prompt tokens than were sent.",
};

const CONDITIONS = {
  retrieved: "with the retrieved passages",
  oracle: "with the gold passages alone",
  gold_with_distractors: "with the missing gold passages added",
  closed_book: "without any passage",
};

const ORIGINS = {
  called: "a call",
  cached: "the cache, or recorded responses",
  same_prompt: "another condition with the same prompt",
};

const RULES = {
  ranges: "by gold ranges",
  documents: "by gold documents",
  answer_string: "by answer string",
  nothing: "no gold label",
};

const TONE_GLYPHS = { good: "✓", bad: "✗", plain: "○" };

/** The meaning of a name in a table; own entries only, since a name of the data may be `constructor`. */
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

/** A metric's value: three decimals, `1` and `0` bare; a dash where it is not defined. */
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

/** A name of a closed set in words: `yes_no` as `yes no`. */
function spoken(name) {
  return name.replace(/_/g, " ");
}
