//! Not tests: the source of the figures on memory and disk in `docs/src/qdrant.md`.
//!
//! Start a separate server, then `RAGTRIAGE_QDRANT_URL=... cargo test --release sizes -- --ignored --exact NAME`, where
//! NAME is one of the two below with its path. Each leaves a collection of 100,000 points on the server: measure the
//! size of its folder (`du`) and the server's memory after a restart (`VmRSS` in `/proc/PID/status`), then delete it.

use super::oracle::dense;
use super::{Kind, remote, spec};
use crate::{CollectionSpec, Point, VectorSpec};
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
