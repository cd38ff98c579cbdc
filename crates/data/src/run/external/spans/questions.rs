//! The questions asked in a trace, each with its spans.

use std::collections::BTreeMap;

use super::span::{Kind, Span};
use super::tree::Tree;

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

impl Tree {
    /// Splits the trace by question. Several chains that ask a known question and call a model are one question each, as
    /// in a batch; else the trace is split where spans ask different known questions; else it is one question.
    pub(super) fn questions(self, is_question: &dyn Fn(&str) -> bool) -> Vec<Question> {
        let asks: Vec<bool> = (0..self.spans.len()).map(|at| is_question(self.asked(at))).collect();
        let heads = self.inherited(|at| asks[at].then_some(at));
        let mut chains =
            groups(&heads, |head| (self.spans[head].kind == Kind::Other).then_some(head));
        chains.retain(|_, members| members.iter().any(|at| self.spans[*at].kind == Kind::Model));
        if chains.len() > 1 {
            let chains = chains.into_iter();
            let chains =
                chains.map(|(head, members)| (self.asked(head).to_owned(), members)).collect();
            return self.split(chains);
        }
        let below = self.asked_below(&asks);
        let tops = self.inherited(|at| match below[at] {
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
    fn inherited(&self, own: impl Fn(usize) -> Option<usize>) -> Vec<Option<usize>> {
        let mut values: Vec<Option<usize>> = vec![None; self.spans.len()];
        for at in (0..self.spans.len()).rev() {
            values[at] = self.parents[at].and_then(|parent| values[parent]).or_else(|| own(at));
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
            Question { text: Some(text), tree: Tree { spans, parents, n_duplicates: 0 } }
        });
        groups.collect()
    }

    /// Returns the text that a root was asked, else the first query of a retriever.
    fn likely_question(&self) -> Option<String> {
        let roots =
            self.by_start(|at| self.parents[at].is_none() && self.spans[at].kind == Kind::Other);
        let retrievers = self.by_start(|at| self.spans[at].kind == Kind::Retriever);
        let queries =
            roots.iter().chain(&retrievers).filter_map(|at| self.spans[*at].query.as_deref());
        queries.map(str::trim).find(|query| !query.is_empty()).map(str::to_owned)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn model(id: &str, parent: &str, start: i64) -> Span {
        Span { kind: Kind::Model, ..Span::made(id, parent, start, "") }
    }

    fn is_question(text: &str) -> bool {
        ["one?", "two?"].contains(&text)
    }

    /// Returns the questions of a tree, with the number of spans of each.
    fn split(tree: Tree) -> Vec<(Option<String>, usize)> {
        let questions = tree.questions(&is_question).into_iter();
        questions.map(|question| (question.text, question.tree.spans.len())).collect()
    }

    #[test]
    fn a_trace_without_a_root_is_one_question() {
        let tree = Tree::new(vec![
            Span::made("r", "gone", 1, "one?"),
            Span::made("c", "gone", 2, "one?"),
            model("m", "gone", 3),
        ]);
        assert_eq!(split(tree), [(Some("one?".to_owned()), 3)]);
    }

    #[test]
    fn several_questions_below_one_root_are_separate_also_repeats() {
        let spans = |second: &str| {
            vec![
                Span::made("root", "", 0, "evaluate"),
                Span::made("a", "root", 1, "one?"),
                model("am", "a", 2),
                Span::made("b", "root", 3, second),
                model("bm", "b", 4),
                Span::made("other", "root", 5, ""),
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
            Span::made("a", "", 1, "one?"),
            Span::made("b", "", 2, " two? "),
            Span::made("b1", "b", 3, "rewritten"),
        ]);
        assert_eq!(split(tree), [(Some("one?".to_owned()), 1), (Some("two?".to_owned()), 2)]);
    }

    #[test]
    fn a_chain_without_a_text_of_its_own_has_the_question_of_its_retriever() {
        let asking = |chain: &str, start, query| Span {
            kind: Kind::Retriever,
            ..Span::made(&format!("{chain} r"), chain, start, query)
        };
        let two = vec![
            Span::made("root", "", 0, ""),
            Span::made("a", "root", 1, ""),
            asking("a", 2, "one?"),
            model("am", "a", 3),
            Span::made("b", "root", 4, ""),
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
        let asked = |id, start| Span { query: Some("one?".into()), ..model(id, "root", start) };
        let tree = Tree::new(vec![
            Span::made("root", "", 0, ""),
            asked("rewrite", 1),
            Span::made("r", "root", 2, "one?"),
            asked("answer", 3),
        ]);
        assert_eq!(split(tree), [(Some("one?".to_owned()), 4)]);
    }

    #[test]
    fn an_unknown_question_is_the_root_s_else_the_retriever_s() {
        let tree = Tree::new(vec![
            Span { kind: Kind::Retriever, ..Span::made("a", "r", 1, "rewritten") },
            Span::made("r", "", 0, "asked"),
        ]);
        assert_eq!(split(tree), [(Some("asked".to_owned()), 2)]);
        let tree = Tree::new(vec![
            Span { kind: Kind::Retriever, ..Span::made("a", "r", 1, "query") },
            Span::made("r", "", 0, ""),
        ]);
        assert_eq!(split(tree), [(Some("query".to_owned()), 2)]);
    }
}
