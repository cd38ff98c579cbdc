//! A headless Chromium with one page: opened, asked, steered; and what it said and fetched meanwhile.
//!
//! Nothing here knows the report. Waiting is done inside the page, by looking again until a condition holds: the driver's script
//! timeout ends a wait for what never comes, and the test fails with what the page said until then.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand};
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::{Method, Url};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::driver::Driver;

/// How long a condition may take to come true: longer than a loaded machine needs for anything that is tested here.
const PATIENCE: Duration = Duration::from_mins(1);

/// A folder to put screenshots into, for people to look at; none are taken without it.
const SCREENSHOTS: &str = "RAGTRIAGE_SCREENSHOTS";

/// A message on the console, or of the browser itself about the page.
#[derive(Debug, PartialEq)]
pub struct Message {
    /// `SEVERE`, `WARNING`, `INFO` or `DEBUG`.
    pub level: String,
    /// What was said, after the place in the page.
    pub text: String,
}

/// Chromium behind its driver; both are gone at the end, and the profile's folder with them.
pub struct Browser {
    client: Client,
    // Ended in this order: the driver, the folder that Chromium writes to, what commands run on.
    _driver: Driver,
    _folder: TempDir,
    runtime: Runtime,
}

impl Browser {
    /// A new browser with an empty profile and a window of 1280 x 900.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let driver = Driver::start(folder.path());
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let connect = async {
            let mut builder = ClientBuilder::new(HttpConnector::new());
            builder
                .capabilities(capabilities(&folder.path().join("profile")))
                .connect(&driver.address())
                .await
        };
        let client = runtime
            .block_on(connect)
            .unwrap_or_else(|error| panic!("chromium does not start: {error}"));
        let browser = Self { client, _driver: driver, _folder: folder, runtime };
        // Chromium begins with a page of its own, which fetches much from within Chromium.
        browser.done("an empty page", browser.client.goto("about:blank"));
        browser.requests();
        browser.console();
        browser
    }

    /// Opens a file, with what stands behind its name: `#q=a`, or nothing.
    pub fn open(&self, file: &Path, hash: &str) {
        let mut url = Url::from_file_path(file)
            .unwrap_or_else(|()| panic!("{} is no absolute path", file.display()));
        url.set_fragment(hash.strip_prefix('#'));
        self.done(&format!("opening {url}"), self.client.goto(url.as_str()));
    }

    /// The address that the page stands at now.
    pub fn address(&self) -> Url {
        self.done("the address", self.client.current_url())
    }

    /// The value of a JavaScript expression.
    pub fn value(&self, expression: &str) -> Value {
        self.value_with(expression, &[])
    }

    /// The value of an expression of `arguments[0]` and so on.
    pub fn value_with(&self, expression: &str, arguments: &[Value]) -> Value {
        self.script(&format!("return ({expression});"), arguments)
    }

    /// What a function's body returns.
    pub fn script(&self, body: &str, arguments: &[Value]) -> Value {
        self.done(body, self.client.execute(body, arguments.to_vec()))
    }

    /// What a function's body hands to `done(...)`.
    pub fn promised(&self, body: &str, arguments: &[Value]) -> Value {
        let body = format!("const done = arguments[arguments.length - 1]; {body}");
        self.done(&body, self.client.execute_async(&body, arguments.to_vec()))
    }

    /// Waits until an expression is true; `instead` is shown where it never is.
    pub fn until(&self, condition: &str, instead: &str) {
        let look = format!(
            "const look = () => {{ if ({condition}) done(true); else setTimeout(look, 5); }}; look();"
        );
        let body = format!("const done = arguments[arguments.length - 1]; {look}");
        if let Err(error) = self.runtime.block_on(self.client.execute_async(&body, vec![])) {
            let shown =
                self.runtime.block_on(self.client.execute(&format!("return ({instead});"), vec![]));
            panic!(
                "never came: {condition}\n{error}\ninstead: {shown:?}\nconsole: {:?}",
                self.console()
            );
        }
    }

    /// The first element of a CSS selector.
    pub fn element(&self, selector: &str) -> Element {
        self.done(selector, self.client.find(Locator::Css(selector)))
    }

    /// Clicks it with the mouse.
    pub fn click(&self, selector: &str) {
        let element = self.element(selector);
        self.done(&format!("a click on {selector}"), element.click());
    }

    /// Chooses an option of a `select` by its value, whatever letters that has.
    pub fn choose(&self, selector: &str, value: &str) {
        let options = "[...document.querySelector(arguments[0]).options].findIndex((option) => option.value === arguments[1])";
        let place = self.value_with(options, &[json!(selector), json!(value)]);
        let place = place.as_u64().unwrap_or_else(|| panic!("{selector} does not offer `{value}`"));
        let element = self.element(selector);
        self.done(&format!("`{value}` of {selector}"), element.select_by_index(place as usize));
    }

    /// Puts text in place of a field's content, typed.
    pub fn write(&self, selector: &str, text: &str) {
        self.script(
            "const f = document.querySelector(arguments[0]); f.focus(); f.select();",
            &[json!(selector)],
        );
        if text.is_empty() {
            self.press("\u{e017}");
        } else {
            self.press(text);
        }
    }

    /// Presses and releases keys one after another, wherever the focus is. Code points of the driver's own stand for keys without a
    /// letter: see [`fantoccini::key::Key`].
    pub fn press(&self, keys: &str) {
        let strokes = keys.chars().fold(KeyActions::new("keys".to_owned()), |strokes, value| {
            strokes.then(KeyAction::Down { value }).then(KeyAction::Up { value })
        });
        self.done(&format!("pressing {keys:?}"), self.client.perform_actions(strokes));
    }

    /// What was said since the last look, worst included.
    pub fn console(&self) -> Vec<Message> {
        let text =
            |entry: &Value, name: &str| entry[name].as_str().expect("a log entry").to_owned();
        let entries = self.log("browser").into_iter();
        entries
            .map(|entry| Message { level: text(&entry, "level"), text: text(&entry, "message") })
            .collect()
    }

    /// Of [`Browser::console`] what no page of ours may give cause to.
    pub fn complaints(&self) -> Vec<Message> {
        self.console()
            .into_iter()
            .filter(|message| matches!(message.level.as_str(), "SEVERE" | "WARNING"))
            .collect()
    }

    /// Of [`Browser::requests`] those that leave the file and what is written in it.
    pub fn strangers(&self) -> Vec<String> {
        let inside =
            |url: &String| ["file:", "data:", "blob:"].iter().any(|scheme| url.starts_with(scheme));
        self.requests().into_iter().filter(|url| !inside(url)).collect()
    }

    /// Every address that was asked for since the last look, in order.
    pub fn requests(&self) -> Vec<String> {
        let mut found = Vec::new();
        for entry in self.log("performance") {
            let event: Value =
                serde_json::from_str(entry["message"].as_str().expect("text")).expect("JSON");
            let event = &event["message"];
            let url = match event["method"].as_str() {
                Some("Network.requestWillBeSent") => &event["params"]["request"]["url"],
                Some("Network.webSocketCreated" | "Network.webTransportCreated") => {
                    &event["params"]["url"]
                }
                _ => continue,
            };
            found.push(url.as_str().expect("a URL").to_owned());
        }
        found
    }

    /// A command of the Chrome `DevTools` Protocol.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({"cmd": command, "params": parameters});
        self.done(command, self.client.issue_cmd(Post { path: "goog/cdp/execute", body }))
    }

    /// Makes the page as wide as a device of so many CSS pixels.
    pub fn width(&self, pixels: u32) {
        let metrics =
            json!({"width": pixels, "height": 844, "deviceScaleFactor": 1, "mobile": pixels < 600});
        self.devtools("Emulation.setDeviceMetricsOverride", &metrics);
    }

    /// Keeps a picture of what is on screen, where somebody wants to look.
    pub fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os(SCREENSHOTS).map(PathBuf::from) else {
            return;
        };
        let png = self.done("a screenshot", self.client.screenshot());
        fs::create_dir_all(&folder).expect("made");
        fs::write(folder.join(format!("{name}.png")), png).expect("written");
    }

    fn log(&self, kind: &'static str) -> Vec<Value> {
        let log = self.done(
            kind,
            self.client.issue_cmd(Post { path: "se/log", body: json!({"type": kind}) }),
        );
        log.as_array().expect("a log").clone()
    }

    /// Waits for the driver; a refusal fails the test, saying of what.
    fn done<T>(&self, what: &str, command: impl Future<Output = Result<T, CmdError>>) -> T {
        self.runtime.block_on(command).unwrap_or_else(|error| panic!("{what}: {error}"))
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Chromium goes with its session; one that is gone already has none to close.
        let _ = self.runtime.block_on(self.client.clone().close());
    }
}

/// Headless, without a sandbox (which root may not have), writing nowhere but to `profile`, and keeping what it says and fetches.
fn capabilities(profile: &Path) -> Capabilities {
    let profile = format!("--user-data-dir={}", profile.display());
    let flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--window-size=1280,900",
        &profile,
    ];
    let wanted = json!({
        "goog:chromeOptions": {"args": flags},
        "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        "timeouts": {"script": PATIENCE.as_millis() as u64},
    });
    wanted.as_object().expect("written as one").clone()
}

/// A command that `WebDriver`'s standard does not have: Chromium's logs and its own protocol.
#[derive(Debug)]
struct Post {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Post {
    fn endpoint(
        &self,
        base: &Url,
        session: Option<&str>,
    ) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(self.body.to_string()))
    }
}
