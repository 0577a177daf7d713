//! A blocking client for the service, over HTTP and HTTPS.

mod error;
mod event_stream;
mod players;
mod server_url;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use noughts_rules::Record;
use serde::Serialize;
use serde::de::DeserializeOwned;
use ureq::http::Response;
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Body, RequestBuilder};

use crate::action::ActionRequest;
use crate::catalog::{GameStatus, GamesPage};
use crate::problem::Problem;
use crate::table::{CreatedTable, NewTable, RematchView, TakeSeat, TakenSeat};
use crate::view::View;

pub use error::ClientError;
pub use event_stream::EventStream;
pub use server_url::{Scheme, ServerUrl, UrlError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum time until a response begins.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum time per read and per write of the connection. The limit is longer than 15 s, because an event
/// stream without events sends a comment every 15 s.
const READ_TIMEOUT: Duration = Duration::from_secs(20);

const MAX_RESPONSE_BYTES: u64 = 4 * 1024 * 1024;

/// A client of one server.
///
/// ```no_run
/// use noughts_api::{Client, NewTable};
///
/// let client = Client::new("http://localhost:8080".parse()?);
/// let table = client.create_table(&NewTable {
///     variant: Some("3x3k3".to_owned()),
///     ..NewTable::default()
/// })?;
/// println!("{:?}", table.view.legal);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Client {
    url: ServerUrl,
    agent: Agent,
}

impl Client {
    /// Creates a client that trusts the certificate authorities of the system. The environment variables
    /// `SSL_CERT_FILE` and `SSL_CERT_DIR` replace these authorities; `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`
    /// select a proxy.
    pub fn new(url: ServerUrl) -> Client {
        let authorities = Vec::new();
        Client::trusting(url, authorities)
    }

    /// Like [`Client::new`], but also trusts the certificates in `pem`, the content of a PEM file.
    pub fn with_ca(url: ServerUrl, pem: &[u8]) -> Result<Client, ClientError> {
        let invalid = |why: String| ClientError::InvalidCertificate(why);
        let mut authorities = Vec::new();
        for item in parse_pem(pem) {
            if let PemItem::Certificate(certificate) =
                item.map_err(|error| invalid(error.to_string()))?
            {
                authorities.push(certificate);
            }
        }
        match authorities.is_empty() {
            true => Err(invalid("no certificate in PEM format".to_owned())),
            false => Ok(Client::trusting(url, authorities)),
        }
    }

    fn trusting(url: ServerUrl, mut authorities: Vec<Certificate<'static>>) -> Client {
        if url.scheme == Scheme::Https {
            let system = rustls_native_certs::load_native_certs().certs;
            authorities.extend(
                system
                    .iter()
                    .map(|der| Certificate::from_der(der).to_owned()),
            );
        }
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::from(authorities))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()));
        let config = Agent::config_builder()
            .tls_config(tls.build())
            .http_status_as_error(false)
            .max_redirects(0)
            // The server closes idle connections after 10 s, so the client must stop using them earlier.
            .max_idle_age(Duration::from_secs(5))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(RESPONSE_TIMEOUT))
            .timeout_per_read(Some(READ_TIMEOUT))
            .timeout_per_write(Some(READ_TIMEOUT));
        let agent = config.build().new_agent();
        Client { url, agent }
    }

    /// The server's address.
    pub fn url(&self) -> &ServerUrl {
        &self.url
    }

    /// Creates a table.
    pub fn create_table(&self, table: &NewTable) -> Result<CreatedTable, ClientError> {
        self.post("/api/games", None, table)
    }

    /// Takes an open seat for a player with this name. The result has the token of the seat.
    pub fn take_seat(&self, game: &str, seat: u8, name: &str) -> Result<TakenSeat, ClientError> {
        let name = name.to_owned();
        let path = format!("/api/games/{game}/seats/{seat}");
        self.post(&path, None, &TakeSeat { name })
    }

    /// The table's current state.
    pub fn view(&self, game: &str) -> Result<View, ClientError> {
        let response = self
            .get(&format!("/api/games/{game}"), "application/json")
            .call()?;
        from_json(&read_body(response)?)
    }

    /// Returns the newest listed games with this status. If `variant` is given, returns only games of this variant.
    /// `limit` is the maximum number of games, from 1 to 100.
    pub fn games(
        &self,
        status: GameStatus,
        variant: Option<&str>,
        limit: usize,
    ) -> Result<GamesPage, ClientError> {
        let status = match status {
            GameStatus::Waiting => "waiting",
            GameStatus::Playing => "playing",
            GameStatus::Over => "over",
        };
        let mut request = self
            .get("/api/games", "application/json")
            .query("status", status)
            .query("limit", limit.to_string());
        if let Some(variant) = variant {
            request = request.query("variant", variant);
        }
        from_json(&read_body(request.call()?)?)
    }

    /// The game and its players as a record.
    pub fn record(&self, game: &str) -> Result<Record, ClientError> {
        let path = format!("/api/games/{game}/record");
        let body = read_body(self.get(&path, "text/plain").call()?)?;
        let record = String::from_utf8_lossy(&body).parse::<Record>();
        record.map_err(ClientError::unexpected)
    }

    /// Performs an action for the seat of `token`. If `action.turn` is set, a repeated request takes effect
    /// only once.
    pub fn act(
        &self,
        game: &str,
        token: &str,
        action: &ActionRequest,
    ) -> Result<View, ClientError> {
        let path = format!("/api/games/{game}/actions");
        self.post(&path, Some(token), action)
    }

    /// Like [`Client::act`], but the server executes requests with the same `key` only once. So offers and
    /// answers to offers can be repeated safely too, although they have no `turn`.
    pub fn act_once(
        &self,
        game: &str,
        token: &str,
        action: &ActionRequest,
        key: &str,
    ) -> Result<View, ClientError> {
        let path = format!("/api/games/{game}/actions");
        let request = self.agent.post(self.address(&path));
        send_json(request.header("Idempotency-Key", key), Some(token), action)
    }

    /// Tells the server that the player of this seat leaves. The player keeps the seat.
    pub fn leave(&self, game: &str, token: &str) -> Result<(), ClientError> {
        let path = format!("/api/games/{game}/leave");
        let request = authorize(self.agent.post(self.address(&path)), Some(token))?;
        expect_success(request.send_empty()?).map(drop)
    }

    /// Asks for a rematch. When all human players have asked, the result has the caller's seat and token at
    /// the new table.
    pub fn rematch(&self, game: &str, token: &str) -> Result<RematchView, ClientError> {
        let path = format!("/api/games/{game}/rematch");
        self.post(&path, Some(token), &())
    }

    /// Opens the table's event stream. The stream starts with the current view. If `last_id` is given, the
    /// stream starts with the changes after this log entry instead. If `token` is the token of a seat, the
    /// player of the seat counts as present.
    pub fn events(
        &self,
        game: &str,
        token: Option<&str>,
        last_id: Option<usize>,
    ) -> Result<EventStream, ClientError> {
        let path = format!("/api/games/{game}/events");
        let mut request = authorize(self.get(&path, "text/event-stream"), token)?;
        if let Some(id) = last_id {
            request = request.header("Last-Event-ID", id.to_string());
        }
        let response = expect_success(request.call()?)?;
        Ok(EventStream::new(response.into_body()))
    }

    /// Whether the server answers within `timeout`.
    pub fn is_answering(&self, timeout: Duration) -> bool {
        let request = self.agent.get(self.address("/healthz")).config();
        let request = request.timeout_global(Some(timeout)).build();
        request.call().is_ok()
    }

    fn get(&self, path: &str, accept: &str) -> RequestBuilder<ureq::typestate::WithoutBody> {
        self.agent.get(self.address(path)).header("Accept", accept)
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.url.origin())
    }

    fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        token: Option<&str>,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        send_json(self.agent.post(self.address(path)), token, body)
    }
}

fn send_json<T: DeserializeOwned>(
    request: RequestBuilder<ureq::typestate::WithBody>,
    token: Option<&str>,
    body: &impl Serialize,
) -> Result<T, ClientError> {
    let body = serde_json::to_vec(body).expect("every request type serializes to JSON");
    let request = authorize(request, token)?.header("Accept", "application/json");
    let request = request.header("Content-Type", "application/json");
    from_json(&read_body(request.send(&body[..])?)?)
}

fn authorize<B>(
    request: RequestBuilder<B>,
    token: Option<&str>,
) -> Result<RequestBuilder<B>, ClientError> {
    match token {
        None => Ok(request),
        Some(token) if token.bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(request.header("Authorization", format!("Bearer {token}")))
        }
        Some(_) => Err(ClientError::InvalidToken),
    }
}

fn expect_success(response: Response<Body>) -> Result<Response<Body>, ClientError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    let body = read_bounded(response)?;
    Err(match serde_json::from_slice::<Problem>(&body) {
        Ok(problem) => ClientError::Refused(problem),
        // A proxy sends its own error page while the server behind it restarts.
        Err(_) if status.is_server_error() => {
            ClientError::Unreachable(io::Error::other(format!("HTTP status {}", status.as_u16())))
        }
        Err(_) => ClientError::UnexpectedResponse(format!("HTTP status {}", status.as_u16())),
    })
}

fn read_body(response: Response<Body>) -> Result<Vec<u8>, ClientError> {
    read_bounded(expect_success(response)?)
}

fn read_bounded(response: Response<Body>) -> Result<Vec<u8>, ClientError> {
    let body = response.into_body().into_with_config();
    Ok(body.limit(MAX_RESPONSE_BYTES).read_to_vec()?)
}

fn from_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, ClientError> {
    serde_json::from_slice(body).map_err(ClientError::unexpected)
}
