//! Texts that would like to run, to be read backwards or to break the page: shown as text, and nothing else happens.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use wiremock::{Request, ResponseTemplate};

use crate::browser::Browser;
use crate::endpoint::{Endpoint, says, sets, user_message};
use crate::page::Page;
use crate::project::Project;

/// What would set `window.pwned` if it were taken for markup, in every place that it could be put.
const ATTACKS: [&str; 7] = [
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "\"><svg onload=\"window.pwned=1\">",
    "' autofocus onfocus='window.pwned=1",
    "<!--<script>",
    "</textarea></title></style><iframe src=\"javascript:parent.pwned=1\"></iframe>",
    "javascript:window.pwned=1",
];

/// Before the gold: letters of one to four bytes, of one and two UTF-16 units, marks without a letter, and what cannot be seen.
const ODD: &str = "\u{301}e\u{301}🚢𝒱\u{202e}txet desrever\u{202c}\u{2066}\u{2069}\u{0}\u{1}\u{1b}[31m\u{7f}\u{9d}\u{2028}\u{2029}\u{200b}\u{feff}👩‍👩‍👧 العربية ";

/// The gold of every question, behind all that.
const GOLD: &str = "the anchor weighs nine hundredweight";

/// A line of a megabyte without a blank.
const LONG_BYTES: usize = 1 << 20;

struct Hostile {
    project: Project,
    // Answers while the run lasts.
    _endpoint: Endpoint,
    ids: Vec<String>,
}

impl Hostile {
    /// A question for each attack, with the attack in its id, text, tag, gold, document, title and answer; and one whose gold stands
    /// behind a line of a megabyte.
    fn new() -> Self {
        let (mut corpus, mut questions, mut ids) = (String::new(), String::new(), Vec::new());
        for (number, attack) in ATTACKS.iter().enumerate() {
            let text = format!("{attack} {ODD} harbour{number} {GOLD} {attack}\n{attack}");
            corpus += &document(&format!("d{number} {attack}"), attack, &text);
            let asked = format!("What does the anchor of harbour{number} weigh? {attack} \u{202e}");
            questions += &question(
                &format!("q{number} {attack}"),
                &asked,
                attack,
                &format!("d{number} {attack}"),
            );
            ids.push(format!("q{number} {attack}"));
        }
        let long =
            format!("{} harbour99 {GOLD} {}", "x".repeat(LONG_BYTES), "<b>".repeat(LONG_BYTES / 8));
        corpus += &document("long", "long", &long);
        questions += &question("long", "What does the anchor of harbour99 weigh?", "long", "long");
        ids.push("long".to_owned());
        let settings = "[dataset]\nformat = \"jsonl\"\npath = \"data\"\n\n[chunking]\nstrategy = \"document\"\n\n\
            [retrieval]\nretrievers = [\"bm25\"]\nk = 2\n\n[generation]\ncontext_tokens = 2000000\n";
        let files = [
            ("c.toml", settings),
            ("data/corpus.jsonl", &*corpus),
            ("data/questions.jsonl", &*questions),
        ];
        let project = Project::of(&files);
        let endpoint = Endpoint::start(None, answer);
        let sets = sets(&endpoint.base_url());
        project.good("r", &sets.iter().map(String::as_str).collect::<Vec<_>>());
        Self { project, _endpoint: endpoint, ids }
    }
}

fn document(id: &str, title: &str, text: &str) -> String {
    json!({"id": id, "title": title, "text": text}).to_string() + "\n"
}

fn question(id: &str, text: &str, tag: &str, doc: &str) -> String {
    let evidence = json!([[{"doc": doc, "quotes": [GOLD]}]]);
    let answers = json!(["nine hundredweight", tag]);
    json!({"id": id, "text": text, "answers": answers, "evidence": evidence, "tags": [tag]})
        .to_string()
        + "\n"
}

/// Repeats the attack of the question, with a control and a long line.
fn answer(request: &Request) -> ResponseTemplate {
    let prompt = user_message(request);
    let attack = ATTACKS
        .iter()
        .enumerate()
        .find(|(number, _)| prompt.contains(&format!("of harbour{number} weigh?")));
    let attack = attack.map_or("none", |(_, attack)| attack);
    says(&format!(
        "{attack} \u{202e}\u{0} {}\nAnswer: nine hundredweight {attack}\u{202e}",
        "y".repeat(100_000)
    ))
}

/// Bidirectional controls (UAX 9) in what can be seen or is read out, where they could turn the text around them.
const TURNING: &str = r"
    const seen = [];
    const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
        if (!node.parentElement.closest('script, style')) seen.push(node.data);
    for (const element of document.querySelectorAll('[title], [aria-label], [placeholder], [alt], option'))
        seen.push(element.title ?? '', element.ariaLabel ?? '', element.label ?? '');
    return seen.filter((text) => /[\u202a-\u202e\u2066-\u2069\0]/.test(text)).map((text) => text.slice(0, 200));
";

fn is_unharmed(browser: &Browser, what: &str) {
    assert_eq!(browser.value("window.pwned ?? null"), Value::Null, "{what}");
    assert_eq!(browser.script(TURNING, &[]), json!([]), "{what}: text that turns its surroundings");
    let strange = "[...document.querySelectorAll('img, iframe, object, embed, svg[onload], [onerror], [onfocus], a[href^=javascript]')].map((one) => one.outerHTML.slice(0, 200))";
    assert_eq!(browser.value(strange), json!([]), "{what}: markup from data");
}

#[test]
fn hostile_texts_are_shown_and_do_nothing() {
    let hostile = Hostile::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &hostile.project.path("runs/r/report.html"), "");
    page.counts(hostile.ids.len(), hostile.ids.len());
    // The worst first.
    let ids = page.rows();
    let sorted = |ids: &[String]| ids.iter().cloned().collect::<BTreeSet<_>>();
    assert_eq!(sorted(&ids), sorted(&hostile.ids));
    is_unharmed(&browser, "the page");
    browser.picture("hostile-table");
    page.ask(&ids[0]);
    for id in &ids {
        let number = hostile.ids.iter().position(|one| one == id).expect("its number");
        page.shows(id);
        // All that is folded, opened; the prompts, shown.
        browser.script(
            "for (const one of document.querySelectorAll('#rx-question summary')) one.click();
            for (const one of document.querySelectorAll('#rx-question [data-action=prompt]')) one.click();",
            &[],
        );
        is_unharmed(&browser, id);
        let marked = browser.value(
            "[...document.querySelectorAll('#rx-question [data-passage]')]
                .map((body) => [...body.querySelectorAll('mark.gold')].map((mark) => mark.textContent).join(''))
                .filter((text) => text !== '')",
        );
        assert_eq!(marked, json!([GOLD]), "{id}");
        let attack = ATTACKS.get(number).unwrap_or(&"nine hundredweight");
        for name in ["golds", "answer"] {
            assert!(page.part(name).contains(attack), "{id}: {name} does not say {attack}");
        }
        if number < 2 {
            browser.picture(&format!("hostile-question-{number}"));
        }
        page.act("copy-json");
        browser.until(
            "document.getElementById('rx-question').lastCopied !== undefined",
            "'nothing was copied'",
        );
        let copied = page.copied().to_string();
        assert!(
            copied.contains(json!(attack).to_string().trim_matches('"')),
            "{id}: not copied raw"
        );
        browser.script("delete document.getElementById('rx-question').lastCopied", &[]);
        browser.press("j");
    }
    assert_eq!(
        browser.value("document.querySelectorAll('script:not([type])').length"),
        1,
        "the page's own script alone"
    );
    assert_eq!(browser.strangers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), []);
}

#[test]
fn hostile_names_can_be_filtered_searched_and_linked() {
    let hostile = Hostile::new();
    let browser = Browser::start();
    let all = hostile.ids.len();
    let page = Page::open(&browser, &hostile.project.path("runs/r/report.html"), "");
    for (attack, id) in ATTACKS.iter().zip(&hostile.ids) {
        page.filter("tag", attack);
        page.lists(std::slice::from_ref(id), all);
        page.filter("tag", "");
        page.counts(all, all);
        browser.script(
            "location.hash = new URLSearchParams({ q: arguments[0] }).toString()",
            &[json!(id)],
        );
        page.shows(id);
        page.act("close");
        page.closes();
        is_unharmed(&browser, id);
    }
    page.search("harbour3");
    page.counts(1, all);
    for link in [
        "#q=%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E",
        "#class=%22%3E%3Csvg%20onload%3D&sort=__proto__&q=constructor",
        "#%E0%A4%A",
    ] {
        browser.open(&hostile.project.path("runs/r/report.html"), link);
        browser.script("location.reload()", &[]);
        page.ready();
        is_unharmed(&browser, link);
    }
    assert_eq!(browser.complaints(), []);
}

#[test]
fn a_line_of_a_megabyte_neither_widens_nor_stops_the_page() {
    let hostile = Hostile::new();
    let browser = Browser::start();
    for width in [1280, 390] {
        browser.width(width);
        let page = Page::open(&browser, &hostile.project.path("runs/r/report.html"), "#q=long");
        page.shows("long");
        let widths = browser.value("[document.documentElement.scrollWidth, innerWidth, document.querySelector('#rx-question').scrollWidth - document.querySelector('#rx-question').clientWidth]");
        assert!(
            widths[0].as_u64() <= widths[1].as_u64() && widths[2].as_f64() < Some(1.5),
            "{width}: {widths}"
        );
        // What is laid out of it at first is a window around the gold.
        let laid_out = browser.value("document.querySelector('#rx-question').textContent.length");
        assert!(laid_out.as_u64().is_some_and(|length| length < 100_000), "{laid_out} characters");
        browser.picture(&format!("hostile-long-{width}"));
        browser.open(&hostile.project.path("c.toml"), "");
    }
    assert_eq!(browser.strangers(), Vec::<String>::new());
}
