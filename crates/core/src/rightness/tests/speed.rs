//! Timing of the rule, printed on request.

use std::time::Instant;

use super::sets::{Item, items, judged};

/// Writes the seconds for 7,405 answers of the sets under `RIGHTNESS_SETS` to `RIGHTNESS_OUT`.
#[test]
fn speed_is_reported() {
    let (Some(folder), Some(out)) = (
        std::env::var_os("RIGHTNESS_SPEED"),
        std::env::var_os("RIGHTNESS_OUT"),
    ) else {
        return;
    };
    let sets: Vec<Item> = ["wrong.jsonl", "right.jsonl"]
        .iter()
        .flat_map(|name| items(&std::path::Path::new(&folder).join(name)))
        .collect();
    let start = Instant::now();
    let n = sets
        .iter()
        .cycle()
        .take(7405)
        .filter(|item| judged(item).is_right())
        .count();
    std::fs::write(
        out,
        format!("{:.3} s, {n} right", start.elapsed().as_secs_f64()),
    )
    .unwrap();
}
