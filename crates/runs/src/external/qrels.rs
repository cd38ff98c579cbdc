//! TREC qrels: `query iteration document grade`, one judgment per line.
//!
//! Compatible with `trec_eval`: exactly four columns, the second ignored, `# ` opens a comment line. A file that begins
//! with BEIR's header has its three columns, `query-id corpus-id score`. Unlike `trec_eval`, a grade that is not an
//! integer is rejected (it reads `1.7` as 1 and `x` as 0), and a judgment repeated with the same grade is counted and
//! used once (it stops). Both reject two grades for one document and query.

use std::collections::{BTreeMap, HashMap};

use super::Error;
use super::columns::{self, Columns};
use super::input::Input;

const COLUMNS: &str = "4: query iteration document grade";
const BEIR_COLUMNS: &str = "3: query-id corpus-id score";
const BEIR_HEADER: [&str; 3] = ["query-id", "corpus-id", "score"];

/// A query's judged documents with their grades.
pub type QueryGrades<'t> = HashMap<&'t str, i32>;

/// The judgments of each query.
#[derive(Debug)]
pub struct Qrels<'t> {
    queries: BTreeMap<&'t str, QueryGrades<'t>>,
    n_repeated: usize,
}

struct QrelLine<'t> {
    query: &'t str,
    document: &'t str,
    grade: i32,
}

impl<'t> Qrels<'t> {
    /// Reads qrels.
    pub fn parse(input: &'t Input) -> Result<Self, Error> {
        let header = input.text().lines().next().filter(|line| Columns::of(line).eq(BEIR_HEADER));
        let blocks = columns::parse_blocks(input, |block| {
            let mut judgments = Vec::new();
            columns::lines(input, block, |line| {
                // The header is the first line, not another with the same words.
                if header.is_none_or(|header| header.as_ptr() != line.as_ptr()) {
                    judgments.push(parse_line(input, line, header.is_some())?);
                }
                Ok(())
            })?;
            Ok(judgments)
        })?;
        let mut qrels = Self { queries: BTreeMap::new(), n_repeated: 0 };
        for judgments in blocks.iter().flat_map(|block| block.chunk_by(|a, b| a.query == b.query)) {
            let judged = qrels.queries.entry(judgments[0].query).or_default();
            for judgment in judgments {
                match judged.get_key_value(judgment.document) {
                    None => drop(judged.insert(judgment.document, judgment.grade)),
                    Some((_, grade)) if *grade == judgment.grade => qrels.n_repeated += 1,
                    Some((first, grade)) => {
                        return Err(contradiction(input, judgment, first, *grade));
                    }
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

    /// Returns the number of judgments repeated with the same grade.
    #[must_use]
    pub fn n_repeated(&self) -> usize {
        self.n_repeated
    }
}

fn parse_line<'t>(input: &Input, line: &'t str, is_beir: bool) -> Result<QrelLine<'t>, Error> {
    let mut columns = Columns::of(line);
    let mut next = || columns.next();
    let (query, iteration) = (next(), if is_beir { Some("") } else { next() });
    let (Some(query), Some(_), Some(document), Some(grade), None) =
        (query, iteration, next(), next(), next())
    else {
        let expected = if is_beir { BEIR_COLUMNS } else { COLUMNS };
        return Err(columns::wrong_number(input, line, expected));
    };
    match grade.parse() {
        Ok(grade) => Ok(QrelLine { query, document, grade }),
        Err(_) => Err(Error::at(
            &input.position(line),
            format_args!("grade `{grade}` is not an integer"),
            "write grades as whole numbers: 0 not relevant, 1 and up relevant",
        )),
    }
}

fn contradiction(input: &Input, judgment: &QrelLine, first: &str, other: i32) -> Error {
    let QrelLine { query, document, grade } = judgment;
    let first = input.position(first);
    Error::at(
        &input.position(document),
        format_args!(
            "document `{document}` has grade {grade} for query `{query}`, and grade {other} in {first}"
        ),
        "keep one judgment of each document and query",
    )
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
        assert_eq!((qrels.judged("1"), qrels.n_repeated()), (None, 1));
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
