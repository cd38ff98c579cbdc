//! What goes out: tables that a spreadsheet cannot be tricked by, and qrels.

use crate::project::{Project, SETTINGS};

#[test]
fn a_table_has_a_row_a_question_and_no_formula_from_data() {
    let corpus = "{\"id\": \"a\", \"text\": \"=1+1 is what alpha says, always.\"}\n{\"id\": \"b\", \"text\": \"Beta.\"}\n";
    let questions = concat!(
        "{\"id\": \"=cmd()\", \"text\": \"What, \\\"exactly\\\", does alpha say?\", \"answers\": [\"=1+1\"], \"evidence\": [[{\"doc\": \"a\", \"quotes\": [\"=1+1\"]}]]}\n",
        "{\"id\": \"q2\", \"text\": \"@beta?\", \"answers\": [\"-1\", \"Beta\"], \"evidence\": [[{\"doc\": \"b\", \"quotes\": [\"Beta\"]}]]}\n",
    );
    let project = Project::of(&[
        ("c.toml", SETTINGS),
        ("data/corpus.jsonl", corpus),
        ("data/questions.jsonl", questions),
    ]);
    project.good("r", &["--set", "evaluation.ks=[1]", "--set", "generation.generator=none"]);
    let outcome = project.call(&["report", "runs/r", "--format", "csv"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""));
    let rows: Vec<&str> = outcome.stdout.split("\r\n").collect();
    let [header, first, second, ""] = rows[..] else { panic!("{rows:?}") };
    assert!(
        header.starts_with("id,question,kind,class,fault,flags,answer,gold_answers,EM@1,"),
        "{header}"
    );
    let whole = "'=cmd(),\"What, \"\"exactly\"\", does alpha say?\",span,supported,,,,'=1+1,";
    assert!(first.starts_with(whole), "{first}");
    assert!(second.starts_with("q2,'@beta?,span,supported,,,,'-1 | Beta,"), "{second}");
    assert_eq!(second.split(',').count(), header.split(',').count());
}

#[test]
fn judgments_are_printed_as_the_run_keeps_them() {
    let project = Project::new();
    project.good("r", &[]);
    let outcome = project.call(&["report", "runs/r", "--format", "qrels"]);
    assert_eq!(outcome.stdout, project.read("runs/r/qrels.trec"));
    assert_eq!(outcome.stdout, "q1 0 a 1\nq2 0 b 1\n");
}
