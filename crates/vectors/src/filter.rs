//! A metadata filter in the terms that both engines support: matches, ranges, and negated matches.
//!
//! [`Filter::matches`] is the definition. Numbers become ranges over 64-bit floats, since Qdrant's match supports
//! integers only and would not let 2 equal 2.0. A condition that nothing can meet (an empty list, a bound that is not a
//! number) becomes [`Clause::Nothing`], because an empty list of alternatives means "anything" to Qdrant.

use ragtriage_core::types::{Condition, Filter, Literal, NumberBounds};

/// Requirements of a filter: at least one clause of each group of `must`, none of `must_not`.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Demands {
    pub(super) must: Vec<Vec<Clause>>,
    pub(super) must_not: Vec<Clause>,
}

/// One condition on one field.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Clause {
    /// Equal to one of these texts.
    Texts(String, Vec<String>),
    /// Equal to this truth value.
    Bool(String, bool),
    /// A number within these bounds.
    Within(String, NumberBounds),
    /// Never met.
    Nothing,
}

/// Index type of a field, so that a filter on it need not read every point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Number,
    Bool,
}

impl Demands {
    /// Returns the requirements on the metadata of our own points.
    pub(super) fn of(filter: &Filter) -> Self {
        Self::by_path(filter, path)
    }

    /// Returns the requirements on the payload fields at `path` of each field of the filter.
    pub(super) fn by_path(filter: &Filter, path: fn(&str) -> String) -> Self {
        let mut demands = Self::default();
        for (field, condition) in &filter.fields {
            let path = path(field);
            match condition {
                Condition::Is(literal) => {
                    demands.must.push(any_of(&path, std::slice::from_ref(literal)));
                }
                Condition::OneOf(literals) => demands.must.push(any_of(&path, literals)),
                Condition::Within(bounds) => demands.must.push(vec![within(&path, *bounds)]),
                Condition::Not(excluded) => demands.must_not.extend(any_of(&path, &excluded.not)),
            }
        }
        demands
    }

    /// Returns the fields' paths with their index types; Qdrant has one index per field, so the first type requested
    /// wins.
    pub(super) fn fields(&self) -> Vec<(String, FieldKind)> {
        let mut fields: Vec<(String, FieldKind)> = Vec::new();
        for clause in self.must.iter().flatten().chain(&self.must_not) {
            let (path, kind) = match clause {
                Clause::Texts(path, _) => (path, FieldKind::Text),
                Clause::Within(path, _) => (path, FieldKind::Number),
                Clause::Bool(path, _) => (path, FieldKind::Bool),
                Clause::Nothing => continue,
            };
            if fields.iter().all(|(known, _)| known != path) {
                fields.push((path.clone(), kind));
            }
        }
        fields
    }
}

/// Returns clauses of which one has to hold for a field to equal one of `literals`.
fn any_of(path: &str, literals: &[Literal]) -> Vec<Clause> {
    let mut texts = Vec::new();
    let mut clauses = Vec::new();
    for literal in literals {
        match literal {
            Literal::Text(text) => texts.push(text.clone()),
            Literal::Bool(value) => clauses.push(Clause::Bool(path.to_owned(), *value)),
            Literal::Number(number) => {
                let bounds = NumberBounds {
                    gte: Some(*number),
                    lte: Some(*number),
                    ..NumberBounds::default()
                };
                clauses.push(within(path, bounds));
            }
        }
    }
    if !texts.is_empty() {
        clauses.push(Clause::Texts(path.to_owned(), texts));
    }
    if clauses.is_empty() {
        clauses.push(Clause::Nothing);
    }
    clauses
}

fn within(path: &str, bounds: NumberBounds) -> Clause {
    let NumberBounds { gt, gte, lt, lte } = bounds;
    if [gt, gte, lt, lte].into_iter().flatten().any(f64::is_nan) {
        return Clause::Nothing;
    }
    Clause::Within(path.to_owned(), bounds)
}

/// Returns a metadata field's key in the payload. Qdrant's paths cannot hold a quotation mark or a backslash
/// (`lib/segment/src/json_path/parse.rs`), so these two, and the percent sign that escapes them, are written as in
/// URLs.
pub(super) fn payload_key(field: &str) -> String {
    field.replace('%', "%25").replace('"', "%22").replace('\\', "%5C")
}

/// Returns a metadata field's path in the payload, always quoted, so that a dot or a bracket in a name is part of it.
fn path(field: &str) -> String {
    format!("metadata.\"{}\"", payload_key(field))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demands(filter: &str) -> Demands {
        Demands::of(&toml::from_str(filter).expect("a filter"))
    }

    fn exactly(number: f64) -> NumberBounds {
        NumberBounds { gte: Some(number), lte: Some(number), ..NumberBounds::default() }
    }

    #[test]
    fn numbers_are_ranges_and_texts_one_match() {
        let team = "metadata.\"team\"".to_owned();
        assert_eq!(
            demands("team = [\"a\", 2, \"b\", true]").must,
            [[
                Clause::Within(team.clone(), exactly(2.0)),
                Clause::Bool(team.clone(), true),
                Clause::Texts(team, vec!["a".to_owned(), "b".to_owned()]),
            ]]
        );
    }

    #[test]
    fn what_nothing_can_meet_is_said_so() {
        assert_eq!(demands("team = []").must, [[Clause::Nothing]]);
        assert_eq!(
            demands("team = { not = [] }"),
            Demands { must: vec![], must_not: vec![Clause::Nothing] }
        );
    }

    #[test]
    fn odd_names_are_quoted() {
        assert_eq!(path("a.b[0]"), "metadata.\"a.b[0]\"");
        assert_eq!(path("5\" \\ 100%"), "metadata.\"5%22 %5C 100%25\"");
    }

    #[test]
    fn a_field_is_indexed_once() {
        let fields = demands("a = [1, \"x\"]\nb = { not = [true] }").fields();
        assert_eq!(
            fields,
            [
                ("metadata.\"a\"".to_owned(), FieldKind::Number),
                ("metadata.\"b\"".to_owned(), FieldKind::Bool)
            ]
        );
    }
}
