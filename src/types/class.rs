//! The loss classes of a question, the faults inside `generation`, and the flags.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_what_serde_writes_and_reads() {
        for &class in Class::ALL {
            assert_eq!(serde_json::to_value(class).expect("serialises"), class.name());
        }
        for &fault in Fault::ALL {
            assert_eq!(serde_json::to_value(fault).expect("serialises"), fault.name());
        }
        for &flag in Flag::ALL {
            assert_eq!(serde_json::to_value(flag).expect("serialises"), flag.name());
        }
    }
}
