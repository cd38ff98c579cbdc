//! Published formats, each by a set made by hand for the purpose and small enough to count.

use crate::project::Project;
use crate::run_files::{check, metric};

/// Settings of a data set at `data`.
fn settings(format: &str, more: &str) -> String {
    format!(
        "[dataset]\nformat = \"{format}\"\npath = \"data\"\n\n[retrieval]\nretrievers = [\"bm25\"]\n\n{more}"
    )
}

fn project(format: &str, files: &[(&str, &str)]) -> Project {
    let project = Project::of(files);
    project.write("c.toml", settings(format, ""));
    project
}

fn close((mean, n): (f64, u64), expected: f64, expected_n: u64) {
    assert!(
        (mean - expected).abs() < 1e-9 && n == expected_n,
        "{mean} over {n}, expected {expected} over {expected_n}"
    );
}

/// Two questions over four paragraphs; `Ann Lee` is in both, one sentence is empty and is counted by the facts.
const HOTPOTQA: &str = r#"[
{"_id": "h1", "question": "Who wrote the song that Ann Lee sang?", "answer": "Carl Orff Junior", "type": "bridge", "level": "hard",
 "supporting_facts": [["Ann Lee", 1], ["Moon River Blues", 2]],
 "context": [["Ann Lee", ["Ann Lee is a singer.", " She sang Moon River Blues."]],
             ["Moon River Blues", ["Moon River Blues is a song.", "", " It was written by Carl Orff Junior."]],
             ["Bob Ray", ["Bob Ray is a painter."]]]},
{"_id": "h2", "question": "Are Ann Lee and Dan Poe both singers?", "answer": "yes", "type": "comparison", "level": "easy",
 "supporting_facts": [["Ann Lee", 0], ["Dan Poe", 0]],
 "context": [["Dan Poe", ["Dan Poe is a singer."]], ["Ann Lee", ["Ann Lee is a singer.", " She sang Moon River Blues."]]]}
]"#;

#[test]
fn hotpotqa_pools_paragraphs_by_title_and_counts_by_hand() {
    let project = project("hotpotqa", &[("data/dev.json", HOTPOTQA)]);
    project.good("r", &[]);
    check(&project, "r");
    let (run, summary) = (project.json("runs/r/run.json"), project.summary("r"));
    // Ann Lee, Moon River Blues, Bob Ray, Dan Poe, a chunk each.
    assert_eq!(
        (&run["n_documents"], &run["n_chunks"], &run["n_questions"]),
        (&4.into(), &4.into(), &2.into())
    );
    // The questions name or share a word with each of their two golds, and five places are enough for four chunks.
    close(metric(&summary, "Recall@5"), 1.0, 2);
    close(metric(&summary, "FullRecall@5"), 1.0, 2);
    // At one place only half of two golds fits.
    close(metric(&summary, "Recall@1"), 0.5, 2);
    close(metric(&summary, "FullRecall@1"), 0.0, 2);
    // Only h1 has a span; `Carl Orff Junior` stands in one paragraph.
    close(metric(&summary, "EM@5"), 1.0, 1);
    assert_eq!(summary["losses"]["stages"][4]["complete"], 2);
    let ranges = |trace: &serde_json::Value| -> Vec<serde_json::Value> {
        let groups = trace["question"]["evidence"].as_array().expect("groups").iter();
        groups.map(|group| group[0]["ranges"].clone()).collect()
    };
    let traces = project.traces("r");
    // " She sang Moon River Blues." begins at byte 20, its text at 21, and ends at 47; "It was ..." begins at 28 in its paragraph
    // ("Moon River Blues is a song." has 27 bytes, then a space) and has 35 bytes.
    assert_eq!(ranges(&traces[0]), [serde_json::json!([[21, 47]]), serde_json::json!([[28, 63]])]);
    assert_eq!(ranges(&traces[1]), [serde_json::json!([[0, 20]]), serde_json::json!([[0, 20]])]);
}

const BEIR: [(&str, &str); 3] = [
    (
        "data/corpus.jsonl",
        "{\"_id\": \"d1\", \"title\": \"\", \"text\": \"Zebras graze at dawn.\"}\n{\"_id\": \"d2\", \"title\": \"\", \"text\": \"Lions sleep.\"}\n\
         {\"_id\": \"d3\", \"title\": \"\", \"text\": \"Rivers rise in spring.\"}\n",
    ),
    (
        "data/queries.jsonl",
        "{\"_id\": \"b1\", \"text\": \"zebras\"}\n{\"_id\": \"b2\", \"text\": \"rivers\"}\n{\"_id\": \"b3\", \"text\": \"not judged\"}\n",
    ),
    (
        "data/qrels/test.tsv",
        "query-id\tcorpus-id\tscore\nb1\td1\t2\nb1\td2\t1\nb2\td3\t1\nb2\td9\t1\n",
    ),
];

#[test]
fn beir_scores_graded_judgments_of_queries_without_answers() {
    let project = project("beir", &BEIR);
    project.good("r", &[]);
    let summary = project.summary("r");
    assert_eq!(summary["n_questions"], 2);
    // Both queries have one word, which one document holds: b1 finds d1 (grade 2) and not d2 (grade 1), b2 finds d3 and
    // not d9, which the corpus does not have.
    close(metric(&summary, "Recall@5"), 0.5, 2);
    close(metric(&summary, "RR"), 1.0, 2);
    close(metric(&summary, "P@5"), 0.2, 2);
    // b1: 2 / (2 + 1/log2 3); b2: 1 / (1 + 1/log2 3).
    let second = 1.0 / 3f64.log2();
    close(
        metric(&summary, "nDCG@10"),
        f64::midpoint(2.0 / (2.0 + second), 1.0 / (1.0 + second)),
        2,
    );
    assert_eq!(
        (metric(&summary, "EM@5").1, metric(&summary, "AnswerF1").1),
        (0, 0),
        "there are no answers"
    );
    let notes = project.notes("r");
    for note in [
        "1 query without judgments in the split, skipped",
        "1 judged document that is not in the corpus, kept",
    ] {
        assert!(notes.contains(note), "{notes}");
    }
}
