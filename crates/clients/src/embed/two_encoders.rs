//! Combines separate encoders for questions and passages, as in DPR, into one.

use std::sync::Arc;

use async_trait::async_trait;

use super::{Encoder, Length, OnProgress, Role, VectorShape};
use crate::Error;
use ragtriage_core::types::TitledText;

/// An [`Encoder`] that asks one for queries and another for passages.
pub struct TwoEncoders {
    query: Arc<dyn Encoder>,
    passage: Arc<dyn Encoder>,
}

impl TwoEncoders {
    /// Combines them; each with its name for errors. Errors: vectors that cannot be compared with each other.
    pub fn new(
        query: (&str, Arc<dyn Encoder>),
        passage: (&str, Arc<dyn Encoder>),
    ) -> Result<Self, Error> {
        let (query_shape, passage_shape) = (query.1.shape(), passage.1.shape());
        if query_shape != passage_shape {
            let query = described(query.0, query_shape);
            let passage = described(passage.0, passage_shape);
            let message =
                format!("the encoders of questions and passages do not match: {query}; {passage}");
            return Err(Error::new(message).hinting("set `retrieval.dense.query_model` to the model that `retrieval.dense.model` was trained with, or leave it out"));
        }
        Ok(Self { query: query.1, passage: passage.1 })
    }

    fn of(&self, role: Role) -> &dyn Encoder {
        match role {
            Role::Query => &*self.query,
            Role::Passage => &*self.passage,
        }
    }
}

fn described(name: &str, shape: VectorShape) -> String {
    let each = if shape.many { " a token" } else { "" };
    let (dimension, similarity) = (shape.dimension, shape.similarity);
    format!("`{name}` gives {dimension} numbers{each}, compared by {similarity}")
}

#[async_trait]
impl Encoder for TwoEncoders {
    fn fingerprint(&self, role: Role) -> &str {
        self.of(role).fingerprint(role)
    }

    fn shape(&self) -> VectorShape {
        self.passage.shape()
    }

    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, Error> {
        self.of(role).read_bytes(text, role)
    }

    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, Error> {
        self.of(role).lengths(texts, role).await
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, Error> {
        self.of(role).encode(texts, role, on_progress).await
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde::Deserialize;

    use super::*;
    use crate::embed::Local;
    use ragtriage_core::config::DenseSettings;
    use ragtriage_core::types::Similarity;
    use ragtriage_encoder::bert::Instructions;
    use ragtriage_encoder::checkpoint::Checkpoint;

    #[derive(Deserialize)]
    struct Encoded {
        title: String,
        text: String,
        vector: Vec<f32>,
    }

    #[derive(Deserialize)]
    struct Sides {
        question: Vec<Encoded>,
        passage: Vec<Encoded>,
    }

    #[derive(Deserialize)]
    struct Expected {
        dpr: Sides,
    }

    fn tiny(name: &str, options: &DenseSettings) -> Arc<dyn Encoder> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data").join(name);
        let checkpoint = Checkpoint::open(&folder, None).unwrap();
        Arc::new(Local::open(checkpoint, options, Instructions::All).unwrap())
    }

    fn dpr() -> TwoEncoders {
        let question = tiny("tiny-models/dpr-question", &DenseSettings::default());
        let passage = tiny("tiny-models/dpr-passage", &DenseSettings::default());
        TwoEncoders::new(("question", question), ("passage", passage)).unwrap()
    }

    #[tokio::test]
    async fn dpr_is_that_of_transformers() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/data/tiny-models/expected.json");
        let expected: Expected = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let encoder = dpr();
        assert_eq!(
            encoder.shape(),
            VectorShape { dimension: 12, many: false, similarity: Similarity::Dot }
        );
        for (role, cases) in
            [(Role::Query, expected.dpr.question), (Role::Passage, expected.dpr.passage)]
        {
            let texts: Vec<TitledText<'_>> = cases
                .iter()
                .map(|case| TitledText { title: &case.title, text: &case.text })
                .collect();
            let vectors = encoder.encode(&texts, role, &|_| ()).await.unwrap();
            for (case, vector) in cases.iter().zip(vectors) {
                for (got, expected) in vector.iter().zip(&case.vector) {
                    assert!(
                        (got - expected).abs() < 1e-5,
                        "{:?} {:?}: {got} is not {expected}",
                        case.title,
                        case.text
                    );
                }
            }
        }
    }

    #[tokio::test]
    async fn what_is_read_of_a_pair_counts_in_its_text() {
        let encoder = dpr();
        let sentence = "the old king of the river city was in it ";
        let text = sentence.repeat(5);
        let titled = TitledText { title: "Tea", text: &text };
        // 40 positions minus [CLS], two [SEP] and the title's one word piece leave 36 of the text's 50: three sentences of
        // ten words and six words more.
        let read = encoder.read_bytes(titled, Role::Passage).unwrap();
        assert_eq!(read, Some(3 * sentence.len() + "the old king of the river".len()));
        let length = encoder.lengths(&[titled], Role::Passage).await.unwrap().unwrap()[0];
        assert_eq!(length, Length { n_tokens: 51, n_read: 37 });
    }

    #[tokio::test]
    async fn vectors_that_cannot_be_compared_are_refused_by_both_names() {
        let (question, passage) = (
            tiny("tiny-models/dpr-question", &DenseSettings::default()),
            tiny("tiny-bert", &DenseSettings::default()),
        );
        let error = TwoEncoders::new(("a", question), ("b", passage)).err().unwrap().to_string();
        let expected = "the encoders of questions and passages do not match: `a` gives 12 numbers, compared by dot; `b` gives 24 \
                        numbers, compared by cosine";
        assert_eq!(error, expected);
    }

    #[tokio::test]
    async fn another_question_model_leaves_the_passages_as_they_are() {
        let passage = tiny("tiny-models/dpr-passage", &DenseSettings::default());
        let alone = TwoEncoders::new(("p", Arc::clone(&passage)), ("p", passage)).unwrap();
        let pair = dpr();
        assert_eq!(alone.fingerprint(Role::Passage), pair.fingerprint(Role::Passage));
        assert_ne!(alone.fingerprint(Role::Query), pair.fingerprint(Role::Query));
    }
}
