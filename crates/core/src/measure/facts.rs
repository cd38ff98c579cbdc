//! Reference facts of each measure: formula, range, direction, common names, source.

use super::family::Family;

/// Direction of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Higher is better.
    Higher,
    /// Lower is better.
    Lower,
}

impl Direction {
    /// Returns the printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Higher => "higher is better",
            Self::Lower => "lower is better",
        }
    }
}

/// Reference facts of one measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasureFacts {
    /// Formula of one question's value, and the questions for which it is defined.
    pub formula: &'static str,
    /// Smallest and largest value.
    pub range: (f64, f64),
    /// Direction of improvement.
    pub direction: Direction,
    /// Tool that gives equal numbers, and its name for the measure.
    pub reference: Option<&'static str>,
    /// Other names in use.
    pub also: &'static [&'static str],
    /// Source of the definition.
    pub paper: &'static str,
}

/// Returns the facts of most measures: in 0..=1, higher is better.
const fn share(
    formula: &'static str,
    reference: Option<&'static str>,
    also: &'static [&'static str],
    paper: &'static str,
) -> MeasureFacts {
    MeasureFacts {
        formula,
        range: (0.0, 1.0),
        direction: Direction::Higher,
        reference,
        also,
        paper,
    }
}

const SQUAD: &str = "Rajpurkar et al. 2016";
const SQUAD2: &str = "Rajpurkar, Jia, Liang 2018";
const CHROMA: &str = "Smith and Troynikov 2024, Evaluating Chunking Strategies for Retrieval";
const MANNING: &str = "Manning, Raghavan, Schütze 2008, section 8.3";
const HANDBOOK: &str = "Buckley and Voorhees 2005";

impl Family {
    /// Returns the formula, range, direction and common names.
    #[must_use]
    pub fn facts(self) -> MeasureFacts {
        self.answer_facts().or_else(|| self.passage_facts()).unwrap_or_else(|| self.ranking_facts())
    }

    fn ranking_facts(self) -> MeasureFacts {
        match self {
            Self::Recall => share(
                "relevant documents among the first k / all relevant; without a cutoff, of the whole ranking",
                Some("trec_eval recall_k, set_recall"),
                &["recall", "set_recall", "sensitivity"],
                MANNING,
            ),
            Self::Success => share(
                "1 when any of the first k documents is relevant, else 0",
                Some("trec_eval success_k"),
                &[
                    "hit",
                    "hit rate",
                    "hits",
                    "success",
                    "accuracy of retrieval",
                    "Recall@k in papers on open-domain QA",
                ],
                "Karpukhin et al. 2020 (top-k accuracy)",
            ),
            Self::Precision => share(
                "relevant documents among the first k / k, also when fewer came back; @Nt, @prompt: / documents shown",
                Some("trec_eval P_k"),
                &["precision", "prec"],
                MANNING,
            ),
            Self::RPrecision => share(
                "precision at rank R, R = number of relevant documents",
                Some("trec_eval Rprec"),
                &["R-precision"],
                HANDBOOK,
            ),
            Self::SetF1 => share(
                "2PR / (P + R) of the set of the first k documents (without a cutoff: all); P is over the documents in the set; 0 when both are 0",
                Some("trec_eval set_F"),
                &["F1", "set_F", "SetF"],
                "van Rijsbergen 1979",
            ),
            Self::ReciprocalRank => share(
                "1 / rank of the first relevant document within the first k, 0 when there is none",
                Some("trec_eval recip_rank"),
                &["MRR", "recip_rank", "reciprocal rank"],
                "Voorhees 1999",
            ),
            Self::Ndcg => share(
                "sum of grade / log2(rank + 1) within the first k / the same sum of the ideal ranking; linear gain; grades <= 0 gain nothing; a relevance level does not change it",
                Some("trec_eval ndcg_cut_k, ndcg"),
                &["ndcg", "ndcg_cut"],
                "Järvelin and Kekäläinen 2002",
            ),
            Self::AveragePrecision => share(
                "sum of the precisions at the ranks of the relevant documents within the first k / all relevant",
                Some("trec_eval map, map_cut_k"),
                &["map", "map_cut", "average precision", "MAP"],
                HANDBOOK,
            ),
            Self::Fallout => MeasureFacts {
                direction: Direction::Lower,
                ..share(
                    "documents among the first k that are not relevant / all documents that are not relevant; needs the corpus size",
                    None,
                    &["false positive rate"],
                    MANNING,
                )
            },
            Self::Accuracy => share(
                "(relevant found in the first k + not relevant left out) / all documents; dominated by true negatives, so an empty ranking scores nearly 1; needs the corpus size",
                None,
                &["acc"],
                MANNING,
            ),
            Self::Judged => share(
                "judged documents (any grade) among the first k / documents among the first k",
                Some("ir_measures Judged@k"),
                &["judged", "1 - unj"],
                "Buckley and Voorhees 2004",
            ),
            _ => MeasureFacts {
                range: (1.0, f64::INFINITY),
                direction: Direction::Lower,
                ..share(
                    "rank of the first relevant document, infinite when none was found; the median over all questions, not the mean",
                    None,
                    &["median rank", "MedR"],
                    "usual in cross-modal retrieval",
                )
            },
        }
    }

    fn passage_facts(self) -> Option<MeasureFacts> {
        Some(match self {
            Self::Em => share(
                "1 when some of the first k passages contains a gold answer, else 0; both NFKC, lower case, without ASCII punctuation and articles, on word boundaries; span questions only",
                None,
                &["answer recall", "has_answer", "top-k retrieval accuracy"],
                "Chen et al. 2017 (DrQA); Karpukhin et al. 2020",
            ),
            Self::FullRecall => share(
                "1 when every evidence group has a member whose document is among the first k, else 0",
                None,
                &["all-recall", "paragraph EM"],
                "Yang et al. 2018 (HotpotQA), both gold paragraphs",
            ),
            Self::EvidenceRecall => share(
                "mean over evidence groups: bytes of the best covered member's ranges inside the union of the first k passages / its bytes; a member without ranges counts 1 when its document is there",
                None,
                &[],
                "this project: support (design, section 4) as a share",
            ),
            Self::SpanPrecision => share(
                "evidence bytes inside the first k passages, each once / bytes of these passages, overlaps counted twice; undefined if a passage of an imported run does not occur verbatim in a document",
                Some("chunking_evaluation precision"),
                &["token precision"],
                CHROMA,
            ),
            Self::SpanRecall => share(
                "evidence bytes inside the first k passages / evidence bytes",
                Some("chunking_evaluation recall"),
                &["token recall"],
                CHROMA,
            ),
            Self::Iou => share(
                "evidence bytes inside the first k passages / (bytes of these passages, overlaps counted twice, + evidence bytes missed); undefined where SpanPrecision is",
                Some("chunking_evaluation iou"),
                &["Jaccard", "intersection over union"],
                CHROMA,
            ),
            Self::PrecisionOmega => share(
                "evidence bytes inside all chunks that hold some / bytes of the union of these chunks and the evidence: precision if retrieval were perfect; undefined for an imported run",
                Some("chunking_evaluation precision_omega"),
                &["precision omega"],
                CHROMA,
            ),
            _ => return None,
        })
    }

    fn answer_facts(self) -> Option<MeasureFacts> {
        Some(match self {
            Self::AnswerRight => share(
                "1 when the answer is right by `evaluation.right`, 0.5 when the rule is unsure, else 0; unanswerable questions: 1 for abstaining",
                None,
                &["accuracy", "correctness"],
                "this project; near misses and their error rate are in its documentation",
            ),
            Self::AnswerEm => share(
                "1 when the normalised answer equals a normalised gold answer, else 0; the best gold answer counts",
                Some(
                    "evaluate-v1.1.py, evaluate-v2.0.py, hotpot_evaluate_v1.py: exact_match, exact, em",
                ),
                &["exact match", "exact_match", "exact"],
                SQUAD,
            ),
            Self::AnswerF1 => share(
                "token F1 over multisets of normalised tokens; the best gold answer counts",
                Some("the same scripts: f1"),
                &["f1", "token F1"],
                SQUAD,
            ),
            Self::AnswerPrecision => share(
                "shared tokens / tokens of the answer, against the gold answer of the best F1",
                Some("hotpot_evaluate_v1.py prec"),
                &["prec"],
                "Yang et al. 2018",
            ),
            Self::AnswerRecall => share(
                "shared tokens / tokens of the gold answer of the best F1",
                Some("hotpot_evaluate_v1.py recall"),
                &[],
                "Yang et al. 2018",
            ),
            Self::AnswerContains => share(
                "1 when the answer contains a gold answer, normalised as for EM, on word boundaries: for models that chat",
                None,
                &["answer inclusion"],
                "Mallen et al. 2023",
            ),
            Self::AnswerEmHasAns | Self::AnswerF1HasAns => share(
                "AnswerEM, AnswerF1 over the questions that have an answer",
                Some("evaluate-v2.0.py HasAns_exact, HasAns_f1"),
                &[],
                SQUAD2,
            ),
            Self::AnswerEmNoAns | Self::AnswerF1NoAns => share(
                "AnswerEM, AnswerF1 over the unanswerable questions: 1 for an empty answer (scorer squad2 only)",
                Some("evaluate-v2.0.py NoAns_exact, NoAns_f1"),
                &[],
                SQUAD2,
            ),
            Self::FactRecall => share(
                "required facts that the answer states / required facts; a fact is stated when any of its wordings is contained, as for AnswerContains",
                None,
                &["nugget recall"],
                "Voorhees 2003 (nuggets)",
            ),
            Self::ForbiddenFacts => MeasureFacts {
                direction: Direction::Lower,
                ..share(
                    "forbidden facts that the answer states / forbidden facts",
                    None,
                    &[],
                    "this project: following a superseded command is an incident",
                )
            },
            Self::Groundedness => share(
                "normalised tokens of the answer that occur in the prompt's passages / tokens of the answer; undefined for an empty or abstaining answer",
                None,
                &["K-Precision", "faithfulness"],
                "Adlakha et al. 2024",
            ),
            Self::UnsupportedValues => MeasureFacts {
                direction: Direction::Lower,
                range: (0.0, f64::INFINITY),
                ..share(
                    "numbers, dates and names of the answer that no passage of the prompt contains, in any notation; undefined for an empty or abstaining answer",
                    None,
                    &[],
                    "this project",
                )
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_family_has_facts_of_its_own() {
        let formulas: BTreeSet<&str> =
            Family::ALL.iter().map(|family| family.facts().formula).collect();
        // HasAns and NoAns share theirs, in pairs.
        assert_eq!(formulas.len(), Family::ALL.len() - 2);
        for family in Family::ALL {
            let facts = family.facts();
            assert!(facts.range.0 < facts.range.1 && !facts.paper.is_empty(), "{}", family.name());
        }
    }
}
