//! Questions of any layout, whose fields `dataset.fields` names, with the documents that they bring.
//!
//! A row is a question. The passages of all rows form one corpus: a document's id is its own, else its title, else a hash of its
//! text; another text under a taken id is `<id> (2)`. Gold passages are whole documents, or places: at their offsets in code points, else where
//! their text is.

use serde_json::{Map, Value};

use crate::dataset::anchor::kind_of;
use crate::dataset::draft::Draft;
use crate::dataset::jsonl::id_of;
use crate::error::{Error, Place};
use crate::fields::Fields;
use crate::rows::{self, python};
use crate::run::external::input::Input;
use ragtriage_core::attribute::place::{ForeignPassage, in_named};
use ragtriage_core::text::quote;
use ragtriage_core::types::{DocId, Document, Group, Member, Question, QuestionKind};

/// Reads the file `input` into `draft`, which has the documents of other files.
pub(super) fn read(input: &Input, fields: &Fields, draft: &mut Draft) -> Result<(), Error> {
    let mut all: Vec<(Place, Value, Group)> = Vec::new();
    let mut unseen: Vec<&(&str, String)> = fields.named().iter().collect();
    let mut see = |section: &str, object: &Value| {
        unseen.retain(|(of, name)| *of != section || !fields.has(section, name, object));
    };
    rows::each(input, fields, |place, row| {
        let row = Value::Object(row);
        see("row", &row);
        let mut gold = Vec::new();
        for passage in passages(place, fields, "documents", &row)? {
            see("hit", &passage);
            let doc = document(place, fields, &passage, draft)?;
            let mark = fields.find("hit", "is_gold", &passage);
            if mark.as_ref().is_some_and(is_marked) {
                gold.push(Member { doc, ranges: Vec::new() });
            }
        }
        all.push((place.clone(), row, gold));
        Ok(())
    })?;
    for (place, row, mut gold) in all {
        for passage in passages(&place, fields, "gold", &row)? {
            see("hit", &passage);
            gold.extend(member(&place, fields, &passage, draft)?);
        }
        let question = question(&place, fields, &row, gold, draft)?;
        draft.push_question(&place, question);
    }
    if let [(section, name), ..] = unseen.as_slice() {
        let pointer = fields.pointer(section, name);
        let message =
            format!("`dataset.fields.{name}` = `{pointer}` finds nothing in any question");
        return Err(Error::new(message, "correct the pointer, or leave it out")
            .at(&Place::new(input.name(), None)));
    }
    Ok(())
}

/// Returns the passages in a field of a row: a list, or columns.
fn passages(place: &Place, fields: &Fields, name: &str, row: &Value) -> Result<Vec<Value>, Error> {
    let as_object = |passage: Value| match passage {
        Value::String(text) => {
            let key = fields.first("hit", "text").unwrap_or("text").to_owned();
            Value::Object(Map::from_iter([(key, Value::String(text))]))
        }
        passage => passage,
    };
    let mut cell = fields.find("row", name, row);
    cell.iter_mut().for_each(python::open);
    match cell {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => Ok(items.into_iter().map(as_object).collect()),
        Some(Value::Object(columns)) => {
            Ok(rows::columns(place, columns)?.into_iter().map(Value::Object).collect())
        }
        Some(_) => Err(Error::record(place, format!("`{name}` must be a list of passages"))),
    }
}

/// Adds the document that a passage is, unless it is there; returns its id.
fn document(
    place: &Place,
    fields: &Fields,
    passage: &Value,
    draft: &mut Draft,
) -> Result<DocId, Error> {
    let text = |name: &str| match fields.find("hit", name, passage) {
        Some(Value::String(text)) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let (body, title) = (text("text").unwrap_or_default(), text("title").unwrap_or_default());
    if !fields.has("hit", "text", passage) {
        let keys = passage.as_object().map_or_else(String::new, rows::keys);
        let message = format!("a document without `{}`; {keys}", fields.pointer("hit", "text"));
        return Err(Error::in_line(place, message, "set `text` in `dataset.fields`"));
    }
    let titled = Some(title.clone()).filter(|title| !title.is_empty());
    let base = text("doc_id").or(titled).unwrap_or_else(|| id_of(&body).replace("q-", "d-"));
    let names = std::iter::once(base.clone()).chain((2..).map(|n: usize| format!("{base} ({n})")));
    for id in names.map(DocId::from) {
        match draft.document(&id) {
            Some(known) if known.text != body => {}
            Some(_) => return Ok(id),
            None => {
                let metadata = std::collections::BTreeMap::new();
                draft
                    .push_document(place, Document { id: id.clone(), title, text: body, metadata });
                return Ok(id);
            }
        }
    }
    unreachable!("names do not end")
}

/// Returns the place of a gold passage; one that no document holds becomes a document.
fn member(
    place: &Place,
    fields: &Fields,
    passage: &Value,
    draft: &mut Draft,
) -> Result<Option<Member>, Error> {
    let field = |name: &str| fields.find("hit", name, passage);
    let id = field("doc_id").and_then(|id| id.as_str().map(DocId::from));
    let text = field("text").and_then(|text| text.as_str().map(str::to_owned));
    let known = id.as_ref().and_then(|id| draft.document(id));
    let Some(known) = known else {
        return match text {
            Some(_) if field("start").is_none() => {
                let doc = document(place, fields, passage, draft)?;
                Ok(Some(Member { doc, ranges: Vec::new() }))
            }
            // The draft counts a label whose document is missing.
            _ => Ok(id.map(|doc| Member { doc, ranges: Vec::new() })),
        };
    };
    let offset = |name: &str| usize::try_from(field(name)?.as_u64()?).ok();
    let (start, end) = (offset("start"), offset("end"));
    let foreign = ForeignPassage { text: text.as_deref(), start, end, ..ForeignPassage::default() };
    let range = in_named(known, &foreign).into_iter().next();
    let doc = known.id.clone();
    let Some(range) = range else {
        draft.note(1, "gold [passage|passages] not found in the document that [it names|they name], which counts as a whole");
        return Ok(Some(Member { doc, ranges: Vec::new() }));
    };
    let range = quote::trim(&known.text, range);
    Ok(Some(Member { doc, ranges: vec![range] }))
}

fn question(
    place: &Place,
    fields: &Fields,
    row: &Value,
    gold: Group,
    draft: &Draft,
) -> Result<Question, Error> {
    let one = |name: &str| match fields.find("row", name, row) {
        Some(Value::String(text)) => Some(text),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let Some(text) = one("question") else {
        let keys = row.as_object().map_or_else(String::new, rows::keys);
        return Err(Error::record(place, format!("no question; {keys}")));
    };
    let mut answers: Vec<String> = Vec::new();
    for name in ["reference", "aliases"] {
        let values = match fields.find("row", name, row) {
            Some(Value::Array(items)) => items,
            Some(one) => vec![one],
            None => Vec::new(),
        };
        for value in values {
            let answer = match value {
                Value::String(text) => text.trim().to_owned(),
                Value::Number(number) => number.to_string(),
                Value::Bool(value) => if value { "yes" } else { "no" }.to_owned(),
                _ => continue,
            };
            if !answer.is_empty() && !answers.contains(&answer) {
                answers.push(answer);
            }
        }
    }
    let id = one("id").unwrap_or_else(|| draft.free_id(&id_of(&text)));
    let (history, standalone) = (fields.history(place, row, &text)?, one("standalone"));
    let relevant = gold.iter().map(|member| (member.doc.clone(), 1)).collect();
    let evidence = match gold {
        gold if gold.is_empty() => Vec::new(),
        gold if fields.any_suffices() => vec![gold],
        gold => gold.into_iter().map(|member| vec![member]).collect(),
    };
    let mark = fields.find("row", "answerable", row).filter(|mark| !mark.is_null());
    if mark.is_some_and(|mark| !is_marked(&mark)) || fields.is_no_answer(&answers) {
        let kind = QuestionKind::Unanswerable;
        return Ok(Question { kind, history, standalone, ..Question::new(id.into(), text) });
    }
    let kind = kind_of(&answers);
    let asked = Question { kind, history, standalone, ..Question::new(id.into(), text) };
    Ok(Question { answers, relevant, evidence, ..asked })
}

/// Returns true for a mark that is not false, 0 or empty.
pub(super) fn is_marked(mark: &Value) -> bool {
    match mark {
        Value::Null => false,
        Value::Bool(mark) => *mark,
        Value::Number(mark) => mark.as_f64() != Some(0.0),
        Value::String(mark) => {
            !["", "0", "false", "no", "unanswerable"].contains(&mark.to_lowercase().as_str())
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::load;
    use ragtriage_core::config::{DatasetSettings, Format};
    use ragtriage_core::types::{ByteRange, Dataset};

    /// Loads a row in the layout of a preset, as its publisher shows it.
    fn loaded(preset: &str, row: &str) -> Dataset {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.json");
        std::fs::write(&path, row).expect("written");
        let fields = [("preset".to_owned(), preset.to_owned())].into();
        load(&DatasetSettings { fields, ..DatasetSettings::new(Format::Rows, &path) })
            .expect(preset)
    }

    fn evidence(set: &Dataset) -> Vec<Vec<(String, String)>> {
        let text = |member: &Member| {
            let document = set.documents.iter().find(|it| it.id == member.doc).expect("known");
            let range = member.ranges.first().map_or(0..document.text.len(), |it| it.as_range());
            (member.doc.to_string(), document.text[range].to_owned())
        };
        set.questions[0].evidence.iter().map(|group| group.iter().map(text).collect()).collect()
    }

    #[test]
    fn passages_of_a_question_become_documents_and_marked_ones_evidence() {
        let musique = r#"{"id": "2hop__1_2", "paragraphs": [{"idx": 0, "title": "A", "paragraph_text": "One.", "is_supporting": true},
            {"idx": 1, "title": "A", "paragraph_text": "Other.", "is_supporting": false}, {"idx": 2, "title": "B", "paragraph_text": "Two.",
            "is_supporting": true}], "question": "Q?", "question_decomposition": [], "answer": "x", "answer_aliases": ["y"], "answerable": true}"#;
        let set = loaded("musique", musique);
        let ids: Vec<&str> = set.documents.iter().map(|document| document.id.as_str()).collect();
        assert_eq!(ids, ["A", "A (2)", "B"]);
        let of = |doc: &str, text: &str| vec![(doc.to_owned(), text.to_owned())];
        assert_eq!(evidence(&set), [of("A", "One."), of("B", "Two.")]);
        assert_eq!(
            (&set.questions[0].answers[..], set.questions[0].kind),
            (&["x".to_owned(), "y".to_owned()][..], QuestionKind::Span)
        );

        let marco = r#"{"answers": ["x"], "passages": {"is_selected": [0, 1, 1], "passage_text": ["a", "b", "c"], "url": ["u", "v", "w"]},
            "query": "q", "query_id": 7, "query_type": "DESCRIPTION", "wellFormedAnswers": []}"#;
        let set = loaded("ms_marco", marco);
        assert_eq!(evidence(&set)[0].len(), 2, "any of the selected suffices");
        assert_eq!((set.questions[0].id.as_str(), set.documents.len()), ("7", 3));

        let miracl = r#"{"query_id": "1#0", "query": "q", "positive_passages": [{"docid": "9#1", "title": "T", "text": "yes"}],
            "negative_passages": [{"docid": "9#2", "title": "T", "text": "no"}]}"#;
        let set = loaded("miracl", miracl);
        assert_eq!(evidence(&set), [of("9#1", "yes")]);
        assert_eq!(set.documents.len(), 2);

        let ragbench =
            r#"{"id": "r", "question": "q", "documents": ["a", "b", "a"], "response": "r"}"#;
        let set = loaded("ragbench", ragbench);
        assert_eq!((set.documents.len(), &set.questions[0].answers[..]), (2, &[][..]));
    }

    #[test]
    fn the_last_turn_of_a_conversation_is_the_question_and_the_others_are_its_history() {
        // As in the benchmark, with shorter texts.
        let task = |answerability: &str| {
            r#"{"conversation_id": "c", "task_id": "c<::>2", "task_type": "rag", "turn": "2", "dataset": "MT-RAG 2.0",
            "contexts": [{"document_id": "82_453-0-508", "text": "\nThe Cardinals played in London.", "title": "2017 season"}],
            "input": [{"speaker": "user", "text": "where do the cardinals play", "metadata": {"author_type": "human", "created_at": 17}},
            {"speaker": "agent", "text": "I don't have the answer.", "metadata": {"author_type": "model"}},
            {"speaker": "user", "text": "Do they play abroad?", "metadata": {"author_type": "human", "created_at": 18}}],
            "targets": [{"speaker": "agent", "text": "They had a game in London.", "metadata": {"author_type": "model"}}],
            "answerability": ["KIND"], "Question Type": ["Explanation"], "Multi-Turn": ["Clarification"], "Collection": "clapnq"}"#
                .replace("KIND", answerability)
        };
        let set = loaded("mtrag", &task("ANSWERABLE"));
        let question = &set.questions[0];
        let turns: Vec<(&str, &str)> =
            question.history.iter().map(|turn| (turn.role.name(), turn.text.as_str())).collect();
        let expected =
            [("user", "where do the cardinals play"), ("assistant", "I don't have the answer.")];
        assert_eq!(
            (question.id.as_str(), question.text.as_str()),
            ("c<::>2", "Do they play abroad?")
        );
        assert_eq!(
            (turns.as_slice(), &question.answers[..]),
            (&expected[..], &["They had a game in London.".to_owned()][..])
        );
        let document = ("82_453-0-508".to_owned(), "The Cardinals played in London.".to_owned());
        assert_eq!(evidence(&set), [[document]]);
        let unanswerable = loaded("mtrag", &task("UNANSWERABLE")).questions.remove(0);
        assert_eq!(
            (unanswerable.kind, unanswerable.history.len()),
            (QuestionKind::Unanswerable, 2)
        );
    }

    #[test]
    fn a_history_that_is_no_list_of_turns_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.jsonl");
        let row = |history: &str| {
            let row =
                format!("{{\"question\": \"q\", \"documents\": [\"t\"], \"chat\": {history}}}");
            std::fs::write(&path, row).expect("written");
            let fields = [("history", "/chat"), ("documents", "/documents")];
            let fields = fields.map(|(name, pointer)| (name.to_owned(), pointer.to_owned())).into();
            load(&DatasetSettings { fields, ..DatasetSettings::new(Format::Rows, &path) })
        };
        let n_turns = |history: &str| row(history).expect(history).questions[0].history.len();
        assert_eq!([n_turns("null"), n_turns("\" \"")], [0, 0]);
        assert_eq!(
            n_turns(
                r#"[{"role": "system", "content": "Be brief."}, {"type": "human", "content": "a"}]"#
            ),
            1
        );
        for wrong in [r#""a transcript""#, r#"["a"]"#, r#"[{"role": "user"}]"#] {
            let error = row(wrong).expect_err(wrong).to_string();
            assert!(error.ends_with("line 1: `history` must be a list of turns"), "{error}");
        }
    }

    #[test]
    fn spans_in_code_points_become_bytes_of_the_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("corpus")).expect("made");
        std::fs::write(path("corpus/a.txt"), "“Zürich” pays. It pays in 30 days.")
            .expect("written");
        // `It pays in 30 days.` is at code points 15 to 34; before it `“`, `ü` and `”` have 3, 2 and 3 bytes.
        let snippet =
            r#"{"file_path": "a.txt", "span": [15, 34], "answer": "It pays in 30 days."}"#;
        let moved = r#"{"file_path": "a.txt", "span": [0, 3], "answer": "pays."}"#;
        let tests =
            format!(r#"{{"tests": [{{"query": "When?", "snippets": [{snippet}, {moved}]}}]}}"#);
        std::fs::write(path("benchmark.json"), tests).expect("written");
        let mut spec = DatasetSettings::new(Format::Files, folder.path());
        spec.questions = Some(path("benchmark.json"));
        spec.fields = [("preset".to_owned(), "legalbench_rag".to_owned())].into();
        let set = load(&spec).expect("loads");
        let ranges = |set: &Dataset| -> Vec<ByteRange> {
            set.questions[0].evidence.iter().map(|group| group[0].ranges[0]).collect()
        };
        assert_eq!(ranges(&set), [(20, 39).into(), (14, 19).into()]);
        // A byte order mark shifts the span by one: the nearest place of the text, in code points. Questions may be given twice.
        let text = format!("pays. {} pays.", "“".repeat(40));
        std::fs::write(path("corpus/a.txt"), text).expect("written");
        let test = r#"{"query": "Who?", "snippets": [{"file_path": "a.txt", "span": [48, 53], "answer": "pays."}]}"#;
        std::fs::write(path("benchmark.json"), format!(r#"{{"tests": [{test}, {test}]}}"#))
            .expect("written");
        let set = load(&spec).expect("loads");
        assert_eq!(ranges(&set), [(127, 132).into()]);
        let [first, second] = &set.questions[..] else { panic!("two questions") };
        assert_eq!(second.id.as_str(), format!("{}-2", first.id));
    }

    #[test]
    fn a_question_that_its_data_set_calls_unanswerable_is() {
        let musique = r#"{"question": "Q?", "answer": "x", "answerable": false, "paragraphs":
            [{"title": "A", "paragraph_text": "One.", "is_supporting": true}]}"#;
        let marco = r#"{"answers": ["No Answer Present."], "passages": {"is_selected": [0], "passage_text": ["a"]}, "query": "q"}"#;
        for (preset, row) in [("musique", musique), ("ms_marco", marco)] {
            let question = loaded(preset, row).questions.remove(0);
            assert_eq!(question.kind, QuestionKind::Unanswerable, "{preset}");
            assert_eq!((question.answers, question.evidence), (vec![], vec![]), "{preset}");
        }
    }

    #[test]
    fn a_preset_on_the_wrong_file_is_refused_with_the_keys_that_are_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("f.jsonl");
        std::fs::write(&path, "{\"query\": \"q\", \"answers\": []}\n").expect("written");
        let refused = |name: &str, value: &str| {
            let fields = [(name.to_owned(), value.to_owned())].into();
            let spec = DatasetSettings { fields, ..DatasetSettings::new(Format::Rows, &path) };
            load(&spec).expect_err(value).to_string()
        };
        assert!(refused("preset", "musique").ends_with("line 1: nothing at `documents` = `/paragraphs`: there is an object with `answers`, `query`"));
        let row = r#"{"question": "q", "paragraphs": [{"title": "T", "text": "t"}]}"#;
        std::fs::write(&path, row).expect("written");
        assert!(
            refused("preset", "musique")
                .ends_with("line 1: a document without `/paragraph_text`; it has `title`, `text`")
        );
        assert_eq!(refused("preset", "musik"), "`dataset.fields.preset`: no preset `musik`");
        assert_eq!(refused("needs", "one"), "`dataset.fields.needs` must be `all` or `any`");
        assert_eq!(refused("quest", "/q"), "there is no field `quest`");
        let row = r#"{"question": "q", "documents": ["t"], "reference": "x"}"#;
        std::fs::write(&path, row).expect("written");
        for (name, value) in [("reference", "/gold"), ("is_gold", "/relevant")] {
            let expected =
                format!("`dataset.fields.{name}` = `{value}` finds nothing in any question");
            assert!(refused(name, value).ends_with(&expected), "{name}");
        }
    }
}
