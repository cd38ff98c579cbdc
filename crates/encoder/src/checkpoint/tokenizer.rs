//! A folder's tokenizer as the bytes of a `tokenizer.json`: the file itself, or built from an older checkpoint's
//! `vocab.txt`.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::error::CheckpointError;
use super::file::read;
use super::folder::{Checkpoint, TOKENIZER, TOKENIZER_CONFIG, VOCABULARY};
use super::recipe::read_json;
use crate::bert::BertError;

/// The special word pieces of BERT's vocabularies.
const SPECIALS: [&str; 5] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/// `tokenizer_config.json` of a `BertTokenizer`; the defaults are transformers'.
#[derive(Deserialize)]
#[serde(default)]
struct Cleaning {
    tokenizer_class: Option<String>,
    do_lower_case: bool,
    tokenize_chinese_chars: bool,
    strip_accents: Option<bool>,
}

impl Default for Cleaning {
    fn default() -> Self {
        Self {
            tokenizer_class: None,
            do_lower_case: true,
            tokenize_chinese_chars: true,
            strip_accents: None,
        }
    }
}

/// Returns the bytes of the checkpoint's `tokenizer.json`, or of the one that transformers would build from its
/// `vocab.txt`.
pub(super) fn tokenizer_bytes(checkpoint: &Checkpoint) -> Result<Vec<u8>, CheckpointError> {
    if checkpoint.files.iter().any(|(file, _)| file == TOKENIZER) {
        return read(&checkpoint.file(TOKENIZER));
    }
    let path = checkpoint.file(VOCABULARY);
    let text =
        String::from_utf8(read(&path)?).map_err(|error| BertError::malformed(&path, error))?;
    let vocabulary: Map<String, Value> = text
        .lines()
        .enumerate()
        .map(|(id, word_piece)| (word_piece.to_owned(), id.into()))
        .collect();
    let id = |word_piece: &str| vocabulary.get(word_piece).cloned();
    let (Some(cls), Some(sep), Some(_)) = (id("[CLS]"), id("[SEP]"), id("[UNK]")) else {
        return Err(BertError::malformed(&path, "no line `[CLS]`, `[SEP]` or `[UNK]`").into());
    };
    let cleaning = cleaning(checkpoint)?;
    let tokenizer = json!({
        "version": "1.0",
        "added_tokens": SPECIALS.into_iter().filter_map(|word_piece: &str| {
        let id = id(word_piece)?;
        Some(
            json!({"id": id, "content": word_piece, "single_word": false, "lstrip": false, "rstrip": false,
            "normalized": false, "special": true}),
        )
    }).collect::<Vec<_>>(),
        "normalizer": {"type": "BertNormalizer", "clean_text": true,
            "handle_chinese_chars": cleaning.tokenize_chinese_chars, "strip_accents": cleaning.strip_accents,
            "lowercase": cleaning.do_lower_case},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", sep], "cls": ["[CLS]", cls]},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
        // A longer word is unknown, in transformers as in BERT's code.
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary},
    });
    Ok(tokenizer.to_string().into_bytes())
}

fn cleaning(checkpoint: &Checkpoint) -> Result<Cleaning, CheckpointError> {
    let path = checkpoint.file(TOKENIZER_CONFIG);
    let cleaning: Cleaning = if path.is_file() { read_json(&path)? } else { Cleaning::default() };
    let known = |class: &str| {
        ["BertTokenizer", "DistilBertTokenizer", "DPR"].iter().any(|name| class.starts_with(name))
    };
    match cleaning.tokenizer_class {
        Some(value) if !known(&value) => {
            let (setting, supported) =
                ("tokenizer_class", "BertTokenizer where there is no tokenizer.json");
            Err(BertError::Unsupported { path, setting, value, supported }.into())
        }
        _ => Ok(cleaning),
    }
}
