//! Token vectors against those of transformers, and checkpoints that cannot be used.

use std::path::{Path, PathBuf};

use safetensors::SafeTensors;
use safetensors::tensor::TensorView;
use serde::Deserialize;

use super::*;

#[derive(Deserialize)]
struct Encoded {
    text: String,
    rows: Vec<Vec<f32>>,
}

#[derive(Deserialize)]
struct Sides {
    queries: Vec<Encoded>,
    attending: Vec<Encoded>,
    documents: Vec<Encoded>,
}

#[derive(Deserialize)]
struct Expected {
    colbert: Sides,
}

fn tiny(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-models").join(name)
}

fn expected() -> Sides {
    serde_json::from_slice::<Expected>(&std::fs::read(tiny("expected.json")).unwrap())
        .unwrap()
        .colbert
}

fn open(folder: &Path) -> Result<LateInteraction, Error> {
    let checkpoint = Checkpoint::open(folder, None)?;
    LateInteraction::open(checkpoint)
}

async fn check(encoder: &LateInteraction, role: Role, cases: &[Encoded]) {
    let texts: Vec<TitledText<'_>> =
        cases.iter().map(|case| TitledText::untitled(&case.text)).collect();
    let vectors = encoder.encode(&texts, role, &|_| ()).await.unwrap();
    for (case, vector) in cases.iter().zip(vectors) {
        let rows: Vec<&[f32]> = vector.chunks_exact(encoder.shape().dimension).collect();
        assert_eq!(rows.len(), case.rows.len(), "{:?}", case.text);
        for (row, expected) in rows.iter().zip(&case.rows) {
            for (got, expected) in row.iter().zip(expected) {
                assert!((got - expected).abs() < 1e-5, "{:?}: {got} is not {expected}", case.text);
            }
        }
    }
}

#[tokio::test]
async fn token_vectors_are_those_of_transformers() {
    let encoder = open(&tiny("colbert")).unwrap();
    assert_eq!(
        encoder.shape(),
        VectorShape { dimension: 8, many: true, similarity: Similarity::Cosine }
    );
    let expected = expected();
    check(&encoder, Role::Query, &expected.queries).await;
    check(&encoder, Role::Passage, &expected.documents).await;
}

#[tokio::test]
async fn masks_are_attended_to_where_the_checkpoint_says_so() {
    let folder = copy_of_tiny();
    let path = folder.path().join("artifact.metadata");
    let said = std::fs::read_to_string(&path).unwrap();
    let changed =
        said.replace("\"attend_to_mask_tokens\": false", "\"attend_to_mask_tokens\": true");
    assert_ne!(said, changed);
    std::fs::write(&path, changed).unwrap();
    check(&open(folder.path()).unwrap(), Role::Query, &expected().attending).await;
}

fn copy_of_tiny() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in ["config.json", "tokenizer.json", "model.safetensors", "artifact.metadata"] {
        std::fs::copy(tiny("colbert").join(file), folder.path().join(file)).unwrap();
    }
    folder
}

#[tokio::test]
async fn a_folder_of_pylates_form_is_refused() {
    let folder = copy_of_tiny();
    let path = folder.path().join("model.safetensors");
    let bytes = std::fs::read(&path).unwrap();
    let all = SafeTensors::deserialize(&bytes).unwrap();
    let rest = all.tensors().into_iter().filter(|(name, _)| name != "linear.weight");
    std::fs::write(&path, safetensors::serialize(rest, None).unwrap()).unwrap();
    std::fs::write(folder.path().join("modules.json"), "[]").unwrap();
    let error = open(folder.path()).err().unwrap().to_string();
    assert!(error.contains("PyLate's form is not supported"), "{error}");
}

#[tokio::test]
async fn a_model_without_markers_is_refused_by_their_name() {
    let folder = copy_of_tiny();
    let path = folder.path().join("artifact.metadata");
    let said = std::fs::read_to_string(&path).unwrap().replace("[unused1]", "[D]");
    // The setting `doc_token` also contains `[D]`; it is a display name.
    std::fs::write(&path, said).unwrap();
    let error = open(folder.path()).err().unwrap().to_string();
    let expected = format!(
        "`{}` has no word piece `[D]`, which a late-interaction model needs",
        folder.path().display()
    );
    assert_eq!(error, expected);
}

#[tokio::test]
async fn lengths_and_offsets_leave_the_frame_out() {
    let encoder = open(&tiny("colbert")).unwrap();
    // 24 tokens minus [CLS], the marker and [SEP] leave 21 of 30; for a query 12 minus 3 leave
    // 9.
    let text = "tea ".repeat(30);
    let titled = TitledText { title: "", text: &text };
    let passage = encoder.lengths(&[titled], Role::Passage).await.unwrap().unwrap();
    assert_eq!(passage, [Length { n_tokens: 30, n_read: 21 }]);
    let query = encoder.lengths(&[titled], Role::Query).await.unwrap().unwrap();
    assert_eq!(query, [Length { n_tokens: 30, n_read: 9 }]);
    assert_eq!(encoder.read_bytes(titled, Role::Passage).unwrap(), Some("tea ".len() * 21 - 1));
    // The title takes two of them, its line feed none.
    let titled = TitledText { title: "old king", text: &text };
    assert_eq!(encoder.read_bytes(titled, Role::Passage).unwrap(), Some("tea ".len() * 19 - 1));
}

/// Rewrites one tensor of a weights file; the bytes may have another shape.
fn with_tensor(path: &Path, name: &str, change: impl Fn(&mut Vec<u8>, &mut Vec<usize>)) {
    let bytes = std::fs::read(path).unwrap();
    let all = SafeTensors::deserialize(&bytes).unwrap();
    let old = all.tensor(name).unwrap();
    let (mut data, mut shape) = (old.data().to_vec(), old.shape().to_vec());
    change(&mut data, &mut shape);
    let new = TensorView::new(old.dtype(), shape, &data).unwrap();
    let tensors = all.tensors().into_iter().map(|(other, view)| {
        let view = if other == name { new.clone() } else { view };
        (other, view)
    });
    std::fs::write(path, safetensors::serialize(tensors, None).unwrap()).unwrap();
}

async fn error_of(folder: &Path) -> String {
    let encoder = match open(folder) {
        Ok(encoder) => encoder,
        Err(error) => return error.to_string(),
    };
    let text = [TitledText::untitled("tea")];
    let error = encoder.encode(&text, Role::Passage, &|_| ()).await;
    error.expect_err("a fault").to_string()
}

#[tokio::test]
async fn weights_that_are_not_finite_are_refused_by_name() {
    for name in ["linear.weight", "bert.embeddings.word_embeddings.weight"] {
        let folder = copy_of_tiny();
        let path = folder.path().join("model.safetensors");
        // Not a number in each of F16, BF16 and F32.
        with_tensor(&path, name, |data, _| {
            data[..4].copy_from_slice(&[0xff, 0x7f, 0xff, 0x7f]);
        });
        let path = path.display();
        let expected = format!("`{path}` cannot be used: tensor `{name}` holds NaN");
        assert_eq!(error_of(folder.path()).await, expected);
    }
}

#[tokio::test]
async fn a_projection_of_another_dimension_is_refused_by_both_shapes() {
    // 8 x 12 numbers as 12 x 8; the hidden size is 12.
    let swap = |_: &mut Vec<u8>, shape: &mut Vec<usize>| shape.swap(0, 1);
    let folder = copy_of_tiny();
    with_tensor(&folder.path().join("model.safetensors"), "linear.weight", swap);
    let error = error_of(folder.path()).await;
    let expected = "tensor `linear.weight` has shape [12,8], expected [any, 12]";
    assert!(error.contains(expected), "{error}");
}

#[tokio::test]
async fn a_text_without_words_has_the_vectors_of_its_frame() {
    let encoder = open(&tiny("colbert")).unwrap();
    let texts = ["", "...", "?!"].map(TitledText::untitled);
    // [CLS], the marker and [SEP]; a query is padded to 12 tokens. A vector has 8 numbers.
    for (role, n_tokens) in [(Role::Passage, 3), (Role::Query, 12)] {
        for vector in encoder.encode(&texts, role, &|_| ()).await.unwrap() {
            assert_eq!(vector.len(), n_tokens * 8);
            assert!(vector.iter().all(|x| x.is_finite()));
        }
    }
}
