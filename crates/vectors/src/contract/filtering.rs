//! Filters: [`Filter::matches`] defines their meaning, whatever the engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::oracle::{DIMENSION, Random, approximate, dense, exact, numbers};
use super::{StoreKind, spec};
use crate::{CollectionSpec, Point, VectorSearch, VectorSpec};
use ragtriage_core::config::Hnsw;
use ragtriage_core::types::{Condition, Excluded, Filter, Literal, NumberBounds, Similarity};

/// Names that a path could misinterpret.
const FIELDS: [&str; 9] =
    ["team", "a.b", "c[0]", "with \"quotes\"", "100%", "back\\slash", "", "größe", "a"];

const TEXTS: [&str; 5] = ["ops", "Ops", "2", "", "true"];

const NUMBERS: [f64; 7] = [-1.5, -0.0, 0.0, 1.0, 2.0, 2.5, 9_007_199_254_740_993.0];

fn scalar(random: &mut Random) -> Value {
    match random.below(8) {
        0 => json!(random.below(4)),
        1 => json!(NUMBERS[random.below(NUMBERS.len())]),
        2 => json!(9_007_199_254_740_992_u64 + random.below(3) as u64),
        3 => json!(u64::MAX),
        4 => json!(random.below(2) == 0),
        5 => Value::Null,
        _ => json!(TEXTS[random.below(TEXTS.len())]),
    }
}

fn value(random: &mut Random) -> Value {
    match random.below(8) {
        0 | 1 => (0..random.below(4)).map(|_| scalar(random)).collect(),
        2 => json!({ "b": scalar(random) }),
        3 => json!([[scalar(random)], scalar(random)]),
        _ => scalar(random),
    }
}

fn metadata(random: &mut Random) -> BTreeMap<String, Value> {
    let mut metadata = BTreeMap::new();
    for field in FIELDS {
        if random.below(4) > 0 {
            metadata.insert(field.to_owned(), value(random));
        }
    }
    metadata
}

fn number(random: &mut Random) -> f64 {
    match random.below(20) {
        0 => f64::INFINITY,
        1 => f64::NAN,
        2 => u64::MAX as f64,
        _ => NUMBERS[random.below(NUMBERS.len())],
    }
}

fn literal(random: &mut Random) -> Literal {
    match random.below(4) {
        0 => Literal::Bool(random.below(2) == 0),
        1 => Literal::Number(number(random)),
        _ => Literal::Text(TEXTS[random.below(TEXTS.len())].to_owned()),
    }
}

fn condition(random: &mut Random) -> Condition {
    let literals = |random: &mut Random| (0..random.below(4)).map(|_| literal(random)).collect();
    match random.below(4) {
        0 => Condition::OneOf(literals(random)),
        1 => Condition::Not(Excluded { not: literals(random) }),
        2 => Condition::Is(literal(random)),
        _ => {
            let mut bound = || (random.below(3) == 0).then(|| number(random));
            Condition::Within(NumberBounds { gt: bound(), gte: bound(), lt: bound(), lte: bound() })
        }
    }
}

fn filter(random: &mut Random) -> Filter {
    let mut fields = BTreeMap::new();
    for _ in 0..=random.below(2) {
        fields.insert(FIELDS[random.below(FIELDS.len())].to_owned(), condition(random));
    }
    Filter { fields }
}

/// Returns the numbers of the points that may be found.
fn matching(points: &[Point], filter: &Filter) -> Vec<u32> {
    points
        .iter()
        .filter(|point| filter.matches(&point.metadata))
        .map(|point| point.number)
        .collect()
}

fn with_metadata(points: &mut [Point]) {
    let mut random = Random(20_261_124);
    for point in points {
        random.next();
        point.metadata = Arc::new(metadata(&mut random));
    }
}

pub(super) async fn a_filter_lets_through_what_it_matches(kind: &impl StoreKind) {
    let spec = spec(300);
    let mut points = dense(300, DIMENSION);
    with_metadata(&mut points);
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    let mut random = Random(20_261_125);
    let query = &points[0].vector;
    let (mut n_some, mut n_none) = (0, 0);
    for _ in 0..400 {
        let filter = filter(&mut random);
        let search = VectorSearch { filter: Some(&filter), ..exact(query, 300) };
        let mut found = numbers(&store.search(search).await.expect("searched"));
        found.sort_unstable();
        let expected = matching(&points, &filter);
        assert_eq!(found, expected, "{filter:?}");
        if expected.is_empty() || expected.len() == 300 {
            n_none += 1;
        } else {
            n_some += 1;
        }
    }
    assert!(n_some > 200 && n_none > 20, "{n_some} filters part the points, {n_none} do not");
    let empty = Filter::default();
    let all = store
        .search(VectorSearch { filter: Some(&empty), ..exact(query, 300) })
        .await
        .expect("searched");
    assert_eq!(all.len(), 300);
    kind.clean(&spec).await;
}

pub(super) async fn a_filter_holds_for_the_graph_too(kind: &impl StoreKind) {
    let vector = VectorSpec { dimension: 16, similarity: Similarity::Cosine, many: false };
    let hnsw = Some(Hnsw { from_points: 1_000, ..Hnsw::default() });
    let spec = CollectionSpec { vector, hnsw, ..spec(2_000) };
    let mut points = dense(2_000, 16);
    for point in &mut points {
        point.metadata = Arc::new(BTreeMap::from([("third".to_owned(), json!(point.number % 3))]));
    }
    let store = kind.open(&spec).await.expect("made");
    store.upsert(&points).await.expect("stored");
    assert!(store.graph_in_use().await.expect("described"));
    let filter: Filter = toml::from_str("third = [0, 2.0]").expect("a filter");
    for query in &points[..10] {
        let search = VectorSearch { filter: Some(&filter), ..approximate(&query.vector, 20) };
        let found = numbers(&store.search(search).await.expect("searched"));
        assert_eq!(found.len(), 20);
        assert!(found.iter().all(|number| number % 3 != 1), "{found:?}");
        assert_eq!(found.contains(&query.number), query.number % 3 != 1);
    }
    kind.clean(&spec).await;
}
