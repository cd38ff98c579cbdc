//! Commands typed by a person, and their parsing.

use super::ANSWERS;
use super::annotator::{AnnotatorReply, Closing, PassageJudgment, Quote};
use ragtriage_core::types::ByteRange;

/// A command about a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelCommand {
    /// A judgment, or the end of judging.
    Say(PassageJudgment),
    /// Show the whole document.
    Document,
    /// Show the help.
    Help,
}

/// The commands with their descriptions, in help order.
pub const COMMANDS: [(&str, &str); 10] = [
    ("y, 3", "relevant: it answers the question; you are then asked for the exact words"),
    ("n, 0", "not relevant"),
    ("1, 2", "partly relevant, as grade 1 or 2 (also `g 1`, `g 2`)"),
    ("s", "skip: cannot say; the passage stays unjudged"),
    ("b", "back: judge the previous passage again"),
    ("d", "show the whole document"),
    ("e", "end this question: the remaining passages stay unjudged"),
    ("u", "unanswerable: nothing in the documents answers this question"),
    (
        "q",
        "quit: judgments are saved, and the next start resumes; a question without an answer is asked again",
    ),
    ("?", "this"),
];

/// Parses a command about a passage; `None` for any other line.
#[must_use]
pub fn command(line: &str) -> Option<LabelCommand> {
    let typed = line.trim().to_ascii_lowercase();
    // `g 2` and a single digit are grades.
    let digit = typed.strip_prefix('g').map_or(typed.as_str(), str::trim_start);
    if let [digit @ b'0'..=b'3'] = digit.as_bytes() {
        return Some(LabelCommand::Say(PassageJudgment::Grade(i32::from(digit - b'0'))));
    }
    let verdict = match typed.as_str() {
        "y" | "yes" => PassageJudgment::Grade(ANSWERS),
        "n" | "no" => PassageJudgment::Grade(0),
        "s" => PassageJudgment::Skip,
        "b" => PassageJudgment::Back,
        "e" => PassageJudgment::Enough,
        "u" => PassageJudgment::Unanswerable,
        "q" => PassageJudgment::Stop,
        "d" => return Some(LabelCommand::Document),
        "?" | "h" | "help" => return Some(LabelCommand::Help),
        _ => return None,
    };
    Some(LabelCommand::Say(verdict))
}

/// Parses a decision about a question that no passage answers; `None` for any other line.
#[must_use]
pub fn closing(line: &str) -> Option<Closing> {
    match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" | "u" => Some(Closing::Unanswerable),
        "n" | "no" => Some(Closing::Open),
        "b" => Some(Closing::Back),
        "q" => Some(Closing::Stop),
        _ => None,
    }
}

/// Parses a command where words are expected: commands begin with `/` there, since any character may be a word.
#[must_use]
pub fn way_out<T>(line: &str) -> Option<AnnotatorReply<T>> {
    match line.trim() {
        "/b" => Some(AnnotatorReply::Back),
        "/q" => Some(AnnotatorReply::Stop),
        _ => None,
    }
}

/// Parses `2` or `2-4`: the range from the start of the second of `pieces` to the end of the fourth; `None` if `line` is not
/// a valid piece number or range.
#[must_use]
pub fn picked(line: &str, pieces: &[ByteRange]) -> Option<Quote> {
    let (first, last) = line.split_once('-').unwrap_or((line, line));
    let [first, last] = [first, last].map(|number| {
        let number: usize = number.trim().parse().ok()?;
        pieces.get(number.checked_sub(1)?)
    });
    let (first, last) = (first?, last?);
    (first.start <= last.start).then(|| Quote::Range(ByteRange::new(first.start, last.end)))
}

/// Splits the wordings of an answer, separated by ` | `.
#[must_use]
pub fn wordings(line: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for wording in line.split(" | ").map(str::trim) {
        if !wording.is_empty() && !all.iter().any(|known| known == wording) {
            all.push(wording.to_owned());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judgment_is_a_letter_or_a_grade() {
        let grade = |grade| Some(LabelCommand::Say(PassageJudgment::Grade(grade)));
        for (line, expected) in [
            ("y", grade(3)),
            (" Yes\r\n", grade(3)),
            ("N", grade(0)),
            ("2", grade(2)),
            ("g 1", grade(1)),
            ("g3", grade(3)),
            ("u", Some(LabelCommand::Say(PassageJudgment::Unanswerable))),
            ("?", Some(LabelCommand::Help)),
            ("d", Some(LabelCommand::Document)),
            ("4", None),
            ("g", None),
            ("g -1", None),
            ("", None),
            ("yy", None),
        ] {
            assert_eq!(command(line), expected, "{line:?}");
        }
    }

    #[test]
    fn every_explained_command_is_one() {
        for (names, _) in COMMANDS {
            assert!(names.split(", ").all(|name| command(name).is_some()), "{names}");
        }
    }

    #[test]
    fn evidence_is_picked_by_number_from_one() {
        let pieces: Vec<ByteRange> = vec![(3, 9).into(), (10, 20).into(), (22, 30).into()];
        let range = |start, end| Some(Quote::Range((start, end).into()));
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

    #[test]
    fn where_words_are_asked_for_a_letter_is_a_word() {
        assert_eq!(way_out::<()>("b"), None);
        assert_eq!(way_out::<()>(" /b\r"), Some(AnnotatorReply::Back));
        assert_eq!(way_out::<()>("/healthz"), None);
    }

    #[test]
    fn a_question_without_an_answer_is_closed_by_yes_or_no() {
        assert_eq!(
            [closing("Y"), closing("n "), closing("maybe")],
            [Some(Closing::Unanswerable), Some(Closing::Open), None]
        );
    }
}
