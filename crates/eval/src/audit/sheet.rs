//! The sample that a person is given: a line a question, with everything that its class rests on.

use serde::{Deserialize, Serialize};

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::sample;
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{
    ArmName, Attempt, ByteRange, ChunkId, FailureClass, Fault, Flag, GoldMember, Passage,
    QuestionId, Trace,
};
use ragtriage_runs::SavedRun;

/// Characters of a passage: enough to see what it is about.
const PASSAGE_CHARS: usize = 400;
/// Characters of a piece of gold text, which has to be read whole.
const GOLD_CHARS: usize = 1000;
/// Keeps the sample apart from those of the arm `closed_book` and of `dataset.limit`, which draw by the same rule: questions
/// of that arm are known better than the others.
const STREAM: u64 = 0x6175_6469_745f_3031;

/// A question to audit. The person fills in `correct_class` and `note`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SheetLine {
    /// The run's name.
    pub run: String,
    /// When that run began: two runs may have one name.
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
    /// The class that it was given.
    pub class: FailureClass,
    /// Inside `generation`: the fault.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// The rule that gave the class.
    #[serde(default)]
    pub rule: String,
    /// Circumstances.
    #[serde(default)]
    pub flags: Vec<Flag>,
    /// The evidence, a text a group's member.
    #[serde(default)]
    pub gold_text: Vec<String>,
    /// Contents of the prompt, in order, shortened.
    #[serde(default)]
    pub passages: Vec<SheetPassage>,
    /// To fill in: `ok` where the class is right, else the right one; empty: not looked at.
    #[serde(default)]
    pub correct_class: String,
    /// To fill in, for oneself.
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

/// A simple random sample of `n` of the run's questions (all, when there are fewer), in their order. Questions that failed
/// were not attributed and are left out. `outcomes` are parallel to the run's traces.
#[must_use]
pub fn sheet(run: &SavedRun, outcomes: &[Outcome], n: usize, seed: u64) -> Vec<SheetLine> {
    let attributed = run
        .traces
        .iter()
        .zip(outcomes)
        .filter(|(_, outcome)| outcome.class != FailureClass::Failed);
    let ids: Vec<QuestionId> = attributed
        .clone()
        .map(|(trace, _)| trace.question.id.clone())
        .collect();
    let drawn = sample::sampled(&ids, n, seed ^ STREAM);
    let drawn = attributed.filter(|(trace, _)| drawn.contains(&trace.question.id));
    drawn
        .map(|(trace, outcome)| line(run, trace, outcome))
        .collect()
}

fn line(run: &SavedRun, trace: &Trace, outcome: &Outcome) -> SheetLine {
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
        answer: trace.attempt(ArmName::Retrieved).map(Attempt::answer_text),
        class: outcome.class,
        fault: outcome.fault,
        rule: outcome.reason.clone(),
        flags: outcome.flags.clone(),
        gold_text: members
            .map(|(g, member)| gold_text(run, g, member))
            .collect(),
        passages: trace
            .packed()
            .filter_map(|id| run.passages.get(id))
            .map(|passage| SheetPassage {
                id: passage.id.clone(),
                title: passage.title.clone(),
                text: shortened(&passage.text, PASSAGE_CHARS),
            })
            .collect(),
        correct_class: String::new(),
        note: String::new(),
    }
}

/// A member of evidence in words: its document, and what it needs of it.
fn gold_text(run: &SavedRun, group: usize, member: &GoldMember) -> String {
    let head = format!("evidence {}, `{}`", group + 1, member.doc);
    if !member.present {
        return format!("{head}: not in the corpus");
    }
    let chunks: Vec<&Passage> = member
        .chunks
        .iter()
        .filter_map(|id| run.passages.get(id))
        .collect();
    let texts: Vec<String> = if member.needed.is_empty() {
        chunks
            .iter()
            .take(1)
            .map(|chunk| chunk.text.clone())
            .collect()
    } else {
        member
            .needed
            .iter()
            .map(|range| text_of(*range, &chunks))
            .collect()
    };
    format!("{head}: {}", shortened(&texts.join(" … "), GOLD_CHARS))
}

/// The text of `range` as the chunks have it, pieced together from left to right; white space that is in no chunk is a space.
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
        // A context recorded elsewhere may hold the gold in other bytes than its document: then all of it is shown.
        let piece = chunk
            .text
            .get(from - chunk.range.start..to - chunk.range.start);
        text.push_str(piece.unwrap_or(&chunk.text));
        at = to;
    }
    text
}
