//! Clusters of questions: those whose gold evidence overlaps are not independent, and are resampled together.
//!
//! Two questions share a cluster if a byte of one's evidence is a byte of the other's, or if a chain of such questions links
//! them. Questions about different parts of one document are apart: a corpus of few long documents would otherwise be one
//! cluster. Evidence without ranges is its whole document. Every alternative of a group counts: the answer may be supported by
//! any of them, so sharing any is a possible dependence, and the clusters depend on no order. Judged documents
//! (`relevant`) never count: those of a test collection would link nearly all of its queries.

use std::collections::HashMap;

use ragtriage_core::stats::cluster::clusters;
use ragtriage_core::types::{ByteRange, DocId, Question, Trace};

/// A document without ranges.
const WHOLE: ByteRange = ByteRange { start: 0, end: usize::MAX };

/// Number and sizes of clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClusterSizes {
    /// Number of clusters.
    pub n: usize,
    /// Questions of the largest one.
    pub largest: usize,
}

/// Bytes of a document as evidence.
type Span<'a> = (&'a DocId, ByteRange);

/// Returns each question's cluster, numbered from 0 without gaps.
pub fn question_clusters<'a>(questions: impl IntoIterator<Item = &'a Question>) -> Vec<usize> {
    let evidence: Vec<Vec<Span<'a>>> = questions.into_iter().map(spans).collect();
    let segments = segments(&evidence);
    clusters(
        evidence.iter().map(|spans| {
            spans.iter().map(|(doc, range)| (*doc, segment(&segments[doc], range.start)))
        }),
    )
}

/// Returns the cluster of each trace's question.
pub(crate) fn cluster_of<'a>(traces: impl IntoIterator<Item = &'a Trace>) -> Vec<usize> {
    question_clusters(traces.into_iter().map(|trace| &trace.question))
}

/// Counts clusters and the questions of the largest one.
#[must_use]
pub fn sizes(cluster_of: &[usize]) -> ClusterSizes {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for cluster in cluster_of {
        *counts.entry(*cluster).or_default() += 1;
    }
    ClusterSizes { n: counts.len(), largest: counts.into_values().max().unwrap_or(0) }
}

/// Returns the evidence of a question, all alternatives of all groups.
fn spans(question: &Question) -> Vec<Span<'_>> {
    let members = question.evidence.iter().flatten();
    let spans = members.flat_map(|member| {
        let whole = member.ranges.is_empty().then_some(WHOLE);
        let ranges = member.ranges.iter().copied().chain(whole);
        ranges.map(|range| (&member.doc, range))
    });
    spans.filter(|(_, range)| !range.is_empty()).collect()
}

/// Merges overlapping evidence: each document's segments, disjoint and ascending. Ranges that only touch stay apart.
fn segments<'a>(evidence: &[Vec<Span<'a>>]) -> HashMap<&'a DocId, Vec<ByteRange>> {
    let mut segments: HashMap<&DocId, Vec<ByteRange>> = HashMap::new();
    for (doc, range) in evidence.iter().flatten() {
        segments.entry(doc).or_default().push(*range);
    }
    for ranges in segments.values_mut() {
        ranges.sort_unstable();
        ranges.dedup_by(|next, merged| {
            let overlaps = next.overlaps(*merged);
            if overlaps {
                merged.end = merged.end.max(next.end);
            }
            overlaps
        });
    }
    segments
}

/// Returns the index of the segment that holds the byte `start`.
fn segment(segments: &[ByteRange], start: usize) -> usize {
    segments.partition_point(|segment| segment.end <= start)
}

#[cfg(test)]
mod tests {
    use ragtriage_core::types::{Member, QuestionId};

    use super::*;

    type Evidence = Vec<Vec<(&'static str, Vec<(usize, usize)>)>>;

    fn clusters_of(evidence: &[Evidence]) -> Vec<usize> {
        let questions: Vec<Question> = evidence
            .iter()
            .enumerate()
            .map(|(at, groups)| {
                let mut question = Question::new(QuestionId::from(format!("q{at}")), "?".into());
                let member = |(doc, ranges): &(&str, Vec<(usize, usize)>)| Member {
                    doc: (*doc).into(),
                    ranges: ranges.iter().map(|range| (*range).into()).collect(),
                };
                question.evidence =
                    groups.iter().map(|group| group.iter().map(member).collect()).collect();
                question.relevant.insert("judged".into(), 1);
                question
            })
            .collect();
        question_clusters(&questions)
    }

    #[test]
    fn questions_share_a_cluster_where_their_evidence_overlaps() {
        let on = |ranges: &[(usize, usize)]| vec![vec![("a", ranges.to_vec())]];
        // 0 and 1 touch, 2 overlaps 0; 3 has two ranges, in 1 and apart; the last has the bytes of 0 in another document.
        let other = vec![vec![("b", vec![(0, 10)])]];
        let evidence =
            [on(&[(0, 10)]), on(&[(10, 20)]), on(&[(9, 10)]), on(&[(50, 60), (15, 16)]), other];
        assert_eq!(clusters_of(&evidence), [0, 1, 0, 1, 2]);
    }

    #[test]
    fn a_whole_document_overlaps_every_range_in_it() {
        let evidence = [
            vec![vec![("a", vec![(0, 10)])]],
            vec![vec![("a", vec![(50, 60)])]],
            vec![vec![("a", vec![])]],
            vec![vec![("b", vec![])]],
            vec![],
        ];
        assert_eq!(clusters_of(&evidence), [0, 0, 0, 1, 2]);
        assert_eq!(clusters_of(&evidence[..2]), [0, 1]);
    }

    #[test]
    fn every_alternative_and_every_group_counts_and_judged_documents_do_not() {
        let evidence = [
            vec![vec![("a", vec![(0, 10)]), ("b", vec![(0, 10)])]],
            vec![vec![("c", vec![(0, 5)])], vec![("b", vec![(9, 30)])]],
            vec![vec![("b", vec![(40, 50)])]],
        ];
        assert_eq!(clusters_of(&evidence), [0, 0, 1]);
    }

    #[test]
    fn sizes_count_the_questions_of_the_largest() {
        let found = sizes(&[4, 1, 4, 4, 9]);
        assert_eq!((found.n, found.largest), (3, 3));
        assert_eq!(sizes(&[]), ClusterSizes { n: 0, largest: 0 });
    }
}
