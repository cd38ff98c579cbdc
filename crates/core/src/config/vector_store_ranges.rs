//! Checks the ranges of a vector store's settings.

use super::out_of_range::OutOfRange;
use super::ranges::check_ranges;
use super::vector_store::{Hnsw, Placement, Quantization};

impl Hnsw {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store.hnsw", &self)
    }
}

impl Quantization {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store.quantization", &self)
    }
}

impl Placement {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store", &self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::QuantizationKind;

    #[test]
    fn settings_have_defaults_and_refuse_what_they_do_not_know() {
        let hnsw: Hnsw = toml::from_str("ef = 200").expect("the rest by default");
        assert_eq!(hnsw, Hnsw { ef: 200, ..Hnsw::default() });
        let scalar: Quantization =
            toml::from_str("kind = \"scalar\"").expect("the rest by default");
        assert_eq!(
            scalar,
            Quantization { kind: QuantizationKind::Scalar, ..Quantization::default() }
        );
        assert!(toml::from_str::<Hnsw>("efs = 200").is_err());
        assert!(toml::from_str::<Quantization>("kind = \"ternary\"").is_err());
    }

    #[test]
    fn what_qdrant_would_refuse_is_refused_by_the_name_of_its_setting() {
        let text = |result: Result<(), OutOfRange>| result.expect_err("refused").to_string();
        let hnsw = Hnsw { ef_construct: 3, ..Hnsw::default() };
        assert_eq!(text(hnsw.check()), "`vector_store.hnsw.ef_construct` is 3, must be at least 4");
        for quantile in [0.4, 1.1, f64::NAN] {
            assert!(
                Quantization { quantile, ..Quantization::default() }.check().is_err(),
                "{quantile}"
            );
        }
        for oversampling in [0.5, f64::INFINITY, f64::NAN] {
            assert!(
                Quantization { oversampling, ..Quantization::default() }.check().is_err(),
                "{oversampling}"
            );
        }
        let placement = Placement { replicas: Some(0), ..Placement::default() };
        assert_eq!(text(placement.check()), "`vector_store.replicas` is 0, must be 1 to 1024");
    }
}
