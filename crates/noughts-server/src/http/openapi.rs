//! The OpenAPI description, generated from the routes, and a page to try the API.

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

/// Adds the security scheme for seat tokens.
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

/// The general part of the description.
pub(super) fn about() -> utoipa::openapi::OpenApi {
    let mut about = About::openapi();
    about.info.version = env!("CARGO_PKG_VERSION").to_owned();
    about.info.license = None;
    about.info.contact = None;
    about
}

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

/// Adds the optional fields for nine boards to views and changes. utoipa would make a flattened struct required.
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

/// Allows only files of this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
