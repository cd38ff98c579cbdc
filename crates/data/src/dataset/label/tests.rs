//! Judging of a question and whole sessions, with a scripted annotator.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::sync::Arc;

use super::*;
use crate::dataset::{Appended, Error};
use ragtriage_core::types::{Chunk, Corpus, Document, Question, QuestionKind, RetrieverName};
use ragtriage_core::types::{Pooled, Pools};

/// Typed lines, in order, and the prompts before them.
struct Script {
    lines: VecDeque<String>,
    heard: Vec<String>,
}

impl Script {
    fn new(lines: &[&str]) -> Self {
        Self { lines: lines.iter().map(|&line| line.to_owned()).collect(), heard: Vec::new() }
    }

    fn ask(&mut self, prompt: Prompt<'_>) -> io::Result<Option<String>> {
        self.heard.push(match prompt {
            Prompt::Passage(shown) => format!("{} {}", shown.progress.passage, shown.text()),
            Prompt::Words(shown, refused) => {
                let nearest = refused
                    .and_then(|refused| refused.nearest)
                    .map(|range| &shown.document.text[range.as_range()]);
                format!("quote {:?}", refused.map(|refused| (refused.words, nearest)))
            }
            Prompt::Answer(wanted) => format!("answer {:?} {:?}", wanted.known, wanted.refused),
            Prompt::Close(_) => "close".to_owned(),
            Prompt::MoreWords => return Ok(Some(String::new())),
            other => format!("{other:?}"),
        });
        self.lines.pop_front().map(Some).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Documents `a` (two passages), `b` and `c`.
fn corpus() -> Corpus {
    let texts = [
        ("a", "It waits 6 minutes. Then it waits 6 minutes."),
        ("b", "Six minutes, it is."),
        ("c", "No idea."),
    ];
    let document = |(id, text): (&str, &str)| Document {
        id: id.into(),
        title: String::new(),
        text: text.to_owned(),
        metadata: BTreeMap::new(),
    };
    let chunk = |document, range: (usize, usize)| Chunk::new(document, range.into(), 1);
    let chunks = vec![chunk(0, (0, 19)), chunk(0, (20, 44)), chunk(1, (0, 19)), chunk(2, (0, 8))];
    Corpus::new(texts.map(document).to_vec(), chunks)
}

fn question(id: &str) -> Question {
    serde_json::from_value(
        serde_json::json!({ "id": id, "text": format!("How long, {id}?"), "kind": "free", "tags": ["chat"] }),
    )
    .expect("a question")
}

/// Runs a session over `pools`, each a list of passages by best rank. Returns the written lines, the counts and the
/// requests.
fn sit(
    pools: &[&[&str]],
    typed: &[&str],
) -> (Vec<serde_json::Value>, Result<LabelCounts, Error>, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("questions.jsonl");
    let mut file = Appended::open(&path).expect("opens");
    let pooled = |(rank, id): (usize, &&str)| Pooled {
        id: (*id).into(),
        ranks: [(RetrieverName::Bm25, rank + 1)].into(),
        // Candidates keep their order.
        is_candidate: true,
    };
    let of = pools.iter().map(|pool| pool.iter().enumerate().map(pooled).collect()).collect();
    let pools = Pools { corpus: Arc::new(corpus()), of };
    let questions: Vec<Question> =
        (1..=pools.of.len()).map(|n| question(&format!("q{n}"))).collect();
    let mut script = Script::new(typed);
    let ask = &mut |prompt: Prompt<'_>| script.ask(prompt);
    let tally = label(&questions, &pools, ask, &mut file, &mut |_| {});
    assert!(script.lines.is_empty() || tally.is_err(), "never asked for: {:?}", script.lines);
    let lines = std::fs::read_to_string(&path).expect("written");
    let lines = lines.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"));
    (lines.collect(), tally, script.heard)
}

const ALL: [&str; 4] = ["a#0", "c#0", "b#0", "a#1"];

#[test]
fn documents_that_answer_are_alternatives_and_each_may_word_it_its_own_way() {
    let says = ["3", "waits  6 minutes", "6 minutes", "0", "3", "Six minutes", "six minutes", "1"];
    let (lines, tally, heard) = sit(&[&ALL], &says);
    assert_eq!(
        lines,
        [serde_json::json!({
            "id": "q1", "text": "How long, q1?", "kind": "span", "answers": ["6 minutes", "six minutes"],
            // The words occur twice in `a`: a range selects one.
            "evidence": [[{"doc": "a", "ranges": [[3, 18]]}, {"doc": "b", "quotes": ["Six minutes"]}]],
            "relevant": {"a": 3, "b": 3, "c": 0}, "tags": ["chat"],
        })]
    );
    assert!(heard.contains(&"answer [\"6 minutes\"] None".to_owned()), "{heard:?}");
    let tally = tally.expect("done");
    assert_eq!((tally.n_written, tally.n_answered), (1, 1));
}

#[test]
fn words_of_the_passage_come_before_the_same_words_elsewhere() {
    let (lines, ..) = sit(&[&["a#1"]], &["3", "waits 6 minutes.", ""]);
    // `a#1` begins at 20: `Then it waits 6 minutes.`, the words 8 bytes on.
    assert_eq!(lines[0]["evidence"], serde_json::json!([[{"doc": "a", "ranges": [[28, 44]]}]]));
    assert_eq!(lines[0]["kind"], "free");
}

#[test]
fn words_that_are_not_there_are_asked_for_again_with_the_nearest() {
    let says = ["3", "It waits 7 minutes.", "elsewhere", "", "no"];
    let (lines, _, heard) = sit(&[&["a#0"]], &says);
    assert_eq!(heard[2], r#"quote Some(("It waits 7 minutes.\n", Some("It waits 6 minutes.")))"#);
    assert_eq!(heard[3], r#"quote Some(("elsewhere\n", None))"#);
    assert_eq!(
        (&lines[0]["evidence"], &lines[0]["kind"]),
        (&serde_json::json!([[{"doc": "a"}]]), &"yes_no".into())
    );
}

#[test]
fn an_answer_that_is_not_in_the_words_is_asked_for_again_and_then_kept() {
    let says = ["3", "waits 6 minutes", "an hour", "360 s", "360 s"];
    let (lines, _, heard) = sit(&[&["a#0"]], &says);
    assert_eq!(heard[3..], [r#"answer [] Some("an hour")"#, r#"answer [] Some("360 s")"#]);
    assert_eq!(lines[0]["answers"], serde_json::json!(["360 s"]));
}

#[test]
fn back_takes_the_last_judgment_back_with_its_evidence() {
    let back = "b";
    let says = [
        back, // nothing before it
        "3",
        "",
        "6 minutes",
        back,
        "3",
        "/b", // judged again
        "2",
        "0",
        "b",
        "1",
        "n",
    ];
    let (lines, tally, heard) = sit(&[&["a#0", "c#0"]], &says);
    let shown: Vec<&str> =
        heard.iter().filter(|line| line.starts_with(['1', '2'])).map(|line| &line[..1]).collect();
    assert_eq!(shown, ["1", "2", "1", "1", "2", "2"]);
    assert_eq!(lines[0]["relevant"], serde_json::json!({"a": 2, "c": 1}));
    assert!(lines[0].get("evidence").is_none() && lines[0].get("answers").is_none());
    assert_eq!(tally.expect("done").n_answered, 0);
}

#[test]
fn unanswerable_has_no_evidence_but_keeps_what_helps() {
    let unanswerable = "u";
    let (lines, tally, heard) = sit(
        &[&ALL, &ALL[..1], &[]],
        &[
            "1",
            unanswerable,
            "0",
            "y",
            "y", // nothing was found at all
        ],
    );
    assert_eq!(lines[0]["relevant"], serde_json::json!({"a": 1}));
    assert!(
        lines.iter().all(|line| line["kind"] == "unanswerable" && line.get("evidence").is_none())
    );
    assert_eq!((tally.expect("done").n_unanswerable, heard.len()), (3, 5));
    // It is ignored after a passage that answers.
    let says = ["3", "", "", unanswerable, "0", "0", "0"];
    assert_eq!(sit(&[&ALL], &says).0[0]["kind"], "free");
}

#[test]
fn stopping_keeps_what_is_answered_and_lets_the_rest_come_again() {
    let stop = "q";
    let answered = ["3", "", "", stop];
    let (lines, tally, _) = sit(&[&ALL, &ALL, &ALL], &answered);
    assert_eq!((lines.len(), &lines[0]["relevant"]), (1, &serde_json::json!({"a": 3})));
    assert_eq!(tally.expect("stopped").stopped, Some(Stopped { n_left: 2, n_dropped: 0 }));
    // A helpful passage does not answer, and the annotator did not declare the question
    // unanswerable.
    for best in ["0", "1", "2"] {
        let (lines, tally, _) = sit(&[&ALL, &ALL], &[best, "0", stop]);
        assert!(lines.is_empty(), "{best}");
        assert_eq!(tally.expect("stopped").stopped, Some(Stopped { n_left: 2, n_dropped: 2 }));
    }
    let closed = ["1", "q"];
    assert!(sit(&[&ALL[..1]], &closed).0.is_empty());
    // If it stops within a passage's evidence, that passage has no judgment.
    let (lines, tally, _) = sit(&[&ALL], &["3", "/q"]);
    assert_eq!((lines.len(), tally.expect("stopped").n_written), (0, 0));
}

#[test]
fn what_was_done_is_written_when_the_annotator_is_gone() {
    let (lines, tally, _) = sit(&[&ALL[..1], &ALL], &["2", "n", "3"]);
    assert_eq!(lines.len(), 1);
    assert!(tally.expect_err("unavailable").to_string().starts_with("cannot read the judgments"));
}

#[test]
fn passages_that_were_not_shown_are_not_judged() {
    let says = ["3", "", "", "e"];
    assert_eq!(sit(&[&ALL], &says).0[0]["relevant"], serde_json::json!({"a": 3}));
    let says = ["s", "e", "n"];
    let (lines, tally, _) = sit(&[&ALL], &says);
    assert_eq!((lines.len(), tally.expect("done").n_unjudged), (0, 1));
}

#[test]
fn a_shuffle_depends_on_the_question_and_not_on_the_ranks() {
    let corpus = corpus();
    let pool = |ids: [&str; 4]| {
        ids.map(|id| Pooled { id: id.into(), ranks: BTreeMap::new(), is_candidate: false })
    };
    let (one, other) = (["a#0", "a#1", "b#0", "c#0"], ["c#0", "b#0", "a#1", "a#0"]);
    let mut seen = std::collections::BTreeSet::new();
    for question in (0..40).map(|n| question(&format!("q{n}"))) {
        let found = order::arranged(&pool(one), &corpus, &question);
        assert_eq!(found, order::arranged(&pool(other), &corpus, &question));
        // A document's passages are adjacent, in text order.
        let first = found.iter().position(|number| *number == 0).expect("there");
        assert_eq!(found.get(first + 1), Some(&1));
        seen.insert(found);
    }
    assert_eq!(seen.len(), 6, "all orders of three documents");
}

#[test]
fn what_a_question_came_with_stays() {
    let corpus = corpus();
    let mut asked = question("q");
    asked.kind = QuestionKind::Span;
    asked.answers = vec!["6 minutes".to_owned()];
    asked.relevant = [("b".into(), 1), ("c".into(), 2)].into();
    let mut script = Script::new(&["0", "3", "It waits 6 minutes."]);
    let mut judging = judging::Judging::new(&asked, &corpus, vec![3, 0], (1, 1));
    let end = judging.run(&mut |prompt: Prompt<'_>| script.ask(prompt)).expect("done");
    let labelled = judging.labelled(end);
    assert_eq!((labelled.kind, &labelled.answers), (QuestionKind::Span, &asked.answers));
    assert_eq!(labelled.relevant, [("a".into(), 3), ("b".into(), 1), ("c".into(), 0)].into());
    assert_eq!(labelled.evidence[0][0].ranges, [(0, 19).into()]);
}

#[test]
fn a_passage_that_words_the_answer_otherwise_leaves_the_kind_of_a_question_whose_evidence_has_it() {
    let corpus = corpus();
    for (kind, range, expected) in [
        (QuestionKind::Span, (0, 19), QuestionKind::Span),
        (QuestionKind::Span, (0, 8), QuestionKind::Free),
        (QuestionKind::Free, (0, 19), QuestionKind::Span),
    ] {
        let ranges = vec![range.into()];
        let member = ragtriage_core::types::Member { doc: "a".into(), ranges };
        let evidence = vec![vec![member]];
        let answers = vec!["6 minutes".to_owned()];
        let asked = Question { kind, evidence, answers, ..question("q") };
        let mut script = Script::new(&["3", "Six minutes, it is.", ""]);
        let mut judging = judging::Judging::new(&asked, &corpus, vec![2], (1, 1));
        let end = judging.run(&mut |prompt: Prompt<'_>| script.ask(prompt)).expect("done");
        assert_eq!(judging.labelled(end).kind, expected);
    }
}

/// The evidence of a question with previous `groups` of whole documents, after `passages` were judged as `says`.
fn evidence_after(
    groups: &[&[&str]],
    passages: &[usize],
    typed: &[&str],
) -> Vec<ragtriage_core::types::Group> {
    let corpus = corpus();
    let member =
        |doc: &&str| ragtriage_core::types::Member { doc: (*doc).into(), ranges: Vec::new() };
    let mut asked = question("q");
    asked.evidence = groups.iter().map(|group| group.iter().map(member).collect()).collect();
    asked.relevant =
        asked.evidence.iter().flatten().map(|member| (member.doc.clone(), 1)).collect();
    let mut script = Script::new(typed);
    let mut judging = judging::Judging::new(&asked, &corpus, passages.to_vec(), (1, 1));
    let end = judging.run(&mut |prompt: Prompt<'_>| script.ask(prompt)).expect("done");
    judging.labelled(end).evidence
}

/// Members as `document` or `document:start-end`.
fn named(evidence: &[ragtriage_core::types::Group]) -> Vec<Vec<String>> {
    let name = |member: &ragtriage_core::types::Member| match member.ranges[..] {
        [] => member.doc.to_string(),
        [range, ..] => format!("{}:{}-{}", member.doc, range.start, range.end),
    };
    evidence.iter().map(|group| group.iter().map(name).collect()).collect()
}

#[test]
fn a_passage_that_answers_alone_is_one_more_way_in_every_group() {
    let says = ["3", "It waits 6 minutes.", "6 minutes"];
    assert_eq!(
        named(&evidence_after(&[&["b"], &["c"]], &[0], &says)),
        [["b", "a:0-19"], ["c", "a:0-19"]]
    );
    assert_eq!(named(&evidence_after(&[&["b"]], &[0], &says)), [["b", "a:0-19"]]);
    assert_eq!(named(&evidence_after(&[], &[0], &says)), [["a:0-19"]]);
    // Existing members are not duplicated.
    let says = ["3", "", ""];
    assert_eq!(named(&evidence_after(&[&["a"], &["c"]], &[0], &says)), [vec!["a"], vec!["c", "a"]]);
}

#[test]
fn a_document_judged_not_relevant_is_evidence_no_more() {
    let open = "n";
    // Passage 2 is of `b`, 3 of `c`.
    let says = ["0", "2", open];
    assert_eq!(named(&evidence_after(&[&["b", "c"]], &[2, 3], &says)), [["c"]]);
    assert_eq!(named(&evidence_after(&[&["b"], &["c"]], &[2, 3], &says)), [["c"]]);
    let says = ["0", "0", open];
    assert!(evidence_after(&[&["b"], &["c"]], &[2, 3], &says).is_empty());
    // A group that lost its last member is still required: of the two, only `a` answers.
    let says = ["0", "3", "", ""];
    assert_eq!(
        named(&evidence_after(&[&["b"], &["c"]], &[2, 0], &says)),
        [vec!["a"], vec!["c", "a"]]
    );
}

#[test]
fn back_goes_to_the_previous_question_and_judgments_stay() {
    let back = "b";
    let first = ["1", "0", "n"];
    let again = [back, back, "2", "", "n"];
    let says = [&first[..], &again, &["3", "", ""]].concat();
    let (lines, tally, heard) = sit(&[&["a#0", "c#0"], &["b#0"]], &says);
    let shown: Vec<&str> = heard
        .iter()
        .filter(|prompt| prompt.starts_with(['1', '2']))
        .map(|prompt| prompt.split_once(' ').expect("a passage").1)
        .collect();
    let [a, b, c] = ["It waits 6 minutes.", "Six minutes, it is.", "No idea."];
    assert_eq!(shown, [a, c, b, c, a, c, b]);
    assert_eq!(
        lines.iter().map(|line| &line["relevant"]).collect::<Vec<_>>(),
        [&serde_json::json!({"a": 2, "c": 0}), &serde_json::json!({"b": 3})]
    );
    assert_eq!(tally.expect("done").n_written, 2);
}

#[test]
fn stopping_after_going_back_loses_no_answer_and_no_decision() {
    // The second question is answered, but not finished.
    let says = ["u", "3", "", "", "b", "b", "q"];
    let (lines, tally, _) = sit(&[&["a#0"], &["b#0", "c#0"], &ALL], &says);
    assert_eq!(
        lines.iter().map(|line| &line["kind"]).collect::<Vec<_>>(),
        ["unanswerable", "free"]
    );
    assert_eq!(tally.expect("stopped").stopped, Some(Stopped { n_left: 1, n_dropped: 0 }));
    // Judged again, and left in the middle of it: the former judgment holds.
    let says = ["3", "It waits 6 minutes.", "6 minutes", "b", "3", "/q"];
    let (lines, ..) = sit(&[&["a#0"], &["b#0"]], &says);
    assert_eq!(lines[0]["answers"], serde_json::json!(["6 minutes"]));
}

#[test]
fn a_command_where_words_are_expected_is_never_an_answer() {
    let letters = ["n", "e", "q", "y", "?", "s", "b", "d", "u"];
    let says = [&["3"][..], &letters, &["It waits 6 minutes."], &letters, &["6 minutes"]].concat();
    let (lines, _, heard) = sit(&[&["a#0"]], &says);
    for help in ["WordsHelp", "AnswerHelp"] {
        assert_eq!(heard.iter().filter(|prompt| *prompt == help).count(), letters.len());
    }
    assert_eq!(lines[0]["answers"], serde_json::json!(["6 minutes"]));
    let (lines, ..) = sit(&[&["a#0"]], &["3", "1", "B", "B"]);
    assert_eq!(lines[0]["answers"], serde_json::json!(["B"]), "a letter may be an answer");
}

#[test]
fn a_document_is_not_relevant_only_if_all_its_passages_are() {
    let relevant = |pool: &[&str], says: &[&str]| sit(&[pool], says).0[0]["relevant"].clone();
    assert!(relevant(&["a#0"], &["n", "n"]).is_null());
    assert_eq!(relevant(&["a#0", "a#1"], &["n", "n", "n"]), serde_json::json!({"a": 0}));
    assert_eq!(relevant(&["a#0", "a#1"], &["n", "1", "n"]), serde_json::json!({"a": 1}));
    // Evidence in that passage is refuted, and evidence in another one is not.
    let corpus = corpus();
    for (range, n_left) in [((3, 18), 0), ((28, 44), 1)] {
        let mut asked = question("q");
        asked.evidence = vec![vec![ragtriage_core::types::Member {
            doc: "a".into(),
            ranges: vec![range.into()],
        }]];
        let mut script = Script::new(&["n", "n"]);
        let mut judging = judging::Judging::new(&asked, &corpus, vec![0], (1, 1));
        let end = judging.run(&mut |prompt: Prompt<'_>| script.ask(prompt)).expect("done");
        assert_eq!(judging.labelled(end).evidence.len(), n_left, "{range:?}");
    }
}

#[test]
fn documents_of_one_text_are_judged_once_for_all() {
    let document = |id: &str| Document {
        id: id.into(),
        title: String::new(),
        text: "It waits 6 minutes.".to_owned(),
        metadata: BTreeMap::new(),
    };
    let chunks = (0..2).map(|number| Chunk::new(number, (0, 19).into(), 1)).collect();
    let corpus = Corpus::new(vec![document("new"), document("old")], chunks);
    let pool = ["new#0", "old#0"].map(|id| Pooled {
        id: id.into(),
        ranks: BTreeMap::new(),
        is_candidate: false,
    });
    let asked = question("q");
    let passages = order::arranged(&pool, &corpus, &asked);
    assert_eq!(passages.len(), 1);
    let mut script = Script::new(&["3", "1", "6 minutes"]);
    let mut judging = judging::Judging::new(&asked, &corpus, passages, (1, 1));
    let end = judging.run(&mut |prompt: Prompt<'_>| script.ask(prompt)).expect("done");
    let labelled = judging.labelled(end);
    assert_eq!(labelled.relevant, [("new".into(), 3), ("old".into(), 3)].into());
    assert_eq!(named(&labelled.evidence), [["new:0-19", "old:0-19"]]);
}

#[test]
fn candidate_places_that_share_words_with_the_question_come_first() {
    let mut asked = question("q");
    asked.text = "Have you an idea of it?".to_owned();
    let places = [("a", (3, 18)), ("b", (0, 19)), ("c", (0, 8))];
    let places = places.map(|(doc, range)| (doc.into(), range.into())).to_vec();
    let mut pools = Pools { corpus: Arc::new(corpus()), of: vec![Vec::new()] };
    candidates_first(
        &mut pools,
        std::slice::from_ref(&asked),
        &[(asked.id.clone(), places)].into(),
    );
    let found: Vec<&str> = pools.of[0].iter().map(|pooled| pooled.id.as_str()).collect();
    assert_eq!(found, ["c#0", "a#0", "b#0"]);
}
