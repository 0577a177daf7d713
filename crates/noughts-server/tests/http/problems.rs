//! Every problem with its status and type.

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

    let nowhere = "/api/games/00000000000000000000000000/actions";
    server
        .request_as(ann, nowhere, play)
        .await
        .is_problem(404, "no-such-game");
    server
        .request_as(ann, "/api/games/x/actions", play)
        .await
        .is_problem(404, "no-such-game");
    server
        .request("POST", &path, Some(play))
        .await
        .is_problem(401, "no-token");
    server
        .request_as("nonsense", &path, play)
        .await
        .is_problem(401, "wrong-token");
    let foreign = others["0"].as_str().unwrap();
    server
        .request_as(foreign, &path, play)
        .await
        .is_problem(403, "wrong-game");
    server
        .request_as(bob, &path, play)
        .await
        .is_problem(409, "not-your-turn");
    server
        .request_as(ann, &path, r#"{"turn":2,"play":"1-1"}"#)
        .await
        .is_problem(409, "future-turn");
    server
        .request_as(ann, &path, r#"{"turn":1,"play":"3-0"}"#)
        .await
        .is_problem(409, "off-board");
    // The turn is checked first.
    server
        .request_as(ann, &path, r#"{"turn":2,"play":"3-0"}"#)
        .await
        .is_problem(409, "future-turn");
    server
        .request_as(ann, &path, r#"{"turn":1,"rewind":1}"#)
        .await
        .is_problem(409, "no-rewind");
    server.play(&id, &tokens["0"], 1, "1-1").await;
    server
        .request_as(bob, &path, r#"{"turn":2,"play":"1-1"}"#)
        .await
        .is_problem(409, "occupied");
    server
        .request_as(bob, &format!("/api/games/{id}/rematch"), "")
        .await
        .is_problem(409, "not-over");
    server
        .request_as(bob, &path, r#"{"turn":2,"resign":true}"#)
        .await;
    server
        .request_as(ann, &path, r#"{"turn":3,"play":"0-0"}"#)
        .await
        .is_problem(409, "over");
    server
        .request("POST", &format!("/api/games/{other}/seats/0"), Some("{}"))
        .await
        .is_problem(409, "seat-taken");
    server
        .request("POST", &format!("/api/games/{other}/seats/9"), Some("{}"))
        .await
        .is_problem(422, "no-such-seat");
    server
        .request("GET", "/api/nothing", None)
        .await
        .is_problem(404, "no-such-page");
    server
        .request("DELETE", &format!("/api/games/{id}"), None)
        .await
        .is_problem(405, "no-such-method");
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
