//! Measure families: a closed set, each with its cutoffs and its aggregation over questions.

/// Cutoffs that a family takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// `@k`, `@Nt` or `@prompt`, one of them.
    KOrPrompt,
    /// `@k`, `@Nt`, `@prompt`, or none: the whole ranking.
    Any,
    /// `@k`, one.
    K,
    /// `@k` or none: the whole ranking.
    KOrNone,
    /// None.
    Nothing,
}

/// Aggregation of all questions' values to one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// Their mean.
    Mean,
    /// Their median.
    Median,
}

macro_rules! families {
    ($($(#[$doc:meta])* $variant:ident = $name:literal, $takes:ident;)*) => {
        /// A measure without its cutoff. [`Family::facts`] gives each formula.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Family { $($(#[$doc])* $variant,)* }

        impl Family {
            /// Every family, in report order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the name before the cutoff.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub(super) fn takes(self) -> Takes {
                match self { $(Self::$variant => Takes::$takes,)* }
            }
        }
    };
}

families! {
    /// A passage holds a gold answer.
    Em = "EM", KOrPrompt;
    /// Share of the relevant documents found.
    Recall = "Recall", Any;
    /// Any relevant document found.
    Success = "Success", KOrPrompt;
    /// Every evidence group's document found.
    FullRecall = "FullRecall", KOrPrompt;
    /// Share of the evidence's bytes found.
    EvidenceRecall = "EvidenceRecall", KOrPrompt;
    /// Share of the results that is relevant.
    Precision = "P", KOrPrompt;
    /// Precision at the rank that equals the number of relevant documents.
    RPrecision = "Rprec", Nothing;
    /// Harmonic mean of precision and recall.
    SetF1 = "SetF1", Any;
    /// One over the rank of the first relevant document.
    ReciprocalRank = "RR", KOrNone;
    /// Normalised discounted cumulative gain, linear gain.
    Ndcg = "nDCG", KOrNone;
    /// Average precision.
    AveragePrecision = "AP", KOrNone;
    /// Share of the non-relevant documents that was found.
    Fallout = "Fallout", K;
    /// Share of all documents that was correctly found or correctly left out.
    Accuracy = "Accuracy", K;
    /// Share of the results with a relevance judgment.
    Judged = "Judged", K;
    /// Rank of the first relevant document.
    MedianRank = "MedianRank", Nothing;
    /// Share of the passages' bytes that are evidence.
    SpanPrecision = "SpanPrecision", KOrPrompt;
    /// Share of the evidence's bytes that the passages hold.
    SpanRecall = "SpanRecall", KOrPrompt;
    /// Evidence bytes held, over those held, missed, or superfluous.
    Iou = "IoU", KOrPrompt;
    /// The best precision that the chunking allows.
    PrecisionOmega = "PrecisionOmega", Nothing;
    /// The answer is right.
    AnswerRight = "AnswerRight", Nothing;
    /// The answer equals a gold answer.
    AnswerEm = "AnswerEM", Nothing;
    /// Token F1 of the answer.
    AnswerF1 = "AnswerF1", Nothing;
    /// Token precision of the answer.
    AnswerPrecision = "AnswerPrecision", Nothing;
    /// Token recall of the answer.
    AnswerRecall = "AnswerRecall", Nothing;
    /// The answer contains a gold answer.
    AnswerContains = "AnswerContains", Nothing;
    /// `AnswerEM` over the answerable questions.
    AnswerEmHasAns = "AnswerEM(HasAns)", Nothing;
    /// `AnswerF1` over the answerable questions.
    AnswerF1HasAns = "AnswerF1(HasAns)", Nothing;
    /// `AnswerEM` over the unanswerable questions.
    AnswerEmNoAns = "AnswerEM(NoAns)", Nothing;
    /// `AnswerF1` over the unanswerable questions.
    AnswerF1NoAns = "AnswerF1(NoAns)", Nothing;
    /// Share of the required facts that the answer states.
    FactRecall = "FactRecall", Nothing;
    /// Share of the forbidden facts that the answer states.
    ForbiddenFacts = "ForbiddenFacts", Nothing;
    /// Share of the answer's tokens that occur in the prompt's passages.
    Groundedness = "Groundedness", Nothing;
    /// Values of the answer that no passage of the prompt contains.
    UnsupportedValues = "UnsupportedValues", Nothing;
}

impl Family {
    /// Returns true if it scores answers rather than rankings.
    #[must_use]
    pub fn scores_answers(self) -> bool {
        matches!(
            self,
            Self::AnswerRight
                | Self::AnswerEm
                | Self::AnswerF1
                | Self::AnswerPrecision
                | Self::AnswerRecall
                | Self::AnswerContains
                | Self::AnswerEmHasAns
                | Self::AnswerF1HasAns
                | Self::AnswerEmNoAns
                | Self::AnswerF1NoAns
                | Self::FactRecall
                | Self::ForbiddenFacts
                | Self::Groundedness
                | Self::UnsupportedValues
        )
    }

    /// Returns the name of what it scores and what its k counts.
    #[must_use]
    pub fn looks_at(self) -> &'static str {
        match self {
            Self::Em => "passages and gold answers",
            Self::EvidenceRecall
            | Self::SpanPrecision
            | Self::SpanRecall
            | Self::Iou
            | Self::PrecisionOmega => "passages and evidence",
            Self::FullRecall => "documents (passages collapsed by first occurrence) and evidence",
            family if family.scores_answers() => "answers",
            _ => "documents (passages collapsed by first occurrence) and their grades",
        }
    }

    /// Returns the forms of its measures' names, with k and N as placeholders: `EM@k`, `EM@Nt`, `EM@prompt`.
    #[must_use]
    pub fn forms(self) -> Vec<String> {
        let suffixes: &[&str] = match self.takes() {
            Takes::KOrPrompt => &["@k", "@Nt", "@prompt"],
            Takes::Any => &["", "@k", "@Nt", "@prompt"],
            Takes::K => &["@k"],
            Takes::KOrNone => &["", "@k"],
            Takes::Nothing => &[""],
        };
        suffixes.iter().map(|suffix| format!("{}{suffix}", self.name())).collect()
    }

    /// Returns how the values of all questions become one number.
    #[must_use]
    pub fn aggregate(self) -> Aggregate {
        if self == Self::MedianRank { Aggregate::Median } else { Aggregate::Mean }
    }
}
