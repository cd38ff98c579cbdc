//! As many questions as HotpotQA's development set has, made of the four hundred that lie here: the same text in other letters.
//!
//! Vowels are exchanged for vowels and consonants for consonants: rare names by a key of the question, other words by a key of the
//! copy, stop words not at all. So a question finds its own paragraphs by its names and others by its words, texts are of the same
//! length and nearly as hard to pack into few bytes as the originals (gzip looks back 32 KB, a copy is 2 MB), and no two copies
//! share a passage. The first copy is the original.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

const VOWELS: &[u8] = b"aeiou";
const CONSONANTS: &[u8] = b"bcdfghjklmnpqrstvwxyz";

/// Not exchanged: what an analyzer of English drops, and the answers of yes-no questions.
const KEPT: [&str; 35] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with", "yes", "which",
];

/// A name in more than one paragraph of a hundred is a word like others: `American`, `January`.
const RARE_SHARE: f64 = 0.01;

/// `n` questions in the form of `HotpotQA`'s own file, from those of `questions`.
pub fn of(questions: &[Value], n: usize) -> Vec<Value> {
    let names = names(questions);
    let copied = (0..n).map(|number| {
        let copy = number / questions.len();
        let key = |seed| {
            if copy == 0 { Key::same() } else { Key::new(seed) }
        };
        let speller = Speller {
            names: &names,
            of_copy: key(copy as u64),
            of_question: key((n + number) as u64),
        };
        speller.question(&questions[number % questions.len()], number)
    });
    copied.collect()
}

/// Words that only stand with a capital, in few paragraphs.
fn names(questions: &[Value]) -> BTreeSet<String> {
    let paragraphs =
        questions.iter().flat_map(|question| question["context"].as_array().expect("a list"));
    let (mut counts, mut small, mut n) = (BTreeMap::<String, usize>::new(), BTreeSet::new(), 0);
    for paragraph in paragraphs {
        let sentences = paragraph[1]
            .as_array()
            .expect("a list")
            .iter()
            .map(|sentence| sentence.as_str().expect("text"));
        let text = sentences.collect::<String>();
        let words: BTreeSet<&str> =
            text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).collect();
        small.extend(
            words
                .iter()
                .filter(|word| word.starts_with(char::is_lowercase))
                .map(|word| (*word).to_owned()),
        );
        for word in words {
            *counts.entry(word.to_lowercase()).or_default() += 1;
        }
        n += 1;
    }
    let most = (RARE_SHARE * f64::from(n)) as usize;
    counts
        .into_iter()
        .filter(|(word, count)| *count < most && !small.contains(word))
        .map(|(word, _)| word)
        .collect()
}

/// How one question of one copy is spelt.
struct Speller<'a> {
    names: &'a BTreeSet<String>,
    of_copy: Key,
    of_question: Key,
}

impl Speller<'_> {
    fn question(&self, question: &Value, number: usize) -> Value {
        let text = |value: &Value| self.text(value.as_str().expect("text"));
        // A title without a letter to exchange would be the same document in every copy.
        let title = |value: &Value| match text(value) {
            same if value == &json!(same) && !self.of_copy.is_same() => {
                format!("{same} ({number})")
            }
            title => title,
        };
        let paragraphs = question["context"].as_array().expect("a list").iter().map(|paragraph| {
            let sentences: Vec<String> =
                paragraph[1].as_array().expect("a list").iter().map(text).collect();
            json!([title(&paragraph[0]), sentences])
        });
        let facts = question["supporting_facts"].as_array().expect("a list").iter();
        json!({
            "_id": format!("{}-{number}", question["_id"].as_str().expect("text")),
            "question": text(&question["question"]),
            "answer": text(&question["answer"]),
            "type": question["type"],
            "level": question["level"],
            "context": paragraphs.collect::<Vec<Value>>(),
            "supporting_facts": facts.map(|fact| json!([title(&fact[0]), fact[1]])).collect::<Vec<Value>>(),
        })
    }

    fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(start) = rest.find(char::is_alphabetic) {
            let end = rest[start..]
                .find(|c: char| !c.is_alphabetic())
                .map_or(rest.len(), |length| start + length);
            out.push_str(&rest[..start]);
            self.word(&rest[start..end], &mut out);
            rest = &rest[end..];
        }
        out + rest
    }

    fn word(&self, word: &str, out: &mut String) {
        let small = word.to_lowercase();
        if KEPT.contains(&small.as_str()) {
            out.push_str(word);
        } else {
            let key = if self.names.contains(&small) { &self.of_question } else { &self.of_copy };
            out.extend(word.chars().map(|letter| key.exchanged(letter)));
        }
    }
}

/// Which small letter stands for which.
#[derive(PartialEq)]
struct Key([u8; 26]);

impl Key {
    fn same() -> Self {
        Self(std::array::from_fn(|at| b'a' + at as u8))
    }

    /// Vowels and consonants each in a random order (Fisher and Yates).
    fn new(seed: u64) -> Self {
        let mut key = Self::same();
        let mut random = Random(seed);
        for kind in [VOWELS, CONSONANTS] {
            let mut order = kind.to_vec();
            for last in (1..order.len()).rev() {
                order.swap(last, random.below(last + 1));
            }
            for (letter, other) in kind.iter().zip(order) {
                key.0[usize::from(letter - b'a')] = other;
            }
        }
        key
    }

    fn is_same(&self) -> bool {
        *self == Self::same()
    }

    fn exchanged(&self, letter: char) -> char {
        match letter {
            'a'..='z' => char::from(self.0[letter as usize - 'a' as usize]),
            'A'..='Z' => char::from(self.0[letter as usize - 'A' as usize].to_ascii_uppercase()),
            other => other,
        }
    }
}

/// `SplitMix64` (Steele, Lea and Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % n as u64) as usize
    }
}
