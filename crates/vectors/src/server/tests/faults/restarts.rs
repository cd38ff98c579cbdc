//! A server that restarts, with and without its last points, and a collection that goes while it is used.

use super::*;
use crate::server::double::State;

type Change = fn(&mut State);

/// Stops the server in the middle of a call of `method` that it would not answer, and starts it again a moment later.
async fn restart(double: &Double, method: &'static str, change: Change) {
    double.set_faults(vec![Fault::delay(method, 0..1, Duration::from_hours(1))]);
    double.reached(method, 1).await;
    double.stop();
    change(&mut double.state());
    tokio::time::sleep(Duration::from_millis(300)).await;
    double.resume();
}

async fn open(double: &Double) -> (Server, ServerStore) {
    let server = double.server(PATIENT);
    let store = ServerStore::open_or_create(&server, &spec()).await;
    (server, store.expect("made"))
}

#[tokio::test]
async fn a_restart_in_the_middle_is_not_noticed() {
    let double = Double::start();
    let (_, store) = open(&double).await;
    let (filled, ()) = tokio::join!(fill(&store), restart(&double, "Points/upsert", |_| ()));
    filled.expect("sent again");
    let (found, ()) = tokio::join!(nearest(&store), restart(&double, "Points/query", |_| ()));
    assert_eq!(found.expect("asked again"), NEAREST);
    double.stop();
    double.resume();
    let found = nearest(&store).await;
    assert_eq!(found.expect("connected again"), NEAREST);
}

#[tokio::test]
async fn a_server_that_stays_away_is_one_error() {
    let double = Double::start();
    let (server, store) = open(&double).await;
    fill(&store).await.expect("filled");
    double.stop();
    let error = nearest(&store).await.expect_err("it is away");
    let text = format!("no Qdrant server answers at `{}`", server.url);
    assert_eq!(error.to_string(), text);
    assert!(error.hint().is_some_and(|hint| hint.starts_with("start one with")));
}

#[tokio::test]
async fn points_lost_by_a_restart_are_no_ranking_of_the_rest() {
    const LOST: &str = "collection `{collection}` on the Qdrant server at `{url}` lost points while it was in use: {n} of 20 are left";
    let lose = |state: &mut State| state.forget_from(15);
    let store_again = "the missing points are stored again";
    // Lost before the last window of five is stored: 0 to 4 and 15 to 19 are left.
    let double = Double::start();
    let (server, store) = open(&double).await;
    double.set_faults(vec![Fault::change("Points/upsert", 3..4, |state| {
        state.forget_from(5);
    })]);
    fill(&store).await.expect("confirmed");
    let error = nearest(&store).await.expect_err("ten are lost");
    assert_says(&error, &server, &spec(), [&LOST.replace("{n}", "10"), "", store_again]);
    assert_eq!(run(&server, &spec()).await.expect("filled again"), NEAREST);
    // Lost in the middle of a search: three neighbours are still there, but not the nearest ones.
    let (found, ()) = tokio::join!(nearest(&store), restart(&double, "Points/query", lose));
    let error = found.expect_err("five are lost");
    assert_says(&error, &server, &spec(), [&LOST.replace("{n}", "15"), "", store_again]);
    assert_eq!(run(&server, &spec()).await.expect("filled again"), NEAREST);
}

/// Deletes all collections.
fn delete(state: &mut State) {
    state.collections.clear();
}

/// Replaces all collections by empty ones, as another process that runs the same configuration.
fn replace(state: &mut State) {
    state.forget_from(0);
}

#[tokio::test]
async fn a_collection_that_goes_or_is_replaced_is_one_error() {
    let gone =
        "collection `{collection}` on the Qdrant server at `{url}` was deleted while it was in use";
    let lost = "collection `{collection}` on the Qdrant server at `{url}` lost points while it was in use: {n} of 20 are left";
    let cases: [(&str, usize, Change, String); 4] = [
        ("Points/upsert", 2, delete, gone.to_owned()),
        ("Points/query", 0, delete, gone.to_owned()),
        // The last two windows of five are stored after the replacement.
        ("Points/upsert", 2, replace, lost.replace("{n}", "10")),
        ("Points/query", 0, replace, lost.replace("{n}", "0")),
    ];
    for (method, call, change, text) in cases {
        let double = Double::start();
        let server = double.server(PATIENT);
        double.set_faults(vec![Fault::change(method, call..call + 1, change)]);
        let error = run(&server, &spec()).await.expect_err("it is gone");
        let name = format!("ragtriage_{}", spec().name());
        let cause = if text == gone {
            format!("Not found: Collection `{name}` doesn't exist!")
        } else {
            String::new()
        };
        assert_says(&error, &server, &spec(), [&text, &cause, "run again"]);
        assert_eq!(run(&server, &spec()).await.expect("made again"), NEAREST);
    }
}
