//! A test double of a Qdrant server: the calls that the store makes, over points in memory, with exact search and
//! faults on request.
//!
//! It is not Qdrant: it has no disk, graph, quantization or filters, compares dense vectors by their dot product alone,
//! and its refusals are texts copied from Qdrant 1.19. The contract over a real server runs where `RAGTRIAGE_QDRANT_URL` names
//! one.

mod calls;

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use qdrant_client::qdrant::collections_server::CollectionsServer;
use qdrant_client::qdrant::points_server::PointsServer;
use qdrant_client::qdrant::qdrant_server::QdrantServer;
use qdrant_client::qdrant::{
    CollectionInfo, NamedVectorsOutput, Value, VectorOutput, VectorsOutput, vector, vector_output,
    vectors_output,
};
use tokio::runtime::Runtime;
use tonic::transport::server::TcpIncoming;
use tonic::{Code, Request, Response, Status};

use crate::Server;

/// The server, listening on a loopback port until it is dropped.
pub(crate) struct Double {
    address: SocketAddr,
    shared: Shared,
    runtime: Mutex<Option<Runtime>>,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<State>>);

/// Collections and faults.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) collections: BTreeMap<String, Stored>,
    faults: Vec<Fault>,
    n_calls: HashMap<&'static str, usize>,
    /// Refuses every call that would write, as for a read-only key.
    pub(crate) is_read_only: bool,
}

/// A collection.
pub(crate) struct Stored {
    pub(crate) info: CollectionInfo,
    pub(crate) points: BTreeMap<u64, StoredPoint>,
}

/// A point.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredPoint {
    /// By name; an unnamed vector has an empty name.
    pub(crate) vectors: HashMap<String, vector::Vector>,
    pub(crate) payload: HashMap<String, Value>,
}

impl StoredPoint {
    /// Returns the vectors as a scroll does.
    fn output(&self) -> VectorsOutput {
        let vectors = self.vectors.iter().map(|(name, vector)| {
            let vector = match vector.clone() {
                vector::Vector::Dense(dense) => Some(vector_output::Vector::Dense(dense)),
                vector::Vector::Sparse(sparse) => Some(vector_output::Vector::Sparse(sparse)),
                vector::Vector::MultiDense(rows) => Some(vector_output::Vector::MultiDense(rows)),
                _ => None,
            };
            let output = VectorOutput { vector, ..VectorOutput::default() };
            (name.clone(), output)
        });
        let named = NamedVectorsOutput { vectors: vectors.collect() };
        VectorsOutput { vectors_options: Some(vectors_output::VectorsOptions::Vectors(named)) }
    }
}

/// The calls that write.
const WRITES: [&str; 5] = [
    "Collections/create",
    "Collections/update",
    "Collections/delete",
    "Points/upsert",
    "Points/delete",
];

/// A fault of some of the calls of a method, counted from 0.
#[derive(Clone)]
pub(crate) struct Fault {
    method: &'static str,
    calls: Range<usize>,
    act: Act,
}

/// Changes an answer of the method's type.
type Tampering = dyn Fn(&mut dyn Any) + Send + Sync;

#[derive(Clone)]
enum Act {
    Refuse(Code, &'static str),
    Change(fn(&mut State)),
    Answer(Arc<Tampering>),
    Delay(Duration),
}

impl Fault {
    fn new(method: &'static str, calls: Range<usize>, act: Act) -> Self {
        Self { method, calls, act }
    }

    /// Answers with an error.
    pub(crate) fn refuse(
        method: &'static str,
        calls: Range<usize>,
        code: Code,
        message: &'static str,
    ) -> Self {
        Self::new(method, calls, Act::Refuse(code, message))
    }

    /// Changes the collections before the call.
    pub(crate) fn change(
        method: &'static str,
        calls: Range<usize>,
        change: fn(&mut State),
    ) -> Self {
        Self::new(method, calls, Act::Change(change))
    }

    /// Changes the answer.
    pub(crate) fn answer<A: 'static>(
        method: &'static str,
        calls: Range<usize>,
        change: fn(&mut A),
    ) -> Self {
        let change = move |answer: &mut dyn Any| {
            change(answer.downcast_mut().expect("the method's answer"));
        };
        Self::new(method, calls, Act::Answer(Arc::new(change)))
    }

    /// Delays the answer; the call itself is served at once.
    pub(crate) fn delay(method: &'static str, calls: Range<usize>, delay: Duration) -> Self {
        Self::new(method, calls, Act::Delay(delay))
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Serves one call, with the faults that are meant for it.
    async fn serve<Q, A: 'static>(
        &self,
        method: &'static str,
        request: Request<Q>,
        handle: fn(&mut State, Q) -> Result<A, Status>,
    ) -> Result<Response<A>, Status> {
        let (answer, delay) = self.lock().serve(method, request.into_inner(), handle)?;
        tokio::time::sleep(delay).await;
        Ok(Response::new(answer))
    }
}

impl State {
    fn serve<Q, A: 'static>(
        &mut self,
        method: &'static str,
        request: Q,
        handle: fn(&mut Self, Q) -> Result<A, Status>,
    ) -> Result<(A, Duration), Status> {
        let n = self.n_calls.entry(method).or_default();
        let call = *n;
        *n += 1;
        if self.is_read_only && WRITES.contains(&method) {
            return Err(Status::permission_denied("Forbidden: Global manage access is required"));
        }
        let mut faults = self.faults.clone();
        faults.retain(|fault| fault.method == method && fault.calls.contains(&call));
        for fault in &faults {
            match fault.act {
                Act::Refuse(code, message) => return Err(Status::new(code, message)),
                Act::Change(change) => change(self),
                Act::Answer(_) | Act::Delay(_) => {}
            }
        }
        let mut answer = handle(self, request)?;
        let mut delay = Duration::ZERO;
        for fault in faults {
            match fault.act {
                Act::Answer(change) => change(&mut answer),
                Act::Delay(longer) => delay += longer,
                Act::Refuse(..) | Act::Change(_) => {}
            }
        }
        Ok((answer, delay))
    }

    /// Forgets the points from number `n` on, as a crash before the last writes reached the disk.
    pub(crate) fn forget_from(&mut self, n: u64) {
        for stored in self.collections.values_mut() {
            stored.points.split_off(&n);
        }
    }
}

impl Double {
    /// Starts an empty server.
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let double = Self {
            address: listener.local_addr().expect("bound"),
            shared: Shared::default(),
            runtime: Mutex::default(),
        };
        double.listen(listener);
        double
    }

    /// Returns the server as it is configured in the store.
    pub(crate) fn server(&self, timeout: Duration) -> Server {
        Server {
            url: format!("http://{}", self.address),
            settings: "vector_store",
            api_key: None,
            timeout,
        }
    }

    /// Sets the faults; calls are counted from now on.
    pub(crate) fn set_faults(&self, faults: Vec<Fault>) {
        let mut state = self.state();
        state.faults = faults;
        state.n_calls.clear();
    }

    /// Returns the methods that were called since faults were last set, sorted.
    pub(crate) fn called(&self) -> Vec<&'static str> {
        let mut methods: Vec<&str> = self.state().n_calls.keys().copied().collect();
        methods.sort_unstable();
        methods
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.shared.lock()
    }

    /// Waits until `method` was called `n` times.
    pub(crate) async fn reached(&self, method: &'static str, n: usize) {
        while self.state().n_calls.get(method).copied().unwrap_or(0) < n {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Closes the port and all connections, in the middle of calls.
    pub(crate) fn stop(&self) {
        let runtime = self.runtime.lock().expect("not poisoned").take();
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }

    /// Listens on the port again, once its former connections are closed.
    pub(crate) fn resume(&self) {
        let listener = loop {
            match TcpListener::bind(self.address) {
                Ok(listener) => break listener,
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        self.listen(listener);
    }

    fn listen(&self, listener: TcpListener) {
        listener.set_nonblocking(true).expect("a socket");
        let runtime = Runtime::new().expect("a runtime");
        let shared = self.shared.clone();
        runtime.spawn(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
            tonic::transport::Server::builder()
                .add_service(PointsServer::new(shared.clone()))
                .add_service(QdrantServer::new(shared.clone()))
                .add_service(CollectionsServer::new(shared))
                .serve_with_incoming(TcpIncoming::from(listener))
                .await
        });
        *self.runtime.lock().expect("not poisoned") = Some(runtime);
    }
}

impl Drop for Double {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns a payload; the client converts JSON only with a feature that the program does not need.
pub(crate) fn payload(fields: serde_json::Value) -> HashMap<String, Value> {
    use qdrant_client::qdrant::{Struct, value::Kind};
    let serde_json::Value::Object(fields) = fields else { panic!("no object") };
    let value = |value| match value {
        serde_json::Value::String(text) => Kind::StringValue(text),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Kind::IntegerValue(integer),
            None => Kind::DoubleValue(number.as_f64().expect("a number")),
        },
        object @ serde_json::Value::Object(_) => {
            Kind::StructValue(Struct { fields: payload(object) })
        }
        _ => Kind::NullValue(0),
    };
    let fields = fields.into_iter();
    fields.map(|(field, held)| (field, Value { kind: Some(value(held)) })).collect()
}
