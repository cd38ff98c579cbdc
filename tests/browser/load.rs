//! What opening the file does, before anything is touched: it shows, it complains of nothing, it asks for nothing.

use crate::browser::Browser;
use crate::project::Project;

#[test]
#[ignore = "needs chromium and chromedriver; .ci/run has them"]
fn the_report_opens_without_a_complaint_or_a_request() {
    let project = Project::new();
    project.good("r", &[]);
    let browser = Browser::start();
    browser.open(&project.path("runs/r/report.html"), "");
    assert_eq!(browser.value("document.title"), "ragxray: r");
    assert_eq!(browser.strangers(), Vec::<String>::new());
    assert_eq!(browser.complaints(), []);
}

#[test]
#[ignore = "needs chromium and chromedriver; .ci/run has them"]
fn a_page_that_errs_and_fetches_would_be_noticed() {
    let project = Project::of(&[(
        "bad.html",
        "<!doctype html><title>bad</title><img src=\"http://127.0.0.1:9/x.png\"><script>console.warn('hm'); missing();</script>",
    )]);
    let browser = Browser::start();
    browser.open(&project.path("bad.html"), "");
    assert_eq!(browser.strangers(), ["http://127.0.0.1:9/x.png"]);
    let complaints = browser.complaints();
    let said = |level: &str, part: &str| complaints.iter().any(|one| one.level == level && one.text.contains(part));
    assert!(said("WARNING", "hm") && said("SEVERE", "missing is not defined"), "{complaints:?}");
}
