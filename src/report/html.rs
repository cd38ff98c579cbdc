//! The report as one HTML file: no script, no request, nothing that data says is markup.

use std::fmt::Write as _;

use super::comparison::ComparisonView;
use super::questions::Block;
use super::section::Section;
use super::view::View;
use crate::eval::summary::MeasureSummary;
use crate::text::sanitize::one_line;

const STYLE: &str = "
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--line:#d0d7de;--paper:#fff;--bar:#0969da}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9da7b3;--line:#30363d;--paper:#0d1117;--bar:#58a6ff}}
*{box-sizing:border-box}body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:70rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}
.verdict{font-size:1.15rem;border-left:.3rem solid var(--bar);padding:.2rem 0 .2rem .8rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.25rem .7rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th:first-child,td:first-child,td.text,th.text{text-align:left}td.text{min-width:12rem;overflow-wrap:anywhere}
li{overflow-wrap:anywhere}td{white-space:nowrap}td.text{white-space:normal}small,dt{color:var(--soft)}dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dd{margin:0;overflow-wrap:anywhere}
.bar{width:16rem;max-width:40vw}.bar i{display:block;height:.8rem;background:var(--bar)}
@media(max-width:40rem){dl{grid-template-columns:1fr}dt{margin-top:.4rem}}";

/// The report.
#[must_use]
pub fn render(view: &View, _comparison: Option<&ComparisonView>, blocks: &[Block]) -> String {
    let name = escape(&view.name);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>ragxray: {name}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>ragxray: {name}</h1>\n<p class=\"verdict\">{}</p>\n",
        escape(&view.verdict)
    );
    if let Some(rule) = &view.rule_of_thumb {
        let _ = writeln!(out, "<p>Rule of thumb: {}.</p>", escape(rule));
    }
    list(&mut out, view.notices.iter());
    out.push_str("<dl>");
    for (label, text) in &view.head {
        let _ = write!(out, "<dt>{}</dt><dd>{}</dd>", escape(label), escape(text));
    }
    out.push_str("</dl>\n");
    waterfall(view, &mut out);
    classes(view, &mut out);
    two_by_two(view, &mut out);
    measures(view, &mut out);
    view.asked.iter().for_each(|section| self::section(section, &mut out));
    losses(view, &mut out);
    view.diagnosis.iter().for_each(|section| self::section(section, &mut out));
    lost(view, &mut out);
    out.push_str("<h2>What the numbers cover</h2>\n");
    list(&mut out, view.caveats.iter());
    let timings: Vec<String> =
        view.timings.iter().map(|(step, seconds)| format!("{} {seconds:.2}", escape(step))).collect();
    let _ = writeln!(out, "<h2>Seconds</h2>\n<p>{}</p>", timings.join(", "));
    for Block { id, base64 } in blocks {
        let _ = writeln!(out, "<script type=\"application/octet-stream\" id=\"{id}\">{base64}</script>");
    }
    out.push_str("</body>\n</html>\n");
    out
}

fn list<'a>(out: &mut String, items: impl Iterator<Item = &'a String>) {
    out.push_str("<ul>");
    for item in items {
        let _ = write!(out, "<li>{}</li>", escape(item));
    }
    out.push_str("</ul>\n");
}

/// A table of `head` cells and `rows` of ready HTML cells.
fn table(out: &mut String, title: &str, head: &[&str], rows: impl Iterator<Item = String>) {
    let _ = write!(out, "<h2>{}</h2>\n<div class=\"scroll\"><table><thead><tr>", escape(title));
    for cell in head {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escape(cell));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in rows {
        let _ = writeln!(out, "<tr>{row}</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

fn section(section: &Section, out: &mut String) {
    let head: Vec<&str> = section.head.iter().map(String::as_str).collect();
    let row = |row: &Vec<String>| {
        let (first, rest) = row.split_first().map_or(("", &[][..]), |(first, rest)| (first.as_str(), rest));
        let cells: Vec<String> = rest.iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
        format!("<th scope=\"row\">{}</th>{}", escape(first), cells.concat())
    };
    table(out, &section.title, &head, section.rows.iter().map(row));
    if !section.notes.is_empty() {
        list(out, section.notes.iter());
    }
}

fn waterfall(view: &View, out: &mut String) {
    let rows = view.waterfall.iter().map(|bar| {
        format!(
            "<th scope=\"row\">{}</th><td>{}{}</td><td class=\"bar\"><i style=\"width:{:.1}%\"></i></td><td>{:.1} %</td>",
            escape(&bar.label),
            bar.count,
            second(bar.with_elsewhere),
            100.0 * bar.share,
            100.0 * bar.share
        )
    });
    if view.waterfall.is_empty() {
        return;
    }
    table(out, &view.waterfall_title, &["stage", "supported", "", "share"], rows);
}

/// The count with `answer_elsewhere` taken for support.
fn second(count: Option<usize>) -> String {
    count.map_or(String::new(), |count| {
        format!(" <small title=\"with answer_elsewhere taken for support\">({count})</small>")
    })
}

fn classes(view: &View, out: &mut String) {
    let rows = view.classes.iter().map(|row| {
        let interval = row.ci95.map_or(String::new(), |ci| format!("[{:.1}, {:.1}]", 100.0 * ci.low, 100.0 * ci.high));
        format!(
            "<th scope=\"row\">{}</th><td>{}{}</td><td>{:.1} % <small>{interval}</small></td>",
            escape(&row.label),
            row.count,
            second(row.with_elsewhere),
            100.0 * row.share
        )
    });
    table(out, "Classes", &["class", "questions", "share"], rows);
    if !view.flags.is_empty() {
        let _ = writeln!(out, "<p>Flags: {}</p>", escape(&view.flags));
    }
}

fn two_by_two(view: &View, out: &mut String) {
    let Some(cells) = &view.two_by_two else { return };
    let rows = [("found", cells.hit_right, cells.hit_wrong), ("not found", cells.miss_right, cells.miss_wrong)];
    let rows = rows.into_iter().map(|(label, right, wrong)| {
        let cell = |cell: crate::eval::diagnose::Cell| {
            format!("<td>{} <small>mean F1 {:.2}</small></td>", cell.n, cell.mean_f1)
        };
        format!("<th scope=\"row\">{label}</th>{}{}", cell(right), cell(wrong))
    });
    table(out, &format!("Retrieval by answer (EM@{}, {} questions)", cells.k, cells.n), &["", "right", "wrong"], rows);
}

fn measures(view: &View, out: &mut String) {
    let head: Vec<&str> = ["", "n"]
        .into_iter()
        .chain(view.columns.iter().map(|c| if c.is_empty() { "whole" } else { c.as_str() }))
        .collect();
    let cell = |cell: &Option<MeasureSummary>| {
        let interval =
            |cell: &MeasureSummary| cell.ci95.map_or(String::new(), |ci| format!("{:.2}–{:.2}", ci.low, ci.high));
        cell.map_or("<td></td>".to_owned(), |cell| {
            format!("<td>{:.3}<br><small>{}</small></td>", cell.mean, interval(&cell))
        })
    };
    let rows = view.measures.iter().map(|row| {
        let cells: String = row.cells.iter().map(cell).collect();
        format!("<th scope=\"row\">{}</th><td>{}</td>{cells}", row.label, row.n)
    });
    table(
        out,
        "Retrieval (mean, 95 % interval; EM and EvidenceRecall over passages, the others over documents; @prompt: what was packed)",
        &head,
        rows,
    );
    let rows = view.answers.iter().map(|(label, measure)| {
        format!("<th scope=\"row\">{label}</th><td>{}</td>{}", measure.n, cell(&Some(*measure)))
    });
    if !view.answers.is_empty() {
        table(out, "Answers (mean, 95 % interval)", &["", "n", "mean"], rows);
    }
}

fn losses(view: &View, out: &mut String) {
    let rows = view.losses.iter().map(|row| {
        let interval = row.ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
        format!("<th scope=\"row\">{}</th><td>{:.3}</td><td><small>{interval}</small></td>", row.label, row.mean)
    });
    if view.losses.is_empty() {
        return;
    }
    table(out, &view.loss_title, &["source", "loss", "95 %"], rows);
}

fn lost(view: &View, out: &mut String) {
    let rows = view.lost.iter().map(|row| {
        let answer = row.answer.as_deref().unwrap_or_default();
        let cells =
            [&row.id, &row.question, &row.gold, answer].map(|text| format!("<td class=\"text\">{}</td>", escape(text)));
        format!("{}<td class=\"text\">{}: {}</td>", cells.concat(), escape(&row.class), escape(&row.why))
    });
    let title = format!(
        "Lost questions ({} of {}, one of each class first; all stand in traces.jsonl)",
        view.lost.len(),
        view.n_lost
    );
    table(out, &title, &["id", "question", "gold", "answer", "lost"], rows);
}

pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_open_a_tag_or_leave_an_attribute() {
        assert_eq!(
            escape("</script><img onerror=\"x\">&'"),
            "&lt;/script&gt;&lt;img onerror=&quot;x&quot;&gt;&amp;&#39;"
        );
    }
}
