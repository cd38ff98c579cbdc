//! Progress bars on stderr, where it is a terminal.

use std::sync::{Mutex, MutexGuard, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};

use ragtriage_clients::fetch::Download;
use ragtriage_pipeline::progress::Progress;

/// The progress bars of one command, of which one is shown at a time.
#[derive(Default)]
pub struct ProgressBars {
    now: Mutex<Option<ProgressBar>>,
}

impl ProgressBars {
    pub fn new() -> Self {
        Self::default()
    }

    /// For a download: bytes instead of units.
    pub fn download(&self, download: Download<'_>) {
        let mut now = self.lock();
        if now.as_ref().is_none_or(|bar| bar.message() != download.file) {
            let figures = "{bytes}/{total_bytes} {binary_bytes_per_sec}";
            replace(&mut now, Some(bar(download.file, download.total.unwrap_or(0), figures)));
        }
        if let Some(bar) = now.as_ref() {
            if let Some(total) = download.total {
                bar.set_length(total);
            }
            bar.set_position(download.bytes);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bar(what: &str, total: u64, figures: &str) -> ProgressBar {
    let template = format!("{{msg:20}} {{bar:30}} {figures} {{eta}}");
    let style = ProgressStyle::with_template(&template);
    ProgressBar::new(total)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        .with_message(what.to_owned())
}

/// Ends the bar that is shown.
fn replace(now: &mut Option<ProgressBar>, next: Option<ProgressBar>) {
    if let Some(old) = std::mem::replace(now, next) {
        old.finish_and_clear();
    }
}

impl Progress for ProgressBars {
    fn start(&self, what: &str, total: u64) {
        replace(&mut self.lock(), Some(bar(what, total, "{pos}/{len}")));
    }

    fn advance(&self, units: u64) {
        if let Some(bar) = self.lock().as_ref() {
            bar.inc(units);
        }
    }

    fn finish(&self) {
        replace(&mut self.lock(), None);
    }
}
