//! Progress on stderr: a bar for work that takes over a second, nothing when stderr is no terminal.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use ragtriage_clients::fetch::Download;
use ragtriage_pipeline::progress::Progress;

/// Shorter work shows no bar.
const SHOWN_AFTER: Duration = Duration::from_secs(1);

/// The progress bars of one command.
pub struct ProgressBars {
    shown: bool,
    now: Mutex<Option<ActiveBar>>,
}

struct ActiveBar {
    drawn: ProgressBar,
    since: Instant,
    what: String,
}

impl ProgressBars {
    pub fn new() -> Self {
        Self { shown: std::io::stderr().is_terminal(), now: Mutex::new(None) }
    }

    /// For the model's download: bytes instead of units.
    pub fn download(&self, download: Download<'_>) {
        let mut now = self.lock();
        let same = now.as_ref().is_some_and(|bar| bar.what == download.file);
        if !same {
            if let Some(old) = now.take() {
                old.drawn.finish_and_clear();
            }
            *now = Some(ActiveBar::new(
                download.file,
                download.total.unwrap_or(0),
                "{bytes}/{total_bytes} {binary_bytes_per_sec}",
            ));
        }
        if let Some(bar) = now.as_mut() {
            if let Some(total) = download.total {
                bar.drawn.set_length(total);
            }
            bar.drawn.set_position(download.bytes);
            bar.show_when_due(self.shown);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<ActiveBar>> {
        self.now.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl ActiveBar {
    fn new(what: &str, total: u64, figures: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{msg:20}} {{bar:30}} {figures} {{eta}}");
        bar.set_style(
            ProgressStyle::with_template(&template)
                .unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        bar.set_message(what.to_owned());
        Self { drawn: bar, since: Instant::now(), what: what.to_owned() }
    }

    fn show_when_due(&self, shown: bool) {
        if shown && self.drawn.is_hidden() && self.since.elapsed() > SHOWN_AFTER {
            self.drawn.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Progress for ProgressBars {
    fn start(&self, what: &str, total: u64) {
        *self.lock() = Some(ActiveBar::new(what, total, "{pos}/{len}"));
    }

    fn advance(&self, units: u64) {
        if let Some(bar) = self.lock().as_ref() {
            bar.drawn.inc(units);
            bar.show_when_due(self.shown);
        }
    }

    fn finish(&self) {
        if let Some(bar) = self.lock().take() {
            bar.drawn.finish_and_clear();
        }
    }
}
