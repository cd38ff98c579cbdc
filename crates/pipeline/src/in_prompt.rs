//! Finds the contexts of an external RAG in its recorded prompt.
//!
//! A context is in the prompt if its text occurs there on word boundaries, with all runs of white space treated as equal,
//! with or without its title line. A context that the prompt truncates is in it up to there: its beginning must have at
//! least [`LEAST_CHARS`] characters or half of the context, and [`LEAST_WORDS`] words. What lies inside another context's text is neither:
//! a heading may be a chunk and the beginning of the next one, neighbouring chunks overlap, and documents share their first lines.

use std::cmp::Reverse;

use ragtriage_core::text::{answers, quote};
use ragtriage_core::types::ByteRange;

use super::contexts::Located;

/// Minimum length, in characters, of the beginning of a long context that counts as the context truncated.
const LEAST_CHARS: usize = 200;

/// Minimum length, in words, of the beginning of a context that counts as the context truncated.
const LEAST_WORDS: usize = 5;

/// A context that its prompt contains.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InPrompt<'c> {
    /// Position among the contexts.
    pub context: usize,
    /// The part of its text that the prompt contains; `None`: all of it.
    pub cut: Option<&'c str>,
    /// Range in the prompt with single spaces.
    range: ByteRange,
}

/// Returns the contexts that `prompt` contains, in its order.
pub(super) fn find<'c>(prompt: &str, contexts: &'c [Located<'_>]) -> Vec<InPrompt<'c>> {
    let prompt = quote::one_spaced(prompt);
    let mut found: Vec<InPrompt<'c>> = Vec::new();
    let mut whole: Vec<(usize, Vec<String>)> = contexts
        .iter()
        .map(|one| forms(one).map(quote::one_spaced).collect())
        .enumerate()
        .collect();
    // The longest first, so that a shorter one inside it is recognised as such.
    whole.sort_by_key(|(_, forms)| Reverse(forms.iter().map(String::len).max()));
    for (context, forms) in whole {
        let is_its_own = |range: &ByteRange| {
            let mut longer = found.iter().filter(|other| other.range.len() > range.len());
            !longer.any(|other| other.range.contains(*range))
        };
        let mut ranges = forms.iter().flat_map(|form| answers::occurrences(form, &prompt));
        if let Some(range) = ranges.find(is_its_own) {
            found.push(InPrompt { context, cut: None, range });
        }
    }
    let mut cut: Vec<InPrompt<'c>> = contexts
        .iter()
        .enumerate()
        .filter(|(at, _)| found.iter().all(|whole| whole.context != *at))
        .filter_map(|(at, context)| beginning(&prompt, at, context))
        .collect();
    cut.sort_by_key(|part| (Reverse(part.range.len()), part.context));
    for part in cut {
        if !found.iter().any(|other| other.range.contains(part.range)) {
            found.push(part);
        }
    }
    found.sort_by_key(|held| (held.range.start, held.context));
    found
}

/// Returns the texts by which a context may be in a prompt: as recorded, and as its passages hold it, without the title.
fn forms<'c>((context, passages): &'c Located<'_>) -> impl Iterator<Item = &'c str> {
    let texts = passages.iter().map(|passage| passage.text.as_str());
    context.text.as_deref().into_iter().chain(texts)
}

fn beginning<'c>(prompt: &str, context: usize, placed: &'c Located<'_>) -> Option<InPrompt<'c>> {
    forms(placed).find_map(|form| {
        let part = quote::beginning(prompt, form);
        let spaced = quote::one_spaced(part);
        let n_chars = spaced.chars().count();
        let is_long =
            n_chars >= LEAST_CHARS || 2 * n_chars >= quote::one_spaced(form).chars().count();
        if !is_long || spaced.split(' ').count() < LEAST_WORDS {
            return None;
        }
        let start = prompt.find(&spaced)?;
        Some(InPrompt {
            context,
            cut: Some(part),
            range: ByteRange::new(start, start + spaced.len()),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::types::Passage;
    use ragtriage_data::run::external::recorded::RecordedHit;

    fn context(text: &str) -> RecordedHit {
        RecordedHit { text: Some(text.to_owned()), ..RecordedHit::default() }
    }

    /// Returns number and length of what is found, `None` for all of it.
    fn found(prompt: &str, contexts: &[&str]) -> Vec<(usize, Option<usize>)> {
        let contexts: Vec<RecordedHit> = contexts.iter().map(|text| context(text)).collect();
        let placed: Vec<Located<'_>> = contexts.iter().map(|one| (one, Vec::new())).collect();
        find(prompt, &placed)
            .into_iter()
            .map(|held| (held.context, held.cut.map(str::len)))
            .collect()
    }

    #[test]
    fn contexts_are_found_in_the_order_of_the_prompt() {
        let prompt = "First:\n the   port is\n8080\n\nSecond: a node\thas disks";
        let contexts = ["a node has disks", "no such text", "the port is 8080"];
        assert_eq!(found(prompt, &contexts), [(2, None), (0, None)]);
        // A heading that is also the beginning of the next chunk counts only if it occurs once more.
        let section = "## Ports\nthe port is 8080";
        assert_eq!(found(section, &["## Ports", section]), [(1, None)]);
        let both = format!("## Ports\n{section}");
        assert_eq!(found(&both, &["## Ports", section]), [(0, None), (1, None)]);
        // A context ends where a word ends.
        assert_eq!(found("the port is 80801", &["the port is 8080"]), []);
        assert_eq!(found(prompt, &[]), []);
    }

    #[test]
    fn a_beginning_needs_its_length_and_a_place_that_no_other_context_has() {
        let text = "one two three four five six seven eight";
        // 23 of 39 characters, five words; then 18 of 39.
        assert_eq!(found("see: one two three four five ...", &[text]), [(0, Some(23))]);
        assert_eq!(found("see: one two three four ...", &[text]), []);
        // 200 characters are enough of any text: 50 words of 3 characters and a space each, without the last space.
        let long = "abc ".repeat(60);
        let (enough, short) = ("abc ".repeat(51), "abc ".repeat(50));
        let whole = format!("{long}{}", "and more ".repeat(100));
        assert_eq!(found(&format!("{enough}|"), &[&whole]), [(0, Some(203))]);
        assert_eq!(found(&format!("{short}|"), &[&whole]), []);
        // The second chunk begins with the end of the first, which is in the prompt.
        let overlapping = "four five six seven eight nine ten";
        assert_eq!(found(text, &[text, overlapping]), [(0, None)]);
    }

    #[test]
    fn a_title_line_may_be_missing_from_the_prompt() {
        let titled = context("Ports\nthe port is 8080");
        let passage = Passage {
            id: "d#0-16".into(),
            doc: "d".into(),
            title: "Ports".to_owned(),
            range: ByteRange::new(0, 16),
            tokens: None,
            text: "the port is 8080".to_owned(),
        };
        let placed = [(&titled, vec![passage])];
        assert_eq!(find("[1] the port is 8080", &placed)[0].context, 0);
        assert_eq!(find("[1] Ports\nthe port is 8080", &placed).len(), 1);
    }
}
