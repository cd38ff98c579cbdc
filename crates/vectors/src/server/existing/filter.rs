//! A filter on the payload of an existing collection.
//!
//! [`Filter::matches`] is the definition. Numbers become ranges over 64-bit floats, since Qdrant's match supports
//! integers only and would not let 2 equal 2.0. An empty list becomes a condition on no id, because an empty list
//! of alternatives means "anything" to Qdrant.

use qdrant_client::qdrant::r#match::MatchValue;
use qdrant_client::qdrant::{Condition, Filter as GrpcFilter, Range};
use ragtriage_core::types::{FieldCondition as Wanted, Filter, Literal, NumberBounds};

/// Converts a filter whose fields are paths in the payload; `None` if every point passes.
pub(super) fn translated(filter: &Filter) -> Option<GrpcFilter> {
    let mut translated = GrpcFilter::default();
    for (path, wanted) in &filter.fields {
        let alternatives = match wanted {
            Wanted::Is(literal) => any_of(path, std::slice::from_ref(literal)),
            Wanted::OneOf(literals) => any_of(path, literals),
            Wanted::Within(bounds) => vec![within(path, *bounds)],
            Wanted::Not(excluded) => {
                translated.must_not.extend(any_of(path, &excluded.not));
                continue;
            }
        };
        translated.must.push(GrpcFilter::should(alternatives).into());
    }
    (!filter.is_empty()).then_some(translated)
}

/// Returns conditions of which one has to hold for a field to equal one of `literals`.
fn any_of(path: &str, literals: &[Literal]) -> Vec<Condition> {
    let equals = |literal: &Literal| match literal {
        Literal::Text(text) => Condition::matches(path, vec![text.clone()]),
        Literal::Bool(value) => Condition::matches(path, MatchValue::Boolean(*value)),
        Literal::Number(number) => {
            let (gte, lte) = (Some(*number), Some(*number));
            within(path, NumberBounds { gte, lte, ..NumberBounds::default() })
        }
    };
    if literals.is_empty() { vec![nothing()] } else { literals.iter().map(equals).collect() }
}

fn within(path: &str, bounds: NumberBounds) -> Condition {
    let NumberBounds { gt, gte, lt, lte } = bounds;
    Condition::range(path, Range { lt, gt, gte, lte })
}

fn nothing() -> Condition {
    Condition::has_id(Vec::<u64>::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translation(filter: &str) -> GrpcFilter {
        translated(&toml::from_str(filter).expect("a filter")).expect("fields")
    }

    #[test]
    fn numbers_are_ranges_and_literals_are_alternatives() {
        let two = Range { gte: Some(2.0), lte: Some(2.0), ..Range::default() };
        let team = [
            Condition::matches("team", vec!["a".to_owned()]),
            Condition::range("team", two),
            Condition::matches("team", MatchValue::Boolean(true)),
        ];
        assert_eq!(
            translation("team = [\"a\", 2, true]"),
            GrpcFilter::must([GrpcFilter::should(team).into()])
        );
        assert_eq!(translated(&Filter::default()), None);
    }

    #[test]
    fn what_nothing_can_meet_is_said_so() {
        let never = GrpcFilter::must([GrpcFilter::should([nothing()]).into()]);
        assert_eq!(translation("team = []"), never);
        assert_eq!(translation("team = { not = [] }"), GrpcFilter::must_not([nothing()]));
    }
}
