//! Secrets in documents and questions: keys and tokens by their issuers' public prefixes, passwords by how they stand there.
//!
//! A finding shows the kind, the line and what stands before the secret begins (a token's public prefix, `password=`), never
//! a character of the secret itself; [`masked`] does the same to any text that quotes the data.

use std::borrow::Cow;
use std::sync::LazyLock;

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use regex::{Captures, Regex, RegexSet};

use super::finding::{Finding, Rule};
use super::subject::Subject;

/// What a secret is, and how it looks: the group `s` is the secret, what stands before it may be shown.
const KINDS: [(&str, &str); 13] = [
    ("a private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?<s>)"),
    ("an AWS access key id", r"\b(?:AKIA|ASIA|ABIA|ACCA)(?<s>[A-Z2-7]{16})\b"),
    ("a GitHub token", r"\b(?:gh[pousr]_(?<s>[A-Za-z0-9]{36,})|github_pat_(?<s2>[A-Za-z0-9_]{60,}))"),
    ("a GitLab token", r"\bgl(?:pat|ptt|rt|dt|cbt|soat)-(?<s>[A-Za-z0-9_-]{20,})"),
    ("a Slack token", r"\bxox[abeoprs]-(?<s>[A-Za-z0-9-]{10,})"),
    ("a Slack webhook", r"\bhooks\.slack\.com/services/(?<s>T[A-Z0-9]{6,}/B[A-Z0-9]{6,}/[A-Za-z0-9]{16,})"),
    ("a Stripe key", r"\b(?:sk|rk)_live_(?<s>[A-Za-z0-9]{16,})"),
    ("an OpenAI or Anthropic key", r"\bsk-(?:proj-|svcacct-|admin-|ant-)?(?<s>[A-Za-z0-9_-]{20,})"),
    ("a Google API key", r"\bAIza(?<s>[A-Za-z0-9_-]{35})"),
    ("a JSON web token", r"\beyJ(?<s>[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,})"),
    ("a Hugging Face token", r"\bhf_(?<s>[A-Za-z]{34})\b"),
    ("a password in an address", r#"\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s/:@"'`]+:(?<s>[^\s/@"'`]{3,})@"#),
    (
        "a password or key",
        r#"(?i)\b[\w.-]*(?:passw(?:or)?d|pwd|secret|token|api[_-]?key|access[_-]?key)["'`]?\s{0,4}(?:[:=]|=>)\s{0,4}["'`]?(?<s>[^\s"'`<>{}()\[\],;|]{8,})"#,
    ),
];

/// Of these two the value decides: an address or an assignment is there in any manual.
const IN_ADDRESS: usize = 11;
const ASSIGNED: usize = 12;
/// Here letters alone may be the name of something.
const GENERIC_PREFIX: usize = 7;

/// Words that stand for a secret in manuals; the example key of AWS's own ends in the first.
const PLACEHOLDERS: [&str; 10] =
    ["example", "changeme", "password", "placeholder", "redacted", "secret", "xxxx", "****", "your", "dummy"];

/// An unbroken run of so many characters with letters and digits mixed is no word, name or version. Eight is the least that
/// password rules ask for.
const LEAST_RUN: usize = 8;
/// Bits a character of such a run: eight different characters have 3, `aaaa1111` has 1. Shannon entropy is what secret
/// scanners use, too; most set 3 for hexadecimal digits.
const LEAST_ENTROPY: f64 = 2.5;

static PATTERNS: LazyLock<Vec<Regex>> =
    LazyLock::new(|| KINDS.iter().map(|(_, pattern)| Regex::new(pattern).expect("a pattern of ours")).collect());
static ANY: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(KINDS.iter().map(|(_, pattern)| pattern)).expect("patterns of ours"));

/// A secret in a text.
struct Secret {
    kind: &'static str,
    /// Where the match begins, where the secret in it does, and where both end, in bytes.
    start: usize,
    hidden: usize,
    end: usize,
}

/// Secrets in documents (text and title) and in questions (text, answers and facts).
#[must_use]
pub fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let of_document = |document: &crate::types::Document| {
        let in_text = secrets(&document.text).into_iter().map(|secret| {
            let line = 1 + document.text[..secret.start].matches('\n').count();
            Finding { line: Some(line), ..finding(&secret, &document.text).in_document(&document.id) }
        });
        let in_title = secrets(&document.title).into_iter();
        let in_title = in_title.map(|secret| finding(&secret, &document.title).in_document(&document.id));
        // A title is mostly the first heading of the text: told once.
        let in_text: Vec<Finding> = in_text.collect();
        let in_title: Vec<Finding> = if in_text.is_empty() { in_title.collect() } else { Vec::new() };
        in_text.into_iter().chain(in_title).collect::<Vec<_>>()
    };
    let of_question = |(number, question): (usize, &crate::types::Question)| {
        let facts = question.required.iter().chain(&question.forbidden).flatten();
        let texts = std::iter::once(&question.text).chain(&question.answers).chain(facts);
        let found = texts.flat_map(|text| secrets(text).into_iter().map(|secret| finding(&secret, text)));
        found
            .map(|Finding { message, hint, .. }| subject.finding(number, Rule::Secret, message, hint))
            .collect::<Vec<_>>()
    };
    let documents: Vec<Finding> = subject.documents.par_iter().flat_map_iter(of_document).collect();
    let questions: Vec<Finding> = subject.questions.par_iter().enumerate().flat_map_iter(of_question).collect();
    documents.into_iter().chain(questions).collect()
}

/// `text` with every secret in it cut away.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut found = secrets(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_unstable_by_key(|secret| secret.hidden);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for secret in found {
        if secret.hidden >= at {
            out.push_str(&text[at..secret.hidden]);
            out.push('…');
        }
        at = at.max(secret.end);
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

fn finding(secret: &Secret, text: &str) -> Finding {
    let Secret { kind, start, hidden, .. } = secret;
    let message = format!("{kind}, `{}…`", &text[*start..*hidden]);
    Finding::new(Rule::Secret, message, "take it out here and revoke it: it may have been copied already")
}

/// By kind, then by place. A text that is caught as one kind is not told again as another.
fn secrets(text: &str) -> Vec<Secret> {
    let mut found: Vec<Secret> = Vec::new();
    for number in ANY.matches(text) {
        for captures in PATTERNS[number].captures_iter(text) {
            let secret = secret(number, &captures);
            let value = &text[secret.hidden..secret.end];
            let is_told = found.iter().any(|other| other.start < secret.end && secret.start < other.end);
            if !is_told && is_secret(number, value) {
                found.push(secret);
            }
        }
    }
    found
}

fn secret(number: usize, captures: &Captures<'_>) -> Secret {
    let whole = captures.get(0).expect("the match");
    let hidden = captures.name("s").or_else(|| captures.name("s2")).expect("every pattern has it");
    Secret { kind: KINDS[number].0, start: whole.start(), hidden: hidden.start(), end: whole.end() }
}

/// Whether the value is one, and no stand-in.
fn is_secret(number: usize, value: &str) -> bool {
    let lower = value.to_lowercase();
    // A variable, a template's field, a path.
    let stands_in =
        PLACEHOLDERS.iter().any(|word| lower.contains(word)) || value.starts_with(['$', '<', '{', '%', '/', '~', '.']);
    let has = |test: fn(&char) -> bool| value.chars().any(|c| test(&c));
    match number {
        _ if stands_in => false,
        ASSIGNED => looks_random(value),
        IN_ADDRESS => !matches!(lower.as_str(), "pass" | "pwd" | "passwd" | "pw"),
        GENERIC_PREFIX => has(char::is_ascii_digit) && has(char::is_ascii_uppercase) && has(char::is_ascii_lowercase),
        _ => true,
    }
}

/// Whether some run of the value between marks that part words is long, mixed, and has few characters twice.
fn looks_random(value: &str) -> bool {
    value.split(['-', '_', '.', ':', '/', '\\', '@', '#', '$']).any(|run| {
        let n_digits = run.chars().filter(char::is_ascii_digit).count();
        let n_letters = run.chars().filter(|c| c.is_alphabetic()).count();
        run.chars().count() >= LEAST_RUN && n_digits > 0 && n_letters > 0 && entropy(run) >= LEAST_ENTROPY
    })
}

/// Shannon's entropy of the characters, in bits a character.
fn entropy(text: &str) -> f64 {
    let mut letters: Vec<char> = text.chars().collect();
    letters.sort_unstable();
    let n = letters.len() as f64;
    let shares = letters.chunk_by(|a, b| a == b).map(|run| run.len() as f64 / n);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, told};
    use super::*;

    /// Made at run time, so that no scanner of this repository finds one.
    fn made(prefix: &str, n: usize) -> String {
        let letters: Vec<char> = ('a'..='z').chain('A'..='Z').chain('0'..='9').collect();
        let body = (0..n).map(|at| letters[(at * 29 + 7) % letters.len()]);
        prefix.chars().chain(body).collect()
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        secrets(text).iter().map(|secret| secret.kind).collect()
    }

    #[test]
    fn each_kind_is_known_and_shown_only_as_far_as_it_is_public() {
        let upper = |text: String| text.to_uppercase().replace(['0', '1', '8', '9'], "A");
        let cases = [
            (["-----BEGIN RSA PRIV", "ATE KEY-----"].concat(), "a private key"),
            (upper(made("AKIA", 16)), "an AWS access key id"),
            (made("ghp_", 36), "a GitHub token"),
            (made("github_pat_", 82), "a GitHub token"),
            (made("glpat-", 20), "a GitLab token"),
            (made("xoxb-", 24), "a Slack token"),
            (format!("hooks.slack.com/services/T0AAAAAAA/B0AAAAAAA/{}", made("", 24)), "a Slack webhook"),
            (made("sk_live_", 24), "a Stripe key"),
            (made("sk-proj-", 48), "an OpenAI or Anthropic key"),
            (made("AIza", 35), "a Google API key"),
            (format!("{}.{}.{}", made("eyJ", 12), made("eyJ", 20), made("", 20)), "a JSON web token"),
            (format!("postgres://app:{}@db.internal/orders", made("", 6)), "a password in an address"),
            (format!("db_password: \"{}\"", made("", 12)), "a password or key"),
        ];
        for (text, kind) in cases {
            assert_eq!(kinds(&format!("x {text} y")), [kind], "{text}");
            let [secret] = &secrets(&text)[..] else { panic!("{text}") };
            let shown = finding(secret, &text).message;
            assert!(secret.end == secret.hidden || !shown.contains(&text[secret.hidden..secret.hidden + 3]), "{shown}");
            assert_eq!(masked(&text), format!("{}…{}", &text[..secret.hidden], &text[secret.end..]));
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
            assert!(matches!(masked(text), Cow::Borrowed(_)));
        }
        assert_eq!(kinds(&format!("AKIA{}EXAMPLE", "IOSFODNN7")), [] as [&str; 0], "AWS's own example");
    }

    #[test]
    fn findings_say_where() {
        let token = made("ghp_", 36);
        let documents = vec![document("a", &format!("one\ntwo\n{token}\n"))];
        let asked = vec![question("q", "What is it?", &[&token], &["a"])];
        let inspection = inspection(documents, asked);
        let found = check(&Subject::new(&inspection));
        assert_eq!(told(&found), ["a: a GitHub token, `ghp_…`", "q: a GitHub token, `ghp_…`"]);
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [Some(3), Some(1)]);
    }

    #[test]
    fn entropy_is_shannons() {
        // Eight different: log2 8 = 3. Four and four: 1. One: 0.
        assert_eq!(["abcdefgh", "aaaa1111", "aaaa"].map(entropy), [3.0, 1.0, 0.0]);
    }
}
