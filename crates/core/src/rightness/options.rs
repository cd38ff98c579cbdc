//! Questions that name their options: `Who is older, A or B?`.

use super::claim::Claim;
use super::names::{Canon, canonical, occurrences};
use super::parsed::Parsed;
use super::scope::rejected;

/// Returns true if the question offers the gold answer and another option, and the answer names the other one before
/// token `first` without denying it or listing both.
pub(super) fn other_option_first(gold: &Parsed, claim: &Claim<'_>, first: usize) -> bool {
    let Some(other) = other_option(gold, claim.question) else {
        return false;
    };
    let answer = claim.answer;
    let words = canonical(&answer.tokens);
    occurrences(&other, &words).into_iter().any(|(start, end)| {
        let (from, to) = (words[start].token, words[end - 1].token + 1);
        let paired = answer.tokens[to.min(first)..first]
            .iter()
            .all(|t| matches!(t.text.as_str(), "and" | "or" | "," | "the" | "\"" | ":"));
        from < first && !paired && !rejected(answer, from, to)
    })
}

/// Returns the option that the question names next to the gold answer.
/// Returns true if the question offers `name` as an option.
pub(super) fn is_option(name: &[&Canon], question: &Parsed) -> bool {
    let name: Vec<Canon> = name.iter().map(|word| (*word).clone()).collect();
    next_option(&name, question).is_some()
}

fn other_option(gold: &Parsed, question: &Parsed) -> Option<Vec<Canon>> {
    next_option(&canonical(&gold.tokens), question)
}

fn next_option(wanted: &[Canon], question: &Parsed) -> Option<Vec<Canon>> {
    let words = canonical(&question.tokens);
    let link = |at: usize| words.get(at).is_some_and(|word| word.text == "or");
    occurrences(wanted, &words).into_iter().find_map(|(start, end)| {
        let item = if link(end) {
            forward(question, &words[end + 1..])
        } else if start > 1 && link(start - 1) {
            backward(question, &words[..start - 1])
        } else {
            Vec::new()
        };
        (!item.is_empty()).then_some(item)
    })
}

/// Returns the words of the option that begins `words`.
fn forward(question: &Parsed, words: &[Canon]) -> Vec<Canon> {
    let joined = |at: usize| at == 0 || unmarked(question, &words[at - 1], &words[at]);
    let len = (0..words.len().min(4))
        .take_while(|&at| in_item(question, &words[at]) && joined(at))
        .count();
    words[..len].to_vec()
}

/// Returns the words of the option that ends `words`.
fn backward(question: &Parsed, words: &[Canon]) -> Vec<Canon> {
    let last = words.len();
    let joined = |at: usize| at + 1 == last || unmarked(question, &words[at], &words[at + 1]);
    let len = (0..last)
        .rev()
        .take(4)
        .take_while(|&at| in_item(question, &words[at]) && joined(at))
        .count();
    words[last - len..].to_vec()
}

/// Returns true if no punctuation separates two words.
fn unmarked(question: &Parsed, first: &Canon, second: &Canon) -> bool {
    question.tokens[first.token..second.token].iter().all(|token| !token.is_mark() || token.is("-"))
}

fn in_item(question: &Parsed, word: &Canon) -> bool {
    let token = &question.tokens[word.token];
    token.capital() || token.text.starts_with(|c: char| c.is_ascii_digit())
}
