//! Questions that name their options: `Who is older, A or B?`.

use super::names::{Canon, canonical, occurrences};
use super::offer::Bench;
use super::reading::Reading;
use super::scope::rejected;

/// Returns true if the question offers the gold answer and another option, and the answer names the other one before
/// token `first` without denying it or listing both.
pub(super) fn other_option_first(gold: &Reading, bench: &Bench<'_>, first: usize) -> bool {
    let Some(other) = other_option(gold, bench.question) else {
        return false;
    };
    let answer = bench.answer;
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
fn other_option(gold: &Reading, question: &Reading) -> Option<Vec<Canon>> {
    let words = canonical(&question.tokens);
    let wanted = canonical(&gold.tokens);
    let link = |at: usize| words.get(at).is_some_and(|word| word.text == "or");
    occurrences(&wanted, &words)
        .into_iter()
        .find_map(|(start, end)| {
            if link(end) {
                let item = words[end + 1..]
                    .iter()
                    .take_while(|word| in_item(question, word))
                    .take(4);
                return some(item.cloned().collect());
            }
            if start > 1 && link(start - 1) {
                let item = words[..start - 1]
                    .iter()
                    .rev()
                    .take_while(|word| in_item(question, word))
                    .take(4);
                let mut item: Vec<Canon> = item.cloned().collect();
                item.reverse();
                return some(item);
            }
            None
        })
}

fn some(item: Vec<Canon>) -> Option<Vec<Canon>> {
    (!item.is_empty()).then_some(item)
}

fn in_item(question: &Reading, word: &Canon) -> bool {
    let token = &question.tokens[word.token];
    token.capital || token.text.starts_with(|c: char| c.is_ascii_digit())
}
