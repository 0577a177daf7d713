//! `GET /problems`: a list of all types of problems. `GET /problems/{name}`: a page about one type. Browsers get HTML,
//! other clients get text.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Router;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use noughts_api::ProblemKind;

use super::AppState;
use super::error::ApiError;
use super::extract::PathParams;
use super::link_preview::escaped;
use super::site::accepts;

pub(super) fn routes() -> Router<Arc<AppState>> {
    Router::new()
        .route("/problems", get(index))
        .route("/problems/{name}", get(page))
}

async fn index(headers: HeaderMap) -> Response {
    let (mut text, mut html) = (String::new(), String::new());
    for kind in ProblemKind::ALL {
        let (status, name, title) = (kind.status(), kind.name(), kind.title());
        let _ = writeln!(text, "{status}  /problems/{name}\n     {title}");
        let title = escaped(title);
        let _ = writeln!(
            html,
            "<li>{status} <a href=\"/problems/{name}\">{name}</a>: {title}</li>"
        );
    }
    let html = format!("<ul>\n{html}</ul>\n<p><a href=\"/api/docs\">All calls</a></p>");
    respond(&headers, "Problems", &html, text)
}

async fn page(PathParams([name]): PathParams<1>, headers: HeaderMap) -> Result<Response, ApiError> {
    let kind = ProblemKind::named(&name).ok_or_else(super::no_such_page)?;
    let (status, title, cause, remedy) = (kind.status(), kind.title(), kind.cause(), kind.remedy());
    let text = format!(
        "{title}\n\nType: /problems/{name}\nStatus: {status}\nCause: {cause}\nRemedy: {remedy}\n"
    );
    let html = format!(
        "<p><code>/problems/{name}</code>, HTTP status {status}</p>\n\
         <h2>Cause</h2>\n<p>{}</p>\n<h2>Remedy</h2>\n<p>{}</p>\n\
         <p><a href=\"/problems\">All problems</a> · <a href=\"/api/docs\">All calls</a></p>",
        escaped(cause),
        escaped(remedy)
    );
    Ok(respond(&headers, title, &html, text))
}

/// The page as HTML if the client accepts HTML, otherwise as text.
fn respond(headers: &HeaderMap, title: &str, html: &str, text: String) -> Response {
    let common = [
        (header::CACHE_CONTROL, "public, max-age=3600"),
        (header::VARY, "Accept"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let (content_type, body) = match accepts(headers, header::ACCEPT, "text/html") {
        true => ("text/html; charset=utf-8", document(&escaped(title), html)),
        false => ("text/plain; charset=utf-8", text),
    };
    (common, [(header::CONTENT_TYPE, content_type)], body).into_response()
}

fn document(title: &str, html: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title} · Noughts</title>\n<link rel=\"stylesheet\" href=\"/api/docs.css\">\n\
         <main>\n<h1>{title}</h1>\n{html}\n</main>\n</html>\n"
    )
}

/// The Content-Security-Policy of the pages: they may load only the style sheet of this server.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";
