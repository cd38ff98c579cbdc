//! The class of a question: the first station that lost its support, or what the generator did with it.

use super::Passages;
use super::support::SupportTest;
use crate::text::analyse::{Analyzer, Stemmer, StopWords, Words};
use crate::text::answers::AnswerMatcher;
use crate::text::normalise;
use crate::types::{ArmName, Attempt, ChunkId, Class, Fault, Flag, Kind, Stage, Stance, Station, SupportRule, Trace};

/// An endpoint that counts fewer than this share of our prompt tokens has cut the prompt (design: Ollama does so silently).
const SERVER_TRUNCATED_BELOW: f64 = 0.8;

/// Whether each arm's first answer was right; `None` where the arm was not run or there is no gold to tell by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rightness {
    /// The pipeline's own answer.
    pub retrieved: Option<bool>,
    /// With the gold passages alone.
    pub oracle: Option<bool>,
    /// Without context.
    pub closed_book: Option<bool>,
}

/// What was found out about one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The class.
    pub class: Class,
    /// Inside `generation`: the fault.
    pub fault: Option<Fault>,
    /// The rule that gave the class, as a sentence.
    pub reason: String,
    /// Circumstances.
    pub flags: Vec<Flag>,
    /// The stage that lost the support, whatever the answer was; `None` when it reached the prompt or there is no gold.
    pub lost: Option<Class>,
    /// Whether support reached each of documents, chunks, candidates, `top_k`, prompt; `None` with nothing to go by.
    pub reached: Option<[bool; 5]>,
}

impl Outcome {
    /// Writes class, fault, reason and flags into the trace that they were found for.
    pub fn onto(self, trace: &mut Trace) {
        let Self { class, fault, reason, flags, lost: _, reached: _ } = self;
        (trace.class, trace.fault, trace.reason, trace.flags) = (class, fault, reason, flags);
    }
}

/// Classifies a trace whose `class`, `fault`, `reason` and `flags` are not yet decided. `k` is how many hits are packed.
#[must_use]
pub fn classify(trace: &Trace, k: usize, right: Rightness, passages: &dyn Passages) -> Outcome {
    let view = View::new(trace, k, passages);
    let reached = (view.test.rule() != SupportRule::Nothing).then(|| view.reached());
    let lost = reached.and_then(|reached| view.lost(reached));
    let (class, fault, reason) = view.decide(reached.is_some(), lost.as_ref(), right);
    Outcome { class, fault, lost: lost.map(|(class, _)| class), reason, flags: view.flags(right), reached }
}

struct View<'a> {
    trace: &'a Trace,
    test: SupportTest<'a>,
    passages: &'a dyn Passages,
    candidates: Vec<&'a ChunkId>,
    top_k: Vec<&'a ChunkId>,
    packed: Vec<&'a ChunkId>,
}

impl<'a> View<'a> {
    fn new(trace: &'a Trace, k: usize, passages: &'a dyn Passages) -> Self {
        let hits = trace.final_ranking().map_or(&[][..], |stage| &stage.hits);
        // Of a ranking recorded elsewhere the top k is what stood in the prompt, however much that was.
        let recorded = trace.final_ranking().is_some_and(|stage| stage.stage == Stage::External);
        let k = if recorded { trace.packed().count() } else { k };
        Self {
            trace,
            test: SupportTest::new(&trace.question, &trace.gold.groups, passages),
            passages,
            candidates: trace.retrievers().flat_map(|stage| stage.hits.iter().map(|hit| &hit.id)).collect(),
            top_k: hits.iter().take(k).map(|hit| &hit.id).collect(),
            packed: trace.packed().collect(),
        }
    }

    fn reached(&self) -> [bool; 5] {
        let of = |chunks: &[&ChunkId]| self.test.of(chunks.iter().copied()).holds;
        let steps = [
            self.trace.gold.documents.holds,
            self.trace.gold.chunks.holds,
            of(&self.candidates),
            of(&self.top_k),
            of(&self.packed),
        ];
        let mut so_far = true;
        steps.map(|holds| {
            so_far &= holds;
            so_far
        })
    }

    fn decide(
        &self,
        has_gold: bool,
        lost: Option<&(Class, String)>,
        right: Rightness,
    ) -> (Class, Option<Fault>, String) {
        let attempt = self.trace.attempt(ArmName::Retrieved);
        let mut calls = self.trace.arms.iter().flat_map(|arm| arm.attempts.iter().map(move |call| (arm.arm, call)));
        if let Some((arm, error)) = calls.find_map(|(arm, call)| Some((arm, call.error.as_ref()?))) {
            return (Class::Failed, None, format!("the generator's call failed (arm `{arm}`): {error}"));
        }
        if self.trace.question.kind == Kind::Unanswerable {
            return Self::decide_unanswerable(attempt);
        }
        let plain = |class, why: &str| (class, None, why.to_owned());
        match (attempt, right.retrieved, lost) {
            (Some(_), Some(true), None) if has_gold => {
                plain(Class::Correct, "right, and its support was in the prompt")
            }
            (Some(_), Some(true), _) => {
                plain(Class::CorrectUnsupported, "right, though its support was not in the prompt")
            }
            (_, _, Some((class, why))) => (*class, None, why.clone()),
            _ if !has_gold => plain(Class::Unattributed, "no evidence and no answer string to go by"),
            (None, _, _) => plain(Class::Supported, "support reached the prompt"),
            (Some(_), None, _) => plain(Class::Unattributed, "no gold answer to compare with"),
            (Some(attempt), Some(false), _) => Self::generation(attempt, right),
        }
    }

    fn decide_unanswerable(attempt: Option<&Attempt>) -> (Class, Option<Fault>, String) {
        match attempt.map(|attempt| attempt.stance) {
            None => (Class::Unattributed, None, "unanswerable, and no generator to see whether it abstains".to_owned()),
            Some(Stance::Abstained) => (Class::CorrectAbstention, None, "unanswerable, and it said so".to_owned()),
            Some(_) => (Class::Hallucinated, None, "unanswerable, and it answered".to_owned()),
        }
    }

    fn generation(attempt: &Attempt, right: Rightness) -> (Class, Option<Fault>, String) {
        if server_truncated(attempt) {
            let billed = attempt.tokens.prompt_billed.unwrap_or_default();
            let why = format!("the endpoint read {billed} prompt tokens of {}", attempt.tokens.prompt);
            return (Class::Packing, None, why);
        }
        let (fault, why) = match (attempt.stance, right.oracle) {
            (Stance::Abstained, _) => (Fault::Abstained, "support was in the prompt; it said it does not know"),
            (Stance::Refused, _) => (Fault::Refused, "support was in the prompt; it declined to answer"),
            (Stance::Unreadable, _) => (Fault::Format, "support was in the prompt; no answer could be read"),
            (Stance::Answered, Some(true)) => {
                (Fault::ContextUse, "support was in the prompt; right with the gold passages alone, wrong among others")
            }
            (Stance::Answered, Some(false)) => {
                (Fault::Reader, "support was in the prompt; wrong with the gold passages alone too")
            }
            (Stance::Answered, None) => {
                let why = "support was in the prompt; no answer from the gold passages alone to compare with";
                return (Class::Generation, None, why.to_owned());
            }
        };
        (Class::Generation, Some(fault), why.to_owned())
    }

    /// The stage that lost the support, and how; `None` when it reached the prompt.
    fn lost(&self, reached: [bool; 5]) -> Option<(Class, String)> {
        let station = Station::ALL[reached.iter().position(|held| !held)?];
        let (class, here): (Class, &[&ChunkId]) = match station {
            Station::Documents => return Some((Class::Corpus, self.absent())),
            Station::Chunks => {
                return Some((Class::Chunking, "an answer string is in a document, but whole in no chunk".to_owned()));
            }
            Station::Candidates => (Class::Retrieval, &self.candidates),
            Station::TopK => (Class::Ranking, &self.top_k),
            Station::Prompt | Station::Answer => (Class::Packing, &self.packed),
        };
        Some(match self.parted(here) {
            Some(why) => (Class::Chunking, why),
            None => (class, self.missing(here, station)),
        })
    }

    fn absent(&self) -> String {
        let absent = self.trace.gold.groups.iter().flatten().find(|member| !member.present);
        absent.map_or_else(
            || "no document holds an answer string".to_owned(),
            |member| format!("gold document `{}` is not in the corpus, or empty there", member.doc),
        )
    }

    /// Why the loss is a chunk boundary's: a needed range that no single chunk holds, of which a piece was still here.
    fn parted(&self, here: &[&ChunkId]) -> Option<String> {
        for group in self.test.missing_groups(here) {
            for member in &self.trace.gold.groups[group] {
                for range in self.test.torn_ranges(member, here) {
                    let view = |id: &ChunkId| self.passages.view(id).map(|view| view.range);
                    let pieces: Vec<&ChunkId> =
                        member.chunks.iter().filter(|id| view(id).is_some_and(|chunk| chunk.overlaps(range))).collect();
                    if pieces.iter().any(|id| view(id).is_some_and(|chunk| chunk.contains(range))) {
                        continue;
                    }
                    let places: Vec<String> = pieces.iter().map(|id| format!("`{id}` {}", self.place(id))).collect();
                    return Some(format!(
                        "gold range {range} of `{}` is cut by a chunk boundary: {}",
                        member.doc,
                        places.join("; ")
                    ));
                }
            }
        }
        None
    }

    fn missing(&self, here: &[&ChunkId], station: Station) -> String {
        let Some(&group) = self.test.missing_groups(here).first() else {
            return format!("no passage of the {} holds an answer string", spoken(station));
        };
        let member = &self.trace.gold.groups[group][0];
        let absent = member.chunks.iter().filter(|id| !here.contains(id)).take(3);
        let places: Vec<String> = absent.map(|id| format!("`{id}` {}", self.place(id))).collect();
        let n_groups = self.trace.gold.groups.len();
        let which = if n_groups > 1 { format!(" (evidence {} of {n_groups})", group + 1) } else { String::new() };
        // Of a pipeline that ran elsewhere no chunk is known but those that arrived.
        let places = if places.is_empty() { String::new() } else { format!(": {}", places.join("; ")) };
        format!("gold of `{}`{which} did not reach the {}{places}", member.doc, spoken(station))
    }

    /// Where a chunk came in the final ranking, in words.
    fn place(&self, id: &ChunkId) -> String {
        let hits = self.trace.final_ranking().map_or(&[][..], |stage| &stage.hits);
        let rank = hits.iter().position(|hit| hit.id == *id).map(|at| at + 1);
        match rank {
            Some(rank) if self.packed.contains(&id) => format!("came {rank} and was packed"),
            Some(rank) => format!("came {rank} of {}", hits.len()),
            None if self.candidates.contains(&id) => "was a candidate, but fell out of the final ranking".to_owned(),
            None => "was not among the candidates".to_owned(),
        }
    }

    fn flags(&self, right: Rightness) -> Vec<Flag> {
        let members = || self.trace.gold.groups.iter().flatten();
        let cut = members().any(|member| {
            member.needed.iter().any(|range| {
                let chunks = || member.chunks.iter().filter_map(|id| self.passages.view(id)).map(|view| view.range);
                chunks().any(|chunk| chunk.overlaps(*range)) && !chunks().any(|chunk| chunk.contains(*range))
            })
        });
        let retrieved = self.trace.attempt(ArmName::Retrieved);
        let tests = [
            (Flag::Cut, cut),
            (Flag::EncoderTruncated, members().any(|member| member.encoder_truncated)),
            (Flag::AnnMiss, self.ann_missed()),
            (Flag::AnswerElsewhere, self.answer_elsewhere()),
            (Flag::Misled, right.closed_book == Some(true) && right.retrieved == Some(false)),
            (Flag::LabelSuspect, right.oracle == Some(false) && self.label_suspect()),
            (Flag::ServerTruncated, retrieved.is_some_and(server_truncated)),
        ];
        tests.into_iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect()
    }

    /// Whether exact search would have brought the candidates to the support that an approximate one kept from them.
    fn ann_missed(&self) -> bool {
        let exact = self.trace.retrievers().any(|stage| stage.exact.is_some_and(|exact| exact.holds));
        exact && !self.test.of(self.candidates.iter().copied()).holds
    }

    /// An answer string and a content term of the question in a packed passage that holds no gold.
    fn answer_elsewhere(&self) -> bool {
        let question = &self.trace.question;
        if !question.has_spans() || question.evidence.is_empty() {
            return false;
        }
        let matcher = AnswerMatcher::new(&question.answers);
        let gold: Vec<&ChunkId> = self.trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks).collect();
        let analyzer = Analyzer::new(Words::Unicode, true, StopWords::English, Stemmer::English);
        let wanted = analyzer.term_list(&question.text);
        self.packed.iter().filter(|id| !gold.contains(id)).filter_map(|id| self.passages.view(id)).any(|view| {
            matcher.found_in_text(view.text) && {
                let mut shares_term = false;
                analyzer.terms(view.text, &mut |term| shares_term |= wanted.iter().any(|want| want == term));
                shares_term
            }
        })
    }

    /// The oracle's answer and a gold contain one another.
    fn label_suspect(&self) -> bool {
        let Some(oracle) = self.trace.attempt(ArmName::Oracle).filter(|attempt| attempt.stance == Stance::Answered)
        else {
            return false;
        };
        let contains = |text: &str, part: &str| {
            !normalise::matching(part).is_empty() && AnswerMatcher::new(&[part.to_owned()]).found_in_text(text)
        };
        let golds = &self.trace.question.answers;
        golds.iter().any(|gold| contains(gold, &oracle.extracted) || contains(&oracle.extracted, gold))
    }
}

fn server_truncated(attempt: &Attempt) -> bool {
    let tokens = attempt.tokens;
    tokens.prompt_billed.is_some_and(|billed| (billed as f64) < SERVER_TRUNCATED_BELOW * tokens.prompt as f64)
}

fn spoken(station: Station) -> &'static str {
    match station {
        Station::Documents => "corpus",
        Station::Chunks => "chunks",
        Station::Candidates => "candidates",
        Station::TopK => "top k",
        Station::Prompt => "prompt",
        Station::Answer => "answer",
    }
}
