//! Serialises native questions: a line of `questions.jsonl` that reads back as an equal question.
//!
//! Keys follow the order of the table in `jsonl`. Values that the reader fills in by itself are omitted: empty lists, no
//! split, judgments that follow from the evidence.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::run::{SHARED, write_file};
use ragtriage_core::text::quote;
use ragtriage_core::types::{
    ByteRange, DocId, KeyFact, Member, Question, QuestionKind, Split, Turn,
};

/// Serialises `question` as a JSON object on one line, without a line end. `text_of` returns a document's text, `None` for a
/// document that is not in the corpus.
///
/// A piece of evidence is written as a quote if its text occurs once in the document, else as a byte range: the reader takes a
/// quote's first occurrence.
pub fn question_line<'a>(
    question: &'a Question,
    text_of: impl Fn(&DocId) -> Option<&'a str>,
) -> String {
    let labels = Labels::new(question, text_of);
    json_line(&QuestionLine { id: question.id.as_str(), text: &question.text, labels })
}

/// Serialises a value as JSON on one line.
pub(super) fn json_line(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("keys are strings")
}

/// Writes a file of `lines`, each terminated by a line feed.
pub(super) fn write_lines(path: &Path, lines: impl Iterator<Item = String>) -> io::Result<()> {
    write_file(path, SHARED, |file| {
        for line in lines {
            writeln!(file, "{line}")?;
        }
        Ok(())
    })
}

#[derive(Serialize)]
struct QuestionLine<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(flatten)]
    labels: Labels<'a>,
}

/// All fields of a question except its id and text.
#[derive(Serialize)]
pub(super) struct Labels<'a> {
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    history: &'a [Turn],
    #[serde(skip_serializing_if = "Option::is_none")]
    standalone: Option<&'a str>,
    kind: QuestionKind,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    answers: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    evidence: Vec<Vec<WrittenMember<'a>>>,
    /// `None` where the reader derives it from the evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    relevant: Option<&'a BTreeMap<DocId, i32>>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    required: &'a [KeyFact],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    forbidden: &'a [KeyFact],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<Split>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(question: &'a Question, text_of: impl Fn(&DocId) -> Option<&'a str>) -> Self {
        let Question {
            id: _,
            text: _,
            history,
            standalone,
            kind,
            answers,
            evidence,
            relevant,
            required,
            forbidden,
            tags,
            split,
        } = question;
        let of_evidence: BTreeMap<&DocId, i32> =
            evidence.iter().flatten().map(|member| (&member.doc, 1)).collect();
        let follows = relevant.iter().map(|(doc, grade)| (doc, *grade)).eq(of_evidence);
        let members = |group: &'a Vec<Member>| {
            let members = group.iter();
            members.map(|it| WrittenMember::new(it, text_of(&it.doc))).collect()
        };
        Self {
            history,
            standalone: standalone.as_deref(),
            kind: *kind,
            answers,
            evidence: evidence.iter().map(members).collect(),
            relevant: Some(relevant).filter(|_| !follows),
            required,
            forbidden,
            tags,
            split: *split,
        }
    }
}

/// A member of a group of evidence.
#[derive(Serialize)]
struct WrittenMember<'a> {
    doc: &'a DocId,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quotes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ranges: Vec<ByteRange>,
}

impl<'a> WrittenMember<'a> {
    fn new(member: &'a Member, text: Option<&'a str>) -> Self {
        let Member { doc, ranges } = member;
        let mut place = Self { doc, quotes: Vec::new(), ranges: Vec::new() };
        for range in ranges {
            match text.and_then(|text| quoted(text, *range)) {
                Some(quote) => place.quotes.push(quote),
                None => place.ranges.push(*range),
            }
        }
        place
    }
}

/// Returns the text of `range` if it occurs exactly once.
fn quoted(text: &str, range: ByteRange) -> Option<&str> {
    let quote = text.get(range.as_range())?;
    quote::locate(text, quote)
        .filter(|located| located.range == range && located.n_found == 1)
        .map(|_| quote)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::dataset::{load, testing::with_files};
    use ragtriage_core::config::Format;
    use ragtriage_core::types::Speaker;

    /// Reads `line` with a corpus of one document `d`; unknown documents are accepted.
    fn read(text: &str, line: &str) -> Question {
        let corpus = format!("{}\n", serde_json::json!({ "id": "d", "text": text }));
        let files = [("corpus.jsonl", &*corpus), ("questions.jsonl", line)];
        let set = with_files(&files, Format::Jsonl, |spec| load(spec));
        set.unwrap_or_else(|error| panic!("{error}: {line}")).questions.remove(0)
    }

    fn written(text: &str, question: &Question) -> String {
        question_line(question, |doc| (doc.as_str() == "d").then_some(text))
    }

    #[test]
    fn a_line_is_written_as_a_person_would_write_it() {
        let text = "Wait 6 minutes. Then wait, wait.\n| a |";
        for own in [
            r#"{"id": "q", "text": "?", "kind": "free"}"#,
            concat!(
                r#"{"id": "q", "text": "“How” long?", "kind": "span", "answers": ["6 minutes", "six"], "evidence": [[{"doc": "d", "#,
                r#""quotes": ["6 minutes", "| a |"], "ranges": [[21, 25]]}, {"doc": "gone"}], [{"doc": "d"}]], "relevant": {"b": -1, "d": 3}, "#,
                r#""tags": ["typo"], "split": "heldout"}"#
            ),
            r#"{"id": "q", "text": "?", "kind": "free", "required": [["a"], ["b", "c"]], "forbidden": [["d"]], "split": "tune"}"#,
            r#"{"id": "q", "text": "?", "kind": "unanswerable", "evidence": [[{"doc": "d"}]], "relevant": {}}"#,
        ] {
            let line: serde_json::Value = serde_json::from_str(own).expect("JSON");
            assert_eq!(written(text, &read(text, own)), line.to_string());
        }
    }

    #[test]
    fn judgments_that_follow_from_the_evidence_are_left_out() {
        let own = r#"{"id": "q", "text": "?", "kind": "free", "evidence": [[{"doc": "d"}]], "relevant": {"d": 1}}"#;
        assert_eq!(
            written("a", &read("a", own)),
            r#"{"id":"q","text":"?","kind":"free","evidence":[[{"doc":"d"}]]}"#
        );
    }

    #[test]
    fn a_quote_is_given_only_where_it_is_found_again() {
        // `ab` occurs twice; `a  b` occurs verbatim only at 6..10, though with one space it would also be found
        // at 10.
        let text = "ab ab a  b a b";
        for (range, expected) in [
            ((0, 2), None),
            ((3, 5), None),
            ((6, 10), Some("a  b")),
            ((0, 99), None),
            ((0, 0), None),
        ] {
            assert_eq!(quoted(text, range.into()), expected, "{range:?}");
        }
    }

    /// Texts with repeated pieces, with characters of one to four bytes, both kinds of line ends and other white
    /// space.
    fn texts() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "a", "ab", "é", "日本", "🦀", " ", "  ", "\r\n", "\n", "\u{a0}", "\u{2028}", "\"", "\\",
        ]);
        prop::collection::vec(piece, 1..40).prop_map(|pieces| format!("x{}", pieces.concat()))
    }

    /// A valid label range of `text`: on character boundaries, without outer white space.
    fn range_of(
        text: &str,
        from: prop::sample::Index,
        to: prop::sample::Index,
    ) -> Option<ByteRange> {
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (a, b) = (ends[from.index(ends.len())], ends[to.index(ends.len())]);
        Some(quote::trim(text, (a.min(b), a.max(b)).into())).filter(|range| !range.is_empty())
    }

    proptest! {
        #[test]
        fn what_is_written_reads_back_the_same(
            text in texts(),
            ranges in prop::collection::vec(any::<(prop::sample::Index, prop::sample::Index)>(), 0..6),
            grades in prop::collection::btree_map("[a-d ]{0,2}", -2..4_i32, 0..4),
            words in prop::collection::vec("x[a-z\u{e9}\n\"]{1,4}z", 0..4),
            kind in prop::sample::select(QuestionKind::ALL.to_vec()),
            split in prop::sample::select(vec![None, Some(Split::Tune), Some(Split::Heldout)]),
        ) {
            let mut ranges: Vec<ByteRange> = ranges.into_iter().filter_map(|(from, to)| range_of(&text, from, to)).collect();
            ranges.sort_unstable();
            ranges.dedup();
            let mut answers = match kind {
                QuestionKind::Span => [&words[..], &["x".to_owned()]].concat(),
                QuestionKind::YesNo => vec!["Yes".to_owned(), "no".to_owned()],
                QuestionKind::Free => words.clone(),
                QuestionKind::Unanswerable => Vec::new(),
            };
            answers.sort();
            answers.dedup();
            let question = Question {
                id: text.trim().into(),
                text: text.trim().to_owned(),
                history: words.iter().map(|word| Turn { role: Speaker::User, text: word.clone() }).collect(),
                standalone: words.first().cloned(),
                kind,
                answers,
                evidence: vec![
                    vec![Member { doc: "d".into(), ranges }, Member { doc: "gone".into(), ranges: Vec::new() }],
                    vec![Member { doc: "d".into(), ranges: Vec::new() }],
                ],
                relevant: grades.into_iter().map(|(doc, grade)| (doc.into(), grade)).collect(),
                required: words.iter().map(|word| vec![word.clone()]).collect(),
                forbidden: if words.is_empty() { Vec::new() } else { vec![words.clone()] },
                tags: words,
                split,
            };
            let line = written(&text, &question);
            prop_assert!(!line.contains(['\n', '\r']));
            prop_assert_eq!(read(&text, &line), question);
        }
    }
}
