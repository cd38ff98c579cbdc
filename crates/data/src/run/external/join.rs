//! Joins the records of an external RAG to the questions of a data set.
//!
//! A line belongs to the question of its `id`; if the data set has no such id, or the line none, to the question of its
//! text (without outer white space). Partial joins are rejected: unknown questions, duplicate questions and an id with the
//! text of another question are errors, and so are questions without a record, unless the caller is lenient.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::input::Input;
use super::recorded::{CONTEXTS, Recorded, RecordedAttempt, RecordedHit, RecordedStage, StageRole};
use super::trec_run::TrecRun;
use super::{Error, Place};
use crate::unread::Unread;
use ragtriage_core::text::column;
use ragtriage_core::types::{Note, Question, QuestionId, Step};

/// A record, by question.
#[derive(Debug, Default)]
pub struct Joined {
    lines: HashMap<QuestionId, Recorded>,
    unread: Unread,
    /// Counts collected while joining.
    pub notes: Vec<Note>,
}

impl Joined {
    /// Joins `lines` with all `questions` of the data set. `lenient`: lines whose question is unknown are counted.
    pub fn new(lines: Vec<Recorded>, questions: &[Question], lenient: bool) -> Result<Self, Error> {
        let by_id: HashMap<&str, &Question> =
            questions.iter().map(|question| (question.id.as_str(), question)).collect();
        let mut by_text: HashMap<&str, Vec<&Question>> = HashMap::new();
        for question in questions {
            by_text.entry(question.text.trim()).or_default().push(question);
        }
        let mut joined = Self::default();
        let mut roles = HashMap::new();
        for line in lines {
            check_roles(&line, &mut roles)?;
            match question_of(&line, &by_id, &by_text)? {
                Some(question) => joined.insert(question, line)?,
                None if lenient => {
                    joined.note(1, "[line|lines] whose question is not in the data set, skipped");
                }
                None => {
                    let question = line.id.or(line.question).unwrap_or_default();
                    return Err(Error::in_line(
                        &line.position,
                        format_args!("the data set has no question `{question}`"),
                        "check that `dataset` is the data set whose questions were asked; `--partial` leaves such lines out",
                    ));
                }
            }
        }
        joined.unread.note(&mut joined.notes);
        joined.complete_answers();
        let lines = joined.lines.values();
        let bare = lines.filter(|line| line.stages.is_empty() && line.error.is_none());
        let n_bare = bare.count();
        joined.note(
            n_bare,
            "[question|questions] without stages: what [it|they] retrieved is not known",
        );
        Ok(joined)
    }

    fn insert(&mut self, question: &Question, mut line: Recorded) -> Result<(), Error> {
        self.unread.add(std::mem::take(&mut line.unread), std::mem::take(&mut line.suggested));
        let position = line.position.clone();
        match self.lines.insert(question.id.clone(), line) {
            None => Ok(()),
            Some(_) => Err(duplicate_question(&position, question.id.as_str())),
        }
    }

    /// Completes a record with answers: questions without one count as unanswered.
    fn complete_answers(&mut self) {
        if !self.lines.values().any(|line: &Recorded| line.answer.is_some()) {
            return;
        }
        let mut n_none = 0;
        for line in self.lines.values_mut().filter(|line| line.error.is_none()) {
            let is_answered =
                |answer: &RecordedAttempt| answer.text.is_some() || answer.error.is_some();
            if !line.answer.as_ref().is_some_and(is_answered) {
                line.answer = Some(RecordedAttempt::default());
                n_none += 1;
            }
        }
        self.note(n_none, "[question|questions] without an answer in results with answers: each counts as an empty reply, which is neither correct nor wrong");
    }

    /// Counts the questions that lack a retriever which others have. `is_complete`: the record has every stage of every question,
    /// so that the retriever was not asked; it returned nothing.
    pub fn complete_retrievers(&mut self, is_complete: bool) {
        let retrievers = |line: &Recorded| {
            let stages = line.stages.iter();
            let stages = stages.filter(|stage| stage.role() == StageRole::Retriever);
            let names = stages.map(|stage| (stage.name.clone(), stage.step));
            names.collect::<BTreeSet<(String, Step)>>()
        };
        let all: BTreeSet<(String, Step)> = self.lines.values().flat_map(retrievers).collect();
        let mut n_lack: BTreeMap<String, usize> = BTreeMap::new();
        for line in self.lines.values_mut() {
            let own = retrievers(line);
            for (name, step) in all.difference(&own).filter(|_| !own.is_empty()) {
                if is_complete {
                    let stage = RecordedStage::new(name, *step, Vec::new());
                    line.stages.insert(0, stage);
                } else {
                    *n_lack.entry(name.clone()).or_default() += 1;
                }
            }
        }
        for (name, n) in n_lack {
            self.note(n, &format!("[question|questions] without the retriever `{name}`, which others have: [its|their] candidates are not known (an empty list records that it returned nothing)"));
        }
    }

    fn note(&mut self, count: usize, what: &str) {
        Note::add(&mut self.notes, what, count);
    }

    /// Returns the `questions` that have a record. `lenient`: the others are counted.
    pub fn answered(
        &mut self,
        file: &str,
        questions: Vec<Question>,
        lenient: bool,
    ) -> Result<Vec<Question>, Error> {
        let n_questions = questions.len();
        let (found, missing): (Vec<Question>, Vec<Question>) =
            questions.into_iter().partition(|question| self.lines.contains_key(&question.id));
        let n_missing = missing.len();
        match missing.first() {
            Some(first) if !lenient || found.is_empty() => {
                let first = &first.id;
                Err(Error::new(
                    format!(
                        "`{file}` has no line for {n_missing} of {n_questions} questions; the first is `{first}`"
                    ),
                    "add their lines, or leave these questions out with `--partial`: every mean is then over fewer questions",
                ))
            }
            _ => {
                self.note(
                    n_missing,
                    "[question|questions] of the data set without a result, excluded from every mean",
                );
                Ok(found)
            }
        }
    }

    /// Returns the line of that question.
    #[must_use]
    pub fn line(&self, question: &QuestionId) -> Option<&Recorded> {
        self.lines.get(question)
    }

    /// Returns the models that are recorded, by name.
    pub fn models(&self) -> impl Iterator<Item = String> {
        let answers = self.lines.values().filter_map(|line| line.answer.as_ref());
        let models = answers.filter_map(|answer| answer.usage.model.clone());
        models.collect::<BTreeSet<String>>().into_iter()
    }

    /// Returns true if it has answers.
    #[must_use]
    pub fn has_answers(&self) -> bool {
        self.lines.values().any(|line| line.answer.is_some())
    }
}

/// Returns the error of a second line for a question.
pub(super) fn duplicate_question(position: &Place, id: &str) -> Error {
    Error::in_line(position, format_args!("duplicate question `{id}`"), "keep one of the two")
}

/// Rejects a stage with another role than it has on an earlier line; `contexts` have that of the line.
fn check_roles(
    line: &Recorded,
    roles: &mut HashMap<String, (StageRole, Place)>,
) -> Result<(), Error> {
    for stage in line.stages.iter().filter(|stage| stage.name != CONTEXTS) {
        let known = roles.entry(stage.name.clone());
        let (role, first) = known.or_insert_with(|| (stage.role(), line.position.clone()));
        if *role != stage.role() {
            return Err(Error::in_line(
                &line.position,
                format_args!(
                    "stage `{}` has the role `{}`, and `{}` in {first}",
                    stage.name,
                    stage.role().name(),
                    role.name()
                ),
                "give the stage one role on all lines, or rename one of the two",
            ));
        }
    }
    Ok(())
}

fn question_of<'q>(
    line: &Recorded,
    by_id: &HashMap<&str, &'q Question>,
    by_text: &HashMap<&str, Vec<&'q Question>>,
) -> Result<Option<&'q Question>, Error> {
    let asked = line.question.as_deref().map(str::trim);
    if let Some(question) = line.id.as_deref().and_then(|id| by_id.get(id)) {
        return match asked {
            Some(asked) if asked.split_whitespace().ne(question.text.split_whitespace()) => {
                let Question { id, text, .. } = question;
                Err(Error::in_line(
                    &line.position,
                    format_args!("question `{id}` is `{text}` in the data set, but `{asked}` here"),
                    "the ids belong to another data set or order: leave `id` out and give the text alone",
                ))
            }
            _ => Ok(Some(question)),
        };
    }
    match asked.and_then(|asked| by_text.get(asked)).map(Vec::as_slice) {
        None | Some([]) => Ok(None),
        Some([question]) => Ok(Some(question)),
        Some(_) => {
            let asked = asked.unwrap_or_default();
            Err(Error::in_line(
                &line.position,
                format_args!("several questions of the data set have the text `{asked}`"),
                "give the question's `id`",
            ))
        }
    }
}

/// Converts a TREC run to a record: each query's documents as wholes, best first, the first `k` of them packed. Ids are
/// matched verbatim, or percent-decoded if only that form is known.
pub fn from_trec(
    input: &Input,
    k: usize,
    is_question: &dyn Fn(&str) -> bool,
    is_document: &dyn Fn(&str) -> bool,
) -> Result<Vec<Recorded>, Error> {
    let run = TrecRun::parse(input)?;
    let queries = run.queries().map(|query| {
        let id = known(query, is_question);
        // Counting lines is slow, so only the line that an error names is counted.
        let position =
            if is_question(&id) { Place::new(input.name(), None) } else { input.position(query) };
        let ranking = run.ranking(query)?.unwrap_or_default();
        let hits = ranking.iter().map(|hit: &super::trec_run::TrecHit<'_>| RecordedHit {
            doc_id: Some(known(hit.document, is_document)),
            score: Some(f64::from(hit.score)),
            ..RecordedHit::default()
        });
        let hits = hits.collect();
        Ok(Recorded {
            position,
            id: Some(id),
            stages: vec![
                RecordedStage::new(Step::External.name(), Step::External, hits),
                RecordedStage {
                    hits: None,
                    k: Some(k),
                    ..RecordedStage::new(Step::Packed.name(), Step::Packed, Vec::new())
                },
            ],
            ..Recorded::default()
        })
    });
    queries.collect()
}

/// Returns an id verbatim, or percent-decoded if only that form is known.
fn known(column: &str, is_known: &dyn Fn(&str) -> bool) -> String {
    let decoded = column::decode(column);
    if !is_known(column) && is_known(&decoded) { decoded.into_owned() } else { column.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Fields;
    use crate::run::external::recorded;
    use ragtriage_core::types::QuestionKind;

    fn question(id: &str, text: &str) -> Question {
        Question { kind: QuestionKind::Span, ..Question::new(id.into(), text.to_owned()) }
    }

    fn set() -> Vec<Question> {
        vec![
            question("1", "one?"),
            question("2", "two?"),
            question("3", "twice?"),
            question("4", "twice?"),
        ]
    }

    fn join(text: &str, lenient: bool) -> Result<Joined, Error> {
        let input = Input::new("f", text.to_owned()).expect("text");
        Joined::new(recorded::read(&input, Fields::standard()).expect("lines"), &set(), lenient)
    }

    /// The hits of its first stage.
    fn hits(line: &Recorded) -> &[RecordedHit] {
        line.stages[0].hits.as_deref().expect("recorded")
    }

    #[test]
    fn a_line_goes_to_its_id_else_to_its_text() {
        let text = "{\"id\": 1, \"contexts\": [\"a\"]}\n{\"id\": \"uuid\", \"question\": \" two? \", \"contexts\": [\"b\", \"c\"]}";
        let joined = join(text, false).expect("joins");
        assert_eq!(
            (
                hits(&joined.lines[&QuestionId::from("1")]).len(),
                hits(&joined.lines[&QuestionId::from("2")]).len()
            ),
            (1, 2)
        );
        assert!(!joined.has_answers());
    }

    #[test]
    fn what_does_not_join_is_an_error_with_its_line() {
        for (text, expected) in [
            ("{\"id\": 9, \"contexts\": []}", "`f` line 1: the data set has no question `9`"),
            (
                "{\"id\": 1, \"question\": \"two?\", \"contexts\": []}",
                "`f` line 1: question `1` is `one?` in the data set, but `two?` here",
            ),
            (
                "{\"question\": \"twice?\", \"contexts\": []}",
                "`f` line 1: several questions of the data set have the text `twice?`",
            ),
            (
                "{\"id\": 1, \"contexts\": []}\n{\"question\": \"one?\", \"contexts\": []}",
                "`f` line 2: duplicate question `1`",
            ),
        ] {
            assert_eq!(join(text, false).expect_err(text).to_string(), expected);
        }
        assert_eq!(join("{\"id\": 9, \"contexts\": []}", true).expect("lenient").notes[0].count, 1);
    }

    #[test]
    fn a_stage_has_one_role_in_all_lines() {
        let line = |id: u8, role: &str| {
            let stage = format!("{{\"role\": \"{role}\", \"hits\": []}}");
            format!("{{\"id\": {id}, \"stages\": {{\"x\": {stage}}}}}\n")
        };
        assert!(join(&(line(1, "ranking") + &line(2, "ranking")), false).is_ok());
        let error =
            join(&(line(1, "ranking") + &line(2, "retriever")), false).expect_err("differs");
        let expected =
            "`f` line 2: stage `x` has the role `retriever`, and `ranking` in `f` line 1";
        assert_eq!(error.to_string(), expected);
        // `contexts` are what was packed, or with a prompt what packing chose from.
        let contexts =
            "{\"id\": 1, \"contexts\": []}\n{\"id\": 2, \"contexts\": [], \"prompt\": \"p\"}";
        assert!(join(contexts, false).is_ok());
    }

    #[test]
    fn a_retriever_that_only_some_questions_have_is_counted_or_completed() {
        let text = "{\"id\": 1, \"stages\": {\"bm25\": [\"a\"], \"dense\": [\"b\"]}}\n\
                    {\"id\": 2, \"stages\": {\"dense\": [\"b\"], \"packed\": []}}\n{\"id\": 3, \"stages\": {\"packed\": []}}";
        let settled = |is_complete| {
            let mut joined = join(text, false).expect("joins");
            joined.complete_retrievers(is_complete);
            let names = |id: &str| -> Vec<String> {
                let stages = joined.lines[&QuestionId::from(id)].stages.iter();
                stages.map(|stage| stage.name.clone()).collect()
            };
            (
                names("2"),
                names("3"),
                joined.notes.iter().map(|note| note.count).collect::<Vec<usize>>(),
            )
        };
        let packed = || vec!["packed".to_owned()];
        let dense = || vec!["dense".to_owned(), "packed".to_owned()];
        assert_eq!(settled(false), (dense(), packed(), vec![1]));
        let both = [vec!["bm25".to_owned()], dense()].concat();
        assert_eq!(settled(true), (both, packed(), vec![]));
    }

    #[test]
    fn questions_without_a_line_are_refused_or_counted() {
        let text = "{\"id\": 1, \"contexts\": []}";
        let error =
            join(text, false).expect("joins").answered("f", set(), false).expect_err("three lack");
        assert_eq!(error.to_string(), "`f` has no line for 3 of 4 questions; the first is `2`");
        let mut joined = join(text, false).expect("joins");
        assert_eq!(joined.answered("f", set(), true).expect("lenient").len(), 1);
        assert_eq!(joined.notes[0].count, 3);
    }

    #[test]
    fn in_a_record_of_answers_a_line_without_one_has_none() {
        let text =
            "{\"id\": 1, \"contexts\": [], \"answer\": \"x\"}\n{\"id\": 2, \"contexts\": []}";
        let joined = join(text, false).expect("joins");
        assert_eq!(joined.lines[&QuestionId::from("2")].answer, Some(RecordedAttempt::default()));
        assert_eq!(joined.notes[0].count, 1);
    }

    #[test]
    fn a_trec_run_is_a_record_of_whole_documents() {
        let text = "1 Q0 a%20b 1 2.5 t\n1 Q0 c%25 2 1.5 t\n2 Q0 a 1 1 t\n";
        let input = Input::new("r.trec", text.to_owned()).expect("text");
        let documents = ["a b", "c%25"];
        let lines =
            from_trec(&input, 5, &|id| id == "1", &|id| documents.contains(&id)).expect("a run");
        let ids: Vec<&str> =
            hits(&lines[0]).iter().filter_map(|context| context.doc_id.as_deref()).collect();
        assert_eq!(ids, ["a b", "c%25"], "decoded only where the corpus has no such id");
        assert_eq!(
            (lines[0].packed().and_then(|stage| stage.k), hits(&lines[0])[0].score),
            (Some(5), Some(2.5))
        );
        assert_eq!(lines[1].position.line, Some(3), "a query that is unknown is named by its line");
    }
}
