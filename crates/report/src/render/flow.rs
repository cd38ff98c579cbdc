//! The picture of a run's losses: the questions flow down through the stages, and what a stage loses leaves to the right.
//!
//! Plain SVG in the width of a phone, which the page's style enlarges. Every part has its number and name next to it, so that the
//! picture can be read without colors.

use std::fmt::Write as _;

use super::html::escape;
use crate::document::{Flow, FlowPart};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::types::FailureClass;

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
    let n: usize = flow.parts.iter().map(|part| part.questions).sum();
    let width = |questions: usize| FLOW * questions as f64 / n.max(1) as f64;
    let (mut parts, mut outline) = (String::new(), format!("M0 {HEAD}"));
    let (mut y, mut left) = (HEAD, n);
    for (at, part) in flow.parts.iter().enumerate() {
        let outer = width(left);
        left -= part.questions;
        let inner = width(left);
        let text = LINE * n_lines(part) + 6.0;
        let (mut shape, mut height, mut middle) = (String::new(), text, y + text / 2.0);
        if at + 1 == flow.parts.len() {
            let (tip, end) = (outer / 2.0, y + text);
            shape =
                format!("M0 {y:.1}H{outer:.1}V{end:.1}L{tip:.1} {:.1}L0 {end:.1}Z", end + ARROW);
            height += ARROW + 2.0;
        } else {
            if part.questions > 0 {
                let thickness = (outer - inner).max(LEAST);
                height = height.max(thickness + BEND + 6.0);
                let top = y + ((height - thickness) / 2.0).max(BEND);
                middle = top + thickness / 2.0;
                shape = branch([inner, outer], [y, top, top + thickness]);
            }
            let _ = write!(outline, "H{inner:.1}V{:.1}", y + height);
        }
        y += height;
        labelled(part, flow.figures, &shape, middle, &mut parts);
    }
    let title = plural(n, "question", "questions");
    let _ = writeln!(
        out,
        "<svg class=\"flow\" viewBox=\"0 0 {WIDTH} {y:.0}\" role=\"group\" aria-label=\"{title}\">\
         <text class=\"flow-name\" y=\"15\">{title}</text>\
         <text class=\"flow-figures\" x=\"{WIDTH}\" y=\"15\">{}</text>\
         <path class=\"flow-on\" d=\"{outline}H0Z\"/>{parts}</svg>",
        escape(flow.figures)
    );
}

/// Lines of text of a part: a part without questions is not explained.
fn n_lines(part: &FlowPart) -> f64 {
    if part.questions > 0 && !part.detail.is_empty() { 2.0 } else { 1.0 }
}

/// Outlines a part that leaves the flow, of the width between `inner` and `outer`, and goes to the right.
fn branch([inner, outer]: [f64; 2], [y, top, bottom]: [f64; 3]) -> String {
    let end = NAMES - 8.0;
    format!(
        "M{inner:.1} {y:.1}H{outer:.1}Q{outer:.1} {top:.1} {end:.1} {top:.1}V{bottom:.1}\
         Q{inner:.1} {bottom:.1} {inner:.1} {y:.1}Z"
    )
}

/// Writes a part with its texts around the height `middle`, as a link to its questions.
fn labelled(part: &FlowPart, title: &str, shape: &str, middle: f64, out: &mut String) {
    let FlowPart { class, questions, detail, figures } = part;
    let (fate, sign) = match class {
        _ if *questions == 0 => ("none", "–"),
        FailureClass::Correct | FailureClass::Delivered | FailureClass::Declined => ("good", "✓"),
        class if class.is_loss() => ("lost", "✗"),
        _ => ("open", "○"),
    };
    let name = format!("{sign} {} {}", thousands(*questions), class);
    let y = middle + 4.5 - (n_lines(part) - 1.0) * LINE / 2.0;
    let mut texts = format!("<text class=\"flow-name\" x=\"{NAMES}\" y=\"{y:.1}\">{name}</text>");
    if n_lines(part) > 1.0 {
        let _ = write!(texts, "<text x=\"{NAMES}\" y=\"{:.1}\">{detail}</text>", y + LINE);
    }
    let mut label = format!("{name} {detail}");
    if !figures.is_empty() {
        let _ = write!(
            texts,
            "<text class=\"flow-figures\" x=\"{WIDTH}\" y=\"{y:.1}\">{figures}</text>"
        );
        let _ = write!(label, "; {title}: {figures}");
    }
    let content = format!("<g class=\"flow-{fate}\"><path d=\"{shape}\"/>{texts}</g>");
    let _ = if *questions == 0 {
        write!(out, "{content}")
    } else {
        write!(out, "<a href=\"#class={class}\" aria-label=\"{label}\">{content}</a>")
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Table;

    #[test]
    fn widths_are_shares_of_the_questions() {
        let part = |class, questions| FlowPart {
            class,
            questions,
            detail: "why".to_owned(),
            figures: "3 [1, 5]".to_owned(),
        };
        let parts = vec![
            part(FailureClass::RankedLow, 2),
            part(FailureClass::NotPacked, 0),
            part(FailureClass::Correct, 6),
        ];
        let flow = Flow { parts, figures: "lost", notes: Vec::new(), table: Table::default() };
        let mut out = String::new();
        draw(&flow, &mut out);
        // 128 units are 8 questions, 96 units the 6 that go on.
        assert!(out.contains("<path class=\"flow-on\" d=\"M0 26H96.0V"), "{out}");
        let link = "<a href=\"#class=ranked_low\" aria-label=\"✗ 2 ranked_low why; lost: 3 [1, 5]\">\
                    <g class=\"flow-lost\"><path d=\"M96.0 26.0H128.0Q128.0 ";
        assert!(out.contains(link), "{out}");
        assert!(out.contains("<g class=\"flow-good\"><path d=\"M0 "), "{out}");
        assert_eq!(out.matches("why</text>").count(), 2, "no class without questions is explained");
    }
}
