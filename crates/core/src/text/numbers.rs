//! Readable numbers: counts, lists, sizes.

use crate::types::Interval;

/// Formats `n` with a comma between every three digits: `1,204`.
#[must_use]
pub fn thousands(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Formats a count with its noun: `1 question`, `1,204 questions`.
#[must_use]
pub fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{} {}", thousands(n), if n == 1 { one } else { many })
}

/// Chooses the singular or plural of each `[one|many]` in `text` for `n`. Other brackets are unchanged.
#[must_use]
pub fn inflected(text: &str, n: usize) -> String {
    let mut chosen = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        chosen.push_str(before);
        let forms = after
            .split_once(']')
            .and_then(|(inside, behind)| Some((inside.split_once('|')?, behind)));
        let Some(((one, many), behind)) = forms else {
            chosen.push('[');
            rest = after;
            continue;
        };
        chosen.push_str(if n == 1 { one } else { many });
        rest = behind;
    }
    chosen + rest
}

/// Formats a sum of shares without decimals. Sums of one number in different orders give one text: `1,363` for 1362.5.
#[must_use]
pub fn whole(sum: f64) -> String {
    // -0.0 would be printed with its sign.
    let exact = (sum * 1e6).round() / 1e6;
    let sign = if exact.round() < 0.0 { "-" } else { "" };
    format!("{sign}{}", thousands(exact.round().abs() as usize))
}

/// Formats the interval of a count behind it: ` [136, 168]`. Empty without one, and where it would claim that 0 is certain.
#[must_use]
pub fn of_count(ci: Option<Interval>) -> String {
    let bounds = ci.map(|ci| [whole(ci.low), whole(ci.high)]);
    let bounds = bounds.filter(|bounds| bounds.iter().any(|bound| bound != "0"));
    bounds.map_or(String::new(), |[low, high]| format!(" [{low}, {high}]"))
}

/// Formats a share in 0..=1 as a percentage with one decimal: `12.5%`.
#[must_use]
pub fn percent(share: f64) -> String {
    // -0.0 would be printed with its sign.
    format!("{:.1}%", 100.0 * share + 0.0)
}

/// Formats `part` of `whole` as a percentage; `0.0%` of nothing.
#[must_use]
pub fn percent_of(part: usize, whole: usize) -> String {
    percent(part as f64 / whole.max(1) as f64)
}

/// Formats an interval of a share in percent: `[46.1, 55.2]`.
#[must_use]
pub fn percents(ci: Interval) -> String {
    format!("[{:.1}, {:.1}]", 100.0 * ci.low, 100.0 * ci.high)
}

/// Formats a size in powers of 1,000 with one decimal: `1.5 MB`.
#[must_use]
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if n < 1000 {
        return format!("{n} B");
    }
    let mut size = n as f64 / 1e3;
    let mut unit = 0;
    // 999.95 would be printed as 1000.0.
    while size >= 999.95 && unit + 1 < UNITS.len() {
        size /= 1e3;
        unit += 1;
    }
    format!("{size:.1} {}", UNITS[unit])
}

/// Formats a list: `3`, `3 and 4`, `3, 4 and 5`.
#[must_use]
pub fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_of_forms_is_chosen_and_other_brackets_remain() {
        let text = "[line|lines] with keys that [is|are] `contexts[].rank` [x";
        assert_eq!(inflected(text, 1), "line with keys that is `contexts[].rank` [x");
        assert_eq!(inflected(text, 2), "lines with keys that are `contexts[].rank` [x");
    }

    #[test]
    fn sums_that_differ_by_rounding_errors_have_one_text() {
        let text = [362.5, 362.499_999_999_9, 362.500_000_000_1, 362.49, -0.2].map(whole);
        assert_eq!(text, ["363", "363", "363", "362", "0"]);
    }

    #[test]
    fn every_three_digits_are_parted() {
        assert_eq!(
            [0, 999, 1204, 100_000, 1_234_567].map(thousands),
            ["0", "999", "1,204", "100,000", "1,234,567"]
        );
    }

    #[test]
    fn one_is_no_plural() {
        let said = [0, 1, 2000].map(|n| plural(n, "question", "questions"));
        assert_eq!(said, ["0 questions", "1 question", "2,000 questions"]);
    }

    #[test]
    fn lists_end_in_and() {
        let list = |n: usize| listed(&(0..n).map(|n| n.to_string()).collect::<Vec<_>>());
        assert_eq!([list(0), list(1), list(2), list(3)], ["", "0", "0 and 1", "0, 1 and 2"]);
    }

    #[test]
    fn sizes_change_their_unit_before_they_have_four_digits() {
        let all = [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (999_949, "999.9 kB"),
            (999_950, "1.0 MB"),
            (2_500_000_000, "2.5 GB"),
            (7_000_000_000_000_000, "7000.0 TB"),
        ];
        for (n, expected) in all {
            assert_eq!(bytes(n), expected);
        }
    }
}
