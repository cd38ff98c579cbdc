//! Metric families: a closed set, each with its cutoffs, its formula and its aggregation over questions. Sources and reference
//! implementations are in `docs/src/metrics.md`.

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
    /// Their 95th percentile.
    P95,
}

/// Direction of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
}

macro_rules! families {
    ($(#[doc = $doc:literal] $variant:ident = $name:literal, $takes:ident;)*) => {
        /// A metric without its cutoff.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Family { $(#[doc = $doc] $variant,)* }

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
    /// 1 when some of the first k passages contains a gold answer, else 0; both NFKC, lower case, without ASCII punctuation and articles, on word boundaries; span questions only.
    Em = "EM", KOrPrompt;
    /// Relevant documents among the first k / all relevant; without a cutoff, of the whole ranking.
    Recall = "Recall", Any;
    /// 1 when any of the first k documents is relevant, else 0.
    Success = "Success", KOrPrompt;
    /// 1 when every evidence group has a member whose document is among the first k, else 0.
    FullRecall = "FullRecall", KOrPrompt;
    /// Mean over evidence groups: bytes of the best covered member's ranges inside the union of the first k passages / its bytes; a member without ranges counts 1 when its document is there.
    EvidenceRecall = "EvidenceRecall", KOrPrompt;
    /// Relevant documents among the first k / k, also when fewer came back; @Nt, @prompt: / documents shown.
    Precision = "P", KOrPrompt;
    /// Precision at rank R, R = number of relevant documents.
    RPrecision = "Rprec", Nothing;
    /// 2PR / (P + R) of the set of the first k documents (without a cutoff: all); P is over the documents in the set; 0 when both are 0.
    SetF1 = "SetF1", Any;
    /// 1 / rank of the first relevant document within the first k, 0 when there is none.
    ReciprocalRank = "RR", KOrNone;
    /// Sum of grade / log2(rank + 1) within the first k / the same sum of the ideal ranking; linear gain; grades <= 0 gain nothing; a relevance level does not change it.
    Ndcg = "nDCG", KOrNone;
    /// Sum of the precisions at the ranks of the relevant documents within the first k / all relevant.
    AveragePrecision = "AP", KOrNone;
    /// Documents among the first k that are not relevant / all documents that are not relevant; needs the corpus size.
    Fallout = "Fallout", K;
    /// (relevant found in the first k + not relevant left out) / all documents; dominated by true negatives, so an empty ranking scores nearly 1; needs the corpus size.
    Accuracy = "Accuracy", K;
    /// Judged documents (any grade) among the first k / documents among the first k.
    Judged = "Judged", K;
    /// Rank of the first relevant document, infinite when none was found; the median over all questions, not the mean.
    MedianRank = "MedianRank", Nothing;
    /// Evidence bytes inside the first k passages, each once / bytes of these passages, overlaps counted twice; undefined if a passage of an imported run does not occur verbatim in a document.
    SpanPrecision = "SpanPrecision", KOrPrompt;
    /// Evidence bytes inside the first k passages / evidence bytes.
    SpanRecall = "SpanRecall", KOrPrompt;
    /// Evidence bytes inside the first k passages / (bytes of these passages, overlaps counted twice, + evidence bytes missed); undefined where `SpanPrecision` is.
    Iou = "IoU", KOrPrompt;
    /// Evidence bytes inside all chunks that hold some / bytes of the union of these chunks and the evidence: precision if retrieval were perfect; undefined for an imported run.
    PrecisionOmega = "PrecisionOmega", Nothing;
    /// 1 when the answer is correct, 0.5 when the rule is unsure, else 0; unanswerable questions: 1 for declining.
    AnswerCorrect = "AnswerCorrect", Nothing;
    /// 1 when the normalised answer equals a normalised gold answer, else 0; the best gold answer counts.
    AnswerEm = "AnswerEM", Nothing;
    /// Token F1 over multisets of normalised tokens; the best gold answer counts.
    AnswerF1 = "AnswerF1", Nothing;
    /// Shared tokens / tokens of the answer, against the gold answer of the best F1.
    AnswerPrecision = "AnswerPrecision", Nothing;
    /// Shared tokens / tokens of the gold answer of the best F1.
    AnswerRecall = "AnswerRecall", Nothing;
    /// 1 when the answer contains a gold answer, normalised as for EM, on word boundaries: for models that chat.
    AnswerContains = "AnswerContains", Nothing;
    /// `AnswerEM`, `AnswerF1` over the questions that have an answer.
    AnswerEmHasAns = "AnswerEM(HasAns)", Nothing;
    /// `AnswerEM`, `AnswerF1` over the questions that have an answer.
    AnswerF1HasAns = "AnswerF1(HasAns)", Nothing;
    /// `AnswerEM`, `AnswerF1` over the unanswerable questions: 1 for an empty answer (scorer squad2 only).
    AnswerEmNoAns = "AnswerEM(NoAns)", Nothing;
    /// `AnswerEM`, `AnswerF1` over the unanswerable questions: 1 for an empty answer (scorer squad2 only).
    AnswerF1NoAns = "AnswerF1(NoAns)", Nothing;
    /// Required facts that the answer states / required facts; a fact is stated when any of its wordings is contained, as for `AnswerContains`.
    FactRecall = "FactRecall", Nothing;
    /// Forbidden facts that the answer states / forbidden facts.
    ForbiddenFacts = "ForbiddenFacts", Nothing;
    /// Normalised tokens of the answer that occur in the prompt's passages / tokens of the answer; undefined for an empty or declining answer.
    Groundedness = "Groundedness", Nothing;
    /// Numbers, dates and names of the answer that no passage of the prompt contains, in any notation; undefined for an empty or declining answer.
    UnsupportedValues = "UnsupportedValues", Nothing;
    /// Cited passages that hold a part of the gold evidence / passages cited, of which those that are not in the prompt hold none; undefined without a citation.
    CitationPrecision = "CitationPrecision", Nothing;
    /// `EvidenceRecall` of the cited passages / `EvidenceRecall@prompt`; undefined where the prompt has no gold evidence, and for an empty or declining answer.
    CitationRecall = "CitationRecall", Nothing;
    /// Numbers, dates and names of the answer that no passage which it cites contains, in any notation; undefined for an empty or declining answer.
    UncitedValues = "UncitedValues", Nothing;
    /// Wall time of retrieval, reranking and packing, and of the call of the condition `retrieved`; undefined for a failed or cached call.
    Seconds = "seconds", Nothing;
    /// The 95th percentile of `seconds` over questions: the smallest value that at least 95% of them do not exceed.
    SecondsP95 = "seconds_p95", Nothing;
    /// Tokens of prompt and answer of the condition `retrieved`, as billed, else as counted; undefined for a failed or cached call.
    Tokens = "tokens", Nothing;
    /// US dollars of the call of the condition `retrieved`; undefined for a failed or cached call, and without a price.
    Usd = "usd", Nothing;
}

impl Family {
    /// Returns true if it scores answers rather than rankings: the families from `AnswerCorrect` on.
    #[must_use]
    pub fn scores_answers(self) -> bool {
        (Self::AnswerCorrect..Self::Seconds).contains(&self)
    }

    /// Returns true if it is a cost of a question: time, tokens or money.
    #[must_use]
    pub fn is_cost(self) -> bool {
        self >= Self::Seconds
    }

    /// Returns the smallest and the largest value.
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        match self {
            Self::MedianRank => (1.0, f64::INFINITY),
            Self::UnsupportedValues | Self::UncitedValues => (0.0, f64::INFINITY),
            _ if self.is_cost() => (0.0, f64::INFINITY),
            _ => (0.0, 1.0),
        }
    }

    /// Returns the direction of improvement.
    #[must_use]
    pub fn direction(self) -> Direction {
        match self {
            Self::Fallout
            | Self::MedianRank
            | Self::ForbiddenFacts
            | Self::UnsupportedValues
            | Self::UncitedValues => Direction::Lower,
            _ if self.is_cost() => Direction::Lower,
            _ => Direction::Higher,
        }
    }

    /// Returns how the values of all questions become one number.
    #[must_use]
    pub fn aggregate(self) -> Aggregate {
        match self {
            Self::MedianRank => Aggregate::Median,
            Self::SecondsP95 => Aggregate::P95,
            _ => Aggregate::Mean,
        }
    }
}
