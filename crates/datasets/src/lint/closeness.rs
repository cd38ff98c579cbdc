//! Detects questions worded like their evidence: their authors had read the passage, which real users have not.
//!
//! A question is compared with the sentences that hold its evidence. Its overlap is the share of its content terms (stems,
//! without stop words and question words) that occur there. Evidence that is a whole document has no sentence to compare.

use std::collections::{BTreeSet, HashMap, HashSet};

use rayon::iter::{
    IndexedParallelIterator, IntoParallelIterator, IntoParallelRefIterator, ParallelIterator,
};
use serde::Serialize;

use super::finding::{Finding, Rule};
use super::subject::{LintSubject, content_terms};
use ragtriage_core::attribute::terms;
use ragtriage_core::text::normalise;
use ragtriage_core::text::sentences::{self, Segment};
use ragtriage_core::types::{Member, Question};

/// The minimum number of content terms: fewer may all occur in one sentence because they name the
/// subject.
const LEAST_TERMS: usize = 4;
/// Length of a shared run of words, in words: texts by different authors seldom share more; at five words, two texts about
/// one event share mostly names and set phrases.
const RUN_WORDS: usize = 5;
/// Minimum number of content terms in such a run: without them it is grammar (`at the end of the`).
const RUN_TERMS: usize = 3;

/// The similarity of questions to the wording of their evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overlap {
    /// The mean share of a question's content terms that occur in the sentences of its evidence.
    pub mean: f64,
    /// Number of questions with evidence in ranges and a content term.
    pub n: usize,
}

/// Returns the mean overlap (`None` if no question has one) and the questions that copy their evidence.
#[must_use]
pub fn check(subject: &LintSubject<'_>) -> (Option<Overlap>, Vec<Finding>) {
    let wordings = Wordings::new(subject);
    let all: Vec<(usize, Nearness)> = subject
        .questions
        .par_iter()
        .enumerate()
        .filter_map(|(number, question)| Some((number, Nearness::of(&wordings, question)?)))
        .collect();
    let n = all.len();
    let mean = all.iter().map(|(_, near)| near.n_shared as f64 / near.n_terms as f64).sum::<f64>()
        / n.max(1) as f64;
    let findings = all.iter().filter_map(|(number, near)| finding(subject, *number, near));
    ((n > 0).then_some(Overlap { mean, n }), findings.collect())
}

fn finding(subject: &LintSubject<'_>, number: usize, near: &Nearness) -> Option<Finding> {
    let message = match &near.run {
        Some(run) => format!("it copies `{run}` from its evidence"),
        None if near.n_terms >= LEAST_TERMS && near.n_shared == near.n_terms => {
            format!(
                "all {} of its content words occur in the sentences of its evidence",
                near.n_terms
            )
        }
        None => return None,
    };
    let hint = "rephrase it as a user would who has not read the passage";
    Some(subject.finding(number, Rule::CopiedWording, message, hint))
}

struct Nearness {
    n_terms: usize,
    n_shared: usize,
    /// The first run of words that the question shares with its evidence.
    run: Option<String>,
}

impl Nearness {
    fn of(wordings: &Wordings<'_>, question: &Question) -> Option<Self> {
        let sentences: Vec<&str> =
            quoted(question).flat_map(|member| wordings.sentences_of(member)).collect();
        let wanted = content_terms(&question.text);
        if sentences.is_empty() || wanted.is_empty() {
            return None;
        }
        let shared: BTreeSet<String> =
            sentences.iter().flat_map(|sentence| terms::shared(sentence, &wanted)).collect();
        let run = copied(&question.text, &sentences);
        Some(Self { n_terms: wanted.len(), n_shared: shared.len(), run })
    }
}

/// Returns the evidence that is part of a document.
fn quoted(question: &Question) -> impl Iterator<Item = &Member> {
    question.evidence.iter().flatten().filter(|member| !member.ranges.is_empty())
}

/// The documents that any question quotes, each split into sentences once.
struct Wordings<'a> {
    subject: &'a LintSubject<'a>,
    pieces: HashMap<usize, Vec<Segment>>,
}

impl<'a> Wordings<'a> {
    fn new(subject: &'a LintSubject<'a>) -> Self {
        let members = subject.questions.iter().flat_map(quoted);
        let used: HashSet<usize> =
            members.filter_map(|member| subject.document_number(&member.doc)).collect();
        let pieces = used
            .into_par_iter()
            .map(|number| (number, sentences::split(&subject.documents[number].text)))
            .collect();
        Self { subject, pieces }
    }

    /// Returns the sentences of a member's document that overlap its ranges.
    fn sentences_of(&self, member: &Member) -> Vec<&'a str> {
        let Some(number) = self.subject.document_number(&member.doc) else {
            return Vec::new();
        };
        let text = self.subject.documents[number].text.as_str();
        let pieces = &self.pieces[&number];
        let mut found = Vec::new();
        for range in &member.ranges {
            // Segments ascend and do not overlap.
            let first = pieces.partition_point(|piece| piece.range.end <= range.start);
            let overlapping =
                pieces[first..].iter().take_while(|piece| piece.range.start < range.end);
            found.extend(overlapping.map(|piece| &text[piece.range.clone()]));
        }
        found
    }
}

/// Returns the longest run of words shared by a sentence and the question, if it is long enough; the first of
/// equals.
fn copied(question: &str, sentences: &[&str]) -> Option<String> {
    let question = normalise::official(question);
    let asked: Vec<&str> = question.split(' ').collect();
    let normal: Vec<String> =
        sentences.iter().map(|sentence| normalise::official(sentence)).collect();
    let worded: Vec<Vec<&str>> =
        normal.iter().map(|sentence| sentence.split(' ').collect()).collect();
    let runs: HashSet<&[&str]> = worded.iter().flat_map(|words| words.windows(RUN_WORDS)).collect();
    let mut best: &[&str] = &[];
    let mut start = 0;
    while start + RUN_WORDS <= asked.len() {
        // Consecutive runs almost always share one sentence; a single run always does.
        let n = asked[start..].windows(RUN_WORDS).take_while(|run| runs.contains(run)).count();
        if n > 0 && n + RUN_WORDS - 1 > best.len() {
            best = &asked[start..start + n + RUN_WORDS - 1];
        }
        start += n + 1;
    }
    let run = best.join(" ");
    (content_terms(&run).len() >= RUN_TERMS).then_some(run)
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, quoting, told};
    use super::*;
    use crate::Inspection;

    const TEXT: &str = "The old checkout waits six minutes before it gives up. Nothing else waits.\n\n| port | 9092 |\n";

    fn of(inspection: &Inspection) -> (Option<Overlap>, Vec<Finding>) {
        check(&LintSubject::new(inspection))
    }

    fn checked(questions: Vec<Question>) -> (Option<Overlap>, Vec<String>) {
        let documents = vec![document("a", TEXT)];
        let quote = |asked| quoting(asked, &documents[0], &["six minutes"]);
        let questions = questions.into_iter().map(quote).collect();
        let inspection = inspection(documents.clone(), questions);
        let (overlap, found) = of(&inspection);
        (overlap, told(&found))
    }

    #[test]
    fn the_overlap_is_of_content_terms_with_the_sentence() {
        // long, old, checkout, wait: three of four. purchase, backend, dead: none of three. Mean of .75 and 0.
        let (overlap, found) = checked(vec![
            question("near", "How long does the old checkout wait?", &[], &["a"]),
            question("far", "When is the purchase backend dead?", &[], &["a"]),
        ]);
        assert_eq!(overlap, Some(Overlap { mean: 0.375, n: 2 }));
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn all_of_four_terms_and_five_words_in_a_row_are_copied() {
        let (_, found) = checked(vec![
            question(
                "all",
                "What minutes were waited before the checkout is given up, old one?",
                &[],
                &["a"],
            ),
            question("four", "Waits the old checkout before giving up?", &[], &["a"]),
            question(
                "run",
                "What does the old checkout wait for when it waits six minutes before it gives up?",
                &[],
                &["a"],
            ),
            question("grammar", "Did it stop before it gives up?", &[], &["a"]),
            question("three", "Which old checkout waits?", &[], &["a"]),
        ]);
        assert_eq!(
            found,
            [
                "four: all 6 of its content words occur in the sentences of its evidence",
                "run: it copies `waits six minutes before it gives up` from its evidence",
            ]
        );
    }

    #[test]
    fn a_document_as_a_whole_has_no_sentence() {
        let inspection =
            inspection(vec![document("a", TEXT)], vec![question("q", "Waits?", &[], &["a"])]);
        assert_eq!(of(&inspection), (None, Vec::new()));
    }

    #[test]
    fn every_range_of_a_document_finds_its_own_sentences() {
        let documents = vec![document("a", TEXT)];
        let asked = question("q", "Which port waits on a checkout of minutes?", &[], &["a"]);
        let asked = quoting(asked, &documents[0], &["9092", "gives up. Nothing"]);
        let inspection = inspection(documents, vec![asked]);
        // port in the table; wait, checkout and minute in the first sentence: all four.
        assert_eq!(of(&inspection).0, Some(Overlap { mean: 1.0, n: 1 }));
    }
}
