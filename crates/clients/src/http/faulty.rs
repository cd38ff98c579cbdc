//! A faulty server on loopback for tests, and the faults of a connection that any server may have.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// The answer to a request.
#[derive(Clone)]
pub(crate) enum Sent {
    /// These bytes; then the connection is closed.
    Bytes(Vec<u8>),
    /// These bytes; then the others again and again.
    Endless(Vec<u8>, Vec<u8>),
    /// These bytes; then a space every millisecond.
    Drip(Vec<u8>),
    /// These bytes; then a TCP reset.
    Reset(Vec<u8>),
}

/// A response with this body.
pub(crate) fn answer(body: &str) -> Sent {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n", body.len());
    Sent::Bytes(format!("{head}connection: close\r\n\r\n{body}").into_bytes())
}

/// A fault with parts of its error and of its hint.
pub(crate) struct WireFault {
    pub name: &'static str,
    pub sent: Sent,
    pub error: &'static str,
    pub hint: &'static str,
}

impl WireFault {
    /// Asserts that `error` and its hint name the endpoint `url`, the fault and a setting of `section`, and no key.
    pub(crate) fn assert_named(&self, [error, hint]: [String; 2], url: &str, section: &str) {
        let name = self.name;
        assert!(error.contains(&format!("`{url}`")), "{name}: {error}");
        assert!(error.contains(self.error), "{name}: {error}");
        let names_setting = hint.contains(&format!("`{section}.")) || hint.contains("`http.");
        assert!(hint.contains(self.hint) && names_setting, "{name}: {hint}");
        let is_short = error.len() < 1_000;
        assert!(is_short && !error.contains("very-secret"), "{name}: {error}");
    }
}

/// Returns the faults of a connection; `correct` is the body of a correct answer, `elsewhere` another server.
pub(crate) fn wire_faults(correct: &str, elsewhere: &str) -> Vec<WireFault> {
    let bytes = |text: String| Sent::Bytes(text.into_bytes());
    let half = &correct[..correct.len() / 2];
    let head = |length: usize| format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
    let gib = format!("{}{correct}", head(1 << 30)).into_bytes();
    let chunked = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    let chunk = [b"100000\r\n", " ".repeat(1 << 20).as_bytes(), b"\r\n"].concat();
    let moved = format!(
        "HTTP/1.1 307 Temporary Redirect\r\nlocation: {elsewhere}\r\ncontent-length: 0\r\n\r\n"
    );
    let fault = |name, sent, error, hint| WireFault { name, sent, error, hint };
    vec![
        fault("a web page", answer("<html>hello</html>"), "cannot be read: ", ""),
        fault("cut JSON", answer(half), "cannot be read: EOF", ""),
        fault("nothing", answer(""), "cannot be read: EOF", ""),
        fault(
            "a complaint with status 200",
            answer(r#"{"error": "model not loaded"}"#),
            "model not loaded",
            "",
        ),
        fault(
            "an end before the promised length",
            bytes(format!("{}{half}", head(correct.len()))),
            "was interrupted: ",
            "check that ",
        ),
        fault("no HTTP", bytes("hello\r\n\r\n".to_owned()), "was interrupted: ", "check that "),
        fault(
            "a reset",
            Sent::Reset(format!("{}{half}", head(correct.len())).into_bytes()),
            "was interrupted: ",
            "check that ",
        ),
        fault("1 GiB", Sent::Bytes(gib), "is larger than ", "check that "),
        fault("no end", Sent::Endless(chunked, chunk), "is larger than ", "check that "),
        fault(
            "a drip",
            Sent::Drip(head(1 << 20).into_bytes()),
            "did not respond within ",
            "timeout_s",
        ),
        fault(
            "a redirect",
            bytes(moved),
            "redirects to another address: status 307",
            "to the target of the redirect",
        ),
    ]
}

type Respond = dyn Fn(&Value) -> Sent + Send + Sync;

/// A server that answers as currently set; its threads end with the process.
pub(crate) struct FaultyServer {
    pub url: String,
    respond: Arc<Mutex<Arc<Respond>>>,
    n_calls: Arc<AtomicUsize>,
}

impl FaultyServer {
    pub(crate) fn start(respond: impl Fn(&Value) -> Sent + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let respond: Arc<Respond> = Arc::new(respond);
        let respond = Arc::new(Mutex::new(respond));
        let n_calls = Arc::new(AtomicUsize::new(0));
        let (told, counter) = (Arc::clone(&respond), Arc::clone(&n_calls));
        thread::spawn(move || {
            for stream in listener.incoming() {
                counter.fetch_add(1, Ordering::SeqCst);
                let respond = Arc::clone(&told.lock().expect("no holder panics"));
                thread::spawn(move || serve(stream.expect("a connection"), respond.as_ref()));
            }
        });
        Self { url, respond, n_calls }
    }

    /// Answers by `respond` from now on.
    pub(crate) fn now(&self, respond: impl Fn(&Value) -> Sent + Send + Sync + 'static) {
        *self.respond.lock().expect("no holder panics") = Arc::new(respond);
    }

    /// Returns the number of connections so far.
    pub(crate) fn n_calls(&self) -> usize {
        self.n_calls.load(Ordering::SeqCst)
    }
}

/// Answers one request. The other side may have closed at any time, which is no failure of the test.
fn serve(mut stream: TcpStream, respond: &Respond) {
    let Some((body, request_bytes)) = peeked(&stream) else {
        return;
    };
    let sent = respond(&body);
    if let Sent::Reset(bytes) = sent {
        // Closing a connection with unread bytes resets it.
        let _ = stream.write_all(&bytes);
        return;
    }
    if stream.read_exact(&mut vec![0; request_bytes]).is_err() {
        return;
    }
    let _ = match sent {
        Sent::Bytes(bytes) => stream.write_all(&bytes),
        Sent::Endless(head, piece) => repeat(&mut stream, &head, &piece, Duration::ZERO),
        Sent::Drip(head) => repeat(&mut stream, &head, b" ", Duration::from_millis(1)),
        Sent::Reset(_) => unreachable!("returned above"),
    };
}

fn repeat(
    stream: &mut TcpStream,
    head: &[u8],
    piece: &[u8],
    wait: Duration,
) -> std::io::Result<()> {
    stream.write_all(head)?;
    loop {
        stream.write_all(piece)?;
        thread::sleep(wait);
    }
}

/// Returns the JSON of the next request and the bytes of it all, which stay unread; `None` if the other side has closed.
fn peeked(stream: &TcpStream) -> Option<(Value, usize)> {
    let mut buffer = vec![0; 1 << 20];
    loop {
        let n = stream.peek(&mut buffer).ok().filter(|n| *n > 0)?;
        let text = String::from_utf8_lossy(&buffer[..n]);
        let body = text.split_once("\r\n\r\n");
        if let Some(Ok(body)) = body.map(|(_, body)| serde_json::from_str(body)) {
            return Some((body, n));
        }
        thread::yield_now();
    }
}
