//! Passages of a final ranking within a budget of context tokens: the same amount of text for any chunk size.
//!
//! Passages are taken in rank order, regardless of k, each counted as the prompt shows it and as packing counts it
//! ([`passage_text`], `cl100k_base`). Unlike packing, which takes whole chunks, the passage in which the budget ends is
//! truncated; if its number and title alone do not fit, it is omitted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use hashbrown::HashMap;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use ragtriage_core::metric::{Cutoff, Metric};
use ragtriage_core::prompt::passage_text;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_core::types::{ByteRange, ChunkId, Passage, StepHit, Trace};
use ragtriage_data::run::SavedRun;

/// A chunk, or the shown part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownPiece<'a> {
    pub id: &'a ChunkId,
    /// Number of bytes of its text shown, on a char boundary and less than the text's length; `None`:
    /// all.
    cut: Option<usize>,
}

impl<'a> ShownPiece<'a> {
    pub fn whole(id: &'a ChunkId) -> Self {
        Self { id, cut: None }
    }

    pub fn is_whole(self) -> bool {
        self.cut.is_none()
    }

    /// Returns the shown text of `passage`, which is the chunk's.
    pub fn text(self, passage: &Passage) -> &str {
        &passage.text[..self.cut.unwrap_or(passage.text.len())]
    }

    /// Returns the shown text without a word truncated by the cut: for `2018`, a budget that ends after `20` does
    /// not show `20`.
    pub fn words(self, passage: &Passage) -> &str {
        let shown = self.text(passage);
        let runs_on = passage.text[shown.len()..].starts_with(|next: char| !next.is_whitespace());
        if runs_on { &shown[..shown.rfind(char::is_whitespace).unwrap_or(0)] } else { shown }
    }

    /// Returns the bytes of its document that are shown. An imported passage may differ in length from its range, which
    /// is then that of a gold text somewhere in it: for a truncated one, only bytes that are shown wherever the gold text
    /// is count.
    pub fn range(self, passage: &Passage) -> ByteRange {
        let whole = passage.range;
        self.cut.map_or(whole, |cut| {
            let shown = cut.min(whole.len().saturating_sub(passage.text.len() - cut));
            ByteRange::new(whole.start, whole.start + shown)
        })
    }
}

/// Returns true if a passage's text has the length of its range, and so is the text of that range.
pub(super) fn is_sized(passage: &Passage) -> bool {
    !passage.range.is_empty() && passage.range.len() == passage.text.len()
}

/// The pieces of a question's final ranking shown within each budget, best first.
pub(super) type ByBudget<'a> = BTreeMap<usize, Vec<ShownPiece<'a>>>;

/// Returns the pieces shown within the budgets that `metrics` require; parallel to the run's
/// traces.
pub(super) fn shown<'a>(run: &'a SavedRun, metrics: &[Metric]) -> Vec<ByBudget<'a>> {
    let budgets = metrics.iter().filter_map(|metric| match metric.cutoff() {
        Some(Cutoff::Tokens(n_tokens)) => Some(n_tokens),
        _ => None,
    });
    let budgets: BTreeSet<usize> = budgets.collect();
    let Some(&largest) = budgets.last() else {
        return vec![ByBudget::new(); run.traces.len()];
    };
    let passages = CountedPassages::new(run, largest);
    run.traces
        .par_iter()
        .map(|trace: &'a Trace| {
            let hits = trace.final_ranking().map_or(&[][..], |step| &step.hits);
            let ranked = passages.ranked(hits);
            budgets.iter().map(|&budget| (budget, passages.cut_at(budget, &ranked))).collect()
        })
        .collect()
}

/// Returns the tokens (`cl100k_base`) of the packed passages of each question, as the prompt shows them; `None` if the question
/// failed. Parallel to the run's traces.
#[must_use]
pub fn context_tokens(run: &SavedRun) -> Vec<Option<f64>> {
    let passages = CountedPassages::new(run, usize::MAX);
    run.traces
        .par_iter()
        .map(|trace: &Trace| {
            let packed: Vec<&Counted<'_>> =
                trace.packed().filter_map(|id| passages.by_id.get(id)).collect();
            (!trace.failed()).then(|| passages.n_tokens(&packed) as f64)
        })
        .collect()
}

/// A run's passages, each tokenised once, when a budget first reaches it.
struct CountedPassages<'a> {
    by_id: HashMap<&'a ChunkId, Counted<'a>>,
    titles: bool,
    counter: Arc<dyn TokenCounter>,
    /// The largest budget; anything beyond it is discarded.
    largest: usize,
}

struct Counted<'a> {
    passage: &'a Passage,
    /// For each token of the passage, shown as the first, the number of bytes of the passage's text
    /// before it.
    before: OnceLock<Vec<usize>>,
}

impl<'a> CountedPassages<'a> {
    fn new(run: &'a SavedRun, largest: usize) -> Self {
        let by_id = run.passages.iter().map(|(id, passage)| {
            let before = OnceLock::new();
            (id, Counted { passage, before })
        });
        Self {
            by_id: by_id.collect(),
            // An imported record defines the prompts' contents: its titles are those it contains.
            titles: run.manifest.is_external() || run.manifest.settings.chunking.title_prefix,
            counter: tokens::counter(Tokenizer::Cl100kBase, None).expect("a built-in vocabulary"),
            largest,
        }
    }

    /// Returns the passages of `hits` up to the first one missing from the run.
    fn ranked(&self, hits: &[StepHit]) -> Vec<&Counted<'a>> {
        hits.iter().map_while(|hit| self.by_id.get(&hit.id)).collect()
    }

    /// Returns the first `budget` tokens of `ranked`.
    fn cut_at(&self, budget: usize, ranked: &[&Counted<'a>]) -> Vec<ShownPiece<'a>> {
        let (mut pieces, mut left) = (Vec::new(), budget);
        for (at, places) in ranked.chunk_by(|a, b| is_one_context(a.passage, b.passage)).enumerate()
        {
            let before = self.before(places[0]);
            let n_digit_tokens = n_digit_tokens(at);
            let fits = before.len() + n_digit_tokens <= left;
            let cut =
                (!fits).then(|| left.checked_sub(n_digit_tokens).map_or(0, |left| before[left]));
            if cut == Some(0) {
                break;
            }
            pieces.extend(places.iter().map(|counted| ShownPiece { id: &counted.passage.id, cut }));
            if !fits {
                break;
            }
            left -= before.len() + n_digit_tokens;
        }
        pieces
    }

    /// Returns the total number of tokens of `ranked`.
    fn n_tokens(&self, ranked: &[&Counted<'a>]) -> usize {
        let contexts = ranked.chunk_by(|a, b| is_one_context(a.passage, b.passage)).enumerate();
        contexts.map(|(at, places)| self.before(places[0]).len() + n_digit_tokens(at)).sum()
    }

    /// See [`Counted`]; at most one token more than the largest budget.
    fn before<'c>(&self, counted: &'c Counted<'_>) -> &'c [usize] {
        counted.before.get_or_init(|| {
            let Passage { title, text, .. } = counted.passage;
            let shown = passage_text(1, if self.titles { title } else { "" }, text);
            let heading = shown.len() - text.len();
            let starts =
                self.counter.starts(&shown).into_iter().take(self.largest.saturating_add(1));
            starts.map(|start| start.saturating_sub(heading)).collect()
        })
    }
}

/// Returns the number of additional tokens that the number of the passage at `at`, from 0, takes compared with the counted number
/// 1: three digits are one token, and the passages differ in nothing else.
fn n_digit_tokens(at: usize) -> usize {
    (at + 1).ilog10() as usize / 3
}

/// Returns true if neighbours in a ranking are one context of an external RAG, which occurs in the ranking once for every
/// gold text it contains.
fn is_one_context(a: &Passage, b: &Passage) -> bool {
    !is_sized(a) && !is_sized(b) && (&a.title, &a.text) == (&b.title, &b.text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::score;
    use super::super::tests::{manifest, trace};
    use super::*;
    use crate::tests::rule;
    use ragtriage_core::config::Settings;
    use ragtriage_core::types::{GoldMember, Member};
    use ragtriage_data::run::ExternalSource;
    use ragtriage_data::run::judged::Decided;

    fn passage(id: &str, title: &str, text: &str) -> Passage {
        Passage {
            id: id.into(),
            doc: ChunkId::from(id).doc().into(),
            title: title.to_owned(),
            range: ByteRange::new(0, text.len()),
            text: text.to_owned(),
            tokens: None,
        }
    }

    /// One question with the gold answers `seven` and `18 May` and these byte ranges, over a ranking of
    /// these passages.
    fn run(passages: Vec<Passage>, evidence: &[(&str, usize, usize)], titles: bool) -> SavedRun {
        let ids: Vec<&str> = passages.iter().map(|passage| passage.id.as_str()).collect();
        let mut trace = trace(0, &ids, "", None);
        trace.question.answers.push("seven".to_owned());
        let member = |&(doc, start, end): &(&str, usize, usize)| Member {
            doc: doc.into(),
            ranges: vec![ByteRange::new(start, end)],
        };
        let gold = |member: &Member| GoldMember {
            doc: member.doc.clone(),
            present: true,
            needed: member.ranges.clone(),
            chunks: vec![],
            has_answer: false,
            encoder_truncated: false,
            wide: Vec::new(),
            answer_ranges: Vec::new(),
        };
        trace.question.evidence = evidence.iter().map(|place| vec![member(place)]).collect();
        trace.gold.groups =
            trace.question.evidence.iter().map(|group| group.iter().map(gold).collect()).collect();
        let mut manifest = manifest();
        manifest.settings.chunking.title_prefix = titles;
        let passages = passages.into_iter().map(|passage| (passage.id.clone(), passage)).collect();
        SavedRun { manifest, traces: vec![trace], passages, decided: Decided::default() }
    }

    fn values(run: &SavedRun, names: &[&str]) -> Vec<Option<f64>> {
        let metrics: Vec<Metric> =
            names.iter().map(|name| name.parse().expect("a metric")).collect();
        score::score(run, &metrics, rule()).rows[0].clone()
    }

    fn value(run: &SavedRun, name: &str) -> f64 {
        values(run, &[name])[0].unwrap_or_else(|| panic!("{name} is undefined"))
    }

    /// The texts shown within a budget: each passage's document with its text.
    fn texts(run: &SavedRun, budget: usize) -> Vec<&str> {
        let metric: Metric = format!("EM@{budget}t").parse().expect("a metric");
        let pieces = shown(run, &[metric]).remove(0).remove(&budget).expect("asked for");
        pieces.iter().map(|piece| piece.text(&run.passages[piece.id])).collect()
    }

    /// Shown as `[ 1 ] ␣T ⏎ one ␣two ␣three ␣four` and `[ 2 ] ␣T ⏎ five ␣six ␣seven ␣eight`: nine tokens each. All of the
    /// first's 18 bytes are evidence, and bytes 5-14 of the second, `six seven`. Only `d` is relevant.
    fn two(titles: bool) -> SavedRun {
        let passages = vec![
            passage("d#0", "T", "one two three four"),
            passage("e#0", "T", "five six seven eight"),
        ];
        run(passages, &[("d", 0, 18), ("e", 5, 14)], titles)
    }

    #[test]
    fn a_budget_ends_at_a_token_wherever_in_the_ranking_it_stands() {
        let run = two(true);
        for (budget, expected) in [
            // The first's number and title take 5.
            (1, vec![]),
            (5, vec![]),
            (6, vec!["one"]),
            (8, vec!["one two three"]),
            // Exactly the first; then the second's number and title, up to 14.
            (9, vec!["one two three four"]),
            (14, vec!["one two three four"]),
            (16, vec!["one two three four", "five six"]),
            (17, vec!["one two three four", "five six seven"]),
            (18, vec!["one two three four", "five six seven eight"]),
            (usize::MAX, vec!["one two three four", "five six seven eight"]),
        ] {
            assert_eq!(texts(&run, budget), expected, "{budget} tokens");
        }
    }

    #[test]
    fn titles_are_counted_where_the_prompt_shows_them() {
        // Without titles `[ 1 ]⏎` are three tokens: 7 for the first, and 3 + 2 of the second.
        assert_eq!(texts(&two(false), 12), ["one two three four", "five six"]);
        let mut unsaid = two(false);
        unsaid.manifest.settings = Settings::default();
        assert_eq!(texts(&unsaid, 16), texts(&two(true), 16), "the setting's default");
        // An imported record shows the titles that it contains, regardless of our settings.
        let mut elsewhere = two(false);
        let (kind, from, sha256) =
            (ExternalSource::RESULTS.to_owned(), String::new(), String::new());
        elsewhere.manifest.external = Some(ExternalSource { kind, from, sha256 });
        assert_eq!(texts(&elsewhere, 16), texts(&two(true), 16));
    }

    #[test]
    fn every_family_measures_what_the_budget_shows() {
        let run = two(true);
        for (name, expected) in [
            // All 18 bytes of the first group, none of the second; `e` is missing.
            ("EvidenceRecall@14t", f64::midpoint(1.0, 0.0)),
            ("P@14t", 1.0 / 1.0),
            ("SetF1@14t", 1.0),
            ("EM@14t", 0.0),
            // `five six` has 8 bytes, 3 of the 9 of `six seven`: shown 26, covered 21 of 27.
            ("EvidenceRecall@16t", f64::midpoint(1.0, 3.0 / 9.0)),
            ("SpanPrecision@16t", 21.0 / 26.0),
            ("SpanRecall@16t", 21.0 / 27.0),
            ("IoU@16t", 21.0 / (26.0 + 6.0)),
            ("P@16t", 1.0 / 2.0),
            ("SetF1@16t", 2.0 / 3.0),
            ("Recall@16t", 1.0),
            ("Success@16t", 1.0),
            ("FullRecall@14t", 0.0),
            ("FullRecall@16t", 1.0),
            ("EM@16t", 0.0),
            ("EM@17t", 1.0),
            ("EvidenceRecall@17t", 1.0),
            // Nothing is shown.
            ("EvidenceRecall@5t", 0.0),
            ("SpanPrecision@5t", 0.0),
            ("P@5t", 0.0),
            ("Success@5t", 0.0),
        ] {
            let found = value(&run, name);
            assert!((found - expected).abs() < 1e-12, "{name} is {found}, not {expected}");
        }
        // Several budgets of one call are independent.
        let together = values(&run, &["EM@17t", "EM@16t", "EM@2", "EM@1"]);
        assert_eq!(together, [Some(1.0), Some(0.0), Some(1.0), Some(0.0)]);
    }

    #[test]
    fn a_word_that_the_budget_cuts_in_two_holds_no_answer() {
        // `[ 1 ]⏎ on ␣ 18 ␣May ville`: truncated after `␣May` the text reads `on 18 May`, a spurious gold answer.
        let run = run(vec![passage("d#0", "", "on 18 Mayville")], &[], false);
        assert_eq!(texts(&run, 7), ["on 18 May"]);
        assert_eq!(values(&run, &["EM@7t", "EM@8t"]), [Some(0.0), Some(0.0)]);
    }

    #[test]
    fn a_character_of_several_tokens_is_shown_whole_or_not() {
        // `[ 1 ]⏎ a`, the crab's three tokens, `b`.
        let run = run(vec![passage("d#0", "", "a🦀b")], &[], false);
        let shown = |budget| texts(&run, budget).concat();
        assert_eq!([4, 5, 6, 7, 8].map(shown), ["a", "a", "a", "a🦀", "a🦀b"]);
    }

    #[test]
    fn a_number_of_more_than_three_digits_takes_a_token_more() {
        let counter = tokens::counter(Tokenizer::Cl100kBase, None).expect("built in");
        let count = |n| counter.count(&passage_text(n, "T", "x"));
        assert!((1..=999).all(|n| count(n) == count(1)));
        assert!([1000, 9999, 123_456].into_iter().all(|n| count(n) == count(1) + 1));
        // `[ n ]⏎ x` are 4 tokens, 999 times, then 5.
        let passages = (0..1001).map(|n| passage(&format!("d#{n}"), "", "x")).collect();
        let run = run(passages, &[], true);
        assert_eq!(
            [3996, 4000, 4001, 4005, 4006].map(|budget| texts(&run, budget).len()),
            [999, 999, 1000, 1000, 1001]
        );
    }

    #[test]
    fn a_context_placed_on_several_gold_texts_is_counted_once() {
        // `[ 1 ]⏎ one ␣two ␣gold ␣words`: 7 tokens. It holds bytes 100-110 of `d`, `gold words`, and 40-47 of `e`, `one two`.
        let held = |id, start, end| Passage {
            range: ByteRange::new(start, end),
            ..passage(id, "", "one two gold words")
        };
        let passages = vec![
            held("d#100-110~1", 100, 110),
            held("e#40-47~1", 40, 47),
            passage("f#0", "", "next"),
        ];
        let run = run(passages, &[("d", 100, 110), ("e", 40, 47)], true);
        assert_eq!(texts(&run, 11), ["one two gold words", "one two gold words", "next"]);
        assert_eq!(value(&run, "EvidenceRecall@7t"), 1.0);
        // Without the last six bytes, wherever the gold text is: at least 4 of 10 bytes and 1 of 7 remain.
        assert_eq!(texts(&run, 6), ["one two gold", "one two gold"]);
        assert!((value(&run, "EvidenceRecall@6t") - f64::midpoint(0.4, 1.0 / 7.0)).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_known_below_a_passage_that_the_run_does_not_have() {
        let mut run = two(true);
        run.passages.remove(&ChunkId::from("d#0"));
        assert_eq!(texts(&run, 100), Vec::<&str>::new());
    }

    fn passages() -> impl Strategy<Value = Vec<Passage>> {
        let text = "(seven|18 May|2018|the|[a-z]{1,6}|[ .\n-]|\u{301}|🦀|日本。|ΑΣ){1,12}";
        let numbered = |(at, (title, text)): (usize, (String, String))| {
            passage(&format!("{at}#0"), &title, &text)
        };
        prop::collection::vec(("(|A title|T)", text), 1..8)
            .prop_map(move |texts| texts.into_iter().enumerate().map(numbered).collect())
    }

    proptest! {
        #[test]
        fn a_larger_budget_never_shows_less(
            passages in passages(), titles in any::<bool>(), small in 1..80usize, more in 0..80usize,
        ) {
            let last = format!("{}", passages.len() - 1);
            let run = run(passages, &[("0", 2, 9), (&last, 0, 4)], titles);
            for family in ["EvidenceRecall", "SpanRecall", "EM"] {
                let at = |budget: usize| value(&run, &format!("{family}@{budget}t"));
                prop_assert!(at(small) <= at(small + more), "{family}@{small}t is more than {more} tokens later");
                prop_assert_eq!(at(1_000_000), value(&run, &format!("{family}@100")), "{} over all", family);
            }
        }

        #[test]
        fn whole_passages_are_those_that_packing_would_take(
            passages in passages(), titles in any::<bool>(), budget in 1..80usize,
        ) {
            let counter = tokens::counter(Tokenizer::Cl100kBase, None).expect("built in");
            let mut used = 0;
            let fits = |(at, passage): &(usize, &Passage)| {
                used += counter.count(&passage_text(at + 1, if titles { &passage.title } else { "" }, &passage.text));
                used <= budget
            };
            let n_packed = passages.iter().enumerate().take_while(fits).count();
            let run = run(passages, &[], titles);
            let metric: Metric = format!("EM@{budget}t").parse().expect("a metric");
            let pieces = &shown(&run, &[metric])[0][&budget];
            prop_assert_eq!(pieces.iter().filter(|piece| piece.is_whole()).count(), n_packed);
            prop_assert!(pieces.len() <= n_packed + 1);
        }
    }
}
