//! Several processes over one collection: this test binary, started again.

use std::env;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use super::embedded_kind::{CACHE, Embedded};
use super::oracle::{DIMENSION, assert_best, brute_force, dense, exact};
use super::{StoreKind, remote, spec};
use crate::{CollectionSpec, VectorStore};

/// Environment variable that passes the collection and its number of points to the child.
const CONTENT: &str = "RAGTRIAGE_CONTRACT_CONTENT";
const POINTS: &str = "RAGTRIAGE_CONTRACT_POINTS";

/// Points of one call.
const WINDOW: usize = 500;

/// Line that the child prints on stderr after its third window.
const SIGN: &str = "three windows are stored";

fn child(kind: &impl StoreKind, spec: &CollectionSpec) -> Child {
    let (place, value) = kind.environment();
    Command::new(env::current_exe().expect("this binary"))
        .args(["--exact", "contract::processes::fills", "--ignored", "--nocapture"])
        .envs([
            (place, value),
            (CONTENT, spec.content.clone()),
            (POINTS, spec.expected_points.to_string()),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Not a test: the work of a child process.
#[tokio::test]
#[ignore = "run as a child process"]
async fn fills() {
    let Ok(content) = env::var(CONTENT) else {
        return;
    };
    let n: usize = env::var(POINTS).expect("given with it").parse().expect("a number");
    let spec = CollectionSpec { content, ..spec(n) };
    let store = child_store(&spec).await;
    for (i, window) in dense(n as u32, DIMENSION).chunks(WINDOW).enumerate() {
        store.upsert(window).await.expect("stored");
        if i == 2 {
            #[expect(clippy::print_stderr, reason = "the parent waits for it")]
            {
                eprintln!("{SIGN}");
            }
        }
    }
    assert!(store.missing().await.expect("listed").is_empty());
}

/// Opens the store at the place that the parent names.
async fn child_store(spec: &CollectionSpec) -> Box<dyn VectorStore> {
    if let Some(cache) = env::var_os(CACHE) {
        let kind = Embedded::over(cache.into());
        return kind.open(spec).await.expect("opened");
    }
    let kind = remote().expect("a server");
    kind.open(spec).await.expect("opened")
}

pub(super) async fn two_processes_fill_one_collection(kind: &impl StoreKind) {
    let spec = spec(5_000);
    let children = [child(kind, &spec), child(kind, &spec)];
    for child in children {
        let output = child.wait_with_output().expect("ended");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let points = dense(5_001, DIMENSION);
    let query = &points[5_000].vector;
    let expected = brute_force(&points[..5_000], query, spec.vector);
    let store = kind.open(&spec).await.expect("opened");
    assert!(store.missing().await.expect("listed").is_empty());
    assert_best(&store.search(exact(query, 20)).await.expect("searched"), &expected, 20);
    kind.clean(&spec).await;
}

pub(super) async fn a_killed_filling_can_be_completed(kind: &impl StoreKind) {
    let spec = spec(100_000);
    let mut child = child(kind, &spec);
    let lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == SIGN), "it ended early");
    child.kill().expect("SIGKILL");
    child.wait().expect("ended");
    let store = kind.open(&spec).await.expect("opened");
    let missing = store.missing().await.expect("listed");
    let first = missing.first().map_or(0, |&number| number as usize);
    let is_kept = first >= 3 * WINDOW && missing.len() > WINDOW;
    assert!(
        is_kept || (first == 0 && missing.len() == 100_000),
        "the first missing is {first}, of {}",
        missing.len()
    );
    assert_eq!(is_kept, kind.keeps_points());
    assert_eq!(store.notice().is_some(), !is_kept);
    let points = dense(100_001, DIMENSION);
    let rest: Vec<_> = missing.iter().map(|&number| points[number as usize].clone()).collect();
    store.upsert(&rest).await.expect("the rest stored");
    assert!(store.missing().await.expect("listed").is_empty());
    let query = &points[100_000].vector;
    let expected = brute_force(&points[..100_000], query, spec.vector);
    assert_best(&store.search(exact(query, 50)).await.expect("searched"), &expected, 50);
    kind.clean(&spec).await;
}
