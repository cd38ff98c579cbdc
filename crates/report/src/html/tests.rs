//! The page as a whole: its content, and what it must never contain.

use super::{policy, render, script};
use crate::questions::PageBlock;
use crate::run;
use crate::specimen::{self, EVIL};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::summary;

fn page(run: &SavedRun) -> String {
    page_with(run, &[])
}

fn page_with(run: &SavedRun, blocks: &[PageBlock]) -> String {
    let evaluation = summary::evaluate(run, &specimen::plan());
    render(&run.manifest.name, &run::report(run, &evaluation), blocks)
}

/// Every tag of the report with its attributes, in order; blocks and script follow it.
fn tags(page: &str) -> Vec<&str> {
    let body = page.split("<body>").nth(1).expect("a body");
    let end = body.find("</main>").expect("its end") + "</main>".len();
    body[..end].split('<').skip(1).map(|rest| rest.split('>').next().expect("its end")).collect()
}

fn blocks() -> [PageBlock; 2] {
    [("rx-index", "QQ=="), ("rx-p0", "Qg==")]
        .map(|(id, text)| PageBlock { id: id.to_owned(), text: text.to_owned() })
}

fn all() -> [(&'static str, String); 5] {
    [
        ("a run", page(&specimen::run("r"))),
        ("no generator", page(&specimen::without_answers("r"))),
        ("no question", page(&specimen::empty())),
        ("imported", page(&specimen::imported("r"))),
        ("with blocks", page_with(&specimen::run("r"), &blocks())),
    ]
}

#[test]
fn the_policy_names_the_style_that_stands_there_and_nothing_else() {
    let page = page(&specimen::run("r"));
    let style = page
        .split("<style>")
        .nth(1)
        .and_then(|rest| rest.split("</style>").next())
        .expect("a style");
    let expected = format!(
        "content=\"default-src 'none'; script-src 'none'; style-src '{}'; base-uri 'none'; form-action 'none'\"",
        policy::source(style)
    );
    assert!(page.contains(&expected), "{}", &page[..600]);
    assert_eq!(page.matches("<style").count(), 1);
}

#[test]
fn behind_the_report_stand_its_blocks_and_the_script_that_the_policy_names() {
    let script = script::script();
    for (what, page) in all() {
        let (_, tail) = page.split_once("</main>\n").expect("its end");
        let block = |id: &str, text: &str| {
            format!("<script type=\"application/octet-stream\" id=\"{id}\">{text}</script>\n")
        };
        let has_blocks = what == "with blocks";
        let expected = if has_blocks {
            [
                block("rx-index", "QQ=="),
                format!("<script>{script}</script>\n"),
                block("rx-p0", "Qg=="),
            ]
            .concat()
        } else {
            String::new()
        };
        assert!(tail == format!("{expected}</body>\n</html>\n"), "{what}");
        assert_eq!(
            page.contains(&format!("script-src '{}'", policy::source(&script))),
            has_blocks,
            "{what}"
        );
    }
}

#[test]
fn nothing_in_the_page_could_run_or_be_fetched() {
    for (what, page) in all() {
        for tag in tags(&page) {
            let attributes = tag.split_once(' ').map_or("", |(_, attributes)| attributes);
            for forbidden in [" style=", " on", " src=", "javascript:", "http:", "https:"] {
                assert!(!format!(" {attributes}").contains(forbidden), "{what}: <{tag}>");
            }
            assert!(
                !tag.starts_with("script") && !tag.starts_with("link") && !tag.starts_with("img"),
                "{what}: <{tag}>"
            );
        }
        assert!(!page.contains("@import") && !page.contains("url("), "{what}");
    }
}

#[test]
fn hostile_data_is_text() {
    let page = page(&specimen::run(EVIL));
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{7}']));
    assert_eq!(page.matches("</style>").count(), 1);
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "it is shown");
}

#[test]
fn every_tag_that_opens_closes() {
    const ALONE: [&str; 3] = ["!doctype", "meta", "br"];
    for (what, page) in all() {
        let mut open: Vec<&str> = Vec::new();
        for tag in tags(&page) {
            let name = tag.trim_start_matches('/').split([' ', '/']).next().expect("a name");
            if let Some(name) = tag.strip_prefix('/').filter(|name| !ALONE.contains(name)) {
                assert_eq!(open.pop(), Some(name), "{what}");
            } else if !ALONE.contains(&name) && !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert_eq!(open, Vec::<&str>::new(), "{what}");
    }
}

#[test]
fn headings_go_down_one_level_at_a_time_and_ids_stand_once() {
    for (what, page) in all() {
        let levels: Vec<u32> = tags(&page)
            .iter()
            .filter_map(|tag| tag.strip_prefix('h')?.get(..1)?.parse().ok())
            .collect();
        assert_eq!(levels.first(), Some(&1), "{what}");
        assert!(
            levels.windows(2).all(|pair| pair[1] <= pair[0] + 1 && pair[1] > 1),
            "{what}: {levels:?}"
        );
        let mut ids: Vec<&str> = page
            .split(" id=\"")
            .skip(1)
            .map(|rest| rest.split('"').next().expect("its end"))
            .collect();
        let n = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), n, "{what}");
        for target in
            page.split("href=\"#").skip(1).map(|rest| rest.split('"').next().expect("its end"))
        {
            assert!(ids.contains(&target) || target.starts_with("class="), "{what}: #{target}");
        }
    }
}

#[test]
fn no_figure_is_no_number() {
    for (what, page) in all() {
        assert!(
            !page.contains("NaN") && !page.contains("inf<") && !page.contains("-0.000"),
            "{what}"
        );
    }
}

#[test]
fn settings_are_there_and_no_key_header_or_variable() {
    let page = page(&specimen::run("r"));
    let said = "<dt>retrieval.k</dt><dd>1</dd>";
    assert!(page.contains(said), "{page}");
    assert!(!page.contains("MY_SECRET_NAME") && !page.contains("MY_HEADER_NAME"), "{page}");
}

#[test]
fn classes_lead_to_their_questions() {
    let page = page(&specimen::run("r"));
    let link =
        "<a href=\"#class=not_retrieved\" aria-label=\"✗ 1 not_retrieved not in 100 passages";
    assert!(page.contains(link), "{link} is missing in {page}");
}

#[test]
fn without_a_script_a_few_lost_questions_are_there() {
    let page = page(&specimen::run("r"));
    let place = page
        .split("<section id=\"questions\"")
        .nth(1)
        .and_then(|rest| rest.split("</section>").next())
        .expect("it");
    assert!(place.contains("<div id=\"rx-questions\"></div>\n<noscript>"), "{place}");
    assert!(place.contains("Lost questions (3 of 3, ") && place.contains("When r?"), "{place}");
}
