//! Labels wider than a chunk: both readings of their support, and the class that follows.

use super::super::classify::{Evidence, Outcome, classify};
use super::super::gold;
use super::super::judge::Judgments;
use super::{judged, member, question, with_gold, wrong};
use crate::types::{
    Chunk, Corpus, Document, FailureClass, Group, KeyFact, Question, QuestionKind, Stage,
};

/// Document `d` of 2,000 bytes, each five `xxxx `, in ten chunks of 200; `answer` replaces the bytes from `at` on: 1,150 is
/// in chunk 5. Document `e` is one chunk.
fn wide_corpus(at: usize, answer: &str) -> Corpus {
    let mut text = "xxxx ".repeat(400);
    text.replace_range(at..at + answer.len(), answer);
    let document = |id: &str, text: &str| Document {
        id: id.into(),
        title: String::new(),
        text: text.to_owned(),
        metadata: [].into(),
    };
    let chunk = |document, range: (usize, usize)| Chunk::new(document, range.into(), 1);
    let mut chunks: Vec<Chunk> = (0..10).map(|at| chunk(0, (200 * at, 200 * at + 200))).collect();
    chunks.push(chunk(1, (0, 200)));
    let texts = vec![document("d", &text), document("e", &"zzzz ".repeat(40))];
    Corpus::new(texts, chunks)
}

/// The section 800 to 1,600 of `d`: chunks 4 to 7.
fn section() -> Vec<Group> {
    vec![vec![member("d", &[(800, 1600)])]]
}

/// Outcome by what was retrieved (the first two are the top k), packed and answered: correct, wrong, or not at all.
fn outcome_of(
    asked: &Question,
    corpus: &Corpus,
    (ranked, packed): (&[&str], &[&str]),
    correct: Option<bool>,
) -> Outcome {
    let gold = gold::locate(asked, corpus, || panic!("labelled"), &|_| None);
    let answer = correct.map(|_| wrong());
    let trace = with_gold(asked.clone(), gold, ranked, packed, answer);
    match correct {
        Some(correct) => judged(&trace, corpus, correct, None),
        None => classify(&trace, 2, Judgments::default(), corpus),
    }
}

/// True if what is in the prompt is the evidence, or a part that may suffice.
fn is_enough(evidence: Evidence) -> bool {
    matches!(evidence, Evidence::Complete | Evidence::Partial { part: None, .. })
}

#[test]
fn a_section_of_which_the_part_with_the_answer_was_delivered_leaves_the_class_open() {
    let corpus = wide_corpus(1150, "1992");
    let asked = question(section());
    let way: (&[&str], &[&str]) = (&["d#5", "d#4", "d#6"], &["d#5", "d#4"]);
    let outcome = outcome_of(&asked, &corpus, way, Some(false));
    assert_eq!(outcome.class, FailureClass::Unclear);
    assert_eq!(
        outcome.reason,
        "of a label that is wider than a chunk, a part was in the prompt: whether it suffices is open"
    );
    // Chunk 7 was not among the candidates.
    let (at, cause) = (Stage::Retrieval, Stage::Retrieval);
    assert_eq!(outcome.evidence, Evidence::Partial { at, cause, part: None, first: at });
    assert_eq!(outcome.flags, []);
    assert_eq!(
        outcome_of(&asked, &corpus, way, None).class,
        FailureClass::Unclear,
        "without a generator too"
    );
    let correct = outcome_of(&asked, &corpus, way, Some(true));
    assert_eq!(correct.class, FailureClass::Correct);
    assert_eq!(correct.reason, "correct, and a part of its label was in the prompt");
}

#[test]
fn a_class_is_claimed_where_both_readings_lose_at_one_stage() {
    let corpus = wide_corpus(1150, "1992");
    let asked = question(section());
    let class = |ranked: &[&str], packed: &[&str]| {
        let outcome = outcome_of(&asked, &corpus, (ranked, packed), Some(false));
        (outcome.class, outcome.reason)
    };
    assert_eq!(
        class(&["e#0"], &["e#0"]),
        (
            FailureClass::NotRetrieved,
            "gold range 800-1,600 of `d` is cut between chunks 4, 5, 6 and 7; chunk 4 was not among 1 candidate, chunk 5 was not \
             among 1 candidate, chunk 6 was not among 1 candidate, chunk 7 was not among 1 candidate"
                .to_owned()
        )
    );
    // All four chunks are candidates; chunk 5, with the answer, is below the top 2.
    let all = ["d#4", "d#6", "d#7", "d#5"];
    assert_eq!(
        class(&all, &all[..2]),
        (
            FailureClass::RankedLow,
            "gold range 800-1,600 of `d` is cut between chunks 4, 5, 6 and 7; chunk 4 has rank 1, chunk 5 has rank 4, below the \
             top 2, chunk 6 has rank 2, chunk 7 has rank 3, below the top 2"
                .to_owned()
        )
    );
    // Chunk 7 is no candidate, chunk 5 is one below the top 2: retrieval or ranking.
    assert_eq!(
        class(&["d#4", "d#6", "d#5"], &["d#4", "d#6"]),
        (
            FailureClass::Unclear,
            "of a label that is wider than a chunk, a part was among the candidates: lost at ranking if it suffices, at \
             retrieval if not"
                .to_owned()
        )
    );
}

#[test]
fn a_wide_label_is_lost_by_chunking_only_where_the_answer_is_cut() {
    // The answer at 995 to 1,004 lies in chunks 4 and 5.
    let corpus = wide_corpus(995, "1992 1993");
    let asked = Question { answers: vec!["1992 1993".to_owned()], ..question(section()) };
    let all = ["d#4", "d#6", "d#7", "d#5"];
    let class = |packed: &[&str]| outcome_of(&asked, &corpus, (&all, packed), Some(false)).class;
    assert_eq!(class(&["d#4", "d#6"]), FailureClass::Split);
    // The halves together hold it.
    let both: (&[&str], &[&str]) = (&["d#4", "d#5", "d#6", "d#7"], &["d#4", "d#5"]);
    let outcome = outcome_of(&asked, &corpus, both, Some(false));
    assert_eq!(outcome.class, FailureClass::Unclear);
}

#[test]
fn a_label_without_a_mark_needs_half_of_a_passage() {
    // Of a yes/no question nothing marks the part that answers it. Chunk 3 has 40 of its 200 bytes in 760 to 1,600.
    let corpus = wide_corpus(1150, "1992");
    let asked = Question {
        kind: QuestionKind::YesNo,
        answers: vec!["yes".to_owned()],
        ..question(vec![vec![member("d", &[(760, 1600)])]])
    };
    let lenient = |id: &str| {
        let outcome = outcome_of(&asked, &corpus, (&[id], &[id]), Some(false));
        is_enough(outcome.evidence)
    };
    assert!(lenient("d#6") && !lenient("d#3") && !lenient("d#8") && !lenient("e#0"));
}

#[test]
fn a_wording_of_a_required_fact_marks_the_part_of_a_free_question() {
    let corpus = wide_corpus(1150, "1992");
    let facts: Vec<KeyFact> = vec![vec!["in 1992".to_owned(), "1992".to_owned()]];
    let asked = Question {
        kind: QuestionKind::Free,
        answers: vec![],
        required: facts,
        ..question(section())
    };
    let outcome = |id: &str| outcome_of(&asked, &corpus, (&[id], &[id]), Some(false));
    assert_eq!(outcome("d#4").class, FailureClass::NotRetrieved);
    assert_eq!(outcome("d#5").class, FailureClass::Unclear);
}

#[test]
fn ranges_of_a_quotes_length_stay_strict_in_both_readings() {
    let corpus = wide_corpus(1150, "1992");
    // 300 bytes across three chunks of 200: a long quote, cut. With the section, both of a member's ranges are needed.
    let quote = question(vec![vec![member("d", &[(950, 1250)])]]);
    let outcome = outcome_of(&quote, &corpus, (&["d#5"], &["d#5"]), Some(false));
    assert_eq!((outcome.class, outcome.evidence.is_partial()), (FailureClass::Split, false));
    let mixed = question(vec![vec![member("d", &[(0, 100), (800, 1600)])]]);
    let lenient = |ids: &[&str]| {
        let outcome = outcome_of(&mixed, &corpus, (ids, ids), Some(false));
        is_enough(outcome.evidence)
    };
    assert!(!lenient(&["d#5"]) && lenient(&["d#0", "d#5"]));
    // The label of 150 bytes of two groups is strict although the other group's is wide.
    let groups = question([section(), vec![vec![member("e", &[(0, 150)])]]].concat());
    let outcome = outcome_of(&groups, &corpus, (&["d#5"], &["d#5"]), Some(false));
    assert_eq!((outcome.class, outcome.evidence.is_partial()), (FailureClass::NotRetrieved, false));
}
