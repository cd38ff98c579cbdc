//! The local encoder, over tiny seeded checkpoints.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::Deserialize;

use super::*;
use ragtriage_core::types::Similarity;

#[derive(Deserialize)]
struct Expected {
    text: String,
    tokens: usize,
    vector: Vec<f32>,
}

fn open(folder: &Path, options: &DenseSettings) -> Result<Local, Error> {
    Local::open(Checkpoint::open(folder, None)?, options, Instructions::All)
}

fn untitled<'a>(texts: &[&'a str]) -> Vec<TitledText<'a>> {
    texts.iter().map(|text| TitledText::untitled(text)).collect()
}

fn tiny_folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-bert")
}

fn tiny() -> Local {
    open(&tiny_folder(), &DenseSettings::default()).unwrap()
}

fn expected() -> Vec<Expected> {
    serde_json::from_slice(&std::fs::read(tiny_folder().join("expected.json")).unwrap()).unwrap()
}

fn bits(vectors: &[Vec<f32>]) -> Vec<Vec<u32>> {
    vectors.iter().map(|v| v.iter().map(|x| x.to_bits()).collect()).collect()
}

#[tokio::test]
async fn vectors_are_those_of_transformers() {
    let encoder = tiny();
    let cases = expected();
    let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
    let n_done = AtomicUsize::new(0);
    let on_progress = |n| _ = n_done.fetch_add(n, Ordering::Relaxed);
    let vectors = encoder.encode(&untitled(&texts), Role::Passage, &on_progress).await.unwrap();
    assert_eq!(n_done.into_inner(), texts.len());
    for (case, vector) in cases.iter().zip(&vectors) {
        assert_eq!(
            encoder
                .inner
                .model
                .word_pieces()
                .unwrap()
                .ids(&EncoderInput::One((&case.text).into()))
                .unwrap()
                .ids
                .len(),
            case.tokens
        );
        assert_eq!(vector.len(), encoder.shape().dimension);
        for (got, expected) in vector.iter().zip(&case.vector) {
            assert!((got - expected).abs() < 1e-5, "{:?}: {got} is not {expected}", case.text);
        }
    }
}

#[tokio::test]
async fn a_text_has_the_same_bits_alone_and_in_company() {
    let encoder = tiny();
    let cases = expected();
    // About 2,000 tokens: several batches, with other boundaries than for single texts.
    let texts: Vec<&str> =
        cases.iter().map(|case| case.text.as_str()).cycle().take(4 * cases.len()).collect();
    let together = encoder.encode(&untitled(&texts), Role::Query, &|_| ()).await.unwrap();
    for (text, vector) in texts.iter().zip(&together).take(cases.len()) {
        let alone = encoder.encode(&untitled(&[text]), Role::Query, &|_| ()).await.unwrap();
        assert_eq!(bits(&alone), bits(std::slice::from_ref(vector)), "{text:?}");
    }
}

#[tokio::test]
async fn prefixes_stand_before_the_text_of_their_role_only() {
    let prefixed =
        DenseSettings { query_prefix: Some("what is ".to_owned()), ..DenseSettings::default() };
    let encoder = open(&tiny_folder(), &prefixed).unwrap();
    let plain = tiny();
    let with = encoder.encode(&untitled(&["tea"]), Role::Query, &|_| ()).await.unwrap();
    assert_eq!(
        bits(&with),
        bits(&plain.encode(&untitled(&["what is tea"]), Role::Query, &|_| ()).await.unwrap())
    );
    let passage = encoder.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap();
    assert_eq!(
        bits(&passage),
        bits(&plain.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap())
    );
    assert_ne!(encoder.fingerprint(Role::Query), plain.fingerprint(Role::Query));
    assert_eq!(encoder.fingerprint(Role::Passage), plain.fingerprint(Role::Passage));
}

#[tokio::test]
async fn the_offset_read_up_to_is_where_the_last_word_piece_ends() {
    let encoder =
        open(&tiny_folder(), &DenseSettings { max_tokens: Some(5), ..DenseSettings::default() })
            .unwrap();
    // [CLS] and [SEP] leave three word pieces: "tea", "é" (two bytes, read as "e"), "cup".
    let text = "tea é cup of tea";
    assert_eq!(
        encoder.read_bytes(TitledText::untitled(text), Role::Passage).unwrap(),
        Some("tea é cup".len())
    );
    assert_eq!(
        encoder.read_bytes(TitledText::untitled("tea cup"), Role::Passage).unwrap(),
        Some(7)
    );
    assert_eq!(encoder.read_bytes(TitledText::untitled(""), Role::Passage).unwrap(), Some(0));
}

#[tokio::test]
async fn cls_pooling_takes_each_sequences_first_vector() {
    let cls = DenseSettings { pooling: Some(Pooling::Cls), ..DenseSettings::default() };
    let encoder = open(&tiny_folder(), &cls).unwrap();
    let both =
        encoder.encode(&untitled(&["the old king", "tea"]), Role::Passage, &|_| ()).await.unwrap();
    let alone = encoder.encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap();
    assert_eq!(bits(&both[1..]), bits(&alone));
    let mean = tiny().encode(&untitled(&["tea"]), Role::Passage, &|_| ()).await.unwrap();
    assert_ne!(bits(&alone), bits(&mean));
}

#[derive(Deserialize)]
struct Texts {
    texts: Vec<Expected>,
}

#[derive(Deserialize)]
struct Families {
    roberta: Texts,
    distilbert: Texts,
}

#[tokio::test]
async fn other_families_are_those_of_transformers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models");
    let expected: Families =
        serde_json::from_slice(&std::fs::read(folder.join("expected.json")).unwrap()).unwrap();
    for (name, cases) in
        [("roberta", expected.roberta.texts), ("distilbert", expected.distilbert.texts)]
    {
        let encoder = open(&folder.join(name), &DenseSettings::default()).unwrap();
        let texts: Vec<&str> = cases.iter().map(|case| case.text.as_str()).collect();
        let vectors = encoder.encode(&untitled(&texts), Role::Passage, &|_| ()).await.unwrap();
        let lengths = encoder.lengths(&untitled(&texts), Role::Passage).await.unwrap().unwrap();
        for ((case, vector), length) in cases.iter().zip(&vectors).zip(lengths) {
            // The two special tokens are not part of a length.
            assert_eq!(length.n_read + 2, case.tokens, "{name}: {:?}", case.text);
            for (got, expected) in vector.iter().zip(&case.vector) {
                assert!(
                    (got - expected).abs() < 1e-5,
                    "{name}: {:?}: {got} is not {expected}",
                    case.text
                );
            }
        }
    }
}

#[tokio::test]
async fn the_folders_prompts_and_similarity_hold_unless_set() {
    let folder = copy_of_tiny();
    let said =
        r#"{"prompts": {"query": "what is ", "passage": "it is "}, "similarity_fn_name": "dot"}"#;
    std::fs::write(folder.path().join("config_sentence_transformers.json"), said).unwrap();
    let encoder = open(folder.path(), &DenseSettings::default()).unwrap();
    assert_eq!(
        (encoder.inner.recipe.query_prefix.as_str(), encoder.shape().similarity),
        ("what is ", Similarity::Dot)
    );
    assert_eq!(encoder.inner.recipe.passage_prefix, "it is ");
    let options = DenseSettings {
        similarity: Some(Similarity::Cosine),
        query_prefix: Some(String::new()),
        ..DenseSettings::default()
    };
    let encoder = open(folder.path(), &options).unwrap();
    assert_eq!(
        (encoder.inner.recipe.query_prefix.as_str(), encoder.shape().similarity),
        ("", Similarity::Cosine)
    );
}

#[tokio::test]
async fn no_texts_give_no_vectors() {
    assert!(tiny().encode(&[], Role::Query, &|_| ()).await.unwrap().is_empty());
}

fn copy_of_tiny() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::copy(tiny_folder().join(file), folder.path().join(file)).unwrap();
    }
    folder
}

#[tokio::test]
async fn what_is_not_computed_is_refused_by_name() {
    let folder = copy_of_tiny();
    let path = folder.path().join("config.json");
    let config =
        std::fs::read_to_string(&path).unwrap().replace("\"absolute\"", "\"relative_key\"");
    std::fs::write(&path, config).unwrap();
    let error = open(folder.path(), &DenseSettings::default()).err().unwrap().to_string();
    let expected = format!(
        "`{}` has `position_embedding_type` = `relative_key`, which is not supported (supported: absolute)",
        path.display()
    );
    assert_eq!(error, expected);
}

#[tokio::test]
async fn weights_changed_after_opening_are_refused() {
    let folder = copy_of_tiny();
    let encoder = open(folder.path(), &DenseSettings::default()).unwrap();
    let path = folder.path().join("model.safetensors");
    let mut bytes = std::fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&path, bytes).unwrap();
    let error = encoder.encode(&untitled(&["tea"]), Role::Query, &|_| ()).await.unwrap_err();
    assert!(error.to_string().contains(" has sha256 "), "{error}");
}

#[tokio::test]
async fn a_length_the_model_does_not_have_is_refused() {
    let short = DenseSettings { max_tokens: Some(2), ..DenseSettings::default() };
    let error = open(&tiny_folder(), &short).err().unwrap().to_string();
    assert_eq!(error, "`max_tokens` = 2 leaves no room for text; it must be at least 3");
    let long = DenseSettings { max_tokens: Some(65), ..DenseSettings::default() };
    let error = open(&tiny_folder(), &long).err().unwrap().to_string();
    assert_eq!(error, "`max_tokens` = 65 exceeds the model's 64 positions");
}
