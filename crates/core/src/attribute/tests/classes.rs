//! Failure classes of planted losses.

use super::super::classify::{Evidence, classify};
use super::super::gold;
use super::super::judge::Judgments;
use super::super::known::TopK;
use super::super::support::SupportTest;
use super::{TENS, attempt, corpus, judged, judgments, member, question, trace, with_gold, wrong};
use crate::types::{
    Attempt, ByteRange, ChunkId, Condition, ErrorKind, FailedPart, FailureClass, Fault, Flag, Gold,
    Question, QuestionKind, Stage, Stance, TokenUse, Trace, TraceError,
};

#[test]
fn evidence_is_lost_at_the_first_stage_whose_result_lacks_it() {
    type Case<'a> = (&'a str, (usize, usize), &'a [&'a str], &'a [&'a str], Evidence);
    let corpus = corpus(&TENS);
    let lost = |at, cause| Evidence::Lost { at, cause };
    let (ranking, retrieval) = (Stage::Ranking, Stage::Retrieval);
    let all = ["d#0", "e#0", "d#1"];
    // The gold is in chunk 1, or cut between chunks 1 and 2.
    let cases: [Case<'_>; 7] = [
        ("gone", (0, 3), &["d#0"], &["d#0"], lost(Stage::Corpus, Stage::Corpus)),
        ("d", (10, 19), &["d#0", "e#0"], &["d#0"], lost(retrieval, retrieval)),
        ("d", (10, 19), &all, &["d#0"], lost(ranking, ranking)),
        ("d", (10, 19), &["d#0", "d#1"], &["d#0"], lost(Stage::Packing, Stage::Packing)),
        ("d", (10, 24), &["d#1", "e#0", "d#2"], &["d#1"], lost(ranking, Stage::Chunking)),
        ("d", (10, 24), &["d#0"], &["d#0"], lost(retrieval, retrieval)),
        ("d", (10, 19), &["d#1"], &["d#1"], Evidence::Complete),
    ];
    for (doc, range, ranked, packed, evidence) in cases {
        let question = question(vec![vec![member(doc, &[range])]]);
        let trace = trace(question, &corpus, ranked, packed, Some(wrong()));
        let outcome = judged(&trace, &corpus, false, None);
        assert_eq!(outcome.evidence, evidence);
        let lost = evidence.class().unwrap_or(FailureClass::WrongAnswer);
        assert_eq!(outcome.class, lost);
    }
}

#[test]
fn both_pieces_of_a_cut_gold_together_support_it() {
    let corpus = corpus(&TENS);
    let cut = question(vec![vec![member("d", &[(10, 24)])]]);
    let found = trace(cut, &corpus, &["d#2", "d#1"], &["d#2", "d#1"], Some(wrong()));
    assert_eq!(judged(&found, &corpus, false, Some(false)).fault, Some(Fault::Misread));
}

#[test]
fn white_space_between_two_chunks_is_not_missing() {
    // Byte 9, a space, is in neither 0..9 nor 10..19; the gold range 5..14 spans it.
    let corpus = corpus(&[(0, 9), (10, 19), (20, 30)]);
    let spanning = question(vec![vec![member("d", &[(5, 14)])]]);
    let found = trace(spanning, &corpus, &["d#0", "d#1"], &["d#0", "d#1"], Some(wrong()));
    assert_eq!(found.gold.groups[0][0].needed, [ByteRange::new(5, 9), ByteRange::new(10, 14)]);
    assert_eq!(judged(&found, &corpus, true, None).class, FailureClass::Correct);
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
    assert!(
        holds(&either, &gold, &["e#0"])
            && holds(&either, &gold, &["d#0"])
            && !holds(&either, &gold, &["d#1"])
    );
    let both = question(vec![vec![member("d", &[(0, 4)])], vec![member("e", &[(0, 7)])]]);
    let gold = gold::locate(&both, &corpus, || panic!("labelled"), &|_| None);
    assert!(!holds(&both, &gold, &["e#0"]) && holds(&both, &gold, &["e#0", "d#0"]));
}

#[test]
fn what_the_generator_did_with_its_support_is_told_apart() {
    let corpus = corpus(&TENS);
    let fault = |answer: Attempt, oracle| {
        let found = trace(
            question(vec![vec![member("d", &[(10, 19)])]]),
            &corpus,
            &["d#1"],
            &["d#1"],
            Some(answer),
        );
        let outcome = judged(&found, &corpus, false, oracle);
        assert_eq!(outcome.class, FailureClass::WrongAnswer);
        outcome.fault.expect("a fault")
    };
    assert_eq!(fault(attempt("1815", Stance::Answered), Some(true)), Fault::IgnoredContext);
    assert_eq!(fault(attempt("1815", Stance::Answered), Some(false)), Fault::Misread);
    assert_eq!(fault(attempt("", Stance::Declined), Some(true)), Fault::Declined);
    assert_eq!(fault(attempt("", Stance::Unreadable), Some(false)), Fault::Misread);
}

#[test]
fn an_unusable_reply_fails_the_question_whatever_was_in_the_prompt() {
    let corpus = corpus(&TENS);
    let answerable = question(vec![vec![member("d", &[(10, 19)])]]);
    let unanswerable = Question { kind: QuestionKind::Unanswerable, ..answerable.clone() };
    for stance in [Stance::Refused, Stance::Truncated, Stance::ToolCall, Stance::Empty] {
        for (asked, packed) in [(&answerable, "d#1"), (&answerable, "e#0"), (&unanswerable, "e#0")]
        {
            let reply = Some(attempt("", stance));
            let found = trace(asked.clone(), &corpus, &[packed], &[packed], reply);
            let outcome = classify(&found, 2, Judgments::default(), &corpus);
            assert_eq!((outcome.class, outcome.fault), (FailureClass::Failed, None), "{stance}");
        }
    }
}

#[test]
fn correct_answers_are_told_apart_by_their_support() {
    let corpus = corpus(&TENS);
    let asked = || question(vec![vec![member("d", &[(10, 19)])]]);
    let answer = || Some(attempt("1992", Stance::Answered));
    let with = trace(asked(), &corpus, &["d#1"], &["d#1"], answer());
    assert_eq!(judged(&with, &corpus, true, None).class, FailureClass::Correct);
    let without = trace(asked(), &corpus, &["e#0"], &["e#0"], answer());
    let outcome = judged(&without, &corpus, true, None);
    assert_eq!(
        (outcome.class, outcome.evidence.lost()),
        (FailureClass::CorrectWithoutEvidence, Some(Stage::Retrieval))
    );
    assert_eq!(outcome.flags, [Flag::AnswerElsewhere], "e#0 holds 1992 and the question's cccc");
}

#[test]
fn unanswerable_questions_stand_outside_the_waterfall() {
    let corpus = corpus(&TENS);
    let mut asked = question(vec![]);
    asked.kind = QuestionKind::Unanswerable;
    asked.answers.clear();
    let class = |answer: Option<Attempt>| {
        let gold = gold::locate(&asked, &corpus, || panic!("no spans"), &|_| None);
        classify(
            &with_gold(asked.clone(), gold, &["d#0"], &["d#0"], answer),
            2,
            Judgments::default(),
            &corpus,
        )
        .class
    };
    assert_eq!(class(Some(attempt("", Stance::Declined))), FailureClass::Declined);
    assert_eq!(class(Some(wrong())), FailureClass::Hallucinated);
    assert_eq!(class(None), FailureClass::Unclear);
}

#[test]
fn a_failed_call_is_no_wrong_answer_and_no_generator_no_loss() {
    let corpus = corpus(&TENS);
    let asked = || question(vec![vec![member("d", &[(10, 19)])]]);
    let failed = Attempt {
        error: Some(TraceError {
            part: FailedPart::Generator,
            kind: ErrorKind::Transient,
            message: "500".to_owned(),
        }),
        ..attempt("", Stance::Unreadable)
    };
    let found = trace(asked(), &corpus, &["d#1"], &["d#1"], Some(failed));
    assert_eq!(classify(&found, 2, Judgments::default(), &corpus).class, FailureClass::Failed);
    let alone = trace(asked(), &corpus, &["d#1"], &["d#1"], None);
    assert_eq!(classify(&alone, 2, Judgments::default(), &corpus).class, FailureClass::Delivered);
    let lost = trace(asked(), &corpus, &["d#0"], &["d#0"], None);
    assert_eq!(classify(&lost, 2, Judgments::default(), &corpus).class, FailureClass::NotRetrieved);
}

#[test]
fn evidence_before_the_part_of_a_prompt_that_the_server_read_is_lost_by_packing() {
    let corpus = corpus(&TENS);
    // Three passages of ten bytes; of 1,000 tokens the server read 799: the last 23 bytes, that is the last two passages.
    let found = |packed: &[&str], billed| {
        let mut answer = attempt("1815", Stance::Answered);
        answer.tokens = TokenUse { prompt: 1000, prompt_billed: Some(billed), completion: 3 };
        let evidence = vec![vec![member("d", &[(10, 19)])]];
        let trace = trace(question(evidence), &corpus, packed, packed, Some(answer));
        let outcome = judged(&trace, &corpus, false, Some(true));
        let correct = judged(&trace, &corpus, true, Some(true)).class;
        assert_eq!(correct, FailureClass::Correct, "the answer shows that it was read");
        (outcome.class, outcome.flags)
    };
    let flag = || vec![Flag::PromptTruncated];
    let first = found(&["d#1", "d#0", "d#2"], 799);
    assert_eq!(first, (FailureClass::NotPacked, flag()));
    let last = found(&["d#0", "d#2", "d#1"], 799);
    assert_eq!(last, (FailureClass::WrongAnswer, flag()));
    let whole = found(&["d#1", "d#0", "d#2"], 800);
    assert_eq!(whole, (FailureClass::WrongAnswer, vec![]));
}

#[test]
fn an_endpoint_with_another_tokenizer_is_held_against_its_own_counts() {
    let corpus = corpus(&TENS);
    let asked = |billed| {
        let mut answer = attempt("1815", Stance::Answered);
        answer.tokens = TokenUse { prompt: 1000, prompt_billed: Some(billed), completion: 3 };
        let evidence = vec![vec![member("d", &[(10, 19)])]];
        trace(question(evidence), &corpus, &["d#1", "d#0"], &["d#1", "d#0"], Some(answer))
    };
    let class = |traces: &[Trace]| {
        let top = TopK::from(2).with_billing_of(traces);
        let judgments = judgments(&[(Condition::Retrieved, false)]);
        classify(&traces[0], top, judgments, &corpus).class
    };
    // o200k_base needs 0.62 of cl100k_base's tokens for Russian. Of 620 tokens a server that counts 490 read 79%.
    let usual = [620, 610, 630, 620, 620].map(asked);
    assert_eq!(class(&usual), FailureClass::WrongAnswer);
    let truncated = [490, 610, 630, 620, 620].map(asked);
    assert_eq!(class(&truncated), FailureClass::NotPacked);
    // Four prompts show no usual number.
    assert_eq!(class(&truncated[..4]), FailureClass::WrongAnswer);
    // A tokenizer that is known decides alone: 620 of 1000 are 62%.
    let top = TopK::from(2).with_billing_of(&usual).with_our_tokenizer();
    let judgments = judgments(&[(Condition::Retrieved, false)]);
    assert_eq!(classify(&usual[0], top, judgments, &corpus).class, FailureClass::NotPacked);
}

#[test]
fn gold_beyond_what_the_encoder_reads_is_flagged() {
    let corpus = corpus(&TENS);
    let asked = question(vec![vec![member("d", &[(15, 19)])]]);
    // Of chunk 1 (10..20) the encoder reads five bytes, 10..15: the gold range 15..19 is beyond.
    let gold =
        gold::locate(&asked, &corpus, || panic!("labelled"), &|number| (number == 1).then_some(5));
    assert!(gold.groups[0][0].encoder_truncated);
    let gold =
        gold::locate(&asked, &corpus, || panic!("labelled"), &|number| (number == 1).then_some(9));
    assert!(!gold.groups[0][0].encoder_truncated);
}
