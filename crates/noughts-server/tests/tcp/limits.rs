//! Limits of TCP clients. A client that exceeds a limit does not affect other clients.

use std::net::Ipv4Addr;
use std::time::Duration;

use noughts_server::{ConnectionLimits, listen};
use tokio::io::AsyncWriteExt;
use tokio::time::advance;

use crate::still_clock::still;
use crate::test_server::{Client, TestServer, shown, until};

const HELLO: &[u8] = b"\x01\0\0\x30\x39Ann\0\0";
const READY: &[u8] = b"\x02\0\0\x30\x39";
const PLAY: &[u8] = b"\x03\0\0\x30\x39";
const ADMIT: &[u8] = b"\x04\0\0\x30\x39\x01";
const WON: &[u8] = b"\x06\0\0\x30\x39\x01";
const REFUSED: &[u8] = b"\x08\0\0\x30\x39\x09Sessio Incorrecte\0\0";
const UNEXPECTED: &[u8] = b"\x08\0\0\x30\x39\x02Comanda Inesperada\0\0";

fn action(cell: &str) -> Vec<u8> {
    [b"\x05\0\0\x30\x39", cell.as_bytes()].concat()
}

/// Plays a whole game against `first`, and wins.
async fn wins_a_game(client: &mut Client) {
    client.send(PLAY).await;
    client.expect(ADMIT).await;
    for (mine, answer) in [("0-0", "0-1"), ("1-0", "0-2")] {
        client.send(&action(mine)).await;
        client.expect(&action(answer)).await;
    }
    client.send(&action("2-0")).await;
    client.expect(WON).await;
}

async fn greeted(port: u16) -> Client {
    let mut client = Client::connect(port).await;
    client.send(HELLO).await;
    client.expect(READY).await;
    client
}

#[tokio::test]
async fn connections_beyond_the_limit_are_refused_or_closed() {
    let limits = ConnectionLimits {
        connections: 2,
        ..ConnectionLimits::default()
    };
    let server = TestServer::new("first", 1, limits);
    let (mut one, _two) = (greeted(server.tcp).await, greeted(server.pairs).await);
    let mut told = Vec::new();
    for _ in 0..256 {
        told.push(Client::connect(server.tcp).await);
    }
    // When the last client has got its answer, all are counted.
    told[255].send(HELLO).await;
    told[255].expect(REFUSED).await;
    told[255].expect_end().await;
    let mut last = Client::connect(server.tcp).await;
    told[0].send(HELLO).await;
    told[0].expect(REFUSED).await;
    told[0].expect_end().await;
    wins_a_game(&mut one).await;
    // Two refused connections have ended, which makes room for other refusals. Nine clients are more than that: some
    // get a refusal, and most are closed without an answer.
    let mut more = Vec::new();
    for _ in 0..8 {
        more.push(Client::connect(server.tcp).await);
    }
    for client in more.iter_mut().chain([&mut last]) {
        client.send(HELLO).await;
    }
    let mut unheard = 0;
    for client in more.iter_mut().chain([&mut last]) {
        let heard = client.read(100).await;
        assert!(heard == REFUSED || heard.is_empty(), "{}", shown(&heard));
        unheard += usize::from(heard.is_empty());
    }
    assert!(unheard >= 5, "{unheard}");
    wins_a_game(&mut one).await;
    drop((told, more, one, last));
}

async fn greeted_from(address: [u8; 4], port: u16) -> Client {
    let mut client = Client::connect_from(address, port).await;
    client.send(HELLO).await;
    client.expect(READY).await;
    client
}

#[tokio::test]
async fn one_address_cannot_take_all_connections() {
    let limits = ConnectionLimits {
        connections: 100,
        per_address: 4,
        ..ConnectionLimits::default()
    };
    let server = TestServer::new("first", 1, limits);
    let address = [127, 0, 0, 2];
    // The limit counts both listeners together.
    let mut open = Vec::new();
    for port in [server.tcp, server.pairs, server.tcp, server.pairs] {
        open.push(greeted_from(address, port).await);
    }
    // Some more get a refusal, the others are closed at once.
    let mut refused = Vec::new();
    for _ in 0..16 {
        refused.push(Client::connect_from(address, server.tcp).await);
    }
    Client::connect_from(address, server.tcp)
        .await
        .expect_end()
        .await;
    for client in &mut refused {
        client.send(HELLO).await;
        client.expect(REFUSED).await;
        client.expect_end().await;
    }
    // Other addresses are not affected, and 127.0.0.1 has no limit.
    greeted_from([127, 0, 0, 3], server.tcp).await;
    for _ in 0..20 {
        open.push(greeted(server.tcp).await);
    }
    // A connection that closes makes room.
    open[0].0.shutdown().await.unwrap();
    open[0].expect_end().await;
    loop {
        let mut client = Client::connect_from(address, server.tcp).await;
        client.send(HELLO).await;
        match client.read(READY.len()).await {
            heard if heard == READY => break,
            heard => assert!(REFUSED.starts_with(&heard), "{}", shown(&heard)),
        }
    }
}

#[tokio::test]
async fn silent_refused_client_is_closed_after_five_seconds() {
    let _still = still();
    let limits = ConnectionLimits {
        connections: 1,
        ..ConnectionLimits::default()
    };
    let server = TestServer::new("first", 1, limits);
    let mut served = greeted(server.tcp).await;
    let mut refused = Client::connect(server.tcp).await;
    let mut next = Client::connect(server.tcp).await;
    next.send(HELLO).await;
    next.expect(REFUSED).await;
    next.expect_end().await;
    advance(Duration::from_secs(6)).await;
    refused.expect_end().await;
    wins_a_game(&mut served).await;
}

#[tokio::test]
async fn closed_connection_makes_room() {
    let limits = ConnectionLimits {
        connections: 1,
        ..ConnectionLimits::default()
    };
    let server = TestServer::new("first", 1, limits);
    for _ in 0..20 {
        let mut one = greeted(server.tcp).await;
        wins_a_game(&mut one).await;
        one.0.shutdown().await.unwrap();
        one.expect_end().await;
    }
}

#[tokio::test]
async fn endless_name_is_not_read() {
    let server = TestServer::usual("first");
    let mut client = Client::connect(server.tcp).await;
    client.send(b"\x01\0\0\x30\x39").await;
    client.send(&[b'a'; 300]).await;
    client.expect(REFUSED).await;
    client.expect_end().await;
}

#[tokio::test]
async fn connection_closes_after_fifty_errors() {
    let server = TestServer::usual("first");
    let mut client = greeted(server.tcp).await;
    client.send(&HELLO.repeat(1_000)).await;
    client.expect(&UNEXPECTED.repeat(50)).await;
    client.expect_end().await;
}

#[tokio::test]
async fn silent_client_is_closed_at_the_idle_limit() {
    let _still = still();
    let server = TestServer::usual("first");
    let mut quiet = Client::connect(server.tcp).await;
    let mut ready = greeted(server.tcp).await;
    let mut player = greeted(server.tcp).await;
    advance(Duration::from_secs(119)).await;
    // A whole game resets the idle time.
    wins_a_game(&mut player).await;
    advance(Duration::from_millis(1_001)).await;
    quiet.expect_end().await;
    ready.expect_end().await;
    wins_a_game(&mut player).await;
    advance(Duration::from_secs(121)).await;
    player.expect_end().await;
}

#[tokio::test]
async fn single_bytes_do_not_reset_the_idle_limit() {
    let _still = still();
    let server = TestServer::usual("first");
    let mut client = Client::connect(server.tcp).await;
    let mut other = greeted(server.tcp).await;
    for byte in &HELLO[..2] {
        client.send(&[*byte]).await;
        advance(Duration::from_secs(59)).await;
        wins_a_game(&mut other).await;
    }
    client.send(&HELLO[2..3]).await;
    advance(Duration::from_secs(3)).await;
    client.expect_end().await;
    wins_a_game(&mut other).await;
}

#[tokio::test]
async fn silent_client_of_a_pair_loses() {
    let _still = still();
    let server = TestServer::new("first", 1, ConnectionLimits::default());
    let mut a = greeted(server.pairs).await;
    let mut b = greeted(server.pairs).await;
    a.send(PLAY).await;
    server.until_waiting(1).await;
    // Waiting for an opponent does not count as idle.
    for _ in 0..5 {
        advance(Duration::from_secs(100)).await;
    }
    // b was silent all that time.
    b.expect_end().await;
    let mut b = greeted(server.pairs).await;
    b.send(PLAY).await;
    let (flag_a, flag_b) = (a.read(6).await[5], b.read(6).await[5]);
    assert_eq!((flag_a.min(flag_b), flag_a.max(flag_b)), (1, 2));
    let (mut first, mut second) = if flag_a == 1 { (a, b) } else { (b, a) };
    first.send(&action("0-0")).await;
    second.expect(&action("0-0")).await;
    // The client that waits for the other is not idle; the other is.
    advance(Duration::from_secs(121)).await;
    second.expect_end().await;
    first.expect(WON).await;
    first.send(PLAY).await;
    server.until_waiting(1).await;
}

#[tokio::test]
async fn client_that_does_not_read_is_closed_and_affects_no_other() {
    let _still = still();
    let server = TestServer::usual("first");
    let mut other = greeted(server.tcp).await;
    let greedy = greeted(server.tcp).await;
    let game = [PLAY, &action("0-0"), &action("1-0"), &action("2-0")].concat();
    let many = game.repeat(1_000);
    let mut taken = 0usize;
    // Until the server takes no more: its own queue and the socket buffers are full.
    let mut refusals = 0;
    while refusals < 1_000 {
        match greedy.0.try_write(&many) {
            Ok(count) => (taken, refusals) = (taken + count, 0),
            Err(_) => refusals += 1,
        }
        tokio::task::yield_now().await;
    }
    // The client's socket buffer holds some megabytes, the server's some kilobytes.
    assert!(taken < 10_000_000, "it reads and reads: {taken}");
    // For eight minutes, more than the idle limit, the greedy client reads nothing, and the other client plays.
    for _ in 0..8 {
        wins_a_game(&mut other).await;
        advance(Duration::from_secs(61)).await;
    }
    wins_a_game(&mut other).await;
    // The server has closed the connection, and has discarded the output that it could not send.
    let mut greedy = greedy;
    let heard = greedy.read(100_000_000).await;
    assert!(heard.starts_with(ADMIT), "{}", shown(&heard[..20]));
    wins_a_game(&mut other).await;
}

#[tokio::test]
async fn stopped_server_closes_connections_and_frees_ports() {
    let server = TestServer::usual("first");
    let mut idle = Client::connect(server.tcp).await;
    let mut ready = greeted(server.tcp).await;
    let mut waiting = greeted(server.pairs).await;
    waiting.send(PLAY).await;
    server.until_waiting(1).await;
    let mut playing = greeted(server.tcp).await;
    playing.send(PLAY).await;
    playing.expect(ADMIT).await;
    assert!(server.inner.stop().await, "a table stays open");
    for client in [&mut idle, &mut ready, &mut waiting, &mut playing] {
        client.expect_end().await;
    }
    for port in [server.tcp, server.pairs] {
        listen((Ipv4Addr::LOCALHOST, port).into()).expect("the port is free");
    }
}

/// The session's buffer is full while a move is decided, and the connection breaks. The connection's loop
/// must still process the table's answer.
#[tokio::test]
async fn broken_connection_with_a_full_buffer_delays_nobody() {
    for strategy in ["first", "mcts:100000"] {
        let server = TestServer::usual(strategy);
        for _ in 0..20 {
            let mut client = greeted(server.tcp).await;
            client.send(PLAY).await;
            client.expect(ADMIT).await;
            let flood = [&action("0-0")[..], &PLAY.repeat(1_200)].concat();
            client.send(&flood).await;
            client.0.set_zero_linger().unwrap();
            drop(client);
        }
        let mut other = greeted(server.tcp).await;
        other.send(PLAY).await;
        other.expect(ADMIT).await;
        assert!(server.inner.stop().await, "a table stays open");
    }
}

#[tokio::test]
async fn input_before_a_half_close_is_answered() {
    let server = TestServer::usual("first");
    for _ in 0..50 {
        let mut client = Client::connect(server.tcp).await;
        let moves = ["0-0", "1-0", "2-0"].map(action).concat();
        client.send(&[HELLO, PLAY, &moves].concat()).await;
        client.0.shutdown().await.unwrap();
        let answers = [READY, ADMIT, &action("0-1"), &action("0-2"), WON].concat();
        client.expect(&answers).await;
        client.expect_end().await;
    }
}

/// One robot computes, and many waiting requests are cancelled.
#[tokio::test]
async fn robot_stops_thinking_when_its_opponent_left() {
    let server = TestServer::usual("mcts:1000000");
    for _ in 0..100 {
        let mut client = greeted(server.tcp).await;
        client.send(&[PLAY, &action("1-1")].concat()).await;
        client.expect(ADMIT).await;
        client.0.set_zero_linger().unwrap();
    }
    until(|| server.inner.tables().is_empty()).await;
    let mut client = greeted(server.tcp).await;
    client.send(PLAY).await;
    client.expect(ADMIT).await;
    client.send(&action("1-1")).await;
    assert_eq!(client.read(8).await[..5], action("")[..]);
}
