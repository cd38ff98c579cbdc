//! The stages of a pipeline, the failure classes of a question, their causes, and the flags.

use super::QuestionKind;
use crate::closed_set::closed_set;

closed_set! {
    /// A stage of a RAG pipeline, in order: support that one stage loses does not reach the next.
    Stage {
        /// The documents.
        Corpus = "corpus",
        /// Their chunks.
        Chunking = "chunking",
        /// The candidates of all retrievers.
        Retrieval = "retrieval",
        /// The first k of the final ranking.
        Ranking = "ranking",
        /// The prompt.
        Packing = "packing",
        /// The answer.
        Generation = "generation",
    }
}

impl Stage {
    /// Returns the name of the stage's result, as used in waterfalls of support.
    #[must_use]
    pub fn result(self) -> &'static str {
        match self {
            Self::Corpus => "documents",
            Self::Chunking => "chunks",
            Self::Retrieval => "candidates",
            Self::Ranking => "top_k",
            Self::Packing => "prompt",
            Self::Generation => "answer",
        }
    }
}

closed_set! {
    /// Failure class of a question: the stage that lost its answer, or another result.
    FailureClass {
        /// The evidence is in no document.
        NotInCorpus = "not_in_corpus",
        /// A chunk boundary separated what was found from what was needed.
        Split = "split",
        /// The evidence is not among the candidates.
        NotRetrieved = "not_retrieved",
        /// Among the candidates, not in the top k.
        RankedLow = "ranked_low",
        /// In the top k, not in the prompt (or cut off by the server).
        NotPacked = "not_packed",
        /// In the prompt, but the answer is wrong.
        WrongAnswer = "wrong_answer",
        /// Not in the prompt; the record of an external RAG does not show whether retrieval, ranking or packing lost it.
        NotInPrompt = "not_in_prompt",
        /// Not known to be correct, and which of the others holds is unknown: there is no usable label, the label is wider than a
        /// chunk and a part of it was delivered, or a record does not show the prompt.
        Unclear = "unclear",
        /// The rule of correctness cannot tell whether the answer is correct.
        Unsure = "unsure",
        /// Correct, with support in the prompt.
        Correct = "correct",
        /// Correct without support: memory, another passage, luck.
        CorrectWithoutEvidence = "correct_without_evidence",
        /// Unanswerable, and the generator declined.
        Declined = "declined",
        /// Unanswerable, and the generator answered.
        Hallucinated = "hallucinated",
        /// Support reached the prompt; there is no generator, or no gold answer to compare its answer with.
        Delivered = "delivered",
        /// A call failed, its response is not recorded, or its reply is no answer: truncated, empty, a tool call, stopped by a filter. It
        /// never counts as wrong.
        Failed = "failed",
    }
}

impl FailureClass {
    /// Returns the stage that lost an answerable question; `None` for every other class.
    #[must_use]
    pub fn stage(self) -> Option<Stage> {
        Stage::ALL.into_iter().find(|stage| Self::from(*stage) == self)
    }

    /// Returns true if the question has no result to judge.
    #[must_use]
    pub fn has_no_result(self) -> bool {
        self == Self::Failed
    }

    /// Returns true if the question is unanswerable and the generator replied.
    #[must_use]
    pub fn is_of_unanswerable(self) -> bool {
        matches!(self, Self::Declined | Self::Hallucinated)
    }

    /// Returns true if a question of the kind can have it.
    #[must_use]
    pub fn is_possible_for(self, kind: QuestionKind) -> bool {
        self == Self::Failed || self.is_of_unanswerable() == (kind == QuestionKind::Unanswerable)
    }

    /// Returns true if only a question with an answer can have it.
    #[must_use]
    pub fn needs_an_answer(self) -> bool {
        matches!(
            self,
            Self::WrongAnswer | Self::Unsure | Self::Correct | Self::CorrectWithoutEvidence
        ) || self.is_of_unanswerable()
    }

    /// Returns true if the evidence did not reach the prompt, and the answer is not correct.
    #[must_use]
    pub fn is_lost_before_prompt(self) -> bool {
        self == Self::NotInPrompt || self.stage().is_some_and(|stage| stage != Stage::Generation)
    }

    /// Returns true if something was lost: an answerable question without a correct answer or without its support, or an
    /// unanswerable one that was answered.
    #[must_use]
    pub fn is_loss(self) -> bool {
        self.stage().is_some() || matches!(self, Self::NotInPrompt | Self::Hallucinated)
    }
}

impl From<Stage> for FailureClass {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Corpus => Self::NotInCorpus,
            Stage::Chunking => Self::Split,
            Stage::Retrieval => Self::NotRetrieved,
            Stage::Ranking => Self::RankedLow,
            Stage::Packing => Self::NotPacked,
            Stage::Generation => Self::WrongAnswer,
        }
    }
}

closed_set! {
    /// Cause of a loss in `wrong_answer`.
    Fault {
        /// Correct when given the gold passages alone: distracted by the context.
        IgnoredContext = "ignored_context",
        /// Wrong with the gold passages alone too: the reader or the label is at fault.
        Misread = "misread",
        /// The generator stated that it does not know.
        Declined = "declined",
    }
}

closed_set! {
    /// Cause of a loss in `not_retrieved`: what to change.
    Cause {
        /// Found with the title of the gold document added: the question does not say what it is about.
        Query = "query",
        /// Found with the words of the evidence alone: question and evidence use other words.
        Vocabulary = "vocabulary",
        /// Not even found with the words of the evidence: it is not in the index, or not as it should be.
        Index = "index",
    }
}

closed_set! {
    /// Circumstances worth knowing in addition to the failure class.
    Flag {
        /// An answer or required fact and content terms of the question occur in a packed passage without gold evidence.
        AnswerElsewhere = "answer_elsewhere",
        /// Wrong with the gold passages, but answer and gold answer contain one another, or all conditions agree on an answer
        /// that occurs in the gold passages, while no gold answer does.
        LabelSuspect = "label_suspect",
        /// The endpoint counted less than 80% of our count of prompt tokens.
        PromptTruncated = "prompt_truncated",
    }
}
