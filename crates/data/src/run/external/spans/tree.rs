//! The spans of one trace as a tree.
//!
//! Nothing is taken on trust: a parent may be missing (its children are roots), an id may occur twice (the last span
//! counts), spans may be each other's parents (the first is a root), and clocks may differ (a span comes after those that
//! it called, whatever their times).

use std::collections::HashMap;

use super::span::{Kind, Span};

/// The spans of a trace, each after those that it called; those that one span called in the order of their starts.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The spans.
    pub spans: Vec<Span>,
    /// The position of the span that called each; it is greater than the span's own.
    pub parents: Vec<Option<usize>>,
    /// Number of spans with the id of another, left out.
    pub n_duplicates: usize,
}

/// Returns the trees of all traces, in the order of their first spans.
pub(super) fn trees(spans: Vec<Span>) -> Vec<Tree> {
    let mut positions: HashMap<String, usize> = HashMap::new();
    let mut traces: Vec<Vec<Span>> = Vec::new();
    for span in spans {
        let next = traces.len();
        let at = *positions.entry(span.trace.clone()).or_insert(next);
        if at == next {
            traces.push(Vec::new());
        }
        traces[at].push(span);
    }
    traces.into_iter().map(Tree::new).collect()
}

/// A trace asks several questions of the data set.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SeveralQuestions;

impl Tree {
    /// Returns, for each span, whether one of these spans called it, directly or indirectly.
    pub(super) fn below(&self, is_one: impl Fn(&Span) -> bool) -> Vec<bool> {
        let mut is_below = vec![false; self.spans.len()];
        for at in (0..is_below.len()).rev() {
            is_below[at] = self.parents[at]
                .is_some_and(|parent| is_below[parent] || is_one(&self.spans[parent]));
        }
        is_below
    }

    /// Returns the question of the trace: the known one that its topmost spans ask, else the text that a root was asked, else
    /// the first query of a retriever.
    ///
    /// # Errors
    /// Several known questions.
    pub(super) fn question(
        &self,
        is_question: &dyn Fn(&str) -> bool,
    ) -> Result<Option<String>, SeveralQuestions> {
        let asked = |span: &Span| span.query.as_deref().unwrap_or_default().trim().to_owned();
        let is_below = self.below(|span| is_question(&asked(span)));
        let top = self.spans.iter().zip(is_below).filter(|(_, is_below)| !is_below);
        let mut known: Vec<String> =
            top.map(|(span, _)| asked(span)).filter(|text| is_question(text)).collect();
        known.dedup();
        match &known[..] {
            [] => {}
            [first, others @ ..] if others.iter().all(|other| other == first) => {
                return Ok(known.pop());
            }
            _ => return Err(SeveralQuestions),
        }
        let roots =
            self.by_start(|at| self.parents[at].is_none() && self.spans[at].kind == Kind::Other);
        let retrievers = self.by_start(|at| self.spans[at].kind == Kind::Retriever);
        let mut queries = roots.iter().chain(&retrievers).map(|at| asked(&self.spans[*at]));
        Ok(queries.find(|query| !query.is_empty()))
    }

    fn by_start(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..self.spans.len()).filter(|at| wanted(*at)).collect();
        positions.sort_by_key(|at| self.spans[*at].start);
        positions
    }

    /// Joins the spans of one trace.
    pub(super) fn new(spans: Vec<Span>) -> Self {
        let n_spans = spans.len();
        let mut by_id: HashMap<String, Span> = HashMap::with_capacity(n_spans);
        let mut order: Vec<String> = Vec::with_capacity(n_spans);
        for span in spans {
            let id = span.id.clone();
            if by_id.insert(id.clone(), span).is_none() {
                order.push(id);
            }
        }
        let mut spans: Vec<Span> = order.iter().filter_map(|id| by_id.remove(id)).collect();
        let n_duplicates = n_spans - spans.len();
        spans.sort_by_key(|span| span.start);
        let positions: HashMap<&str, usize> =
            spans.iter().enumerate().map(|(at, span)| (span.id.as_str(), at)).collect();
        let called_by: Vec<Option<usize>> =
            spans.iter().map(|span| positions.get(span.parent.as_deref()?).copied()).collect();
        let order = callees_first(&called_by);
        let mut new_positions = vec![None; spans.len()];
        for (new, old) in order.iter().enumerate() {
            new_positions[*old] = Some(new);
        }
        let parents = order.iter().enumerate().map(|(new, old)| {
            // A parent that comes first closes a circle.
            called_by[*old].and_then(|parent| new_positions[parent]).filter(|parent| *parent > new)
        });
        let parents = parents.collect();
        let mut old: Vec<Option<Span>> = spans.into_iter().map(Some).collect();
        let spans = order.iter().filter_map(|at| old[*at].take()).collect();
        Self { spans, parents, n_duplicates }
    }
}

/// Returns the positions so that each comes after those that it called. Circles are opened at their first member.
fn callees_first(called_by: &[Option<usize>]) -> Vec<usize> {
    let mut called: Vec<Vec<usize>> = vec![Vec::new(); called_by.len()];
    for (at, parent) in called_by.iter().enumerate() {
        if let Some(parent) = parent {
            called[*parent].push(at);
        }
    }
    let mut order = Vec::with_capacity(called_by.len());
    let mut seen = vec![false; called_by.len()];
    let roots = (0..called_by.len()).filter(|at| called_by[*at].is_none());
    for root in roots.chain(0..called_by.len()) {
        let mut open = vec![(root, false)];
        while let Some((at, is_done)) = open.pop() {
            if is_done {
                order.push(at);
            } else if !seen[at] {
                seen[at] = true;
                open.push((at, true));
                open.extend(called[at].iter().rev().map(|callee| (*callee, false)));
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(tree: &Tree) -> Vec<&str> {
        tree.spans.iter().map(|span| span.id.as_str()).collect()
    }

    #[test]
    fn callees_come_first_by_their_starts_whatever_the_clocks_say() {
        // `b` begins before its parent, `a` after it; the file has the root last.
        let tree = Tree::new(vec![
            Span::made("a", "r", 9, ""),
            Span::made("b", "r", 1, ""),
            Span::made("b1", "b", 20, ""),
            Span::made("r", "", 5, ""),
        ]);
        assert_eq!(ids(&tree), ["b1", "b", "a", "r"]);
        assert_eq!(tree.parents, [Some(1), Some(3), Some(3), None]);
    }

    #[test]
    fn missing_parents_circles_and_duplicates_lose_no_other_span() {
        let tree = Tree::new(vec![
            Span::made("a", "gone", 1, ""),
            Span::made("x", "y", 2, ""),
            Span::made("y", "x", 3, ""),
            Span::made("s", "s", 4, ""),
            Span::made("a", "gone", 1, "again"),
        ]);
        assert_eq!(ids(&tree), ["a", "y", "x", "s"]);
        assert_eq!((tree.parents.clone(), tree.n_duplicates), (vec![None, Some(2), None, None], 1));
        assert_eq!(tree.spans[0].query.as_deref(), Some("again"), "the last span of an id counts");
    }

    #[test]
    fn the_question_is_the_known_one_else_the_root_s_else_the_retriever_s() {
        let is_question = |text: &str| ["one?", "two?"].contains(&text);
        let asked = |spans: &[(&str, &str, &str)]| {
            let spans = spans.iter().zip(0..);
            let spans = spans.map(|((id, parent, query), start)| Span {
                kind: if id.starts_with('r') { Kind::Retriever } else { Kind::Other },
                ..Span::made(id, parent, start, query)
            });
            Tree::new(spans.collect()).question(&is_question)
        };
        let found = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(asked(&[("r", "gone", "one?"), ("c", "gone", " one? ")]), found("one?"));
        assert_eq!(
            asked(&[("a", "", "go"), ("b", "a", "one?"), ("r", "b", "two?")]),
            found("one?")
        );
        assert_eq!(asked(&[("a", "", "asked"), ("r", "a", "rewritten")]), found("asked"));
        assert_eq!(asked(&[("a", "", ""), ("r", "a", "query")]), found("query"));
        assert_eq!(asked(&[("a", "", "")]), Ok(None));
        let several = [("a", "", "batch"), ("b", "a", "one?"), ("c", "a", "two?")];
        assert_eq!(asked(&several), Err(SeveralQuestions));
    }
}
