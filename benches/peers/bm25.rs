//! Our sparse index, timed in turns with the tools of `bm25.py` beside this file, which starts this program and says when.
//!
//! `bm25 CORPUS.jsonl QUERIES.jsonl words|terms`: lines with `text` and perhaps `title`. `words` analyses the text by
//! default; `terms` takes it as terms with white space between. Builds the index and prints one line of JSON; then, for
//! each line that comes in, asks every question once, on one thread, for its top 10, and prints one line more.

#![allow(clippy::print_stdout, reason = "a program of its own, which another reads")]

use std::borrow::Cow;
use std::fs;
use std::hint::black_box;
use std::io::BufRead;
use std::time::Instant;

use ragtriage_bm25::{Analysed, SparseIndex, Weighting};
use ragtriage_core::language::Language;
use ragtriage_core::text::analyse::{Analyzer, Stemmer, StopWords, Words};
use ragtriage_core::types::ChunkId;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Line {
    #[serde(default)]
    title: String,
    text: String,
}

fn texts(path: &str) -> Vec<String> {
    let file = fs::read_to_string(path).expect("the file can be read");
    let lines =
        file.lines().map(|line| serde_json::from_str(line).expect("a line of JSON with `text`"));
    lines.map(|Line { title, text }| format!("{title} {text}").trim().to_owned()).collect()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, queries, kind] = &arguments[..] else {
        panic!("usage: bm25 CORPUS QUERIES words|terms")
    };
    let analyzer = match kind.as_str() {
        "words" => Analyzer::default(),
        "terms" => Analyzer::new(
            Words::Whitespace,
            false,
            StopWords::None,
            Stemmer::None,
            Language::english(),
        ),
        _ => panic!("`{kind}` is neither `words` nor `terms`"),
    };
    let (texts, queries) = (texts(corpus), texts(queries));
    let ids = (0..texts.len()).map(|number| ChunkId::from(format!("d{number:09}")));
    let source =
        Analysed { analyzer: &analyzer, text_of: |number: usize| Cow::Borrowed(&*texts[number]) };
    let clock = Instant::now();
    let index = SparseIndex::build(&Weighting::default(), ids, &source);
    let seconds = clock.elapsed().as_secs_f64();
    println!("{}", json!({ "index_seconds": seconds, "n_documents": texts.len() }));

    let queries: Vec<Vec<String>> = queries.iter().map(|query| analyzer.term_list(query)).collect();
    for _ in std::io::stdin().lock().lines() {
        let clock = Instant::now();
        for query in &queries {
            black_box(index.search(query, 10, None));
        }
        println!(
            "{}",
            json!({ "queries_per_second": queries.len() as f64 / clock.elapsed().as_secs_f64() })
        );
    }
}
