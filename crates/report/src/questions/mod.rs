//! Question by question: what the page of a run holds beside its summary, as plain data that a script reads.
//!
//! The page has one [`Index`], which is all that its table shows, filters, searches and sorts, and blocks of [`Detail`]s and
//! of [`PassageText`]s that are opened when somebody opens a question. Nothing is computed in the page: classes, reasons,
//! scores, ranks and highlighted ranges come from here. Offsets into texts count UTF-16 units, as a script counts; everything else
//! is as `traces.jsonl` has it. Without texts ([`Index::has_text`] false) whatever the corpus or an answer said is empty.

mod blocks;
mod detail;
mod index;
mod marks;
mod passages;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

pub use self::blocks::Block;

use self::detail::Context;
use self::marks::Searchables;
use self::passages::PassageTable;
use ragtriage_core::types::{
    ArmName, DocId, Fault, Finish, Flag, Origin, QuestionId, QuestionKind, Stance, Step, Support,
    TokenUse,
};
use ragtriage_eval::compare::answers::Turn;
use ragtriage_eval::summary::Evaluation;
use ragtriage_runs::SavedRun;

/// Details in a block: few enough to be opened at once, enough to be compressed well.
const DETAILS_PER_BLOCK: usize = 64;
/// Bytes of passages' texts in a block, at least, but for the last: more would take longer to open, less would be compressed worse.
const PASSAGE_BYTES_PER_BLOCK: usize = 256 * 1024;

/// A run with what was found out about it.
#[derive(Clone, Copy, Debug)]
pub struct Evaluated<'a> {
    /// Its files, with the parts of the scores that are to be shown.
    pub run: &'a SavedRun,
    /// Its numbers.
    pub evaluation: &'a Evaluation,
    /// How many hits of its final ranking went to packing.
    pub k: usize,
}

/// How the questions of a run stand to those of its baseline, parallel to the traces of each: made while both still have their texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Others {
    of_run: Vec<Option<Other>>,
    of_baseline: Vec<Option<Other>>,
}

/// What is shown of each question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// How many hits of each ranking.
    pub depth: usize,
    /// Whether the runs hold their texts: of the corpus, golds and answers.
    pub has_text: bool,
}

/// All that a page holds of its questions.
pub struct Questions<'a> {
    runs: Vec<Evaluated<'a>>,
    others: Option<&'a Others>,
    shown: Shown,
    passages: PassageTable<'a>,
    searchables: Searchables,
}

impl<'a> Questions<'a> {
    /// Of one run, or of one beside its baseline.
    #[must_use]
    pub fn new(
        run: Evaluated<'a>,
        baseline: Option<(Evaluated<'a>, &'a Others)>,
        shown: Shown,
    ) -> Self {
        let runs: Vec<Evaluated<'a>> = std::iter::once(run)
            .chain(baseline.map(|(baseline, _)| baseline))
            .collect();
        let passages = PassageTable::new(
            &runs.iter().map(|subject| subject.run).collect::<Vec<_>>(),
            shown.depth,
        );
        let searchables = Searchables::new(passages.list());
        Self {
            runs,
            others: baseline.map(|(_, others)| others),
            shown,
            passages,
            searchables,
        }
    }

    /// The page's first block.
    #[must_use]
    pub fn index(&self) -> Index {
        let [own, theirs] = self.others.map_or([&[][..]; 2], |others| {
            [&others.of_run[..], &others.of_baseline]
        });
        let labels = if self.others.is_some() {
            ["B", "A"]
        } else {
            ["", ""]
        };
        let runs = self.runs.iter().zip(labels).zip([own, theirs]);
        let measures = index::measures(&self.runs);
        Index {
            runs: runs
                .map(|((run, label), others)| index::run(*run, label, &measures, others))
                .collect(),
            depth: self.shown.depth,
            has_text: self.shown.has_text,
            details_per_block: DETAILS_PER_BLOCK,
            passage_blocks: self
                .passage_blocks()
                .iter()
                .map(|block| block.start)
                .collect(),
        }
    }

    /// For each run how many blocks of details it has.
    #[must_use]
    pub fn detail_blocks(&self) -> Vec<usize> {
        self.runs
            .iter()
            .map(|subject| subject.run.traces.len().div_ceil(DETAILS_PER_BLOCK))
            .collect()
    }

    /// A block of a run's details.
    #[must_use]
    pub fn details(&self, run: usize, block: usize) -> Vec<Detail> {
        let subject = self.runs[run];
        let context = Context {
            run,
            depth: self.shown.depth,
            passages: &self.passages,
            searchables: &self.searchables,
        };
        let questions = subject.run.traces.iter().zip(&subject.evaluation.outcomes);
        let questions = questions
            .skip(block * DETAILS_PER_BLOCK)
            .take(DETAILS_PER_BLOCK);
        questions
            .map(|(trace, outcome)| context.detail(trace, outcome))
            .collect()
    }

    /// The numbers of the passages in each block, ascending, none left out.
    #[must_use]
    pub fn passage_blocks(&self) -> Vec<Range<usize>> {
        let list = self.passages.list();
        let (mut blocks, mut start, mut bytes) = (Vec::new(), 0, 0);
        for (number, passage) in list.iter().enumerate() {
            bytes += passage.text.len();
            if bytes >= PASSAGE_BYTES_PER_BLOCK || number + 1 == list.len() {
                blocks.push(start..number + 1);
                (start, bytes) = (number + 1, 0);
            }
        }
        blocks
    }

    /// A block of passages.
    #[must_use]
    pub fn passages(&self, numbers: Range<usize>) -> Vec<PassageText<'a>> {
        self.passages.list()[numbers]
            .iter()
            .map(|passage| PassageText::from(*passage))
            .collect()
    }
}

/// The page's first block.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Index {
    /// The run, and the one that it is compared with.
    pub runs: Vec<RunIndex>,
    /// How many hits of each ranking a [`Detail`] has.
    pub depth: usize,
    /// Whether texts of the corpus, golds and answers are there.
    pub has_text: bool,
    /// Details in each block: block `n` begins with question `n * details_per_block` of its run.
    pub details_per_block: usize,
    /// The number of the first passage of each block of passages, ascending; the runs share them.
    pub passage_blocks: Vec<usize>,
}

/// What is said of one run, and of each of its questions in the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunIndex {
    /// Its name.
    pub name: String,
    /// `A` the baseline, `B` the run; empty where there is one run.
    pub label: String,
    /// How many hits of the final ranking went to packing; 0 for a pipeline that ran elsewhere.
    pub k: usize,
    /// The columns of [`Row::scores`], by the measures' names.
    pub measures: Vec<String>,
    /// What answered: `extractive`, or the endpoint's model; `None` without a generator, or where that is not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator: Option<String>,
    /// How its prompts are put together; `None` where no prompt of ours was made.
    pub prompt: Option<PromptParts>,
    /// In run order.
    pub rows: Vec<Row>,
}

/// A prompt's two messages: the parts of each, one behind the other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PromptParts {
    /// The system message; empty for none.
    pub system: Vec<PromptPart>,
    /// The user message.
    pub user: Vec<PromptPart>,
    /// Whether passages stand there with their titles.
    pub titles: bool,
    /// What stands between two passages.
    pub separator: &'static str,
    /// What stands for the passages where there are none.
    pub no_passages: &'static str,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromptPart {
    /// As it is: `{"text": "..."}`.
    Text(String),
    /// The question's text: `"question"`.
    Question,
    /// The passages, each `[n] title`, a line feed and its text; without a title `[n]`: `"passages"`.
    Passages,
}

/// A question in the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its id.
    pub id: QuestionId,
    /// What was asked.
    pub text: String,
    /// Its kind.
    pub kind: QuestionKind,
    /// Its class's name.
    pub class: &'static str,
    /// What went wrong inside `generation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// Its flags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Flag>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Its golds in one text.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub gold: String,
    /// What was answered, in one text; `None` without a generator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Parallel to [`RunIndex::measures`]; null where the measure is not defined for the question.
    pub scores: Vec<Option<f64>>,
    /// Wall seconds of its searches and calls.
    pub seconds: f64,
    /// Tokens of its prompts and answers, all arms.
    pub tokens: u64,
    /// The same question in the run that this one is compared with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Other>,
}

/// The other side of a compared question.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Other {
    /// Its row in the other run, from 0.
    pub row: usize,
    /// `lost`, `gained` or `moved`, where it flipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
    /// Whether class, fault, answer or one of [`RunIndex::measures`] differs, or the two were not compared.
    pub differs: bool,
    /// Why the two were not compared, where they were not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<&'static str>,
}

/// All that is told of a question when it is opened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detail {
    /// The rule that gave the class, as a sentence.
    pub reason: String,
    /// Right answers, each an alias of the others.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    /// Facts that a right answer states, each in any of its wordings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub required: Vec<Vec<String>>,
    /// Facts that it must not state.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<Vec<String>>,
    /// Whether the corpus supports it.
    pub documents: Support,
    /// Whether all chunks do.
    pub chunks: Support,
    /// Evidence: every group is needed, any member of a group will do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<Vec<GoldPlace>>,
    /// Retrievers first, then fused, reranked, `min_score`, packed, as far as the run has them.
    pub stages: Vec<StepShown>,
    /// The generator's arms; empty without a generator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<ArmShown>,
    /// What is highlighted, by passage's number: every passage named here that has something.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub marks: BTreeMap<usize, Marks>,
}

/// Where one piece of evidence stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GoldPlace {
    /// Its document.
    pub doc: DocId,
    /// Whether the corpus has it.
    pub present: bool,
    /// Bytes of the document's text, start and end, all needed; none: the document as a whole.
    pub ranges: Vec<[usize; 2]>,
    /// How many passages hold a byte of them; for a document as a whole those with an answer string, or all where none has one.
    pub n_passages: usize,
    /// The first ten of these by number, in document order.
    pub passages: Vec<usize>,
}

/// A stage's ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StepShown {
    /// Which.
    pub stage: Step,
    /// How many hits it returned.
    pub n_hits: usize,
    /// Wall seconds.
    pub seconds: f64,
    /// Whether all its hits together support the question.
    pub support: Support,
    /// The first [`Index::depth`]; of `packed` all.
    pub hits: Vec<HitShown>,
    /// Every passage with gold that comes behind those, with its rank from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold_below: Vec<GoldBelow>,
}

/// A hit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HitShown {
    /// The passage's number.
    pub passage: usize,
    /// Whether it holds gold.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_gold: bool,
    /// The stage's score, to six digits.
    pub score: f64,
    /// What the score is made of, to five digits: by the question's terms for BM25 and TF-IDF, by retriever for a fusion; for a reranker
    /// the score `before` it, of another system's passage the one `given`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parts: BTreeMap<String, f64>,
}

/// A passage with gold behind the hits that are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct GoldBelow {
    /// Its rank, from 1.
    pub rank: usize,
    /// Its number.
    pub passage: usize,
}

/// An arm with its calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArmShown {
    /// Which.
    pub arm: ArmName,
    /// Its calls; more than one only with repeats.
    pub attempts: Vec<AttemptShown>,
}

/// A call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AttemptShown {
    /// What stood in the prompt, in order, by number.
    pub passages: Vec<usize>,
    /// What came back.
    pub raw: String,
    /// The short answer taken from it.
    pub extracted: String,
    /// The kind of reply.
    pub stance: Stance,
    /// Why it ended.
    pub finish: Finish,
    /// Where it was taken from.
    pub origin: Origin,
    /// Tokens of prompt and reply.
    pub tokens: TokenUse,
    /// US dollars.
    pub cost_usd: f64,
    /// Wall seconds.
    pub seconds: f64,
    /// Why the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is highlighted in a passage: starts and ends in UTF-16 units of its text, ascending, not overlapping.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Marks {
    /// Gold ranges.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gold: Vec<[usize; 2]>,
    /// The words that an answer string touches, as `EM@k` finds it; of a question with facts, those of a required one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answer: Vec<[usize; 2]>,
}

/// A passage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PassageText<'a> {
    /// The chunk's id.
    pub id: &'a str,
    /// Its document, where that is not what stands before the last `#` of its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<&'a str>,
    /// The document's title as a prompt shows it, on one line; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its bytes in the document's text, start and end.
    pub range: [usize; 2],
    /// Its text, without the title.
    pub text: &'a str,
}
