//! Question-answer pairs in JSON lines, located in two documents.

#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::{Dataset, Document};
use ragtriage_data::dataset::anchor::{self, Anchored};

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["qa.jsonl", "one", "two"]);
    let document = |name: &str| {
        let text = String::from_utf8_lossy(&std::fs::read(folder.join(name)).expect("written"))
            .into_owned();
        Document {
            id: name.to_owned().into(),
            title: String::new(),
            text,
            metadata: BTreeMap::new(),
        }
    };
    let documents = [document("one"), document("two")];
    let pairs = anchor::pairs(&folder.join("qa.jsonl"));
    match pairs.and_then(|pairs| anchor::anchor(&pairs, &documents)) {
        Ok(anchored) => check(anchored, &documents),
        Err(error) => assert!(!error.to_string().is_empty() && error.hint().is_some(), "{error}"),
    }
});

/// Every candidate place is a piece of its document, and the anchored questions are a sound data set.
fn check(anchored: Anchored, documents: &[Document]) {
    for place in anchored.unresolved.iter().flat_map(|it| &it.places) {
        let document = documents.iter().find(|it| it.id == place.doc).expect("known");
        assert!(document.text.get(place.range.as_range()).is_some(), "{place:?}");
    }
    assert!(anchored.questions.iter().all(|question| question.evidence.len() == 1));
    ragtriage_fuzz::check(&Dataset {
        documents: documents.to_vec(),
        questions: anchored.questions,
        notes: anchored.notes,
        ..Dataset::default()
    });
}
