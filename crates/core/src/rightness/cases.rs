//! Unit symbols whose case matters: `mW` and `MW`, `MB` and `Mb`.

/// Symbols that name several units, in lower case.
const SYMBOLS: [&str; 15] = [
    "mw", "mb", "gb", "kb", "tb", "mbps", "gbps", "kbps", "mhz", "mg", "ms", "mv", "mj", "mpa",
    "ma",
];

/// Returns true if `gold` and `answer` have a unit symbol in different cases, and the answer does not have it as in `gold`.
pub(super) fn differ_in_case(gold: &str, answer: &str) -> bool {
    let given: Vec<&str> = symbols(answer).collect();
    symbols(gold).any(|symbol| {
        !given.contains(&symbol)
            && given
                .iter()
                .any(|other| other.eq_ignore_ascii_case(symbol) && matters(symbol, other))
    })
}

/// Returns the unit symbols that follow a number.
fn symbols(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.match_indices(|c: char| c.is_ascii_digit());
    ends.filter_map(|(at, digit)| {
        let rest = text[at + digit.len()..].trim_start_matches(' ');
        let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let symbol = &rest[..end];
        let is_known = SYMBOLS.iter().any(|known| symbol.eq_ignore_ascii_case(known));
        is_known.then_some(symbol)
    })
}

/// Returns true if two spellings are of different units: another prefix (`m`, `M`), or bits and bytes. `mb` in lower case is
/// a careless `MB`.
fn matters(one: &str, other: &str) -> bool {
    let is_careless = |symbol: &str| symbol.chars().all(char::is_lowercase) && symbol.contains('b');
    if is_careless(one) || is_careless(other) {
        return false;
    }
    let differ = |c: char| one.contains(c) != other.contains(c);
    differ('m') || differ('b')
}
