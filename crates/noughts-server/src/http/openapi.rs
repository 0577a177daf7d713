//! The description of the API, made from the routes themselves, and a page to try it.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use noughts_api::{Change, Hello, NineBoards, Presence, StreamMessage};
use utoipa::OpenApi;
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

use super::AppState;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Noughts",
        description = "Every game of the tic-tac-toe family at shared tables. A client needs no rules: a view has everything that a screen needs, the legal moves too.",
    ),
    components(schemas(NineBoards, StreamMessage, Change, Presence, Hello)),
    modifiers(&Seats)
)]
struct About;

/// SeatTokens are for seats.
struct Seats;

impl utoipa::Modify for Seats {
    fn modify(&self, api: &mut utoipa::openapi::OpenApi) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("the token of a seat"))
            .build();
        let components = api.components.get_or_insert_default();
        components.add_security_scheme("seat", SecurityScheme::Http(bearer));
    }
}

/// What is said of the whole.
pub(super) fn about() -> utoipa::openapi::OpenApi {
    let mut about = About::openapi();
    about.info.version = env!("CARGO_PKG_VERSION").to_owned();
    about.info.license = None;
    about.info.contact = None;
    about
}

/// The description and the page.
pub(super) fn pages(description: &utoipa::openapi::OpenApi) -> Router<Arc<AppState>> {
    let mut description = description.clone();
    add_nine_boards(&mut description);
    let json = description.to_json().expect("a description is JSON");
    let json = Bytes::from(json);
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
            get(move || async move {
                let medium = [(header::CONTENT_TYPE, "application/json")];
                (medium, json.clone()).into_response()
            }),
        )
        .route("/api/docs", file("text/html; charset=utf-8", PAGE))
        .route(
            "/api/docs.js",
            file("text/javascript; charset=utf-8", SCRIPT),
        )
        .route("/api/docs.css", file("text/css; charset=utf-8", STYLE))
}

/// What views and changes have on nine boards only. Derived, it would be asked for on every board.
fn add_nine_boards(description: &mut utoipa::openapi::OpenApi) {
    let schemas = &mut description.components.get_or_insert_default().schemas;
    let Some(RefOr::T(Schema::Object(boards))) = schemas.get("NineBoards") else {
        return;
    };
    let nine = boards.properties.clone();
    for name in ["View", "Change"] {
        if let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(name) {
            object.properties.extend(nine.clone());
        }
    }
}

const PAGE: &str = include_str!("docs/page.html");
const SCRIPT: &str = include_str!("docs/page.js");
const STYLE: &str = include_str!("docs/page.css");

/// Nothing from elsewhere, and nothing that was not written here.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
