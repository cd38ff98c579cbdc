//! A process of ours watched from outside: how long it ran, on how much of the processor, in how much memory.
//!
//! Read from Linux' `/proc` while it runs; elsewhere processor and memory are 0.

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often it is looked at. What a process does after the last look is not seen.
const EVERY: Duration = Duration::from_millis(5);

/// `/proc` counts the processor's time in hundredths of a second, whatever the kernel's own tick.
const TICKS_A_SECOND: f64 = 100.0;

/// What a process took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    /// Wall time.
    pub seconds: f64,
    /// Processor time of all its threads.
    pub cpu_seconds: f64,
    /// The most memory it had at once (`VmHWM`).
    pub peak_mb: f64,
}

/// Runs `command`, whose output is thrown away, to its end; it must end well.
pub fn watch(command: &mut Command) -> Watched {
    let clock = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn().expect("it starts");
    let mut watched = Watched::default();
    let status = loop {
        watched.peak_mb = peak_mb(child.id()).unwrap_or(watched.peak_mb);
        watched.cpu_seconds = cpu_seconds(child.id()).unwrap_or(watched.cpu_seconds);
        match child.try_wait().expect("it is ours") {
            Some(status) => break status,
            None => thread::sleep(EVERY),
        }
    };
    assert!(status.success(), "{command:?} ended with {status}");
    watched.seconds = clock.elapsed().as_secs_f64();
    watched
}

fn peak_mb(id: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

/// The 14th and 15th fields; the second, the name in brackets, may hold blanks.
fn cpu_seconds(id: u32) -> Option<f64> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS_A_SECOND)
}
