//! Groundedness: how much of an answer the prompt's passages contain.

use std::collections::HashSet;

use crate::text::normalise;

/// Returns the share of the answer's normalised tokens that occur in the packed passages, in 0..=1; `None` for an answer
/// without tokens. K-Precision of Adlakha et al. (TACL 2024).
#[must_use]
pub fn groundedness(answer: &str, passages: &[&str]) -> Option<f64> {
    let passages: Vec<String> = passages
        .iter()
        .map(|text| normalise::official(text))
        .collect();
    let known: HashSet<&str> = passages.iter().flat_map(|text| text.split(' ')).collect();
    let answer = normalise::official(answer);
    let tokens: Vec<&str> = answer
        .split(' ')
        .filter(|token| !token.is_empty())
        .collect();
    let n_found = tokens.iter().filter(|token| known.contains(*token)).count();
    (!tokens.is_empty()).then(|| n_found as f64 / tokens.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_looked_up_in_all_passages() {
        let passages = ["The pool has 5 slots.", "Restart it."];
        // `restart` and `pool` of three tokens; `the` is an article and no token.
        let share = groundedness("Restart the pool now", &passages).expect("tokens");
        assert!((share - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(groundedness("...", &passages), None);
    }
}
