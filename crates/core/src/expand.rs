//! Small-to-big retrieval: retrieved chunks with the text around them.
//!
//! A passage is a run of whole neighbouring chunks of one document with all text between them, as `<document>#<start>-<end>`; a
//! chunk to which nothing is added keeps its id. Passages that share a byte are merged, so no text is packed twice.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::text::tokens::TokenCounter;
use crate::types::{ByteRange, ChunkId, Corpus, DocId};

/// The text that is added to a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expansion {
    /// The given number of chunks before and after it.
    Neighbours(usize),
    /// The chunks of its section.
    Parent {
        /// Maximum tokens of the passage.
        tokens: usize,
    },
}

/// Adds the text around chunks of one corpus.
pub struct Expander {
    expansion: Expansion,
    counter: Arc<dyn TokenCounter>,
    /// The bytes at which the sections of each document begin, ascending, the first at 0; empty for neighbours.
    sections: HashMap<DocId, Vec<usize>>,
    /// The parent of each chunk, found when it is first needed; empty for neighbours.
    parents: Vec<OnceLock<Range<usize>>>,
}

/// A passage while others are merged into it.
struct Growing {
    chunks: Range<usize>,
    range: ByteRange,
    /// Position of the first hit in it.
    first: usize,
}

impl Expander {
    /// Creates an expander for `corpus`; `counter` counts the tokens of [`Expansion::Parent`].
    #[must_use]
    pub fn new(expansion: Expansion, corpus: &Corpus, counter: Arc<dyn TokenCounter>) -> Self {
        let (mut sections, mut parents) = (HashMap::new(), Vec::new());
        if matches!(expansion, Expansion::Parent { .. }) {
            for document in corpus.documents() {
                sections.insert(document.id.clone(), section_starts(&document.text));
            }
            parents.resize_with(corpus.chunks().len(), OnceLock::new);
        }
        Self { expansion, counter, sections, parents }
    }

    /// Returns the passages around `hits`, best first, each with the position of its first hit. A passage takes the rank of the
    /// first one that it overlaps.
    #[must_use]
    pub fn passages(&self, hits: &[&ChunkId], corpus: &Corpus) -> Vec<(ChunkId, usize)> {
        let mut passages: Vec<Growing> = Vec::with_capacity(hits.len());
        for (first, id) in hits.iter().enumerate() {
            let Some(number) = corpus.chunk_number(id) else {
                continue;
            };
            let chunks = self.around(number, corpus);
            let range = range_of(&chunks, corpus);
            let new = Growing { chunks, range, first };
            merge(&mut passages, new, corpus);
        }
        passages.into_iter().map(|passage| (passage.id(corpus), passage.first)).collect()
    }

    /// Returns those of `chunks` that lie in the passage around one of `hits` and are none of these.
    #[must_use]
    pub fn around_any<'a>(
        &self,
        chunks: impl IntoIterator<Item = &'a ChunkId>,
        hits: &[&ChunkId],
        corpus: &Corpus,
    ) -> Vec<ChunkId> {
        let chunks: Vec<&ChunkId> = chunks.into_iter().collect();
        let docs: HashSet<&str> = chunks.iter().map(|id| id.doc()).collect();
        let near = hits.iter().filter(|hit| docs.contains(hit.doc()));
        let numbers = near.filter_map(|hit| corpus.chunk_number(hit));
        let passages: Vec<Range<usize>> =
            numbers.map(|number| self.around(number, corpus)).collect();
        let is_around = |id: &ChunkId| {
            corpus
                .chunk_number(id)
                .is_some_and(|number| passages.iter().any(|passage| passage.contains(&number)))
        };
        let mut found: Vec<ChunkId> = Vec::new();
        for id in chunks {
            if is_around(id) && !hits.contains(&id) && !found.contains(id) {
                found.push(id.clone());
            }
        }
        found
    }

    /// Returns the numbers of the chunks in the passage around the chunk `number`.
    fn around(&self, number: usize, corpus: &Corpus) -> Range<usize> {
        let all = corpus.chunk_numbers(&corpus.document_of(number).id);
        match self.expansion {
            Expansion::Neighbours(n) => {
                let first = number.saturating_sub(n).max(all.start);
                first..number.saturating_add(n).saturating_add(1).min(all.end)
            }
            Expansion::Parent { tokens } => self.parents[number]
                .get_or_init(|| self.parent(number, &all, tokens, corpus))
                .clone(),
        }
    }

    /// Returns the numbers of the chunks in the parent of the chunk `number`, of those of its document.
    fn parent(
        &self,
        number: usize,
        all: &Range<usize>,
        tokens: usize,
        corpus: &Corpus,
    ) -> Range<usize> {
        let chunk = &corpus.chunks()[number];
        let starts =
            self.sections.get(&corpus.document_of(number).id).map_or(&[][..], Vec::as_slice);
        let own = section_of(starts, chunk.range.start);
        let is_own = |at: &usize| section_of(starts, corpus.chunks()[*at].range.start) == own;
        let n_before = (all.start..number).rev().take_while(is_own).count();
        let n_after = (number + 1..all.end).take_while(is_own).count();
        let within = number - n_before..number + 1 + n_after;
        self.window(number, &within, tokens, corpus)
    }

    /// Grows a window around the chunk `number` inside `within`, a chunk after it and a chunk before it in turn, as long as the
    /// added text fits `budget`. A side whose next chunk does not fit grows no further.
    fn window(
        &self,
        number: usize,
        within: &Range<usize>,
        budget: usize,
        corpus: &Corpus,
    ) -> Range<usize> {
        let document = corpus.document_of(number);
        let count = |from: usize, to: usize| match document.text.get(from..to) {
            Some(added) => self.counter.count(added),
            None => 0,
        };
        let mut window = number..number + 1;
        let mut held = corpus.chunks()[number].range;
        let mut left = budget.saturating_sub(count(held.start, held.end));
        let (mut grows_down, mut grows_up) = (true, true);
        while grows_down || grows_up {
            if grows_down {
                grows_down = false;
                if window.end < within.end {
                    let next = corpus.chunks()[window.end].range;
                    let needed = count(held.end, next.end);
                    if needed <= left {
                        (left, grows_down) = (left - needed, true);
                        held.end = held.end.max(next.end);
                        window.end += 1;
                    }
                }
            }
            if grows_up {
                grows_up = false;
                if within.start < window.start {
                    let next = corpus.chunks()[window.start - 1].range;
                    let needed = count(next.start, held.start);
                    if needed <= left {
                        (left, grows_up) = (left - needed, true);
                        held.start = held.start.min(next.start);
                        window.start -= 1;
                    }
                }
            }
        }
        window
    }
}

impl Growing {
    fn id(&self, corpus: &Corpus) -> ChunkId {
        let first = self.chunks.start;
        if corpus.chunks()[first].range == self.range {
            corpus.chunk_id(first)
        } else {
            ChunkId::of_range(&corpus.document_of(first).id, self.range)
        }
    }
}

/// Adds a passage at the end, or merges it with those that it overlaps, at the place of the first.
fn merge(passages: &mut Vec<Growing>, mut new: Growing, corpus: &Corpus) {
    let doc = |passage: &Growing| corpus.chunks()[passage.chunks.start].document;
    let mut place = passages.len();
    while let Some(at) =
        passages.iter().position(|old| doc(old) == doc(&new) && old.range.overlaps(new.range))
    {
        let old = passages.remove(at);
        place = place.min(at);
        new = Growing {
            chunks: old.chunks.start.min(new.chunks.start)..old.chunks.end.max(new.chunks.end),
            range: ByteRange::new(
                old.range.start.min(new.range.start),
                old.range.end.max(new.range.end),
            ),
            first: old.first.min(new.first),
        };
    }
    passages.insert(place, new);
}

fn range_of(chunks: &Range<usize>, corpus: &Corpus) -> ByteRange {
    let ranges = || corpus.chunks()[chunks.clone()].iter().map(|chunk| chunk.range);
    let start = ranges().map(|range| range.start).min();
    let end = ranges().map(|range| range.end).max();
    ByteRange::new(start.unwrap_or(0), end.unwrap_or(0))
}

fn section_of(starts: &[usize], at: usize) -> usize {
    starts.partition_point(|start| *start <= at)
}

/// Returns the bytes at which the sections of a text begin: 0, and each line that is a Markdown heading (one to six `#` and
/// white space), outside fenced code.
fn section_starts(text: &str) -> Vec<usize> {
    let (mut starts, mut fence, mut at) = (vec![0], None, 0);
    for line in text.split_inclusive('\n') {
        let body = line.trim_start_matches(' ');
        let is_indented = line.len() - body.len() > 3;
        let mark = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark));
        match (fence, mark) {
            _ if is_indented => {}
            (None, Some(_)) => fence = mark,
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, None) if is_heading(body) => starts.push(at),
            _ => {}
        }
        at += line.len();
    }
    starts
}

fn is_heading(line: &str) -> bool {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    (1..=6).contains(&level) && (title.is_empty() || title.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::{self, Tokenizer};
    use crate::types::{Chunk, Document};

    /// Documents `d` with these chunks and `e` with one chunk.
    fn corpus(text: &str, ranges: &[(usize, usize)]) -> Corpus {
        let document = |id: &str, text: &str| Document {
            id: id.into(),
            title: String::new(),
            text: text.to_owned(),
            metadata: [].into(),
        };
        let chunk = |document, range: (usize, usize)| Chunk::new(document, range.into(), 1);
        let mut chunks: Vec<Chunk> = ranges.iter().map(|range| chunk(0, *range)).collect();
        chunks.push(chunk(1, (0, 3)));
        Corpus::new(vec![document("d", text), document("e", "one")], chunks)
    }

    fn expander(expansion: Expansion, corpus: &Corpus) -> Expander {
        let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
        Expander::new(expansion, corpus, counter)
    }

    fn passages(expansion: Expansion, corpus: &Corpus, hits: &[&str]) -> Vec<(String, usize)> {
        let hits: Vec<ChunkId> = hits.iter().map(|id| ChunkId::from(*id)).collect();
        let passages =
            expander(expansion, corpus).passages(&hits.iter().collect::<Vec<_>>(), corpus);
        passages.into_iter().map(|(id, first)| (id.to_string(), first)).collect()
    }

    fn of(pairs: &[(&str, usize)]) -> Vec<(String, usize)> {
        pairs.iter().map(|(id, at)| ((*id).to_owned(), *at)).collect()
    }

    /// Ten chunks of nine bytes, with a blank between two.
    fn ten() -> Corpus {
        let ranges: Vec<(usize, usize)> = (0..10).map(|at| (10 * at, 10 * at + 9)).collect();
        corpus(&"abcd efgh ".repeat(10), &ranges)
    }

    #[test]
    fn neighbours_stay_in_the_document_and_a_lone_chunk_keeps_its_id() {
        let one = Expansion::Neighbours(1);
        // Chunks 4 to 6 are bytes 40 to 69, with the blanks between them; before chunk 0 there is none.
        assert_eq!(passages(one, &ten(), &["d#5"]), of(&[("d#40-69", 0)]));
        assert_eq!(passages(one, &ten(), &["d#0"]), of(&[("d#0-19", 0)]));
        assert_eq!(passages(one, &ten(), &["d#9"]), of(&[("d#80-99", 0)]));
        assert_eq!(passages(one, &ten(), &["e#0"]), of(&[("e#0", 0)]));
        let all = Expansion::Neighbours(usize::MAX);
        assert_eq!(passages(all, &ten(), &["d#5"]), of(&[("d#0-99", 0)]));
    }

    #[test]
    fn overlapping_passages_are_merged_at_the_rank_of_the_first() {
        let one = Expansion::Neighbours(1);
        // 40-69 and 60-89 share chunk 6. 10-39 shares no byte with 40-69 and stays apart.
        assert_eq!(
            passages(one, &ten(), &["e#0", "d#5", "d#2", "d#7"]),
            of(&[("e#0", 0), ("d#40-89", 1), ("d#10-39", 2)])
        );
        // 0-29, then 40-69; chunk 3 (20-49) overlaps both and joins them at the first rank.
        assert_eq!(
            passages(one, &ten(), &["d#1", "e#0", "d#5", "d#3"]),
            of(&[("d#0-69", 0), ("e#0", 1)])
        );
    }

    #[test]
    fn chunks_around_a_hit_are_those_of_its_passage_but_for_the_hits() {
        let corpus = ten();
        let expander = expander(Expansion::Neighbours(1), &corpus);
        let ids = |ids: &[&str]| ids.iter().map(|id| ChunkId::from(*id)).collect::<Vec<_>>();
        let (gold, hits) = (ids(&["d#3", "d#4", "d#6", "d#8", "d#3"]), ids(&["d#4", "d#5", "e#0"]));
        let around = expander.around_any(&gold, &hits.iter().collect::<Vec<_>>(), &corpus);
        assert_eq!(around, ids(&["d#3", "d#6"]));
    }

    const SECTIONS: &str = "# A\none two\nthree\n## B\nfour five\n```\n# six\n```\n#seven eight\n";

    /// A chunk for each line: 0-3, 4-11, 12-17; section B: 18-22, 23-32, 33-36, 37-42, 43-46, 47-59.
    fn sections() -> Corpus {
        let mut at = 0;
        let ranges: Vec<(usize, usize)> = SECTIONS
            .split_inclusive('\n')
            .map(|line| {
                at += line.len();
                (at - line.len(), at - 1)
            })
            .collect();
        corpus(SECTIONS, &ranges)
    }

    #[test]
    fn sections_begin_at_headings_outside_of_fenced_code() {
        // `# six` is code, and `#seven` lacks the space of a heading.
        assert_eq!(section_starts(SECTIONS), [0, 0, 18]);
        assert_eq!(section_starts("    # code\n ## B\n####### C\n#"), [0, 11, 27]);
    }

    #[test]
    fn a_parent_is_the_section_of_its_chunk_within_its_tokens() {
        let parent = |tokens, hit: &str| {
            passages(Expansion::Parent { tokens }, &sections(), &[hit])[0].0.clone()
        };
        assert_eq!(parent(100, "d#1"), "d#0-17");
        assert_eq!(parent(100, "d#0"), "d#0-17");
        assert_eq!(parent(100, "d#4"), "d#18-59");
        // Words: `four five` 2, the fence after it 1, `## B` before it 2, `# six` 2.
        let words = tokens::counter(Tokenizer::Words, None).expect("built in");
        let texts = ["four five", "\n```", "## B\n", "\n# six"];
        assert_eq!(texts.map(|text| words.count(text)), [2, 1, 2, 2]);
        // Of 5: the fence, then `## B`; nothing is left. Of 4: the fence; one is left.
        assert_eq!(parent(5, "d#4"), "d#18-36");
        assert_eq!(parent(4, "d#4"), "d#23-36");
        // A chunk over the limit stays as it is.
        assert_eq!(parent(1, "d#1"), "d#1");
    }

    #[test]
    fn the_parent_in_a_document_without_headings_is_a_window_of_chunks() {
        let parent = |tokens| passages(Expansion::Parent { tokens }, &ten(), &["d#5"])[0].0.clone();
        // A chunk has two words. Of 7: chunk 5, then 6, then 4; one word is left. Of 8: chunk 7 too.
        assert_eq!(parent(7), "d#40-69");
        assert_eq!(parent(8), "d#40-79");
        assert_eq!(parent(1000), "d#0-99");
    }
}
