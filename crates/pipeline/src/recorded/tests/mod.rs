//! Records of an external RAG turned into traces: contexts, prompts, conditions, answers, scores.

mod stages;

use super::*;
use crate::contexts::hash;
use ragtriage_core::attribute::classify::{Outcome, classify};
use ragtriage_core::attribute::judge::{Judgments, Settled};
use ragtriage_core::attribute::known::TopK;
use ragtriage_core::correctness::Judge;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::Scorer;
use ragtriage_core::text::tokens::{self, Tokenizer};
use ragtriage_core::types::{Condition, Step};
use ragtriage_core::types::{FailureClass, Member, QuestionKind};
use ragtriage_data::Place;
use ragtriage_data::run::external::join::Joined;
use ragtriage_data::run::external::recorded::{
    CONTEXTS, RecordedAttempt, RecordedCondition, RecordedHit, RecordedStage,
};

/// `d` holds `two` at 4..7 and `four` at 14..18; `f` holds five words at 0..31, `ok.` at 32..35, five more at 36..61;
/// `g` is six words, 0..32.
pub(super) fn line() -> ExternalPipeline {
    let document = |id: &str, title: &str, text: &str| Document {
        id: id.into(),
        title: title.to_owned(),
        text: text.to_owned(),
        metadata: [].into(),
    };
    let documents = vec![
        document("copy", "C", "same text here, twice"),
        document("d", "D", "one two three four five"),
        document("e", "E", "same text here, twice"),
        document("f", "F", "alpha beta gamma delta epsilon! ok. zeta eta theta iota kappa"),
        document("g", "G", "same words again in another text"),
    ];
    let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
    ExternalPipeline {
        places: Places::new(Corpus::new(documents, Vec::new())),
        searchable: OnceLock::new(),
        plan: RecordedPlan {
            rag: Arc::new(Joined::default()),
            counter,
            concurrency: 1,
            most_failures: None,
            searches_again: false,
            conditions: None,
            k: 5,
        },
        compute: Compute::default(),
    }
}

pub(super) fn question(evidence: &[(&str, &[(usize, usize)])]) -> Question {
    let member = |(doc, ranges): &(&str, &[(usize, usize)])| {
        vec![Member {
            doc: (*doc).into(),
            ranges: ranges.iter().map(|range| (*range).into()).collect(),
        }]
    };
    Question {
        kind: QuestionKind::Span,
        answers: vec!["two".to_owned()],
        evidence: evidence.iter().map(member).collect(),
        ..Question::new("q".into(), "which?".to_owned())
    }
}

pub(super) fn context(text: &str, doc: Option<&str>, score: Option<f64>) -> RecordedHit {
    RecordedHit {
        text: Some(text.to_owned()),
        doc_id: doc.map(str::to_owned),
        score,
        ..RecordedHit::default()
    }
}

pub(super) fn recorded(contexts: Vec<RecordedHit>) -> Recorded {
    Recorded {
        position: Place::new("f", Some(1)),
        stages: vec![RecordedStage::new(CONTEXTS, Step::Packed, contexts)],
        ..Recorded::default()
    }
}

fn attempt(text: &str) -> RecordedAttempt {
    RecordedAttempt { text: Some(text.to_owned()), ..RecordedAttempt::default() }
}

#[expect(clippy::unnecessary_wraps, reason = "as a record has it")]
fn answer(text: &str) -> Option<RecordedAttempt> {
    Some(attempt(text))
}

fn outcome(asked: &QuestionResult) -> Outcome {
    let judge = Judge { scorer: Scorer::Squad2, language: Language::english() };
    let passages: PassageMap = asked
        .trace
        .passages()
        .filter_map(|id| Some((id.clone(), asked.passages.passage(id)?)))
        .collect();
    let top = TopK::recorded(std::slice::from_ref(&asked.trace), &passages);
    classify(&asked.trace, top, Judgments::new(&asked.trace, judge, &Settled::default()), &passages)
}

fn ids(line: &ExternalPipeline, question: &Question, contexts: Vec<RecordedHit>) -> Vec<String> {
    let trace = line.asked(0, question.clone(), Ok(recorded(contexts)), 0.0).trace;
    trace.packed().map(ToString::to_string).collect()
}

#[test]
fn contexts_are_named_by_document_and_bytes_with_or_without_its_id() {
    let question = question(&[("d", &[(4, 7)])]);
    for doc in [Some("d"), None, Some("an id of another store")] {
        let contexts =
            vec![context("two  three four", doc, None), context("D\none two", doc, None)];
        assert_eq!(ids(&line(), &question, contexts), ["d#4-18", "d#0-7"], "{doc:?}");
    }
}

#[test]
fn a_path_names_a_document_by_its_end_and_a_repeated_text_is_at_each_place() {
    let question = question(&[("d", &[(4, 7)])]);
    // `o` is at bytes 0, 6 and 15 of `d`.
    for path in ["/srv/docs/d", "C:\\docs\\d", "https://host/d", "d"] {
        let at = |start| RecordedHit { start, ..context("o", Some(path), None) };
        let of = |start| ids(&line(), &question, vec![at(start)]);
        assert_eq!(of(None), ["d#0-1", "d#6-7", "d#15-16"], "{path}");
        // One off, and correct.
        assert_eq!([of(Some(14)), of(Some(5)), of(Some(6))], [["d#15-16"], ["d#6-7"], ["d#6-7"]]);
    }
}

#[test]
fn of_two_copies_the_gold_one_is_meant_else_the_first() {
    let same = || vec![context("same text here, twice", None, None)];
    assert_eq!(ids(&line(), &question(&[("e", &[(0, 4)])]), same()), ["e#0-21"]);
    assert_eq!(ids(&line(), &question(&[("d", &[(4, 7)])]), same()), ["copy#0-21"]);
}

#[test]
fn text_that_stands_nowhere_holds_the_gold_that_it_quotes_and_no_other_byte() {
    let line = line();
    let joined = question(&[("f", &[(0, 31), (32, 35)]), ("g", &[(0, 32)])]);
    // Neighbours among the gold ranges are one passage; `g` is another document.
    let text = "- alpha beta gamma  delta epsilon!\n- ok.\n- same words again in another text";
    let shown = ids(&line, &joined, vec![context(text, None, None)]);
    assert_eq!(shown, [format!("f#0-35~{0}", hash(text)), format!("g#0-32~{0}", hash(text))]);
    // `ok.` lies between them and is missing: two passages.
    let three = question(&[("f", &[(0, 31), (32, 35), (36, 61)])]);
    let text = "zeta eta theta iota kappa; alpha beta gamma delta epsilon!";
    let asked = line.asked(0, three, Ok(recorded(vec![context(text, None, None)])), 0.0);
    let shown: Vec<&str> =
        asked.trace.packed().map(|id| id.as_str().split('~').next().expect("an id")).collect();
    assert_eq!(shown, ["f#0-31", "f#36-61"]);
    assert_ne!(outcome(&asked).class, FailureClass::Delivered);
    // Without gold text: a document made from the context, or the one that it names, without
    // byte range.
    let other = question(&[("d", &[(4, 7)])]);
    let shown =
        ids(&line, &other, vec![context("x y z", None, None), context("x y", Some("d"), None)]);
    assert!(shown[0].starts_with("external-") && shown[1].starts_with("d#~"), "{shown:?}");
    let asked = line.asked(0, other, Ok(recorded(vec![context("x y", Some("d"), None)])), 0.0);
    // Whether the gold is in such a context is not seen.
    assert_eq!(outcome(&asked).class, FailureClass::Unclear);
}

#[test]
fn a_gold_range_that_may_stand_anywhere_does_not_place_a_text() {
    let line = line();
    let placed = |question: &Question, text: &str, doc| {
        let shown = ids(&line, question, vec![context(text, doc, None)]);
        shown[0].split('~').next().expect("an id").to_owned()
    };
    // `two` is one word and the answer; if the context names the document, it is known, and a longer word still
    // does not match.
    let short = question(&[("d", &[(4, 7)])]);
    assert!(placed(&short, "cooking for two", None).starts_with("external-"));
    assert_eq!(placed(&short, "cooking for two", Some("d")), "d#4-7");
    assert_eq!(placed(&short, "a networked twofold", Some("d")), "d#");
    // Five words identify a document, unless they are the answer; the short range of that document then counts
    // as well.
    let mut long = question(&[("f", &[(0, 31), (32, 35)])]);
    assert_eq!(placed(&long, "* alpha beta gamma delta epsilon!\n* ok.", None), "f#0-35");
    assert!(placed(&long, "that is ok.", None).starts_with("external-"));
    assert!(placed(&long, "* alphabeta gamma delta epsilon!", None).starts_with("external-"));
    long.answers = vec!["Alpha beta gamma delta epsilon".to_owned()];
    assert!(placed(&long, "* alpha beta gamma delta epsilon!", None).starts_with("external-"));
}

#[test]
fn what_further_arms_were_shown_changes_nothing_of_the_pipelines_own() {
    let line = line();
    // The gold evidence is `two three four`, 4..18; the pipeline showed `one two`, the oracle
    // all of it.
    let asked = |conditions: Vec<RecordedCondition>| {
        let mut recorded = recorded(vec![context("one two", Some("d"), None)]);
        recorded.answer = answer("wrong");
        recorded.conditions = conditions;
        line.asked(0, question(&[("d", &[(4, 18)])]), Ok(recorded), 0.0)
    };
    let oracle = RecordedCondition {
        condition: Condition::Oracle,
        answer: attempt("two"),
        contexts: vec![context("one two three four", Some("d"), None)],
    };
    let (alone, both) = (asked(vec![]), asked(vec![oracle]));
    let (of_alone, of_both) = (outcome(&alone), outcome(&both));
    assert_eq!(
        (of_both.class, of_both.reason, of_both.flags),
        (of_alone.class, of_alone.reason, of_alone.flags)
    );
    let (alone, both) = (alone.trace, both.trace);
    assert_eq!((of_alone.class, both.gold), (FailureClass::Split, alone.gold));
    assert_eq!(both.conditions[1].attempts[0].passages, ["d#0-18".into()]);
}

#[test]
fn a_blank_answer_is_an_empty_reply() {
    let line = line();
    let class = |kind: QuestionKind, answer: Option<RecordedAttempt>| {
        let unanswerable = Question { kind, ..question(&[("d", &[(4, 7)])]) };
        let mut recorded = recorded(vec![context("one two", Some("d"), None)]);
        recorded.answer = answer;
        let found = outcome(&line.asked(0, unanswerable, Ok(recorded), 0.0));
        (found.class, found.fault)
    };
    for blank in [Some(RecordedAttempt::default()), answer(""), answer(" \n")] {
        for kind in [QuestionKind::Unanswerable, QuestionKind::Span] {
            assert_eq!(class(kind, blank.clone()), (FailureClass::Failed, None));
        }
    }
    assert_eq!(class(QuestionKind::Unanswerable, answer("two")).0, FailureClass::Hallucinated);
}

#[test]
fn conditions_without_an_answer_are_left_out_and_counted() {
    let line = line();
    let conditions = vec![RecordedCondition {
        condition: Condition::ClosedBook,
        answer: attempt("two"),
        contexts: vec![],
    }];
    let asked = line.asked(0, question(&[]), Ok(Recorded { conditions, ..recorded(vec![]) }), 0.0);
    assert!(asked.trace.conditions.is_empty());
    let notes = line.places.take_notes();
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].count == 1
            && notes[0].to_string().starts_with("1 question with `conditions` and no `answer`"),
        "{notes:?}"
    );
}

#[test]
fn scores_stand_where_they_give_the_order_else_the_order_counts() {
    let line = line();
    let scores = |scores: [Option<f64>; 2]| -> Vec<(f64, Option<f64>)> {
        let [a, b] = scores;
        let contexts = vec![context("one", Some("d"), a), context("five", Some("d"), b)];
        let asked = line.asked(0, question(&[]), Ok(recorded(contexts)), 0.0);
        asked.trace.steps[0]
            .hits
            .iter()
            .map(|hit| (hit.score, hit.parts.get("given").copied()))
            .collect()
    };
    assert_eq!(scores([Some(9.0), Some(2.0)]), [(9.0, None), (2.0, None)]);
    assert_eq!(scores([Some(2.0), Some(9.0)]), [(1.0, Some(2.0)), (0.5, Some(9.0))]);
    assert_eq!(scores([None, Some(9.0)]), [(1.0, None), (0.5, Some(9.0))]);
    assert_eq!(scores([Some(f64::INFINITY), Some(9.0)]), [(1.0, None), (0.5, Some(9.0))]);
    assert_eq!(scores([None, None]), [(1.0, None), (0.5, None)]);
}

#[test]
fn a_context_twice_counts_once_and_whole_documents_are_cut_to_the_first_k() {
    let line = line();
    let twice = vec![context("one", Some("d"), None), context("one ", Some("d"), None)];
    assert_eq!(ids(&line, &question(&[]), twice), ["d#0-3"]);
    let whole = |doc: &str| RecordedHit { doc_id: Some(doc.to_owned()), ..RecordedHit::default() };
    let external = Step::External.name();
    let packed = RecordedStage {
        hits: None,
        k: Some(1),
        ..RecordedStage::new("packed", Step::Packed, Vec::new())
    };
    let run = Recorded {
        stages: vec![
            RecordedStage::new(external, Step::External, vec![whole("gone"), whole("d")]),
            packed,
        ],
        ..recorded(vec![])
    };
    let asked = line.asked(0, question(&[("d", &[(4, 7)])]), Ok(run), 0.0);
    let (class, trace) = (outcome(&asked).class, asked.trace);
    let ranked: Vec<&str> = trace.steps[0].hits.iter().map(|hit| hit.id.as_str()).collect();
    assert_eq!(
        (ranked, trace.packed().count(), class),
        (vec!["gone#~", "d#0-23"], 1, FailureClass::RankedLow)
    );
}

/// Returns the text of the fact number `n`: 25 words, 120 to 190 characters, in no other fact.
fn fact(n: usize) -> String {
    let words: Vec<String> = (0..25).map(|word| format!("w{n}x{word}")).collect();
    words.join(" ")
}

/// Fifty reranked contexts, each a document of its own, `prompt` their recorded prompt, the evidence in number 10.
fn reranked(prompt: &str) -> (FailureClass, usize, Vec<String>) {
    let documents = (0..50).map(|n| Document {
        id: format!("d{n}").as_str().into(),
        title: String::new(),
        text: fact(n),
        metadata: [].into(),
    });
    let line = ExternalPipeline {
        places: Places::new(Corpus::new(documents.collect::<Vec<_>>(), Vec::new())),
        ..line()
    };
    let contexts = (0..50).map(|n| context(&fact(n), None, None)).collect();
    let run = Recorded {
        prompt: Some(prompt.to_owned()),
        stages: vec![RecordedStage::new(CONTEXTS, Step::Ordered, contexts)],
        ..recorded(vec![])
    };
    let gold = fact(10).len();
    let asked = line.asked(0, question(&[("d10", &[(0, gold)])]), Ok(run), 0.0);
    let notes = line.places.take_notes();
    let notes = notes.into_iter().map(|note| note.to_string());
    (outcome(&asked).class, asked.trace.packed().count(), notes.collect())
}

fn prompt_of(facts: &[usize]) -> String {
    let passages: Vec<String> = facts
        .iter()
        .map(|n| format!("[Passage]\n{}\n", fact(*n).replace("x12 ", "x12\n  ")))
        .collect();
    format!("Use these:\n{}\nQuestion: which?", passages.join("\n"))
}

#[test]
fn the_recorded_prompt_decides_what_was_packed() {
    let some = "1 question whose `prompt` contains some of its contexts: the others were ranked, not packed";
    // The first four of fifty, without the evidence, which has rank 11.
    let without = reranked(&prompt_of(&[0, 1, 2, 3]));
    assert_eq!(without, (FailureClass::RankedLow, 4, vec![some.to_owned()]));
    // A prompt that selects and reorders has the evidence that it has.
    let reordered = reranked(&prompt_of(&[31, 10, 2]));
    assert_eq!(reordered, (FailureClass::Delivered, 3, vec![some.to_owned()]));
    // The evidence is above one that was packed, and was not packed itself: filtered, reordered or too long.
    assert_eq!(reranked(&prompt_of(&[0, 31])).0, FailureClass::NotInPrompt);
    let all: Vec<usize> = (0..50).collect();
    assert_eq!(reranked(&prompt_of(&all)), (FailureClass::Delivered, 50, vec![]));
}

#[test]
fn a_context_that_the_prompt_truncates_is_packed_up_to_there() {
    let truncated = "1 context that `prompt` truncates: packed up to there";
    let prompt = prompt_of(&[0, 10]);
    let end = prompt.find("w10x20").expect("in the prompt");
    let (class, n_packed, notes) = reranked(&prompt[..end]);
    assert_eq!((class, n_packed), (FailureClass::NotPacked, 2));
    assert_eq!(notes[0], truncated);
    // Fewer than half of its 25 words: not packed.
    let end = prompt.find("w10x10").expect("in the prompt");
    let (class, n_packed, _) = reranked(&prompt[..end]);
    assert_eq!((class, n_packed), (FailureClass::RankedLow, 1));
}

#[test]
fn a_prompt_that_holds_none_of_the_contexts_leaves_all_of_them_packed() {
    let none =
        "1 question whose `prompt` contains none of its contexts: all of these count as packed";
    assert_eq!(
        reranked("Summary of what was found: nothing literal."),
        (FailureClass::Delivered, 50, vec![none.to_owned()])
    );
}
