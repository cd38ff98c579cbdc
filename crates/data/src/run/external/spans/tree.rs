//! The spans of one trace as a tree.
//!
//! Nothing is taken on trust: a parent may be missing (its children are roots), an id may occur twice (the last span
//! counts), spans may be each other's parents (the first is a root), and clocks may differ (a span comes after those that
//! it called, whatever their times).

use std::collections::HashMap;

use super::span::Span;

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
}
