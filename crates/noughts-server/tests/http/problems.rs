//! Every problem with its status and type.

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
        .is_problem(401, "no-token");
    let foreign = others["0"].as_str().unwrap();
    server
        .request_as(foreign, &path, play)
        .await
        .is_problem(403, "wrong-game");
    for body in [
        "",
        "{",
        "[]",
        r#"{"turn":1}"#,
        r#"{"turn":1,"play":"1-1","resign":true}"#,
        r#"{"turn":1,"play":"middle"}"#,
        r#"{"turn":-1,"play":"1-1"}"#,
        r#"{"turn":1,"play":"<<1"}"#,
    ] {
        server
            .request_as(ann, &path, body)
            .await
            .is_problem(400, "unreadable");
    }
    server
        .request_as(bob, &path, play)
        .await
        .is_problem(409, "not-your-turn");
    server
        .request_as(ann, &path, r#"{"turn":2,"play":"1-1"}"#)
        .await
        .is_problem(409, "stale");
    server
        .request_as(ann, &path, r#"{"turn":1,"play":"3-0"}"#)
        .await
        .is_problem(409, "off-board");
    // `over` is checked first.
    server
        .request_as(ann, &path, r#"{"turn":2,"play":"3-0"}"#)
        .await
        .is_problem(409, "stale");
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
        .is_problem(404, "no-such-page");
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
async fn impossible_tables_are_explained() {
    let server = TestServer::new().await;
    for (body, part) in [
        (r#"{}"#, "needs a variant"),
        (r#"{"variant":"3x3"}"#, "3x3"),
        (r#"{"variant":"3x3k3","history":9}"#, "0 to 8"),
        (r#"{"variant":"3x3k3","seats":[{"human":"A"}]}"#, "2 seats"),
        (r#"{"variant":"3x3k3","take":[2]}"#, "0 to 1"),
        (
            r#"{"variant":"3x3k3","seats":[{"human":"A"},{"human":"B"}]}"#,
            "take",
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"human":"A"},{"robot":"engine:rm"}]}"#,
            "is not a strategy",
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"human":"A"},{"robot":"search:6s"}]}"#,
            "too long",
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"human":"A"},{"robot":"minimax:10"}]}"#,
            "minimax:9",
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"human":"A"},{"robot":"mcts:1000001"}]}"#,
            "mcts:1000000",
        ),
        (
            r#"{"variant":"15x15k5","seats":[{"human":"A"},{"robot":"perfect"}]}"#,
            "does not play",
        ),
        (
            "{\"variant\":\"3x3k3\",\"seats\":[{\"human\":\"a\u{202e}b\"},{\"robot\":\"first\"}]}",
            "U+202E",
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"human":"a\nb"},{"robot":"first"}]}"#,
            "U+000A",
        ),
    ] {
        let answer = server.request("POST", "/api/games", Some(body)).await;
        answer.is_problem(422, "impossible");
        let detail = answer.body["detail"].as_str().unwrap();
        assert!(detail.contains(part), "{body}: {detail}");
    }
    let unknown = server
        .request("POST", "/api/games", Some(r#"{"varient":"3x3k3"}"#))
        .await;
    unknown.is_problem(400, "unreadable");
    let large = format!(r#"{{"variant":"{}"}}"#, "x".repeat(70_000));
    server
        .request("POST", "/api/games", Some(&large))
        .await
        .is_problem(413, "too-large");
    let text = server.send("POST", "/api/games", &[], None).await;
    text.is_problem(415, "wrong-medium");
}
