//! ETags and conditional requests, compression, HEAD, `Cache-Control` and `RateLimit`.

use std::io::Read as _;

use flate2::read::GzDecoder;
use noughts_server::HttpLimits;
use tokio::io::AsyncReadExt;

use crate::client::{Response, TestServer};

const NEW_TABLE: &str =
    r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;

/// The value of a header; header names and values are in lower case.
fn header<'r>(response: &'r Response, name: &str) -> Option<&'r str> {
    let mut lines = response.headers.split("\r\n");
    lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[tokio::test]
async fn conditional_requests_get_304_until_something_changes() {
    let server = TestServer::new().await;
    let (id, tokens) = server.create_table(NEW_TABLE).await;
    let view = format!("/api/games/{id}");
    for path in [
        &view,
        "/api/games",
        "/api/variants",
        "/api/strategies",
        "/api/openapi.json",
    ] {
        let full = server.request("GET", path, None).await;
        assert_eq!(header(&full, "cache-control"), Some("no-cache"), "{path}");
        let tag = header(&full, "etag")
            .unwrap_or_else(|| panic!("{path}"))
            .replace("w/", "W/");
        for known in [
            &tag,
            &tag.replace("W/", ""),
            &format!("\"other\", {tag}"),
            "*",
        ] {
            let same = server
                .send("GET", path, &[("If-None-Match", known)], None)
                .await;
            assert_eq!(
                (same.status, same.text.as_str()),
                (304, ""),
                "{path} {known}"
            );
            assert_eq!(
                header(&same, "etag").map(|tag| tag.replace("w/", "W/")),
                Some(tag.clone())
            );
        }
        let other = server
            .send("GET", path, &[("If-None-Match", "\"other\"")], None)
            .await;
        assert_eq!((other.status, other.body), (200, full.body), "{path}");
    }
    let list = "/api/games";
    for path in [&view, list] {
        let tag = server.request("GET", path, None).await;
        let tag = header(&tag, "etag").unwrap().replace("w/", "W/");
        if path == list {
            server.create_table(NEW_TABLE).await;
        } else {
            server.play(&id, &tokens["0"], 1, "1-1").await;
        }
        let changed = server
            .send("GET", path, &[("If-None-Match", &tag)], None)
            .await;
        assert_eq!(changed.status, 200, "{path}");
        assert_ne!(header(&changed, "etag").unwrap().replace("w/", "W/"), tag);
    }
    // The view also has the presence. A request with a token makes its player present for a while, unless the player
    // leaves.
    let leave = format!("{view}/leave");
    let token = tokens["0"].as_str().unwrap();
    assert_eq!(server.request_as(token, &leave, "").await.status, 204);
    let before = server.request("GET", &view, None).await;
    let tag = header(&before, "etag").unwrap().replace("w/", "W/");
    let bearer = format!("Bearer {}", tokens["0"].as_str().unwrap());
    let events = format!("{view}/events");
    let mut stream = server
        .open("GET", &events, &[("Authorization", &bearer)], None)
        .await;
    stream.read_exact(&mut [0; 12]).await.unwrap();
    let after = server
        .send("GET", &view, &[("If-None-Match", &tag)], None)
        .await;
    assert_eq!(after.status, 200);
    assert_eq!(after.body["seats"][0]["present"], true);
    // The answer to a request with a token may differ from others, and is not for shared caches.
    let own = server
        .send("GET", &view, &[("Authorization", &bearer)], None)
        .await;
    assert_eq!(header(&own, "cache-control"), Some("private, no-cache"));
}

#[tokio::test]
async fn answers_that_must_not_be_kept_say_so() {
    let server = TestServer::new().await;
    let created = server.request("POST", "/api/games", Some(NEW_TABLE)).await;
    assert_eq!(
        header(&created, "cache-control"),
        Some("no-store"),
        "it has tokens"
    );
    assert_eq!(header(&created, "etag"), None);
    for path in ["/healthz", "/readyz", "/metrics", "/api/nothing"] {
        let answer = server.request("GET", path, None).await;
        assert_eq!(header(&answer, "cache-control"), Some("no-store"), "{path}");
    }
    let id = created.body["id"].as_str().unwrap();
    let path = format!("/api/games/{id}/events");
    let accept = [("Accept-Encoding", "gzip")];
    let mut stream = server.open("GET", &path, &accept, None).await;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    assert!(head.contains("cache-control: no-"), "{head}");
    assert!(!head.contains("content-encoding"), "{head}");
}

#[tokio::test]
async fn large_answers_are_compressed_for_clients_that_accept_it() {
    let server = TestServer::new().await;
    for (path, is_large) in [
        ("/api/openapi.json", true),
        ("/api/docs.js", true),
        ("/api/games", false),
    ] {
        let plain = server.request("GET", path, None).await;
        assert!(header(&plain, "content-encoding").is_none());
        let mut stream = server
            .open("GET", path, &[("Accept-Encoding", "br, gzip;q=0.8")], None)
            .await;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let end = bytes
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .unwrap();
        let (head, body) = (
            String::from_utf8(bytes[..end].to_vec()).unwrap(),
            &bytes[end + 4..],
        );
        let head = head.to_lowercase();
        assert!(head.contains("vary: accept-encoding"), "{head}");
        assert_eq!(
            head.contains("content-encoding: gzip"),
            is_large,
            "{path}: {head}"
        );
        assert!(
            head.contains(&format!("content-length: {}", body.len())),
            "{path}: {head}"
        );
        if is_large {
            assert!(body.len() < plain.text.len(), "{path}");
            let mut text = String::new();
            GzDecoder::new(body).read_to_string(&mut text).unwrap();
            assert_eq!(text, plain.text);
        }
        let refused = [("Accept-Encoding", "gzip;q=0")];
        let refused = server.send("GET", path, &refused, None).await;
        assert!(header(&refused, "content-encoding").is_none());
    }
}

#[tokio::test]
async fn head_has_the_headers_of_get_and_no_body() {
    let server = TestServer::new().await;
    let (id, _) = server.create_table(NEW_TABLE).await;
    let paths = [
        format!("/api/games/{id}"),
        "/api/games".to_owned(),
        "/healthz".to_owned(),
        "/".to_owned(),
    ];
    for path in &paths {
        let get = server.request("GET", path, None).await;
        let head = server.request("HEAD", path, None).await;
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        for name in ["content-type", "content-length", "etag", "cache-control"] {
            assert_eq!(header(&head, name), header(&get, name), "{path} {name}");
        }
    }
    let missing = server.request("HEAD", "/api/nothing", None).await;
    assert_eq!((missing.status, missing.text.as_str()), (404, ""));
    // An event stream has no end, but the answer to HEAD ends after the headers.
    let events = server
        .request("HEAD", &format!("{}/events", paths[0]), None)
        .await;
    assert_eq!((events.status, events.text.as_str()), (200, ""));
}

#[tokio::test]
async fn limited_addresses_learn_how_many_requests_are_left() {
    let limits = HttpLimits {
        per_second: 1,
        at_once: 3,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    for left in [2, 1, 0] {
        let answer = server.get_from("127.0.0.2", "/api/variants").await;
        assert_eq!(
            header(&answer, "ratelimit-policy"),
            Some("\"requests\";q=3;w=3")
        );
        let rate = header(&answer, "ratelimit").unwrap();
        assert!(
            rate.starts_with(&format!("\"requests\";r={left};t=1")),
            "{rate}"
        );
    }
    let refused = server.get_from("127.0.0.2", "/api/variants").await;
    refused.is_problem(429, "too-many-requests");
    assert!(
        header(&refused, "ratelimit")
            .unwrap()
            .starts_with("\"requests\";r=0;t=")
    );
    // Requests from 127.0.0.1 have no limit.
    let local = server.request("GET", "/api/variants", None).await;
    assert_eq!(header(&local, "ratelimit"), None);
}
