//! Words of a text and content terms of a question, with rules separate from the retrieval analyser's, so that its settings
//! do not affect answers.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

/// Words without content, including question words.
static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    "a about after all also an and any are as at be because been before being between both but by can could did do does during \
     each for from had has have he her here him his how i if in into is it its itself just many may me might more most much must \
     my no nor not of off on one only or other our out over own s same shall she should so some such t than that the their them \
     then there these they this those to too under up us very was we were what when where which while who whom whose why will \
     with would you your"
        .split(' ')
        .collect()
});

/// Distinct terms read from a question; later ones are ignored.
const MOST_TERMS: usize = u128::BITS as usize;

/// A word with its position.
#[derive(Clone, Copy)]
pub(super) struct TextWord<'a> {
    /// Letters and digits, with single joiners (`.-'/_@`, and `,:` between digits) inside.
    pub text: &'a str,
    /// Byte offset in the text it was taken from.
    pub start: usize,
}

impl TextWord<'_> {
    /// Returns the byte offset of its end.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Splits a text into words.
pub(super) fn words(text: &str) -> Vec<TextWord<'_>> {
    let (mut found, mut start, mut last) = (Vec::new(), None, ' ');
    let mut chars = text.char_indices().chain([(text.len(), ' ')]).peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |&(_, next)| next);
        if c.is_alphanumeric() {
            start.get_or_insert(at);
        } else if let Some(start) = start.take_if(|_| !joins(last, c, next)) {
            found.push(TextWord {
                text: &text[start..at],
                start,
            });
        }
        last = c;
    }
    found
}

fn joins(last: char, c: char, next: char) -> bool {
    match c {
        '.' | '-' | '\'' | '’' | '/' | '_' | '@' => {
            last.is_alphanumeric() && next.is_alphanumeric()
        }
        ',' | ':' => last.is_ascii_digit() && next.is_ascii_digit(),
        _ => false,
    }
}

/// Returns true for a stop word, in any case.
pub(super) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.contains(word.to_lowercase().as_str())
}

/// The content terms of one question, numbered, to find them in other texts.
pub(super) struct QuestionTerms {
    numbers: HashMap<String, usize>,
    /// First bytes of terms, so that most words need no stemming.
    first_bytes: [bool; 256],
    stemmer: Stemmer,
}

impl QuestionTerms {
    /// Reads the question's terms.
    pub fn of(question: &str) -> Self {
        let mut terms = Self {
            numbers: HashMap::new(),
            first_bytes: [false; 256],
            stemmer: Stemmer::create(Algorithm::English),
        };
        for part in parts(question).filter(|part| !STOP_WORDS.contains(part.as_str())) {
            if terms.numbers.len() == MOST_TERMS {
                break;
            }
            let next = terms.numbers.len();
            let stem = terms.stemmer.stem(&part).into_owned();
            terms.numbers.entry(stem).or_insert(next);
            terms.first_bytes[usize::from(part.as_bytes()[0])] = true;
        }
        terms
    }

    /// Returns the number of distinct terms.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Returns the terms that occur in `text`, one bit each.
    pub fn mask(&self, text: &str) -> u128 {
        parts(text)
            .filter(|part| self.first_bytes[usize::from(part.as_bytes()[0])])
            .filter_map(|part| self.numbers.get(&*self.stemmer.stem(&part)))
            .fold(0, |mask, number| mask | 1 << number)
    }
}

/// Returns lower-cased runs of letters and digits, without single ASCII letters.
fn parts(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|part| part.len() > 1 || part.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_inner_joiners_and_drop_outer_marks() {
        let text = "Run `kafka-lag` at 10:30, for 1,234 U.S. hosts (v1.2).";
        let found: Vec<&str> = words(text).iter().map(|word| word.text).collect();
        assert_eq!(
            found,
            [
                "Run",
                "kafka-lag",
                "at",
                "10:30",
                "for",
                "1,234",
                "U.S",
                "hosts",
                "v1.2"
            ]
        );
        for word in words(text) {
            assert_eq!(&text[word.start..word.end()], word.text);
        }
    }

    #[test]
    fn a_term_is_found_in_any_inflection_and_case() {
        let terms = QuestionTerms::of("Which hosts are restarted?");
        assert_eq!(terms.len(), 2);
        assert_eq!(terms.mask("Restarting a HOST"), 0b11);
        assert_eq!(terms.mask("which are there"), 0);
    }

    #[test]
    fn a_question_of_more_terms_than_bits_is_read_up_to_the_last_bit() {
        let question = (0..500)
            .map(|n| format!("term{n}"))
            .collect::<Vec<_>>()
            .join(" ");
        let terms = QuestionTerms::of(&question);
        assert_eq!(terms.len(), 128);
        assert_eq!(terms.mask(&question), u128::MAX);
    }
}
