//! Reference values from scipy, scikit-learn, statsmodels and mpmath, in `expected.json`; `tests/data/stats/make.py`
//! generates it.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads one entry of the file.
pub(super) fn expected<T: DeserializeOwned>(name: &str) -> T {
    let mut file: Value =
        serde_json::from_str(include_str!("../../../../tests/data/stats/expected.json"))
            .expect("the file is JSON");
    serde_json::from_value(file[name].take()).expect("an entry of this shape")
}

/// Fails unless `found` is within `relative` of `wanted`.
#[track_caller]
pub(super) fn assert_close(found: f64, wanted: f64, relative: f64) {
    assert!(
        (found - wanted).abs() <= relative * wanted.abs(),
        "found {found:e}, wanted {wanted:e}"
    );
}
