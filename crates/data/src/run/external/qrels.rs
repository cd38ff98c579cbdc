//! TREC qrels: `query iteration document grade`, one judgment per line.
//!
//! Compatible with `trec_eval`: exactly four columns, the second ignored, `# ` opens a comment line. A file that begins
//! with BEIR's header has its three columns, `query-id corpus-id score`. Unlike `trec_eval`, a grade that is not an
//! integer is rejected (it reads `1.7` as 1 and `x` as 0), and a judgment repeated with the same grade is used
//! once (it stops). Both reject two grades for one document and query.

use std::collections::{BTreeMap, HashMap};

use super::columns::Columns;
use super::input::Input;
use crate::error::Error;

const BEIR_HEADER: [&str; 3] = ["query-id", "corpus-id", "score"];

/// A query's judged documents with their grades.
pub type QueryGrades<'t> = HashMap<&'t str, i32>;

/// The judgments of each query.
#[derive(Debug)]
pub struct Qrels<'t> {
    queries: BTreeMap<&'t str, QueryGrades<'t>>,
}

impl<'t> Qrels<'t> {
    /// Reads qrels.
    pub fn parse(input: &'t Input) -> Result<Self, Error> {
        let is_beir = input
            .text()
            .lines()
            .next()
            .is_some_and(|line| line.split_ascii_whitespace().eq(BEIR_HEADER));
        let blocks = if is_beir {
            let names = &BEIR_HEADER;
            let file = Columns { input, names, has_others: false };
            file.read(|[query, document, grade]| Ok((query, (document, grade))))?
        } else {
            let names = &["query", "iteration", "document", "grade"];
            let file = Columns { input, names, has_others: false };
            file.read(|[query, _, document, grade]| Ok((query, (document, grade))))?
        };
        let mut qrels = Self { queries: BTreeMap::new() };
        // BEIR's header is the first line, not another with the same words.
        let judgments = blocks.iter().flatten();
        let judgments =
            judgments.flat_map(|(query, of_query)| of_query.iter().map(|one| (*query, *one)));
        for (query, (document, grade)) in judgments.skip(usize::from(is_beir)) {
            let Ok(grade) = grade.parse() else {
                return Err(Error::in_line(
                    &input.position(grade),
                    format_args!("grade `{grade}` is not an integer"),
                    "write grades as whole numbers: 0 not relevant, 1 and up relevant",
                ));
            };
            let judged = qrels.queries.entry(query).or_default();
            match judged.get_key_value(document) {
                None => drop(judged.insert(document, grade)),
                Some((_, other)) if *other == grade => {}
                Some((first, other)) => {
                    let first = input.position(first);
                    return Err(Error::in_line(
                        &input.position(document),
                        format_args!(
                            "document `{document}` has grade {grade} for query `{query}`, and grade {other} in {first}"
                        ),
                        "keep one judgment of each document and query",
                    ));
                }
            }
        }
        if qrels.queries.is_empty() { Err(input.empty()) } else { Ok(qrels) }
    }

    /// Returns the judged queries, ascending by bytes, each with its documents' grades.
    pub fn queries(&self) -> impl ExactSizeIterator<Item = (&'t str, &QueryGrades<'t>)> {
        self.queries.iter().map(|(query, judged)| (*query, judged))
    }

    /// Returns a query's judgments by document.
    #[must_use]
    pub fn judged(&self, query: &str) -> Option<&QueryGrades<'t>> {
        self.queries.get(query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        Input::new("q.rels", text.to_owned()).expect("text")
    }

    #[test]
    fn judgments_are_grouped_by_query_in_byte_order() {
        let input = input("# by hand\n9 0 a 1\r\n10 0 a -1\n\n9\tQ0\tb\t+2\n10 0 a -1\n");
        let qrels = Qrels::parse(&input).expect("qrels");
        assert_eq!(qrels.queries().map(|(query, _)| query).collect::<Vec<_>>(), ["10", "9"]);
        assert_eq!(qrels.judged("9"), Some(&HashMap::from([("a", 1), ("b", 2)])));
        assert_eq!(qrels.judged("10"), Some(&HashMap::from([("a", -1)])));
        assert_eq!(qrels.judged("1"), None);
    }

    #[test]
    fn what_is_malformed_is_refused_with_its_line() {
        for (text, expected) in [
            (
                "q 0 a 1\nq 0 b",
                "`q.rels` line 2: 3 columns, expected 4: query iteration document grade",
            ),
            ("q 0 a 1 x", "`q.rels` line 1: 5 columns, expected 4: query iteration document grade"),
            ("q 0 a 1.7", "`q.rels` line 1: grade `1.7` is not an integer"),
            ("\nq 0 a 3000000000", "`q.rels` line 2: grade `3000000000` is not an integer"),
            (
                "q 0 a 1\np 0 a 2\n\nq 0 a 2",
                "`q.rels` line 4: document `a` has grade 2 for query `q`, and grade 1 in `q.rels` line 1",
            ),
            ("# nothing", "`q.rels` is empty: it has no line with data"),
        ] {
            assert_eq!(Qrels::parse(&input(text)).expect_err("refused").to_string(), expected);
        }
    }
}
