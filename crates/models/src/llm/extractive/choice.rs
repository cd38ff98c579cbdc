//! Questions that name their possible answers: `Which is older, A or B?`.
//!
//! The option of which the better sentence speaks is taken. A comparison of dates or numbers is beyond this reader.

use super::candidates::{Candidate, Looks, candidates};
use super::score::Sentence;
use super::terms::words;
use ragtriage_core::prompt::PromptPassage;

/// The option, as the question has it; `None` where the question has no two names with `or` between them, or no
/// sentence speaks of one alone.
pub(super) fn choose<'a>(
    question: &'a str,
    ranked: &[Sentence<'_>],
    passages: &[PromptPassage],
) -> Option<&'a str> {
    let (left, right) = options(question)?;
    let speaks = |option: &str, sentence: &Sentence<'_>| {
        sentence.text.contains(option) || passages[sentence.passage].title.contains(option)
    };
    let decisive = ranked
        .iter()
        .find(|sentence| speaks(left, sentence) != speaks(right, sentence))?;
    Some(if speaks(left, decisive) { left } else { right })
}

/// The names before and behind the question's last ` or `.
fn options(question: &str) -> Option<(&str, &str)> {
    let or = question.rfind(" or ")?;
    let names: Vec<Candidate> = candidates(question, &words(question))
        .into_iter()
        .filter(|found| matches!(found.looks, Looks::Name | Looks::Opening | Looks::Code))
        .collect();
    let left = names
        .iter()
        .rfind(|name| name.range.end <= or && !question[name.range.end..or].contains(' '))?;
    let right = names
        .iter()
        .find(|name| name.range.start >= or + " or ".len())?;
    Some((
        &question[left.range.clone()],
        &question[right.range.clone()],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_options_are_the_names_around_or() {
        assert_eq!(
            options("Which dog, the Manchester Terrier or the Scotch Collie?"),
            Some(("Manchester Terrier", "Scotch Collie"))
        );
        assert_eq!(options("Is it `eu-1` or `eu-2`?"), Some(("eu-1", "eu-2")));
        assert_eq!(options("Is it red or Blue?"), None);
        assert_eq!(options("Who?"), None);
    }
}
