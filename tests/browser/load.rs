//! What opening the file does, before anything is touched: it shows what the run's files say, it complains of nothing, it asks for
//! nothing, and it lets nothing run but its own script.

use serde_json::{Value, json};

use crate::browser::Browser;
use crate::page::Page;
use crate::sample::{N_QUESTIONS, Sample};

#[test]
fn the_report_opens_without_a_complaint_or_a_request() {
    let sample = Sample::new();
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    page.counts(N_QUESTIONS, N_QUESTIONS);
    let title = browser.value("document.title");
    assert!(
        title.as_str().is_some_and(|title| title.contains("first") && title.contains("ragtriage")),
        "{title}"
    );
    // The worst first.
    assert_eq!(page.rows(), sample.worst_first("first", &sample.ids(|_| true)));
    browser.picture("load");
    assert_eq!(browser.strangers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), []);
}

#[test]
fn the_figures_are_those_of_the_summary() {
    let sample = Sample::new();
    let summary = sample.project.summary("first");
    let browser = Browser::start();
    let page = Page::open(&browser, &sample.report(), "");
    let verdict = summary["verdict"]["text"].as_str().expect("a verdict");
    let (question, answer) = verdict.split_once("? ").expect("a question");
    let (answer, reasons) = answer.split_once(". ").expect("reasons");
    let text = page.text("main");
    for part in [&format!("{question}? {answer}."), reasons] {
        assert!(text.contains(part), "the page does not say: {part}");
    }

    // The metrics' table has a column for each cutoff, in this order, and a mean in three digits above each interval.
    let means = ["EM@1", "EM@3", "EM@5", "EM@10"].map(|name| mean(&summary, name));
    let rows = page.figures("EM");
    let has_means = |row: &&Vec<String>| {
        let places =
            means.iter().map(|mean| row.iter().position(|cell| cell.starts_with(mean.as_str())));
        places.clone().all(|place| place.is_some())
    };
    assert!(rows.iter().any(|row| has_means(&row)), "{means:?} are not all in {rows:?}");

    // Each part of the picture lists its questions.
    let classes = summary["classes"].as_object().expect("counts");
    for (class, count) in classes.iter().filter(|(_, count)| **count != json!(0)) {
        let part = format!(".flow a[href='#class={class}']");
        let text = page.text(&part);
        let shown = count.to_string();
        assert!(text.split(' ').any(|word| word == shown), "{class}, {count}: {text}");
        browser.click(&format!("{part} .flow-name"));
        let count = count.as_u64().expect("a number") as usize;
        page.lists(&sample.ids(|trace| trace["class"] == class.as_str()), N_QUESTIONS);
        page.counts(count, N_QUESTIONS);
    }
}

fn mean(summary: &Value, name: &str) -> String {
    format!(
        "{:.3}",
        summary["metrics"][name]["mean"].as_f64().unwrap_or_else(|| panic!("no {name}"))
    )
}

#[test]
fn nothing_but_the_pages_own_script_can_run_or_fetch() {
    let sample = Sample::new();
    let browser = Browser::start();
    Page::open(&browser, &sample.report(), "");
    let policy = browser
        .value("document.querySelector('meta[http-equiv=\"Content-Security-Policy\"]').content");
    let policy = policy.as_str().expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");

    // What an attacker who got markup into the page would try.
    browser.script(
        "const script = document.createElement('script');
        script.textContent = 'window.pwned = \"script\"';
        document.body.append(script);
        const button = document.createElement('button');
        button.setAttribute('onclick', 'window.pwned = \"handler\"');
        document.body.append(button);
        button.click();
        const image = document.createElement('img');
        image.src = 'http://127.0.0.1:9/image.png';
        document.body.append(image);",
        &[],
    );
    // A script of the driver's own may evaluate text; what the page calls later may not.
    let outcome = browser.promised(
        "const evaluated = () => { try { return (0, eval)('1'); } catch (error) { return error.name; } };
        const fetched = fetch('http://127.0.0.1:9/').then(() => 'fetched', (error) => error.name);
        fetched.then((fetched) => setTimeout(() => done([evaluated(), fetched])));",
        &[],
    );
    assert_eq!(outcome, json!(["EvalError", "TypeError"]));
    assert_eq!(browser.value("window.pwned ?? null"), Value::Null);
    // A fetch of a port where nobody listens fails as well: that the policy forbade these is what the console says.
    let complaints = browser.complaints();
    for blocked in ["127.0.0.1:9/image.png", "127.0.0.1:9/'", "script", "event handler"] {
        let told = complaints
            .iter()
            .any(|one| one.text.contains(blocked) && one.text.contains("Content Security Policy"));
        assert!(told, "{blocked} was not stopped: {complaints:?}");
    }
}
