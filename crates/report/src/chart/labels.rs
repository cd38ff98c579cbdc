//! Positions of names in a picture without font metrics: the greatest width of a text, and free places.

use ragtriage_core::text::sanitize::shortened;

/// Width of a letter of 12 px: of Latin ones on average, of all others at most.
const LETTER: f64 = 6.6;
const WIDE: f64 = 12.0;
/// Height of a line of text.
const LINE: f64 = 14.0;
/// From a point to its label.
const GAP: f64 = 8.0;

/// A coordinate with at most two decimals.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// About how wide `text` is at 12 px.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().map(width).sum()
}

fn width(c: char) -> f64 {
    if c < '\u{250}' || c == '…' { LETTER } else { WIDE }
}

/// As much of `text` as `most` pixels hold, the last an ellipsis where something was cut.
pub(super) fn fitted(text: &str, most: f64) -> String {
    let letters = (most / LETTER) as usize;
    let text = shortened(text, letters);
    if width_of(&text) <= most {
        return text;
    }
    let mut used = LETTER;
    let fitting = text.chars().take_while(|c| {
        used += width(*c);
        used <= most
    });
    fitting.chain(['…']).collect()
}

/// A name and the position of its first letter on its base line.
pub(super) struct Label {
    pub text: String,
    pub x: f64,
    pub y: f64,
}

/// A rectangle, in pixels.
#[derive(Clone, Copy)]
pub(super) struct LabelBox {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl LabelBox {
    fn holds(self, other: Self) -> bool {
        other.left >= self.left
            && other.top >= self.top
            && other.right <= self.right
            && other.bottom <= self.bottom
    }

    fn meets(self, other: Self) -> bool {
        other.left < self.right
            && self.left < other.right
            && other.top < self.bottom
            && self.top < other.bottom
    }
}

/// Places each of `wanted` next to its point, inside `within`, on no other label and no point. Earlier positions are preferred; a
/// label without a free one is left out.
pub(super) fn placed(
    wanted: impl Iterator<Item = (String, (f64, f64))>,
    points: &[(f64, f64)],
    within: LabelBox,
) -> Vec<Label> {
    let mut taken: Vec<LabelBox> = points
        .iter()
        .map(|&(x, y)| LabelBox { left: x - 4.0, top: y - 4.0, right: x + 4.0, bottom: y + 4.0 })
        .collect();
    let mut labels = Vec::new();
    for (text, (x, y)) in wanted {
        let wide = width_of(&text);
        let corners = [
            (x - wide / 2.0, y - GAP - LINE),
            (x + GAP, y - LINE / 2.0),
            (x - GAP - wide, y - LINE / 2.0),
            (x - wide / 2.0, y + GAP),
            (x + GAP, y - GAP - LINE),
            (x + GAP, y + GAP),
            (x - GAP - wide, y - GAP - LINE),
            (x - GAP - wide, y + GAP),
        ];
        let boxes = corners.map(|(left, top)| LabelBox {
            left,
            top,
            right: left + wide,
            bottom: top + LINE,
        });
        let free = boxes
            .into_iter()
            .find(|it| within.holds(*it) && !taken.iter().any(|other| it.meets(*other)));
        if let Some(found) = free {
            taken.push(found);
            labels.push(Label { text, x: found.left, y: found.bottom - 3.0 });
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinate_has_at_most_two_decimals() {
        assert_eq!(
            [0.0, 61.8, 1.0 / 3.0, 100.0, 478.004].map(px),
            ["0", "61.8", "0.33", "100", "478"]
        );
    }

    #[test]
    fn a_text_is_cut_by_its_width() {
        // 70 px hold ten letters of 6.6; of wide ones, next to the ellipsis, (70 - 6.6) / 12 = 5.
        assert_eq!(fitted("recursive 256", 70.0), "recursive…");
        assert_eq!(fitted("数数数数数数数", 70.0), "数数数数数…");
        assert_eq!(fitted("bm25", 70.0), "bm25");
    }

    #[test]
    fn labels_keep_clear_of_points_of_one_another_and_of_the_border() {
        let within = LabelBox { left: 0.0, top: 0.0, right: 100.0, bottom: 60.0 };
        let at =
            |labels: &[Label]| labels.iter().map(|label| (label.x, label.y)).collect::<Vec<_>>();
        // "default" is 46.2 wide: above (20, 30) it would begin at -3.1. To the right it begins at 28, its base line 3 above its
        // lower edge at 37.
        let one =
            placed([("default".to_owned(), (20.0, 30.0))].into_iter(), &[(20.0, 30.0)], within);
        assert_eq!(at(&one), [(28.0, 34.0)]);
        // At the right border it goes to the left: 90 - 8 - 46.2 = 35.8.
        let one =
            placed([("default".to_owned(), (90.0, 30.0))].into_iter(), &[(90.0, 30.0)], within);
        assert!((one[0].x - 35.8).abs() < 1e-9);
        // Two of one place: the first above it, from 8 to 22, the second to its right. Of twenty some find no room.
        let twice = ["default", "s07"].map(|name| (name.to_owned(), (30.0, 30.0)));
        let two = placed(twice.into_iter(), &[(30.0, 30.0)], within);
        assert_eq!((two[0].y, two[1].x, two[1].y), (19.0, 38.0, 34.0));
        let many = (0..20).map(|n| (format!("setting {n}"), (50.0, 30.0)));
        assert!(placed(many, &[(50.0, 30.0)], within).len() < 8);
    }
}
