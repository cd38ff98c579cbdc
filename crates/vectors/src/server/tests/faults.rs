//! A server that fails, over the test double: each fault ends in the right ranking or in one error, and once it is over
//! the next run has the right ranking.

mod answers;
mod restarts;

use std::time::Duration;

use qdrant_client::qdrant::{PointsOperationResponse, UpdateStatus};
use tonic::Code;

use crate::server::ServerStore;
use crate::server::double::{Double, Fault};
use crate::{CollectionSpec, Error, Kind, Point, Server, VectorSearch, VectorStore};
use ragtriage_core::hint::Hint;
use ragtriage_core::types::{Similarity, VectorShape};

const PATIENT: Duration = Duration::from_mins(1);

const ALWAYS: std::ops::Range<usize> = 0..usize::MAX;

/// Twenty points `[n]`, `n` from 0 to 19, under the dot product: the nearest to `[1]` are 19, 18, 17.
fn spec() -> CollectionSpec {
    let vector = VectorShape { dimension: 1, similarity: Similarity::Dot, many: false };
    CollectionSpec::new("ab".to_owned(), "dense", vector, 20)
}

const NEAREST: [u32; 3] = [19, 18, 17];

fn point(number: u32) -> Point {
    Point { number, vector: vec![number as f32] }
}

async fn fill(store: &ServerStore) -> Result<(), Error> {
    for window in store.missing().await?.chunks(5) {
        let points: Vec<Point> = window.iter().map(|&number| point(number)).collect();
        store.upsert(&points).await?;
    }
    Ok(())
}

async fn nearest(store: &ServerStore) -> Result<Vec<u32>, Error> {
    let search = VectorSearch { vector: &[1.0], limit: 3, allowed: None };
    let found = store.search(search).await?;
    Ok(found.iter().map(|neighbour| neighbour.number).collect())
}

/// Opens, fills and searches, as a run does.
async fn run(server: &Server, spec: &CollectionSpec) -> Result<Vec<u32>, Error> {
    let store = ServerStore::open_or_create(server, spec).await?;
    fill(&store).await?;
    nearest(&store).await
}

/// Asserts that an error is this text, with `{url}` and `{collection}` replaced, then this cause, then a hint with
/// these words.
fn assert_says(error: &Error, server: &Server, spec: &CollectionSpec, expected: [&str; 3]) {
    let [text, cause, hint] = expected;
    let collection = format!("ragtriage_{}", spec.name());
    let text = text.replace("{url}", &server.url).replace("{collection}", &collection);
    assert_eq!(error.to_string(), text);
    let source = std::error::Error::source(error).map(ToString::to_string);
    assert_eq!(source.unwrap_or_default(), cause, "{error}");
    let found = error.hint().expect("a hint");
    assert!(found.contains(hint), "{error}: {found}");
}

struct Case {
    spec: CollectionSpec,
    faults: Vec<Fault>,
    /// Text, cause and a part of the hint; `None` for the right ranking.
    says: Option<[String; 3]>,
}

impl Case {
    fn new(fault: Fault, says: Option<[String; 3]>) -> Self {
        Self { spec: spec(), faults: vec![fault], says }
    }
}

/// Runs each case against an empty server, then once more without the fault.
async fn assert_cases(timeout: Duration, cases: Vec<Case>) {
    for Case { spec, faults, says } in cases {
        let double = Double::start();
        let server = double.server(timeout);
        double.set_faults(faults);
        match (run(&server, &spec).await, says) {
            (Ok(found), None) => assert_eq!(found, NEAREST),
            (Err(error), Some(says)) => {
                assert_says(&error, &server, &spec, says.each_ref().map(String::as_str));
            }
            (ended, says) => panic!("{ended:?}, expected {says:?}"),
        }
        double.set_faults(Vec::new());
        let healed = run(&double.server(PATIENT), &spec).await;
        assert_eq!(healed.expect("the fault is over"), NEAREST);
    }
}

const FULL: &str =
    "Service internal error: No space left on device: WAL buffer size exceeds available disk space";
const NO_WRITE: &str = "Forbidden: Write access to collection c is required";
const BUSY: &str = "Rate limiting exceeded: Write rate limit exceeded: Operation requires 5 tokens but only 0.0 were available. Retry after 1s";
const CHANGED: &str = "Wrong input: Vector dimension error: expected dim: 2, got 1";

#[tokio::test]
async fn a_refused_write_is_one_error_that_names_the_cause() {
    let upsert = |code, message, says| {
        let fault = Fault::refuse("Points/upsert", 1..usize::MAX, code, message);
        Case::new(fault, Some(says))
    };
    let could_not = |status| {
        format!(
            "the Qdrant server at `{{url}}` could not store points (collection `{{collection}}`, gRPC status {status})"
        )
    };
    let log = "check the server's version and log";
    let cases = vec![
        upsert(Code::Internal, FULL, [could_not("Internal"), FULL.to_owned(), log.to_owned()]),
        upsert(
            Code::PermissionDenied,
            NO_WRITE,
            [
                "the Qdrant server at `{url}` refused the API key to store points (collection `{collection}`, gRPC status PermissionDenied)".to_owned(),
                NO_WRITE.to_owned(),
                "may only read is enough for a complete collection".to_owned(),
            ],
        ),
        upsert(
            Code::InvalidArgument,
            CHANGED,
            [could_not("InvalidArgument"), CHANGED.to_owned(), log.to_owned()],
        ),
        upsert(
            Code::ResourceExhausted,
            BUSY,
            [could_not("ResourceExhausted"), BUSY.to_owned(), log.to_owned()],
        ),
    ];
    assert_cases(PATIENT, cases).await;
}

#[tokio::test]
async fn a_read_only_server_is_enough_for_a_complete_collection() {
    let double = Double::start();
    let server = double.server(PATIENT);
    run(&server, &spec()).await.expect("filled");
    let denied = |method| Fault::refuse(method, ALWAYS, Code::PermissionDenied, NO_WRITE);
    let writes = ["Collections/create", "Points/upsert"];
    double.set_faults(writes.map(denied).to_vec());
    assert_eq!(run(&server, &spec()).await.expect("read"), NEAREST);
}

#[tokio::test]
async fn what_passes_is_asked_again() {
    let twice = |method, code, message| Case::new(Fault::refuse(method, 0..2, code, message), None);
    let cases = vec![
        twice("Points/upsert", Code::ResourceExhausted, BUSY),
        twice("Points/query", Code::Unavailable, "Shard temporarily unavailable: starting"),
        twice("Points/count", Code::DeadlineExceeded, "Timeout: Operation 'Count' timed out"),
        Case::new(Fault::delay("Points/query", ALWAYS, Duration::from_millis(50)), None),
    ];
    assert_cases(PATIENT, cases).await;
}

fn says(text: &str, cause: &str, hint: &str) -> [String; 3] {
    [text, cause, hint].map(str::to_owned)
}

#[tokio::test]
async fn an_update_that_is_not_completed_is_an_error() {
    let rejected = |answer: &mut PointsOperationResponse| {
        answer.result.get_or_insert_default().status = UpdateStatus::ClockRejected.into();
    };
    let text = "invalid response of the Qdrant server at `{url}` (collection `{collection}`): an update has status `ClockRejected`, expected `Completed`";
    let fault = Fault::answer("Points/upsert", ALWAYS, rejected);
    let case = Case::new(fault, Some(says(text, "", "can be deleted and is rebuilt")));
    assert_cases(PATIENT, vec![case]).await;
}

#[tokio::test]
async fn the_version_is_told_only_to_a_key_that_may_list_collections() {
    let double = Double::start();
    let server = double.server(PATIENT);
    assert_eq!(crate::server_version(&server).await.expect("there"), "1.19.0");
    let refused = "Must provide an API key or an Authorization bearer token";
    double.set_faults(vec![Fault::refuse(
        "Collections/list",
        ALWAYS,
        Code::Unauthenticated,
        refused,
    )]);
    let error = crate::server_version(&server).await.expect_err("refused");
    assert!(error.to_string().contains("refused the API key"), "{error:?}");
    double.stop();
    let error = crate::server_version(&server).await.expect_err("gone");
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
}
