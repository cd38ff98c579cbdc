//! Answer scores, exactly as in the official scripts.
//!
//! `squad`: `evaluate-v1.1.py`; `squad2`: `evaluate-v2.0.py`; `hotpotqa`: `hotpot_evaluate_v1.py`; `mlqa`:
//! `mlqa_evaluation_v1.py`. Token F1 counts multisets of white-space tokens after [`normalise::official`], or
//! [`normalise::mlqa`]; the best gold answer counts. The scripts differ where an answer or gold answer normalises to nothing
//! (1.1 and MLQA: F1 0 even when both do; 2.0: 1 when both do, else 0) and in yes/no/noanswer (HotpotQA: all zero when either is
//! one of these and the two differ).

use std::collections::{HashMap, HashSet};

use crate::closed_set::closed_set;
use crate::correctness::Correctness;
use crate::language::Language;
use crate::text::answers::AnswerMatcher;
use crate::text::normalise;
use crate::types::KeyFact;

closed_set! {
    /// The official script whose rules score answers.
    #[derive(Default)]
    Scorer {
        /// `evaluate-v1.1.py` of SQuAD 1.1.
        Squad = "squad",
        /// `evaluate-v2.0.py` of SQuAD 2.0.
        #[default]
        Squad2 = "squad2",
        /// `hotpot_evaluate_v1.py` of `HotpotQA`.
        Hotpotqa = "hotpotqa",
        /// `mlqa_evaluation_v1.py` of MLQA, by the language of the data set.
        Mlqa = "mlqa",
    }
}

impl Scorer {
    /// Returns the file name of the official script.
    #[must_use]
    pub fn script(self) -> &'static str {
        match self {
            Self::Squad => "evaluate-v1.1.py",
            Self::Squad2 => "evaluate-v2.0.py",
            Self::Hotpotqa => "hotpot_evaluate_v1.py",
            Self::Mlqa => "mlqa_evaluation_v1.py",
        }
    }
}

/// One answer's scores, each in 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnswerScores {
    /// 1 when the normalised answer equals a gold answer.
    pub em: f64,
    /// Token F1 against the best gold answer.
    pub f1: f64,
    /// Token precision against the gold answer of the best F1.
    pub precision: f64,
    /// Token recall against the gold answer of the best F1.
    pub recall: f64,
}

/// Scores `answer` against its gold answers, by the rules of `language` under `mlqa`; all zero without any.
#[must_use]
pub fn score(answer: &str, golds: &[String], scorer: Scorer, language: &Language) -> AnswerScores {
    let form = |text: &str| match scorer {
        Scorer::Mlqa => normalise::mlqa(text, language),
        Scorer::Squad | Scorer::Squad2 | Scorer::Hotpotqa => normalise::official(text),
    };
    let mut best = AnswerScores::default();
    let answer = form(answer);
    for gold in golds {
        let gold = form(gold);
        let em = f64::from(u8::from(answer == gold));
        let overlap = token_overlap(&answer, &gold, scorer);
        best.em = best.em.max(em);
        if overlap.f1 > best.f1 {
            best = AnswerScores { em: best.em, ..overlap };
        }
    }
    best
}

fn token_overlap(answer: &str, gold: &str, scorer: Scorer) -> AnswerScores {
    if scorer == Scorer::Hotpotqa && answer != gold && (is_closed(answer) || is_closed(gold)) {
        return AnswerScores::default();
    }
    if scorer == Scorer::Squad2 && (answer.is_empty() || gold.is_empty()) {
        let same = f64::from(u8::from(answer == gold));
        return AnswerScores { em: 0.0, f1: same, precision: same, recall: same };
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for token in tokens(gold) {
        *counts.entry(token).or_default() += 1;
    }
    let mut shared = 0;
    for token in answer.split(' ') {
        if let Some(left) = counts.get_mut(token).filter(|left| **left > 0) {
            *left -= 1;
            shared += 1;
        }
    }
    if shared == 0 {
        return AnswerScores::default();
    }
    let precision = f64::from(shared) / tokens(answer).count() as f64;
    let recall = f64::from(shared) / tokens(gold).count() as f64;
    AnswerScores { em: 0.0, f1: 2.0 * precision * recall / (precision + recall), precision, recall }
}

fn is_closed(text: &str) -> bool {
    matches!(text, "yes" | "no" | "noanswer")
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(' ').filter(|token| !token.is_empty())
}

/// `AnswerContains`: returns whether `answer` contains a gold answer, normalised as for `EM@k`, on word boundaries.
/// `None` without gold answers.
#[must_use]
pub fn contains(answer: &str, golds: &[String]) -> Option<bool> {
    (!golds.is_empty()).then(|| AnswerMatcher::new(golds).found_in_text(answer))
}

/// Returns the score of an answer in units of correct answers: 1, 0.5 where the rule is unsure, 0.
#[must_use]
pub fn correct(correctness: Correctness) -> f64 {
    match correctness {
        Correctness::Correct => 1.0,
        Correctness::Unsure => 0.5,
        Correctness::Wrong => 0.0,
    }
}

/// `Groundedness`: returns K-Precision (Adlakha et al., TACL 2024): the share of the answer's tokens that occur in the passages. `None`
/// for an answer without tokens.
#[must_use]
pub fn groundedness(answer: &str, passages: &[&str]) -> Option<f64> {
    let answer = normalise::official(answer);
    let tokens: Vec<&str> = tokens(&answer).collect();
    // Passages are read as far as a token is missing: most answers are in the first ones.
    let mut missing: HashSet<&str> = tokens.iter().copied().collect();
    for passage in passages {
        if missing.is_empty() {
            break;
        }
        for token in normalise::official(passage).split(' ') {
            missing.remove(token);
        }
    }
    let found = tokens.iter().filter(|token| !missing.contains(**token));
    (!tokens.is_empty()).then(|| found.count() as f64 / tokens.len() as f64)
}

/// `FactRecall`, `ForbiddenFacts`: returns the share of `facts` that `answer` states; a fact is stated when the answer
/// contains any of its wordings. `None` without facts.
#[must_use]
pub fn stated(answer: &str, facts: &[KeyFact]) -> Option<f64> {
    let n_stated = facts.iter().filter(|fact| states(answer, fact)).count();
    (!facts.is_empty()).then(|| n_stated as f64 / facts.len() as f64)
}

fn states(answer: &str, fact: &KeyFact) -> bool {
    AnswerMatcher::new(fact).found_in_text(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(answer: &str, gold: &str, scorer: Scorer) -> AnswerScores {
        score(answer, &[gold.to_owned()], scorer, Language::english())
    }

    fn one_of(answer: &str, golds: &[String]) -> AnswerScores {
        score(answer, golds, Scorer::Squad2, Language::english())
    }

    #[test]
    fn mlqa_scores_are_those_of_the_official_script_in_its_seven_languages() {
        let expected = include_str!("../../../../tests/data/mlqa/expected.jsonl");
        for line in expected.lines() {
            let (code, answer, golds, em, f1): (String, String, Vec<String>, f64, f64) =
                serde_json::from_str(line).expect("as the script writes it");
            let scores = score(&answer, &golds, Scorer::Mlqa, Language::of(&code));
            assert!(scores.em == em && (scores.f1 - f1).abs() < 1e-12, "{line}: {scores:?}");
        }
    }

    #[test]
    fn scripts_without_spaces_are_scored_by_character_in_further_languages() {
        let of = |code, answer: &str, gold: &str| {
            score(answer, &[gold.to_owned()], Scorer::Mlqa, Language::of(code))
        };
        // 2 of 3 characters are shared with a gold answer of 2: P 2/3, R 1, F1 .8.
        assert!((of("ja", "東京都", "東京").f1 - 0.8).abs() < 1e-12);
        assert_eq!(of("fr", "La Tour Eiffel !", "tour Eiffel").em, 1.0);
    }

    #[test]
    fn f1_counts_multisets_of_tokens() {
        // "to be to" against "to be or not to be": shared to, be, to = 3; P 3/3, R 3/6, F1 2*1*.5/1.5 = 2/3.
        let scores = one("to be to", "to be or not to be", Scorer::Squad);
        assert_eq!((scores.precision, scores.recall), (1.0, 0.5));
        assert!((scores.f1 - 2.0 / 3.0).abs() < 1e-12);
        // "cat cat" against "cat": one shared, P 1/2, R 1.
        assert_eq!(one("cat cat", "cat", Scorer::Squad).precision, 0.5);
    }

    #[test]
    fn empty_against_empty_is_zero_in_1_1_and_one_in_2_0() {
        assert_eq!(
            (one("", "the", Scorer::Squad).em, one("", "the", Scorer::Squad).f1),
            (1.0, 0.0)
        );
        assert_eq!(
            (one("", "the", Scorer::Squad2).em, one("", "the", Scorer::Squad2).f1),
            (1.0, 1.0)
        );
        assert_eq!(one("", "cat", Scorer::Squad2).f1, 0.0);
    }

    #[test]
    fn hotpotqa_zeroes_a_yes_that_should_not_be_one() {
        assert_eq!(one("yes it is", "yes", Scorer::Hotpotqa).f1, 0.0);
        assert_eq!(one("Yes.", "yes", Scorer::Hotpotqa).f1, 1.0);
        // SQuAD's script: one of three tokens, F1 2 * 1/3 * 1 / (4/3) = .5.
        assert!((one("yes it is", "yes", Scorer::Squad).f1 - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_best_alias_counts_and_nothing_gold_scores_zero() {
        let golds = ["the 1992 Olympics".to_owned(), "1992".to_owned()];
        assert_eq!(one_of("1992", &golds).em, 1.0);
        assert_eq!(one_of("1992", &[]), AnswerScores::default());
    }

    #[test]
    fn an_answer_that_chats_contains_its_gold_on_word_boundaries() {
        let gold = ["18 May".to_owned()];
        assert_eq!(contains("It was on the 18. May, I think.", &gold), Some(true));
        assert_eq!(contains("It was on 118 May.", &gold), Some(false));
        assert_eq!(contains("18 May", &[]), None);
    }

    #[test]
    fn facts_are_counted_by_any_of_their_wordings() {
        let facts =
            [vec!["drain".to_owned(), "cordon".to_owned()], vec!["page the owner".to_owned()]];
        assert_eq!(stated("Cordon the node.", &facts), Some(0.5));
        assert_eq!(stated("", &facts), Some(0.0));
        assert_eq!(stated("Cordon the node.", &[]), None);
    }
}
