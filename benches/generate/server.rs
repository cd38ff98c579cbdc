//! An endpoint on loopback that answers every call alike after a fixed time, and counts.
//!
//! A thread a connection, blocking: some ten microseconds of a core a call, since it shares the machine with what it times.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

const BODY: &str = r#"{"choices": [{"message": {"role": "assistant", "content": "Answer: nothing of the kind"}, "finish_reason": "stop"}]}"#;

/// What was counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Calls answered.
    pub n_calls: usize,
    /// Calls in work now.
    in_work: usize,
    /// The most calls in work at once.
    pub most_at_once: usize,
}

/// The endpoint; it ends with the process.
pub struct Server {
    /// Where it listens.
    pub address: SocketAddr,
    counted: Arc<Mutex<Counted>>,
}

impl Server {
    /// Listens on a free port.
    pub fn start(latency: Duration) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("bound");
        let counted = Arc::new(Mutex::new(Counted::default()));
        let shared = Arc::clone(&counted);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || serve(stream, latency, &shared));
            }
        });
        Self { address, counted }
    }

    /// What was counted since this was last asked.
    pub fn take_counted(&self) -> Counted {
        std::mem::take(&mut *self.counted.lock().expect("no holder panics"))
    }
}

/// Answers calls until the other side closes the connection.
fn serve(stream: TcpStream, latency: Duration, counted: &Mutex<Counted>) -> Option<()> {
    stream.set_nodelay(true).ok()?;
    let mut writer = stream.try_clone().ok()?;
    let mut reader = BufReader::new(stream);
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{BODY}",
        BODY.len()
    );
    loop {
        let length = body_length(&mut reader)? as u64;
        std::io::copy(&mut (&mut reader).take(length), &mut std::io::sink()).ok()?;
        let due = Instant::now() + latency;
        {
            let mut counted = counted.lock().expect("no holder panics");
            counted.in_work += 1;
            counted.most_at_once = counted.most_at_once.max(counted.in_work);
        }
        thread::sleep(due.saturating_duration_since(Instant::now()));
        {
            let mut counted = counted.lock().expect("no holder panics");
            counted.in_work -= 1;
            counted.n_calls += 1;
        }
        writer.write_all(reply.as_bytes()).ok()?;
    }
}

/// Reads a request's head; `None` where the connection is closed or sends something else.
fn body_length(reader: &mut impl BufRead) -> Option<usize> {
    let (mut length, mut line) = (None, String::new());
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line == "\r\n" {
            return length;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
}
