//! TREC runs: `query Q0 document rank score tag`, one retrieved document per line, in any order.
//!
//! Compatible with `trec_eval`: the second and the rank column are ignored, and so is anything after the sixth column;
//! lines that begin with `# ` are comments; scores are held as 32-bit floats (`trec_eval` up to 9.0.8, and `pytrec_eval`),
//! so that `1.00000001` ties with `1`; ties are broken by document id, descending by bytes. Unlike `trec_eval`, a score
//! that is not a number is rejected, not read as 0. A file of comments alone is a run that found nothing.
//!
//! A run of ten million lines takes 450 MB of text plus 24 bytes per line.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};

use super::columns::Columns;
use super::input::Input;
use crate::error::Error;

/// A run, its lines grouped by query.
#[derive(Debug)]
pub struct TrecRun<'t> {
    input: &'t Input,
    tag: &'t str,
    queries: BTreeMap<&'t str, Vec<TrecHit<'t>>>,
}

/// A retrieved document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrecHit<'t> {
    /// Its id.
    pub document: &'t str,
    /// Its score, never NaN.
    pub score: f32,
}

impl TrecHit<'_> {
    /// Orders by score, then by id, both descending.
    fn order(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| other.document.cmp(self.document))
    }
}

impl<'t> TrecRun<'t> {
    /// Reads a run. Rankings are sorted and checked for duplicates on demand.
    pub fn parse(input: &'t Input) -> Result<Self, Error> {
        let names = &["query", "Q0", "document", "rank", "score", "tag"];
        let columns = Columns { input, names, has_others: true };
        let blocks =
            columns.read(|[query, _, document, _, score, tag]| match score.parse::<f64>() {
                // Adding 0 turns -0 into 0, with which it ties.
                Ok(number) if !number.is_nan() => {
                    Ok((query, (TrecHit { document, score: number as f32 + 0.0 }, tag)))
                }
                _ => Err(Error::in_line(
                    &input.position(score),
                    format_args!("score `{score}` is not a number"),
                    "write scores as decimal numbers; the best document has the highest score",
                )),
            })?;
        let last = blocks.iter().rev().find_map(|block| block.last()?.1.last());
        let tag = last.map_or("", |(_, tag)| *tag);
        let mut queries: BTreeMap<&str, Vec<TrecHit<'t>>> = BTreeMap::new();
        for (query, hits) in blocks.into_iter().flatten() {
            let hits = hits.into_iter().map(|(hit, _)| hit);
            queries.entry(query).or_default().extend(hits);
        }
        Ok(Self { input, tag, queries })
    }

    /// Returns the run's name: the sixth column of its last line.
    #[must_use]
    pub fn tag(&self) -> &'t str {
        self.tag
    }

    /// Returns the ids of its queries, ascending by bytes.
    pub fn queries(&self) -> impl ExactSizeIterator<Item = &'t str> {
        self.queries.keys().copied()
    }

    /// Returns a query's documents, best first: score descending, then id descending. `None` if the run does not contain
    /// the query.
    ///
    /// # Errors
    /// A duplicate document.
    pub fn ranking(&self, query: &str) -> Result<Option<Vec<TrecHit<'t>>>, Error> {
        let Some(mut hits) = self.queries.get(query).cloned() else {
            return Ok(None);
        };
        if !hits.is_sorted_by(|a, b| a.order(b).is_le()) {
            hits.sort_unstable_by(TrecHit::order);
        }
        let mut seen = HashMap::with_capacity(hits.len());
        for hit in &hits {
            if let Some(other) = seen.insert(hit.document, *hit) {
                return Err(self.duplicate(query, other.document, hit.document));
            }
        }
        Ok(Some(hits))
    }

    fn duplicate(&self, query: &str, one: &str, other: &str) -> Error {
        let (one_at, other_at) = (self.input.position(one), self.input.position(other));
        let (first, position) =
            if one_at.line < other_at.line { (one_at, other_at) } else { (other_at, one_at) };
        Error::in_line(
            &position,
            format_args!("duplicate document `{one}` for query `{query}` (first in {first})"),
            "list each document once, with its best score",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        Input::new("r.trec", text.to_owned()).expect("text")
    }

    fn ranked(text: &str, query: &str) -> Vec<String> {
        let input = input(text);
        let run = TrecRun::parse(&input).expect("a run");
        let hits = run.ranking(query).expect("no duplicates").expect("the query");
        hits.iter().map(|hit| hit.document.to_owned()).collect()
    }

    fn refused(text: &str) -> String {
        let input = input(text);
        let run = TrecRun::parse(&input).and_then(|run| run.ranking("q").map(|_| ()));
        run.expect_err("refused").to_string()
    }

    #[test]
    fn documents_come_by_score_then_by_id_descending_whatever_the_rank_column_says() {
        let text =
            "q Q0 d1 1 1.0 t\nq Q0 d10 2 1.0 t\nq Q0 d2 3 1 t\nq Q0 e 4 2 t\nq Q0 f 5 -1e3 t\n";
        assert_eq!(ranked(text, "q"), ["e", "d2", "d10", "d1", "f"]);
    }

    #[test]
    fn scores_tie_as_32_bit_floats_and_minus_zero_with_zero() {
        assert_eq!(ranked("q 0 a 0 1.00000001 t\nq 0 b 0 1.0 t", "q"), ["b", "a"]);
        assert_eq!(ranked("q 0 a 0 0.0 t\nq 0 b 0 -0.0 t", "q"), ["b", "a"]);
        assert_eq!(ranked("q 0 a 0 inf t\nq 0 b 0 9e99 t\nq 0 c 0 -inf t", "q"), ["b", "a", "c"]);
    }

    #[test]
    fn lines_of_queries_may_be_mixed_and_columns_may_follow_the_tag() {
        let text =
            "# a comment\nq 0 a 0 1 t\np 0 a 0 2 t more\n\nq 0 b 0 2 t\r\np 0 b 0 1 last junk";
        assert_eq!(
            (ranked(text, "q"), ranked(text, "p")),
            (vec!["b".into(), "a".into()], vec!["a".into(), "b".into()])
        );
        let input = input(text);
        let run = TrecRun::parse(&input).expect("a run");
        assert_eq!((run.queries().collect::<Vec<_>>(), run.tag()), (vec!["p", "q"], "last"));
        assert!(run.ranking("x").expect("no duplicates").is_none());
    }

    #[test]
    fn a_query_that_spans_blocks_is_one_ranking() {
        // 60,000 lines of about 35 bytes are two blocks of 1 MiB; three queries are interleaved.
        let lines =
            (0..60_000).map(|i| format!("query-{} Q0 document-{i:08} {i} {i} tag\n", i % 3));
        let ranking = ranked(&lines.collect::<String>(), "query-2");
        assert_eq!(
            (ranking.len(), ranking[0].as_str(), ranking[19_999].as_str()),
            (20_000, "document-00059999", "document-00000002")
        );
    }

    #[test]
    fn comments_alone_are_a_run_that_found_nothing() {
        let input = input("# nothing\n");
        assert_eq!(TrecRun::parse(&input).expect("a run").queries().len(), 0);
    }

    #[test]
    fn what_is_malformed_is_refused_with_its_line() {
        for (text, expected) in [
            (
                "q 0 a 0 1 t\nq 0 b 0 1",
                "`r.trec` line 2: 5 columns, expected 6: query Q0 document rank score tag",
            ),
            ("\nq 0 a 0 one t", "`r.trec` line 2: score `one` is not a number"),
            ("q 0 a 0 NaN t", "`r.trec` line 1: score `NaN` is not a number"),
            ("q 0 a 0 3,5 t", "`r.trec` line 1: score `3,5` is not a number"),
            (
                "# c\nq 0 a 0 1 t\np 0 a 0 1 t\nq 0 b 0 2 t\nq 0 a 0 3 t",
                "`r.trec` line 5: duplicate document `a` for query `q` (first in `r.trec` line 2)",
            ),
        ] {
            assert_eq!(refused(text), expected);
        }
    }
}
