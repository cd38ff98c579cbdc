//! What data may do to a terminal or a page: nothing.

use crate::project::Project;
use crate::run_files::check;

/// A red title, a bell, a line that overwrites, right-to-left override, a tag.
const EVIL: &str = "\\u001b[31mred\\u0007\\rover\\u202etxt <script>alert(1)</script>";

fn project() -> Project {
    let project = Project::new();
    let question = format!(
        r#"{{"id": "q{EVIL}", "text": "why {EVIL}?", "answers": ["{EVIL}"], "relevant": ["a"], "tags": ["{EVIL}"]}}"#
    );
    project.write("data/questions.jsonl", question);
    project.append(
        "data/corpus.jsonl",
        format!("{{\"id\": \"{EVIL}\", \"title\": \"{EVIL}\", \"text\": \"why {EVIL}\"}}\n"),
    );
    project
}

fn is_harmless(text: &str) -> bool {
    text.chars().all(|c| (!c.is_control() || c == '\n') && !('\u{202a}'..='\u{202e}').contains(&c))
}

#[test]
fn control_and_bidi_characters_of_data_reach_no_terminal() {
    let project = project();
    let outcome = project.good("r", &[]);
    check(&project, "r");
    assert!(is_harmless(&outcome.stdout), "{:?}", outcome.stdout);
    assert!(is_harmless(&outcome.stderr), "{:?}", outcome.stderr);
    let markdown = project.call(&["report", "runs/r", "--format", "md"]).stdout;
    assert!(is_harmless(&markdown), "{markdown:?}");
}

#[test]
fn data_opens_no_tag_in_the_page() {
    let project = project();
    project.good("r", &[]);
    let page = project.read("runs/r/report.html");
    assert!(!page.contains("<script>alert"), "{page}");
    for outside in ["http://", "https://", "src="] {
        // The settings name a generator and a store on this machine.
        for (at, _) in page.match_indices(outside) {
            let text: String = page[at..].chars().take(60).collect();
            assert!(
                text.starts_with("http://localhost:") || text.starts_with("http://127.0.0.1:"),
                "one file needs no other: {text:?}"
            );
        }
    }
}
