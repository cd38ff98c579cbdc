//! Unsupported folders are rejected by name, and damaged folders never cause a panic.

use ragtriage_core::hint::Hint;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::folder::Checkpoint;
use super::{Recipe, SequenceClassifier};
use crate::Error;
use ragtriage_core::config::Pooling;
use ragtriage_core::config::Precision;
use ragtriage_core::types::Similarity;

fn tiny(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models").join(name)
}

/// Returns a copy of a tiny checkpoint whose files may be changed.
fn copy_of(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(tiny(name)).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    folder
}

fn open(folder: &Path) -> Result<Checkpoint, Error> {
    Checkpoint::open(folder, None)
}

fn recipe(folder: &Path) -> Result<Recipe, Error> {
    let checkpoint = open(folder)?;
    checkpoint.recipe(&checkpoint.config()?)
}

fn replace(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn a_folder_with_a_device_in_place_of_a_file_is_refused() {
    let folder = copy_of("cross-encoder");
    let path = folder.path().join("config.json");
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    let error = open(folder.path()).unwrap_err();
    assert_eq!(std::error::Error::source(&error).unwrap().to_string(), "not a regular file");
}

#[test]
fn models_whose_arithmetic_is_another_are_refused_by_name() {
    let cases = [
        (r#""model_type": "bert""#, r#""model_type": "mpnet""#, "`model_type` = `mpnet`"),
        (r#""model_type": "bert""#, r#""model_type": "modernbert""#, "`model_type` = `modernbert`"),
        (
            r#""model_type": "bert""#,
            r#""model_type": "bert", "position_embedding_type": "alibi""#,
            "= `alibi`",
        ),
        (r#""hidden_act": "gelu""#, r#""hidden_act": "gelu_new""#, "`hidden_act` = `gelu_new`"),
        (r#""is_decoder": false"#, r#""is_decoder": true"#, "`is_decoder` = `true`"),
        (
            r#""model_type": "bert""#,
            r#""model_type": "bert", "auto_map": {"AutoModel": "m.M"}"#,
            "`auto_map.AutoModel`",
        ),
        (
            r#""model_type": "bert""#,
            r#""model_type": "dpr", "projection_dim": 8"#,
            "`projection_dim` = `8`",
        ),
    ];
    for (from, to, expected) in cases {
        let folder = copy_of("cross-encoder");
        replace(folder.path(), "config.json", from, to);
        let error = open(folder.path()).unwrap().config().unwrap_err();
        assert!(
            error.to_string().contains(expected) && error.to_string().contains("(supported: "),
            "{error}"
        );
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_missing_file_is_named_with_the_way_to_make_it() {
    for missing in ["model.safetensors", "tokenizer.json"] {
        let folder = copy_of("cross-encoder");
        std::fs::remove_file(folder.path().join(missing)).unwrap();
        let error = open(folder.path()).unwrap_err();
        assert!(
            error.to_string().starts_with("cannot read `") && error.to_string().contains(missing)
        );
        assert!(error.hint().unwrap().contains("save_pretrained"));
    }
}

#[test]
fn both_spellings_of_pooling_are_read() {
    for (said, expected) in [
        (r#"{"pooling_mode": "mean"}"#, Ok(Pooling::Mean)),
        (r#"{"pooling_mode": ["cls"]}"#, Ok(Pooling::Cls)),
        (
            r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false}"#,
            Ok(Pooling::Cls),
        ),
        (
            r#"{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}"#,
            Err("`cls_token + mean_tokens`"),
        ),
        (r#"{"pooling_mode": "lasttoken"}"#, Err("`pooling_mode` = `lasttoken`")),
        (r#"{"pooling_mode": "mean", "include_prompt": false}"#, Err("`include_prompt` = `false`")),
        ("{}", Err("`pooling_mode` = `none`")),
    ] {
        let folder = copy_of("cross-encoder");
        let modules = r#"[{"path": "", "type": "sentence_transformers.models.Transformer"},
                          {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}]"#;
        std::fs::write(folder.path().join("modules.json"), modules).unwrap();
        std::fs::create_dir(folder.path().join("1_Pooling")).unwrap();
        std::fs::write(folder.path().join("1_Pooling/config.json"), said).unwrap();
        match (recipe(folder.path()), expected) {
            (Ok(recipe), Ok(expected)) => assert_eq!(recipe.pooling, expected),
            (Err(error), Err(expected)) => assert!(error.to_string().contains(expected), "{error}"),
            (got, _) => panic!("{said}: {got:?}"),
        }
    }
}

#[test]
fn modules_and_similarities_that_are_not_computed_are_refused_by_name() {
    let folder = copy_of("cross-encoder");
    let modules = r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#;
    std::fs::write(folder.path().join("modules.json"), modules).unwrap();
    let error = recipe(folder.path()).unwrap_err().to_string();
    assert!(error.contains("`type` = `sentence_transformers.models.Dense`"), "{error}");
    std::fs::write(folder.path().join("modules.json"), "[]").unwrap();
    let path = folder.path().join("config_sentence_transformers.json");
    std::fs::write(path, r#"{"similarity_fn_name": "euclidean"}"#).unwrap();
    let error = recipe(folder.path()).unwrap_err().to_string();
    assert!(error.contains("`similarity_fn_name` = `euclidean`"), "{error}");
}

#[test]
fn a_folder_says_its_length_and_what_it_is_compared_by() {
    let dpr = recipe(&tiny("dpr-passage")).unwrap();
    assert_eq!(
        (dpr.pooling, dpr.normalize, dpr.similarity),
        (Pooling::Cls, false, Similarity::Dot)
    );
    let plain = recipe(&tiny("cross-encoder")).unwrap();
    // From tokenizer_config.json; the model has 40 positions.
    assert_eq!(
        (plain.pooling, plain.similarity, plain.max_tokens),
        (Pooling::Mean, Similarity::Cosine, 32)
    );
    let folder = copy_of("cross-encoder");
    std::fs::write(folder.path().join("sentence_bert_config.json"), r#"{"max_seq_length": 500}"#)
        .unwrap();
    assert_eq!(recipe(folder.path()).unwrap().max_tokens, 40);
    // RoBERTa's 42 rows of positions begin at the padding's id and one.
    assert_eq!(recipe(&tiny("roberta")).unwrap().max_tokens, 40);
}

#[test]
fn texts_are_not_lower_cased_in_silence() {
    let folder = copy_of("roberta");
    std::fs::write(folder.path().join("sentence_bert_config.json"), r#"{"do_lower_case": true}"#)
        .unwrap();
    let classifier =
        SequenceClassifier::open(open(folder.path()).unwrap(), None, Precision::Float32).unwrap();
    let error = classifier.logits(&[("a", "b")], |_| true).unwrap_err().to_string();
    assert!(error.contains("`do_lower_case` = `true`"), "{error}");
}

/// Draws a number by `SplitMix64` (Steele et al. 2014).
fn next(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (mixed ^ (mixed >> 31)) as usize
}

/// Opens a folder and scores a pair: problems on the way are errors.
fn score(folder: &Path) -> Result<Option<Vec<f32>>, Error> {
    let checkpoint = open(folder)?;
    let config = checkpoint.config()?;
    checkpoint.recipe(&config)?;
    let classifier = SequenceClassifier::open(checkpoint, None, Precision::Float32)?;
    classifier.logits(&[("what is tea", "it is red"), ("", "")], |_| true)
}

#[test]
fn damaged_files_are_errors_and_never_panics() {
    let mut state = 20_261_121;
    let (mut n_errors, mut n_scored) = (0, 0);
    for name in ["cross-encoder", "roberta", "distilbert", "dpr-passage"] {
        let files: Vec<String> = std::fs::read_dir(tiny(name))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        for file in files {
            let whole = std::fs::read(tiny(name).join(&file)).unwrap();
            // Only the header of the weights can be damaged detectably; a flipped weight is still a number.
            let reach =
                if file.ends_with("safetensors") { whole.len().min(3000) } else { whole.len() };
            for round in 0..30 {
                let mut bytes = whole.clone();
                match round % 3 {
                    0 => bytes.truncate(next(&mut state) % bytes.len()),
                    1 => bytes[next(&mut state) % reach] ^= 1 << (next(&mut state) % 8),
                    // Replacing a digit by a digit leaves JSON valid and makes sizes and ids wrong.
                    _ => {
                        let digits: Vec<usize> =
                            (0..reach).filter(|i| bytes[*i].is_ascii_digit()).collect();
                        if let Some(n) = next(&mut state).checked_rem(digits.len()) {
                            bytes[digits[n]] = b'0' + (next(&mut state) % 10) as u8;
                        }
                    }
                }
                let folder = copy_of(name);
                std::fs::write(folder.path().join(&file), bytes).unwrap();
                match score(folder.path()) {
                    Ok(_) => n_scored += 1,
                    Err(error) => {
                        assert!(!error.to_string().is_empty());
                        n_errors += 1;
                    }
                }
            }
        }
    }
    // Most damage is detected; a changed letter of one word piece is not.
    assert!(n_errors > 150 && n_scored > 25, "{n_errors} errors, {n_scored} scored");
}

#[test]
fn ids_beyond_the_vocabulary_are_an_error() {
    // The template's separate id of [SEP], which lies outside the vocabulary.
    let folder = copy_of("cross-encoder");
    replace(folder.path(), "tokenizer.json", r#""ids": [3]"#, r#""ids": [3000]"#);
    let error = score(folder.path()).unwrap_err().to_string();
    assert!(
        error.contains("special token id 3000 is outside the model's `vocab_size` = 132"),
        "{error}"
    );
}
