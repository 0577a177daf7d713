//! Tables are created and played to the end.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::TestServer;

#[tokio::test]
async fn two_clients_play_a_game_to_its_end() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"link"}],"take":[0]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let path = format!("/api/games/{id}");
    let sat = server
        .request(
            "POST",
            &format!("{path}/seats/1"),
            Some(r#"{"name":"Bob"}"#),
        )
        .await;
    assert_eq!(sat.status, 200, "{}", sat.body);
    let (ann, bob) = (&tokens["0"], &sat.body["token"]);
    let bob_seat = json!({"name": "Bob", "kind": "human", "symbol": "o", "present": false});
    assert_eq!(sat.body["view"]["seats"][1], bob_seat);
    assert_eq!(sat.body["view"]["you"], 1);
    for (turn, cell) in ["0-0", "1-0", "0-1", "1-1"].into_iter().enumerate() {
        let token = [ann, bob][turn % 2];
        let view = server.play(&id, token, turn + 1, cell).await;
        assert_eq!(view["turn"], turn + 2);
        assert_eq!(view["to_move"], (turn + 1) % 2);
        assert_eq!(
            view["last"],
            json!({"kind": "play", "seat": turn % 2, "move": cell})
        );
    }
    let view = server.play(&id, ann, 5, "0-2").await;
    let outcome =
        json!({"kind": "won", "sides": [0], "reason": "line", "line": ["0-0", "0-1", "0-2"]});
    assert_eq!(view["outcome"], outcome);
    assert_eq!(
        (&view["to_move"], &view["legal"]),
        (&json!(null), &json!([]))
    );
    assert_eq!(
        view["marks"],
        json!([0, 0, 0, 1, 1, null, null, null, null])
    );

    let past = server.request("GET", &format!("{path}?turn=2"), None).await;
    assert_eq!(
        past.body["marks"],
        json!([0, null, null, 1, null, null, null, null, null])
    );
    assert_eq!(past.body["outcome"], json!(null));
    let record = server.request("GET", &format!("{path}/record"), None).await;
    let lines: Vec<&str> = record.text.lines().collect();
    assert_eq!(lines[1], "variant 3x3k3");
    assert!(
        lines.contains(&"seat 1 o human Bob") && lines.contains(&"5 0 0-2"),
        "{lines:?}"
    );

    // Both request a rematch and change seats.
    let again = format!("{path}/rematch");
    let one = server.request_as(ann.as_str().unwrap(), &again, "").await;
    assert_eq!((one.status, &one.body["rematch"]), (200, &json!(null)));
    let seen = server.request("GET", &path, None).await;
    let offers = json!([{"kind": "rematch", "seat": 0, "entry": 7}]);
    assert_eq!(
        (&one.body["offers"], &seen.body["offers"]),
        (&offers, &offers)
    );
    let both = server.request_as(bob.as_str().unwrap(), &again, "").await;
    assert_eq!(both.body["offers"], json!([]));
    let next = both.body["rematch"]
        .as_str()
        .expect("a new game")
        .to_owned();
    let next = server
        .request("GET", &format!("/api/games/{next}"), None)
        .await;
    assert_eq!(next.body["seats"][0]["name"], "Bob");
    assert_eq!(next.body["seats"][1]["name"], "Ann");
    assert_eq!(next.body["turn"], 1);
    // Each player gets a token for the new seat. Ann requested the rematch first, so she repeats her request to get it.
    let ann_again = server.request_as(ann.as_str().unwrap(), &again, "").await;
    assert_eq!(
        (&ann_again.body["seat"], &both.body["seat"]),
        (&json!(1), &json!(0))
    );
    let path = format!("/api/games/{}/actions", next.body["id"].as_str().unwrap());
    let play = r#"{"turn":1,"play":"1-1"}"#;
    let token =
        |answer: &crate::client::Response| answer.body["token"].as_str().unwrap().to_owned();
    assert_eq!(
        server
            .request_as(&token(&ann_again), &path, play)
            .await
            .status,
        409
    );
    assert_eq!(
        server.request_as(&token(&both), &path, play).await.status,
        200
    );
}

#[tokio::test]
async fn answer_contains_the_reply_of_an_instant_robot() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"robot":"first"}]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let view = server.play(&id, &tokens["0"], 1, "1-1").await;
    assert_eq!(view["turn"], 3);
    assert_eq!(
        view["last"],
        json!({"kind": "play", "seat": 1, "move": "0-0"})
    );
    // By default the other seats have robots; their moves may come later.
    let (_, tokens) = server.create_table(r#"{"variant":"multi@4"}"#).await;
    assert!(tokens["0"].is_string() && tokens["1"].is_null());
}

#[tokio::test]
async fn every_family_of_variants_has_a_view() {
    let server = TestServer::new().await;
    for (variant, cells, legal) in [
        ("7x6k4+gravity", 42, 7),
        ("multi@4", 81, 9),
        ("5x5k4p3", 25, 25),
    ] {
        let (id, _) = server
            .create_table(&format!(r#"{{"variant":"{variant}"}}"#))
            .await;
        let view = server
            .request("GET", &format!("/api/games/{id}"), None)
            .await
            .body;
        assert_eq!(view["marks"].as_array().unwrap().len(), cells, "{variant}");
        assert_eq!(view["legal"].as_array().unwrap().len(), legal, "{variant}");
        assert_eq!(view["active"].is_number(), variant == "multi@4");
    }
    let (id, tokens) = server
        .create_table(r#"{"variant":"255x255k5","seats":[{"human":""},{"open":"link"}]}"#)
        .await;
    let view = server.play(&id, &tokens["0"], 1, "1-2").await;
    assert_eq!(view["marks"], json!(null));
    let rows = view["rows"].as_array().unwrap();
    assert_eq!(
        (rows.len(), &rows[0], &rows[1]),
        (255, &json!("255."), &json!("2. 1x 252."))
    );
    assert_eq!(view["legal"], json!(null));
}

#[tokio::test]
async fn table_starts_from_a_position_and_rewinds() {
    let server = TestServer::new().await;
    let new_table =
        r#"{"variant":"3x3k3","history":3,"seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    for (turn, cell) in ["0-0", "1-2", "2-0"].into_iter().enumerate() {
        server
            .play(&id, &tokens[(turn % 2).to_string()], turn + 1, cell)
            .await;
    }
    let actions = format!("/api/games/{id}/actions");
    let back = server
        .request_as(
            tokens["1"].as_str().unwrap(),
            &actions,
            r#"{"turn":4,"rewind":2}"#,
        )
        .await;
    assert_eq!(
        back.body["marks"],
        json!([0, null, null, null, null, null, null, null, null])
    );
    assert_eq!(
        (&back.body["to_move"], &back.body["turn"]),
        (&json!(0), &json!(5))
    );
    let from = format!(
        r#"{{"from":{{"game":"{id}","after":2}},"seats":[{{"human":""}},{{"robot":"first"}}]}}"#
    );
    let (next, tokens) = server.create_table(&from).await;
    let former_name = from.replace("after", "turn");
    server.create_table(&former_name).await;
    let view = server.play(&next, &tokens["0"], 1, "2-2").await;
    assert_eq!(
        view["marks"],
        json!([0, 1, null, null, null, 1, null, null, 0])
    );
}

#[tokio::test]
async fn repeats_are_safe() {
    let server = TestServer::new().await;
    let create_table = |key: &'static str, body: &'static str| {
        let server = &server;
        async move {
            let headers = [("Idempotency-Key", key)];
            server
                .send("POST", "/api/games", &headers, Some(body))
                .await
        }
    };
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":""},{"open":"link"}]}"#;
    let first = create_table("0123456789abcdef", new_table).await;
    let second = create_table("0123456789abcdef", new_table).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.body["id"], second.body["id"]);
    assert_eq!(first.body["tokens"], second.body["tokens"]);
    create_table("0123456789abcdef", r#"{"variant":"4x4k4"}"#)
        .await
        .is_problem(422, "key-reused");
    create_table("short", new_table)
        .await
        .is_problem(400, "invalid-key");

    let id = first.body["id"].as_str().unwrap();
    let sit = |key: &'static str, name: &'static str| {
        let (server, path) = (&server, format!("/api/games/{id}/seats/1"));
        async move {
            let headers = [("Idempotency-Key", key)];
            let body = json!({ "name": name }).to_string();
            server.send("POST", &path, &headers, Some(&body)).await
        }
    };
    let sat = sit("fedcba9876543210", "Bob").await;
    let again = sit("fedcba9876543210", "Bob").await;
    assert_eq!((sat.status, again.status), (200, 200));
    assert_eq!(sat.body["token"], again.body["token"]);
    sit("fedcba9876543210", "Rob")
        .await
        .is_problem(422, "key-reused");
    sit("another-key-by-another", "Bob")
        .await
        .is_problem(409, "seat-taken");

    let token = first.body["tokens"]["0"].as_str().unwrap();
    let bearer = format!("Bearer {token}");
    let act = |key: Option<&'static str>, body: &'static str| {
        let (server, path, bearer) = (&server, format!("/api/games/{id}/actions"), bearer.clone());
        async move {
            let mut headers = vec![("Authorization", bearer.as_str())];
            headers.extend(key.map(|key| ("Idempotency-Key", key)));
            server.send("POST", &path, &headers, Some(body)).await
        }
    };
    let play = r#"{"turn":1,"play":"1-1"}"#;
    for key in [Some("k"), Some("k"), None, Some("other")] {
        let answer = act(key, play).await;
        assert_eq!(
            (answer.status, &answer.body["turn"]),
            (200, &json!(2)),
            "{key:?}"
        );
    }
    act(Some("k"), r#"{"turn":1,"play":"0-0"}"#)
        .await
        .is_problem(422, "key-reused");
    act(Some("n"), r#"{"turn":1,"play":"0-0"}"#)
        .await
        .is_problem(409, "stale");
}

#[tokio::test]
async fn repeated_move_with_gravity_is_recognized() {
    let server = TestServer::new().await;
    let new_table =
        r#"{"variant":"7x6k4+gravity","seats":[{"human":""},{"human":""}],"take":[0,1]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    server.play(&id, &tokens["0"], 1, "3").await;
    server.play(&id, &tokens["1"], 2, "3").await;
    let path = format!("/api/games/{id}/actions");
    let (ann, bob) = (tokens["0"].as_str().unwrap(), tokens["1"].as_str().unwrap());
    for (token, body) in [
        (ann, r#"{"turn":1,"play":"3"}"#),
        (ann, r#"{"turn":1,"play":"5-3"}"#),
        (bob, r#"{"turn":2,"play":"3"}"#),
    ] {
        let again = server.request_as(token, &path, body).await;
        assert_eq!(
            (again.status, &again.body["turn"]),
            (200, &json!(3)),
            "{body}"
        );
    }
    let other = server
        .request_as(ann, &path, r#"{"turn":1,"play":"4"}"#)
        .await;
    other.is_problem(409, "stale");
}

#[tokio::test]
async fn tcp_client_joins_lobby_seat() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"lobby"}]}"#;
    let (id, tokens) = server.create_table(new_table).await;
    let listed = server
        .request("GET", "/api/games?status=waiting", None)
        .await;
    assert_eq!(listed.body["games"][0]["id"], id);
    server.play(&id, &tokens["0"], 1, "1-1").await;
    let mut bob = TcpStream::connect(("127.0.0.1", server.pairs))
        .await
        .unwrap();
    bob.write_all(b"\x01\0\0\x30\x39Bob\0\0\x03\0\0\x30\x39")
        .await
        .unwrap();
    // READY, ADMIT 2, and the move that was made before.
    let mut heard = [0; 5 + 6 + 8];
    bob.read_exact(&mut heard).await.unwrap();
    assert_eq!(
        &heard,
        b"\x02\0\0\x30\x39\x04\0\0\x30\x39\x02\x05\0\0\x30\x391-1"
    );
    bob.write_all(b"\x05\0\0\x30\x390-0").await.unwrap();
    let mut turn = 1;
    while turn < 3 {
        let view = server
            .request("GET", &format!("/api/games/{id}"), None)
            .await
            .body;
        turn = view["turn"].as_u64().unwrap();
        assert_eq!(view["seats"][1]["name"], "Bob");
    }
    drop(bob);
    let mut view = json!(null);
    while view["outcome"].is_null() {
        view = server
            .request("GET", &format!("/api/games/{id}"), None)
            .await
            .body;
    }
    let won = json!({"kind": "won", "sides": [0], "reason": "leaving", "line": []});
    assert_eq!(view["outcome"], won);
}

#[tokio::test]
async fn view_has_the_seat_of_its_reader() {
    let server = TestServer::new().await;
    let new_table = r#"{"variant":"multi","seats":[{"human":"Ann"},{"human":"Bob"}]}"#;
    let created = server.request("POST", "/api/games", Some(new_table)).await;
    // The tokens are for two seats, so the view does not say which is the reader's.
    assert_eq!(created.body["view"].get("you"), None);
    let id = created.body["id"].as_str().unwrap();
    let path = format!("/api/games/{id}");
    for seat in ["0", "1"] {
        let bearer = format!("Bearer {}", created.body["tokens"][seat].as_str().unwrap());
        let headers = [("Authorization", bearer.as_str())];
        for path in [path.clone(), format!("{path}?after=0")] {
            let view = server.send("GET", &path, &headers, None).await.body;
            assert_eq!(view["you"].to_string(), seat);
            let mut without = view.clone();
            without.as_object_mut().unwrap().remove("you");
            assert_eq!(server.request("GET", &path, None).await.body, without);
        }
    }
    let ann = &created.body["tokens"]["0"];
    assert_eq!(server.play(id, ann, 1, "4-4").await["you"], 0);
    let wrong = [("Authorization", "Bearer nobody")];
    let refused = server.send("GET", &path, &wrong, None).await;
    refused.is_problem(401, "wrong-token");
    let one = server.create_table(r#"{"variant":"3x3k3"}"#).await.0;
    let bearer = format!("Bearer {}", ann.as_str().unwrap());
    let headers = [("Authorization", bearer.as_str())];
    let path = format!("/api/games/{one}");
    let refused = server.send("GET", &path, &headers, None).await;
    refused.is_problem(403, "wrong-game");
}

/// The caller takes the `human` seats. Lists show a waiting table with a link seat only if it was created with
/// `"listed":true`.
#[tokio::test]
async fn seats_and_listing_of_a_new_table() {
    let server = TestServer::new().await;
    for (body, taken) in [
        (r#"{"variant":"3x3k3"}"#, &["0"][..]),
        (
            r#"{"variant":"3x3k3","seats":[{"robot":"first"},{"human":""}]}"#,
            &["1"],
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"human":""},{"human":""}]}"#,
            &["0", "1"],
        ),
        (
            r#"{"variant":"3x3k3","seats":[{"robot":"first"},{"robot":"first"}]}"#,
            &[],
        ),
    ] {
        let tokens = server.create_table(body).await.1;
        let seats: Vec<&String> = tokens.as_object().unwrap().keys().collect();
        assert_eq!(seats, taken, "{body}");
    }
    let link = r#""variant":"3x3k3","seats":[{"human":""},{"open":"link"}]"#;
    let (unlisted, _) = server.create_table(&format!("{{{link}}}")).await;
    let (listed, tokens) = server
        .create_table(&format!(r#"{{{link},"listed":true}}"#))
        .await;
    let waiting = server
        .request("GET", "/api/games?status=waiting", None)
        .await;
    let games = waiting.body["games"].as_array().unwrap();
    assert_eq!(games.len(), 1, "{unlisted} is not listed: {games:?}");
    assert_eq!(
        (&games[0]["id"], &games[0]["ended_ms"]),
        (&json!(listed), &json!(null))
    );
    assert_eq!(
        games[0]["seats"][1],
        json!({"kind": "open", "name": "", "present": false, "open": "link"})
    );
    let path = format!("/api/games/{listed}");
    let view = server.request("GET", &path, None).await.body;
    let seat = json!({"name": "", "kind": "open", "symbol": "o", "present": false, "open": "link"});
    assert_eq!(view["seats"][1], seat);
    // A seat that is taken without a name is no longer open.
    server
        .request("POST", &format!("{path}/seats/1"), Some("{}"))
        .await;
    let view = server.request("GET", &path, None).await.body;
    let seat = json!({"name": "", "kind": "human", "symbol": "o", "present": false});
    assert_eq!(view["seats"][1], seat);
    let resign = r#"{"turn":1,"resign":true}"#;
    let ann = tokens["0"].as_str().unwrap();
    server
        .request_as(ann, &format!("{path}/actions"), resign)
        .await;
    let over = server
        .request("GET", "/api/games?status=over", None)
        .await
        .body;
    let games = over["games"].as_array().unwrap();
    let game = games.iter().find(|game| game["id"] == listed).unwrap();
    assert!(
        game["ended_ms"].as_u64() >= game["created_ms"].as_u64(),
        "{game}"
    );
    assert_eq!(game["outcome"]["sides"], json!([1]));
    let hidden = r#"{"variant":"3x3k3","seats":[{"human":""},{"open":"lobby"}],"listed":false}"#;
    let refused = server.request("POST", "/api/games", Some(hidden)).await;
    refused.is_problem(422, "seat-conflict");
}

#[tokio::test]
async fn lists_show_a_game_by_link_and_its_rematch_only_when_it_is_over() {
    let server = TestServer::new().await;
    let link = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"link"}]}"#;
    let (id, tokens) = server.create_table(link).await;
    let sat = server
        .request("POST", &format!("/api/games/{id}/seats/1"), Some("{}"))
        .await;
    let (ann, bob) = (&tokens["0"], &sat.body["token"]);
    let ids = |games: &Value| {
        let games = games["games"].as_array().unwrap().iter();
        games.map(|game| game["id"].clone()).collect::<Vec<Value>>()
    };
    let running = server.request("GET", "/api/games", None).await;
    assert_eq!(ids(&running.body), [json!(null); 0]);
    let resign = r#"{"turn":1,"resign":true}"#;
    let actions = format!("/api/games/{id}/actions");
    server
        .request_as(ann.as_str().unwrap(), &actions, resign)
        .await;
    let mut rematch = json!(null);
    for token in [ann, bob] {
        let path = format!("/api/games/{id}/rematch");
        let answer = server.request_as(token.as_str().unwrap(), &path, "").await;
        rematch = answer.body["rematch"].clone();
    }
    assert!(rematch.is_string(), "{rematch}");
    let after = server.request("GET", "/api/games", None).await;
    assert_eq!(ids(&after.body), [json!(id)], "the rematch is not listed");
}

#[tokio::test]
async fn lists_show_an_unlisted_game_without_open_seats_only_when_it_is_over() {
    let server = TestServer::new().await;
    let table = r#""variant":"3x3k3","seats":[{"human":"Ann"},{"robot":"first"}]"#;
    let (listed, _) = server.create_table(&format!("{{{table}}}")).await;
    let (unlisted, tokens) = server
        .create_table(&format!(r#"{{{table},"listed":false}}"#))
        .await;
    let list = async || {
        let games = server.request("GET", "/api/games", None).await.body;
        let games = games["games"].as_array().unwrap().iter();
        games.map(|game| game["id"].clone()).collect::<Vec<Value>>()
    };
    assert_eq!(list().await, [json!(listed)]);
    let ann = tokens["0"].as_str().unwrap();
    let actions = format!("/api/games/{unlisted}/actions");
    let resigned = server
        .request_as(ann, &actions, r#"{"turn":1,"resign":true}"#)
        .await;
    assert_eq!(resigned.status, 200);
    assert!(list().await.contains(&json!(unlisted)));
}
