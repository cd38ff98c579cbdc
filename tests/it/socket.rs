//! A server on loopback that sends bytes as a test says: also such as no HTTP server would.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// What a request is answered with.
pub enum Sent {
    /// These bytes; then the connection is closed.
    Bytes(Vec<u8>),
    /// These bytes; the next request may come over the same connection.
    KeptOpen(Vec<u8>),
    /// These bytes; then the others again and again, until the other side closes.
    Endless(Vec<u8>, Vec<u8>),
    /// A TCP reset.
    Reset,
}

/// A running server; its threads end with the process.
pub struct Socket {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Socket {
    /// Answers each request (head and body as text) by `respond`.
    pub fn start(respond: impl Fn(&str) -> Sent + Send + Sync + 'static) -> Self {
        Self::at("127.0.0.1", respond)
    }

    /// The same at another address of this machine.
    pub fn at(address: &str, respond: impl Fn(&str) -> Sent + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(format!("{address}:0")).expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (seen, respond) = (Arc::clone(&requests), Arc::new(respond));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (seen, respond) = (Arc::clone(&seen), Arc::clone(&respond));
                thread::spawn(move || {
                    serve(stream.expect("a connection"), &seen, respond.as_ref());
                });
            }
        });
        Self { port, requests }
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// What was received until now.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no holder panics").clone()
    }
}

/// An answer with this status line, these header lines and this body, its length with it.
pub fn answer(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let headers: String = headers.iter().flat_map(|header| [*header, "\r\n"]).collect();
    format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

fn serve(mut stream: TcpStream, seen: &Mutex<Vec<String>>, respond: &dyn Fn(&str) -> Sent) {
    // Requests are looked at before they are taken: closing with something untaken is a reset.
    while let Some(request) = peek(&stream) {
        seen.lock().expect("no holder panics").push(request.clone());
        let sent = respond(&request);
        if matches!(sent, Sent::Reset) {
            return;
        }
        // A client that was killed meanwhile took it along.
        if stream.read_exact(&mut vec![0; request.len()]).is_err() {
            return;
        }
        // The other side may have closed: that is no failure of the test.
        let _ = match sent {
            Sent::KeptOpen(bytes) => {
                let _ = stream.write_all(&bytes);
                continue;
            }
            Sent::Bytes(bytes) => stream.write_all(&bytes),
            Sent::Endless(head, piece) => {
                let mut sent = stream.write_all(&head);
                while sent.is_ok() {
                    sent = stream.write_all(&piece);
                }
                sent
            }
            Sent::Reset => unreachable!("returned above"),
        };
        let _ = stream.shutdown(Shutdown::Both);
        return;
    }
}

/// The next request, whole, left where it is; `None` where the other side has closed.
fn peek(stream: &TcpStream) -> Option<String> {
    let mut buffer = vec![0; 1 << 20];
    let mut n_seen = 0;
    loop {
        let n = stream.peek(&mut buffer).ok().filter(|n| *n > 0)?;
        if n > n_seen {
            n_seen = n;
            let text = String::from_utf8_lossy(&buffer[..n]).into_owned();
            if length(&text).is_some_and(|length| n >= length) {
                return Some(text);
            }
        }
        thread::yield_now();
    }
}

/// Bytes of a request whose head is there.
pub fn length(text: &str) -> Option<usize> {
    let head = text.find("\r\n\r\n")? + 4;
    let field = |line: &str| {
        line.to_lowercase().strip_prefix("content-length:").map(|value| value.trim().to_owned())
    };
    let body =
        text[..head].lines().find_map(field).map_or(0, |value| value.parse().expect("a length"));
    Some(head + body)
}
