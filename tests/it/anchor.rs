//! `dataset anchor`: from question-answer pairs to a run, to labelling what was left open, and on `SQuAD` with its offsets hidden.

use std::collections::HashMap;

use ragtriage_core::config::{DatasetSettings, Format};
use ragtriage_core::text::normalise::matching;
use ragtriage_core::types::{ByteRange, Document, Question};
use ragtriage_data::dataset::anchor::{Anchor, Reason, Searched};
use serde_json::{Value, json};

use crate::parity::fetched;
use crate::planted::seen;
use crate::project::{Project, outcome};

const ONCALL: &str = "# On call\n\nA silence lasts 4 hours at most. Renew it early.\n";
const RETRY: &str =
    "# Retry\n\nRetries wait 30 seconds. A retry is logged.\nA silence is no retry.\n";
const SETTINGS: &str = "[dataset]\npath = \"docs\"\n\n[retrieval]\nretrievers = [\"bm25\"]\n";
const PAIRS: &str = concat!(
    r#"{"question": "How long does\na silence last?", "ground_truth": "4 hours", "answer": "generated"}"#,
    "\n",
    r#"{"question": "What is logged?", "ground_truth": "retry"}"#,
    "\n",
    r#"{"question": "Does it rain?", "ground_truth": "Yes"}"#,
    "\n",
);

fn project() -> Project {
    Project::of(&[
        ("c.toml", SETTINGS),
        ("docs/oncall.md", ONCALL),
        ("docs/retry.md", RETRY),
        ("qa.jsonl", PAIRS),
    ])
}

fn lines(project: &Project, file: &str) -> Vec<Value> {
    let read = project.read(file);
    let lines = read.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    lines.collect()
}

#[test]
fn pairs_become_questions_next_to_the_documents_that_run() {
    let project = project();
    let outcome = project.call(&["dataset", "anchor", "qa.jsonl", "c.toml"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(outcome.stdout, "ragtriage dataset label c.toml\nragtriage run c.toml\n");
    let counts = "1 question anchored in docs/questions.jsonl\n\
                  2 questions unresolved in docs/unresolved.jsonl: 1 answered by yes or no; 1 with the answer at several places\n";
    assert!(outcome.stderr.contains(counts), "{}", outcome.stderr);
    let written = &lines(&project, "docs/questions.jsonl")[0];
    assert_eq!(written["text"], "How long does\na silence last?");
    assert_eq!(written["answers"], json!(["4 hours"]));
    assert_eq!(
        written["evidence"],
        json!([[{"doc": "oncall.md", "quotes": ["A silence lasts 4 hours at most."]}]])
    );
    let open = lines(&project, "docs/unresolved.jsonl");
    assert_eq!((&open[0]["reason"], &open[0]["n_found"]), (&json!("several"), &json!(3)));
    assert_eq!(open[0]["places"][1]["sentence"], "A retry is logged.");
    assert_eq!((&open[1]["reason"], &open[1]["n_found"]), (&json!("yes_no"), &json!(0)));

    let again = project.call(&["dataset", "anchor", "qa.jsonl", "c.toml"]);
    assert!(
        again.stderr.contains("already in docs/questions.jsonl: 1 of 3 questions"),
        "{}",
        again.stderr
    );
    assert_eq!(lines(&project, "docs/questions.jsonl").len(), 1);

    let run = project.call(&["run", "c.toml", "--out", "runs", "--name", "r"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(project.json("runs/r/run.json")["n_documents"], 2);
}

#[test]
fn a_known_id_with_another_text_is_refused() {
    let project = Project::of(&[
        ("c.toml", SETTINGS),
        ("docs/oncall.md", ONCALL),
        (
            "docs/questions.jsonl",
            "{\"id\": \"z\", \"text\": \"How long?\", \"answers\": [\"4 hours\"]}\n",
        ),
        ("other.jsonl", r#"{"id": "z", "question": "Renew it when?", "answer": "early"}"#),
    ]);
    project.refuses_with_some_hint(
        &["dataset", "anchor", "other.jsonl", "c.toml"],
        "error: docs/questions.jsonl has question `z` as `How long?`, not `Renew it when?`",
    );
}

#[test]
fn unresolved_questions_are_labelled_with_their_candidate_places_first() {
    let project = project();
    project.call(&["dataset", "anchor", "qa.jsonl", "c.toml"]);
    let mut command = project.command(&[
        "dataset",
        "label",
        "c.toml",
        "--queries",
        "docs/unresolved.jsonl",
        "--set",
        "retrieval.retrievers=[\"bm25\"]",
        "--set",
        "chunking.size=8",
        "--set",
        "chunking.overlap=0",
    ]);
    // The first passage shown holds the first place; its second piece is quoted; then the session is left.
    let labelled = outcome(&command.write_stdin("y\n1\ne\nq\n").output().expect("starts"));
    assert_eq!(labelled.code, 0, "{}", labelled.stderr);
    let written = lines(&project, "docs/questions.jsonl");
    assert_eq!(written.len(), 2, "{}", labelled.stderr);
    assert_eq!(written[1]["evidence"][0][0]["doc"], "retry.md");
    assert_eq!(written[1]["answers"], json!(["retry"]));
    // The other one is still open.
    let open = lines(&project, "docs/unresolved.jsonl");
    assert_eq!((open.len(), open[0]["id"] == written[1]["id"]), (1, false));
}

#[test]
fn bad_pairs_and_documents_are_named() {
    let project = project();
    for (name, text, error) in [
        (
            "b.jsonl",
            "{\"q\": 1}\n",
            "error: `b.jsonl` line 1: neither a question nor a list of rows; it has `q`",
        ),
        ("c.jsonl", "", "error: `c.jsonl` is empty: it has no line with data"),
        (
            "d.jsonl",
            "{\"question\": \"?\", \"answer\": \"x\", \"doc\": \"none.md\"}\n",
            "error: `d.jsonl` line 1",
        ),
    ] {
        project.write(name, text);
        let outcome = project.refused(&["dataset", "anchor", name, "c.toml"]);
        assert!(outcome.stderr.starts_with(error), "{error}: {}", outcome.stderr);
    }
    assert!(!project.path("docs/questions.jsonl").exists());
}

/// Counts of anchored questions.
#[derive(Debug, Default)]
struct Counts {
    n: usize,
    anchored: usize,
    correct: usize,
    several: usize,
    never: usize,
}

/// Returns true if one range contains the other and both texts are the same answer, articles and marks aside.
fn is_gold(text: &str, found: ByteRange, gold: ByteRange) -> bool {
    let contains = |a: ByteRange, b: ByteRange| a.start <= b.start && b.end <= a.end;
    let (found_text, gold_text) = (&text[found.as_range()], &text[gold.as_range()]);
    (contains(found, gold) || contains(gold, found))
        && (matching(found_text).contains(&matching(gold_text))
            || matching(gold_text).contains(&matching(found_text)))
}

/// Number of places in `text` where `answer` is a whole word as written, in any case: next to it is nothing that may join it to
/// another word, such as `'s` or `-based`.
fn n_plain(answer: &str, text: &str) -> usize {
    let (answer, text) = (answer.to_lowercase(), text.to_lowercase());
    let is_edge = |outwards: &mut dyn Iterator<Item = char>| {
        let joined = outwards.take_while(|c| !c.is_whitespace()).take(2);
        !joined.collect::<String>().contains(char::is_alphanumeric)
    };
    text.match_indices(&answer)
        .filter(|(at, found)| {
            let (before, after) = (&text[..*at], &text[at + found.len()..]);
            is_edge(&mut before.chars().rev()) && is_edge(&mut after.chars())
        })
        .count()
}

/// Anchors the first gold answer of each question, as a pair has it, in the document `number` of each.
fn anchored(
    questions: &[Question],
    documents: &[Document],
    number: impl Fn(&Question) -> usize,
) -> Counts {
    let searched = Searched::new(documents);
    let mut counts = Counts::default();
    for question in questions {
        let mut asked = Question::new(question.id.clone(), question.text.clone());
        asked.answers = question.answers[..1].to_vec();
        let document = number(question);
        counts.n += 1;
        match searched.anchor(&asked, Some(document)) {
            Anchor::Once { answer, .. } => {
                let text = &documents[document].text;
                assert!(n_plain(&asked.answers[0], text) <= 1, "{}", question.id);
                let golds = question.evidence.iter().flatten().flat_map(|member| &member.ranges);
                counts.anchored += 1;
                counts.correct +=
                    usize::from(golds.into_iter().any(|gold| is_gold(text, answer, *gold)));
            }
            Anchor::Open { reason: Reason::Several, .. } => counts.several += 1,
            Anchor::Open { .. } => counts.never += 1,
        }
    }
    counts
}

/// The share is at least 99.5%, both with the paragraph known and over the whole article. An anchored answer that the annotators
/// did not mark counts as an error.
#[test]
#[cfg_attr(
    not(has_data_squad),
    ignore = "needs datasets/fetched/squad: ragtriage dataset fetch squad"
)]
fn squads_answers_are_anchored_where_the_annotators_marked_them() {
    let spec = DatasetSettings::new(Format::Squad, &fetched("squad"));
    let set = ragtriage_data::dataset::load(&spec).expect("loads");
    let numbers: HashMap<&str, usize> =
        set.documents.iter().enumerate().map(|(n, it)| (it.id.as_str(), n)).collect();
    let doc = |question: &Question| question.evidence[0][0].doc.clone();
    let counts =
        anchored(&set.questions, &set.documents, |question| numbers[doc(question).as_str()]);
    seen(&format!("paragraph known: {counts:?}"));
    assert!(counts.correct as f64 >= 0.995 * counts.anchored as f64, "{counts:?}");
    assert!(counts.anchored * 2 > counts.n, "{counts:?}");

    // One document per article; golds are moved by the start of their paragraph.
    let (mut articles, mut starts) = (Vec::<Document>::new(), HashMap::new());
    for paragraph in &set.documents {
        let title = paragraph.id.as_str().rsplit_once('/').expect("a number").0;
        if articles.last().is_none_or(|article| article.id.as_str() != title) {
            articles.push(Document { id: title.into(), text: String::new(), ..paragraph.clone() });
        }
        let number = articles.len() - 1;
        starts.insert(paragraph.id.clone(), (number, articles[number].text.len()));
        articles[number].text += &(paragraph.text.clone() + "\n\n");
    }
    let mut questions = set.questions.clone();
    for member in questions.iter_mut().flat_map(|it| it.evidence.iter_mut().flatten()) {
        let start = starts[&member.doc].1;
        for range in &mut member.ranges {
            *range = ByteRange::new(range.start + start, range.end + start);
        }
    }
    let counts = anchored(&questions, &articles, |question| starts[&doc(question)].0);
    seen(&format!("article known: {counts:?}"));
    assert!(counts.correct as f64 >= 0.995 * counts.anchored as f64, "{counts:?}");
}

#[test]
fn a_table_of_results_and_references_is_imported_with_the_documents_alone() {
    let table = concat!(
        "user_input,retrieved_contexts,response,reference\n",
        "How long does a silence last?,\"['A silence lasts 4 hours at most.']\",4 hours,4 hours\n",
        "How long do retries wait?,\"['A retry is logged.', ' ']\",10 seconds,30 seconds\n",
        "Does it rain?,[],No.,Yes\n",
    );
    let files = [("docs/oncall.md", ONCALL), ("docs/retry.md", RETRY), ("ragas.csv", table)];
    let project = Project::of(&files);
    let import = ["import", "ragas.csv", "--documents", "docs", "--name", "first"];
    let outcome = project.call(&import);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let set = "ragtriage-runs/docs-set";
    let told = format!(
        "2 questions anchored in {set}/questions.jsonl\n1 question unresolved in {set}/unresolved.jsonl: 1 answered by yes or no\n\
         label them, then repeat this import: ragtriage dataset label {set}/ragtriage.toml\n"
    );
    assert!(outcome.stderr.contains(&told), "{}", outcome.stderr);
    let summary: Value =
        serde_json::from_str(&project.read("ragtriage-runs/first/summary.json")).expect("JSON");
    assert_eq!(summary["metrics"]["AnswerCorrect"]["n"], 3);
    assert_eq!(
        summary["metrics"]["EvidenceRecall@prompt"]["mean"], 0.5,
        "of the two with evidence"
    );
    let run = project.read("ragtriage-runs/first/run.json");
    assert!(run.contains("blank [context, which keeps its rank|"), "{run}");
    // The labels of the set are kept, and a run of ours reads it.
    let again = project.call(&[&import[..5], &["second"]].concat());
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(lines(&project, &format!("{set}/questions.jsonl")).len(), 2);
    let own = project.call(&["run", &format!("{set}/ragtriage.toml"), "--out", "runs"]);
    assert_eq!(own.code, 0, "{}", own.stderr);
}
