//! Digest of the vectors of points.

use std::collections::BTreeMap;

use qdrant_client::qdrant::vector_output::Vector;
use qdrant_client::qdrant::vectors_output::VectorsOptions;
use qdrant_client::qdrant::{VectorOutput, VectorsOutput};
use sha2::{Digest, Sha256};

/// Adds a point's vectors, in the order of their names.
pub(super) fn hash(vectors: &VectorsOutput, sha256: &mut Sha256) {
    let named: BTreeMap<&str, &VectorOutput> = match &vectors.vectors_options {
        Some(VectorsOptions::Vector(vector)) => [("", vector)].into(),
        Some(VectorsOptions::Vectors(named)) => {
            let named = named.vectors.iter();
            named.map(|(name, vector)| (name.as_str(), vector)).collect()
        }
        None => BTreeMap::new(),
    };
    for (name, vector) in named {
        sha256.update((name.len() as u64).to_le_bytes());
        sha256.update(name);
        match vector.clone().into_vector() {
            Vector::Dense(dense) => numbers(&dense.data, sha256),
            Vector::Sparse(sparse) => {
                numbers(&sparse.values, sha256);
                for index in sparse.indices {
                    sha256.update(index.to_le_bytes());
                }
            }
            Vector::MultiDense(rows) => {
                for row in rows.vectors {
                    numbers(&row.data, sha256);
                }
            }
        }
    }
}

fn numbers(values: &[f32], sha256: &mut Sha256) {
    sha256.update((values.len() as u64).to_le_bytes());
    for value in values {
        sha256.update(value.to_le_bytes());
    }
}
