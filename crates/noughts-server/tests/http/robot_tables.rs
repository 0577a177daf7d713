//! Robot-only tables store many turns after a single request.

use noughts_server::HttpLimits;

use crate::client::TestServer;

const TABLE: &str =
    r#"{"variant":"20x20k20","seats":[{"robot":"first"},{"robot":"first"}],"take":[]}"#;

#[tokio::test]
async fn games_of_robots_count_as_stored_bytes() {
    let limits = HttpLimits {
        // Two games of 400 turns.
        import_bytes_per_day: 2 * 400 * 64 + 10,
        ..HttpLimits::default()
    };
    let server = TestServer::with(limits).await;
    let create = |address: &'static str, key: &'static str, table: &'static str| {
        let headers = [("X-Forwarded-For", address), ("Idempotency-Key", key)];
        let server = &server;
        async move {
            let path = "/api/games";
            server
                .send_as("application/json", path, &headers, table)
                .await
        }
    };
    let first = create("203.0.113.7", "0123456789abcde0", TABLE).await;
    assert_eq!(first.status, 201, "{}", first.text);
    // A repeat stores nothing, so it costs nothing.
    for _ in 0..3 {
        let again = create("203.0.113.7", "0123456789abcde0", TABLE).await;
        assert_eq!(again.status, 200);
    }
    assert_eq!(
        create("203.0.113.7", "0123456789abcde1", TABLE)
            .await
            .status,
        201
    );
    let refused = create("203.0.113.7", "0123456789abcde2", TABLE).await;
    refused.is_problem(429, "too-many-bytes");
    let again = create("203.0.113.7", "0123456789abcde1", TABLE).await;
    assert_eq!(again.status, 200, "a repeat is answered at the limit too");
    // People may still play, and other addresses are served.
    let people = r#"{"variant":"20x20k20"}"#;
    assert_eq!(
        create("203.0.113.7", "0123456789abcde3", people)
            .await
            .status,
        201
    );
    assert_eq!(
        create("203.0.113.8", "0123456789abcde4", TABLE)
            .await
            .status,
        201
    );
}
