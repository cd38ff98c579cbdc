//! The audit sample: one line per question, with everything that its failure class is based on.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Correctness;
use ragtriage_core::sample;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{
    Attempt, ByteRange, ChunkId, Condition, FailureClass, Fault, Flag, GoldMember, Passage,
    QuestionId, Trace,
};
use ragtriage_data::run::SavedRun;

/// Maximum number of characters of a passage: enough to identify its subject.
const PASSAGE_CHARS: usize = 400;
/// Maximum number of characters of a gold text, which must be read in full.
const GOLD_CHARS: usize = 1000;
/// Makes the sample independent of those of the condition `closed_book` and of `dataset.limit`, which use the same rule: more is
/// known about questions of that condition.
const STREAM: u64 = 0x6175_6469_745f_3031;

/// A question to audit. The person fills in `answer_is`, `correct_class` and `note`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SheetLine {
    /// The run's name.
    pub run: String,
    /// Start time of that run: two runs may have one name.
    pub started: String,
    /// The question's id.
    pub id: QuestionId,
    /// Its text.
    pub question: String,
    /// Its gold answers.
    #[serde(default)]
    pub gold: String,
    /// The pipeline's answer; `None` without a generator.
    #[serde(default)]
    pub answer: Option<String>,
    /// The assigned failure class.
    pub class: FailureClass,
    /// The fault, for the class `wrong_answer`.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// The rule that assigned the class.
    #[serde(default)]
    pub rule: String,
    /// Flags of the outcome.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// The evidence, one text per group member.
    #[serde(default)]
    pub gold_text: Vec<String>,
    /// Contents of the prompt, in order, shortened.
    #[serde(default)]
    pub passages: Vec<SheetPassage>,
    /// To fill in: `correct` or `wrong`; empty: not audited. `None` where the rule judges no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_is: Option<String>,
    /// To fill in: `ok` if the class is correct, else the correct class; empty: not audited.
    #[serde(default)]
    pub correct_class: String,
    /// To fill in: a free note.
    #[serde(default)]
    pub note: String,
}

/// A passage of the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetPassage {
    /// Its chunk.
    pub id: ChunkId,
    /// Its document's title.
    pub title: String,
    /// Its text, shortened.
    pub text: String,
}

/// Draws a simple random sample of `n` of the run's questions (all, if there are fewer). Failed questions were not attributed and
/// are omitted. `outcomes` and `rule` are parallel to the run's traces.
#[must_use]
pub fn sheet(
    run: &SavedRun,
    outcomes: &[Outcome],
    rule: &[Option<Correctness>],
    n: usize,
    seed: u64,
) -> Vec<SheetLine> {
    let attributed: Vec<usize> =
        (0..run.traces.len()).filter(|at| !outcomes[*at].class.has_no_result()).collect();
    let ids: Vec<QuestionId> =
        attributed.iter().map(|&at| run.traces[at].question.id.clone()).collect();
    let drawn: HashSet<QuestionId> = sample::sampled(&ids, n, seed ^ STREAM);
    let is_drawn = |at: &usize| drawn.contains(&run.traces[*at].question.id);
    let drawn = attributed.into_iter().filter(is_drawn);
    drawn.map(|at| line(run, &run.traces[at], &outcomes[at], rule[at])).collect()
}

fn line(run: &SavedRun, trace: &Trace, outcome: &Outcome, rule: Option<Correctness>) -> SheetLine {
    let members = trace
        .gold
        .groups
        .iter()
        .enumerate()
        .flat_map(|(g, group)| group.iter().map(move |m| (g, m)));
    SheetLine {
        run: run.manifest.name.clone(),
        started: run.manifest.started.clone(),
        id: trace.question.id.clone(),
        question: trace.question.text.clone(),
        gold: trace.question.gold_text(),
        answer: trace.attempt(Condition::Retrieved).map(Attempt::answer_text),
        class: outcome.class,
        fault: outcome.fault,
        rule: outcome.reason.clone(),
        flags: outcome.flags.clone(),
        gold_text: members.map(|(g, member)| gold_text(run, g, member)).collect(),
        passages: trace
            .packed()
            .filter_map(|id| run.passages.get(id))
            .map(|passage| SheetPassage {
                id: passage.id.clone(),
                title: passage.title.clone(),
                text: shortened(&passage.text, PASSAGE_CHARS),
            })
            .collect(),
        answer_is: rule.map(|_| String::new()),
        correct_class: String::new(),
        note: String::new(),
    }
}

/// Formats a member of evidence: its document and the needed text.
fn gold_text(run: &SavedRun, group: usize, member: &GoldMember) -> String {
    let head = format!("evidence {}, `{}`", group + 1, member.doc);
    if !member.present {
        return format!("{head}: not in the corpus");
    }
    let chunks: Vec<&Passage> =
        member.chunks.iter().filter_map(|id| run.passages.get(id)).collect();
    let texts: Vec<String> = if member.needed.is_empty() {
        chunks.iter().take(1).map(|chunk| chunk.text.clone()).collect()
    } else {
        member.needed.iter().map(|range| text_of(*range, &chunks)).collect()
    };
    format!("{head}: {}", shortened(&texts.join(" … "), GOLD_CHARS))
}

/// Returns the text of `range` assembled from the chunks, left to right; white space that is in no chunk becomes a space.
fn text_of(range: ByteRange, chunks: &[&Passage]) -> String {
    let (mut text, mut at) = (String::new(), range.start);
    for chunk in chunks {
        let (from, to) = (chunk.range.start.max(at), chunk.range.end.min(range.end));
        if from >= to {
            continue;
        }
        if from > at && !text.is_empty() {
            text.push(' ');
        }
        // An imported context may contain the gold text at other bytes than its document: then all of it is shown.
        let piece = chunk.text.get(from - chunk.range.start..to - chunk.range.start);
        text.push_str(piece.unwrap_or(&chunk.text));
        at = to;
    }
    text
}
