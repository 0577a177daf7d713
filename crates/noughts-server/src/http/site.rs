//! The web page: `index.html`, the other files of `web/`, icons, and the images of games.
//!
//! The path of most files contains the version, a hash of all files. So browsers can keep these files without
//! revalidating them, and modules can import each other by relative paths. The other files have a fixed path,
//! for example `index.html` (the *document*). Browsers must revalidate these files each time. Exception:
//! browsers keep the PNG icons for a day.

mod files;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use noughts_api::ProblemKind;

use super::AppState;
use super::board_image::{self, Format};
use super::error::api_error;
use super::extract::{PathParams, QueryParams, read_id};
use super::games::snapshot;
use super::link_preview::{LinkPreview, manifest_texts, origin};
use super::qr_code;
use super::stream::view_of;
use files::{Encoding, MANIFEST_TYPE, Site};
pub(super) use files::{File, compressed};

/// The files of the page. They are compressed once, when they are first needed. The document and the manifest are
/// compressed for each response, because their texts depend on the request.
static SITE: LazyLock<Site> = LazyLock::new(Site::new);

/// The Content-Security-Policy of the web page. It allows files of this server, and images that the page creates. It
/// forbids inline scripts, inline styles and frames.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
    connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types noughts-worker";

/// The value of `Cache-Control` for files whose path contains the version.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// The value of `Cache-Control` for other files, except PNG icons.
const REVALIDATE: &str = "no-cache";

pub(super) fn routes() -> Router<Arc<AppState>> {
    let document = || get(|headers: HeaderMap| async move { document(&headers, StatusCode::OK) });
    Router::new()
        .route("/", document())
        .route("/new", document())
        .route("/watch", document())
        .route("/archive", document())
        .route("/me", document())
        .route("/game/{id}", get(game))
        .route("/game/{id}/board.svg", get(board_as_svg))
        .route("/game/{id}/board.png", get(board_as_png))
        .route("/game/{id}/qr.svg", get(qr_code))
        .route("/web/{version}/{*path}", get(file))
        .route("/sw.js", get(|headers| root_file("sw.js", headers)))
        .route("/manifest.webmanifest", get(manifest))
        .route(
            "/favicon.ico",
            get(|headers| root_file("icon.svg", headers)),
        )
        .route("/icon.svg", get(|headers| root_file("icon.svg", headers)))
        .route("/icon/{name}", get(icon))
}

/// The page with status 404, for GET and HEAD requests of browsers. `None` for paths of the API, other methods, and
/// other clients.
pub(super) fn not_found_page(method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
    let accepts_html = accepts(headers, header::ACCEPT, "text/html");
    let is_page_request =
        matches!(*method, Method::GET | Method::HEAD) && !uri.path().starts_with("/api/");
    (is_page_request && accepts_html).then(|| document(headers, StatusCode::NOT_FOUND))
}

/// The document with the metadata of the site, not of a game.
fn document(headers: &HeaderMap, status: StatusCode) -> Response {
    with_preview(headers, status, &LinkPreview::of_site(headers))
}

/// `GET /game/{id}`: the document with the metadata of this game. If the game cannot be read, the document has the
/// metadata of the site and the status of the error.
async fn game(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
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
        // The page requests the game again and shows the error.
        Err(refused) => {
            let status = refused.into_response().status();
            document(&headers, status)
        }
    }
}

fn with_preview(headers: &HeaderMap, status: StatusCode, preview: &LinkPreview) -> Response {
    let file = File::new(
        "text/html; charset=utf-8",
        SITE.document(preview).into_bytes(),
    );
    let mut response = respond(&file, headers, REVALIDATE);
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

/// `GET /web/{version}/{path}`: a file of the page.
async fn file(PathParams([version, path]): PathParams<2>, headers: HeaderMap) -> Response {
    match SITE.file(&path) {
        Some(file) if version == SITE.version() => respond(file, &headers, IMMUTABLE),
        // A page that was loaded before an update of the server must not mix modules of two versions. After this
        // answer, the page reloads itself.
        Some(_) | None => super::not_found_problem().into_response(),
    }
}

/// A file with a fixed path.
async fn root_file(path: &'static str, headers: HeaderMap) -> Response {
    match SITE.root_file(path) {
        Some(file) => respond(file, &headers, REVALIDATE),
        None => super::not_found_problem().into_response(),
    }
}

/// `GET /manifest.webmanifest`, in the language of the browser.
async fn manifest(headers: HeaderMap) -> Response {
    let mut text = SITE.manifest().to_owned();
    for (placeholder, words) in manifest_texts(&headers) {
        text = text.replace(placeholder, words);
    }
    let file = File::new(MANIFEST_TYPE, text.into_bytes());
    respond(&file, &headers, REVALIDATE)
}

/// `GET /icon/{name}`: an icon, such as `192.png` or `mask-512.png`.
async fn icon(PathParams([name]): PathParams<1>, headers: HeaderMap) -> Response {
    match board_image::icon(&name).await {
        Some(file) => respond(file, &headers, "public, max-age=86400"),
        None => super::not_found_problem().into_response(),
    }
}

/// `GET /game/{id}/qr.svg?turn=N`: the link to a game of this server, as a QR code.
async fn qr_code(
    PathParams([id]): PathParams<1>,
    QueryParams(query): QueryParams<qr_code::LinkQuery>,
    headers: HeaderMap,
) -> Response {
    let link = match (read_id(&id), origin(&headers)) {
        (Ok(id), Some(origin)) => query.link(&origin, id),
        (Err(refused), _) => return refused.into_response(),
        (Ok(_), None) => return unlinkable_host(),
    };
    match qr_code::svg(&link) {
        Some(svg) => respond(
            &File::new("image/svg+xml", svg.into_bytes()),
            &headers,
            REVALIDATE,
        ),
        None => unlinkable_host(),
    }
}

/// The answer to a request whose `Host` cannot be part of a link.
fn unlinkable_host() -> Response {
    let detail =
        "the Host header must be a name or an address of this server, such as example.org:8080";
    api_error(ProblemKind::WrongHost, detail).into_response()
}

async fn board_as_svg(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    headers: HeaderMap,
) -> Response {
    board(&app, &id, &headers, Format::Svg).await
}

async fn board_as_png(
    State(app): State<Arc<AppState>>,
    PathParams([id]): PathParams<1>,
    headers: HeaderMap,
) -> Response {
    board(&app, &id, &headers, Format::Png).await
}

async fn board(app: &Arc<AppState>, id: &str, headers: &HeaderMap, format: Format) -> Response {
    let found = match read_id(id) {
        Ok(id) => snapshot(app, id).await,
        Err(refused) => Err(refused),
    };
    let snapshot = match found {
        Ok(snapshot) => snapshot,
        Err(refused) => return refused.into_response(),
    };
    let key = (snapshot.id, snapshot.game.turn, format);
    match app.board_images.get(key, move || view_of(&snapshot)).await {
        Some(file) => respond(&file, headers, REVALIDATE),
        None => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// Responds with a file. If the browser already has the file, the status is 304 and the body is empty. Otherwise the
/// body is compressed if the browser accepts gzip and the file has a compressed form.
fn respond(file: &File, headers: &HeaderMap, cache_control: &'static str) -> Response {
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
    let response_headers = response.headers_mut();
    let mut set = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            response_headers.insert(name, value);
        }
    };
    set(header::CONTENT_TYPE, file.content_type());
    set(header::CACHE_CONTROL, cache_control);
    set(header::ETAG, &tag);
    let varies = match file.content_type() {
        "text/html; charset=utf-8" | MANIFEST_TYPE => "Accept-Encoding, Accept-Language",
        _ => "Accept-Encoding",
    };
    set(header::VARY, varies);
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    // Only documents and SVG images need these headers.
    if matches!(
        file.content_type(),
        "text/html; charset=utf-8" | "image/svg+xml"
    ) {
        set(header::CONTENT_SECURITY_POLICY, POLICY);
        set(header::REFERRER_POLICY, "same-origin");
        set(header::X_FRAME_OPTIONS, "DENY");
        set(
            HeaderName::from_static("cross-origin-opener-policy"),
            "same-origin",
        );
        set(
            HeaderName::from_static("permissions-policy"),
            "camera=(), geolocation=(), microphone=()",
        );
    }
    if matches!(coding, Encoding::Gzip) {
        set(header::CONTENT_ENCODING, "gzip");
    }
    response
}

/// Whether the header `name`, such as `Accept`, lists the value `what` with a weight above 0.
pub(super) fn accepts(headers: &HeaderMap, name: HeaderName, what: &str) -> bool {
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
