//! The page: the files of `web/`, as they were written, and the one document that they live in.
//!
//! Every file is below an address with the version of all of them in it, so that a browser keeps them
//! for good and modules find one another by their own relative names. Only the document and what
//! must have an address of its own are asked for again.

mod files;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::AppState;
use super::board_image::{self, Format};
use super::extract::read_id;
use super::games::snapshot;
use super::link_preview::LinkPreview;
use super::stream::view_of;
pub(super) use files::File;
use files::{Encoding, Site};

/// Everything that browsers are given, compressed once.
static SITE: LazyLock<Site> = LazyLock::new(Site::new);

/// Nothing but what this server sends, no script or style within the document, no frame around it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
    connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types noughts-worker";

/// The same words for whoever may not look into the files.
const FOREVER: &str = "public, max-age=31536000, immutable";
const ASK_AGAIN: &str = "no-cache";

/// Where the page and its files are.
pub(super) fn routes() -> Router<Arc<AppState>> {
    let document = || get(|headers: HeaderMap| async move { document(&headers, StatusCode::OK) });
    Router::new()
        .route("/", document())
        .route("/new", document())
        .route("/watch", document())
        .route("/archive", document())
        .route("/game/{id}", get(game))
        .route("/game/{id}/board.svg", get(board_as_svg))
        .route("/game/{id}/board.png", get(board_as_png))
        .route("/web/{version}/{*path}", get(file))
        .route("/sw.js", get(|headers| rooted("sw.js", headers)))
        .route(
            "/manifest.webmanifest",
            get(|headers| rooted("manifest.webmanifest", headers)),
        )
        .route("/favicon.ico", get(|headers| rooted("icon.svg", headers)))
        .route("/icon.svg", get(|headers| rooted("icon.svg", headers)))
        .route("/icon/{name}", get(icon))
}

/// What is said where there is nothing: to people the page, which knows how to say it.
pub(super) fn nothing_for_people(
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Option<Response> {
    let is_asked_by_people = accepts(headers, header::ACCEPT, "text/html");
    let is_a_page =
        matches!(*method, Method::GET | Method::HEAD) && !uri.path().starts_with("/api/");
    (is_a_page && is_asked_by_people).then(|| document(headers, StatusCode::NOT_FOUND))
}

/// The document, as it is for every address but those of games.
fn document(headers: &HeaderMap, status: StatusCode) -> Response {
    with_preview(headers, status, &LinkPreview::of_site(headers))
}

/// `GET /game/{id}`: the same document, with a title and a picture for where links are shown.
async fn game(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    let Ok(id) = read_id(&id) else {
        return document(&headers, StatusCode::NOT_FOUND);
    };
    match snapshot(&app, id).await {
        Ok(snapshot) => {
            let preview = LinkPreview::of_game(&headers, &view_of(&snapshot));
            with_preview(&headers, StatusCode::OK, &preview)
        }
        // The page finds out by itself what is wrong, and says it.
        Err(refused) => {
            let status = refused.into_response().status();
            document(&headers, status)
        }
    }
}

fn with_preview(headers: &HeaderMap, status: StatusCode, preview: &LinkPreview) -> Response {
    let file = File::made(
        "text/html; charset=utf-8",
        SITE.document(preview).into_bytes(),
    );
    let mut response = answer(&file, headers, ASK_AGAIN);
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

/// `GET /web/{version}/{path}`
async fn file(Path((version, path)): Path<(String, String)>, headers: HeaderMap) -> Response {
    match SITE.file(&path) {
        // A page from before an update gets the present file, and is not told to keep it.
        Some(file) if version == SITE.version() => answer(file, &headers, FOREVER),
        Some(file) => answer(file, &headers, ASK_AGAIN),
        None => super::nothing_here().into_response(),
    }
}

/// A file that must be at an address of its own.
async fn rooted(path: &'static str, headers: HeaderMap) -> Response {
    match SITE.rooted(path) {
        Some(file) => answer(file, &headers, ASK_AGAIN),
        None => super::nothing_here().into_response(),
    }
}

/// `GET /icon/{name}`: `192.png`, `mask-512.png`.
async fn icon(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match board_image::icon(&name).await {
        Some(file) => answer(file, &headers, "public, max-age=86400"),
        None => super::nothing_here().into_response(),
    }
}

async fn board_as_svg(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    board(&app, &id, &headers, Format::Svg).await
}

async fn board_as_png(
    State(app): State<Arc<AppState>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Response {
    board(&app, &id, &headers, Format::Png).await
}

async fn board(app: &Arc<AppState>, id: &str, headers: &HeaderMap, format: Format) -> Response {
    let looked = match read_id(id) {
        Ok(id) => snapshot(app, id).await,
        Err(refused) => Err(refused),
    };
    let snapshot = match looked {
        Ok(snapshot) => snapshot,
        Err(refused) => return refused.into_response(),
    };
    let key = (snapshot.id, snapshot.game.turn, format);
    match app.board_images.get(key, move || view_of(&snapshot)).await {
        Some(file) => answer(&file, headers, ASK_AGAIN),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A file, compressed where the browser can read that, or nothing where it has it already.
fn answer(file: &File, headers: &HeaderMap, keep: &'static str) -> Response {
    let coding = match accepts(headers, header::ACCEPT_ENCODING, "gzip") {
        true => Encoding::Gzip,
        false => Encoding::Plain,
    };
    let (bytes, coding) = file.bytes(coding);
    let tag = file.tag(coding);
    let is_known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|known| {
            known
                .split(',')
                .any(|known| known.trim().trim_start_matches("W/") == tag)
        });
    let mut response = match is_known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => bytes.into_response(),
    };
    let told = response.headers_mut();
    let mut say = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            told.insert(name, value);
        }
    };
    say(header::CONTENT_TYPE, file.medium());
    say(header::CACHE_CONTROL, keep);
    say(header::ETAG, &tag);
    let varies = match file.medium() {
        "text/html; charset=utf-8" => "Accept-Encoding, Accept-Language",
        _ => "Accept-Encoding",
    };
    say(header::VARY, varies);
    say(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // What is no document need not say it: thirty files would say it thirty times on a first visit.
    if matches!(file.medium(), "text/html; charset=utf-8" | "image/svg+xml") {
        say(header::CONTENT_SECURITY_POLICY, POLICY);
        say(header::REFERRER_POLICY, "same-origin");
        say(header::X_FRAME_OPTIONS, "DENY");
        say(
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        );
        say(
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=()",
        );
    }
    if matches!(coding, Encoding::Gzip) {
        say(header::CONTENT_ENCODING, "gzip");
    }
    response
}

/// Whether a header names this among what it accepts.
fn accepts(headers: &HeaderMap, name: HeaderName, what: &str) -> bool {
    let mut values = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values.any(|value| {
        let mut offers = value.split(',').map(|offer| offer.split(';'));
        offers.any(|mut offer| {
            let is_it = offer.next().is_some_and(|name| name.trim() == what);
            is_it
                && !offer
                    .any(|weight| matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000"))
        })
    })
}
