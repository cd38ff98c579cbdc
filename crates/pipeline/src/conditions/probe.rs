//! Contexts with a made-up answer, which show whether a service reads what it is sent.
//!
//! The gold answer in the gold passages is replaced by words or a number made from the question's id ("entity substitution",
//! Longpre et al., "Entity-Based Knowledge Conflicts in Question Answering", EMNLP 2021). A service that does not read them
//! cannot repeat it, whatever it retrieves or knows.

use sha2::{Digest, Sha256};

use ragtriage_core::prompt::PromptPassage;
use ragtriage_core::types::{Question, QuestionKind};

const SYLLABLES: [&str; 16] = [
    "bra", "cor", "del", "fim", "gul", "hest", "jor", "kav", "lum", "mer", "nol", "pre", "quil",
    "ros", "tev", "zam",
];
/// Minimum length of an answer that is replaced: a shorter one occurs in other words.
const LEAST_BYTES: usize = 3;

/// Returns true if the gold passages may hold an answer that can be replaced.
pub(super) fn is_suitable(question: &Question) -> bool {
    !question.evidence.is_empty()
        && matches!(question.kind, QuestionKind::Span | QuestionKind::Free)
        && replaceable(question).next().is_some()
}

fn replaceable(question: &Question) -> impl Iterator<Item = String> {
    let marks = question.marks().into_iter();
    marks.filter(|mark| mark.trim().len() >= LEAST_BYTES)
}

/// Returns the planted word or number, and the passages with it in place of every gold answer; `None` if they hold none.
pub(super) fn planted(
    question: &Question,
    mut passages: Vec<PromptPassage>,
    seed: u64,
) -> Option<(String, Vec<PromptPassage>)> {
    let mut answers: Vec<String> = replaceable(question).collect();
    answers.sort_by_key(|answer| std::cmp::Reverse(answer.len()));
    let digest = Sha256::digest(format!("{seed} {}", question.id));
    let number = u64::from_be_bytes(digest[..8].try_into().expect("8 bytes"));
    let mut is_numeric = None;
    for passage in &mut passages {
        for answer in &answers {
            // One kind for all, so that there is one thing to repeat.
            let numeric =
                is_numeric.unwrap_or_else(|| answer.contains(|c: char| c.is_ascii_digit()));
            let made_up = in_place_of(answer, number, numeric);
            let text = replaced(&passage.text, answer, &made_up);
            if let Some(text) = text {
                passage.text = text;
                passage.title =
                    replaced(&passage.title, answer, &made_up).unwrap_or(passage.title.clone());
                is_numeric = Some(numeric);
            }
        }
    }
    let key = if is_numeric? { figure(number) } else { word(number) };
    Some((key, passages))
}

/// Returns a number of five digits.
fn figure(number: u64) -> String {
    (10_007 + number % 89_989).to_string()
}

/// Returns a word of three syllables.
fn word(number: u64) -> String {
    let syllable = |at: u32| SYLLABLES[(number >> (4 * at)) as usize % SYLLABLES.len()];
    let word = [0, 1, 2].map(syllable).concat();
    word[..1].to_uppercase() + &word[1..]
}

/// Returns a made-up answer: the first number of a numeric one replaced, else two words.
fn in_place_of(answer: &str, number: u64, numeric: bool) -> String {
    if !numeric {
        return format!("{} {}", word(number), word(number >> 12));
    }
    let is_figure = |c: char| c.is_ascii_digit() || matches!(c, ',' | '.');
    let start = answer.find(|c: char| c.is_ascii_digit());
    let Some(start) = start else {
        return figure(number);
    };
    let length = answer[start..].find(|c| !is_figure(c));
    let end = length.map_or(answer.len(), |length| start + length);
    format!("{}{}{}", &answer[..start], figure(number), &answer[end..])
}

/// Replaces every occurrence of `old` in `text`, without regard to the case of ASCII letters; `None` if there is none.
fn replaced(text: &str, old: &str, new: &str) -> Option<String> {
    let (lower, old) = (text.to_ascii_lowercase(), old.trim().to_ascii_lowercase());
    let mut found = lower.match_indices(&old).peekable();
    found.peek()?;
    let (mut whole, mut from) = (String::with_capacity(text.len()), 0);
    for (at, old) in found {
        whole.push_str(&text[from..at]);
        whole.push_str(new);
        from = at + old.len();
    }
    whole.push_str(&text[from..]);
    Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(answers: &[&str]) -> Question {
        Question {
            kind: QuestionKind::Span,
            answers: answers.iter().map(|answer| (*answer).to_owned()).collect(),
            evidence: vec![vec![]],
            ..Question::new("q".into(), "Who?".to_owned())
        }
    }

    fn passages(text: &str) -> Vec<PromptPassage> {
        vec![PromptPassage { title: String::new(), text: text.to_owned() }]
    }

    #[test]
    fn every_answer_is_replaced_by_the_same_made_up_words() {
        let question = question(&["Ada", "Ada Byron"]);
        let (word, made) =
            planted(&question, passages("ADA BYRON met Ada."), 0).expect("an answer");
        assert_eq!(made[0].text.matches(&word).count(), 2, "{}", made[0].text);
        assert!(!made[0].text.to_lowercase().contains("ada "), "{}", made[0].text);
        assert!(made[0].text.ends_with('.') && made[0].text.contains(" met "));
        let again = planted(&question, passages("ADA BYRON met Ada."), 0);
        assert_eq!(again, Some((word.clone(), made)));
        let other = planted(&question, passages("Ada"), 1).expect("an answer");
        assert_ne!(other.0, word, "another seed, another word");
    }

    #[test]
    fn a_number_stays_a_number_and_its_unit_stays() {
        let (number, made) =
            planted(&question(&["1,200 minutes"]), passages("It takes 1,200 minutes."), 0)
                .expect("an answer");
        assert_eq!(made[0].text, format!("It takes {number} minutes."));
        assert_eq!(number.len(), 5);
    }

    #[test]
    fn what_has_no_answer_to_replace_is_not_tested() {
        assert_eq!(planted(&question(&["Ada"]), passages("Nothing here."), 0), None);
        assert!(!is_suitable(&question(&["6"])), "it occurs in other numbers");
        assert!(is_suitable(&question(&["six"])));
        let yes = Question { kind: QuestionKind::YesNo, ..question(&["yes"]) };
        assert!(!is_suitable(&yes));
    }
}
