//! The picture of a run's losses: the questions flow down through the stages, and what a stage loses leaves to the right.
//!
//! Plain SVG in the width of a phone, which the page's style enlarges. Every part has its number and name next to it, so that the
//! picture can be read without colors.

use std::fmt::Write as _;

use super::html::escape;
use crate::document::{Fate, Flow, FlowPart};
use ragtriage_core::text::numbers::thousands;

/// The width of the picture and of the flow at its beginning, in units of the drawing.
const WIDTH: f64 = 420.0;
const FLOW: f64 = 128.0;
/// Where the names begin.
const NAMES: f64 = 148.0;
/// The height of a line of text, of the titles, and of the bend of a part that leaves.
const LINE: f64 = 17.0;
const HEAD: f64 = 26.0;
const BEND: f64 = 10.0;
/// The height of the tip at the end of the flow.
const ARROW: f64 = 8.0;
/// The least thickness of a part that has questions.
const LEAST: f64 = 1.5;

/// Draws the picture.
pub(super) fn draw(flow: &Flow, out: &mut String) {
    let width = |questions: usize| FLOW * questions as f64 / flow.n as f64;
    let last = flow.parts.iter().rposition(|part| matches!(part.fate, Fate::Open | Fate::Good));
    let (mut parts, mut y, mut left) = (String::new(), HEAD, flow.n);
    let mut outline = format!("M0 {HEAD}");
    for (at, part) in flow.parts.iter().enumerate() {
        let leaving = if part.fate == Fate::Outside { 0 } else { part.questions.min(left) };
        let (outer, inner) = (width(left), width(left - leaving));
        let text = LINE * if is_detailed(part) { 2.0 } else { 1.0 } + 6.0;
        let (mut shapes, mut height, mut middle) = (String::new(), text, y + text / 2.0);
        if Some(at) == last {
            let end = y + text;
            let tip = end + ARROW;
            let _ = write!(
                shapes,
                "<path d=\"M0 {y:.1}H{outer:.1}V{end:.1}L{:.1} {tip:.1}L0 {end:.1}Z\"/>",
                outer / 2.0
            );
            height += 2.0 * ARROW;
        } else if leaving > 0 {
            let thickness = (outer - inner).max(LEAST);
            height = height.max(thickness + BEND + 6.0);
            let top = y + ((height - thickness) / 2.0).max(BEND);
            middle = top + thickness / 2.0;
            branch([inner, outer], [y, top, top + thickness], &mut shapes);
        }
        y += height;
        left -= leaving;
        if part.fate != Fate::Outside && Some(at) != last {
            let _ = write!(outline, "H{inner:.1}V{y:.1}");
        }
        labelled(part, &flow.figures, &shapes, middle, &mut parts);
    }
    let [title, figures] = [&flow.title, &flow.figures].map(|text| escape(text));
    let _ = writeln!(
        out,
        "<svg class=\"flow\" viewBox=\"0 0 {WIDTH} {y:.0}\" role=\"group\" aria-label=\"{title}\">\
         <text class=\"flow-name\" y=\"15\">{title}</text>\
         <text class=\"flow-figures\" x=\"{WIDTH}\" y=\"15\">{figures}</text><path class=\"flow-on\" d=\"{outline}H0Z\"/>{parts}</svg>"
    );
}

/// Returns true for a part that has questions and explains its name, in a second line.
fn is_detailed(part: &FlowPart) -> bool {
    part.questions > 0 && !part.detail.is_empty()
}

/// Draws a part that leaves the flow, of the width between `inner` and `outer`, and goes to the right.
fn branch([inner, outer]: [f64; 2], [y, top, bottom]: [f64; 3], out: &mut String) {
    let end = NAMES - 8.0;
    let _ = write!(
        out,
        "<path d=\"M{inner:.1} {y:.1}H{outer:.1}Q{outer:.1} {top:.1} {end:.1} {top:.1}V{bottom:.1}\
         Q{inner:.1} {bottom:.1} {inner:.1} {y:.1}Z\"/>"
    );
}

/// Writes a part with its texts around the height `middle`, as a link if it has one.
fn labelled(part: &FlowPart, title: &str, shapes: &str, middle: f64, out: &mut String) {
    let FlowPart { fate, questions, name, detail, figures, link } = part;
    let (class, sign) = match fate {
        Fate::Lost if *questions == 0 => ("none", "–"),
        Fate::Lost => ("lost", "✗"),
        Fate::Open => ("open", "○"),
        Fate::Good => ("good", "✓"),
        Fate::Outside => ("outside", "not counted:"),
    };
    let name = escape(&format!("{sign} {} {name}", thousands(*questions)));
    let (detail, figures) = (escape(detail), escape(figures));
    let y = middle + if is_detailed(part) { 4.5 - LINE / 2.0 } else { 4.5 };
    let x = if *fate == Fate::Outside { 0.0 } else { NAMES };
    let mut texts = format!("<text class=\"flow-name\" x=\"{x}\" y=\"{y:.1}\">{name}</text>");
    if is_detailed(part) {
        let _ = write!(texts, "<text x=\"{x}\" y=\"{:.1}\">{detail}</text>", y + LINE);
    }
    if !figures.is_empty() {
        let _ = write!(
            texts,
            "<text class=\"flow-figures\" x=\"{WIDTH}\" y=\"{y:.1}\">{figures}</text>"
        );
    }
    let content = format!("<g class=\"flow-{class}\">{shapes}{texts}</g>");
    let _ = if link.is_empty() {
        write!(out, "{content}")
    } else {
        let label = format!("{name}; {detail}; {}: {figures}", escape(title));
        write!(out, "<a href=\"{}\" aria-label=\"{label}\">{content}</a>", escape(link))
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Table;

    #[test]
    fn widths_are_shares_of_the_questions() {
        let part = |fate, questions, name: &str, link: &str| FlowPart {
            fate,
            questions,
            name: name.to_owned(),
            detail: "<d>".to_owned(),
            figures: "3 [1, 5]".to_owned(),
            link: link.to_owned(),
        };
        let flow = Flow {
            table: Table::default(),
            n: 8,
            title: "8 questions".to_owned(),
            figures: "lost".to_owned(),
            parts: vec![
                part(Fate::Lost, 2, "ranked low", "#class=ranked_low"),
                part(Fate::Lost, 0, "not packed", ""),
                part(Fate::Good, 6, "correct", ""),
                part(Fate::Outside, 1, "failed", ""),
            ],
            notes: Vec::new(),
        };
        let mut out = String::new();
        draw(&flow, &mut out);
        // 128 units are 8 questions, 96 units the 6 that go on.
        assert!(out.contains("<path class=\"flow-on\" d=\"M0 26H96.0V"), "{out}");
        let link = "<a href=\"#class=ranked_low\" aria-label=\"✗ 2 ranked low; &lt;d&gt;; lost: 3 [1, 5]\">\
                    <g class=\"flow-lost\"><path d=\"M96.0 26.0H128.0Q128.0 ";
        assert!(out.contains(link), "{out}");
        assert!(out.contains("<g class=\"flow-good\"><path d=\"M0 "), "{out}");
        assert_eq!(out.matches("&lt;d&gt;</text>").count(), 3, "none where no question is: {out}");
    }
}
