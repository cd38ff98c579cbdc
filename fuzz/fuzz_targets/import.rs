//! A record of another RAG: lines joined with questions, passages placed in documents.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use ragtriage_core::attribute::place::{WordIndex, in_document};
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::config::Format;
use ragtriage_core::types::{ByteRange, Question};
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::join::Joined;
use ragtriage_data::run::external::recorded;

static QUESTIONS: LazyLock<Vec<Question>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let questions = "{\"id\": \"q1\", \"text\": \"Why?\"}\n{\"id\": \"2\", \"text\": \"How?\"}\n{\"id\": \"q3\", \"text\": \"How?\"}\n";
    std::fs::write(folder.path().join("corpus.jsonl"), "{\"id\": \"a\", \"text\": \"t\"}\n")
        .expect("a file");
    std::fs::write(folder.path().join("questions.jsonl"), questions).expect("a file");
    let path = folder.path().to_owned();
    let spec = DatasetSettings::new(Format::Jsonl, &path);
    ragtriage_data::dataset::load(&spec).expect("a data set").questions
});

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["record.jsonl", "one", "two"]);
    let Some(input) = ragtriage_fuzz::said(Input::read(&folder.join("record.jsonl"))) else {
        return;
    };
    let Some(lines) = ragtriage_fuzz::said(recorded::read(&input, ragtriage_data::Fields::standard())) else { return };
    let documents = ["one", "two"].map(|name| ragtriage_fuzz::document(folder, name));
    let index = WordIndex::new(&documents);
    let stages = lines.iter().flat_map(|line| &line.stages);
    for context in stages.filter_map(|stage| stage.hits.as_ref()).flatten() {
        let Some(text) = &context.text else { continue };
        let title = context.title.as_deref();
        let found = index.find(&documents, text, title);
        for (number, ranges) in &found {
            let is_text =
                |range: &ByteRange| documents[*number].text.get(range.as_range()).is_some();
            assert!(ranges.iter().all(is_text), "{ranges:?}");
        }
        let everywhere: Vec<_> = (0..2)
            .map(|number| (number, in_document(&documents[number], text, title)))
            .filter(|(_, ranges)| !ranges.is_empty())
            .collect();
        assert!(found.iter().all(|place| everywhere.contains(place)));
        // The index leaves out no document that holds the passage; one or two words are looked for letter for letter only.
        let is_long = |text: &str| text.split_whitespace().count() > 2;
        if is_long(text) && text.trim_start().split_once('\n').is_none_or(|(_, rest)| is_long(rest))
        {
            assert_eq!(found, everywhere);
        }
    }
    for lenient in [true, false] {
        ragtriage_fuzz::said(Joined::new(lines.clone(), &QUESTIONS, lenient));
    }
});
