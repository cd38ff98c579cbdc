//! The HTML report in a real browser: headless Chromium, driven through chromedriver as a person's mouse and keys would.
//!
//! Every test makes its own run in a folder of its own with the built program ([`project`], shared with `tests/it`), opens the
//! report from disk and asks the page. They need Debian's `chromium` and `chromium-driver`, so a plain `cargo test` leaves them out:
//!
//! ```text
//! cargo test --release --test browser
//! ```
//!
//! With `RAGTRIAGE_SCREENSHOTS=FOLDER` the pages are kept as pictures for people to look at.

mod access;
mod address;
mod browser;
mod driver;
#[allow(dead_code, reason = "shared with `tests/it`, which uses all of it")]
#[path = "../it/endpoint.rs"]
mod endpoint;
mod hostile;
mod load;
mod page;
#[allow(dead_code, reason = "shared with `tests/it`, which uses all of it")]
#[path = "../it/project.rs"]
mod project;
mod question;
mod sample;
mod sealed;
mod table;
