//! A browser for tests: chromium, steered through the WebDriver protocol (W3C) of its driver.
//!
//! Every wait has an end, so that a browser that hangs fails a test and does not hang it.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// As keys are written in the protocol.
pub(crate) const TAB: &str = "\u{e004}";
pub(crate) const ENTER: &str = "\u{e007}";
pub(crate) const ESCAPE: &str = "\u{e00c}";
pub(crate) const PAGE_DOWN: &str = "\u{e00f}";
pub(crate) const END: &str = "\u{e010}";
pub(crate) const HOME: &str = "\u{e011}";
pub(crate) const LEFT: &str = "\u{e012}";
pub(crate) const RIGHT: &str = "\u{e014}";

/// A browser with one window; it ends with the value.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Starts a browser with a fresh profile in a folder. Returns `None` and prints a note if there is none.
    pub(crate) fn start(folder: &Path) -> Option<Browser> {
        let found = |names: &[&str]| names.iter().find_map(|name| on_path(name));
        let browser = found(&["chromium", "chromium-browser", "google-chrome"]);
        let (Some(browser), Some(driver)) = (browser, found(&["chromedriver"])) else {
            raddle_testing::missing("chromium with chromedriver");
            return None;
        };
        let mut driver = Command::new(driver);
        driver.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = driver.spawn().expect("the driver starts");
        let port = port(&mut driver);
        let mut browser_ = Browser { driver, port, session: String::new() };
        let flags = [
            "--headless=new".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--disable-quic".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--hide-scrollbars".to_owned(),
            format!("--user-data-dir={}", folder.join("profile").display()),
        ];
        let options = json!({ "binary": browser, "args": flags });
        let wanted = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" },
        });
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        let made = browser_.request("POST", "/session", &wanted);
        browser_.session = made["sessionId"].as_str().expect("a session").to_owned();
        Some(browser_)
    }

    /// Opens a file without a script.
    pub(crate) fn load(&self, file: &Path) {
        self.call("url", &json!({ "url": format!("file://{}", file.display()) }));
    }

    /// Opens a file and waits until its script has run.
    pub(crate) fn open(&self, file: &Path) {
        self.load(file);
        let start = Instant::now();
        while self.run("return document.documentElement.dataset.ready") != "true" {
            assert!(start.elapsed() < PATIENCE, "{}: the page does not start", file.display());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Sets the size of the page, in CSS pixels, on whatever screen.
    pub(crate) fn resize(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700 });
        self.chrome("Emulation.setDeviceMetricsOverride", metrics);
        // The page hears of it in its next frames.
        self.run_later("requestAnimationFrame(() => requestAnimationFrame(() => done()))");
    }

    /// Whether the system has a dark theme.
    pub(crate) fn prefer_dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.chrome("Emulation.setEmulatedMedia", features);
    }

    fn chrome(&self, command: &str, parameters: Value) {
        self.call("goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    /// The result of a function body.
    pub(crate) fn run(&self, script: &str) -> Value {
        self.call("execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// The result that a function body hands to `done`.
    pub(crate) fn run_later(&self, script: &str) -> Value {
        let script = format!("const done = arguments[arguments.length - 1]; {script}");
        self.call("execute/async", &json!({ "script": script, "args": [] }))
    }

    /// Presses keys, one after the other.
    pub(crate) fn press(&self, keys: &[&str]) {
        let actions: Vec<Value> = keys
            .iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": actions });
        self.call("actions", &json!({ "actions": [keyboard] }));
    }

    /// Clicks on the first element of a selector.
    pub(crate) fn click(&self, selector: &str) {
        let using = json!({ "using": "css selector", "value": selector });
        let element = self.call("element", &using);
        let id = element.as_object().and_then(|ids| ids.values().next());
        let id = id.and_then(Value::as_str).expect("an element");
        self.call(&format!("element/{id}/click"), &json!({}));
    }

    /// A picture of the page as it is seen.
    pub(crate) fn screenshot(&self, file: &Path) {
        let encoded =
            self.request("GET", &format!("/session/{}/screenshot", self.session), &Value::Null);
        let bytes = decoded(encoded.as_str().expect("base64"));
        assert!(bytes.starts_with(b"\x89PNG"), "a picture");
        fs::write(file, bytes).expect("a picture is written");
    }

    /// What the browser complained about since the last call.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.call("se/log", &json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().map(|entry| entry["message"].to_string()).collect()
    }

    fn call(&self, command: &str, body: &Value) -> Value {
        self.request("POST", &format!("/session/{}/{command}", self.session), body)
    }

    /// A request to the driver; its errors fail the test.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer =
            self.exchange(method, path, body).unwrap_or_else(|error| panic!("{path}: {error}"));
        let answer: Value = serde_json::from_slice(&answer).expect("JSON");
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{method} {path} {body}: {value:#}");
        value
    }

    fn exchange(&self, method: &str, path: &str, body: &Value) -> std::io::Result<Vec<u8>> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )?;
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length");
            }
            if line.is_empty() {
                break;
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            // The browser ends with its session; an error must not hide that of the test.
            let _ = self.exchange("DELETE", &format!("/session/{}", self.session), &Value::Null);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// The port that the driver chose and tells in its first lines.
fn port(driver: &mut Child) -> u16 {
    let output = driver.stdout.take().expect("its output");
    let (sender, receiver) = channel();
    // The thread ends with the driver.
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some((_, port)) = line.rsplit_once("on port ") {
                let _ = sender.send(port.trim_end_matches('.').parse());
            }
        }
    });
    // The first line says 0 in some versions.
    loop {
        let port: u16 =
            receiver.recv_timeout(PATIENCE).expect("the driver listens").expect("a number");
        if port != 0 {
            return port;
        }
    }
}

fn decoded(base64: &str) -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => u32::from(byte - b'A'),
        b'a'..=b'z' => u32::from(byte - b'a') + 26,
        b'0'..=b'9' => u32::from(byte - b'0') + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = base64.bytes().filter(|byte| *byte != b'=').collect();
    let mut out = Vec::new();
    for four in digits.chunks(4) {
        let bits =
            four.iter().fold(0, |bits, byte| bits << 6 | digit(*byte)) << (6 * (4 - four.len()));
        out.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    out
}
