//! Answers that name their item by its index in the call.

use ragtriage_core::text::numbers::plural;

/// Sorts `answers` into the order of the request: each index of 0 to `n - 1` once. The error describes the indexes
/// found instead.
pub fn by_index<T>(
    answers: impl IntoIterator<Item = (usize, T)>,
    n: usize,
) -> Result<Vec<T>, String> {
    let mut places: Vec<Option<T>> = std::iter::repeat_with(|| None).take(n).collect();
    let mut n_answers = 0;
    for (index, answer) in answers {
        n_answers += 1;
        match places.get_mut(index) {
            Some(place) if place.is_none() => *place = Some(answer),
            Some(_) => return Err(format!("two results with index {index}")),
            None => return Err(format!("a result with index {index} for {}", texts(n))),
        }
    }
    places.into_iter().collect::<Option<Vec<T>>>().ok_or_else(|| {
        let results = plural(n_answers, "result", "results");
        format!("{results} for {}", texts(n))
    })
}

fn texts(n: usize) -> String {
    plural(n, "text", "texts")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_is_filled_once() {
        assert_eq!(by_index([(1, 'b'), (0, 'a')], 2), Ok(vec!['a', 'b']));
        assert_eq!(by_index([(0, 'a')], 2), Err("1 result for 2 texts".to_owned()));
        assert_eq!(by_index([(0, 'a'), (0, 'b')], 2), Err("two results with index 0".to_owned()));
        assert_eq!(
            by_index([(0, 'a'), (2, 'b')], 2),
            Err("a result with index 2 for 2 texts".to_owned())
        );
        assert_eq!(by_index(std::iter::empty::<(usize, char)>(), 0), Ok(vec![]));
    }
}
