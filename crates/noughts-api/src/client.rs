//! A client for the service: small, blocking, and without anything from elsewhere.

mod event_stream;
mod http;
mod url;

use std::fmt;
use std::io;

use noughts_rules::{Record, RecordError};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::action::ActionRequest;
use crate::problem::Problem;
use crate::table::{CreatedTable, NewTable, RematchView, TakeSeat, TakenSeat};
use crate::view::View;
use http::Request;

pub use event_stream::EventStream;
pub use url::{ServerUrl, UrlError};

/// A server of the service, asked over plain HTTP, one connection a request.
#[derive(Clone, Debug)]
pub struct Client {
    url: ServerUrl,
}

/// Why something was not done.
#[derive(Debug)]
pub enum ClientError {
    /// The server can't be reached, or was lost: it may be tried again.
    Lost(io::Error),
    /// The server refuses, and says why.
    Refused(Problem),
    /// What answered is not this service.
    Foreign(String),
}

impl Client {
    /// A client of the server at this address.
    pub fn new(url: ServerUrl) -> Client {
        Client { url }
    }

    /// The server's address.
    pub fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// Lays a table.
    pub fn create_table(&self, table: &NewTable) -> Result<CreatedTable, ClientError> {
        self.post("/api/games", None, table)
    }

    /// Takes an open seat.
    pub fn take_seat(&self, game: &str, seat: u8, name: &str) -> Result<TakenSeat, ClientError> {
        let name = name.to_owned();
        let path = format!("/api/games/{game}/seats/{seat}");
        self.post(&path, None, &TakeSeat { name })
    }

    /// A table as it stands.
    pub fn view(&self, game: &str) -> Result<View, ClientError> {
        read(&self.get(&format!("/api/games/{game}"), "application/json")?)
    }

    /// The game as it stands, with who sits where, in a form that the rules know.
    pub fn record(&self, game: &str) -> Result<Record, ClientError> {
        let body = self.get(&format!("/api/games/{game}/record"), "text/plain")?;
        let text = String::from_utf8_lossy(&body);
        let foreign = |error: RecordError| ClientError::Foreign(error.to_string());
        text.parse::<Record>().map_err(foreign)
    }

    /// Does something at a seat. To ask for the same once more is safe.
    pub fn act(&self, game: &str, token: &str, act: &ActionRequest) -> Result<View, ClientError> {
        let path = format!("/api/games/{game}/actions");
        self.post(&path, Some(token), act)
    }

    /// Wants to play again.
    pub fn rematch(&self, game: &str, token: &str) -> Result<RematchView, ClientError> {
        let path = format!("/api/games/{game}/rematch");
        self.post(&path, Some(token), &())
    }

    /// Everything that happens at a table from now on, or after so many completed turns. With a token
    /// one is present at its seat.
    pub fn events(
        &self,
        game: &str,
        token: Option<&str>,
        seen: Option<usize>,
    ) -> Result<EventStream, ClientError> {
        let path = format!("/api/games/{game}/events");
        let request = Request {
            token,
            seen,
            ..Request::get(&path, "text/event-stream")
        };
        let answer = request.send(&self.url)?;
        Ok(EventStream::new(answer.expect_good()?))
    }

    fn get(&self, path: &str, accept: &str) -> Result<Vec<u8>, ClientError> {
        let answer = Request::get(path, accept).send(&self.url)?;
        answer.expect_good()?.read_all()
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        token: Option<&str>,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let body = serde_json::to_vec(body).expect("a shape of ours is JSON");
        let request = Request {
            token,
            body: Some(&body),
            ..Request::get(path, "application/json")
        };
        let answer = request.send(&self.url)?;
        read(&answer.expect_good()?.read_all()?)
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(|error| ClientError::Foreign(error.to_string()))
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Lost(error) => write!(f, "the server can't be reached: {error}"),
            ClientError::Refused(problem) => f.write_str(&problem.detail),
            ClientError::Foreign(why) => {
                write!(f, "what answers there is no server of this: {why}")
            }
        }
    }
}

impl std::error::Error for ClientError {}

impl From<io::Error> for ClientError {
    fn from(error: io::Error) -> ClientError {
        ClientError::Lost(error)
    }
}
