//! What sort of span a question asks for, read from its words.

use super::terms::{is_stop_word, words};

/// The sort of span wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A name, of a person where there is a choice.
    Person,
    /// A name, of a place where there is a choice.
    Place,
    /// A day, month or year.
    Date,
    /// A year alone.
    Year,
    /// A number with its unit.
    Number,
    /// A number alone: the question names what is counted.
    Count,
    /// Something a machine reads: what stands in backticks.
    Code,
    /// Why or how: a clause.
    Clause,
    /// Whatever stands out.
    Any,
}

/// What is asked for behind `what` or `which`, by its noun.
const NOUNS: [(Want, &str); 6] = [
    (Want::Year, "year"),
    (Want::Date, "century date day decade month season"),
    (
        Want::Person,
        "actor actress author director man musician person player singer woman writer",
    ),
    (
        Want::Place,
        "city continent country county island location nation place province region state town village",
    ),
    (
        Want::Number,
        "age amount capacity duration height interval length number percentage population port size threshold timeout",
    ),
    (
        Want::Code,
        "alert branch bucket command config endpoint field file flag header host image key label metric namespace \
         option parameter path query queue script service setting table topic url variable",
    ),
];

/// How many words behind `what` or `which` may hold its noun.
const NOUN_REACH: usize = 3;

/// Reads the sort of span from the question's first telling word.
pub(super) fn want(question: &str) -> Want {
    let lower: Vec<String> = words(question)
        .iter()
        .map(|word| word.text.to_lowercase())
        .collect();
    for (at, word) in lower.iter().enumerate() {
        let next = lower.get(at + 1).map_or("", String::as_str);
        match word.as_str() {
            "who" | "whom" | "who's" => return Want::Person,
            "when" => return Want::Date,
            "where" => return Want::Place,
            "why" => return Want::Clause,
            "how"
                if matches!(
                    next,
                    "do" | "does" | "did" | "is" | "are" | "can" | "to" | "should" | ""
                ) =>
            {
                return Want::Clause;
            }
            "how" if next == "many" => return Want::Count,
            "how" => return Want::Number,
            "what" | "which" | "whose" => return by_noun(&lower[at + 1..]),
            _ => {}
        }
    }
    Want::Any
}

/// The noun next to the question word decides: `what year`, `which of the two hosts`, `what is the port`.
fn by_noun(behind: &[String]) -> Want {
    let content = behind
        .iter()
        .filter(|word| !is_stop_word(word))
        .take(NOUN_REACH);
    for word in content {
        let singular = word.strip_suffix('s').unwrap_or(word);
        let names = |nouns: &str| {
            nouns
                .split(' ')
                .any(|noun| noun == word || noun == singular)
        };
        if let Some((want, _)) = NOUNS.iter().find(|(_, nouns)| names(nouns)) {
            return *want;
        }
    }
    Want::Any
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_question_word_or_its_noun_says_what_is_wanted() {
        for (question, expected) in [
            ("Who wrote it?", Want::Person),
            ("In what year was it built?", Want::Year),
            ("When does the backup run?", Want::Date),
            ("Where is the log kept?", Want::Place),
            ("How many replicas are there?", Want::Count),
            ("How long does it take?", Want::Number),
            ("How do I restart it?", Want::Clause),
            ("Why is it slow?", Want::Clause),
            ("What is the timeout of the proxy?", Want::Number),
            ("Which command drains a node?", Want::Code),
            ("What hosts run it?", Want::Code),
            ("Which city was she born in?", Want::Place),
            ("Name the largest one.", Want::Any),
            ("", Want::Any),
        ] {
            assert_eq!(want(question), expected, "{question}");
        }
    }
}
