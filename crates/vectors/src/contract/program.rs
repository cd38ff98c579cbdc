//! Faults of a real server: killed, stopped, with a read-only key.
//! `RAGTRIAGE_QDRANT_BIN` names its program, which each test starts on free loopback ports over a storage of its own.

use std::env;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ragtriage_core::config::CollectionSettings;
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tempfile::TempDir;

use super::oracle::{DIMENSION, assert_best, brute_force, dense, exact};
use super::{Remote, spec};
use crate::{
    CollectionSpec, Error, ExistingSearch, Kind, SearchMode, Server, ServerStore, VectorStore,
    open_existing,
};

const KEY: &str = "key-that-writes";
const READ_ONLY_KEY: &str = "key-that-reads";

const POINTS: usize = 2_000;

/// A running server. Killed when dropped.
struct Program {
    storage: TempDir,
    /// Of HTTP and of gRPC.
    ports: [u16; 2],
    child: Child,
}

/// Returns ports that nothing listens on.
fn free_ports() -> [u16; 2] {
    let listeners: [TcpListener; 2] =
        std::array::from_fn(|_| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port"));
    listeners.map(|listener| listener.local_addr().expect("bound").port())
}

fn spawn(storage: &TempDir, [http, grpc]: [u16; 2]) -> Child {
    let program = env::var_os("RAGTRIAGE_QDRANT_BIN").expect("the program of a server");
    Command::new(program)
        .current_dir(storage.path())
        .envs([
            ("QDRANT__SERVICE__HOST", "127.0.0.1"),
            ("QDRANT__SERVICE__API_KEY", KEY),
            ("QDRANT__SERVICE__READ_ONLY_API_KEY", READ_ONLY_KEY),
            ("QDRANT__TELEMETRY_DISABLED", "true"),
        ])
        .env("QDRANT__SERVICE__HTTP_PORT", http.to_string())
        .env("QDRANT__SERVICE__GRPC_PORT", grpc.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started")
}

impl Program {
    async fn start() -> Self {
        let storage = TempDir::new().expect("a folder");
        let ports = free_ports();
        let child = spawn(&storage, ports);
        let program = Self { storage, ports, child };
        program.ready().await;
        program
    }

    fn server(&self, api_key: &str, timeout: Duration) -> Server {
        Server {
            url: format!("http://127.0.0.1:{}", self.ports[1]),
            settings: "vector_store",
            api_key: Some(api_key.to_owned()),
            timeout,
        }
    }

    /// Waits until the server answers.
    async fn ready(&self) {
        let kind = Remote(self.server(KEY, Duration::from_secs(5)));
        let client = kind.client();
        while client.health_check().await.is_err() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Kills the server at once, and starts another over the same storage.
    async fn crash(&mut self) {
        self.child.kill().expect("running");
        self.child.wait().expect("ended");
        self.child = spawn(&self.storage, self.ports);
        self.ready().await;
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("running");
    }

    /// Stops the server: returns when none of its threads runs.
    fn stop(&self) {
        self.signal(Signal::STOP);
        let pid = Some(Pid::from_child(&self.child));
        waitpid(pid, WaitOptions::UNTRACED).expect("stopped");
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Stores what is missing, as a run does.
async fn filled(server: &Server, spec: &CollectionSpec) -> Result<ServerStore, Error> {
    let store = ServerStore::open_or_create(server, spec).await?;
    let missing = store.missing().await?;
    let points = dense(POINTS as u32, DIMENSION);
    for window in missing.chunks(250) {
        let window: Vec<_> = window.iter().map(|&number| points[number as usize].clone()).collect();
        store.upsert(&window).await?;
    }
    Ok(store)
}

/// Asserts that `error` is what a lost server may cause.
fn assert_outage(error: &Error) {
    let is_outage = matches!(error.kind, Kind::Unreachable | Kind::Transient);
    assert!(is_outage, "{error:?}");
}

/// Searches, and compares with brute force.
async fn assert_right(store: &ServerStore) {
    let points = dense(POINTS as u32, DIMENSION);
    let question = &points[7].vector;
    let found = store.search(exact(question, 10)).await.expect("searched");
    assert_best(&found, &brute_force(&points, question, spec(POINTS).vector), 10);
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_binary), ignore = "needs RAGTRIAGE_QDRANT_BIN")]
async fn a_server_that_is_killed_while_it_is_filled_ends_in_the_right_ranking() {
    let mut program = Program::start().await;
    let (server, spec) = (program.server(KEY, Duration::from_secs(30)), spec(POINTS));
    for wait in [20, 60, 150] {
        let filling = tokio::spawn({
            let (server, spec) = (server.clone(), spec.clone());
            async move { filled(&server, &spec).await }
        });
        tokio::time::sleep(Duration::from_millis(wait)).await;
        program.crash().await;
        // It was not noticed, or it is one error.
        if let Err(error) = filling.await.expect("no panic") {
            assert_outage(&error);
        }
    }
    let store = filled(&server, &spec).await.expect("filled");
    assert_right(&store).await;
    program.crash().await;
    let store = filled(&server, &spec).await.expect("filled again");
    assert_right(&store).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_binary), ignore = "needs RAGTRIAGE_QDRANT_BIN")]
async fn a_stopped_server_is_left_at_the_deadline_and_right_when_it_goes_on() {
    let program = Program::start().await;
    let (server, spec) = (program.server(KEY, Duration::from_secs(3)), spec(POINTS));
    let store = filled(&server, &spec).await.expect("filled");
    program.stop();
    let question = vec![1.0; DIMENSION];
    let error = store.search(exact(&question, 3)).await.expect_err("no answer");
    program.signal(Signal::CONT);
    assert!(error.to_string().contains("did not search within 3 s"), "{error:?}");
    assert_right(&store).await;
}

#[tokio::test]
#[cfg_attr(not(has_qdrant_binary), ignore = "needs RAGTRIAGE_QDRANT_BIN")]
async fn a_read_only_key_reads_an_existing_collection_and_creates_none() {
    let program = Program::start().await;
    let ten_seconds = Duration::from_secs(10);
    let spec = spec(POINTS);
    let server = program.server(KEY, ten_seconds);
    let store = filled(&server, &spec).await.expect("filled");
    let reader = program.server(READ_ONLY_KEY, ten_seconds);
    let settings = CollectionSettings {
        name: Remote::collection(&spec),
        using: spec.vector_name.clone(),
        text: String::new(),
        ..CollectionSettings::default()
    };
    let collection = open_existing(&reader, &settings, Some(DIMENSION)).await.expect("opened");
    assert_eq!(collection.read().await.expect("read").passages.len(), POINTS);
    let question = vec![0.5; DIMENSION];
    let search = ExistingSearch {
        text: "",
        vector: Some(&question),
        candidates: 10,
        limit: 10,
        mode: SearchMode::Exact,
    };
    let found = collection.search(search).await.expect("searched");
    let own = store.search(exact(&question, 10)).await.expect("searched");
    let own: Vec<_> = own.iter().map(|near| (near.number.to_string(), near.score)).collect();
    assert_eq!(found, own);
    let other = CollectionSpec { content: "00".to_owned(), ..spec };
    let Err(error) = ServerStore::open_or_create(&reader, &other).await else {
        panic!("it may not write")
    };
    assert!(error.to_string().contains("refused the API key to create"), "{error:?}");
}
