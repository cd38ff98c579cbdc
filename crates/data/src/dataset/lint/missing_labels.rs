//! Missing labels: passages that contain an answer or a required fact and the question's terms, in documents that no label of the question names.
//!
//! Only retrieved passages are checked, since only those are judged in a run: the pool of each retriever's best (`pipeline::pool`). The
//! rule is that of the flag `answer_elsewhere` ([`Elsewhere`]).

use std::collections::{BTreeSet, HashSet};

use super::finding::{Finding, Rule};
use super::subject::{LintSubject, content_terms};
use ragtriage_core::attribute::terms::{Elsewhere, says_something};
use ragtriage_core::types::{Corpus, DocId, Question};
use ragtriage_core::types::{Pooled, Pools};

/// The number of passages pooled per retriever: most metrics use no more of a ranking.
pub const DEPTH: usize = 10;

/// Returns the indexes of the questions suitable for pooling: with labels and an informative answer or required fact.
#[must_use]
pub fn worth_pooling(subject: &LintSubject<'_>) -> Vec<usize> {
    (0..subject.questions.len())
        .filter(|&number| is_worth_pooling(&subject.questions[number]))
        .collect()
}

fn is_worth_pooling(question: &Question) -> bool {
    !(question.evidence.is_empty() && question.relevant.is_empty())
        && question.marks().iter().any(|mark| says_something(mark))
}

/// Reports each question and unlabelled document, with the best-ranked chunk. `pools` are those of the questions `numbers`.
#[must_use]
pub fn check(subject: &LintSubject<'_>, numbers: &[usize], pools: &Pools) -> Vec<Finding> {
    numbers
        .iter()
        .zip(&pools.of)
        .flat_map(|(&number, pooled)| of_question(subject, number, pooled, &pools.corpus))
        .collect()
}

fn of_question(
    subject: &LintSubject<'_>,
    number: usize,
    pooled: &[Pooled],
    corpus: &Corpus,
) -> Vec<Finding> {
    let question = &subject.questions[number];
    let elsewhere = Elsewhere::new(content_terms(&question.text), &question.marks());
    let mut known: HashSet<&str> =
        question.evidence.iter().flatten().map(|member| member.doc.as_str()).collect();
    known.extend(question.relevant.keys().map(DocId::as_str));
    let mut found = Vec::new();
    for passage in pooled {
        let Some(chunk) = corpus.chunk_number(&passage.id) else {
            continue;
        };
        if known.contains(passage.id.doc()) {
            continue;
        }
        let Some(shared) = elsewhere.found_in(corpus.chunk_text(chunk).0) else {
            continue;
        };
        known.insert(passage.id.doc());
        found.push(finding(subject, number, passage, &shared));
    }
    found
}

fn finding(
    subject: &LintSubject<'_>,
    number: usize,
    passage: &Pooled,
    shared: &BTreeSet<String>,
) -> Finding {
    let (doc, rank) = (passage.id.doc(), passage.best_rank());
    let retrievers: Vec<&str> = passage
        .ranks
        .iter()
        .filter(|(_, found)| **found == rank)
        .map(|(retriever, _)| retriever.name())
        .collect();
    let shared: Vec<&str> = shared.iter().map(String::as_str).collect();
    let message = format!(
        "`{}` ({} {rank}) contains an answer and the question's words {}; `{doc}` is not labelled",
        passage.id,
        retrievers.join(", "),
        shared.join(", ")
    );
    let hint = format!(
        "if it answers, add it to the evidence; if not, add `\"relevant\": {{\"{doc}\": 0}}`"
    );
    Finding {
        document: Some(doc.into()),
        chunk: Some(passage.id.clone()),
        rank: Some(rank),
        ..subject.finding(number, Rule::MissingLabel, message, hint)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::subject::tests::{document, inspection, question, told};
    use super::*;
    use ragtriage_core::types::{Chunk, ChunkId, Document, QuestionKind, RetrieverName};

    /// Each document as one chunk, ranked by BM25 in this order.
    fn pools(documents: &[Document], n_questions: usize) -> Pools {
        let numbered = documents.iter().enumerate();
        let chunks = numbered
            .map(|(number, document)| Chunk::new(number, (0, document.text.len()).into(), 1));
        let ranked = (1..).zip(documents).map(|(rank, document)| Pooled {
            id: ChunkId::new(&document.id, 0),
            ranks: [(RetrieverName::Bm25, rank)].into(),
            is_candidate: false,
        });
        let pooled: Vec<Pooled> = ranked.collect();
        Pools {
            of: vec![pooled; n_questions],
            corpus: Arc::new(Corpus::new(documents.to_vec(), chunks.collect())),
        }
    }

    #[test]
    fn an_answer_in_an_unlabelled_passage_about_the_same_thing_is_a_hole() {
        let documents = vec![
            document("gold", "The checkout waits six minutes."),
            document("judged", "The checkout waits six minutes, too."),
            document("other", "Six minutes pass. The checkout will wait."),
            document("hole", "Once the checkout was slow. It then waits six minutes."),
            document("half", "The checkout said six minutes."),
        ];
        let mut asked =
            question("q", "How long does the checkout wait?", &["six minutes"], &["gold"]);
        asked.relevant.insert("judged".into(), 0);
        let pools = pools(&documents, 1);
        let inspection = inspection(documents, vec![asked]);
        let found = check(&LintSubject::new(&inspection), &[0], &pools);
        // Of checkout, long and wait: `other` has two, but none in the answer's sentence; `half` one of three.
        assert_eq!(
            told(&found),
            [
                "q: `hole#0` (bm25 4) contains an answer and the question's words checkout, wait; `hole` is not labelled"
            ]
        );
        assert_eq!(
            (found[0].rank, found[0].chunk.as_ref().map(ChunkId::as_str)),
            (Some(4), Some("hole#0"))
        );
    }

    #[test]
    fn only_labelled_questions_with_a_mark_that_says_something_are_pooled() {
        let yes_no = ragtriage_core::types::Question {
            kind: QuestionKind::YesNo,
            ..question("c", "?", &["yes"], &["a"])
        };
        let facts = |facts: &[&str]| ragtriage_core::types::Question {
            kind: QuestionKind::Free,
            required: facts.iter().map(|fact| vec![(*fact).to_owned()]).collect(),
            ..question("e", "?", &[], &["a"])
        };
        let questions = vec![
            question("a", "?", &["no", "18", "six"], &["a"]),
            question("b", "?", &["18", "Yes.", "a b"], &["a"]),
            yes_no,
            question("d", "?", &["six minutes"], &[]),
            facts(&["18"]),
            facts(&["18", "six minutes"]),
        ];
        let inspection = inspection(vec![document("a", "a")], questions);
        assert_eq!(worth_pooling(&LintSubject::new(&inspection)), [0, 5]);
    }
}
