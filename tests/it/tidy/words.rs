//! Words that no text holds: in string literals, Markdown files, assets of the HTML report, and documentation comments.

use std::fs;

use super::links::{checked_files, without_code};
use super::source::Source;
use super::{is_test, name, root, rust_files, source_folders};

/// Words and phrases of another language than this project's: stilted, personified or replaced by a term of the field.
const FORBIDDEN: [&str; 22] = [
    "a question of its own",
    "anew",
    "beside",
    "flavour",
    "golds",
    "gone on with",
    "in work",
    "kept replies",
    "kept reply",
    "letter for letter",
    "mend",
    "nobody",
    "of one's own",
    "parted",
    "recorded elsewhere",
    "said",
    "so many",
    "somebody",
    "stands",
    "station",
    "stations",
    "told",
];

/// Lists of English words, and quotations from data.
const EXCEPTIONS: [&str; 4] =
    ["says said state", "none nobody hardly", "has not said  after", "before it pages somebody?"];

/// Scripts and styles of the HTML report, whose comments are checked.
const ASSETS: &str = "crates/report/src/html/assets";

/// First words of a documentation comment that is a clause instead of a sentence or a noun phrase.
const CLAUSES: [&str; 9] =
    ["How ", "Of ", "The same", "What ", "When ", "Where ", "Whether ", "Which", "Why "];

/// Returns the forbidden words of a text outside code spans.
fn forbidden(text: &str) -> Vec<&'static str> {
    let text = EXCEPTIONS
        .iter()
        .fold(without_code(text).to_lowercase(), |text, exception| text.replace(exception, ""));
    let is_letter = |character: char| character.is_alphanumeric() || character == '_';
    let holds = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            !text[..at].ends_with(is_letter) && !text[at + word.len()..].starts_with(is_letter)
        })
    };
    FORBIDDEN.into_iter().filter(|word| holds(word)).collect()
}

#[test]
fn no_text_holds_a_forbidden_word() {
    let mut found = Vec::new();
    let mut check = |path: &str, line: usize, text: &str| {
        let words = forbidden(text).into_iter();
        found.extend(words.map(|word| format!("{path}:{line}: `{word}` in {text}")));
    };
    for path in source_folders().iter().flat_map(|folder| rust_files(folder)) {
        let text = fs::read_to_string(&path).expect("readable");
        if !is_test(&path) {
            for token in Source::parse(&text).tokens {
                if token.literal.contains(char::is_whitespace) {
                    check(&name(&path), token.first_line, &token.literal);
                }
            }
        }
        for (line, text) in comments(&text) {
            check(&name(&path), line, text);
        }
    }
    for entry in fs::read_dir(root().join(ASSETS)).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("readable");
        for (line, text) in comments(&text) {
            check(&name(&path), line, text);
        }
    }
    for path in checked_files() {
        let text = fs::read_to_string(&path).expect("readable");
        for (index, line) in text.lines().enumerate() {
            check(&name(&path), index + 1, line);
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// Returns the numbered lines of comments, without their slashes.
fn comments(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate();
    lines.filter_map(|(index, line)| {
        let line = line.trim_start();
        let text = line.strip_prefix("//").or(line.strip_prefix("/**"))?;
        Some((index + 1, text.trim_start_matches(['/', '!']).trim()))
    })
}

#[test]
fn no_documentation_comment_begins_with_a_clause() {
    let mut found = Vec::new();
    for path in source_folders().iter().flat_map(|folder| rust_files(folder)) {
        let text = fs::read_to_string(&path).expect("readable");
        let mut before = "";
        for (index, line) in text.lines().enumerate() {
            let line = line.trim_start();
            let marker = ["/// ", "//! "].into_iter().find(|marker| line.starts_with(marker));
            if let Some(marker) = marker
                && !before.starts_with(marker.trim_end())
                && CLAUSES.iter().any(|clause| line[marker.len()..].starts_with(clause))
            {
                found.push(format!("{}:{}: {line}", name(&path), index + 1));
            }
            before = line;
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn a_forbidden_word_is_found_as_a_whole_word() {
    assert_eq!(forbidden("It stands there, and Nobody understands."), ["nobody", "stands"]);
    assert!(forbidden("besides, `stands_in` amends").is_empty());
    let text = "/// One.\n    // Two\nlet x = \"// no\";\n//! Three";
    assert_eq!(comments(text).collect::<Vec<_>>(), [(1, "One."), (2, "Two"), (4, "Three")]);
}
