//! Headers for caches, and compression: `Cache-Control`, `ETag` with `If-None-Match`, and gzip.
//!
//! Only responses to GET and HEAD are compressed. A response to POST may contain a token next to text that an attacker
//! has chosen. If such a response were compressed, its length would reveal parts of the token.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use futures_util::{StreamExt, stream};
use sha2::{Digest, Sha256};

use super::site::{accepts, compressed};

/// Bodies with fewer bytes are not compressed, because they fit into one packet.
const MIN_COMPRESSED: usize = 1024;

/// Bodies with more bytes are not compressed, because compression would take milliseconds. Every view is smaller than
/// this limit.
const MAX_COMPRESSED: usize = 256 * 1024;

/// The properties of a request that determine how its response is cached and compressed.
pub(super) struct CachePolicy {
    is_read: bool,
    is_head: bool,
    is_api: bool,
    has_token: bool,
    accepts_gzip: bool,
    /// The value of `If-None-Match`: the `ETag` values of the bodies that the client already has.
    known: Option<HeaderValue>,
}

impl CachePolicy {
    pub(super) fn new<B>(request: &Request<B>) -> CachePolicy {
        let headers = request.headers();
        CachePolicy {
            is_read: is_read(request.method()),
            is_head: request.method() == Method::HEAD,
            is_api: request.uri().path().starts_with("/api/"),
            has_token: headers.contains_key(header::AUTHORIZATION),
            accepts_gzip: accepts(headers, header::ACCEPT_ENCODING, "gzip"),
            known: headers.get(header::IF_NONE_MATCH).cloned(),
        }
    }

    /// Sets the headers for caches. Compresses the body, or answers 304 without a body if the client already has the
    /// body. A response to HEAD loses its body.
    pub(super) fn apply(&self, response: &mut Response) {
        let size = response.body().size_hint().exact();
        match response.status() {
            StatusCode::OK if self.is_read && size.is_some() => self.apply_to_whole(response),
            StatusCode::NOT_MODIFIED => self.set_cache_headers(response.headers_mut()),
            _ => set_default(response.headers_mut(), header::CACHE_CONTROL, "no-store"),
        }
        if self.is_head {
            let size = response.body().size_hint().exact();
            let headers = response.headers_mut();
            if let (Some(size), false) = (size, headers.contains_key(header::CONTENT_LENGTH)) {
                headers.insert(header::CONTENT_LENGTH, size.into());
            }
            *response.body_mut() = Body::empty();
        }
    }

    /// Does the work of [`apply`](CachePolicy::apply) for a response to GET or HEAD with status 200 and a body of known
    /// size.
    fn apply_to_whole(&self, response: &mut Response) {
        let is_compressible = self.accepts_gzip && is_compressible(response);
        let mut bytes = None;
        if self.is_api {
            if !response.headers().contains_key(header::ETAG) {
                bytes = take_whole(response.body_mut());
                if let Some(bytes) = &bytes {
                    response
                        .headers_mut()
                        .insert(header::ETAG, weak_tag(hash_for_tag(bytes)));
                }
            }
            self.set_cache_headers(response.headers_mut());
        } else {
            set_default(response.headers_mut(), header::CACHE_CONTROL, "no-store");
        }
        let tag = response.headers().get(header::ETAG);
        if let (Some(tag), Some(known)) = (tag, &self.known)
            && has_tag(known, tag)
        {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            let headers = response.headers_mut();
            headers.remove(header::CONTENT_TYPE);
            headers.remove(header::CONTENT_LENGTH);
            headers.remove(header::CONTENT_ENCODING);
            return;
        }
        if is_compressible {
            bytes = bytes.or_else(|| take_whole(response.body_mut()));
            let gzip = bytes
                .as_ref()
                .map(|bytes| compressed(bytes, Compression::fast()));
            if let Some(gzip) = gzip {
                let headers = response.headers_mut();
                headers.remove(header::CONTENT_LENGTH);
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
                bytes = Some(gzip.into());
            }
        }
        if let Some(bytes) = bytes {
            *response.body_mut() = Body::from(bytes);
        }
    }

    /// Sets the headers for caches of an API response, or of any response with status 304.
    fn set_cache_headers(&self, headers: &mut HeaderMap) {
        let cache_control = match self.has_token {
            true => "private, no-cache",
            false => "no-cache",
        };
        set_default(headers, header::CACHE_CONTROL, cache_control);
        headers.append(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    }
}

/// Whether the client already has the body with this tag.
pub(super) fn is_known(request: &HeaderMap, tag: &HeaderValue) -> bool {
    let known = request.get(header::IF_NONE_MATCH);
    known.is_some_and(|known| has_tag(known, tag))
}

fn has_tag(known: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(known), Ok(tag)) = (known.to_str(), tag.to_str()) else {
        return false;
    };
    fn opaque(tag: &str) -> &str {
        tag.trim().trim_start_matches("W/")
    }
    let mut tags = known.split(',').map(opaque);
    known.trim() == "*" || tags.any(|known| known == opaque(tag))
}

/// The response to a client that already has the body with this tag.
pub(super) fn not_modified(tag: HeaderValue) -> Response {
    (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response()
}

/// Whether a method only reads: GET or HEAD.
pub(super) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The first eight bytes of the SHA-256 hash of `bytes`, for a tag.
fn hash_for_tag(bytes: &[u8]) -> u64 {
    let hash = Sha256::digest(bytes);
    let first = hash.first_chunk::<8>().expect("SHA-256 has 32 bytes");
    u64::from_be_bytes(*first)
}

/// The `ETag` of a body with this hash. The tag is weak (`W/`), because the compressed and the plain body
/// have the same tag.
pub(super) fn weak_tag(hash: u64) -> HeaderValue {
    // Every response with a view needs a tag, and `format!` would take eight times as many instructions as this loop.
    let mut tag = *b"W/\"0123456789abcdef\"";
    for (digit, shift) in tag[3..19].iter_mut().zip((0..64).step_by(4).rev()) {
        *digit = b"0123456789abcdef"[(hash >> shift & 0xf) as usize];
    }
    HeaderValue::from_bytes(&tag).expect("the tag is ASCII")
}

fn is_compressible(response: &Response) -> bool {
    let headers = response.headers();
    let content_type = headers.get(header::CONTENT_TYPE);
    let content_type = content_type
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let is_text = content_type.starts_with("application/json")
        || content_type.starts_with("text/")
        || content_type.starts_with("application/openmetrics-text");
    let size = response.body().size_hint().exact().unwrap_or(0) as usize;
    is_text
        && (MIN_COMPRESSED..=MAX_COMPRESSED).contains(&size)
        && !headers.contains_key(header::CONTENT_ENCODING)
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: &'static str) {
    headers
        .entry(name)
        .or_insert(HeaderValue::from_static(value));
}

/// Takes the bytes of a body that is complete in memory and has one frame. For every other body, returns
/// `None` and leaves all frames in the body.
fn take_whole(body: &mut Body) -> Option<Bytes> {
    let size = body.size_hint().exact()?;
    let mut rest = std::mem::take(body);
    let mut context = Context::from_waker(Waker::noop());
    match Pin::new(&mut rest).poll_frame(&mut context) {
        Poll::Ready(None) => Some(Bytes::new()),
        Poll::Ready(Some(first)) => {
            // A frame without data has trailers, and nothing here sends trailers.
            let first = first.map(|frame| frame.into_data().unwrap_or_default());
            match first {
                Ok(bytes) if bytes.len() as u64 == size && rest.is_end_stream() => Some(bytes),
                first => {
                    let frames = stream::iter([first]).chain(rest.into_data_stream());
                    *body = Body::from_stream(frames);
                    None
                }
            }
        }
        Poll::Pending => {
            *body = rest;
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use axum::body::to_bytes;
    use hyper::body::{Frame, SizeHint};

    use super::*;

    /// A body of known size in several frames.
    struct InFrames(VecDeque<&'static str>);

    impl HttpBody for InFrames {
        type Data = Bytes;
        type Error = axum::Error;

        fn poll_frame(
            mut self: Pin<&mut InFrames>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
            let next = self.0.pop_front();
            Poll::Ready(next.map(|text| Ok(Frame::data(text.into()))))
        }

        fn size_hint(&self) -> SizeHint {
            let size: usize = self.0.iter().map(|text| text.len()).sum();
            SizeHint::with_exact(size as u64)
        }
    }

    #[tokio::test]
    async fn body_in_several_frames_stays_intact() {
        for frames in [["ab", "cde"], ["", "abcde"], ["abcde", ""]] {
            let mut body = Body::new(InFrames(frames.into()));
            for _ in 0..2 {
                assert_eq!(take_whole(&mut body), None, "{frames:?}");
                assert!(!body.is_end_stream(), "{frames:?}");
            }
            let read = to_bytes(body, 5).await.unwrap();
            assert_eq!(read, "abcde", "{frames:?}");
        }
    }

    #[test]
    fn body_in_one_frame_is_taken() {
        for text in ["", "abcde"] {
            let mut body = Body::from(text);
            assert_eq!(take_whole(&mut body).as_deref(), Some(text.as_bytes()));
            assert!(body.is_end_stream());
        }
    }

    #[test]
    fn a_tag_has_the_sixteen_digits_of_its_hash() {
        assert_eq!(weak_tag(0x0123_4567_89ab_cdef), "W/\"0123456789abcdef\"");
        assert_eq!(weak_tag(0xf), "W/\"000000000000000f\"");
    }
}
