//! The spans of one trace as a tree, and the questions asked in it.
//!
//! Nothing is taken on trust: a parent may be missing (its children are roots), an id may occur twice (the last span
//! counts), spans may be each other's parents (the first is a root), and clocks may differ (a span comes after those that
//! it called, whatever their times).

use std::collections::{BTreeMap, HashMap};

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

/// One question asked in a trace, with its spans.
#[derive(Debug)]
pub(super) struct Question {
    /// Its text, where it is recorded.
    pub text: Option<String>,
    /// Its spans.
    pub tree: Tree,
}

/// The known questions that are asked in a part of a trace.
#[derive(Clone, Copy, Debug)]
enum Below {
    None,
    /// One, by this span among others.
    One(usize),
    Many,
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
    fn new(spans: Vec<Span>) -> Self {
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
        let positions: HashMap<&str, usize> = spans
            .iter()
            .enumerate()
            .map(|(at, span)| (span.id.as_str(), at))
            .collect();
        let called_by: Vec<Option<usize>> = spans
            .iter()
            .map(|span| positions.get(span.parent.as_deref()?).copied())
            .collect();
        let order = callees_first(&called_by);
        let mut new_positions = vec![None; spans.len()];
        for (new, old) in order.iter().enumerate() {
            new_positions[*old] = Some(new);
        }
        let parents = order.iter().enumerate().map(|(new, old)| {
            // A parent that comes first closes a circle.
            called_by[*old]
                .and_then(|parent| new_positions[parent])
                .filter(|parent| *parent > new)
        });
        let parents = parents.collect();
        let mut old: Vec<Option<Span>> = spans.into_iter().map(Some).collect();
        let spans = order.iter().filter_map(|at| old[*at].take()).collect();
        Self {
            spans,
            parents,
            n_duplicates,
        }
    }

    /// Splits the trace by question. Several chains that ask a known question and call a model are one question each, as
    /// in a batch; else the trace is split where spans ask different known questions; else it is one question.
    pub(super) fn questions(self, is_question: &dyn Fn(&str) -> bool) -> Vec<Question> {
        let asks: Vec<bool> = (0..self.spans.len())
            .map(|at| is_question(self.asked(at)))
            .collect();
        let heads = self.from_above(|at| asks[at].then_some(at));
        let mut chains = groups(&heads, |head| {
            (self.spans[head].kind == Kind::Other).then_some(head)
        });
        chains.retain(|_, members| members.iter().any(|at| self.spans[*at].kind == Kind::Model));
        if chains.len() > 1 {
            let chains = chains.into_iter();
            let chains = chains
                .map(|(head, members)| (self.asked(head).to_owned(), members))
                .collect();
            return self.split(chains);
        }
        let below = self.asked_below(&asks);
        let tops = self.from_above(|at| match below[at] {
            Below::One(head) => Some(head),
            Below::None | Below::Many => None,
        });
        let texts = groups(&tops, |head| Some(self.asked(head).to_owned()));
        if texts.len() > 1 {
            return self.split(texts.into_iter().collect());
        }
        let text = texts.into_keys().next().or_else(|| self.likely_question());
        vec![Question { text, tree: self }]
    }

    /// Returns, for each span, the value of the highest span above it that has one, or its own.
    fn from_above(&self, own: impl Fn(usize) -> Option<usize>) -> Vec<Option<usize>> {
        let mut values: Vec<Option<usize>> = vec![None; self.spans.len()];
        for at in (0..self.spans.len()).rev() {
            values[at] = self.parents[at]
                .and_then(|parent| values[parent])
                .or_else(|| own(at));
        }
        values
    }

    /// Returns the known questions that each span or the spans below it ask; its own counts alone.
    fn asked_below(&self, asks: &[bool]) -> Vec<Below> {
        let mut below = vec![Below::None; self.spans.len()];
        for at in 0..self.spans.len() {
            if asks[at] {
                below[at] = Below::One(at);
            }
            let Some(parent) = self.parents[at] else {
                continue;
            };
            below[parent] = match (below[parent], below[at]) {
                (Below::None, other) | (other, Below::None) => other,
                (Below::One(one), Below::One(other)) if self.asked(one) == self.asked(other) => {
                    Below::One(one)
                }
                _ => Below::Many,
            };
        }
        below
    }

    /// Returns what a span was asked.
    fn asked(&self, at: usize) -> &str {
        self.spans[at].query.as_deref().unwrap_or_default().trim()
    }

    fn split(self, groups: Vec<(String, Vec<usize>)>) -> Vec<Question> {
        let mut spans: Vec<Option<Span>> = self.spans.into_iter().map(Some).collect();
        let parents = self.parents;
        let groups = groups.into_iter().map(|(text, members)| {
            let parent = |at: &usize| members.binary_search(&parents[*at]?).ok();
            let parents = members.iter().map(parent).collect();
            let spans = members.iter().filter_map(|at| spans[*at].take()).collect();
            Question {
                text: Some(text),
                tree: Tree {
                    spans,
                    parents,
                    n_duplicates: 0,
                },
            }
        });
        groups.collect()
    }

    /// Returns the text that a root was asked, else the first query of a retriever.
    fn likely_question(&self) -> Option<String> {
        let roots =
            self.by_start(|at| self.parents[at].is_none() && self.spans[at].kind == Kind::Other);
        let retrievers = self.by_start(|at| self.spans[at].kind == Kind::Retriever);
        let queries = roots
            .iter()
            .chain(&retrievers)
            .filter_map(|at| self.spans[*at].query.as_deref());
        queries
            .map(str::trim)
            .find(|query| !query.is_empty())
            .map(str::to_owned)
    }

    fn by_start(&self, wanted: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..self.spans.len()).filter(|at| wanted(*at)).collect();
        positions.sort_by_key(|at| self.spans[*at].start);
        positions
    }
}

/// Returns the positions grouped by a key of their values, ascending.
fn groups<K: Ord>(
    values: &[Option<usize>],
    key: impl Fn(usize) -> Option<K>,
) -> BTreeMap<K, Vec<usize>> {
    let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
    for (at, value) in values.iter().enumerate() {
        if let Some(key) = value.and_then(&key) {
            groups.entry(key).or_default().push(at);
        }
    }
    groups
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

    fn span(id: &str, parent: &str, start: i64, query: &str) -> Span {
        Span {
            trace: "t".into(),
            id: id.into(),
            parent: Some(parent.to_owned()).filter(|parent| !parent.is_empty()),
            start: Some(start),
            query: Some(query.to_owned()).filter(|query| !query.is_empty()),
            ..Span::default()
        }
    }

    fn model(id: &str, parent: &str, start: i64) -> Span {
        Span {
            kind: Kind::Model,
            ..span(id, parent, start, "")
        }
    }

    fn ids(tree: &Tree) -> Vec<&str> {
        tree.spans.iter().map(|span| span.id.as_str()).collect()
    }

    fn is_question(text: &str) -> bool {
        ["one?", "two?"].contains(&text)
    }

    /// Returns the questions of a tree, with the number of spans of each.
    fn split(tree: Tree) -> Vec<(Option<String>, usize)> {
        let questions = tree.questions(&is_question).into_iter();
        questions
            .map(|question| (question.text, question.tree.spans.len()))
            .collect()
    }

    #[test]
    fn callees_come_first_by_their_starts_whatever_the_clocks_say() {
        // `b` begins before its parent, `a` after it; the file has the root last.
        let tree = Tree::new(vec![
            span("a", "r", 9, ""),
            span("b", "r", 1, ""),
            span("b1", "b", 20, ""),
            span("r", "", 5, ""),
        ]);
        assert_eq!(ids(&tree), ["b1", "b", "a", "r"]);
        assert_eq!(tree.parents, [Some(1), Some(3), Some(3), None]);
    }

    #[test]
    fn missing_parents_circles_and_duplicates_lose_no_other_span() {
        let tree = Tree::new(vec![
            span("a", "gone", 1, ""),
            span("x", "y", 2, ""),
            span("y", "x", 3, ""),
            span("s", "s", 4, ""),
            span("a", "gone", 1, "again"),
        ]);
        assert_eq!(ids(&tree), ["a", "y", "x", "s"]);
        assert_eq!(
            (tree.parents.clone(), tree.n_duplicates),
            (vec![None, Some(2), None, None], 1)
        );
        assert_eq!(
            tree.spans[0].query.as_deref(),
            Some("again"),
            "the last span of an id counts"
        );
    }

    #[test]
    fn a_trace_without_a_root_is_one_question() {
        let tree = Tree::new(vec![
            span("r", "gone", 1, "one?"),
            span("c", "gone", 2, "one?"),
            model("m", "gone", 3),
        ]);
        assert_eq!(split(tree), [(Some("one?".to_owned()), 3)]);
    }

    #[test]
    fn several_questions_below_one_root_are_separate_also_repeats() {
        let spans = |second: &str| {
            vec![
                span("root", "", 0, "evaluate"),
                span("a", "root", 1, "one?"),
                model("am", "a", 2),
                span("b", "root", 3, second),
                model("bm", "b", 4),
                span("other", "root", 5, ""),
            ]
        };
        for second in ["two?", "one?"] {
            let expected = [(Some("one?".to_owned()), 2), (Some(second.to_owned()), 2)];
            assert_eq!(split(Tree::new(spans(second))), expected);
        }
    }

    #[test]
    fn retrievals_of_different_questions_are_separate_without_a_model() {
        let tree = Tree::new(vec![
            span("a", "", 1, "one?"),
            span("b", "", 2, " two? "),
            span("b1", "b", 3, "rewritten"),
        ]);
        assert_eq!(
            split(tree),
            [(Some("one?".to_owned()), 1), (Some("two?".to_owned()), 2)]
        );
    }

    #[test]
    fn a_chain_without_a_text_of_its_own_has_the_question_of_its_retriever() {
        let asking = |chain: &str, start, query| Span {
            kind: Kind::Retriever,
            ..span(&format!("{chain} r"), chain, start, query)
        };
        let two = vec![
            span("root", "", 0, ""),
            span("a", "root", 1, ""),
            asking("a", 2, "one?"),
            model("am", "a", 3),
            span("b", "root", 4, ""),
            asking("b", 5, "two?"),
            model("bm", "b", 6),
        ];
        assert_eq!(
            split(Tree::new(two)),
            [(Some("one?".to_owned()), 3), (Some("two?".to_owned()), 3)]
        );
    }

    #[test]
    fn models_that_are_asked_the_question_are_calls_of_one_chain() {
        let asked = |id, start| Span {
            query: Some("one?".into()),
            ..model(id, "root", start)
        };
        let tree = Tree::new(vec![
            span("root", "", 0, ""),
            asked("rewrite", 1),
            span("r", "root", 2, "one?"),
            asked("answer", 3),
        ]);
        assert_eq!(split(tree), [(Some("one?".to_owned()), 4)]);
    }

    #[test]
    fn an_unknown_question_is_the_root_s_else_the_retriever_s() {
        let tree = Tree::new(vec![
            Span {
                kind: Kind::Retriever,
                ..span("a", "r", 1, "rewritten")
            },
            span("r", "", 0, "asked"),
        ]);
        assert_eq!(split(tree), [(Some("asked".to_owned()), 2)]);
        let tree = Tree::new(vec![
            Span {
                kind: Kind::Retriever,
                ..span("a", "r", 1, "query")
            },
            span("r", "", 0, ""),
        ]);
        assert_eq!(split(tree), [(Some("query".to_owned()), 2)]);
    }
}
