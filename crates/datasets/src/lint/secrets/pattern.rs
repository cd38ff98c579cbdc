//! What a secret looks like: tokens by their issuers' public prefixes, passwords by how they stand there.
//!
//! In a text they are found in time linear in it: a log has a password a line. What is told of them, and kept from being told,
//! is said elsewhere.

use std::sync::LazyLock;

use regex::{Captures, Regex, RegexSet};

/// What a secret is, and how it looks: the group `s` is the secret, what stands before it may be shown.
const KINDS: [(&str, &str); 13] = [
    (
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?<s>(?:\s*(?:Proc-Type|DEK-Info|Version|Comment): [^\r\n]*)*(?:(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{20,})+(?:(?:\s|\\[nr])+[A-Za-z0-9+/=]{1,19})?)?)",
    ),
    (
        "an AWS access key id",
        r"\b(?:AKIA|ASIA|ABIA|ACCA)(?<s>[A-Z2-7]{16})\b",
    ),
    (
        "a GitHub token",
        r"\b(?:gh[pousr]_(?<s>[A-Za-z0-9]{36,})|github_pat_(?<s2>[A-Za-z0-9_]{60,}))",
    ),
    (
        "a GitLab token",
        r"\bgl(?:pat|ptt|rt|dt|cbt|soat)-(?<s>[A-Za-z0-9_-]{20,})",
    ),
    ("a Slack token", r"\bxox[abeoprs]-(?<s>[A-Za-z0-9-]{10,})"),
    (
        "a Slack webhook",
        r"\bhooks\.slack\.com/services/(?<s>T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})",
    ),
    ("a Stripe key", r"\b(?:sk|rk)_live_(?<s>[A-Za-z0-9]{16,})"),
    (
        "an OpenAI or Anthropic key",
        r"\bsk-(?:proj-|svcacct-|admin-|ant-)?(?<s>[A-Za-z0-9_-]{20,})",
    ),
    ("a Google API key", r"\bAIza(?<s>[A-Za-z0-9_-]{35})"),
    (
        "a JSON web token",
        r"\beyJ(?<s>[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})",
    ),
    ("a Hugging Face token", r"\bhf_(?<s>[A-Za-z]{34})\b"),
    (
        "a password in an address",
        r#"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'`]+:(?<s>[^\s/@"'`]{3,})@"#,
    ),
    (
        "a password or key",
        r#"(?i)\b[\w.-]*(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key)["'`]?\s{0,4}(?:[:=]|=>)\s{0,4}["'`]?(?<s>[^\s"'`<>{}()\[\],;|]{8,})"#,
    ),
];

/// A key's header is enough: whatever stands behind it.
const PRIVATE_KEY: usize = 0;
/// Of these two the value decides: an address or an assignment is there in any manual.
const IN_ADDRESS: usize = 11;
const ASSIGNED: usize = 12;
/// Here letters alone may be the name of something.
const GENERIC_PREFIX: usize = 7;

/// Words that stand for a secret in manuals; the example key of AWS's own ends in the first.
const PLACEHOLDERS: [&str; 10] = [
    "example",
    "changeme",
    "password",
    "placeholder",
    "redacted",
    "secret",
    "xxxx",
    "****",
    "your",
    "dummy",
];

/// An unbroken run of so many characters with letters and digits mixed is no word, name or version. Eight is the least that
/// password rules ask for.
const LEAST_RUN: usize = 8;
/// Bits a character of such a run: eight different characters have 3, `aaaa1111` has 1. Shannon entropy is what secret
/// scanners use, too; most set 3 for hexadecimal digits.
const LEAST_ENTROPY: f64 = 2.5;

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    KINDS
        .iter()
        .map(|(_, pattern)| Regex::new(pattern).expect("a pattern of ours"))
        .collect()
});
static ANY: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(KINDS.iter().map(|(_, pattern)| pattern)).expect("patterns of ours")
});

/// A secret in a text; all offsets are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it is.
    pub(super) kind: &'static str,
    /// Where what gives it away begins.
    pub(super) start: usize,
    /// Where it begins itself.
    pub(super) hidden: usize,
    /// Where both end.
    pub(super) end: usize,
}

impl Secret {
    /// What may be shown: what stands before it.
    pub(super) fn shown<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.hidden]
    }
}

/// The secrets of a text in their order; none overlaps another: what is caught as one kind is not told again as one further
/// down the table.
#[must_use]
pub fn found_in(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    for number in ANY.matches(text) {
        let (n_told, mut at) = (found.len(), 0);
        for captures in PATTERNS[number].captures_iter(text) {
            let secret = secret(number, &captures);
            // Those told and those of this kind both ascend: each is passed once.
            while at < n_told && found[at].end <= secret.start {
                at += 1;
            }
            let is_told = at < n_told && found[at].start < secret.end;
            if !is_told && is_secret(number, &text[secret.hidden..secret.end]) {
                found.push(secret);
            }
        }
        found.sort_by_key(|secret| secret.start);
    }
    found
}

fn secret(number: usize, captures: &Captures<'_>) -> Secret {
    let whole = captures.get(0).expect("the match");
    let hidden = captures
        .name("s")
        .or_else(|| captures.name("s2"))
        .expect("every pattern has it");
    Secret {
        kind: KINDS[number].0,
        start: whole.start(),
        hidden: hidden.start(),
        end: whole.end(),
    }
}

/// Whether the value is one, and no stand-in.
fn is_secret(number: usize, value: &str) -> bool {
    let lower = value.to_lowercase();
    // A variable, a template's field, a path.
    let stands_in = PLACEHOLDERS.iter().any(|word| lower.contains(word))
        || value.starts_with(['$', '<', '{', '%', '/', '~', '.']);
    let has = |test: fn(&char) -> bool| value.chars().any(|c| test(&c));
    match number {
        PRIVATE_KEY => true,
        _ if stands_in => false,
        ASSIGNED => looks_random(value),
        IN_ADDRESS => !matches!(lower.as_str(), "pass" | "pwd" | "passwd" | "pw"),
        GENERIC_PREFIX => {
            has(char::is_ascii_digit)
                && has(char::is_ascii_uppercase)
                && has(char::is_ascii_lowercase)
        }
        _ => true,
    }
}

/// Whether some run of the value between marks that part words is long, mixed, and has few characters twice.
fn looks_random(value: &str) -> bool {
    value
        .split(['-', '_', '.', ':', '/', '\\', '@', '#', '$'])
        .any(|run| {
            let n_digits = run.chars().filter(char::is_ascii_digit).count();
            let n_letters = run.chars().filter(|c| c.is_alphabetic()).count();
            run.chars().count() >= LEAST_RUN
                && n_digits > 0
                && n_letters > 0
                && entropy(run) >= LEAST_ENTROPY
        })
}

/// Shannon's entropy of the characters, in bits a character.
fn entropy(text: &str) -> f64 {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    let n = letters.len() as f64;
    let shares = letters
        .chunk_by(|a, b| a == b)
        .map(|run| run.len() as f64 / n);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Made at run time, so that no scanner of this repository finds one.
    pub(in crate::lint::secrets) fn made(prefix: &str, n: usize) -> String {
        let letters: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        let body = (0..n).map(|at| letters[(at * 29 + 7) % letters.len()]);
        prefix.chars().chain(body).collect()
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        found_in(text).iter().map(|secret| secret.kind).collect()
    }

    #[test]
    fn each_kind_is_known_and_shown_only_as_far_as_it_is_public() {
        let upper = |text: String| text.to_uppercase().replace(['0', '1', '8', '9'], "A");
        let cases = [
            (
                ["-----BEGIN RSA PRIV", "ATE KEY-----"].concat(),
                "a private key",
            ),
            (upper(made("AKIA", 16)), "an AWS access key id"),
            (made("ghp_", 36), "a GitHub token"),
            (made("github_pat_", 82), "a GitHub token"),
            (made("glpat-", 20), "a GitLab token"),
            (made("xoxb-", 24), "a Slack token"),
            (
                format!(
                    "hooks.slack.com/services/T0AAAAAAA/B0AAAAAAA/{}",
                    made("", 24)
                ),
                "a Slack webhook",
            ),
            (made("sk_live_", 24), "a Stripe key"),
            (made("sk-proj-", 48), "an OpenAI or Anthropic key"),
            (made("AIza", 35), "a Google API key"),
            (
                format!("{}.{}.{}", made("eyJ", 12), made("eyJ", 20), made("", 20)),
                "a JSON web token",
            ),
            (
                format!("postgres://app:{}@db.internal/orders", made("", 6)),
                "a password in an address",
            ),
            (
                format!("db_password: \"{}\"", made("", 12)),
                "a password or key",
            ),
        ];
        for (text, kind) in cases {
            assert_eq!(kinds(&format!("x {text} y")), [kind], "{text}");
            let [secret] = &found_in(&text)[..] else {
                panic!("{text}")
            };
            let shown = secret.shown(&text);
            assert!(
                secret.end == secret.hidden
                    || !shown.contains(&text[secret.hidden..secret.hidden + 3]),
                "{shown}"
            );
        }
    }

    #[test]
    fn manuals_names_and_variables_are_no_secrets() {
        let innocent = [
            "password: $DB_PASSWORD and token = <your token>",
            "PASSWORD=\"${{ secrets.DB_2024_PASSWORD }}\"",
            "secret: checkout-api-credentials-v2 and token: cl100k_base",
            "api_key_env = \"OPENAI_API_KEY\"; pwd: /home/app/release2024/bin",
            "The token: it expires after 15 minutes. Password: see the vault.",
            "postgres://app:password@db/orders and https://user:$PASS@host and http://host:8080/a@b",
            "sk-learn-something-that-is-longer-than-it-should-be",
            "ghp_short, AKIA, eyJhbGciOi, xoxb-",
        ];
        for text in innocent {
            assert_eq!(kinds(text), [] as [&str; 0], "{text}");
        }
        assert_eq!(
            kinds(&format!("AKIA{}EXAMPLE", "IOSFODNN7")),
            [] as [&str; 0],
            "AWS's own example"
        );
    }

    #[test]
    fn a_key_has_its_body_with_it() {
        let (header, line) = (["-----BEGIN PRIV", "ATE KEY-----"].concat(), made("", 64));
        let text =
            format!("{header}\nProc-Type: 4,ENCRYPTED\n\n{line}\n{line}\nab=\n-----END\nand more");
        let [secret] = &found_in(&text)[..] else {
            panic!("{text}")
        };
        assert_eq!(
            (secret.shown(&text), &text[secret.end..]),
            (header.as_str(), "\n-----END\nand more")
        );
    }

    #[test]
    fn secrets_of_several_kinds_are_told_once_each_in_the_order_of_the_text() {
        let (token, value) = (made("ghp_", 36), made("", 12));
        let text = format!("password={value}\ntoken={token}\nsecret={value}\n");
        assert_eq!(
            kinds(&text),
            ["a password or key", "a GitHub token", "a password or key"]
        );
    }

    #[test]
    fn entropy_is_shannons() {
        // Eight different: log2 8 = 3. Four and four: 1. One: 0.
        assert_eq!(
            ["abcdefgh", "aaaa1111", "aaaa"].map(entropy),
            [3.0, 1.0, 0.0]
        );
    }
}
