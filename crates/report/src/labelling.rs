//! The labelling session in a terminal: a question with one passage, help and prompts. Interactive, so it is no document.

use crate::wrap::wrapped_to;
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::text::sanitize::{one_line, shortened};
use ragtriage_core::types::{Document, Question};
use ragtriage_data::dataset::label::{COMMANDS, Refused, ShownPassage, WantedAnswer};

/// Longer lines are hard to read, however wide the terminal.
const MOST_WIDTH: usize = 100;
/// Narrower ones leave no room for words.
const LEAST_WIDTH: usize = 40;
/// Columns before a passage's text: a piece's number.
const MARGIN: usize = 5;
/// Longest mark before a piece that is no line of its own: a heading's, a list item's, the indent of code.
const LONGEST_MARK: usize = 24;
/// Most characters of a suggested text.
const OFFERED: usize = 300;

/// The prompt at a passage.
pub const JUDGE: &str = "y n 0-3 s b d e u q ? > ";
/// Before words that answer.
pub const QUOTE: &str = "words > ";
/// Before a short answer.
pub const ANSWER: &str = "answer > ";
/// Before the end of a question that no passage answers.
pub const CLOSE: &str = "unanswerable? y n b q > ";

/// Help on giving evidence.
pub const QUOTE_HELP: &str = "Which words answer it? Enter a line number (`2`) or a range of lines (`2-4`); or the words themselves, with an empty line after them. An empty line alone means the whole document. `/b`: judge again, `/q`: quit.";
/// Help on words for a question with several pieces of evidence, all needed.
pub const ALL_NEEDED: &str = "This question already has several pieces of evidence, all required. Words given now are an alternative to all of them. For a passage that answers in part, enter `/b`, then `2`.";
/// Help on giving an answer.
pub const ANSWER_HELP: &str = "Enter the answer as worded there, with other wordings after ` | `; or `yes` or `no`; or an empty line if the answer is free text. A single letter is entered as a capital. `/b`: judge again, `/q`: quit.";
/// Help on closing a question.
pub const CLOSE_HELP: &str = "No judged passage answers it. Are you certain that no document does? `y`: mark it unanswerable, `n`: leave it without an answer (`--reopen ID --depth 50` shows more passages, and questions.jsonl takes a quote by hand), `b`: back.";

/// A terminal to lay out for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnnotatorScreen {
    width: usize,
    color: bool,
}

impl AnnotatorScreen {
    /// One of `columns`, where that is known; `color`: some of it may be dim, some bold.
    #[must_use]
    pub fn new(columns: Option<usize>, color: bool) -> Self {
        Self { width: columns.unwrap_or(MOST_WIDTH).clamp(LEAST_WIDTH, MOST_WIDTH), color }
    }

    /// The question and the passage, whose pieces are numbered.
    #[must_use]
    pub fn passage(&self, shown: &ShownPassage<'_>) -> String {
        let progress = shown.progress;
        let at = format!(
            " question {} of {}, passage {} of {}",
            progress.question, progress.n_questions, progress.passage, progress.n_passages
        );
        let rule = "─".repeat(self.width.saturating_sub(at.chars().count()));
        let mut out = format!("\n{}", self.dim(&format!("{rule}{at}")));
        out.push_str(&self.question(shown.question));
        out.push('\n');
        out.push_str(&self.dim(&wrapped_to(self.width, "", &source(shown.document))));
        out.push_str(&self.pieces(shown));
        out.push('\n');
        if let Some(grade) = shown.judged {
            out.push_str(&self.say(&format!("Judged {grade} before; Enter keeps it.")));
        }
        out
    }

    /// The question alone.
    #[must_use]
    pub fn question(&self, question: &Question) -> String {
        format!("\n{}", self.bold(&wrapped_to(self.width, "", &question.text)))
    }

    /// The whole document of a passage.
    #[must_use]
    pub fn document(&self, shown: &ShownPassage<'_>) -> String {
        let source = source(shown.document);
        let mut out = format!("\n{}", self.dim(&wrapped_to(self.width, "", &source)));
        let text = &shown.document.text;
        text.lines().for_each(|line| out.push_str(&self.line("  ", line)));
        out.push('\n');
        out
    }

    /// The commands.
    #[must_use]
    pub fn help(&self) -> String {
        COMMANDS
            .lines()
            .filter_map(|line| line.split_once('\t'))
            .map(|(names, what)| wrapped_to(self.width, &format!("  {names:<6}"), what))
            .collect()
    }

    /// A sentence of ours.
    #[must_use]
    pub fn say(&self, text: &str) -> String {
        wrapped_to(self.width, "  ", text)
    }

    /// Words that are not in the document, with what comes nearest.
    #[must_use]
    pub fn refused(&self, shown: &ShownPassage<'_>, refused: Refused<'_>) -> String {
        let words = format!("Not in this document: `{}`.", shortened(refused.words, OFFERED));
        let Some(range) = refused.nearest else {
            return self.say(&words);
        };
        let nearest = shortened(&one_spaced(&shown.document.text[range.as_range()]), OFFERED);
        let offer = format!(
            "Nearest text: `{nearest}`. Enter `y` to use it, or other words, a number, or `/b`."
        );
        self.say(&words) + &self.say(&offer)
    }

    /// An answer that is not in the evidence, or one of another passage that is not in this one's.
    #[must_use]
    pub fn wanted(&self, wanted: WantedAnswer<'_>) -> Option<String> {
        let text = match wanted {
            WantedAnswer { refused: Some(answer), .. } => {
                format!(
                    "`{answer}` does not occur in those words, so retrieval is not credited for it. Enter it again to keep it; `/b`: judge again."
                )
            }
            WantedAnswer { known: [], .. } => return None,
            WantedAnswer { known, .. } => {
                let known = known.join(" | ");
                format!(
                    "`{known}` does not occur in those words. Enter its wording there, or an empty line if there is none; `/b`: judge again."
                )
            }
        };
        Some(self.say(&text))
    }

    /// The passage: its pieces with their numbers, and between them, unnumbered, what belongs to none (a fence, a rule).
    fn pieces(&self, shown: &ShownPassage<'_>) -> String {
        let text = &shown.document.text;
        let mut out = String::new();
        let mut at = shown.range.start;
        for (number, piece) in (1..).zip(shown.pieces()) {
            let between = &text[at..piece.start];
            // A line may begin before its piece does: `- `, `## `, the indent of code.
            let begins_line = at == shown.range.start || between.contains('\n');
            let (lines, mark) =
                between.rsplit_once('\n').unwrap_or(("", if begins_line { between } else { "" }));
            let (lines, mark) =
                if mark.chars().count() > LONGEST_MARK { (between, "") } else { (lines, mark) };
            out.push_str(&self.between(lines));
            if !out.is_empty() && between.matches('\n').count() > 1 && lines.trim().is_empty() {
                out.push('\n');
            }
            let lead = format!("{number:>3}  {}", one_line(mark));
            out.push_str(&self.line(&lead, &text[piece.as_range()]));
            at = piece.end;
        }
        out.push_str(&self.between(&text[at..shown.range.end]));
        out
    }

    fn between(&self, text: &str) -> String {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines
            .map(|line| self.line(&" ".repeat(MARGIN), &shortened(line, self.width - MARGIN)))
            .collect()
    }

    /// A line whose indent stays.
    fn line(&self, lead: &str, line: &str) -> String {
        let indent: String = line.chars().take_while(|c| *c == ' ').take(LONGEST_MARK).collect();
        wrapped_to(self.width, &format!("{lead}{indent}"), line)
    }

    fn dim(&self, text: &str) -> String {
        self.styled("2", text)
    }

    fn bold(&self, text: &str) -> String {
        self.styled("1", text)
    }

    /// `text` in a rendition of ECMA-48, section 8.3.117; a line feed at its end stays outside.
    fn styled(&self, code: &str, text: &str) -> String {
        let (line, end) = text.strip_suffix('\n').map_or((text, ""), |line| (line, "\n"));
        if self.color { format!("\u{1b}[{code}m{line}\u{1b}[0m{end}") } else { text.to_owned() }
    }
}

/// Names the source of a passage: document and title.
fn source(Document { id, title, .. }: &Document) -> String {
    if title.is_empty() || title == id.as_str() {
        id.to_string()
    } else {
        format!("{id} · {title}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use ragtriage_core::types::ByteRange;
    use ragtriage_data::dataset::label::LabelProgress;

    const TEXT: &str = "# Checkout\n\nIt sells.\n\n## Rollback\n\nWait **6 minutes**. Then\nrun:\n\n```sh\nshipctl back\n  --now\n```\n\n- one\n  - two\n\n## Old\n";

    fn document(text: &str) -> Document {
        Document {
            id: "a.md".into(),
            title: "Checkout".into(),
            text: text.into(),
            metadata: BTreeMap::new(),
        }
    }

    fn question(text: &str) -> Question {
        serde_json::from_value(serde_json::json!({ "id": "q", "text": text, "kind": "free" }))
            .expect("a question")
    }

    fn shown<'a>(
        question: &'a Question,
        document: &'a Document,
        range: ByteRange,
    ) -> ShownPassage<'a> {
        let progress = LabelProgress { question: 3, n_questions: 40, passage: 5, n_passages: 17 };
        ShownPassage { question, progress, document, range, is_answered: false, judged: None }
    }

    #[test]
    fn a_passage_is_shown_with_its_pieces_numbered() {
        let (question, document) = (question("How do I get it back?"), document(TEXT));
        let start = TEXT.find("Wait").expect("there");
        let range = (start, TEXT.find("\n\n## Old").expect("there")).into();
        let screen =
            AnnotatorScreen::new(Some(50), false).passage(&shown(&question, &document, range));
        insta::assert_snapshot!(screen, @r"

        ──────────────── question 3 of 40, passage 5 of 17
        How do I get it back?

        a.md · Checkout
          1  Wait **6 minutes**.
          2  Then run:
             ```sh
          3  shipctl back
          4    --now
             ```
          5  - one
          6    - two
        ");
        let again = ShownPassage { judged: Some(3), ..shown(&question, &document, range) };
        let again = AnnotatorScreen::new(Some(50), false).passage(&again);
        assert_eq!(again, screen + "  Judged 3 before; Enter keeps it.\n");
    }

    #[test]
    fn lines_fit_the_terminal_and_data_does_nothing_to_it() {
        let hostile = "\u{1b}[2J\u{1b}]0;x\u{7}## Wipe\u{202e} it\r\n\u{9b}31m ".to_owned()
            + &"word ".repeat(60);
        let (question, document) = (question("a\u{1b}[1mb?"), document(&hostile));
        for (columns, most) in
            [(Some(60), 60), (Some(500), MOST_WIDTH), (None, MOST_WIDTH), (Some(1), LEAST_WIDTH)]
        {
            let screen = AnnotatorScreen::new(columns, false);
            let shown = shown(&question, &document, (0, hostile.len()).into());
            let text = screen.passage(&shown) + &screen.document(&shown);
            assert!(text.lines().all(|line| line.chars().count() <= most), "{most}: {text}");
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}', '\u{9b}', '\r']), "{text:?}");
        }
    }

    #[test]
    fn colour_is_ours_alone() {
        let (question, document) = (question("Why?"), document("Because."));
        let text =
            AnnotatorScreen::new(None, true).passage(&shown(&question, &document, (0, 8).into()));
        assert!(text.contains("\u{1b}[1mWhy?\u{1b}[0m\n"), "{text:?}");
        assert_eq!(text.matches('\u{1b}').count(), 6);
    }
}
