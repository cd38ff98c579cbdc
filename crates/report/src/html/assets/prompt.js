// The exact prompt of each condition, put together as the run did it: the parts of its template, the question, and the passages
// `[n] title`, a line feed and the text. Built on request, from texts that are in the file once.

function promptPart(side, passages, hasText) {
  return part("prompt", "Prompts", promptsOf(side, passages, hasText));
}

function promptsOf({ run, row, detail }, passages, hasText) {
  const conditions = detail.conditions || [];
  if (!hasText) return make("p", { class: "rx-leftout" }, "(omitted: this file has no texts)");
  if (!run.prompt || conditions.length === 0)
    return make(
      "p",
      { class: "rx-soft" },
      conditions.length ? "ragtriage built no prompt." : "No generator was configured, so there is no prompt.",
    );
  const panel = make("div", { class: "rx-prompt" });
  const calls = conditions.flatMap((condition) => differentPrompts(condition));
  const buttons = calls.map(({ condition, attempt, name }) => {
    const button = make(
      "button",
      { type: "button", class: "rx-button", "data-action": "prompt", "data-condition": condition.condition, "aria-expanded": "false" },
      name,
    );
    button.addEventListener("click", () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      for (const each of buttons) each.setAttribute("aria-expanded", "false");
      panel.replaceChildren();
      if (isOpen) return;
      button.setAttribute("aria-expanded", "true");
      panel.append(
        ...promptShown(
          rendered(
            run.prompt,
            row.text,
            attempt.passages.map((number) => passages.get(number)),
          ),
          attempt,
        ),
      );
    });
    return button;
  });
  return [make("div", { class: "rx-buttons" }, ...buttons), panel];
}

/** The calls of a condition whose prompt differs from the previous one. */
function differentPrompts(condition) {
  const seen = new Set();
  const calls = condition.attempts.filter(
    (attempt) => !seen.has(attempt.passages.join()) && seen.add(attempt.passages.join()),
  );
  return calls.map((attempt, at) => ({
    condition,
    attempt,
    name: spoken(condition.condition) + (calls.length > 1 ? `, prompt ${at + 1}` : ""),
  }));
}

/** Both messages as they were sent. */
function rendered(template, question, passages) {
  const each = passages.map((passage, at) =>
    passageInPrompt(at + 1, template.titles ? passage.title || "" : "", passage.text),
  );
  const all = each.length ? each.join(template.separator) : template.no_passages;
  const fill = (parts) =>
    parts.map((piece) => (piece === "question" ? question : piece === "passages" ? all : piece.text)).join("");
  return { system: fill(template.system), user: fill(template.user) };
}

function passageInPrompt(number, title, text) {
  return title === "" ? `[${number}]\n${text}` : `[${number}] ${title}\n${text}`;
}

function promptShown({ system, user }, attempt) {
  const message = (role, text) => [
    make("h4", {}, role, make("span", { class: "rx-soft" }, ` ${counted(text.length, "character")}`)),
    make("div", { class: "rx-message" }, whole(text, PROMPT_UNITS)),
  ];
  const head = make(
    "p",
    { class: "rx-soft" },
    `${counted(attempt.passages.length, "passage")}, ${thousands(attempt.tokens.prompt)} tokens (local count)`,
  );
  return [head, ...(system === "" ? [] : message("system", system)), ...message("user", user)];
}
