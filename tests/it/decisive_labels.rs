//! `dataset label --run`: how many judgments bring the losses of a run with wrong labels back, in the order that is proposed and at random.

use std::collections::HashMap;

use ragtriage_core::chunk::{ChunkSpec, chunk_documents};
use ragtriage_core::stats::random::Random;
use ragtriage_core::text::tokens::counter;
use ragtriage_core::types::{ChunkId, Corpus, Question, QuestionId, Trace};
use ragtriage_data::run::{RunFolder, SavedRun};
use ragtriage_eval::labels::{DoubtedLabel, MOST_PASSAGES, doubted, relabel};
use ragtriage_eval::summary::{Evaluation, EvaluationPlan, evaluate};
use ragtriage_pipeline::settings::assemble;
use serde_json::Value;

use crate::planted::seen;
use crate::project::{Project, copy_folder, repository};

/// Answers of either side by which the losses may differ from those by the right labels, as a share of the questions.
const NEAR: f64 = 0.02;
/// Passages that are judged at most: two sittings.
const MOST: usize = 2 * MOST_PASSAGES;
/// At random, more than so many times as many are judged.
const LESS_WORK: usize = 10;

/// The runbooks with the labels of every tenth question, from the `first` on, moved to those of another one.
fn shifted(questions: &[Value], first: usize) -> String {
    let mut lines = questions.to_vec();
    for number in (first..lines.len()).step_by(10) {
        let other = &questions[(number + questions.len() / 2) % questions.len()];
        if !lines[number]["evidence"].is_null() && !other["evidence"].is_null() {
            for field in ["evidence", "relevant"] {
                lines[number][field] = other[field].clone();
            }
        }
    }
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A person who knows the right labels.
struct Person {
    right: HashMap<QuestionId, Question>,
    corpus: Corpus,
}

impl Person {
    /// Returns the labels of the question after these passages were judged, up to the first that answers, and their number.
    fn judge(&self, trace: &Trace, passages: &[ChunkId]) -> (Question, usize) {
        let right = &self.right[&trace.question.id];
        let answers = |id: &ChunkId, question: &Question| {
            let (range, ..) = self.corpus.text_of(id).expect("a chunk");
            question.evidence.iter().flatten().any(|member| {
                member.doc.as_str() == id.doc()
                    && (member.ranges.is_empty()
                        || member.ranges.iter().any(|it| it.overlaps(range)))
            })
        };
        if let Some(at) = passages.iter().position(|id| answers(id, right)) {
            return (right.clone(), at + 1);
        }
        let mut question = trace.question.clone();
        if passages.iter().any(|id| answers(id, &trace.question)) {
            question.evidence.clear();
            question.relevant.clear();
        }
        (question, passages.len())
    }
}

fn evaluated(run: &SavedRun) -> Evaluation {
    // Their intervals are not looked at.
    let resamples = 100;
    evaluate(run, &EvaluationPlan { resamples, ..assemble::evaluation(&run.manifest.settings) })
}

/// Returns the share of the answers that retrieval and the generator lose.
fn losses(run: &SavedRun) -> [f64; 2] {
    let summary = evaluated(run).summary;
    let verdict = &summary.verdict;
    [verdict.retrieval.answers, verdict.generator.answers].map(|lost| lost / verdict.n as f64)
}

/// Returns the number of passages that are judged, in this order, until the losses are near those by the right labels; `None` beyond `most`.
fn judgments(
    mut run: SavedRun,
    person: &Person,
    order: &[(usize, Vec<ChunkId>)],
    (right, most): ([f64; 2], usize),
) -> Option<usize> {
    let mut n_judged = 0;
    for (number, passages) in order {
        let is_near = |(now, right): (&f64, &f64)| (now - right).abs() <= NEAR;
        if losses(&run).iter().zip(&right).all(is_near) {
            return Some(n_judged);
        }
        if n_judged > most {
            return None;
        }
        let (question, n) = person.judge(&run.traces[*number], passages);
        n_judged += n;
        relabel(&mut run, *number, &question, &person.corpus);
    }
    None
}

/// The answers of a generator that is wrong on every fourth question, whatever its prompt has.
fn misread(mut run: SavedRun) -> SavedRun {
    for trace in run.traces.iter_mut().skip(3).step_by(4) {
        let attempts = trace.conditions.iter_mut().flat_map(|answers| &mut answers.attempts);
        attempts.for_each(|attempt| "something else".clone_into(&mut attempt.extracted));
    }
    run
}

#[test]
fn few_judgments_bring_the_losses_back_where_labels_are_wrong() {
    let settings =
        "[dataset]\nformat = \"files\"\npath = \"data\"\n\n[retrieval]\nretrievers = [\"bm25\"]\n";
    let project = Project::of(&[("c.toml", settings)]);
    copy_folder(&repository("datasets/runbooks"), &project.path("data"));
    let load = |name: &str| {
        SavedRun::load(&RunFolder::existing(&project.path(&format!("runs/{name}")))).expect("a run")
    };
    project.good("right", &[]);
    let right = load("right");
    let mut dataset = right.manifest.settings.dataset.clone();
    dataset.path = project.path("data");
    let documents = ragtriage_data::dataset::documents(&dataset);
    let documents = documents.expect("read");
    let chunking = &right.manifest.settings.chunking;
    let spec =
        ChunkSpec::new(chunking.strategy, chunking.size, chunking.overlap, chunking.tokenizer);
    let spec = spec.expect("valid");
    let counter = counter(spec.tokenizer(), None).expect("needs no model");
    let chunks = chunk_documents(&documents, &spec, &*counter);
    let corpus = Corpus::new(documents, chunks.expect("chunks"));
    let by_id =
        right.traces.iter().map(|trace| (trace.question.id.clone(), trace.question.clone()));
    let person = Person { right: by_id.collect(), corpus };
    let questions: Vec<Value> = project
        .read("data/questions.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a question"))
        .collect();
    let of_right = losses(&right);
    for first in 0..3 {
        let name = format!("shifted{first}");
        project.write("data/questions.jsonl", shifted(&questions, first));
        project.good(&name, &[]);
        let run = load(&name);
        let outcomes = evaluated(&run).outcomes;
        let proposed: Vec<_> =
            doubted(&run, &outcomes).into_iter().map(|it| (it.trace, it.passages)).collect();
        // A label that is wrong comes before a right one whose answer is wrong.
        let misread = misread(run.clone());
        let doubted = doubted(&misread, &evaluated(&misread).outcomes);
        let is_wrong = |label: &DoubtedLabel| {
            let question = &misread.traces[label.trace].question;
            question.evidence != person.right[&question.id].evidence
        };
        assert!(doubted.len() > 50 && doubted.iter().take(10).all(is_wrong));
        let n_proposed = judgments(run.clone(), &person, &proposed, (of_right, MOST));
        let n_proposed = n_proposed.expect("the labels that are wrong are among the first");
        let all = run.traces.iter().map(|trace| {
            let gold = trace.gold.groups.iter().flatten().flat_map(|member| &member.chunks);
            (trace.index, trace.packed().chain(gold).cloned().collect())
        });
        let mut at_random: Vec<(usize, Vec<ChunkId>)> = all.collect();
        Random::stream(0, first as u64).shuffle(&mut at_random);
        let most = LESS_WORK * n_proposed;
        let n_random = judgments(run.clone(), &person, &at_random, (of_right, most));
        seen(&format!(
            "labels shifted from {first}: {n_proposed} judgments, at random {n_random:?}"
        ));
        assert!(n_proposed > 0, "the losses are near from the start");
        assert_eq!(n_random, None, "at random as few suffice as {most}");
    }
}
