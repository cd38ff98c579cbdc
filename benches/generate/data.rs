//! A seeded data set: the words of the shipped runbooks, as frequent as in language, and questions whose answer ends a sentence.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

const WORDS_A_SENTENCE: usize = 12;
const SENTENCES_A_DOCUMENT: usize = 25;

/// Writes `corpus.jsonl` and `questions.jsonl` to `folder`.
///
/// A question holds four words of its sentence; its answer is the sentence's last two. Many of the words are frequent, so
/// part of the questions is not found, and gold has to be put into their prompts.
pub fn write(folder: &Path, n_documents: usize, n_questions: usize) {
    let vocabulary = vocabulary();
    let mut random = Random(1);
    let documents: Vec<Vec<Vec<String>>> =
        (0..n_documents).map(|_| random.document(&vocabulary)).collect();
    let mut corpus = String::new();
    for (number, sentences) in documents.iter().enumerate() {
        let text: Vec<String> = sentences.iter().map(|words| sentence(words)).collect();
        let line = json!({"id": format!("d{number}"), "title": documents[number][0][0], "text": text.join(" ")});
        writeln!(corpus, "{line}").expect("a string takes all");
    }
    let mut questions = String::new();
    for number in 0..n_questions {
        let doc = number % n_documents;
        let words = &documents[doc][random.below(SENTENCES_A_DOCUMENT)];
        let (asked, answer) = (&words[3..7], words[WORDS_A_SENTENCE - 2..].join(" "));
        let line = json!({
            "id": format!("q{number}"),
            "text": format!("Which words end the sentence with {}?", asked.join(" ")),
            "answers": [answer],
            "evidence": [[{"doc": format!("d{doc}"), "quotes": [sentence(words)]}]],
        });
        writeln!(questions, "{line}").expect("a string takes all");
    }
    fs::write(folder.join("corpus.jsonl"), corpus).expect("written");
    fs::write(folder.join("questions.jsonl"), questions).expect("written");
}

/// The runbooks' words of letters alone, short ones first, as frequent words are.
fn vocabulary() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/runbooks/corpus");
    let files =
        fs::read_dir(folder).expect("it is shipped").map(|file| file.expect("readable").path());
    let texts: Vec<String> = files.map(|path| fs::read_to_string(path).expect("text")).collect();
    let words = texts
        .iter()
        .flat_map(|text| text.split(|c: char| !c.is_alphabetic()))
        .filter(|word| !word.is_empty());
    let mut words: Vec<String> =
        words.collect::<BTreeSet<&str>>().into_iter().map(str::to_owned).collect();
    words.sort_by_key(String::len);
    words
}

fn sentence(words: &[String]) -> String {
    format!("{}.", words.join(" "))
}

/// A linear congruential generator (Knuth's MMIX).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn document(&mut self, vocabulary: &[String]) -> Vec<Vec<String>> {
        (0..SENTENCES_A_DOCUMENT)
            .map(|_| (0..WORDS_A_SENTENCE).map(|_| self.word(vocabulary).to_owned()).collect())
            .collect()
    }

    /// The word of rank r comes with a probability in proportion to 1 / r (Zipf).
    fn word<'a>(&mut self, vocabulary: &'a [String]) -> &'a str {
        let rank = (vocabulary.len() as f64).powf(self.unit()) as usize;
        &vocabulary[rank.min(vocabulary.len()) - 1]
    }
}
