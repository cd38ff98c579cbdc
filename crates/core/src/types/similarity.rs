//! Similarity of two vectors.

use crate::closed_set::closed_set;

closed_set! {
    /// Similarity measure; larger is nearer.
    Similarity {
        /// Cosine of the angle, -1 to 1. Qdrant normalises the vectors that it stores.
        Cosine = "cosine",
        /// Dot product, any number.
        Dot = "dot",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_in_settings_by_its_name() {
        for similarity in Similarity::ALL {
            assert_eq!(serde_json::to_value(similarity).expect("serialises"), similarity.name());
        }
    }
}
