//! `HotpotQA` (Yang et al. 2018, <https://hotpotqa.github.io>), in the official format and in that of Hugging Face.
//!
//! The paragraphs of all questions form one corpus. A document's id is its title, case-sensitive and unmodified
//! (including HTML entities). A paragraph's sentences include their leading space, so its text is their
//! concatenation. Empty sentences are retained because supporting facts count them. Of several paragraphs with one
//! title the first is used; another text is a document of its own, `<title> (2)`, if supporting facts of its question are in it.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use crate::dataset::draft::Draft;
use crate::dataset::read;
use crate::error::{Error, Place};
use ragtriage_core::text::quote;
use ragtriage_core::types::{ByteRange, DocId, Document, Group, Member, Question, QuestionKind};

#[derive(Deserialize)]
struct HotpotQuestion {
    #[serde(rename = "_id", alias = "id")]
    id: String,
    question: String,
    answer: Option<String>,
    #[serde(default)]
    supporting_facts: TitledPairs<i64>,
    context: TitledPairs<Vec<String>>,
    #[serde(rename = "type")]
    reasoning: Option<String>,
    level: Option<String>,
}

/// Titles with a sentence index or a paragraph's sentences.
#[derive(Default, Deserialize)]
#[serde(try_from = "Published<T>")]
pub(crate) struct TitledPairs<T>(pub(crate) Vec<(String, T)>);

/// The official form, and that of Hugging Face.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected pairs, or `title` with `sentences` or `sent_id`")]
enum Published<T> {
    Pairs(Vec<(String, T)>),
    Columns {
        title: Vec<String>,
        #[serde(alias = "sent_id")]
        sentences: Vec<T>,
    },
}

impl<T> TryFrom<Published<T>> for TitledPairs<T> {
    type Error = String;

    fn try_from(published: Published<T>) -> Result<Self, String> {
        match published {
            Published::Pairs(pairs) => Ok(Self(pairs)),
            Published::Columns { title, sentences } if title.len() == sentences.len() => {
                Ok(Self(title.into_iter().zip(sentences).collect()))
            }
            Published::Columns { title, sentences } => {
                Err(format!("{} titles for {} entries", title.len(), sentences.len()))
            }
        }
    }
}

/// Reads `path` (a JSON list or JSON lines) into `draft`.
pub(super) fn read(path: &Path, draft: &mut Draft) -> Result<(), Error> {
    let path = read::only_file(path, &["json", "jsonl"])?;
    let text = read::text(&path)?;
    let file = Place::file(&path);
    let rows: Vec<(Place, HotpotQuestion)> = if text.trim_start().starts_with('[') {
        let rows: Vec<HotpotQuestion> = read::json(&file, &text)?;
        rows.into_iter().map(|row| (file.clone(), row)).collect()
    } else {
        let lines = text.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty());
        let rows = lines.filter_map(|(index, line)| {
            let place = Place { line: Some(index + 1), ..file.clone() };
            Some((place.clone(), draft.check(read::json(&place, line))?))
        });
        rows.collect()
    };
    let rows: Vec<(Place, HotpotQuestion)> = rows.into_iter().map(with_spaces).collect();
    let paragraphs = pool(&rows, &file, draft);
    for (place, row) in rows {
        let question = question(row, &paragraphs, draft);
        draft.push_question(&place, question);
    }
    Ok(())
}

/// Puts a space before the sentences of a row if none begins with one: `HotpotQA`'s do, `2WikiMultihopQA`'s do not.
fn with_spaces((place, mut row): (Place, HotpotQuestion)) -> (Place, HotpotQuestion) {
    let paragraphs = row.context.0.iter_mut();
    let later: Vec<&mut String> = paragraphs.flat_map(|(_, all)| all.iter_mut().skip(1)).collect();
    let is_parted = later.iter().any(|sentence| sentence.starts_with(char::is_whitespace));
    for sentence in later.into_iter().filter(|it| !is_parted && !it.is_empty()) {
        sentence.insert(0, ' ');
    }
    (place, row)
}

/// The pooled paragraphs.
#[derive(Default)]
struct Paragraphs {
    /// Documents with a title, each with another text.
    by_title: HashMap<String, Vec<DocId>>,
    /// The sentences of every document, as byte ranges of its text.
    sentences: HashMap<DocId, Vec<ByteRange>>,
}

impl Paragraphs {
    /// Returns the document of that title and text.
    fn find(&self, title: &str, text: &str, draft: &Draft) -> Option<&DocId> {
        let has_text = |id: &&DocId| draft.document(id).is_some_and(|found| found.text == text);
        self.by_title.get(title)?.iter().find(has_text)
    }

    /// Returns the document of a question's paragraph with that title; the title as an id where it has none.
    fn of(&self, title: &str, context: &TitledPairs<Vec<String>>, draft: &Draft) -> DocId {
        let mut own = context.0.iter();
        let own = own.find(|(other, _)| other == title);
        let found = own.and_then(|(_, own)| self.find(title, &own.concat(), draft));
        found.cloned().unwrap_or_else(|| DocId::from(title))
    }
}

fn pool(rows: &[(Place, HotpotQuestion)], file: &Place, draft: &mut Draft) -> Paragraphs {
    let mut paragraphs = Paragraphs::default();
    let all = rows.iter().map(|(_, row)| row);
    let all = all.flat_map(|row| row.context.0.iter().map(move |paragraph| (row, paragraph)));
    for (row, (title, paragraph)) in all {
        let text = paragraph.concat();
        if paragraphs.find(title, &text, draft).is_some() {
            continue;
        }
        let mut id = DocId::from(title.as_str());
        if paragraphs.by_title.contains_key(title) {
            if !row.supporting_facts.0.iter().any(|(fact, _)| fact == title) {
                draft.note(
                    1,
                    "[paragraph|paragraphs] whose title was already used for another text, skipped",
                );
                continue;
            }
            draft.note(1, "[paragraph|paragraphs] with evidence whose title was already used for another text, as [a separate document|separate documents]");
            let mut numbered = (2..).map(|n| DocId::from(format!("{title} ({n})")));
            id = numbered.find(|id| draft.document(id).is_none()).expect("endless");
        }
        let ids = paragraphs.by_title.entry(title.clone()).or_default();
        ids.push(id.clone());
        let mut start = 0;
        let ranges = paragraph.iter().map(|sentence| {
            let range = ByteRange::new(start, start + sentence.len());
            start = range.end;
            range
        });
        paragraphs.sentences.insert(id.clone(), ranges.collect());
        let document = Document {
            id,
            title: title.clone(),
            text,
            metadata: std::collections::BTreeMap::new(),
        };
        draft.push_document(file, document);
    }
    paragraphs
}

fn question(row: HotpotQuestion, paragraphs: &Paragraphs, draft: &mut Draft) -> Question {
    let evidence = evidence(&row, paragraphs, draft);
    let answers: Vec<String> = row.answer.into_iter().filter(|answer| !answer.is_empty()).collect();
    draft.note(usize::from(answers.is_empty()), "[question|questions] without an answer");
    let yes_no = answers.iter().any(|answer| answer == "yes" || answer == "no");
    Question {
        kind: if yes_no { QuestionKind::YesNo } else { QuestionKind::Span },
        answers,
        relevant: evidence.iter().flatten().map(|member| (member.doc.clone(), 1)).collect(),
        evidence,
        tags: row.reasoning.into_iter().chain(row.level).collect(),
        ..Question::new(row.id.into(), row.question)
    }
}

/// Returns one group per title, in order of first mention, with its supporting sentences as ranges.
fn evidence(row: &HotpotQuestion, paragraphs: &Paragraphs, draft: &mut Draft) -> Vec<Group> {
    let mut members: Vec<Member> = Vec::new();
    for (title, index) in &row.supporting_facts.0 {
        let doc = paragraphs.of(title, &row.context, draft);
        let at = members.iter().position(|member| member.doc == doc).unwrap_or_else(|| {
            members.push(Member { doc: doc.clone(), ranges: Vec::new() });
            members.len() - 1
        });
        let Some(paragraph) = paragraphs.sentences.get(&doc) else {
            continue;
        }; // the draft counts it
        let Some(&range) = usize::try_from(*index).ok().and_then(|index| paragraph.get(index))
        else {
            draft.note(
                1,
                "supporting [sentence missing from its|sentences missing from their] paragraph, skipped",
            );
            continue;
        };
        let text = draft.document(&doc).map_or("", |document| &document.text);
        match quote::trim(text, range) {
            range if range.is_empty() => {
                draft.note(1, "empty supporting [sentence|sentences], skipped");
            }
            range => members[at].ranges.push(range),
        }
    }
    for member in &mut members {
        member.ranges.sort_unstable();
        member.ranges.dedup();
    }
    members.into_iter().map(|member| vec![member]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{load, testing::with_file};
    use ragtriage_core::config::Format;

    const OFFICIAL: &str = r#"[
      {"_id": "1", "question": "Who? ", "answer": "Ann", "type": "bridge", "level": "hard",
       "supporting_facts": [["B &amp; C", 2], ["A", 0], ["B &amp; C", 0]],
       "context": [["A", ["Ann is.", " She was."]], ["B &amp; C", ["Bé.", "", " Cy. "]]]},
      {"_id": "2", "question": "Same?", "answer": "no", "type": "comparison", "level": "easy",
       "supporting_facts": [["A", 9], ["A", 0], ["Gone", 0]],
       "context": [["A", ["Another text."]], ["a", ["Lower case."]], ["B &amp; C", ["Other."]]]}]"#;

    const HUGGING_FACE: &str = r#"
      {"id": "1", "question": "Who? ", "answer": "Ann", "type": "bridge", "level": "hard", "supporting_facts": {"title": ["B &amp; C", "A", "B &amp; C"], "sent_id": [2, 0, 0]}, "context": {"title": ["A", "B &amp; C"], "sentences": [["Ann is.", " She was."], ["Bé.", "", " Cy. "]]}}
      {"id": "2", "question": "Same?", "answer": "no", "type": "comparison", "level": "easy", "supporting_facts": {"title": ["A", "A", "Gone"], "sent_id": [9, 0, 0]}, "context": {"title": ["A", "a", "B &amp; C"], "sentences": [["Another text."], ["Lower case."], ["Other."]]}}"#;

    #[test]
    fn sentences_without_a_space_between_them_get_one() {
        let row = r#"[{"_id": "1", "question": "Where?", "answer": "Pest", "supporting_facts": [["A", 1]],
          "context": [["A", ["A lives in Buda.", "Before, in Pest."]]]}]"#;
        let set = with_file("2wiki.json", row, Format::Hotpotqa, |spec| load(spec)).expect("loads");
        assert_eq!(set.documents[0].text, "A lives in Buda. Before, in Pest.");
        let range = set.questions[0].evidence[0][0].ranges[0];
        assert_eq!(&set.documents[0].text[range.as_range()], "Before, in Pest.");
    }

    #[test]
    fn paragraphs_are_pooled_by_title_and_sentences_become_trimmed_byte_ranges() {
        let set =
            with_file("dev.json", OFFICIAL, Format::Hotpotqa, |spec| load(spec)).expect("loads");
        let titles: Vec<&str> = set.documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(titles, ["A", "B &amp; C", "A (2)", "a"]);
        assert_eq!(set.documents[0].text, "Ann is. She was.");
        // `Bé.` is bytes 0..4, the empty sentence 4..4, ` Cy. ` 4..9 and trimmed 5..8.
        let [b, a] = &set.questions[0].evidence[..] else { panic!("two titles") };
        assert_eq!(
            b,
            &[Member { doc: "B &amp; C".into(), ranges: vec![(0, 4).into(), (5, 8).into()] }]
        );
        assert_eq!(a, &[Member { doc: "A".into(), ranges: vec![(0, 7).into()] }]);
        assert_eq!(
            (set.questions[0].kind, set.questions[1].kind),
            (QuestionKind::Span, QuestionKind::YesNo)
        );
        assert_eq!(set.questions[1].tags, ["comparison", "easy"]);
        assert_eq!(set.questions[0].text, "Who?");
    }

    #[test]
    fn labels_that_lead_nowhere_are_kept_and_counted() {
        let set =
            with_file("dev.json", OFFICIAL, Format::Hotpotqa, |spec| load(spec)).expect("loads");
        let [a, gone] = &set.questions[1].evidence[..] else { panic!("two titles") };
        // Sentence 0 of the question's own paragraph, `Another text.`
        assert_eq!((a[0].doc.as_str(), &a[0].ranges[..]), ("A (2)", &[(0, 13).into()][..]));
        assert_eq!(gone, &[Member { doc: "Gone".into(), ranges: Vec::new() }]);
        let notes: Vec<String> = set.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [
                "1 paragraph with evidence whose title was already used for another text, as a separate document",
                "1 paragraph whose title was already used for another text, skipped",
                "1 question with surrounding white space, trimmed",
                "1 supporting sentence missing from its paragraph, skipped",
                "1 piece of evidence whose document is not in the corpus, kept",
                "1 judged document that is not in the corpus, kept",
            ]
        );
    }

    #[test]
    fn both_published_forms_load_to_the_same_digest() {
        let official =
            with_file("dev.json", OFFICIAL, Format::Hotpotqa, |spec| load(spec)).expect("loads");
        let lines = with_file("dev.jsonl", HUGGING_FACE, Format::Hotpotqa, |spec| load(spec))
            .expect("loads");
        assert_eq!(official.digest, lines.digest);
    }

    #[test]
    fn a_broken_line_is_named() {
        let error =
            with_file("dev.jsonl", "\n{\"id\": \"1\",}", Format::Hotpotqa, |spec| load(spec))
                .unwrap_err();
        assert!(error.to_string().contains("line 2: invalid JSON at column 12: "), "{error}");
    }
}
