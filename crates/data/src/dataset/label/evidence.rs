//! Asks for evidence and answers of a passage that answers the question.

use super::{Ask, Interrupt, Prompt, Refused, ShownPassage, WantedAnswer, line};
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::text::quote;
use ragtriage_core::types::{ByteRange, QuestionKind};

/// The evidence and the answer in a passage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Evidence {
    /// The quote; `None` for the document as a whole.
    pub range: Option<ByteRange>,
    /// New wordings of the answer.
    pub answers: Vec<String>,
}

/// Asks for the quote and the answer. `known` are the known wordings of the answer; `is_first` is true if no earlier passage
/// answers.
pub(super) fn ask(
    ask: &mut Ask<'_>,
    shown: &ShownPassage<'_>,
    known: &[String],
    is_first: bool,
) -> Result<Evidence, Interrupt> {
    let range = quoted_range(ask, shown)?;
    // Required facts already define the correct answer; a question with a free-form answer is not asked for a
    // span later.
    let is_wanted = shown.question.required.is_empty() && (is_first || !known.is_empty());
    let text = range.map_or(shown.text(), |range| &shown.document.text[range.as_range()]);
    if !is_wanted || occurs(known, text) {
        return Ok(Evidence { range, answers: Vec::new() });
    }
    let mut refused: Option<Vec<String>> = None;
    loop {
        let given = refused.as_ref().map(|answers| answers.join(" | "));
        let mut typed =
            line(ask, Prompt::Answer(WantedAnswer { known, refused: given.as_deref() }))?;
        while asks_for_help(&typed) {
            typed = line(ask, Prompt::AnswerHelp)?;
        }
        way_out(&typed)?;
        let answers = wordings(&typed);
        if answers.is_empty() || occurs(&answers, text) || refused.as_ref() == Some(&answers) {
            return Ok(Evidence { range, answers });
        }
        refused = Some(answers);
    }
}

/// Asks for the quote and locates it. Occurrences within the passage take precedence over others in the document.
///
/// The document as a whole gives no range instead of the passage's: passage boundaries depend on the current chunking, and labels
/// that contain them would favour that chunking.
fn quoted_range(
    ask: &mut Ask<'_>,
    shown: &ShownPassage<'_>,
) -> Result<Option<ByteRange>, Interrupt> {
    let text = &shown.document.text;
    let mut refused: Option<String> = None;
    loop {
        let why =
            refused.as_deref().map(|words| Refused { words, nearest: quote::nearest(text, words) });
        let words = match quote(ask, shown, why)? {
            Quote::Whole => return Ok(None),
            Quote::Range(range) => match quote::trim(text, range) {
                range if range.is_empty() => String::new(),
                range => return Ok(Some(range)),
            },
            Quote::Words(words) => words,
        };
        let at = shown.range.start;
        let here = quote::locate(shown.text(), &words)
            .map(|found| (found.range.start + at, found.range.end + at).into());
        let anywhere = here.or_else(|| quote::locate(text, &words).map(|found| found.range));
        if anywhere.is_some() {
            return Ok(anywhere);
        }
        refused = Some(words);
    }
}

/// The words of a document that answer a question.
enum Quote {
    Range(ByteRange),
    Words(String),
    /// The document as a whole, without a quote.
    Whole,
}

/// Asks for a quote: numbers of lines, words, or an empty line; `y` takes the nearest text of refused words.
fn quote(
    ask: &mut Ask<'_>,
    shown: &ShownPassage<'_>,
    refused: Option<Refused<'_>>,
) -> Result<Quote, Interrupt> {
    let pieces = shown.pieces();
    let mut words = String::new();
    let mut prompt = Prompt::Words(shown, refused);
    loop {
        // Words that were copied from a screen come in lines: the empty one behind them is their end.
        let typed = line(ask, prompt)?;
        prompt = Prompt::MoreWords;
        if typed.trim().is_empty() {
            return Ok(if words.is_empty() { Quote::Whole } else { Quote::Words(words) });
        }
        if words.is_empty() {
            way_out(&typed)?;
            let nearest = refused.and_then(|refused| refused.nearest);
            let nearest = nearest.filter(|_| typed.trim() == "y");
            if let Some(range) = picked(&typed, &pieces).or(nearest) {
                return Ok(Quote::Range(range));
            }
            if asks_for_help(&typed) {
                prompt = Prompt::WordsHelp;
                continue;
            }
        }
        words.push_str(&typed);
        words.push('\n');
    }
}

/// Fails with a command where words are expected: commands begin with `/` there, since any character may be a word.
fn way_out(line: &str) -> Result<(), Interrupt> {
    match line.trim() {
        "/b" => Err(Interrupt::Back),
        "/q" => Err(Interrupt::Stop),
        _ => Ok(()),
    }
}

/// Returns true for `/?`, and for a command of a passage, which is typed by mistake where words are expected.
fn asks_for_help(line: &str) -> bool {
    ["/?", "?", "h", "help", "y", "n", "s", "b", "d", "e", "u", "q", "g"].contains(&line.trim())
}

/// Parses `2` or `2-4`: the range from the start of the second of `pieces` to the end of the fourth; `None` if `line` is not
/// a valid piece number or range.
fn picked(line: &str, pieces: &[ByteRange]) -> Option<ByteRange> {
    let (first, last) = line.split_once('-').unwrap_or((line, line));
    let [first, last] = [first, last].map(|number| {
        let number: usize = number.trim().parse().ok()?;
        pieces.get(number.checked_sub(1)?)
    });
    let (first, last) = (first?, last?);
    (first.start <= last.start).then(|| ByteRange::new(first.start, last.end))
}

/// Splits the wordings of an answer, separated by ` | `.
fn wordings(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for wording in line.split(" | ").map(str::trim) {
        if !wording.is_empty() && !all.iter().any(|known| known == wording) {
            all.push(wording.to_owned());
        }
    }
    all
}

/// Returns true if one of `answers` occurs in `text`, or need not occur.
pub(super) fn occurs(answers: &[String], text: &str) -> bool {
    (!answers.is_empty() && are_yes_no(answers)) || AnswerMatcher::new(answers).found_in_text(text)
}

fn are_yes_no(answers: &[String]) -> bool {
    answers.iter().all(|answer| ["yes", "no"].iter().any(|word| answer.eq_ignore_ascii_case(word)))
}

/// Returns the kind of a question with these answers. `wanted` is its kind before labelling.
pub(super) fn kind(wanted: QuestionKind, answers: &[String], is_free: bool) -> QuestionKind {
    match wanted {
        _ if answers.is_empty() || is_free => QuestionKind::Free,
        QuestionKind::Span => QuestionKind::Span,
        _ if are_yes_no(answers) => QuestionKind::YesNo,
        _ => QuestionKind::Span,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_picked_by_number_from_one() {
        let pieces: Vec<ByteRange> = vec![(3, 9).into(), (10, 20).into(), (22, 30).into()];
        let range = |start, end| Some(ByteRange::new(start, end));
        assert_eq!(picked("2", &pieces), range(10, 20));
        assert_eq!(picked(" 1 - 3 ", &pieces), range(3, 30));
        for line in ["0", "4", "3-1", "1-4", "-", "", "1-2-3", "two"] {
            assert_eq!(picked(line, &pieces), None, "{line:?}");
        }
    }

    #[test]
    fn wordings_are_parted_by_a_bar_between_spaces() {
        assert_eq!(
            wordings("6 minutes | six  minutes |  | 6 minutes"),
            ["6 minutes", "six  minutes"]
        );
        assert_eq!(wordings("a|b"), ["a|b"], "as in a shell's pipe or a table");
        assert!(wordings(" \r").is_empty());
    }
}
