//! Middleware for every request: limits, CORS, timeout, headers for caches, metrics.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper_util::service::TowerToHyperService;
use noughts_api::ProblemKind;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};

use super::AppState;
use super::caching::{CachePolicy, is_read};
use super::error::{ApiError, api_error, restarting};
use super::rate_limit::{Client, too_many};
use crate::net::{Permission, Permit};

/// Maximum time until a response begins. Requests for analyses are the slowest: an analysis takes a few seconds and may
/// have to wait for other analyses.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// After the server begins to stop, a request that has no response within this time gets an error.
const GRACE: Duration = Duration::from_secs(1);

/// For the rate limit, a request for an analysis counts as this many simple requests.
const ANALYSIS_COST: u32 = 50;

/// Paths that are served even when the server has too many connections.
const HEALTH_CHECKS: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// The middleware, which all connections share.
#[derive(Clone)]
pub(super) struct Middleware {
    app: Arc<AppState>,
    routes: TowerToHyperService<Router>,
}

/// The service that hyper calls for each request of one connection.
pub(super) struct ConnectionService {
    shared: Middleware,
    peer: IpAddr,
    permit: Arc<Permit>,
    has_tls: bool,
}

impl Middleware {
    pub(super) fn new(app: Arc<AppState>, routes: Router) -> Middleware {
        Middleware {
            app,
            routes: TowerToHyperService::new(routes),
        }
    }

    pub(super) fn app(&self) -> &Arc<AppState> {
        &self.app
    }

    pub(super) fn for_connection(
        &self,
        peer: IpAddr,
        permit: Permit,
        has_tls: bool,
    ) -> ConnectionService {
        ConnectionService {
            shared: self.clone(),
            peer,
            permit: Arc::new(permit),
            has_tls,
        }
    }

    /// The response to a CORS preflight request of an allowed origin; `None` for all other requests.
    fn answer_preflight(&self, request: &Request<Incoming>) -> Option<Response> {
        let headers = request.headers();
        let is_preflight = request.method() == Method::OPTIONS
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let is_allowed = is_preflight && self.allowed_origin(headers).is_some();
        is_allowed.then(|| StatusCode::NO_CONTENT.into_response())
    }

    /// The `Origin` of a request, if pages of that origin may use the API.
    fn allowed_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origins = &self.app.rate_limiter.limits().origins;
        if origins.is_empty() {
            return None;
        }
        let origin = headers.get(header::ORIGIN)?;
        let is_allowed = origins
            .iter()
            .any(|other| other.as_bytes() == origin.as_bytes());
        is_allowed.then(|| origin.clone())
    }

    /// Calls the handler. Returns an error if there is no response within [`ANSWER_TIMEOUT`], or within [`GRACE`] after
    /// the server begins to stop.
    async fn route(&self, request: Request<Incoming>, begun: Instant) -> Response {
        let routed = hyper::service::Service::call(&self.routes, request);
        tokio::select! {
            biased;
            answered = timeout_at(begun + ANSWER_TIMEOUT, routed) => match answered {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_) => api_error(
                    ProblemKind::ServerBusy,
                    "the answer took too long; try again in a moment",
                )
                .into_response(),
            },
            () = grace_over(self.app.closing.clone()) => restarting().into_response(),
        }
    }

    /// Counts a response, and adds the headers that do not depend on the handler.
    fn finish(&self, response: &mut Response, about: &RequestInfo) {
        let metrics = self.app.tables.metrics();
        let status = response.status().as_u16();
        metrics.count_response(status, about.is_read, about.begun.elapsed());
        if let Some(kind) = response.extensions().get::<ProblemKind>().copied() {
            metrics.count_problem(kind);
            if kind == ProblemKind::TooManyRequests && about.is_direct {
                // A client that ignores the limit then also meets the limit on new connections.
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
            }
        }
        about.cache_policy.apply(response);
        let headers = response.headers_mut();
        let no_sniffing = HeaderValue::from_static("nosniff");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, no_sniffing);
        if about.has_tls {
            let value = HeaderValue::from_static(STRICT_TRANSPORT_SECURITY);
            headers.insert(header::STRICT_TRANSPORT_SECURITY, value);
        }
        let limiter = &self.app.rate_limiter;
        if let Some(network) = about.network {
            let now = self.app.tables.clock().now();
            headers.extend(limiter.headers(network, now));
        }
        if !limiter.limits().origins.is_empty() {
            // Caches must not mix responses for different origins.
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(origin) = &about.origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            for (name, value) in CORS {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
    }
}

impl ConnectionService {
    fn client(&self, request: &Request<Incoming>) -> Client {
        let limiter = &self.shared.app.rate_limiter;
        limiter.client(self.peer, request.headers(), &self.permit)
    }

    /// Checks whether a request may reach the handlers, and counts the request for the rate limit.
    fn check(&self, request: &Request<Incoming>, client: &Client) -> Result<(), ApiError> {
        // If there are several Host headers, a proxy and this server may use different headers.
        let hosts = request.headers().get_all(header::HOST).iter().count();
        let needed = usize::from(request.version() == Version::HTTP_11);
        if !(needed..=1).contains(&hosts) {
            return Err(api_error(
                ProblemKind::WrongHost,
                "a request has exactly one Host header",
            ));
        }
        let path = request.uri().path();
        check_permission(self.permit.permission(), path)?;
        let app = &self.shared.app;
        // Banned direct clients are disconnected. This check refuses banned clients behind a proxy.
        let bans = app.connections.bans();
        if client
            .address()
            .is_some_and(|address| bans.contain(address))
        {
            return Err(api_error(
                ProblemKind::Banned,
                "the operator of this server has banned this address",
            ));
        }
        if app.operator.is_draining() && creates_game(request.method(), path) {
            return Err(restarting());
        }
        let cost = match path.ends_with("/analysis") {
            true => ANALYSIS_COST,
            false => 1,
        };
        if client.network().is_none() {
            // No limits apply to this client, so the clock need not be read.
            return Ok(());
        }
        let now = app.tables.clock().now();
        app.rate_limiter.count_request(client, cost, now)
    }
}

/// Whether a request creates a game, requests a quick match or imports a record. Requests for rematches are not
/// included: `games::check_rematch` decides about them.
fn creates_game(method: &Method, path: &str) -> bool {
    let creates = ["/api/games", "/api/matches", "/api/records"];
    method == Method::POST && creates.contains(&path)
}

/// Checks whether a connection with this permission may request this path.
fn check_permission(permission: Permission, path: &str) -> Result<(), ApiError> {
    let is_full = match permission {
        Permission::Serve => false,
        Permission::HealthChecks => !HEALTH_CHECKS.contains(&path),
        Permission::ServerFull => true,
        Permission::AddressFull => {
            let detail = "this address has too many open connections, or opens too many: close some, and use each for many requests";
            return Err(too_many(
                ProblemKind::TooManyConnections,
                Duration::from_secs(5),
                detail,
            ));
        }
    };
    match is_full {
        false => Ok(()),
        true => Err(ApiError {
            retry_after_s: 5,
            ..api_error(
                ProblemKind::ServerFull,
                "the server has too many connections; try again in a moment",
            )
        }),
    }
}

/// Waits until the server begins to stop, and then for [`GRACE`].
async fn grace_over(mut closing: watch::Receiver<bool>) {
    // An error means that the server has already stopped.
    let _ = closing.wait_for(|closing| *closing).await;
    sleep(GRACE).await;
}

/// The value of `Strict-Transport-Security`: browsers use https for this host for a year, even if a link says http.
/// Other hosts of the domain are not affected.
const STRICT_TRANSPORT_SECURITY: &str = "max-age=31536000";

/// Headers for pages of allowed origins.
const CORS: [(header::HeaderName, &str); 4] = [
    (
        header::ACCESS_CONTROL_ALLOW_METHODS,
        "GET, HEAD, POST, PATCH, DELETE",
    ),
    (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization, content-type, idempotency-key, if-none-match, last-event-id",
    ),
    (
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        "etag, location, ratelimit, ratelimit-policy, retry-after",
    ),
    (header::ACCESS_CONTROL_MAX_AGE, "600"),
];

/// The parts of a request that are needed when its response is ready.
struct RequestInfo {
    begun: Instant,
    is_read: bool,
    cache_policy: CachePolicy,
    origin: Option<HeaderValue>,
    /// The address that limits apply to; `None` if no limits apply.
    network: Option<IpAddr>,
    /// Whether the connection carries the requests of one client only: it does not come from a proxy.
    is_direct: bool,
    has_tls: bool,
}

type Answering = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

impl hyper::service::Service<Request<Incoming>> for ConnectionService {
    type Response = Response;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, mut request: Request<Incoming>) -> Answering {
        let client = self.client(&request);
        let about = RequestInfo {
            begun: Instant::now(),
            is_read: is_read(request.method()),
            cache_policy: CachePolicy::new(&request),
            origin: self.shared.allowed_origin(request.headers()),
            network: client.network(),
            is_direct: !self.shared.app.rate_limiter.is_proxy(self.peer),
            has_tls: self.has_tls,
        };
        if self.has_tls {
            // Sets the header that a TLS proxy would set, so that links in previews begin with https.
            let https = HeaderValue::from_static("https");
            request.headers_mut().insert("x-forwarded-proto", https);
        }
        let checked = self.check(&request, &client);
        request.extensions_mut().insert(client);
        // The response to HEAD must have the same headers as the response to GET. So the handler for GET
        // answers HEAD too.
        let is_upgrade = request.headers().contains_key(header::UPGRADE);
        if request.method() == Method::HEAD && !is_upgrade {
            *request.method_mut() = Method::GET;
        }
        let shared = self.shared.clone();
        Box::pin(async move {
            let mut response = match (checked, shared.answer_preflight(&request)) {
                (Err(refusal), _) => refusal.into_response(),
                (Ok(()), Some(response)) => response,
                (Ok(()), None) => shared.route(request, about.begun).await,
            };
            shared.finish(&mut response, &about);
            Ok(response)
        })
    }
}
