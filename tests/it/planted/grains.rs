//! Labels of other grains: the faults of a run whose labels are sections, neighbouring chunks or documents are named, or left
//! open.

use super::mixed::mixture;
use super::setting::{Shape, Width};

/// Questions that `width` leaves open of 320.
fn left_open(width: Width) -> usize {
    let mut trial = mixture();
    if matches!(width, Width::Document) {
        // A document does not show that a sentence of it is parted: the chunk with the answer counts as support.
        trial.setting.questions.retain(|question| question.shape != Shape::Long);
    }
    // The gold passages of a wide label are several parts of it: who errs among other passages errs among these too.
    trial.expects_instead("wrong_answer/ignored_context", "wrong_answer/misread");
    // A wide label does not show what its boundaries part: the part with the answer came too low.
    trial.expects_instead("split", "ranked_low");
    trial.setting.widen(width);
    trial.run_claims(&format!("mixed-{width:?}").to_lowercase())
}

#[test]
fn faults_under_wide_labels_are_named_or_left_open() {
    for width in [Width::Section, Width::Neighbours] {
        // Open are questions whose sentence was in the top 5, and other parts of their label were not: at most those of
        // the 8 faults of packing, server and generator, with 20 questions each.
        let open = left_open(width);
        assert!((1..=8 * 20).contains(&open), "{open} open");
    }
}

#[test]
fn faults_under_document_labels_are_named() {
    assert_eq!(left_open(Width::Document), 0);
}
