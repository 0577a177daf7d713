//! What stands before all calls: who asks how often, how long an answer may take, which pages may ask.

use std::convert::Infallible;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper_util::service::TowerToHyperService;
use noughts_api::Kind;
use tokio::time::timeout;

use super::Web;
use super::refusal::refuse;
use crate::tcp::Admitted;

/// How long an answer may take until it begins. The longest are analyses, which take a few seconds
/// each and wait for one another.
const LONGEST: Duration = Duration::from_secs(30);

/// To analyse a game costs as much as so many simple requests.
const STUDY_COSTS: u32 = 50;

/// What every request comes through.
#[derive(Clone)]
pub(super) struct Front {
    web: Arc<Web>,
    routes: TowerToHyperService<Router>,
    /// The other end, once there is one.
    visitor: Option<(IpAddr, Arc<Admitted>)>,
}

impl Front {
    pub(super) fn new(web: Arc<Web>, routes: Router) -> Front {
        Front {
            web,
            routes: TowerToHyperService::new(routes),
            visitor: None,
        }
    }

    pub(super) fn web(&self) -> &Arc<Web> {
        &self.web
    }

    /// The same for one connection.
    pub(super) fn to(&self, peer: IpAddr, admitted: Arc<Admitted>) -> Front {
        Front {
            visitor: Some((peer, admitted)),
            ..self.clone()
        }
    }

    /// Who may not ask at all now, or is answered without anything being done.
    fn stop(&self, request: &mut Request<Incoming>) -> Option<Response> {
        // What stands between may have gone by another of them.
        let hosts = request.headers().get_all(header::HOST).iter().count();
        let needed = usize::from(request.version() == Version::HTTP_11);
        if !(needed..=1).contains(&hosts) {
            let detail = "a request has exactly one Host";
            return Some(refuse(Kind::Unreadable, detail).into_response());
        }
        let (peer, admitted) = self.visitor.as_ref()?;
        let callers = &self.web.callers;
        let caller = callers.caller(*peer, request.headers(), admitted);
        let cost = match request.uri().path().ends_with("/analysis") {
            true => STUDY_COSTS,
            false => 1,
        };
        if let Err(refuse) = callers.count(&caller, cost, self.web.house.now()) {
            return Some(refuse.into_response());
        }
        request.extensions_mut().insert(caller);
        let asks_whether = request.method() == Method::OPTIONS
            && request
                .headers()
                .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        let may = asks_whether && self.allowed_origin(request.headers()).is_some();
        may.then(|| StatusCode::NO_CONTENT.into_response())
    }

    /// The page of another server that asks, where it may.
    fn allowed_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origins = &self.web.callers.limits().origins;
        if origins.is_empty() {
            return None;
        }
        let origin = headers.get(header::ORIGIN)?;
        let is_allowed = origins
            .iter()
            .any(|other| other.as_bytes() == origin.as_bytes());
        is_allowed.then(|| origin.clone())
    }

    /// Counts an answer, and says to which pages it may be shown.
    fn finish(&self, response: &mut Response, told: &Told) {
        let counts = self.web.house.counts();
        counts.answered(response.status().as_u16());
        if let Some(kind) = response.extensions().get::<Kind>() {
            counts.refused_as(*kind);
        }
        let times = match told.is_question {
            true => &counts.asked,
            false => &counts.done,
        };
        times.took(told.begun.elapsed());
        let headers = response.headers_mut();
        let no_guessing = HeaderValue::from_static("nosniff");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, no_guessing);
        if let Some(origin) = &told.origin {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
            headers.insert(header::VARY, HeaderValue::from_static("Origin"));
            for (name, value) in CORS {
                headers.insert(name, HeaderValue::from_static(value));
            }
        }
    }
}

/// What pages of allowed origins may do.
const CORS: [(header::HeaderName, &str); 4] = [
    (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, POST"),
    (
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        "authorization, content-type, idempotency-key, last-event-id",
    ),
    (
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        "location, retry-after",
    ),
    (header::ACCESS_CONTROL_MAX_AGE, "600"),
];

/// What is remembered of a request until it is answered.
struct Told {
    begun: Instant,
    is_question: bool,
    origin: Option<HeaderValue>,
}

type Answering = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

impl hyper::service::Service<Request<Incoming>> for Front {
    type Response = Response;
    type Error = Infallible;
    type Future = Answering;

    fn call(&self, mut request: Request<Incoming>) -> Answering {
        let told = Told {
            begun: Instant::now(),
            is_question: request.method() == Method::GET,
            origin: self.allowed_origin(request.headers()),
        };
        let stopped = self.stop(&mut request);
        let front = self.clone();
        Box::pin(async move {
            let mut response = match stopped {
                Some(response) => response,
                None => {
                    let routed = hyper::service::Service::call(&front.routes, request);
                    match timeout(LONGEST, routed).await {
                        Ok(Ok(response)) => response,
                        Ok(Err(never)) => match never {},
                        Err(_) => refuse(
                            Kind::Unavailable,
                            "the answer took too long; try again in a moment",
                        )
                        .into_response(),
                    }
                }
            };
            front.finish(&mut response, &told);
            Ok(response)
        })
    }
}
