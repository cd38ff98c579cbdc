//! Forms of an answer: sentences around it and formats of it, which change nothing about what it says.

use ragtriage_core::stats::random::Random;
use serde_json::json;

use super::noisy::seed;

/// Sentences around the answer `{}`.
pub const SENTENCES: [&str; 20] = [
    "The answer is {}.",
    "According to the passages, {}.",
    "Based on [2], it is **{}**.",
    "{}, as passage 1 says.",
    "It is {}.",
    "Passage 3 gives the answer: {}.",
    "The passages say {}.",
    "That would be {}.",
    "From the context, the answer is {} [1].",
    "Based on the passages provided, the answer is {}.",
    "{} (passage 2).",
    "The correct answer is {}, according to the first passage.",
    "As the second passage states, it is {}.",
    "The text names {} [1][3].",
    "I found this in passage 2: {}.",
    "In short: {}.",
    "{} is the answer.",
    "The passages point to {}.",
    "To answer the question: {}.",
    "{}. This is stated in the passages.",
];

/// Forms of `yes` and of `no`.
const POLAR: [[&str; 2]; 10] = [
    ["Yes, it does.", "No, it does not."],
    ["**Yes**. Both passages say so.", "**No**. Both passages say so."],
    [
        "Yes, that is correct according to passage 1.",
        "No, that is not correct according to passage 1.",
    ],
    ["The answer is yes.", "The answer is no."],
    ["Based on [2], yes.", "Based on [2], no."],
    ["Yes. [1]", "No. [1]"],
    ["According to the passages, yes, it is.", "According to the passages, no, it is not."],
    ["{\"answer\": \"Yes\"}", "{\"answer\": \"No\"}"],
    ["- Yes", "- No"],
    ["Passage 2 settles this.\n\nAnswer: Yes", "Passage 2 settles this.\n\nAnswer: No"],
];

/// A format of an answer in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Bold,
    Citation,
    /// An object with the answer alone.
    Json,
    /// A list of one item.
    List,
    Code,
    Quotes,
    /// A second sentence without values.
    Explained,
    /// An upper-case first letter.
    Capital,
    /// The sentence, then `Answer: X` on a line of its own.
    FinalLine,
    /// A value in another notation of the same value.
    Rewritten,
}

pub const FORMATS: [Format; 10] = [
    Format::Bold,
    Format::Citation,
    Format::Json,
    Format::List,
    Format::Code,
    Format::Quotes,
    Format::Explained,
    Format::Capital,
    Format::FinalLine,
    Format::Rewritten,
];

/// A sentence and a format, drawn from the question's text and the round.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub sentence: usize,
    pub format: Format,
}

impl Form {
    pub fn of(question: &str, round: u64) -> Self {
        let mut random = Random::new(seed(&format!("{round} {question}")));
        Self {
            sentence: random.below(SENTENCES.len()),
            format: FORMATS[random.below(FORMATS.len())],
        }
    }

    /// Gives `answer` this form.
    pub fn wraps(self, answer: &str) -> String {
        let polar = ["yes", "no"].iter().position(|polar| *polar == answer);
        if let Some(polar) = polar {
            return POLAR[self.sentence % POLAR.len()][polar].to_owned();
        }
        let plain = self.sentence_of(answer);
        match self.format {
            Format::Bold => self.sentence_of(&format!("**{answer}**")).replace("****", "**"),
            Format::Citation => plain + " [1]",
            Format::Json => json!({"answer": answer}).to_string(),
            Format::List => format!("- {plain}"),
            Format::Code => self.sentence_of(&format!("`{answer}`")),
            Format::Quotes if answer.contains('"') => self.sentence_of(&format!("'{answer}'")),
            Format::Quotes => self.sentence_of(&format!("\"{answer}\"")),
            Format::Explained => plain + " The passage on this subject explains why.",
            Format::Capital => capitalised(&plain),
            Format::FinalLine => format!("{plain}\n\nAnswer: {answer}"),
            Format::Rewritten => self.sentence_of(&rewritten(answer)),
        }
    }

    fn sentence_of(self, answer: &str) -> String {
        let sentence = SENTENCES[self.sentence];
        if answer.ends_with('.') {
            return sentence.replace("{}.", "{}").replace("{}", answer);
        }
        sentence.replace("{}", answer)
    }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

const SMALL: [&str; 13] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve",
];

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Units in another notation.
const UNITS: [(&str, &str); 12] = [
    ("minutes", "min"),
    ("min", "minutes"),
    ("seconds", "s"),
    ("hours", "h"),
    ("h", "hours"),
    ("ms", "milliseconds"),
    ("kg", "kilograms"),
    ("miles", "mi"),
    ("mi", "miles"),
    ("m", "metres"),
    ("ft", "feet"),
    ("GB", "gigabytes"),
];

/// Returns the same value in another notation; other answers unchanged.
fn rewritten(answer: &str) -> String {
    let words: Vec<&str> = answer.split(' ').collect();
    let other = match words[..] {
        [value] => one_word(value),
        ["EUR", amount] => Some(format!("{amount} euros")),
        [number, unit] => quantity(number, unit),
        [first, second, year] => date(first, second, year),
        _ => None,
    };
    other.unwrap_or_else(|| answer.to_owned())
}

/// `95%` is `95 percent`, `9,984` is `9984`, `13:50` is `1:50 pm`, `six` is `6`.
fn one_word(value: &str) -> Option<String> {
    if let Some(share) = value.strip_suffix('%') {
        return Some(format!("{share} percent"));
    }
    if let Some((hour, minute)) = value.split_once(':') {
        let (hour, _): (u32, u32) = (hour.parse().ok()?, minute.parse().ok()?);
        return (13..24).contains(&hour).then(|| format!("{}:{minute} pm", hour - 12));
    }
    let spelled = SMALL.iter().position(|small| *small == value);
    let ungrouped = value.replace(',', "");
    let is_grouped = ungrouped != value && ungrouped.parse::<u64>().is_ok();
    spelled.map(|number| number.to_string()).or_else(|| is_grouped.then_some(ungrouped))
}

/// `6 minutes` is `six minutes`, `45 minutes` is `45 min`.
fn quantity(number: &str, unit: &str) -> Option<String> {
    let n: f64 = number.replace(',', "").parse().ok()?;
    if let Some(spelled) =
        SMALL.iter().enumerate().find(|(at, _)| *at as f64 == n).map(|(_, spelled)| spelled)
    {
        return Some(format!("{spelled} {unit}"));
    }
    let other = UNITS.iter().find(|(known, _)| *known == unit)?.1;
    Some(format!("{number} {other}"))
}

/// `18 May 1980` is `May 18, 1980`, and that is `1980-05-18`.
fn date(first: &str, second: &str, year: &str) -> Option<String> {
    year.parse::<u32>().ok()?;
    if MONTHS.contains(&second) {
        let day: u32 = first.parse().ok()?;
        return Some(format!("{second} {day}, {year}"));
    }
    let month = 1 + MONTHS.iter().position(|month| *month == first)?;
    let day: u32 = second.strip_suffix(',')?.parse().ok()?;
    Some(format!("{year}-{month:02}-{day:02}"))
}
