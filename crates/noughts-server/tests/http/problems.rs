//! Problems: their status and type, the order of the checks, and a page for each problem.

use noughts_api::ProblemKind;

use crate::client::TestServer;

#[tokio::test]
async fn problems_are_checked_in_order_and_change_nothing() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let (other, others) = server.create_table(new_table).await;
    let (ann, bob) = (tokens["0"].as_str().unwrap(), tokens["1"].as_str().unwrap());
    let path = format!("/api/games/{id}/actions");
    let play = r#"{"turn":1,"play":"1-1"}"#;

    let check = async |token: &str, path: &str, body: &str, status: u16, kind: &str| {
        let answer = server.request_as(token, path, body).await;
        answer.is_problem(status, kind);
    };
    let nowhere = "/api/games/00000000000000000000000000/actions";
    check(ann, nowhere, play, 404, "no-such-game").await;
    check(ann, "/api/games/x/actions", play, 404, "no-such-game").await;
    check("", &path, play, 401, "no-token").await;
    check("nonsense", &path, play, 401, "wrong-token").await;
    let foreign = others["0"].as_str().unwrap();
    check(foreign, &path, play, 403, "wrong-game").await;
    check(bob, &path, play, 409, "not-your-turn").await;
    for (body, kind) in [
        (r#"{"turn":2,"play":"1-1"}"#, "future-turn"),
        (r#"{"turn":1,"play":"3-0"}"#, "off-board"),
        // The turn is checked first.
        (r#"{"turn":2,"play":"3-0"}"#, "future-turn"),
        (r#"{"turn":1,"rewind":1}"#, "no-rewind"),
    ] {
        check(ann, &path, body, 409, kind).await;
    }
    server.play(&id, &tokens["0"], 1, "1-1").await;
    check(bob, &path, r#"{"turn":2,"play":"1-1"}"#, 409, "occupied").await;
    let rematch = format!("/api/games/{id}/rematch");
    check(bob, &rematch, "", 409, "not-over").await;
    let resign = r#"{"turn":2,"resign":true}"#;
    server.request_as(bob, &path, resign).await;
    check(ann, &path, r#"{"turn":3,"play":"0-0"}"#, 409, "over").await;
    let seat = |seat: u8| format!("/api/games/{other}/seats/{seat}");
    check("", &seat(0), "{}", 409, "seat-taken").await;
    check("", &seat(9), "{}", 422, "no-such-seat").await;
    let page = server.request("GET", "/api/nothing", None).await;
    page.is_problem(404, "no-such-page");
    let game = format!("/api/games/{id}");
    let deleted = server.request("DELETE", &game, None).await;
    deleted.is_problem(405, "no-such-method");
    let view = server
        .request("GET", &format!("/api/games/{other}"), None)
        .await
        .body;
    assert_eq!(view["turn"], 1);
}

#[tokio::test]
async fn bodies_without_json_or_beyond_the_limit_are_refused() {
    let server = TestServer::new().await;
    let large = format!(r#"{{"variant":"{}"}}"#, "x".repeat(70_000));
    server
        .request("POST", "/api/games", Some(&large))
        .await
        .is_problem(413, "too-large");
    let text = server.send("POST", "/api/games", &[], None).await;
    text.is_problem(415, "wrong-content-type");
}

#[tokio::test]
async fn all_wrong_fields_are_listed() {
    let server = TestServer::new().await;
    let body = r#"{"variant":3,"history":"x","seats":[{"human":"A"},{"rabbit":1}],"colour":"red"}"#;
    let answer = server.request("POST", "/api/games", Some(body)).await;
    answer.is_problem(400, "wrong-type");
    let errors = answer.body["errors"].as_array().unwrap();
    let pointers: Vec<&str> = errors
        .iter()
        .map(|error| error["pointer"].as_str().unwrap())
        .collect();
    assert_eq!(
        pointers,
        ["/variant", "/history", "/seats/1/rabbit", "/colour"]
    );
    // The answer stays short even with a thousand wrong fields.
    let fields: Vec<String> = (0..1_000).map(|n| format!(r#""f{n}":0"#)).collect();
    let body = format!("{{{}}}", fields.join(","));
    let answer = server.request("POST", "/api/games", Some(&body)).await;
    answer.is_problem(400, "unknown-field");
    assert_eq!(answer.body["errors"].as_array().unwrap().len(), 8);
}

/// Every type in an answer is the path of a page that explains it.
#[tokio::test]
async fn every_problem_has_a_page() {
    let server = TestServer::new().await;
    let index = server.request("GET", "/problems", None).await;
    assert_eq!(index.status, 200);
    for kind in ProblemKind::ALL {
        let path = kind.because("").kind;
        assert!(index.text.contains(&path), "{path}");
        let text = server.request("GET", &path, None).await;
        assert!(text.headers.contains("content-type: text/plain"), "{path}");
        for part in [kind.title(), kind.cause(), kind.remedy()] {
            assert!(text.text.contains(part), "{path}: {}", text.text);
        }
        let accept = [("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")];
        let html = server.send("GET", &path, &accept, None).await;
        assert_eq!(html.status, 200);
        assert!(html.headers.contains("content-type: text/html"), "{path}");
        assert!(html.text.starts_with("<!doctype html>"), "{path}");
        assert!(
            html.headers
                .contains("content-security-policy: default-src 'none'")
        );
    }
}
