//! Questions without evidence: relevance judgments, answer strings, nothing usable.

use super::super::gold::{self, Haystacks};
use super::{TENS, corpus, judged, member, question, with_gold, wrong};
use crate::types::{Corpus, FailureClass, Question, QuestionKind, Support, SupportRule};

/// Returns class and reason of a question by what was retrieved (the first two are the top k), packed and answered.
fn outcome_of(
    question: &Question,
    corpus: &Corpus,
    (ranked, packed): (&[&str], &[&str]),
    correct: Option<bool>,
) -> (FailureClass, String) {
    let haystacks = Haystacks::new(corpus);
    let gold = gold::locate(question, corpus, || &haystacks, &|_| None);
    let answer = correct.map(|_| wrong());
    let trace = with_gold(question.clone(), gold, ranked, packed, answer);
    let outcome = judged(&trace, corpus, correct.unwrap_or_default(), None);
    (outcome.class, outcome.reason)
}

/// A question judged as BEIR does: `e` is relevant, `d` judged and not relevant.
fn beir() -> Question {
    let mut asked = Question::new("q".into(), "When cccc?".to_owned());
    asked.relevant = [("d".into(), 0), ("e".into(), 1)].into();
    asked
}

#[test]
fn judged_documents_are_attributed_as_the_same_documents_as_evidence() {
    let corpus = corpus(&TENS);
    let labelled =
        Question { relevant: [].into(), evidence: vec![vec![member("e", &[])]], ..beir() };
    let ways: [(&[&str], &[&str], FailureClass); 4] = [
        (&["d#0"], &["d#0"], FailureClass::NotRetrieved),
        (&["d#0", "d#1", "e#0"], &["d#0", "d#1"], FailureClass::RankedLow),
        (&["d#0", "e#0"], &["d#0"], FailureClass::NotPacked),
        (&["e#0"], &["e#0"], FailureClass::Delivered),
    ];
    for (ranked, packed, class) in ways {
        for asked in [&beir(), &labelled] {
            assert_eq!(outcome_of(asked, &corpus, (ranked, packed), None).0, class);
        }
    }
    let unanswerable = Question { kind: QuestionKind::Unanswerable, ..beir() };
    assert_eq!(SupportRule::of(&unanswerable), SupportRule::Nothing);
    let gone = Question { relevant: [("gone".into(), 1)].into(), ..beir() };
    assert_eq!(
        outcome_of(&gone, &corpus, (&["d#0"], &["d#0"]), None),
        (
            FailureClass::NotInCorpus,
            "no relevant document is in the corpus, or all are empty there".to_owned()
        )
    );
}

#[test]
fn one_relevant_document_suffices_whatever_its_passage_holds() {
    let corpus = corpus(&TENS);
    let asked =
        Question { relevant: [("d".into(), 1), ("gone".into(), 2)].into(), ..question(vec![]) };
    let gold = gold::locate(&asked, &corpus, || panic!("judged"), &|_| None);
    let support = Support { holds: true, rule: SupportRule::Judged };
    assert_eq!((gold.documents, gold.chunks), (support, support));
    assert!(gold.groups.is_empty());
    // Chunk 0 of `d` does not hold the answer 1992; judgments come before answer strings.
    assert_eq!(
        outcome_of(&asked, &corpus, (&["d#0"], &["d#0"]), Some(false)).0,
        FailureClass::WrongAnswer
    );
    assert_eq!(
        outcome_of(&asked, &corpus, (&["e#0", "e#0", "d#2"], &["e#0"]), Some(false)),
        (
            FailureClass::RankedLow,
            "the first passage of a relevant document, chunk 2 of `d`, has rank 3, below the top 2"
                .to_owned()
        )
    );
}
