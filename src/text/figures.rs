//! Counts and sizes as people read them.

/// A count with a comma before every three digits: `4,312`.
#[must_use]
pub fn count(n: u64) -> String {
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

/// A size in powers of 1,000 with one decimal: `1.5 MB`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_a_comma_before_every_three_digits() {
        let all = [(0, "0"), (999, "999"), (1000, "1,000"), (4312, "4,312"), (1_234_567, "1,234,567")];
        assert!(all.into_iter().all(|(n, expected)| count(n) == expected));
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
