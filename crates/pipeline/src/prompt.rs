//! Prompt packing: selects the passages that fit the prompt, and builds it.

use super::plan::PromptPlan;

pub(crate) use ragtriage_core::prompt::n_tokens;
use ragtriage_core::prompt::{Prompt, PromptPassage, passage_text};
use ragtriage_core::types::{ChunkId, Corpus, Question};

/// Packs whole chunks in rank order, and stops at the first that does not fit the budget.
///
/// The budget counts each passage as the prompt shows it, number and title included. A chunk that alone exceeds the
/// budget leaves the prompt empty.
#[must_use]
pub fn pack<'a>(
    chunks: impl IntoIterator<Item = &'a ChunkId>,
    corpus: &Corpus,
    plan: &PromptPlan,
    titles: bool,
) -> Vec<ChunkId> {
    let mut packed = Vec::new();
    let mut left = plan.context_tokens;
    for id in chunks {
        let Some(passage) = passage(id, corpus, titles) else {
            break;
        };
        let shown = passage_text(packed.len() + 1, &passage.title, &passage.text);
        let needed = plan.counter.count(&shown);
        if needed > left {
            break;
        }
        left -= needed;
        packed.push(id.clone());
    }
    packed
}

/// Builds the prompt of `question` over `chunks`, in that order.
#[must_use]
pub fn prompt(
    question: &Question,
    chunks: &[ChunkId],
    corpus: &Corpus,
    plan: &PromptPlan,
    titles: bool,
) -> Prompt {
    let passages = chunks.iter().filter_map(|id| passage(id, corpus, titles)).collect();
    plan.template.prompt(question, passages)
}

/// Returns the number of tokens that a chunk takes of the budget, shown as the first passage.
#[must_use]
pub fn tokens_of(id: &ChunkId, corpus: &Corpus, plan: &PromptPlan, titles: bool) -> usize {
    let passage = passage(id, corpus, titles);
    passage.map_or(0, |passage| plan.counter.count(&passage_text(1, &passage.title, &passage.text)))
}

fn passage(id: &ChunkId, corpus: &Corpus, titles: bool) -> Option<PromptPassage> {
    let (_, text, title) = corpus.text_of(id)?;
    Some(PromptPassage {
        title: if titles { title.to_owned() } else { String::new() },
        text: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::prompt::Template;
    use ragtriage_core::text::tokens::{self, Tokenizer};
    use ragtriage_core::types::{Chunk, Document};

    /// Three chunks `one two`, `three`, `four five six` of a document titled `T`; counted in words.
    fn corpus() -> Corpus {
        let text = "one two three four five six";
        let document = Document {
            id: "d".into(),
            title: "T".to_owned(),
            text: text.to_owned(),
            metadata: [].into(),
        };
        let chunks =
            [(0, 7), (8, 13), (14, 27)].into_iter().map(|range| Chunk::new(0, range.into(), 1));
        Corpus::new(vec![document], chunks.collect())
    }

    fn plan(context_tokens: usize) -> PromptPlan {
        let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
        PromptPlan {
            template: Template::parse(Template::built_in("short-answer").expect("built in"))
                .expect("valid"),
            counter,
            context_tokens,
        }
    }

    fn packed(order: [&str; 3], context_tokens: usize, titles: bool) -> Vec<String> {
        let ids = order.map(ChunkId::from);
        pack(&ids, &corpus(), &plan(context_tokens), titles)
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn packing_stops_at_the_first_chunk_that_does_not_fit() {
        // Shown as "[1] T\none two": four words with number and title; then [2] T three: 3; then [3] T four five six: 5.
        assert_eq!(packed(["d#0", "d#1", "d#2"], 12, true), ["d#0", "d#1", "d#2"]);
        assert_eq!(packed(["d#0", "d#1", "d#2"], 11, true), ["d#0", "d#1"]);
        // d#2 first takes 5 of 8; d#0 takes 4 and does not fit; d#1 would, but comes after it.
        assert_eq!(packed(["d#2", "d#0", "d#1"], 8, true), ["d#2"]);
        assert_eq!(packed(["d#2", "d#0", "d#1"], 4, true), Vec::<String>::new());
    }

    #[test]
    fn titles_are_counted_only_where_they_are_shown() {
        // Without titles: [1] one two: 3, [2] three: 2, [3] four five six: 4.
        assert_eq!(packed(["d#0", "d#1", "d#2"], 9, false).len(), 3);
        assert_eq!(packed(["d#0", "d#1", "d#2"], 8, false).len(), 2);
    }
}
