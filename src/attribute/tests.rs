//! Planted losses: one clean question, one stage broken at a time, the class named.

use super::classify::{Outcome, Rightness, classify};
use super::gold::{self, Haystacks};
use super::support::SupportTest;
use crate::types::*;

/// Document `d` is 30 bytes in three chunks of ten; the gold lies where a test says. Document `e` holds the answer too.
const TEXT: &str = "aaaa bbbb cccc 1992 dddd eeee.";

fn corpus(ranges: &[(usize, usize)]) -> Corpus {
    let document = |id: &str, text: &str| Document {
        id: id.into(),
        title: String::new(),
        text: text.to_owned(),
        metadata: [].into(),
    };
    let chunk = |doc: &str, ordinal, range: (usize, usize)| Chunk {
        id: ChunkId::new(&doc.into(), ordinal),
        doc_id: doc.into(),
        ordinal,
        range: range.into(),
        n_tokens: 1,
    };
    let mut chunks: Vec<Chunk> = ranges.iter().enumerate().map(|(at, range)| chunk("d", at, *range)).collect();
    chunks.push(chunk("e", 0, (0, 13)));
    Corpus::new(vec![document("d", TEXT), document("e", "in 1992, cccc")], chunks)
}

fn question(evidence: Vec<Group>) -> Question {
    Question {
        id: "q".into(),
        text: "When cccc?".to_owned(),
        kind: Kind::Span,
        answers: vec!["1992".to_owned()],
        evidence,
        relevant: [].into(),
        required: vec![],
        forbidden: vec![],
        tags: vec![],
        split: None,
    }
}

fn member(doc: &str, ranges: &[(usize, usize)]) -> Member {
    Member { doc: doc.into(), ranges: ranges.iter().map(|range| (*range).into()).collect() }
}

fn attempt(extracted: &str, stance: Stance) -> Attempt {
    Attempt {
        passages: vec![],
        raw: extracted.to_owned(),
        extracted: extracted.to_owned(),
        stance,
        finish: Finish::Stop,
        origin: Origin::Called,
        tokens: TokenUse::default(),
        cost_usd: 0.0,
        seconds: 0.0,
        error: None,
    }
}

/// A trace with one retriever's ranking, packed as given, answered by both arms.
fn trace(question: Question, corpus: &Corpus, ranked: &[&str], packed: &[&str], answer: Option<Attempt>) -> Trace {
    let gold = gold::locate(&question, corpus, || panic!("the question has evidence"), &|_| None);
    with_gold(question, gold, ranked, packed, answer)
}

fn with_gold(question: Question, gold: Gold, ranked: &[&str], packed: &[&str], answer: Option<Attempt>) -> Trace {
    let stage = |stage, ids: &[&str]| TraceStage {
        exact: None,
        stage,
        hits: ids.iter().map(|id| StageHit { id: (*id).into(), score: 0.0, parts: [].into() }).collect(),
        support: Support { holds: false, rule: SupportRule::Nothing },
        seconds: 0.0,
    };
    Trace {
        index: 0,
        question,
        gold,
        stages: vec![stage(Stage::Bm25, ranked), stage(Stage::Packed, packed)],
        arms: answer.map(|attempt| Arm { arm: ArmName::Retrieved, attempts: vec![attempt] }).into_iter().collect(),
        class: Class::Failed,
        fault: None,
        reason: String::new(),
        flags: vec![],
    }
}

fn wrong() -> Attempt {
    attempt("1815", Stance::Answered)
}

fn judged(trace: &Trace, corpus: &Corpus, retrieved: bool, oracle: Option<bool>) -> Outcome {
    classify(trace, 2, Rightness { retrieved: Some(retrieved), oracle, closed_book: None }, corpus)
}

/// The three chunks of ten bytes; bytes 9, 14, 19 of the text are white space, all in chunks.
const TENS: [(usize, usize); 3] = [(0, 10), (10, 20), (20, 30)];

#[test]
fn gold_that_is_in_no_document_is_lost_by_the_corpus() {
    let corpus = corpus(&TENS);
    let outcome = judged(
        &trace(question(vec![vec![member("gone", &[(0, 3)])]]), &corpus, &["d#0"], &["d#0"], Some(wrong())),
        &corpus,
        false,
        None,
    );
    assert_eq!(outcome.class, Class::Corpus);
    assert_eq!(outcome.reason, "gold document `gone` is not in the corpus, or empty there");
    assert_eq!(outcome.reached, Some([false; 5]));
}

#[test]
fn gold_that_no_retriever_returned_is_lost_by_retrieval() {
    let corpus = corpus(&TENS);
    let outcome = judged(
        &trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#0", "e#0"], &["d#0"], Some(wrong())),
        &corpus,
        false,
        None,
    );
    assert_eq!(outcome.class, Class::Retrieval);
    assert_eq!(outcome.reason, "gold of `d` did not reach the candidates: `d#1` was not among the candidates");
}

#[test]
fn gold_below_k_is_lost_by_ranking() {
    let corpus = corpus(&TENS);
    let outcome = judged(
        &trace(
            question(vec![vec![member("d", &[(10, 19)])]]),
            &corpus,
            &["d#0", "e#0", "d#1"],
            &["d#0"],
            Some(wrong()),
        ),
        &corpus,
        false,
        None,
    );
    assert_eq!(outcome.class, Class::Ranking);
    assert_eq!(outcome.reason, "gold of `d` did not reach the top k: `d#1` came 3 of 3");
    assert_eq!(outcome.reached, Some([true, true, true, false, false]));
}

#[test]
fn gold_in_the_top_k_that_did_not_fit_is_lost_by_packing() {
    let corpus = corpus(&TENS);
    let outcome = judged(
        &trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#0", "d#1"], &["d#0"], Some(wrong())),
        &corpus,
        false,
        None,
    );
    assert_eq!(outcome.class, Class::Packing);
}

#[test]
fn a_boundary_through_the_gold_of_which_a_piece_was_found_is_lost_by_chunking() {
    let corpus = corpus(&TENS);
    let cut = question(vec![vec![member("d", &[(10, 24)])]]);
    let outcome = judged(&trace(cut, &corpus, &["d#1", "e#0", "d#2"], &["d#1"], Some(wrong())), &corpus, false, None);
    assert_eq!(outcome.class, Class::Chunking);
    assert_eq!(
        outcome.reason,
        "gold range 10-24 of `d` is cut by a chunk boundary: `d#1` came 1 and was packed; `d#2` came 3 of 3"
    );
    assert_eq!(outcome.flags, [Flag::Cut]);
}

#[test]
fn a_cut_gold_of_which_no_piece_was_found_is_lost_by_retrieval() {
    let corpus = corpus(&TENS);
    let cut = question(vec![vec![member("d", &[(10, 24)])]]);
    assert_eq!(
        judged(&trace(cut, &corpus, &["d#0"], &["d#0"], Some(wrong())), &corpus, false, None).class,
        Class::Retrieval
    );
}

#[test]
fn both_pieces_of_a_cut_gold_together_support_it() {
    let corpus = corpus(&TENS);
    let cut = question(vec![vec![member("d", &[(10, 24)])]]);
    let found = trace(cut, &corpus, &["d#2", "d#1"], &["d#2", "d#1"], Some(wrong()));
    assert_eq!(judged(&found, &corpus, false, Some(false)).fault, Some(Fault::Reader));
}

#[test]
fn white_space_between_two_chunks_is_not_missing() {
    // Chunks 0..9 and 10..19 leave byte 9, a space, to nobody; the gold 5..14 spans it.
    let corpus = corpus(&[(0, 9), (10, 19), (20, 30)]);
    let spanning = question(vec![vec![member("d", &[(5, 14)])]]);
    let found = trace(spanning, &corpus, &["d#0", "d#1"], &["d#0", "d#1"], Some(wrong()));
    assert_eq!(found.gold.groups[0][0].needed, [ByteRange::new(5, 9), ByteRange::new(10, 14)]);
    assert_eq!(judged(&found, &corpus, true, None).class, Class::Correct);
}

#[test]
fn any_member_of_a_group_will_do_and_every_group_is_needed() {
    let corpus = corpus(&TENS);
    let either = question(vec![vec![member("d", &[(0, 4)]), member("e", &[(0, 7)])]]);
    let gold = gold::locate(&either, &corpus, || panic!("labelled"), &|_| None);
    let holds = |question: &Question, gold: &Gold, ids: &[&str]| {
        let ids: Vec<ChunkId> = ids.iter().map(|id| ChunkId::from(*id)).collect();
        SupportTest::new(question, &gold.groups, &corpus).of(&ids).holds
    };
    assert!(holds(&either, &gold, &["e#0"]) && holds(&either, &gold, &["d#0"]) && !holds(&either, &gold, &["d#1"]));
    let both = question(vec![vec![member("d", &[(0, 4)])], vec![member("e", &[(0, 7)])]]);
    let gold = gold::locate(&both, &corpus, || panic!("labelled"), &|_| None);
    assert!(!holds(&both, &gold, &["e#0"]) && holds(&both, &gold, &["e#0", "d#0"]));
}

#[test]
fn a_gold_document_as_a_whole_needs_the_chunk_with_the_answer() {
    let corpus = corpus(&TENS);
    let whole = question(vec![vec![member("d", &[])]]);
    let gold = gold::locate(&whole, &corpus, || panic!("labelled"), &|_| None);
    assert_eq!(gold.groups[0][0].chunks, [ChunkId::from("d#1")], "1992 stands at 15..19");
    let test = SupportTest::new(&whole, &gold.groups, &corpus);
    assert!(!test.of(&[ChunkId::from("d#0")]).holds);
    assert!(test.of(&[ChunkId::from("d#1")]).holds);
}

#[test]
fn without_evidence_an_answer_string_decides() {
    let corpus = corpus(&[(0, 17), (17, 30)]);
    let haystacks = Haystacks::new(&corpus);
    let asked = question(vec![]);
    let gold = gold::locate(&asked, &corpus, || &haystacks, &|_| None);
    assert!(gold.documents.holds && gold.chunks.holds, "e#0 holds 1992 whole");
    let found = with_gold(asked.clone(), gold.clone(), &["e#0"], &["e#0"], Some(wrong()));
    assert_eq!(judged(&found, &corpus, false, None).class, Class::Generation);
    let lost = with_gold(asked, gold, &["d#0"], &["d#0"], Some(wrong()));
    assert_eq!(judged(&lost, &corpus, false, None).class, Class::Retrieval);
}

#[test]
fn an_answer_that_only_a_boundary_cuts_is_lost_by_chunking_where_nothing_is_labelled() {
    let mut asked = question(vec![]);
    asked.answers = vec!["cccc 1992".to_owned()];
    let corpus = corpus(&[(0, 14), (15, 30)]);
    let haystacks = Haystacks::new(&corpus);
    let gold = gold::locate(&asked, &corpus, || &haystacks, &|_| None);
    assert!(gold.documents.holds && !gold.chunks.holds);
    let lost = with_gold(asked, gold, &["d#0"], &["d#0"], Some(wrong()));
    assert_eq!(judged(&lost, &corpus, false, None).class, Class::Chunking);
}

#[test]
fn what_the_generator_did_with_its_support_is_told_apart() {
    let corpus = corpus(&TENS);
    let fault = |answer: Attempt, oracle| {
        let found = trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#1"], &["d#1"], Some(answer));
        let outcome = judged(&found, &corpus, false, oracle);
        assert_eq!(outcome.class, Class::Generation);
        outcome.fault.expect("a fault")
    };
    assert_eq!(fault(attempt("1815", Stance::Answered), Some(true)), Fault::ContextUse);
    assert_eq!(fault(attempt("1815", Stance::Answered), Some(false)), Fault::Reader);
    assert_eq!(fault(attempt("", Stance::Abstained), Some(true)), Fault::Abstained);
    assert_eq!(fault(attempt("", Stance::Refused), Some(true)), Fault::Refused);
    assert_eq!(fault(attempt("", Stance::Unreadable), Some(true)), Fault::Format);
}

#[test]
fn right_answers_are_told_apart_by_their_support() {
    let corpus = corpus(&TENS);
    let asked = || question(vec![vec![member("d", &[(10, 19)])]]);
    let answer = || Some(attempt("1992", Stance::Answered));
    let with = trace(asked(), &corpus, &["d#1"], &["d#1"], answer());
    assert_eq!(judged(&with, &corpus, true, None).class, Class::Correct);
    let without = trace(asked(), &corpus, &["e#0"], &["e#0"], answer());
    let outcome = judged(&without, &corpus, true, None);
    assert_eq!((outcome.class, outcome.lost), (Class::CorrectUnsupported, Some(Class::Retrieval)));
    assert_eq!(outcome.flags, [Flag::AnswerElsewhere], "e#0 holds 1992 and the question's cccc");
}

#[test]
fn unanswerable_questions_stand_outside_the_waterfall() {
    let corpus = corpus(&TENS);
    let mut asked = question(vec![]);
    asked.kind = Kind::Unanswerable;
    asked.answers.clear();
    let class = |answer: Option<Attempt>| {
        let gold = gold::locate(&asked, &corpus, || panic!("no spans"), &|_| None);
        classify(&with_gold(asked.clone(), gold, &["d#0"], &["d#0"], answer), 2, Rightness::default(), &corpus).class
    };
    assert_eq!(class(Some(attempt("", Stance::Abstained))), Class::CorrectAbstention);
    assert_eq!(class(Some(wrong())), Class::Hallucinated);
    assert_eq!(class(None), Class::Unattributed);
}

#[test]
fn a_failed_call_is_no_wrong_answer_and_no_generator_no_loss() {
    let corpus = corpus(&TENS);
    let asked = || question(vec![vec![member("d", &[(10, 19)])]]);
    let failed = Attempt { error: Some("500".to_owned()), ..attempt("", Stance::Unreadable) };
    let found = trace(asked(), &corpus, &["d#1"], &["d#1"], Some(failed));
    assert_eq!(classify(&found, 2, Rightness::default(), &corpus).class, Class::Failed);
    let alone = trace(asked(), &corpus, &["d#1"], &["d#1"], None);
    assert_eq!(classify(&alone, 2, Rightness::default(), &corpus).class, Class::Supported);
    let lost = trace(asked(), &corpus, &["d#0"], &["d#0"], None);
    assert_eq!(classify(&lost, 2, Rightness::default(), &corpus).class, Class::Retrieval);
}

#[test]
fn a_prompt_that_the_server_cut_is_lost_by_packing() {
    let corpus = corpus(&TENS);
    let mut answer = attempt("1815", Stance::Answered);
    answer.tokens = TokenUse { prompt: 1000, prompt_billed: Some(799), completion: 3 };
    let found = trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#1"], &["d#1"], Some(answer));
    let outcome = judged(&found, &corpus, false, Some(true));
    assert_eq!((outcome.class, outcome.flags), (Class::Packing, vec![Flag::ServerTruncated]));
}

#[test]
fn gold_beyond_what_the_encoder_reads_is_flagged() {
    let corpus = corpus(&TENS);
    let asked = question(vec![vec![member("d", &[(15, 19)])]]);
    // Of chunk 1 (10..20) the encoder reads five bytes, 10..15: the gold at 15..19 is beyond.
    let gold = gold::locate(&asked, &corpus, || panic!("labelled"), &|number| (number == 1).then_some(5));
    assert!(gold.groups[0][0].encoder_truncated);
    let gold = gold::locate(&asked, &corpus, || panic!("labelled"), &|number| (number == 1).then_some(9));
    assert!(!gold.groups[0][0].encoder_truncated);
}

/// A passage of `d` that another system cut, or of a document that is none of ours.
fn shown(doc: &str, range: (usize, usize)) -> Passage {
    let text = if doc == "d" { TEXT[range.0..range.1].to_owned() } else { String::new() };
    Passage {
        id: format!("{doc}#{}-{}", range.0, range.1).as_str().into(),
        doc: doc.into(),
        title: String::new(),
        range: range.into(),
        text,
    }
}

/// The outcome for a pipeline elsewhere that showed these passages, all of them in its prompt, with `retrieval.k` = 1.
fn elsewhere(evidence: Vec<Group>, passages: &[Passage], right: Rightness, answer: Option<Attempt>) -> Outcome {
    let corpus = Corpus::new(corpus(&[]).documents().to_vec(), vec![]);
    let known: Vec<&Passage> = passages.iter().collect();
    let gold = gold::locate_shown(&question(evidence.clone()), &corpus, &known, |matcher| {
        corpus.documents().iter().any(|document| matcher.found_in_text(&document.text))
    });
    let ids: Vec<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
    let mut trace = with_gold(question(evidence), gold, &ids, &ids, answer);
    trace.stages[0].stage = Stage::External;
    let by_id: std::collections::HashMap<ChunkId, Passage> =
        passages.iter().map(|passage| (passage.id.clone(), passage.clone())).collect();
    classify(&trace, 1, right, &by_id)
}

#[test]
fn elsewhere_all_that_stood_in_the_prompt_is_the_top_k() {
    // `cccc 1992` is bytes 10 to 19 of `d`; the passage that holds it came second, and k is 1.
    let gold = || vec![vec![member("d", &[(10, 19)])]];
    let arrived = elsewhere(gold(), &[shown("x", (0, 0)), shown("d", (5, 24))], Rightness::default(), None);
    assert_eq!((arrived.class, arrived.reached), (Class::Supported, Some([true; 5])));
    let lost = elsewhere(gold(), &[shown("x", (0, 0))], Rightness::default(), None);
    assert_eq!((lost.class, lost.flags.len()), (Class::Retrieval, 0), "a chunk that was never shown is not cut");
    assert_eq!(lost.reached, Some([true, true, false, false, false]));
    assert_eq!(lost.reason, "gold of `d` did not reach the candidates");
}

#[test]
fn elsewhere_a_gold_range_of_which_a_piece_was_shown_is_lost_by_chunking() {
    let gold = || vec![vec![member("d", &[(10, 19)])]];
    let torn = elsewhere(gold(), &[shown("d", (0, 14))], Rightness::default(), None);
    assert_eq!((torn.class, torn.flags.as_slice()), (Class::Chunking, [Flag::Cut].as_slice()));
    // Both pieces, the space at byte 14 in neither: white space between two passages is not missing.
    let pieces = [shown("d", (15, 24)), shown("d", (0, 14))];
    assert_eq!(elsewhere(gold(), &pieces, Rightness::default(), None).class, Class::Supported);
    // A letter between them is: bytes 10 to 12 and 13 to 19 leave out byte 12.
    let gap = [shown("d", (10, 12)), shown("d", (13, 19))];
    assert_eq!(elsewhere(gold(), &gap, Rightness::default(), None).class, Class::Chunking);
}

#[test]
fn elsewhere_documents_that_the_corpus_lacks_and_unlabelled_answers_are_told_apart() {
    let gone = vec![vec![member("gone", &[(0, 4)])]];
    assert_eq!(elsewhere(gone, &[shown("d", (0, 30))], Rightness::default(), None).class, Class::Corpus);
    assert_eq!(elsewhere(vec![], &[shown("d", (15, 19))], Rightness::default(), None).class, Class::Supported);
    assert_eq!(elsewhere(vec![], &[shown("d", (0, 14))], Rightness::default(), None).class, Class::Retrieval);
    // `d` as a whole holds the answer, so the passage of it must too.
    let whole = || vec![vec![member("d", &[])]];
    assert_eq!(elsewhere(whole(), &[shown("d", (15, 24))], Rightness::default(), None).class, Class::Supported);
    assert_eq!(elsewhere(whole(), &[shown("d", (0, 9))], Rightness::default(), None).class, Class::Retrieval);
}

#[test]
fn a_wrong_answer_without_the_oracles_has_no_fault_to_name() {
    let right = Rightness { retrieved: Some(false), ..Rightness::default() };
    let answer = Some(attempt("1815", Stance::Answered));
    let outcome = elsewhere(vec![vec![member("d", &[(10, 19)])]], &[shown("d", (0, 30))], right, answer);
    assert_eq!((outcome.class, outcome.fault), (Class::Generation, None));
}
