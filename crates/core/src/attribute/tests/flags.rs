//! Flags and failure modes.

use super::super::classify::classify;
use super::super::judge::Judgments;
use super::super::modes::{self, Signs};
use super::{TENS, attempt, corpus, judged, judgments, member, question, shown, trace, wrong};
use crate::types::{
    Arm, ArmName, Attempt, ChunkId, Corpus, ExactSearch, Flag, Mode, Passage, PassageMap, Question,
    QuestionKind, Stance, Step,
};

/// Returns the flags of a question whose gold evidence was in its prompt, by its arms' answers and prompts.
fn flags_of(arms: &[(ArmName, &str, &[&str])], right: Judgments) -> Vec<Flag> {
    let corpus = corpus(&TENS);
    let mut found = trace(
        question(vec![vec![member("d", &[(10, 19)])]]),
        &corpus,
        &["d#1", "d#0"],
        &["d#1"],
        None,
    );
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
fn a_label_is_suspect_where_the_oracles_answer_and_the_gold_answer_contain_one_another() {
    let wrong = judgments(&[(ArmName::Retrieved, false), (ArmName::Oracle, false)]);
    let oracle = |answer| {
        let arms =
            [(ArmName::Retrieved, "1815", &["d#1"][..]), (ArmName::Oracle, answer, &["d#1"][..])];
        flags_of(&arms, wrong.clone())
    };
    assert_eq!(oracle("May 1992"), [Flag::LabelSuspect], "the gold is 1992");
    assert_eq!(oracle("1816"), []);
}

/// Flags of a question with that gold answer, all of whose arms are judged wrong. The oracle's passage is the third chunk
/// of `d`, `dddd eeee.`; the retrieved one is `e`.
fn suspected(gold_answer: &str, retrieved: &str, oracle: &str, closed_book: &str) -> Vec<Flag> {
    let corpus = corpus(&TENS);
    let asked = Question {
        answers: vec![gold_answer.to_owned()],
        ..question(vec![vec![member("d", &[(20, 29)])]])
    };
    let mut found = trace(asked, &corpus, &["d#2"], &["d#2"], None);
    let arm = |arm, answer: &str, passages: &[&str]| Arm {
        arm,
        attempts: vec![Attempt {
            passages: passages.iter().map(|id| ChunkId::from(*id)).collect(),
            ..attempt(answer, Stance::Answered)
        }],
    };
    found.arms = vec![
        arm(ArmName::Retrieved, retrieved, &["e#0"]),
        arm(ArmName::Oracle, oracle, &["d#2"]),
        arm(ArmName::ClosedBook, closed_book, &[]),
    ];
    let wrong = judgments(&[(ArmName::Retrieved, false), (ArmName::Oracle, false)]);
    classify(&found, 2, wrong, &corpus).flags
}

#[test]
fn arms_that_agree_make_a_label_suspect_only_where_the_gold_passages_speak_for_them() {
    // The label says 1815; the gold passage says `eeee` and nothing of 1815.
    assert_eq!(
        suspected("1815", "eeee", "The Eeee!", "eeee"),
        [Flag::LabelSuspect],
        "the same answer, as scripts compare answers"
    );
    assert_eq!(suspected("1815", "eeee", "eeee", "1816"), [], "one of three arms disagrees");
    assert_eq!(suspected("1815", "1816", "1816", "1816"), [], "one mistake repeated");
    assert_eq!(
        suspected("dddd", "eeee", "eeee", "eeee"),
        [],
        "the gold passage holds the gold answer: the reader may repeat one mistake"
    );
}

#[test]
fn right_without_context_and_wrong_with_it_is_misled() {
    let arms = [(ArmName::Retrieved, "1815", &["d#1"][..]), (ArmName::ClosedBook, "1992", &[][..])];
    let right = |retrieved, closed_book| {
        judgments(&[(ArmName::Retrieved, retrieved), (ArmName::ClosedBook, closed_book)])
    };
    assert_eq!(flags_of(&arms, right(false, true)), [Flag::Misled]);
    assert_eq!(flags_of(&arms, right(true, true)), []);
    assert_eq!(flags_of(&arms, right(false, false)), []);
}

#[test]
fn what_exact_search_would_have_found_is_an_ann_miss() {
    let corpus = corpus(&TENS);
    let flags = |ranked: &[&str], exact: &str| {
        let mut found =
            trace(question(vec![vec![member("d", &[(10, 19)])]]), &corpus, ranked, &["d#0"], None);
        found.steps[0].exact_search = Some(ExactSearch { hits: vec![exact.into()], seconds: 0.0 });
        judged(&found, &corpus, false, None).flags
    };
    assert_eq!(flags(&["d#0"], "d#1"), [Flag::AnnMiss]);
    assert_eq!(flags(&["d#0"], "d#2"), []);
    assert_eq!(flags(&["d#0", "d#1"], "d#1"), [], "the graph found it as well");
}

#[test]
fn an_answer_elsewhere_wants_a_content_term_that_is_not_the_answers_own() {
    let corpus = corpus(&TENS);
    let flags = |text: &str| {
        let asked =
            Question { text: text.to_owned(), ..question(vec![vec![member("d", &[(0, 4)])]]) };
        judged(&trace(asked, &corpus, &["e#0"], &["e#0"], Some(wrong())), &corpus, false, None)
            .flags
    };
    // e#0 is `in 1992, cccc`.
    assert_eq!(flags("When did cccc end?"), [Flag::AnswerElsewhere]);
    assert_eq!(flags("When did dddd end?"), [], "no term in common");
    assert_eq!(flags("Was it 1992 or 1815?"), [], "only the answer itself");
}

/// Signs of a question with these evidence members, one per group.
fn seen(
    corpus: &Corpus,
    evidence: &[(&str, (usize, usize))],
    ranked: &[&str],
    packed: &[&str],
    k: usize,
) -> Signs {
    let groups = evidence.iter().map(|(doc, range)| vec![member(doc, &[*range])]).collect();
    let found = trace(question(groups), corpus, ranked, packed, Some(wrong()));
    let outcome = classify(&found, k, judgments(&[(ArmName::Retrieved, false)]), corpus);
    modes::signs(&found, &outcome, k, true, corpus)
}

#[test]
fn a_gold_passage_shares_a_content_term_with_the_question_or_not() {
    let corpus = corpus(&TENS);
    let shows = |evidence: &[(&str, (usize, usize))]| {
        seen(&corpus, evidence, &["d#2"], &["d#2"], 2).shows(Mode::NoSharedTerm)
    };
    // The question is `When cccc?`; of `d`, chunk 1 is `cccc 1992 `, chunk 0 `aaaa bbbb `.
    assert_eq!(shows(&[("d", (15, 19))]), Some(false));
    assert_eq!(shows(&[("d", (0, 4))]), Some(true));
    assert_eq!(
        shows(&[("d", (15, 19)), ("d", (0, 4))]),
        Some(true),
        "of one group nothing is shared"
    );
    assert_eq!(shows(&[("gone", (0, 4))]), None, "no passage to look at");
}

#[test]
fn a_title_counts_where_it_is_indexed() {
    let corpus = corpus(&TENS);
    let found = trace(
        question(vec![vec![member("d", &[(0, 4)])]]),
        &corpus,
        &["d#0"],
        &["d#0"],
        Some(wrong()),
    );
    let titled = Passage { title: "The cccc".to_owned(), ..shown("d", (0, 10)) };
    let passages = PassageMap::from([(ChunkId::from("d#0"), titled)]);
    let outcome = classify(&found, 2, Judgments::default(), &passages);
    let shows =
        |titled| modes::signs(&found, &outcome, 2, titled, &passages).shows(Mode::NoSharedTerm);
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
    assert_eq!(
        crowd(("d", (26, 30)), &["d#0", "d#1", "e#0", "d#2"]),
        (Some(true), false),
        "the third that differs"
    );
    assert_eq!(
        crowd(("d", (26, 30)), &["d#0", "e#0", "d#2"]),
        (Some(false), false),
        "lost, but not crowded"
    );
    assert_eq!(crowd(("d", (0, 4)), &["d#0", "d#1"]), (Some(true), false), "crowded, but not lost");
    let one = seen(&corpus, &[("d", (0, 4))], &["d#0"], &["d#0"], 2);
    assert_eq!(one.shows(Mode::NearDuplicates), None, "one passage crowds nothing");
}

#[test]
fn gold_is_late_where_support_is_whole_in_the_later_half() {
    let corpus = corpus(&TENS);
    let late = |evidence: &[(&str, (usize, usize))], packed: &[&str]| {
        let signs = seen(&corpus, evidence, packed, packed, 5);
        signs.shows(Mode::GoldLate)
    };
    let four = ["d#0", "d#1", "d#2", "e#0"];
    assert_eq!(late(&[("d", (10, 19))], &four), Some(false));
    assert_eq!(late(&[("d", (20, 24))], &four), Some(true));
    assert_eq!(late(&[("d", (0, 4)), ("e", (0, 7))], &four), Some(true), "the last needed passage");
    assert_eq!(late(&[("d", (20, 24))], &four[..3]), None, "three have no later half");
    assert_eq!(late(&[("gone", (0, 4))], &four), None);
}

#[test]
fn what_cannot_be_said_of_a_question_is_in_no_share() {
    let corpus = corpus(&TENS);
    let shows = |mode| seen(&corpus, &[("d", (0, 4))], &["e#0"], &["e#0"], 2).shows(mode);
    assert_eq!(shows(Mode::AnswerElsewhere), Some(true), "e#0 holds 1992 and cccc");
    assert_eq!(shows(Mode::EncoderTruncated), None, "no encoder took part");
    let asked =
        Question { kind: QuestionKind::YesNo, ..question(vec![vec![member("d", &[(0, 4)])]]) };
    let mut found = trace(asked, &corpus, &["e#0"], &["e#0"], Some(wrong()));
    found.steps[0].step = Step::Dense;
    let outcome = judged(&found, &corpus, false, None);
    let signs = modes::signs(&found, &outcome, 2, true, &corpus);
    assert_eq!(
        (signs.shows(Mode::AnswerElsewhere), signs.shows(Mode::EncoderTruncated)),
        (None, Some(false))
    );
}
