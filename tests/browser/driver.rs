//! `chromedriver`, the program that steers Chromium: started on a port of its own choosing, ended with its owner.
//!
//! It is no part of the Rust tool chain. Where it is missing a test fails and says what to install; `.ci/run` installs it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

/// For somebody whose machine lacks it.
const NEEDED: &str = "these tests need chromium and chromedriver: `apt-get install chromium chromium-driver fonts-dejavu-core`";

/// What it says once it listens, before the port.
const LISTENS: &str = "started successfully on port ";

/// A running chromedriver.
pub struct Driver {
    process: Child,
    // Kept open: a process that writes to a closed pipe is ended by that.
    _stdout: BufReader<ChildStdout>,
    port: u16,
}

impl Driver {
    /// Starts it and reads the port from what it says. What it and Chromium leave lying goes to `temporary`.
    pub fn start(temporary: &Path) -> Self {
        let mut command = Command::new("chromedriver");
        command
            .arg("--port=0")
            .env("TMPDIR", temporary)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut process = command
            .spawn()
            .unwrap_or_else(|error| panic!("chromedriver does not start ({error}); {NEEDED}"));
        let mut stdout = BufReader::new(process.stdout.take().expect("it is piped"));
        let port = port(&mut stdout);
        Self { process, _stdout: stdout, port }
    }

    /// Where it takes commands.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // One that has ended by itself cannot be killed, and need not be.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The port, from the first line that names it.
fn port(stdout: &mut impl BufRead) -> u16 {
    let mut said = String::new();
    for line in stdout.lines() {
        let line = line.expect("chromedriver speaks UTF-8");
        if let Some((_, port)) = line.split_once(LISTENS) {
            return port.trim_end_matches('.').parse().expect("a port");
        }
        said.push_str(&line);
        said.push('\n');
    }
    panic!("chromedriver ended without listening: {said}");
}
