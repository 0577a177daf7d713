//! An HTTP client that shows the raw status and body.

use std::io::{self, BufRead, BufReader};
use std::time::Duration;

use serde_json::Value;
use ureq::http::{Request, Response};
use ureq::{Agent, Body, BodyReader};

/// A client of a server on this machine. It keeps its connection.
pub(crate) struct Client {
    port: u16,
    agent: Agent,
}

/// A response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Null if the body is not JSON.
    pub(crate) body: Value,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn is_problem(&self, status: u16, kind: &str) -> bool {
        self.status == status && self.body["type"] == format!("/problems/{kind}")
    }
}

/// Longer than any request takes.
const TIMEOUT: Duration = Duration::from_secs(60);

impl Client {
    pub(crate) fn new(port: u16) -> Client {
        Client::with_timeout(port, TIMEOUT)
    }

    pub(crate) fn with_timeout(port: u16, timeout: Duration) -> Client {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_per_read(Some(timeout));
        let agent = config.build().new_agent();
        Client { port, agent }
    }

    pub(crate) fn get(&mut self, path: &str) -> io::Result<Answer> {
        self.ask("GET", path, "", "", None)
    }

    /// All listed games, read page by page.
    pub(crate) fn list(&mut self) -> Vec<Value> {
        let (mut games, mut before) = (Vec::new(), String::new());
        loop {
            let page = self.get(&format!("/api/games?limit=100{before}")).unwrap();
            games.extend(page.body["games"].as_array().unwrap().iter().cloned());
            match page.body["before"].as_str() {
                Some(last) => before = format!("&before={last}"),
                None => return games,
            }
        }
    }

    /// Sends a request with a token and an idempotency key, each of which may be empty. After an error the server may
    /// or may not have carried out the request.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        key: &str,
        body: Option<&str>,
    ) -> io::Result<Answer> {
        let mut request = self.request(method, path);
        if !token.is_empty() {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        if !key.is_empty() {
            request = request.header("Idempotency-Key", key);
        }
        let response = match body {
            None => self.run(request.body(()).unwrap()),
            Some(body) => {
                let request = request.header("Content-Type", "application/json");
                self.run(request.body(body).unwrap())
            }
        };
        let mut response = response?;
        let text = response.body_mut().read_to_string();
        let text = text.map_err(ureq::Error::into_io)?;
        Ok(Answer {
            status: response.status().as_u16(),
            body: serde_json::from_str(&text).unwrap_or(Value::Null),
            text,
        })
    }

    fn request(&self, method: &str, path: &str) -> ureq::http::request::Builder {
        let url = format!("http://127.0.0.1:{}{path}", self.port);
        Request::builder().method(method).uri(url)
    }

    fn run(&self, request: Request<impl ureq::AsSendBody>) -> io::Result<Response<Body>> {
        self.agent.run(request).map_err(ureq::Error::into_io)
    }
}

/// Reads the data of the events in a table's event stream.
pub(crate) struct Events(BufReader<BodyReader<'static>>);

impl Events {
    pub(crate) fn of(port: u16, id: &str) -> Events {
        let client = Client::new(port);
        let request = client.request("GET", &format!("/api/games/{id}/events"));
        let response = client.run(request.body(()).unwrap()).unwrap();
        assert_eq!(response.status(), 200);
        Events(BufReader::new(response.into_body().into_reader()))
    }

    pub(crate) fn next(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert_ne!(self.0.read_line(&mut line).unwrap(), 0, "the stream ended");
            if let Some(data) = line.strip_prefix("data: ") {
                let event: Value = serde_json::from_str(data).unwrap();
                // `{"view":…}`, `{"change":…}`, `{"presence":…}`.
                let content = event.as_object().and_then(|event| event.values().next());
                return content.expect("an event has a content").clone();
            }
        }
    }

    /// The next event that matches.
    pub(crate) fn wait_for(&mut self, matches: impl Fn(&Value) -> bool) -> Value {
        loop {
            let event = self.next();
            if matches(&event) {
                return event;
            }
        }
    }
}
