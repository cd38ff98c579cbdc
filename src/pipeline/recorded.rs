//! Somebody else's pipeline: what it recorded, or its service answers, becomes the same traces as ours.
//!
//! Everything between the question and the prompt is one step there: the contexts are the ranking `external` and what was
//! packed. Each is placed in our documents ([`place`]), so that support, classes and document measures see the same byte
//! ranges as for chunks of ours. Chunk ids are `<document>#<start>-<end>`, the same whenever the same bytes were shown.
//!
//! A context that stands in no document keeps its own text under `<document>#~<hash>` with no bytes of any document, its
//! document being the one it names, else `external-<hash>`. Where it holds the text of one of the question's gold ranges
//! all the same (white space alike: it was cleaned, or joined of several documents), it is placed on that range, as
//! `<gold document>#<start>-<end>~<hash>`: what was needed did stand in the prompt.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use super::PipelineError;
use super::ask::{Asked, Asker, Done, ask_all};
use super::plan::Judge;
use super::progress::Progress;
use super::run::{RunFacts, rightness};
use crate::attribute::classify;
use crate::attribute::gold::{self, locate_shown};
use crate::attribute::place::{self, WordIndex};
use crate::attribute::support::SupportTest;
use crate::external::Rag;
use crate::external::recorded::{Answer, Context, Recorded};
use crate::llm;
use crate::store::RunFolder;
use crate::text::answers::Searchable;
use crate::text::quote;
use crate::text::tokens::TokenCounter;
use crate::types::{
    Arm, ArmName, Attempt, ByteRange, ChunkId, Corpus, Dataset, DocId, Document, Finish, Hit, Note, Passage, Question,
    Stage, StageHit, TokenUse, Trace, TraceStage,
};

/// What a run of somebody else's pipeline needs besides its data.
pub struct RecordedPlan {
    /// Whose pipeline.
    pub rag: Arc<dyn Rag>,
    /// How answers are judged.
    pub judge: Judge,
    /// How many hits are packed, for classes; a record says it itself.
    pub k: usize,
    /// Counts prompts and answers: `cl100k_base`.
    pub counter: Arc<dyn TokenCounter>,
    /// How many questions are in work at once.
    pub concurrency: usize,
    /// Whether a document whose id equals the question's is left out.
    pub skip_same_id: bool,
}

/// Puts the questions of `dataset` that are left to the pipeline of `plan` and appends a trace each to `folder`. Gives
/// what was counted of the contexts as well.
///
/// # Errors
/// `OnlyFailures`, and the disk's.
pub async fn run(
    dataset: Dataset,
    plan: RecordedPlan,
    folder: &RunFolder,
    done: Done,
    progress: &dyn Progress,
) -> Result<(RunFacts, Vec<Note>), PipelineError> {
    let clock = Instant::now();
    let Dataset { documents, questions, .. } = dataset;
    let left = done.left(questions);
    let (n_asked, concurrency) = (left.len(), plan.concurrency);
    let line = Arc::new(RecordedLine {
        corpus: Corpus::new(documents, Vec::new()),
        words: OnceLock::new(),
        searchable: OnceLock::new(),
        notes: Mutex::default(),
        plan,
    });
    let asker: Arc<dyn Asker> = Arc::clone(&line) as _;
    ask_all(&asker, left, concurrency, folder, done.passages, progress).await?;
    let seconds = BTreeMap::from([("questions".to_owned(), clock.elapsed().as_secs_f64())]);
    let notes = std::mem::take(&mut *line.notes.lock().unwrap_or_else(PoisonError::into_inner));
    let notes = notes.into_iter().map(|(what, count)| Note { count, what: what.to_owned() }).collect();
    Ok((RunFacts { n_chunks: 0, chunk_tokens: 0, n_asked, seconds }, notes))
}

/// The data set beside a pipeline that ran elsewhere, shared by all questions.
struct RecordedLine {
    corpus: Corpus,
    /// Made when the first context comes without a document that the corpus has.
    words: OnceLock<WordIndex>,
    /// Made when the first question comes without evidence.
    searchable: OnceLock<Vec<Searchable>>,
    notes: Mutex<BTreeMap<&'static str, usize>>,
    plan: RecordedPlan,
}

#[async_trait]
impl Asker for RecordedLine {
    async fn ask(&self, index: usize, question: Question) -> Asked {
        let clock = Instant::now();
        let recorded = match self.plan.rag.ask(&question).await {
            Ok(Recorded { error: Some(error), .. }) => Err(format!("the recorded pipeline failed: {error}")),
            Ok(recorded) => Ok(recorded),
            Err(error) => Err(format!("the service failed: {error}")),
        };
        let seconds = clock.elapsed().as_secs_f64();
        self.asked(index, question, recorded, seconds)
    }
}

/// A context with the passages that it became: one, or one for each gold document that it holds text of.
type Placed<'c> = (&'c Context, Vec<Passage>);

impl RecordedLine {
    fn asked(&self, index: usize, question: Question, recorded: Result<Recorded, String>, seconds: f64) -> Asked {
        let recorded = recorded.map(|recorded| {
            let shown = self.place_all(&question, &recorded.contexts);
            let arms: Vec<Vec<Placed<'_>>> =
                recorded.arms.iter().map(|arm| self.place_all(&question, &arm.contexts)).collect();
            let arms: Vec<Vec<Passage>> = arms.into_iter().map(only_passages).collect();
            let hits = self.hits(&shown);
            (only_passages(shown), arms, hits, recorded)
        });
        let passages: HashMap<ChunkId, Passage> = match &recorded {
            Ok((shown, arms, ..)) => {
                shown.iter().chain(arms.iter().flatten()).map(|passage| (passage.id.clone(), passage.clone())).collect()
            }
            Err(_) => HashMap::new(),
        };
        let mut known: Vec<&Passage> = passages.values().collect();
        known.sort_by(|a, b| a.id.cmp(&b.id));
        let gold = locate_shown(&question, &self.corpus, &known, |matcher| {
            let documents = self.searchable.get_or_init(|| gold::searchable_documents(&self.corpus));
            documents.iter().any(|document| matcher.found_in(document))
        });
        let mut trace = Trace::unclassified(index, question, gold);
        match recorded {
            Err(reason) => trace.reason = reason,
            Ok((_, arms, hits, recorded)) => {
                let support = SupportTest::new(&trace.question, &trace.gold.groups, &passages);
                let stage = |stage, hits: Vec<StageHit>, seconds| TraceStage {
                    stage,
                    support: support.of(hits.iter().map(|hit| &hit.id)),
                    hits,
                    seconds,
                };
                let n_packed = recorded.packed.unwrap_or(hits.len());
                let packed: Vec<StageHit> = hits.iter().take(n_packed).cloned().collect();
                let ids: Vec<ChunkId> = packed.iter().map(|hit| hit.id.clone()).collect();
                trace.stages = vec![stage(Stage::External, hits, seconds), stage(Stage::Packed, packed, 0.0)];
                self.check_prompt(&recorded);
                trace.arms = self.arms(recorded, ids, arms);
                let right = rightness(&trace, self.plan.judge);
                classify::classify(&trace, self.plan.k, right, &passages).onto(&mut trace);
            }
        }
        Asked { trace, passages: Arc::new(passages) }
    }

    fn arms(&self, recorded: Recorded, packed: Vec<ChunkId>, arms: Vec<Vec<Passage>>) -> Vec<Arm> {
        let prompt = recorded.prompt.as_deref().map_or(0, |prompt| self.plan.counter.count(prompt) as u64);
        let answer = match recorded.answer {
            Answer::Unsaid => return Vec::new(),
            Answer::None => None,
            Answer::Text(text) => Some(text),
        };
        let first = Arm { arm: ArmName::Retrieved, attempts: vec![self.attempt(answer, packed, prompt)] };
        let others = recorded.arms.into_iter().zip(arms).map(|(arm, passages)| {
            let passages = passages.into_iter().map(|passage| passage.id).collect();
            Arm { arm: arm.arm, attempts: vec![self.attempt(arm.answer, passages, 0)] }
        });
        std::iter::once(first).chain(others).collect()
    }

    /// No answer is an empty one: it scores 0.
    fn attempt(&self, answer: Option<String>, passages: Vec<ChunkId>, prompt: u64) -> Attempt {
        let raw = answer.unwrap_or_default();
        let (extracted, stance) = llm::read_answer(&raw, Finish::Stop);
        let completion = self.plan.counter.count(&raw) as u64;
        let tokens = TokenUse { prompt, prompt_billed: None, completion };
        Attempt {
            passages,
            raw,
            extracted,
            stance,
            finish: Finish::Stop,
            tokens,
            cost_usd: 0.0,
            seconds: 0.0,
            error: None,
        }
    }

    /// The ranking, in the order of the contexts. Their scores stand where they say that order; else a hit scores
    /// 1 / rank and its own score is one of its parts.
    fn hits(&self, shown: &[Placed<'_>]) -> Vec<StageHit> {
        let scored: Vec<(&ChunkId, Option<f64>)> = shown
            .iter()
            .flat_map(|(context, passages)| passages.iter().map(|passage| (&passage.id, context.score)))
            .collect();
        let finite = |score: Option<f64>| score.filter(|score| score.is_finite());
        let given: Option<Vec<Hit<&ChunkId>>> =
            scored.iter().map(|(id, score)| Some(Hit { id: *id, score: finite(*score)? })).collect();
        let in_order = given.as_ref().is_some_and(|hits| hits.is_sorted_by(|a, b| a.order(b).is_lt()));
        if !in_order && scored.iter().any(|(_, score)| score.is_some()) {
            self.note(
                "questions whose scores do not give the order of their contexts: the order counts, as 1 / rank",
                1,
            );
        }
        let hit = |(at, (id, score)): (usize, (&ChunkId, Option<f64>))| {
            let rank = 1.0 / (at + 1) as f64;
            let parts = finite(score).filter(|_| !in_order).map(|score| ("given".to_owned(), score));
            let score = finite(score).filter(|_| in_order).unwrap_or(rank);
            StageHit { id: id.clone(), score, parts: parts.into_iter().collect() }
        };
        scored.into_iter().enumerate().map(hit).collect()
    }

    /// The contexts' passages, each id once.
    fn place_all<'c>(&self, question: &Question, contexts: &'c [Context]) -> Vec<Placed<'c>> {
        let mut seen = HashSet::new();
        let mut placed: Vec<Placed<'c>> = Vec::with_capacity(contexts.len());
        for context in contexts {
            let mut passages = self.place(question, context);
            passages.retain(|passage| !(self.plan.skip_same_id && passage.doc.as_str() == question.id.as_str()));
            let n_passages = passages.len();
            passages.retain(|passage| seen.insert(passage.id.clone()));
            self.note("contexts that their question has twice, taken once", n_passages - passages.len());
            placed.push((context, passages));
        }
        placed
    }

    fn place(&self, question: &Question, context: &Context) -> Vec<Passage> {
        let named = context.doc_id.as_deref().map(DocId::from);
        let document = named.as_ref().and_then(|doc| self.corpus.document(doc));
        let Some(text) = context.text.as_deref() else { return self.whole(named, document) };
        let title = context.title.as_deref();
        let found = match document {
            Some(document) => place::in_document(document, text, title).map(|range| (document, range)),
            None => self.anywhere(question, text, title),
        };
        if let Some((document, range)) = found {
            if named.is_some() && named.as_ref() != Some(&document.id) {
                self.note("contexts whose `doc_id` is none of the corpus, found there by their text", 1);
            }
            return vec![cut(document, range)];
        }
        let mark = format!("~{}", hash(text));
        let (title, text) = without_title(title, text);
        let passage = |doc: &DocId, place: String, range: ByteRange| Passage {
            id: ChunkId::from(format!("{doc}#{place}{mark}")),
            doc: doc.clone(),
            title: title.to_owned(),
            range,
            text: text.to_owned(),
        };
        let held = self.gold_in(question, document, text);
        if !held.is_empty() {
            self.note("contexts that stand in no document as they are, placed on the gold text that they hold", 1);
            return held.into_iter().map(|(doc, range)| passage(doc, range.to_string(), range)).collect();
        }
        self.note("contexts that stand in no document: support by byte ranges cannot see them", 1);
        let doc = named.unwrap_or_else(|| DocId::from(format!("external-{}", hash(text))));
        vec![passage(&doc, String::new(), ByteRange::new(0, 0))]
    }

    /// A document as a whole; without text where the corpus does not have it.
    fn whole(&self, named: Option<DocId>, document: Option<&Document>) -> Vec<Passage> {
        if let Some(document) = document {
            return vec![cut(document, quote::trim(&document.text, ByteRange::new(0, document.text.len())))];
        }
        self.note("ranked documents that the corpus does not have", usize::from(named.is_some()));
        let unknown = |doc: DocId| Passage {
            id: ChunkId::from(format!("{doc}#~")),
            doc,
            title: String::new(),
            range: ByteRange::new(0, 0),
            text: String::new(),
        };
        named.map(unknown).into_iter().collect()
    }

    /// The document that holds `text`: of several the one of the title, else one of the question's evidence, else the
    /// first. Which copy of a text was shown cannot be told.
    fn anywhere(&self, question: &Question, text: &str, title: Option<&str>) -> Option<(&Document, ByteRange)> {
        let documents = self.corpus.documents();
        let words = self.words.get_or_init(|| WordIndex::new(documents));
        let found = words.find(documents, text, title);
        if found.len() > 1 {
            self.note("contexts that stand in several documents, taken as the gold one where that is among them", 1);
        }
        let is_gold = |document: &Document| question.evidence.iter().flatten().any(|member| member.doc == document.id);
        let is_titled = |document: &Document| title.is_some_and(|title| title.trim() == document.title.trim());
        let preferred = found.iter().max_by_key(|(number, _)| {
            let document = &documents[*number];
            (is_titled(document), is_gold(document), std::cmp::Reverse(*number))
        });
        preferred.map(|&(number, range)| (&documents[number], range))
    }

    /// The gold ranges of `question` whose text stands in `text`: neighbours of one document joined, unless a gold range
    /// that is not there lies between. `only`: the document that the context names.
    fn gold_in<'q>(
        &'q self,
        question: &'q Question,
        only: Option<&Document>,
        text: &str,
    ) -> Vec<(&'q DocId, ByteRange)> {
        let mut ranges: BTreeMap<&DocId, Vec<ByteRange>> = BTreeMap::new();
        for member in question.evidence.iter().flatten() {
            if only.is_none_or(|document| document.id == member.doc) {
                ranges.entry(&member.doc).or_default().extend(&member.ranges);
            }
        }
        let mut held = Vec::new();
        for (doc, mut ranges) in ranges {
            let Some(document) = self.corpus.document(doc) else { continue };
            ranges.sort_unstable();
            ranges.dedup();
            let mut run: Option<ByteRange> = None;
            for range in ranges {
                let gold = document.text.get(range.as_range()).unwrap_or_default();
                if quote::locate(text, gold).is_some() {
                    run = Some(run.map_or(range, |run| ByteRange::new(run.start, run.end.max(range.end))));
                } else {
                    held.extend(run.take().map(|run| (doc, run)));
                }
            }
            held.extend(run.map(|run| (doc, run)));
        }
        held
    }

    /// Counts contexts that their own prompt does not hold: they are taken as packed all the same.
    fn check_prompt(&self, recorded: &Recorded) {
        let Some(prompt) = &recorded.prompt else { return };
        let texts = recorded.contexts.iter().filter_map(|context| context.text.as_deref());
        let absent = texts.filter(|text| quote::locate(prompt, text).is_none()).count();
        self.note("contexts that do not stand in their `prompt` as they are, counted as packed", absent);
    }

    fn note(&self, what: &'static str, count: usize) {
        if count > 0 {
            *self.notes.lock().unwrap_or_else(PoisonError::into_inner).entry(what).or_default() += count;
        }
    }
}

/// The bytes `range` of `document` as a passage.
fn cut(document: &Document, range: ByteRange) -> Passage {
    Passage {
        id: ChunkId::from(format!("{}#{range}", document.id)),
        doc: document.id.clone(),
        title: document.title.clone(),
        range,
        text: document.text[range.as_range()].to_owned(),
    }
}

/// A text without its first line where that is its title.
fn without_title<'t>(title: Option<&'t str>, text: &'t str) -> (&'t str, &'t str) {
    let title = title.map_or("", str::trim);
    match text.trim_start().split_once('\n') {
        Some((first, rest)) if !title.is_empty() && first.trim() == title => (title, rest),
        _ => (title, text),
    }
}

fn only_passages(placed: Vec<Placed<'_>>) -> Vec<Passage> {
    placed.into_iter().flat_map(|(_, passages)| passages).collect()
}

/// The first 16 hex digits of a text's sha256.
fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::external::Position;
    use crate::external::join::Joined;
    use crate::measure::answer::Flavour;
    use crate::text::tokens::{self, Tokenizer};
    use crate::types::{Class, Kind, Member};

    /// `d` holds two gold ranges, `two` at 4..7 and `four` at 14..18; `e` holds the same words in another order.
    fn line() -> RecordedLine {
        let document = |id: &str, title: &str, text: &str| Document {
            id: id.into(),
            title: title.to_owned(),
            text: text.to_owned(),
            metadata: [].into(),
        };
        let documents = vec![
            document("copy", "C", "same text here, twice"),
            document("d", "D", "one two three four five"),
            document("e", "E", "same text here, twice"),
        ];
        let counter = tokens::counter(Tokenizer::Words, None).expect("built in");
        let judge = Judge { flavour: Flavour::Squad2, correct_f1: 0.6 };
        RecordedLine {
            corpus: Corpus::new(documents, Vec::new()),
            words: OnceLock::new(),
            searchable: OnceLock::new(),
            notes: Mutex::default(),
            plan: RecordedPlan {
                rag: Arc::new(Joined::default()),
                judge,
                k: 5,
                counter,
                concurrency: 1,
                skip_same_id: false,
            },
        }
    }

    fn question(evidence: &[(&str, &[(usize, usize)])]) -> Question {
        let member = |(doc, ranges): &(&str, &[(usize, usize)])| {
            vec![Member { doc: (*doc).into(), ranges: ranges.iter().map(|range| (*range).into()).collect() }]
        };
        Question {
            id: "q".into(),
            text: "which?".to_owned(),
            kind: Kind::Span,
            answers: vec!["two".to_owned()],
            evidence: evidence.iter().map(member).collect(),
            relevant: [].into(),
            required: vec![],
            forbidden: vec![],
            tags: vec![],
            split: None,
        }
    }

    fn context(text: &str, doc: Option<&str>, score: Option<f64>) -> Context {
        Context { text: Some(text.to_owned()), doc_id: doc.map(str::to_owned), title: None, score }
    }

    fn recorded(contexts: Vec<Context>) -> Recorded {
        Recorded {
            position: Position { file: "f".to_owned(), line: Some(1) },
            id: None,
            question: None,
            contexts,
            packed: None,
            answer: Answer::Unsaid,
            prompt: None,
            arms: vec![],
            error: None,
            unread: vec![],
        }
    }

    fn ids(line: &RecordedLine, question: &Question, contexts: Vec<Context>) -> Vec<String> {
        let trace = line.asked(0, question.clone(), Ok(recorded(contexts)), 0.0).trace;
        trace.packed().map(ToString::to_string).collect()
    }

    #[test]
    fn contexts_are_named_by_document_and_bytes_with_or_without_its_id() {
        let question = question(&[("d", &[(4, 7)])]);
        for doc in [Some("d"), None, Some("an id of another store")] {
            let contexts = vec![context("two  three four", doc, None), context("D\none two", doc, None)];
            assert_eq!(ids(&line(), &question, contexts), ["d#4-18", "d#0-7"], "{doc:?}");
        }
    }

    #[test]
    fn of_two_copies_the_gold_one_is_meant_else_the_first() {
        let same = || vec![context("same text here, twice", None, None)];
        assert_eq!(ids(&line(), &question(&[("e", &[(0, 4)])]), same()), ["e#0-21"]);
        assert_eq!(ids(&line(), &question(&[("d", &[(4, 7)])]), same()), ["copy#0-21"]);
    }

    #[test]
    fn text_that_stands_nowhere_holds_the_gold_that_it_quotes_and_no_other_byte() {
        let line = line();
        let joined = question(&[("d", &[(4, 7), (14, 18)]), ("e", &[(0, 4)])]);
        // `two` and `four` are neighbours among the gold ranges: one passage; `same` is another document's.
        let shown = ids(&line, &joined, vec![context("- two\n- four\n- same", None, None)]);
        let hash = hash("- two\n- four\n- same");
        assert_eq!(shown, [format!("d#4-18~{hash}"), format!("e#0-4~{hash}")]);
        // `three` lies between and is not there: two passages.
        let three = question(&[("d", &[(4, 7), (8, 13), (14, 18)])]);
        let shown = ids(&line, &three, vec![context("two, four", None, None)]);
        assert_eq!(shown.iter().map(|id| &id[..6]).collect::<Vec<_>>(), ["d#4-7~", "d#14-1"]);
        let trace = line.asked(0, three, Ok(recorded(vec![context("two, four", None, None)])), 0.0).trace;
        assert_ne!(trace.class, Class::Supported);
        // Nothing gold in it: its own document, or the one that it names, and no byte of any.
        let other = question(&[("d", &[(4, 7)])]);
        let shown = ids(&line, &other, vec![context("x y z", None, None), context("x y", Some("d"), None)]);
        assert!(shown[0].starts_with("external-") && shown[1].starts_with("d#~"), "{shown:?}");
        let asked = line.asked(0, other, Ok(recorded(vec![context("x y", Some("d"), None)])), 0.0);
        assert_eq!(asked.trace.class, Class::Retrieval);
    }

    #[test]
    fn scores_stand_where_they_give_the_order_else_the_order_counts() {
        let line = line();
        let scores = |scores: [Option<f64>; 2]| -> Vec<(f64, Option<f64>)> {
            let [a, b] = scores;
            let contexts = vec![context("one", Some("d"), a), context("five", Some("d"), b)];
            let asked = line.asked(0, question(&[]), Ok(recorded(contexts)), 0.0);
            asked.trace.stages[0].hits.iter().map(|hit| (hit.score, hit.parts.get("given").copied())).collect()
        };
        assert_eq!(scores([Some(9.0), Some(2.0)]), [(9.0, None), (2.0, None)]);
        assert_eq!(scores([Some(2.0), Some(9.0)]), [(1.0, Some(2.0)), (0.5, Some(9.0))]);
        assert_eq!(scores([None, Some(9.0)]), [(1.0, None), (0.5, Some(9.0))]);
        assert_eq!(scores([Some(f64::INFINITY), Some(9.0)]), [(1.0, None), (0.5, Some(9.0))]);
        assert_eq!(scores([None, None]), [(1.0, None), (0.5, None)]);
    }

    #[test]
    fn a_context_twice_counts_once_and_whole_documents_are_cut_to_the_first_k() {
        let line = line();
        let twice = vec![context("one", Some("d"), None), context("one ", Some("d"), None)];
        assert_eq!(ids(&line, &question(&[]), twice), ["d#0-3"]);
        let whole = |doc: &str| Context { doc_id: Some(doc.to_owned()), ..Context::default() };
        let run = Recorded { packed: Some(1), ..recorded(vec![whole("gone"), whole("d")]) };
        let trace = line.asked(0, question(&[("d", &[(4, 7)])]), Ok(run), 0.0).trace;
        let ranked: Vec<&str> = trace.stages[0].hits.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!((ranked, trace.packed().count(), trace.class), (vec!["gone#~", "d#0-23"], 1, Class::Ranking));
    }
}
