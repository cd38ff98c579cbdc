//! Golds and predictions of HotpotQA and SQuAD.

#![no_main]

use libfuzzer_sys::fuzz_target;
use ragtriage_core::language::Language;
use ragtriage_core::metric::answer::{Scorer, score};
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::external::predictions::{Golds, Predictions};

fuzz_target!(|bytes: &[u8]| {
    let folder = ragtriage_fuzz::files(bytes, &["gold.json", "predictions.json"]);
    let gold = ragtriage_fuzz::said(Input::read(&folder.join("gold.json")));
    let predictions = ragtriage_fuzz::said(Input::read(&folder.join("predictions.json")));
    let golds = gold.as_ref().and_then(|input| ragtriage_fuzz::said(Golds::parse(input)));
    let predictions =
        predictions.as_ref().and_then(|input| ragtriage_fuzz::said(Predictions::parse(input)));
    let (Some(golds), Some(predictions)) = (golds, predictions) else { return };
    for gold in &golds.questions {
        let Some(Some(answer)) = predictions.answers.get(&gold.id) else { continue };
        for scorer in [Scorer::Squad, Scorer::Squad2, Scorer::Hotpotqa, Scorer::Mlqa] {
            let scores = score(answer, &gold.answers, scorer, Language::english());
            assert!((0.0..=1.0).contains(&scores.f1), "{scores:?}");
        }
    }
});
