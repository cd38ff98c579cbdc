//! `dataset fetch` without a publisher: what is refused. Downloads are tested with their library.

use crate::project::Project;

#[test]
fn what_cannot_be_fetched_is_told_without_a_call() {
    let project = Project::of(&[("datasets/fetched/squad/old", "mine")]);
    for (args, error, hint) in [
        (
            &["trec_eval"][..],
            "error: no download address of `trec_eval` is known",
            "hint: name a copy with `--from PATH`",
        ),
        (
            &["cisi"],
            "error: `cisi` is published as an archive",
            "hint: download and unpack http://ir.dcs.gla.ac.uk/resources/test_collections/cisi/cisi.tar.gz, and name the folder \
             with `--from PATH`",
        ),
        (
            &["squad"],
            "error: `datasets/fetched/squad` already exists",
            "hint: choose another path, or replace it with `--force`",
        ),
    ] {
        project.refuses(&[&["dataset", "fetch"], args].concat(), &[error, hint]);
    }
    assert_eq!(project.read("datasets/fetched/squad/old"), "mine");
}
