//! An extractive question-answering checkpoint: a question and texts to the best span of each.
//!
//! The arithmetic of transformers' `...ForQuestionAnswering` and of its pipeline's defaults: windows of at most 384
//! word pieces that share 128, the question first.

use std::ops::Range;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::folder::Checkpoint;
use super::spans::{Offered, TextAnswer, WindowSpans};
use super::{CheckpointError, Model};
use crate::bert::{BertError, Dense, Ids, Instructions, Kernel, Sequence, Wanted, Window, batch};
use ragtriage_core::config::Precision;

/// Maximum word pieces of a window, question and special tokens included.
const MOST_TOKENS: usize = 384;
/// Maximum word pieces that neighbouring windows share.
const MOST_STRIDE: usize = 128;

/// A checkpoint that finds answers in texts.
pub struct QuestionAnswerer {
    model: Model<Dense>,
    stride: usize,
}

impl QuestionAnswerer {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`].
    ///
    /// Errors: a config that this crate does not support, by name. Missing head weights are reported at first use.
    pub fn open(checkpoint: Checkpoint, precision: Precision) -> Result<Self, CheckpointError> {
        let config = checkpoint.config()?;
        let max_tokens = checkpoint.max_tokens(&config)?.min(MOST_TOKENS);
        let model = Model::with_head(
            checkpoint,
            config,
            max_tokens,
            Kernel::new(precision, Instructions::All),
            |tensors, config| Ok(Dense::read(tensors, "qa_outputs", config.hidden_size(), 2)?),
        )?;
        let stride = MOST_STRIDE.min(max_tokens / 2);
        Ok(Self { model, stride })
    }

    /// Returns the answer of each text to `question`, in their order. Runs on rayon's threads. `on_done` receives every
    /// finished batch's size and returns false to stop; the result is then `None`.
    pub fn answers(
        &self,
        question: &str,
        texts: &[&str],
        on_done: impl Fn(usize) -> bool + Sync,
    ) -> Result<Option<Vec<TextAnswer>>, CheckpointError> {
        let (word_pieces, bert, head) =
            (self.model.word_pieces()?, self.model.bert()?, self.model.head()?);
        let of_texts: Vec<Vec<Window>> = texts
            .par_iter()
            .map(|text| word_pieces.windows(question, text, self.stride))
            .collect::<Result<_, BertError>>()?;
        let windows: Vec<&Window> = of_texts.iter().flatten().collect();
        let sequences: Vec<Sequence<'_>> =
            windows.iter().map(|window| window.ids().sequence()).collect();
        let decoded = batch::run(
            bert,
            &sequences,
            Wanted::Every,
            |at, states| decode(windows[at], &head.apply(states)),
            on_done,
        );
        let Some(mut decoded) = decoded.map(Vec::into_iter) else {
            return Ok(None);
        };
        let answers = texts.iter().zip(&of_texts).map(|(text, windows)| {
            let mut offered = Offered::new(text);
            for (window, spans) in windows.iter().zip(decoded.by_ref()) {
                offered.add(&spans, |span| window.bytes(span.first, span.last));
            }
            offered.best()
        });
        Ok(Some(answers.collect()))
    }
}

/// Decodes a window's logits over the tokens of its text and `[CLS]`, the first token of every window.
fn decode(window: &Window, logits: &[f32]) -> WindowSpans {
    let Ids { ids, .. } = window.ids();
    let text: Range<usize> = window.text_tokens();
    let open: Vec<bool> =
        (0..ids.len()).map(|at| ids[at] == ids[0] || text.contains(&at)).collect();
    WindowSpans::decode(logits, &text, &open)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};

    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Asked {
        question: String,
        context: String,
        answer: String,
        score: f64,
        null: f64,
        or_none: String,
    }

    fn data() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-qa")
    }

    fn open(folder: &Path) -> QuestionAnswerer {
        let checkpoint = Checkpoint::open(folder, None).unwrap();
        QuestionAnswerer::open(checkpoint, Precision::Float32).unwrap()
    }

    fn check(answerer: &QuestionAnswerer, asked: &Asked) {
        let answers = answerer.answers(&asked.question, &[&asked.context], |_| true);
        let TextAnswer { best, null_score } = answers.unwrap().unwrap().remove(0);
        let best = best.unwrap();
        let answer = &asked.context[best.range];
        assert_eq!(answer, asked.answer, "{:?}", asked.question);
        for (ours, theirs) in [(best.score, asked.score), (null_score, asked.null)] {
            // Scores are as small as 1e-4: 1e-5, and 0.1% of the score.
            let most = 1e-5_f64.min(1e-3 * theirs);
            assert!((ours - theirs).abs() < most, "{ours} is not {theirs}: {:?}", asked.question);
        }
        let or_none = if null_score > best.score { "" } else { answer };
        assert_eq!(or_none, asked.or_none, "{:?}", asked.question);
    }

    #[test]
    fn answers_and_scores_are_those_of_transformers_pipeline() {
        let expected = std::fs::read(data().join("expected.json")).unwrap();
        let expected: BTreeMap<String, Vec<Asked>> = serde_json::from_slice(&expected).unwrap();
        assert_eq!(
            expected.keys().collect::<Vec<_>>(),
            ["bert", "distilbert", "electra", "roberta"]
        );
        for (family, cases) in expected {
            let answerer = open(&data().join(family));
            for asked in &cases {
                check(&answerer, asked);
            }
        }
    }

    #[test]
    #[ignore = "needs the checkpoint that benches/peers/qa.py trains"]
    fn answers_of_a_trained_model_are_those_of_transformers_pipeline() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../datasets/fetched/qa-minilm");
        let expected = std::fs::read(folder.join("expected.json")).unwrap();
        let expected: Vec<Asked> = serde_json::from_slice(&expected).unwrap();
        let answerer = open(&folder);
        for asked in &expected {
            check(&answerer, asked);
        }
    }

    #[test]
    fn a_text_gets_the_same_answer_whatever_the_others_and_an_empty_one_none() {
        let answerer = open(&data().join("bert"));
        let texts = ["tea is red", "", "the old king of the river city", "tea is red"];
        let all = answerer.answers("what", &texts, |_| true).unwrap().unwrap();
        let alone = answerer.answers("what", &texts[2..3], |_| true).unwrap().unwrap();
        assert_eq!(all[2], alone[0]);
        assert_eq!(all[0], all[3]);
        assert_eq!(all[1].best, None);
    }

    #[test]
    fn a_question_longer_than_the_model_reads_is_cut() {
        let answerer = open(&data().join("bert"));
        let (question, text) = ("what ".repeat(500), "tea is red ".repeat(50));
        let answers = answerer.answers(&question, &[&text], |_| true);
        assert!(answers.unwrap().unwrap()[0].best.is_some());
    }
}
