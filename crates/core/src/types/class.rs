//! The loss classes of a question, the faults inside `generation`, the flags, and the failure modes.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! closed_set {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every member, in report order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name in files and reports.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(super) use closed_set;

closed_set! {
    /// Where a question's answer was lost, or that it was not.
    Class {
        /// The evidence is in no document.
        Corpus = "corpus",
        /// A chunk boundary parted what was found from what was needed.
        Chunking = "chunking",
        /// The evidence is not among the candidates.
        Retrieval = "retrieval",
        /// Among the candidates, not in the top k.
        Ranking = "ranking",
        /// In the top k, not in the prompt (or cut off by the server).
        Packing = "packing",
        /// In the prompt, and the answer is wrong all the same.
        Generation = "generation",
        /// Right, with support in the prompt.
        Correct = "correct",
        /// Right without support: memory, another passage, luck.
        CorrectUnsupported = "correct_unsupported",
        /// Unanswerable, and the generator said so.
        CorrectAbstention = "correct_abstention",
        /// Unanswerable, and the generator answered.
        Hallucinated = "hallucinated",
        /// Support reached the prompt; there was no generator to use it.
        Supported = "supported",
        /// Nothing gold to go by.
        Unattributed = "unattributed",
        /// A call failed; never counted as wrong.
        Failed = "failed",
    }
}

impl Class {
    /// Whether something was lost: an answerable question without a right answer or without its support, or one that has no
    /// answer and was given one.
    #[must_use]
    pub fn is_loss(self) -> bool {
        use Class::{Chunking, Corpus, Generation, Hallucinated, Packing, Ranking, Retrieval};
        matches!(
            self,
            Corpus | Chunking | Retrieval | Ranking | Packing | Generation | Hallucinated
        )
    }
}

closed_set! {
    /// The stations that support must reach, in order: a question's class is the first that loses it.
    Station {
        /// The corpus.
        Documents = "documents",
        /// All chunks.
        Chunks = "chunks",
        /// All that any retriever returned.
        Candidates = "candidates",
        /// The first k of the final ranking.
        TopK = "top_k",
        /// What was packed.
        Prompt = "prompt",
        /// A right answer.
        Answer = "answer",
    }
}

closed_set! {
    /// What went wrong inside `generation`.
    Fault {
        /// Right when given the gold passages alone: the context distracted it.
        ContextUse = "context_use",
        /// Wrong with the gold passages alone too: the reader, or the label.
        Reader = "reader",
        /// It said that it does not know.
        Abstained = "abstained",
        /// It declined to answer.
        Refused = "refused",
        /// No answer could be taken from what it wrote.
        Format = "format",
    }
}

closed_set! {
    /// Circumstances worth knowing beside the class.
    Flag {
        /// A gold range is cut by a chunk boundary.
        Cut = "cut",
        /// A gold range lies beyond what the encoder reads of its chunk.
        EncoderTruncated = "encoder_truncated",
        /// Exact search has the gold among its candidates, HNSW lost it.
        AnnMiss = "ann_miss",
        /// An answer string and a content term of the question stand in a packed passage that is not gold.
        AnswerElsewhere = "answer_elsewhere",
        /// Right without context, wrong with the retrieved one.
        Misled = "misled",
        /// Wrong with the gold passages, but answer and gold contain one another, or all arms agree on another answer.
        LabelSuspect = "label_suspect",
        /// The endpoint counted under 80 % of the prompt tokens that we did.
        ServerTruncated = "server_truncated",
    }
}

closed_set! {
    /// A way in which retrieval or generation is known to fail, looked for in every question.
    Mode {
        /// Some evidence group has no passage that shares a content term with the question.
        NoSharedTerm = "no_shared_term",
        /// Of several evidence groups one was there and another not: the first hop found, the second missed, or the reverse.
        BridgeMissed = "bridge_missed",
        /// At least half of the top k are near duplicates of a better ranked passage.
        NearDuplicates = "near_duplicates",
        /// The support was whole only in the later half of a prompt of at least four passages.
        GoldLate = "gold_late",
        /// As the flag of that name.
        AnswerElsewhere = "answer_elsewhere",
        /// As the flag of that name, where an encoder took part.
        EncoderTruncated = "encoder_truncated",
    }
}

impl Mode {
    /// What it says of a question, in a clause.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        match self {
            Self::NoSharedTerm => {
                "no gold passage of some evidence shares a content term with the question"
            }
            Self::BridgeMissed => {
                "some of the evidence was there, some was not (missing: which, in how many questions)"
            }
            Self::NearDuplicates => {
                "at least half of the top k are near duplicates of a better one"
            }
            Self::GoldLate => {
                "support was whole only in the later half of a prompt of four passages or more"
            }
            Self::AnswerElsewhere => "an answer string stands in a packed passage that is not gold",
            Self::EncoderTruncated => "the encoder does not read all of the gold",
        }
    }

    /// Whether it can be why a question was lost at the stage of `class`.
    #[must_use]
    pub fn concerns(self, class: Class) -> bool {
        use Class::{Chunking, Generation, Packing, Ranking, Retrieval};
        match self {
            Self::NoSharedTerm | Self::EncoderTruncated => {
                matches!(class, Chunking | Retrieval | Ranking)
            }
            Self::BridgeMissed => matches!(class, Chunking | Retrieval | Ranking | Packing),
            Self::NearDuplicates => matches!(class, Ranking | Packing),
            Self::GoldLate => class == Generation,
            Self::AnswerElsewhere => {
                matches!(class, Chunking | Retrieval | Ranking | Packing | Generation)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_what_serde_writes_and_reads() {
        for &class in Class::ALL {
            assert_eq!(
                serde_json::to_value(class).expect("serialises"),
                class.name()
            );
        }
        for &fault in Fault::ALL {
            assert_eq!(
                serde_json::to_value(fault).expect("serialises"),
                fault.name()
            );
        }
        for &flag in Flag::ALL {
            assert_eq!(serde_json::to_value(flag).expect("serialises"), flag.name());
        }
        for &mode in Mode::ALL {
            assert_eq!(serde_json::to_value(mode).expect("serialises"), mode.name());
        }
    }
}
