//! Passages of the oracle condition: the gold evidence, from the question, its label and the chunks alone. What was retrieved has
//! no influence: the condition is the same for every retriever.

use std::cmp::Reverse;

use ragtriage_core::attribute::terms;
use ragtriage_core::text::answers::AnswerMatcher;
use ragtriage_core::types::{
    ByteRange, ChunkId, Corpus, Gold, GoldMember, Member, Question, QuestionKind, RangeSet,
};

/// Limits of a prompt, for passages that may be left out.
pub(super) struct Room<'a> {
    /// Maximum number of passages.
    pub k: usize,
    /// Maximum number of their tokens.
    pub context_tokens: usize,
    /// Counts a chunk's tokens.
    pub tokens: &'a dyn Fn(&ChunkId) -> usize,
}

/// Passages of one evidence group.
struct Wanted {
    /// In the prompt in any case.
    required: Vec<ChunkId>,
    /// Further parts of a label that is wider than a chunk, best first.
    optional: Vec<ChunkId>,
    is_wide: bool,
}

/// Returns the oracle's chunks, groups in order, each chunk once: of each group's first member the fewest chunks that cover
/// its ranges. Of a label that is wider than a chunk (a wide range, a whole document) the best chunk, and further ones, the
/// groups in turn, as long as there is room: those with a gold answer or a required fact first, then those that share most
/// terms with the question. `None` if nothing is labelled or a gold document is missing from the corpus: the oracle condition is
/// then skipped.
pub(super) fn oracle(
    question: &Question,
    gold: &Gold,
    corpus: &Corpus,
    room: &Room<'_>,
) -> Option<Vec<ChunkId>> {
    if gold.groups.is_empty() || question.kind == QuestionKind::Unanswerable {
        return None;
    }
    let mut groups: Vec<Wanted> = Vec::with_capacity(gold.groups.len());
    for (labelled, located) in question.evidence.iter().zip(&gold.groups) {
        let mut members = labelled.iter().zip(located);
        let (label, member) = members.find(|(_, member)| !member.chunks.is_empty())?;
        groups.push(wanted(question, label, member, corpus));
    }
    fill(&mut groups, room);
    let mut chosen: Vec<ChunkId> = Vec::new();
    for mut group in groups {
        if group.is_wide {
            group.required.sort_by_key(|id| corpus.chunk_number(id));
        }
        for id in group.required {
            if !chosen.contains(&id) {
                chosen.push(id);
            }
        }
    }
    Some(chosen)
}

/// Moves optional passages to the required ones, the groups in turn, as long as there is room.
fn fill(groups: &mut [Wanted], room: &Room<'_>) {
    let mut chosen: Vec<ChunkId> = Vec::new();
    for id in groups.iter().flat_map(|group| &group.required) {
        if !chosen.contains(id) {
            chosen.push(id.clone());
        }
    }
    let mut used: usize = chosen.iter().map(room.tokens).sum();
    let n_rounds = groups.iter().map(|group| group.optional.len()).max();
    for round in 0..n_rounds.unwrap_or(0) {
        for group in groups.iter_mut() {
            let Some(id) = group.optional.get(round) else {
                continue;
            };
            let tokens = (room.tokens)(id);
            let fits = chosen.len() < room.k && used + tokens <= room.context_tokens;
            if fits && !chosen.contains(id) {
                used += tokens;
                chosen.push(id.clone());
                group.required.push(id.clone());
            }
        }
    }
}

fn wanted(question: &Question, label: &Member, member: &GoldMember, corpus: &Corpus) -> Wanted {
    if !label.ranges.is_empty() && member.wide.is_empty() {
        return Wanted {
            required: fewest_covering(&member.needed, &member.chunks, corpus),
            optional: Vec::new(),
            is_wide: false,
        };
    }
    let mut optional = best_first(question, label, member, corpus);
    let narrow = label.ranges.iter().filter(|range| !member.wide.contains(range));
    let narrow = RangeSet::union(narrow.copied());
    let needed = RangeSet::union(member.needed.iter().copied()).intersection(&narrow);
    let mut required = fewest_covering(needed.ranges(), &member.chunks, corpus);
    if !optional.is_empty() {
        required.push(optional.remove(0));
    }
    Wanted { required, optional, is_wide: true }
}

/// Returns the chunks of a wide label: those that hold a mark of the answer first, then by the number of the question's
/// content terms that their part of the label shares, then in document order.
fn best_first(
    question: &Question,
    label: &Member,
    member: &GoldMember,
    corpus: &Corpus,
) -> Vec<ChunkId> {
    let wanted = terms::of_question(&question.text);
    let whole = label.ranges.is_empty();
    let marks =
        if whole { AnswerMatcher::new(&question.marks()) } else { AnswerMatcher::default() };
    let mut ranked: Vec<(Reverse<bool>, Reverse<usize>, usize)> = Vec::new();
    for number in corpus.chunk_numbers(&member.doc) {
        let (text, range) = (corpus.chunk_text(number).0, corpus.chunks()[number].range);
        let inside = if whole { text.to_owned() } else { part_inside(&member.wide, range, text) };
        if inside.is_empty() {
            continue;
        }
        let marked = marks.found_in_text(&inside)
            || member.answer_ranges.iter().any(|answer| answer.overlaps(range));
        let n_shared = terms::shared(&inside, &wanted).len();
        ranked.push((Reverse(marked), Reverse(n_shared), number));
    }
    ranked.sort_unstable();
    let ids = ranked.into_iter();
    ids.map(|(.., number)| corpus.chunk_id(number)).collect()
}

/// Returns the parts of `text`, which is at `range` of its document, that lie in the `wide` ranges.
fn part_inside(wide: &[ByteRange], range: ByteRange, text: &str) -> String {
    let shared = RangeSet::union([range]).intersection(&RangeSet::union(wide.iter().copied()));
    let parts = shared
        .ranges()
        .iter()
        .filter_map(|part| text.get(part.start - range.start..part.end - range.start));
    parts.collect::<Vec<_>>().join(" ")
}

/// Returns the fewest of `chunks` whose union covers the `needed` ranges, in document order: from left to right, of the
/// chunks that contain the first uncovered byte, the one that reaches farthest (optimal for intervals).
fn fewest_covering(needed: &[ByteRange], chunks: &[ChunkId], corpus: &Corpus) -> Vec<ChunkId> {
    let range = |id: &ChunkId| {
        corpus.chunk_number(id).map_or(ByteRange::new(0, 0), |n| corpus.chunks()[n].range)
    };
    let mut needed = needed.to_vec();
    needed.sort_unstable();
    let (mut chosen, mut held_to) = (Vec::new(), 0);
    for part in needed {
        let mut at = part.start.max(held_to);
        while at < part.end {
            let holding = chunks.iter().filter(|id| range(id).start <= at && at < range(id).end);
            let Some(best) = holding.max_by_key(|id| range(id).end) else {
                break;
            };
            held_to = range(best).end;
            at = held_to;
            chosen.push(best.clone());
        }
    }
    chosen
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use ragtriage_core::attribute::gold;
    use ragtriage_core::types::{Chunk, Document, Group};

    /// Documents `d` and `e` of 2,000 bytes in ten chunks of 200: words of four letters, and `rivers` in chunk 3, `rivers
    /// flood` in 6 and 1992 in 8.
    fn corpus() -> Corpus {
        let mut text = "xxxx ".repeat(400);
        for (at, word) in [(650, "rivers xx "), (1250, "rivers flood x "), (1650, "1992")] {
            text.replace_range(at..at + word.len(), word);
        }
        let document = |id: &str| Document {
            id: id.into(),
            title: String::new(),
            text: text.clone(),
            metadata: [].into(),
        };
        let chunk =
            |document, at: usize| Chunk::new(document, (200 * at, 200 * at + 200).into(), 1);
        let chunks = (0..2).flat_map(|document| (0..10).map(move |at| chunk(document, at)));
        Corpus::new(vec![document("d"), document("e")], chunks.collect())
    }

    fn label(doc: &str, ranges: &[(usize, usize)]) -> Group {
        vec![Member {
            doc: doc.into(),
            ranges: ranges.iter().map(|range| (*range).into()).collect(),
        }]
    }

    /// The oracle's chunks if each takes ten tokens.
    fn chosen(evidence: Vec<Group>, kind: QuestionKind, k: usize, budget: usize) -> Vec<String> {
        let corpus = corpus();
        let question = Question {
            kind,
            answers: vec!["1992".to_owned()],
            evidence,
            ..Question::new("q".into(), "When did the rivers flood?".to_owned())
        };
        let gold = gold::locate(&question, &corpus, || panic!("labelled"), &|_| None);
        let room = Room { k, context_tokens: budget, tokens: &|_| 10 };
        let chosen = oracle(&question, &gold, &corpus, &room).expect("all gold is there");
        chosen.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn of_a_section_the_best_passages_that_fit_are_shown_in_document_order() {
        // The section holds chunks 2 to 9. Best first: 8 (the answer), 6 (two terms), 3 (one), 2, 4, 5, 7, 9.
        let section = || vec![label("d", &[(400, 2000)])];
        let span = QuestionKind::Span;
        assert_eq!(chosen(section(), span, 5, 30), ["d#3", "d#6", "d#8"]);
        assert_eq!(chosen(section(), span, 2, 1000), ["d#6", "d#8"]);
        assert_eq!(chosen(section(), span, 4, 1000), ["d#2", "d#3", "d#6", "d#8"]);
        assert_eq!(chosen(section(), span, 5, 5), ["d#8"], "the best one in any case");
        // Nothing marks the answer of a yes/no question.
        assert_eq!(chosen(section(), QuestionKind::YesNo, 2, 1000), ["d#3", "d#6"]);
    }

    #[test]
    fn a_whole_document_is_a_wide_label() {
        let whole = vec![label("d", &[])];
        assert_eq!(chosen(whole, QuestionKind::Span, 3, 1000), ["d#3", "d#6", "d#8"]);
    }

    #[test]
    fn every_group_has_its_best_passage_before_any_has_a_second() {
        let groups = || vec![label("d", &[]), label("e", &[(400, 2000)])];
        let span = QuestionKind::Span;
        assert_eq!(chosen(groups(), span, 1, 1000), ["d#8", "e#8"]);
        assert_eq!(chosen(groups(), span, 3, 1000), ["d#6", "d#8", "e#8"]);
    }

    #[test]
    fn the_quotes_of_a_member_are_covered_besides_its_section() {
        // The quote at 100 to 120 lies in chunk 0; narrow labels alone take no more than they need.
        let both = vec![label("d", &[(100, 120), (400, 2000)])];
        assert_eq!(chosen(both, QuestionKind::Span, 2, 1000), ["d#0", "d#8"]);
        let quotes = vec![label("d", &[(100, 120), (390, 410)])];
        assert_eq!(chosen(quotes, QuestionKind::Span, 9, 1000), ["d#0", "d#1", "d#2"]);
    }

    /// A document of 100 bytes with these chunks.
    pub fn corpus_of(ranges: &[(usize, usize)]) -> Corpus {
        let document = Document {
            id: "d".into(),
            title: String::new(),
            text: "x".repeat(100),
            metadata: [].into(),
        };
        let chunks = ranges.iter().map(|range| Chunk::new(0, (*range).into(), 1));
        Corpus::new(vec![document], chunks.collect())
    }

    fn covering(ranges: &[(usize, usize)], needed: &[(usize, usize)]) -> Vec<String> {
        let corpus = corpus_of(ranges);
        let needed: Vec<ByteRange> = needed.iter().map(|range| (*range).into()).collect();
        let ids: Vec<ChunkId> = corpus.chunk_ids().collect();
        let covering = fewest_covering(&needed, &ids, &corpus);
        covering.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_fewest_overlapping_chunks_cover_a_long_range() {
        // 5..45 over 0..20, 10..30, 20..40, 30..50: 0 reaches 20, then 2 (20..40) beats 1, then 3.
        let found = covering(&[(0, 20), (10, 30), (20, 40), (30, 50)], &[(5, 45)]);
        assert_eq!(found, ["d#0", "d#2", "d#3"]);
    }

    #[test]
    fn one_chunk_serves_two_ranges() {
        assert_eq!(covering(&[(0, 20), (10, 40)], &[(12, 15), (30, 35)]), ["d#1"]);
    }
}
