//! Not tests: the source of the figures on memory and disk in `docs/src/qdrant.md`.
//!
//! Start a separate server, then `RAGTRIAGE_QDRANT_URL=... cargo test --release sizes -- --ignored --exact NAME`, where
//! NAME is one of the three below with its path. Each leaves a collection of 100,000 points on the server: measure the
//! size of its folder (`du`) and the server's memory after a restart (`VmRSS` in `/proc/PID/status`), then delete it.

use std::collections::BTreeMap;

use super::oracle::{Random, dense, point};
use super::{Kind, remote, spec};
use crate::{CollectionSpec, Point, Vector, VectorSpec};
use ragtriage_core::config::{Quantization, QuantizationKind};
use ragtriage_core::types::Similarity;

const N_POINTS: usize = 100_000;

const DENSE: VectorSpec = VectorSpec::Dense { dimension: 384, similarity: Similarity::Cosine };

async fn fill(spec: CollectionSpec, points: &[Point]) {
    let store = remote().expect("a server").open(&spec).await.expect("made");
    for window in points.chunks(4_000) {
        store.upsert(window).await.expect("stored");
    }
    assert!(store.missing().await.expect("listed").is_empty());
}

#[tokio::test]
#[ignore = "leaves a collection on the server"]
async fn float32() {
    fill(CollectionSpec { vector: DENSE, ..spec(N_POINTS) }, &dense(N_POINTS as u32, 384)).await;
}

#[tokio::test]
#[ignore = "leaves a collection on the server"]
async fn int8() {
    let quantization = Quantization { kind: QuantizationKind::Scalar, ..Quantization::default() };
    let spec = CollectionSpec { vector: DENSE, quantization, ..spec(N_POINTS) };
    fill(spec, &dense(N_POINTS as u32, 384)).await;
}

/// Chunks of 100 distinct terms of 200,000, the term at rank r drawn with weight 1/r: about as many as in 200 tokens of
/// English.
#[tokio::test]
#[ignore = "leaves a collection on the server"]
async fn sparse() {
    let mut random = Random(20_261_126);
    let mut chunk = |number| {
        let mut terms = BTreeMap::new();
        while terms.len() < 100 {
            let share = f64::from(random.next()) / f64::from(1 << 24);
            terms.insert(200_000_f64.powf(share) as u32, 0.5);
        }
        point(
            number,
            Vector::Sparse {
                indices: terms.keys().copied().collect(),
                values: terms.into_values().collect(),
            },
        )
    };
    let points: Vec<Point> = (0..N_POINTS as u32).map(&mut chunk).collect();
    fill(
        CollectionSpec {
            vector: VectorSpec::Sparse,
            vector_name: "bm25".to_owned(),
            ..spec(N_POINTS)
        },
        &points,
    )
    .await;
}
