//! Places of points in documents, and the chunks that they become.

use super::*;
use ragtriage_core::text::tokens::{Tokenizer, counter};

/// `é` has two bytes: `big` is at bytes 4 to 7 of the first document, code points 3 to 6.
const TEXTS: [(&str, &str); 2] =
    [("a", "dé big red apple fell down"), ("b", "one green pear\nstayed up there")];

fn documents() -> Arc<[Document]> {
    let document = |(id, text): (&str, &str)| Document {
        id: id.into(),
        title: String::new(),
        text: text.to_owned(),
        metadata: BTreeMap::new(),
    };
    TEXTS.into_iter().map(document).collect()
}

fn passage(point: &str, text: &str, document: Option<&str>) -> StoredPassage {
    StoredPassage {
        point: point.to_owned(),
        text: Some(text.to_owned()).filter(|text| !text.is_empty()),
        document: document.map(str::to_owned),
        offsets: None,
    }
}

fn at(offsets: (usize, usize), passage: StoredPassage) -> StoredPassage {
    StoredPassage { offsets: Some(offsets), ..passage }
}

fn place(passages: &[StoredPassage]) -> Result<Chunked, Error> {
    let words = counter(Tokenizer::Words, None).expect("words need no model");
    placed(&documents(), passages, words.as_ref())
}

/// Returns the id, start and end of the chunk of each point.
fn chunks_of(passages: &[StoredPassage]) -> Vec<(String, usize, usize)> {
    let chunked = place(passages).expect("placed");
    let corpus = &chunked.corpus;
    let chunk = |passage: &StoredPassage| {
        let number = chunked.points[&passage.point] as usize;
        let range = corpus.chunks()[number].range;
        (corpus.chunk_id(number).to_string(), range.start, range.end)
    };
    passages.iter().map(chunk).collect()
}

fn chunk(id: &str, start: usize, end: usize) -> (String, usize, usize) {
    (id.to_owned(), start, end)
}

#[test]
fn passages_are_found_by_offsets_or_by_text_and_numbered_by_position() {
    let passages = [
        passage("1", "stayed up there", None),
        at((4, 11), passage("2", "big red", Some("a"))),
        at((3, 10), passage("3", "big red", Some("a"))),
        passage("4", "one green pear stayed", Some("b")),
        passage("5", "dé big", Some("a")),
    ];
    // Points 2 and 3 are one chunk: the same text by bytes and by code points.
    assert_eq!(
        chunks_of(&passages),
        [
            chunk("b#1", 15, 30),
            chunk("a#1", 4, 11),
            chunk("a#1", 4, 11),
            chunk("b#0", 0, 21),
            chunk("a#0", 0, 7),
        ]
    );
    let notes = place(&passages).expect("placed").notes;
    let counts: Vec<usize> = notes.iter().map(|note| note.count).collect();
    assert_eq!(counts, [1], "{notes:?}");
    assert!(notes[0].what.ends_with("they are one chunk"), "{notes:?}");
}

#[test]
fn a_passage_in_no_document_is_one_of_its_own() {
    let passages = [
        passage("7", " big blue apple ", Some("a")),
        passage("8", "big blue apple", None),
        passage("9", "green pear", Some("a")),
    ];
    let chunked = place(&passages).expect("placed");
    let own = &chunked.corpus.documents()[2];
    assert_eq!((own.text.as_str(), chunked.corpus.documents().len()), ("big blue apple", 3));
    assert!(own.id.as_str().starts_with("collection-"), "{}", own.id);
    let of_point = |point: &str| &chunked.corpus.chunks()[chunked.points[point] as usize];
    assert_eq!(of_point("7"), of_point("8"));
    assert_eq!((of_point("7").document, of_point("7").range), (2, (0, 14).into()));
    assert_eq!(of_point("9").document, 1);
    let notes: Vec<(usize, bool)> = chunked
        .notes
        .iter()
        .map(|note| (note.count, note.to_string().contains("in no document")))
        .collect();
    // Two in none, one elsewhere, one the same as another.
    assert_eq!(notes, [(2, true), (1, false), (1, false)]);
}

#[test]
fn offsets_that_disagree_with_the_text_give_way_to_it() {
    let wrong = [at((0, 3), passage("1", "red apple", Some("a")))];
    assert_eq!(chunks_of(&wrong), [chunk("a#0", 8, 17)]);
    let notes = place(&wrong).expect("placed").notes;
    assert!(notes[0].to_string().contains("not at its offsets"), "{notes:?}");
}

#[test]
fn points_without_text_need_offsets_in_a_document() {
    let good = [at((3, 8), passage("1", "", Some("a")))];
    assert_eq!(chunks_of(&good), [chunk("a#0", 4, 7)]);
    for (document, offsets) in [("a", (4, 99)), ("a", (2, 4)), ("a", (7, 8)), ("z", (0, 1))] {
        let bad = [at(offsets, passage("1", "", Some(document)))];
        let error = place(&bad).err().expect("no place");
        assert!(
            error.to_string().starts_with("point 1 of the collection has no place: bytes"),
            "{error}"
        );
    }
}
