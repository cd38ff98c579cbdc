//! Answers that cannot be right.

use qdrant_client::qdrant::{CountResponse, PointId, QueryResponse, ScrollResponse};

use super::*;

type Change = fn(&mut QueryResponse);

/// Fills a collection, then searches it with the fault.
async fn search_with(fault: Fault) -> (Server, Error) {
    let double = Double::start();
    let server = double.server(PATIENT);
    let store = ServerStore::open_or_create(&server, &spec()).await.expect("made");
    fill(&store).await.expect("filled");
    double.set_faults(vec![fault]);
    let error = nearest(&store).await.expect_err("a fault");
    double.set_faults(Vec::new());
    let found = nearest(&store).await;
    assert_eq!(found.expect("the fault is over"), NEAREST);
    (server, error)
}

#[tokio::test]
async fn a_wrong_search_result_is_never_a_ranking() {
    let invalid = |problem| {
        (
            format!(
                "invalid response of the Qdrant server at `{{url}}` (collection `{{collection}}`): {problem}"
            ),
            "check the server's version and log",
        )
    };
    let unknown = |point| {
        (
            format!(
                "collection `{{collection}}` at `{{url}}` holds unknown points, such as `{point}`"
            ),
            "delete collection",
        )
    };
    let cases: [(Change, (String, &str)); 10] = [
        (|answer| answer.result.truncate(2), invalid("2 search results of 3")),
        (|answer| answer.result.clear(), invalid("0 search results of 3")),
        (
            |answer| answer.result.push(answer.result[2].clone()),
            invalid("4 search results for a limit of 3"),
        ),
        (
            |answer| answer.result[1] = answer.result[0].clone(),
            invalid("duplicate point 19 in a search result"),
        ),
        (|answer| answer.result[2].score = f32::NAN, invalid("point 17 has score NaN")),
        (|answer| answer.result[0].score = f32::INFINITY, invalid("point 19 has score inf")),
        (|answer| answer.result.reverse(), invalid("search results are not ordered by score")),
        (|answer| answer.result[1].id = None, invalid("it lacks a point's id")),
        (|answer| answer.result[1].id = Some(20.into()), unknown("20")),
        (
            |answer| answer.result[1].id = Some("6fa459ea-ee8a-3ca4-894e-db77e160355e".into()),
            unknown("6fa459ea-ee8a-3ca4-894e-db77e160355e"),
        ),
    ];
    for (change, (text, hint)) in cases {
        let (server, error) = search_with(Fault::answer("Points/query", 0..1, change)).await;
        assert_says(&error, &server, &spec(), [&text, "", hint]);
    }
}

#[tokio::test]
async fn points_that_a_list_leaves_out_or_repeats_are_stored_again() {
    let broken = |change: fn(&mut ScrollResponse)| {
        Case::new(Fault::answer("Points/scroll", 0..2, change), None)
    };
    let cases = vec![
        broken(|answer| answer.result.clear()),
        broken(|answer| answer.result.extend(answer.result.clone())),
        Case::new(
            Fault::answer("Points/count", 0..2, |answer: &mut CountResponse| {
                answer.result.get_or_insert_default().count = 3;
            }),
            None,
        ),
    ];
    for case in cases {
        let double = Double::start();
        let server = double.server(PATIENT);
        run(&server, &spec()).await.expect("filled");
        double.state().forget_from(18);
        double.set_faults(case.faults);
        assert_eq!(run(&server, &spec()).await.expect("filled again"), NEAREST);
    }
}

#[tokio::test]
async fn a_list_that_starts_over_is_an_error_and_no_hang() {
    let double = Double::start();
    let server = double.server(PATIENT);
    let again = |answer: &mut ScrollResponse| answer.next_page_offset = Some(PointId::from(0));
    double.set_faults(vec![Fault::answer("Points/scroll", ALWAYS, again)]);
    let error = run(&server, &spec()).await.expect_err("it never ends");
    let text = "invalid response of the Qdrant server at `{url}` (collection `{collection}`): a page of points repeats earlier ones";
    assert_says(&error, &server, &spec(), [text, "", "check the server's version"]);
}
