//! The OpenAPI description, generated from the routes, and a page to try the API.

mod document;
mod examples;

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use noughts_api::{
    Change, ClockView, Hello, LobbyMessage, NineBoards, Offers, PlayerMessage, Presence, Problem,
    ProblemKind, StreamMessage,
};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{IntoResponses, OpenApi};

use super::AppState;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Noughts",
        description = "Every game of the tic-tac-toe family at shared tables. A client needs no rules: a view has everything that a screen needs, the legal moves too. Clients must ignore fields that they do not know.",
    ),
    tags(
        (name = "tables", description = "Create a table, take a seat, play."),
        (name = "live", description = "Follow a table: server-sent events and WebSockets. Both carry objects of the schema StreamMessage."),
        (name = "players", description = "Registered players, their games and quick matches."),
        (name = "records", description = "Export, import and analyse finished games."),
        (name = "catalog", description = "Lists of games, variants and robots."),
    ),
    components(schemas(
        Change, ClockView, Hello, LobbyMessage, NineBoards, Offers, PlayerMessage, Presence, Problem,
        StreamMessage
    )),
    modifiers(&Common)
)]
struct About;

/// Adds the parts that all operations share: security schemes for tokens, and error responses.
struct Common;

impl utoipa::Modify for Common {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "The token of a seat, from the answer that created the table or gave the seat; or the token of a \
                 player who sits there.",
            ))
            .build();
        let components = api.components.get_or_insert_default();
        components.add_security_scheme("seat", SecurityScheme::Http(bearer));
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("The token of a player."))
            .build();
        components.add_security_scheme("player", SecurityScheme::Http(bearer));
        for (status, name) in ERRORS {
            let response = RefOr::T(error_response(*status));
            components.responses.insert((*name).to_owned(), response);
        }
    }
}

/// The statuses of errors, and the names of their responses.
const ERRORS: &[(u16, &str)] = &[
    (400, "BadRequest"),
    (401, "Unauthorized"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (408, "RequestTimeout"),
    (409, "Conflict"),
    (413, "ContentTooLarge"),
    (415, "UnsupportedMediaType"),
    (422, "UnprocessableContent"),
    (426, "UpgradeRequired"),
    (429, "TooManyRequests"),
    (500, "InternalServerError"),
    (503, "ServiceUnavailable"),
];

/// The error response with this status. Its description lists the types of problems that have this status.
fn error_response(status: u16) -> Response {
    let kinds = ProblemKind::ALL
        .iter()
        .filter(|kind| kind.status() == status);
    let types: Vec<String> = kinds.map(|kind| kind.because("").kind).collect();
    let problem = Ref::from_schema_name("Problem");
    ResponseBuilder::new()
        .description(format!("A problem of type {}.", types.join(", ")))
        .content(
            "application/problem+json",
            ContentBuilder::new().schema(Some(problem)).build(),
        )
        .build()
}

/// Defines types for the attribute `responses(…)` of an operation. Each type stands for error responses with the
/// statuses that are listed for it.
macro_rules! error_responses {
    ($($name:ident: $($status:literal)*;)*) => {$(
        pub(super) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                references(&[$($status),*])
            }
        }
    )*};
}

error_responses! {
    CatalogErrors: 429 503;
    ListErrors: 400 422 429 503;
    StrategyErrors: 400 422 429 503;
    CreateErrors: 400 401 404 408 413 415 422 429 500 503;
    ViewErrors: 400 401 403 404 422 429 500 503;
    WebSocketErrors: 400 401 403 404 422 426 429 500 503;
    SeatErrors: 400 401 403 404 408 409 413 415 422 429 500 503;
    ActionErrors: 400 401 403 404 408 409 413 415 422 429 500 503;
    RematchErrors: 401 403 404 409 429 500 503;
    LeaveErrors: 401 403 404 429 500 503;
    RecordErrors: 404 429 500 503;
    ImportErrors: 400 408 413 415 422 429 503;
    AnalysisErrors: 404 409 429 500 503;
    CreatePlayerErrors: 400 408 413 415 422 429 503;
    PlayerErrors: 400 404 422 429 503;
    MeErrors: 400 401 403 404 409 422 429 503;
    ChangeMeErrors: 400 401 403 404 408 413 415 422 429 503;
    LinkErrors: 400 403 404 408 409 413 415 422 429 503;
}

fn references(statuses: &[u16]) -> BTreeMap<String, RefOr<Response>> {
    let errors = ERRORS
        .iter()
        .filter(|(status, _)| statuses.contains(status));
    let reference = |(status, name): &(u16, &str)| {
        let response = RefOr::Ref(Ref::from_response_name(*name));
        (status.to_string(), response)
    };
    errors.map(reference).collect()
}

/// The general part of the description.
fn about() -> utoipa::openapi::OpenApi {
    let mut about = About::openapi();
    about.info.version = env!("CARGO_PKG_VERSION").to_owned();
    about.info.license = None;
    about.info.contact = None;
    about
}

/// The routes of the description and of the page. The JSON text is created at its first request. Creating it
/// takes a millisecond and some megabytes of memory, and most servers never get such a request.
pub(super) fn pages() -> Router<Arc<AppState>> {
    let file = |medium: &'static str, text: &'static str| {
        get(move || async move {
            let headers = [
                (header::CONTENT_TYPE, medium),
                (header::CONTENT_SECURITY_POLICY, POLICY),
                (header::REFERRER_POLICY, "no-referrer"),
            ];
            (headers, text).into_response()
        })
    };
    Router::new()
        .route(
            "/api/openapi.json",
            get(|| async {
                let medium = [(header::CONTENT_TYPE, "application/json")];
                (medium, DESCRIPTION.clone()).into_response()
            }),
        )
        .route("/api/docs", file("text/html; charset=utf-8", PAGE))
        .route(
            "/api/docs.js",
            file("text/javascript; charset=utf-8", SCRIPT),
        )
        .route("/api/docs.css", file("text/css; charset=utf-8", STYLE))
}

static DESCRIPTION: LazyLock<Bytes> = LazyLock::new(|| {
    let mut description = about();
    description.merge(super::ApiDescription::openapi());
    Bytes::from(document::complete(&description).to_string())
});

const PAGE: &str = include_str!("docs/page.html");
const SCRIPT: &str = include_str!("docs/page.js");
const STYLE: &str = include_str!("docs/page.css");

/// The Content-Security-Policy of the page: it may load only files of this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
