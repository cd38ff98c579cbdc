//! Planted losses: one clean question, one stage broken at a time, the class named.

use super::classify::{Outcome, Rightness, classify};
use super::gold::{self, Haystacks};
use super::modes::{self, Signs};
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
    assert_eq!(outcome.reason, "gold range 10-19 of `d` is in chunk 1, which was not among 2 candidates");
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
    assert_eq!(outcome.reason, "gold range 10-19 of `d` is in chunk 1, which came third, below the top 2");
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
        "gold range 10-24 of `d` is cut between chunks 1 and 2; chunk 1 came first, chunk 2 came third, below the top 2"
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
    assert_eq!(lost.reason, "gold range 10-19 of `d` is in no passage that was shown");
}

#[test]
fn elsewhere_a_gold_range_of_which_a_piece_was_shown_is_lost_by_chunking() {
    let gold = || vec![vec![member("d", &[(10, 19)])]];
    let torn = elsewhere(gold(), &[shown("d", (0, 14))], Rightness::default(), None);
    assert_eq!((torn.class, torn.flags.as_slice()), (Class::Chunking, [Flag::Cut].as_slice()));
    assert_eq!(torn.reason, "of gold range 10-19 of `d` only a part was shown: passage `d#0-14` came first");
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

/// Class and sentence of a question answered wrong, the first two of `ranked` being the top k.
fn why(corpus: &Corpus, question: Question, ranked: &[&str], packed: &[&str]) -> (Class, String) {
    let haystacks = Haystacks::new(corpus);
    let gold = gold::locate(&question, corpus, || &haystacks, &|_| None);
    let outcome = judged(&with_gold(question, gold, ranked, packed, Some(wrong())), corpus, false, None);
    (outcome.class, outcome.reason)
}

fn said(class: Class, sentence: &str) -> (Class, String) {
    (class, sentence.to_owned())
}

#[test]
fn the_rule_on_ranges_names_range_chunks_and_places() {
    let corpus = corpus(&TENS);
    let lost = |range, ranked: &[&str], packed: &[&str]| {
        why(&corpus, question(vec![vec![member("d", &[range])]]), ranked, packed)
    };
    assert_eq!(
        lost((10, 19), &["d#0", "e#0"], &["d#0", "e#0"]),
        said(Class::Retrieval, "gold range 10-19 of `d` is in chunk 1, which was not among 2 candidates")
    );
    assert_eq!(
        lost((10, 19), &["d#0", "e#0", "d#1"], &["d#0", "e#0"]),
        said(Class::Ranking, "gold range 10-19 of `d` is in chunk 1, which came third, below the top 2")
    );
    assert_eq!(
        lost((10, 19), &["d#0", "d#1"], &["d#0"]),
        said(Class::Packing, "gold range 10-19 of `d` is in chunk 1, which came second but did not fit the prompt")
    );
    assert_eq!(
        lost((10, 24), &["d#1", "e#0", "d#2"], &["d#1", "e#0"]),
        said(
            Class::Chunking,
            "gold range 10-24 of `d` is cut between chunks 1 and 2; chunk 1 came first, chunk 2 came third, below the top 2"
        )
    );
    assert_eq!(
        lost((10, 24), &["d#0"], &["d#0"]),
        said(
            Class::Retrieval,
            "gold range 10-24 of `d` is cut between chunks 1 and 2; chunk 1 was not among 1 candidate, \
             chunk 2 was not among 1 candidate"
        )
    );
}

#[test]
fn large_numbers_are_parted_and_long_lists_end() {
    // Document `d` of 2,000 bytes in chunks of 100: the gold 1,150 to 1,950 touches chunks 11 to 19.
    let text = "x ".repeat(1000);
    let document = Document { id: "d".into(), title: String::new(), text, metadata: [].into() };
    let chunks = (0..20).map(|ordinal| Chunk {
        id: ChunkId::new(&"d".into(), ordinal),
        doc_id: "d".into(),
        ordinal,
        range: (100 * ordinal, 100 * ordinal + 100).into(),
        n_tokens: 1,
    });
    let corpus = Corpus::new(vec![document], chunks.collect());
    let (class, sentence) = why(&corpus, question(vec![vec![member("d", &[(1150, 1950)])]]), &["d#11"], &["d#11"]);
    assert_eq!(class, Class::Chunking);
    assert!(
        sentence.starts_with(
            "gold range 1,150-1,950 of `d` is cut between chunks 11, 12, 13, 14, 15, 16 and 3 more; chunk 11 came first, \
             chunk 12 was not among 1 candidate, "
        ),
        "{sentence}"
    );
}

#[test]
fn a_boundary_in_white_space_cuts_as_well() {
    // Trimmed chunks: byte 9, a space, is in none, and the gold 5 to 14 lies on both sides of it.
    let corpus = corpus(&[(0, 9), (10, 19), (20, 30)]);
    let found = trace(question(vec![vec![member("d", &[(5, 14)])]]), &corpus, &["d#0"], &["d#0"], Some(wrong()));
    let outcome = judged(&found, &corpus, false, None);
    assert_eq!((outcome.class, outcome.flags.as_slice()), (Class::Chunking, [Flag::Cut].as_slice()));
    assert_eq!(
        outcome.reason,
        "gold range 5-14 of `d` is cut between chunks 0 and 1; chunk 0 came first, chunk 1 was not among 1 candidate"
    );
}

#[test]
fn of_several_chunks_that_hold_the_gold_each_has_its_place() {
    let corpus = corpus(&[(0, 20), (10, 30)]);
    assert_eq!(
        why(&corpus, question(vec![vec![member("d", &[(10, 19)])]]), &["e#0", "x#0", "d#1"], &["e#0"]),
        said(
            Class::Ranking,
            "gold range 10-19 of `d` is in each of chunks 0 and 1; chunk 0 was not among 3 candidates, \
             chunk 1 came third, below the top 2"
        )
    );
}

#[test]
fn of_several_ranges_the_first_missing_one_is_named_and_the_others_are_counted() {
    let corpus = corpus(&TENS);
    assert_eq!(
        why(&corpus, question(vec![vec![member("d", &[(0, 4), (10, 14), (20, 24)])]]), &["d#1"], &["d#1"]),
        said(
            Class::Retrieval,
            "gold range 0-4 of `d` is in chunk 0, which was not among 1 candidate; 1 more of its gold ranges is missing"
        )
    );
}

#[test]
fn a_candidate_that_fusion_or_min_score_dropped_is_said_to_be_one() {
    let corpus = corpus(&TENS);
    let asked =
        || trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#0", "d#1"], &["d#0"], Some(wrong()));
    let stage = |trace: &Trace, stage| TraceStage { stage, ..trace.stages[1].clone() };
    let mut scored = asked();
    scored.stages.insert(1, stage(&scored, Stage::MinScore));
    let outcome = judged(&scored, &corpus, false, None);
    assert_eq!(outcome.class, Class::Ranking);
    assert_eq!(outcome.reason, "gold range 10-19 of `d` is in chunk 1, which scored below `min_score`");
    let mut fused = asked();
    fused.stages.insert(1, stage(&fused, Stage::Fused));
    let outcome = judged(&fused, &corpus, false, None);
    assert_eq!(
        outcome.reason,
        "gold range 10-19 of `d` is in chunk 1, which was a candidate, but fell out of the final ranking"
    );
}

#[test]
fn the_rule_on_whole_documents_names_the_first_chunk_or_that_with_the_answer() {
    let corpus = corpus(&TENS);
    let lost =
        |doc, ranked: &[&str], packed: &[&str]| why(&corpus, question(vec![vec![member(doc, &[])]]), ranked, packed);
    assert_eq!(
        lost("gone", &["d#0"], &["d#0"]),
        said(Class::Corpus, "gold document `gone` is not in the corpus, or empty there")
    );
    assert_eq!(
        lost("e", &["d#0", "d#2"], &["d#0"]),
        said(Class::Retrieval, "no chunk of gold document `e` was among 2 candidates")
    );
    assert_eq!(
        lost("e", &["d#0", "d#1", "e#0"], &["d#0", "d#1"]),
        said(Class::Ranking, "of gold document `e` the first chunk, chunk 0, came third, below the top 2")
    );
    assert_eq!(
        lost("e", &["d#0", "e#0"], &["d#0"]),
        said(Class::Packing, "of gold document `e` the first chunk, chunk 0, came second but did not fit the prompt")
    );
    assert_eq!(
        lost("d", &["d#0", "e#0", "d#1"], &["d#0", "e#0"]),
        said(
            Class::Ranking,
            "chunks of the gold documents reached the top k, but none with an answer string; the first chunk of theirs that \
             holds an answer string, chunk 1 of `d`, came third, below the top 2"
        )
    );
}

#[test]
fn the_rule_on_answer_strings_names_the_first_passage_that_holds_one() {
    let lost = |answer: &str, ranked: &[&str], packed: &[&str]| {
        let asked = Question { answers: vec![answer.to_owned()], ..question(vec![]) };
        why(&corpus(&[(0, 14), (15, 30)]), asked, ranked, packed)
    };
    assert_eq!(lost("1815", &["d#0"], &["d#0"]), said(Class::Corpus, "no document holds an answer string"));
    assert_eq!(
        lost("cccc 1992", &["d#0"], &["d#0"]),
        said(Class::Chunking, "an answer string is in a document, but whole in no chunk")
    );
    assert_eq!(
        lost("1992", &["d#0"], &["d#0"]),
        said(Class::Retrieval, "no passage that holds an answer string was among 1 candidate")
    );
    assert_eq!(
        lost("1992", &["d#0", "x#0", "e#0", "d#1"], &["d#0"]),
        said(
            Class::Ranking,
            "the first passage that holds an answer string, chunk 0 of `e`, came third, below the top 2"
        )
    );
    assert_eq!(
        lost("1992", &["d#0", "e#0"], &["d#0"]),
        said(
            Class::Packing,
            "the first passage that holds an answer string, chunk 0 of `e`, came second but did not fit the prompt"
        )
    );
}

#[test]
fn an_answer_that_no_chunk_of_the_gold_document_holds_whole_is_lost_by_chunking() {
    let corpus = corpus(&[(0, 14), (15, 30)]);
    let asked = Question { answers: vec!["cccc 1992".to_owned()], ..question(vec![vec![member("d", &[])]]) };
    assert_eq!(
        why(&corpus, asked, &["d#0", "d#1"], &["d#0", "d#1"]),
        said(Class::Chunking, "an answer string is in a gold document, but whole in no chunk of one")
    );
}

#[test]
fn of_several_groups_the_missing_one_is_named() {
    let corpus = corpus(&TENS);
    let both = |first: Member| question(vec![vec![first], vec![member("e", &[(0, 7)])]]);
    assert_eq!(
        why(&corpus, both(member("d", &[(0, 4)])), &["e#0"], &["e#0"]),
        said(Class::Retrieval, "evidence 1 of 2: gold range 0-4 of `d` is in chunk 0, which was not among 1 candidate")
    );
    assert_eq!(
        why(&corpus, both(member("d", &[(0, 4)])), &["d#2"], &["d#2"]),
        said(
            Class::Retrieval,
            "2 of 2 pieces of evidence are missing; the first: gold range 0-4 of `d` is in chunk 0, \
             which was not among 1 candidate"
        )
    );
    assert_eq!(
        why(&corpus, both(member("gone", &[(0, 4)])), &["e#0"], &["e#0"]),
        said(Class::Corpus, "evidence 1 of 2: gold document `gone` is not in the corpus, or empty there")
    );
}

#[test]
fn of_several_members_the_nearest_is_named() {
    let corpus = corpus(&TENS);
    let any = |members: &[(&str, (usize, usize))]| {
        question(vec![members.iter().map(|(doc, range)| member(doc, &[*range])).collect()])
    };
    let members = [("gone", (0, 3)), ("d", (20, 24)), ("e", (0, 7))];
    assert_eq!(
        why(&corpus, any(&members), &["d#0", "d#1", "e#0", "d#2"], &["d#0", "d#1"]),
        said(
            Class::Ranking,
            "gold range 0-7 of `e` (nearest of 3 alternatives) is in chunk 0, which came third, below the top 2"
        )
    );
    assert_eq!(
        why(&corpus, any(&[("gone", (0, 3)), ("lost", (0, 3))]), &["d#0"], &["d#0"]),
        said(
            Class::Corpus,
            "gold documents `gone` and `lost`, of which one would do, are not in the corpus, or empty there"
        )
    );
}

#[test]
fn a_member_with_ranges_asks_for_no_answer_of_another_that_is_a_whole_document() {
    let corpus = corpus(&TENS);
    let either = question(vec![vec![member("e", &[(0, 2)]), member("d", &[])]]);
    let gold = gold::locate(&either, &corpus, || panic!("labelled"), &|_| None);
    let holds = |id: &str| SupportTest::new(&either, &gold.groups, &corpus).of(&[ChunkId::from(id)]).holds;
    assert!(gold.chunks.holds && holds("e#0") && holds("d#1"), "e's range, or d's chunk with 1992");
    assert!(!holds("d#0"), "a chunk of `d` without the answer");
}

#[test]
fn a_right_answer_says_how_its_support_was_lost() {
    let corpus = corpus(&TENS);
    let found = trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#0"], &["d#0"], Some(wrong()));
    assert_eq!(
        judged(&found, &corpus, true, None).reason,
        "right, though its support was lost (retrieval): gold range 10-19 of `d` is in chunk 1, which was not among 1 candidate"
    );
    let unlabelled = Question { kind: Kind::Free, ..question(vec![]) };
    let gold = gold::locate(&unlabelled, &corpus, || panic!("no spans"), &|_| None);
    let outcome = judged(&with_gold(unlabelled, gold, &["d#0"], &["d#0"], Some(wrong())), &corpus, true, None);
    assert_eq!((outcome.class, outcome.reached), (Class::CorrectUnsupported, None));
    assert_eq!(outcome.reason, "right, with no evidence and no answer string to look for its support by");
}

#[test]
fn the_first_of_several_attempts_decides() {
    let corpus = corpus(&TENS);
    let asked = || question(vec![vec![member("d", &[(10, 19)])]]);
    let repeated = |answers: [Attempt; 2]| {
        let mut found = trace(asked(), &corpus, &["d#1"], &["d#1"], None);
        found.arms = vec![Arm { arm: ArmName::Retrieved, attempts: answers.to_vec() }];
        judged(&found, &corpus, false, None).fault
    };
    assert_eq!(repeated([attempt("", Stance::Abstained), wrong()]), Some(Fault::Abstained));
    assert_eq!(repeated([wrong(), attempt("", Stance::Abstained)]), None, "wrong, and no oracle to tell why");
}

/// The flags of a question whose gold was in its prompt, by its arms' answers, with the prompts they were given.
fn flags_of(arms: &[(ArmName, &str, &[&str])], right: Rightness) -> Vec<Flag> {
    let corpus = corpus(&TENS);
    let mut found = trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, &["d#1", "d#0"], &["d#1"], None);
    let arm = |(arm, answer, passages): &(ArmName, &str, &[&str])| Arm {
        arm: *arm,
        attempts: vec![Attempt {
            passages: passages.iter().map(|id| ChunkId::from(*id)).collect(),
            ..attempt(answer, Stance::Answered)
        }],
    };
    found.arms = arms.iter().map(arm).collect();
    classify(&found, 2, right, &corpus).flags
}

#[test]
fn a_label_is_suspect_where_answer_and_gold_contain_one_another_or_all_arms_agree() {
    let wrong = Rightness { retrieved: Some(false), oracle: Some(false), closed_book: None };
    let both = |retrieved, oracle| {
        let (retrieved, oracle) =
            ((ArmName::Retrieved, retrieved, &["d#1"][..]), (ArmName::Oracle, oracle, &["d#2"][..]));
        flags_of(&[retrieved, oracle], wrong)
    };
    assert_eq!(both("1815", "May 1992"), [Flag::LabelSuspect], "the gold is 1992");
    assert_eq!(both("1815", "The 1815!"), [Flag::LabelSuspect], "the same answer, as scripts compare answers");
    assert_eq!(both("1815", "1816"), []);
    let third = (ArmName::ClosedBook, "1816", &[][..]);
    let two = [(ArmName::Retrieved, "1815", &["d#1"][..]), (ArmName::Oracle, "1815", &["d#2"][..])];
    assert_eq!(flags_of(&[two[0], two[1], third], wrong), [], "one of three arms disagrees");
    let same_prompt = [(ArmName::Retrieved, "1815", &["d#1"][..]), (ArmName::Oracle, "1815", &["d#1"][..])];
    assert_eq!(flags_of(&same_prompt, wrong), [], "one prompt agrees with itself");
    let right = Rightness { retrieved: Some(true), oracle: Some(true), closed_book: None };
    assert_eq!(flags_of(&two, right), []);
}

#[test]
fn right_without_context_and_wrong_with_it_is_misled() {
    let arms = [(ArmName::Retrieved, "1815", &["d#1"][..]), (ArmName::ClosedBook, "1992", &[][..])];
    let right =
        |retrieved, closed_book| Rightness { retrieved: Some(retrieved), oracle: None, closed_book: Some(closed_book) };
    assert_eq!(flags_of(&arms, right(false, true)), [Flag::Misled]);
    assert_eq!(flags_of(&arms, right(true, true)), []);
    assert_eq!(flags_of(&arms, right(false, false)), []);
}

#[test]
fn what_exact_search_would_have_found_is_an_ann_miss() {
    let corpus = corpus(&TENS);
    let flags = |ranked: &[&str], exact: bool| {
        let mut found = trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, ranked, &["d#0"], None);
        found.stages[0].exact = Some(Support { holds: exact, rule: SupportRule::Ranges });
        judged(&found, &corpus, false, None).flags
    };
    assert_eq!(flags(&["d#0"], true), [Flag::AnnMiss]);
    assert_eq!(flags(&["d#0"], false), []);
    assert_eq!(flags(&["d#0", "d#1"], true), [], "the graph found it as well");
}

#[test]
fn an_answer_elsewhere_wants_a_content_term_that_is_not_the_answers_own() {
    let corpus = corpus(&TENS);
    let flags = |text: &str| {
        let asked = Question { text: text.to_owned(), ..question(vec![vec![member("d", &[(0, 4)])]]) };
        judged(&trace(asked, &corpus, &["e#0"], &["e#0"], Some(wrong())), &corpus, false, None).flags
    };
    // e#0 is `in 1992, cccc`.
    assert_eq!(flags("When did cccc end?"), [Flag::AnswerElsewhere]);
    assert_eq!(flags("When did dddd end?"), [], "no term in common");
    assert_eq!(flags("Was it 1992 or 1815?"), [], "only the answer itself");
}

/// What is seen of a question with these evidence members, one a group.
fn seen(corpus: &Corpus, evidence: &[(&str, (usize, usize))], ranked: &[&str], packed: &[&str], k: usize) -> Signs {
    let groups = evidence.iter().map(|(doc, range)| vec![member(doc, &[*range])]).collect();
    let found = trace(question(groups), corpus, ranked, packed, Some(wrong()));
    let outcome = classify(&found, k, Rightness { retrieved: Some(false), ..Rightness::default() }, corpus);
    modes::signs(&found, &outcome, k, true, corpus)
}

#[test]
fn a_gold_passage_shares_a_content_term_with_the_question_or_not() {
    let corpus = corpus(&TENS);
    let shows =
        |evidence: &[(&str, (usize, usize))]| seen(&corpus, evidence, &["d#2"], &["d#2"], 2).shows(Mode::NoSharedTerm);
    // The question is `When cccc?`; of `d`, chunk 1 is `cccc 1992 `, chunk 0 `aaaa bbbb `.
    assert_eq!(shows(&[("d", (15, 19))]), Some(false));
    assert_eq!(shows(&[("d", (0, 4))]), Some(true));
    assert_eq!(shows(&[("d", (15, 19)), ("d", (0, 4))]), Some(true), "of one group nothing is shared");
    assert_eq!(shows(&[("gone", (0, 4))]), None, "no passage to look at");
}

#[test]
fn a_title_counts_where_it_is_indexed() {
    let corpus = corpus(&TENS);
    let found = trace(question(vec![vec![member("d", &[(0, 4)])]]), &corpus, &["d#0"], &["d#0"], Some(wrong()));
    let titled = Passage { title: "The cccc".to_owned(), ..shown("d", (0, 10)) };
    let passages = std::collections::HashMap::from([(ChunkId::from("d#0"), titled)]);
    let outcome = classify(&found, 2, Rightness::default(), &passages);
    let shows = |titled| modes::signs(&found, &outcome, 2, titled, &passages).shows(Mode::NoSharedTerm);
    assert_eq!((shows(true), shows(false)), (Some(false), Some(true)));
}

#[test]
fn a_bridge_is_missed_where_one_group_is_there_and_another_is_not() {
    let corpus = corpus(&TENS);
    let both = [("d", (0, 4)), ("e", (0, 7))];
    let bridge = |evidence: &[(&str, (usize, usize))], ranked: &[&str]| {
        let signs = seen(&corpus, evidence, ranked, ranked, 2);
        (signs.shows(Mode::BridgeMissed), signs.missing_group)
    };
    assert_eq!(bridge(&both, &["d#0"]), (Some(true), Some(1)));
    assert_eq!(bridge(&both, &["e#0"]), (Some(true), Some(0)));
    assert_eq!(bridge(&both, &["d#2"]), (Some(false), None), "neither");
    assert_eq!(bridge(&both, &["d#0", "e#0"]), (Some(false), None), "both");
    assert_eq!(bridge(&both[..1], &["d#2"]), (None, None), "one group is no bridge");
}

#[test]
fn near_duplicates_crowd_the_top_k_and_may_have_kept_the_gold_out() {
    // Chunks 0 and 1 of `d` share 15 of 20 bytes.
    let corpus = corpus(&[(0, 20), (5, 25), (20, 30)]);
    let crowd = |evidence, ranked: &[&str]| {
        let signs = seen(&corpus, &[evidence], ranked, &ranked[..2], 2);
        (signs.shows(Mode::NearDuplicates), signs.distinct_support)
    };
    assert_eq!(crowd(("e", (0, 7)), &["d#0", "d#1", "e#0"]), (Some(true), true));
    assert_eq!(crowd(("d", (26, 30)), &["d#0", "d#1", "e#0", "d#2"]), (Some(true), false), "the third that differs");
    assert_eq!(crowd(("d", (26, 30)), &["d#0", "e#0", "d#2"]), (Some(false), false), "lost, but not crowded");
    assert_eq!(crowd(("d", (0, 4)), &["d#0", "d#1"]), (Some(true), false), "crowded, but not lost");
    let one = seen(&corpus, &[("d", (0, 4))], &["d#0"], &["d#0"], 2);
    assert_eq!(one.shows(Mode::NearDuplicates), None, "one passage crowds nothing");
}

#[test]
fn gold_is_late_where_support_is_whole_in_the_later_half() {
    let corpus = corpus(&TENS);
    let late = |evidence: &[(&str, (usize, usize))], packed: &[&str]| {
        let signs = seen(&corpus, evidence, packed, packed, 5);
        (signs.position, signs.shows(Mode::GoldLate))
    };
    let four = ["d#0", "d#1", "d#2", "e#0"];
    assert_eq!(late(&[("d", (10, 19))], &four), (Some(2), Some(false)));
    assert_eq!(late(&[("d", (20, 24))], &four), (Some(3), Some(true)));
    assert_eq!(late(&[("d", (0, 4)), ("e", (0, 7))], &four), (Some(4), Some(true)), "the last needed passage");
    assert_eq!(late(&[("d", (20, 24))], &four[..3]), (Some(3), None), "three have no later half");
    assert_eq!(late(&[("gone", (0, 4))], &four), (None, None));
}

#[test]
fn what_cannot_be_said_of_a_question_is_in_no_share() {
    let corpus = corpus(&TENS);
    let shows = |mode| seen(&corpus, &[("d", (0, 4))], &["e#0"], &["e#0"], 2).shows(mode);
    assert_eq!(shows(Mode::AnswerElsewhere), Some(true), "e#0 holds 1992 and cccc");
    assert_eq!(shows(Mode::EncoderTruncated), None, "no encoder took part");
    let asked = Question { kind: Kind::YesNo, ..question(vec![vec![member("d", &[(0, 4)])]]) };
    let mut found = trace(asked, &corpus, &["e#0"], &["e#0"], Some(wrong()));
    found.stages[0].stage = Stage::Dense;
    let outcome = judged(&found, &corpus, false, None);
    let signs = modes::signs(&found, &outcome, 2, true, &corpus);
    assert_eq!((signs.shows(Mode::AnswerElsewhere), signs.shows(Mode::EncoderTruncated)), (None, Some(false)));
}
