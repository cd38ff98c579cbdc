// Gold answers and answers: the class with its reason, the extracted answer, the full response, the metrics, and the
// answers of the other conditions.

/** Class, fault and flags with their meanings, and the reason for the class. */
function reasonPart({ row, detail }) {
  const meaning = (meant(CLASSES, row.class) || ["", ""])[1];
  const lines = [
    make(
      "p",
      { class: "rx-verdict" },
      classBadge(row.class),
      row.fault ? make("span", { class: "rx-fault" }, `: ${row.fault}`) : "",
      " ",
      make("span", { class: "rx-soft" }, meaning, " ", row.fault ? meant(FAULTS, row.fault) || "" : ""),
    ),
    make("p", { class: "rx-reason" }, shown(row.reason, NAME_UNITS)),
    detail.judgment ? make("p", { class: "rx-judgment" }, "Answer ", shown(detail.judgment, NAME_UNITS)) : null,
    detail.unsupported
      ? make("p", { class: "rx-soft" }, "Not in any packed passage: ", shown(detail.unsupported.join(", "), NAME_UNITS))
      : null,
  ].filter(Boolean);
  const flags = (row.flags || []).map((flag) =>
    make(
      "li",
      {},
      make("b", { class: "rx-flag" }, spoken(flag)),
      " ",
      make("span", { class: "rx-soft" }, meant(FLAGS, flag) || ""),
    ),
  );
  return part("reason", "Why", flags.length ? [...lines, make("ul", { class: "rx-flag-list" }, ...flags)] : lines);
}

/** Correct answers, and facts that an answer must and must not state. */
function goldsPart(side, hasText) {
  return part("golds", "Gold", goldsOf(side, hasText));
}

function goldsOf({ row, detail }, hasText) {
  const answers = (detail.answers || []).map((answer) =>
    make("li", { class: "rx-gold-answer" }, shown(answer, NAME_UNITS)),
  );
  const facts = (title, list) =>
    list && list.length ? [make("p", { class: "rx-soft" }, title), make("ul", {}, ...list.map(factItem))] : [];
  const nodes = [
    answers.length ? make("ul", { class: "rx-golds" }, ...answers) : null,
    ...facts("A correct answer states:", detail.required),
    ...facts("A correct answer does not state:", detail.forbidden),
  ].filter(Boolean);
  if (nodes.length) return nodes;
  if (row.kind === "unanswerable")
    return make("p", {}, "Unanswerable: the correct reply declines.");
  return hasText ? make("p", { class: "rx-soft" }, "No gold answer.") : leftOut();
}

function factItem(wordings) {
  const nodes = wordings.flatMap((wording, at) =>
    at ? [make("span", { class: "rx-soft" }, " or "), shown(wording, NAME_UNITS)] : [shown(wording, NAME_UNITS)],
  );
  return make("li", {}, ...nodes);
}

/** The answer of the retrieved prompt. */
function answerPart(side, hasText) {
  return part("answer", "Answer", answerOf(side, hasText));
}

function answerOf({ run, detail }, hasText) {
  const condition = mainCondition(detail);
  if (!condition) return make("p", { class: "rx-soft" }, "No generator was configured.");
  return condition.attempts.flatMap((attempt, at) => {
    const number =
      condition.attempts.length > 1 ? make("p", { class: "rx-soft" }, `call ${at + 1} of ${condition.attempts.length}`) : null;
    const text = make("div", { class: "rx-answer" }, answerText(attempt, hasText));
    return [number, text, replyOf(attempt), factList(attemptFacts(attempt, run))].filter(Boolean);
  });
}

function mainCondition(detail) {
  return (detail.conditions || []).find((condition) => condition.condition === "retrieved") || (detail.conditions || [])[0];
}

/** The short answer, or the reason why there is none. */
function answerText(attempt, hasText) {
  if (attempt.error) return make("span", { class: "rx-error" }, "the call failed: ", shown(attempt.error, NAME_UNITS));
  if (attempt.extracted !== "") return shown(attempt.extracted, NAME_UNITS);
  if (!hasText && attempt.stance === "answered") return make("span", { class: "rx-leftout" }, "(omitted)");
  return make("span", { class: "rx-soft" }, `(${spoken(attempt.stance)})`);
}

/** The full response, if it contains more than the short answer. */
function replyOf(attempt) {
  if (attempt.raw === "" || attempt.raw === attempt.extracted) return null;
  return make(
    "div",
    { class: "rx-reply" },
    make("p", { class: "rx-soft" }, "the full response"),
    whole(attempt.raw),
  );
}

/** Tokens and costs of an imported run are unknown unless they were recorded. */
function attemptFacts({ stance, finish, origin, tokens, cost_usd, seconds }, run) {
  const isUnknown = run.k === 0;
  const billed = tokens.prompt_billed === undefined ? "" : `, ${thousands(tokens.prompt_billed)} billed`;
  const prompt = tokens.prompt || !isUnknown ? `${thousands(tokens.prompt)} prompt${billed}, ` : "";
  const used = `${prompt}${thousands(tokens.completion)} reply`;
  return [
    ["stance", spoken(stance)],
    ["ended by", isUnknown && finish === "stop" ? "–" : spoken(finish)],
    ["taken from", isUnknown ? "–" : meant(ORIGINS, origin) || spoken(origin)],
    ["tokens", isUnknown && !tokens.prompt && !tokens.completion ? "–" : used],
    ["cost", isUnknown && !cost_usd ? "–" : dollars(cost_usd)],
    ["time", timed(seconds)],
  ];
}

/** The metrics of the question. */
function scoresPart({ run, row }) {
  return part("scores", "Metrics", factList(run.metrics.map((name, at) => [name, measured(row.scores[at])])));
}

/** All conditions in one table. */
function conditionsPart({ run, detail }, hasText) {
  const conditions = detail.conditions || [];
  if (conditions.length === 0)
    return part("conditions", "All conditions", make("p", { class: "rx-soft" }, "No generator was configured."));
  const rows = conditions.map(({ condition, attempts }) => {
    const meaning = make("span", { class: "rx-under" }, meant(CONDITIONS, condition) || "");
    const head = make("th", { scope: "row" }, spoken(condition), meaning);
    return make("tr", {}, head, conditionCell(attempts, run, hasText));
  });
  const heads = ["condition", "answer"].map((head) => make("th", { scope: "col" }, head));
  const table = make(
    "table",
    { class: "rx-table rx-conditions" },
    make("thead", {}, make("tr", {}, ...heads)),
    make("tbody", {}, ...rows),
  );
  return part("conditions", "All conditions", make("div", { class: "rx-scroll" }, table));
}

function conditionCell(attempts, run, hasText) {
  const cell = make("td", {});
  if (attempts.length === 0) cell.append("–");
  for (const attempt of attempts) {
    const facts = attemptFacts(attempt, run).filter(([label, text]) => label !== "stance" && text !== "–");
    const line = facts
      .map(([label, text]) =>
        label === "ended by"
          ? text === "stop"
            ? ""
            : `ended by ${text}`
          : label === "taken from"
            ? `from ${text}`
            : text,
      )
      .filter(Boolean);
    cell.append(
      make("div", { class: "rx-condition-answer" }, answerText(attempt, hasText)),
      make("div", { class: "rx-under" }, line.join(" · ")),
    );
    if (attempt.raw !== "" && attempt.raw !== attempt.extracted)
      cell.append(folding("reply", () => whole(attempt.raw)));
  }
  return cell;
}
