//! Contract tests of rerankers: one suite, run over each of them.

use super::Reranker;
use ragtriage_core::types::TitledText;

const QUERY: &str = "what is tea";
const PASSAGES: [TitledText<'static>; 5] = [
    TitledText { title: "", text: "the river is blue" },
    TitledText { title: "Tea", text: "is red, in a cup." },
    TitledText { title: "", text: "tea" },
    TitledText { title: "Old", text: "" },
    TitledText {
        title: "",
        text: "the old king of the river city was in the new year a large cup of red tea, and it is blue",
    },
];

/// Checks `reranker` with the calls that the pipeline may make.
pub(super) async fn check(reranker: &dyn Reranker) {
    let fingerprint = reranker.fingerprint().to_owned();
    assert!(!fingerprint.is_empty());
    let none: [f32; 0] = [];
    assert_eq!(reranker.scores(QUERY, &[]).await.unwrap(), none, "no passages give no scores");

    let scores = reranker.scores(QUERY, &PASSAGES).await.unwrap();
    assert_eq!(scores.len(), PASSAGES.len());
    assert!(scores.iter().all(|score| score.is_finite()), "{scores:?}");
    let distinct: std::collections::BTreeSet<u32> =
        scores.iter().map(|score| score.to_bits()).collect();
    assert!(distinct.len() > 2, "passages are told apart: {scores:?}");

    let mut backwards = PASSAGES;
    backwards.reverse();
    let mut scored_backwards = reranker.scores(QUERY, &backwards).await.unwrap();
    scored_backwards.reverse();
    assert_eq!(scored_backwards, scores, "scores stand in the order of their passages");
    for (passage, score) in PASSAGES.iter().zip(&scores) {
        let alone = reranker.scores(QUERY, &[*passage]).await.unwrap();
        assert_eq!(alone, [*score], "the other passages do not matter");
    }
    let twice = reranker.scores(QUERY, &[PASSAGES[1], PASSAGES[0], PASSAGES[1]]).await.unwrap();
    assert_eq!(twice, [scores[1], scores[0], scores[1]], "a passage may stand twice");
    let joined = TitledText::untitled("Tea\nis red, in a cup.");
    assert_eq!(
        reranker.scores(QUERY, &[joined]).await.unwrap(),
        [scores[1]],
        "the title is read before the text"
    );
    assert_ne!(reranker.scores("where", &PASSAGES).await.unwrap(), scores, "the question is read");
    assert_eq!(reranker.fingerprint(), fingerprint);
}
