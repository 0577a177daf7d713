//! `noughts admin` with a running server.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::request_bytes::request_bytes;
use crate::server_process::ServerProcess;
use crate::transcript::run;

struct AdminServer {
    server: ServerProcess,
    http: SocketAddr,
    tcp: SocketAddr,
    socket: PathBuf,
}

fn start(folder: &Path, socket: &str) -> AdminServer {
    let socket = folder.join(socket);
    let store = format!("sqlite:{}", folder.join("games.db").display());
    let words = ["--log", "off", "--store", &store, "--admin"];
    let server = ServerProcess::start(
        &[("http", "0.0.0.0:0"), ("tcp", "0.0.0.0:0")],
        &[&words[..], &[socket.to_str().unwrap()]].concat(),
    );
    let address = |listener| {
        let port: u16 = server.port(listener).parse().unwrap();
        (Ipv4Addr::LOCALHOST, port).into()
    };
    AdminServer {
        http: address("http"),
        tcp: address("tcp"),
        server,
        socket,
    }
}

impl AdminServer {
    /// Runs `noughts admin`. Returns the exit code, and the output or the error message.
    fn admin(&self, words: &[&str]) -> (i32, String) {
        let socket = self.socket.to_str().unwrap();
        let run = run(&[&["admin", "--socket", socket], words].concat(), b"");
        let output = String::from_utf8(run.output).unwrap();
        (run.exit, output + &run.errors)
    }

    #[track_caller]
    fn succeeds(&self, words: &[&str]) -> String {
        let (exit, told) = self.admin(words);
        assert_eq!(exit, 0, "{words:?}: {told}");
        told
    }

    #[track_caller]
    fn refuses(&self, words: &[&str], reason: &str) {
        let (exit, told) = self.admin(words);
        assert_eq!(exit, 1, "{words:?}: {told}");
        assert!(
            told.starts_with("Error: ") && told.contains(reason),
            "{told}"
        );
    }

    /// Sends a request from 127.0.0.1, and returns the status and the body of the response.
    fn request(&self, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
        exchange(
            TcpStream::connect(self.http).unwrap(),
            method,
            path,
            token,
            body,
        )
        .unwrap()
    }

    fn stop(mut self) {
        self.server.signal("-TERM");
        self.server.process.wait().unwrap();
        assert!(!self.socket.exists(), "the socket is removed");
    }
}

fn exchange(
    mut stream: TcpStream,
    method: &str,
    path: &str,
    token: &str,
    body: &str,
) -> Option<(u16, String)> {
    let request = request_bytes(method, path, token, &[], Some(body.as_bytes()));
    stream.write_all(&request).ok()?;
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    let status = answer.split(' ').nth(1)?.parse().ok()?;
    let (_, body) = answer.split_once("\r\n\r\n")?;
    Some((status, body.to_owned()))
}

/// A connection from 127.0.0.2. Unlike 127.0.0.1, this address has limits and can be banned.
fn from_another_address(to: SocketAddr) -> TcpStream {
    use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    let own: IpAddr = [127, 0, 0, 2].into();
    bind(&socket, &SocketAddr::new(own, 0)).unwrap();
    connect(&socket, &to).unwrap();
    TcpStream::from(socket)
}

/// Whether the server serves clients at 127.0.0.2. Asserts that HTTP and TCP give the same answer.
fn is_served(server: &AdminServer) -> bool {
    let stream = from_another_address(server.http);
    let http = exchange(stream, "GET", "/healthz", "", "").is_some();
    let mut tcp = from_another_address(server.tcp);
    let hello = [&[1, 0, 0, 0x30, 0x39][..], b"Ann\0\0"].concat();
    let _ = tcp.write_all(&hello);
    let ready = tcp.read_exact(&mut [0; 5]).is_ok();
    assert_eq!(http, ready, "every listener has the same bans");
    http
}

fn field<'a>(json: &'a str, name: &str) -> &'a str {
    let (_, rest) = json.split_once(&format!("\"{name}\":\"")).expect(json);
    &rest[..26]
}

#[test]
fn games_and_players_are_listed_ended_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), "admin.sock");
    let mode = server.socket.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let (_, ann) = server.request("POST", "/api/players", "", r#"{"name":"Ann"}"#);
    let player = field(&ann, "id").to_owned();
    let (_, rest) = ann.split_once("\"token\":\"").unwrap();
    let token = rest.split('"').next().unwrap();
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let create = || {
        let (status, created) = server.request("POST", "/api/games", token, table);
        assert_eq!(status, 201, "{created}");
        field(&created, "id").to_owned()
    };
    let (first, second) = (create(), create());
    let games = server.succeeds(&["games", "--status", "playing"]);
    assert!(
        games.contains(&first) && games.contains("playing") && games.contains("Ann"),
        "{games}"
    );
    assert!(
        server
            .succeeds(&["game", &first])
            .contains("unfinished, after 0 turns")
    );
    server.succeeds(&["end-game", &first]);
    let (_, view) = server.request("GET", &format!("/api/games/{first}"), "", "");
    assert!(view.contains(r#""outcome":{"kind":"aborted"}"#), "{view}");
    server.refuses(&["end-game", &first], "is over");
    server.succeeds(&["delete-game", &first]);
    let (status, _) = server.request("GET", &format!("/api/games/{first}"), "", "");
    assert_eq!(status, 404);
    server.refuses(&["delete-game", &first], "there is no game");
    server.refuses(&["game", "nonsense"], "`noughts admin games` lists the ids");
    server.refuses(
        &["games", "--status", "lost"],
        "the status is all, waiting, playing or over",
    );
    server.refuses(
        &["games", "--limit", "0"],
        "the limit is a number from 1 to 1000",
    );

    assert!(
        server
            .succeeds(&["players"])
            .contains(&format!("{player}  Ann"))
    );
    assert!(
        server
            .succeeds(&["player", &player])
            .contains(&format!("running: {second}"))
    );
    server.succeeds(&["delete-player", &player]);
    server.refuses(&["player", &player], "there is no player");
    server.refuses(&["player", "whatu"], "a player's id is 26 small letters");
    let (status, _) = server.request("GET", "/api/me", token, "");
    assert_eq!(status, 401);
    let (_, view) = server.request("GET", &format!("/api/games/{second}"), "", "");
    assert!(view.contains(r#""outcome":{"kind":"aborted"}"#), "{view}");
    server.stop();
}

#[test]
fn bans_apply_to_every_listener_and_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), "admin.sock");
    assert!(is_served(&server));
    server.refuses(
        &["ban", "127.0.0.300", "--for", "1h"],
        "a network is an address such as",
    );
    server.refuses(
        &["ban", "127.0.0.2", "--for", "soon"],
        "must be a time such as 90d",
    );
    server.refuses(
        &["ban", "127.0.0.2", "--until", "2026-02-30"],
        "a date such as 2026-12-31",
    );
    server.refuses(
        &["ban", "127.0.0.2", "--until", "2020-01-01"],
        "has passed already",
    );
    assert_eq!(server.admin(&["ban", "127.0.0.2"]).0, 2);
    server.succeeds(&["ban", "127.0.0.77/25", "--for", "1h", "--reason", "floods"]);
    assert!(!is_served(&server));
    // The ban covers 127.0.0.1 too, but this address is never banned, because the operator and health checks use it.
    assert_eq!(server.request("GET", "/healthz", "", "").0, 200);
    let bans = server.succeeds(&["bans"]);
    assert!(
        bans.contains("127.0.0.0/25  60 more minutes  floods"),
        "{bans}"
    );
    server.stop();

    let server = start(folder.path(), "admin.sock");
    // The list is read from the store when the server starts.
    server.succeeds(&["bans"]);
    assert!(!is_served(&server));
    server.refuses(&["unban", "127.0.0.2"], "127.0.0.2/32 is not banned");
    server.succeeds(&["unban", "127.0.0.0/25"]);
    assert!(is_served(&server));
}

/// Sends a request, and reads the answer up to the text `sign`. The returned connection stays open.
fn open(mut stream: TcpStream, request: &[u8], sign: &str) -> TcpStream {
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .unwrap();
    stream.write_all(request).unwrap();
    read_to(&mut stream, sign);
    stream
}

fn read_to(stream: &mut TcpStream, sign: &str) {
    let (mut answer, mut byte) = (Vec::new(), [0]);
    while !answer.ends_with(sign.as_bytes()) {
        let read = stream.read_exact(&mut byte);
        let answered = String::from_utf8_lossy(&answer);
        read.unwrap_or_else(|error| panic!("{sign}: {error} after {answered}"));
        answer.extend(byte);
    }
}

/// Whether the server closes the connection.
fn is_closed(mut stream: TcpStream) -> bool {
    match stream.read_to_end(&mut Vec::new()) {
        Ok(_) => true,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn a_ban_closes_open_connections() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), "admin.sock");
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (_, created) = server.request("POST", "/api/games", "", table);
    let id = field(&created, "id");
    let (_, rest) = created.split_once("\"tokens\":{\"0\":\"").unwrap();
    let token = rest.split('"').next().unwrap();

    let get = |path: &str, headers: &str| {
        format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n").into_bytes()
    };
    let (game, lobby) = (format!("/api/games/{id}/events"), "/api/games/events");
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    // The first message `{}` of a spectator, in a masked frame.
    let hello = [0x81, 0x82, 0, 0, 0, 0, b'{', b'}'];
    let websocket = |headers: &str| {
        let path = format!("/api/games/{id}/ws");
        [&get(&path, &format!("{upgrade}{headers}"))[..], &hello].concat()
    };
    let tcp = [&[1, 0, 0, 0x30, 0x39][..], b"Ann\0\0"].concat();
    let proxied = "X-Forwarded-For: 127.0.0.2\r\n";
    let close = format!("{proxied}Connection: close\r\n");
    let banned = || from_another_address(server.http);
    let local = || TcpStream::connect(server.http).unwrap();
    let clients = [
        (
            "TCP",
            open(from_another_address(server.tcp), &tcp, "\0\0\x30\x39"),
        ),
        ("HTTP", open(banned(), &get("/healthz", ""), "alive\n")),
        (
            "stream of a game",
            open(banned(), &get(&game, ""), "\"view\""),
        ),
        (
            "stream of the lobby",
            open(banned(), &get(lobby, ""), "\"games\""),
        ),
        ("WebSocket", open(banned(), &websocket(""), "\"view\"")),
        (
            "stream through a proxy",
            open(local(), &get(&game, &close), "\"view\""),
        ),
        (
            "WebSocket through a proxy",
            open(local(), &websocket(proxied), "\"view\""),
        ),
    ];
    let mut other = open(local(), &get(&game, ""), "\"view\"");
    server.succeeds(&["ban", "127.0.0.2", "--for", "1h"]);
    for (name, client) in clients {
        assert!(is_closed(client), "{name}");
    }
    // Streams of other addresses go on.
    let play = r#"{"turn":1,"play":"1-1"}"#;
    let (status, _) = server.request("POST", &format!("/api/games/{id}/actions"), token, play);
    assert_eq!(status, 200);
    read_to(&mut other, "\"change\"");
}

#[test]
fn a_draining_server_takes_no_new_games() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), "admin.sock");
    let table = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"human":"Bob"}],"take":[0,1]}"#;
    let (_, created) = server.request("POST", "/api/games", "", table);
    let id = field(&created, "id");
    let (_, rest) = created.split_once("\"tokens\":{\"0\":\"").unwrap();
    let token = rest.split('"').next().unwrap();
    server.succeeds(&["drain"]);
    let (status, problem) = server.request("POST", "/api/games", "", table);
    assert!(status == 503 && problem.contains("restarting"), "{problem}");
    assert_eq!(
        server.request("GET", "/readyz", "", ""),
        (503, "draining\n".to_owned())
    );
    let play = r#"{"turn":1,"play":"1-1"}"#;
    let (status, _) = server.request("POST", &format!("/api/games/{id}/actions"), token, play);
    assert_eq!(status, 200, "running games go on");
    let resign = r#"{"turn":2,"resign":true}"#;
    let actions = format!("/api/games/{id}/actions");
    let other = rest.split('"').nth(4).unwrap();
    assert_eq!(server.request("POST", &actions, other, resign).0, 200);
    let offer = r#"{"offer":"rematch"}"#;
    for (path, body) in [(actions, offer), (format!("/api/games/{id}/rematch"), "{}")] {
        let (status, problem) = server.request("POST", &path, token, body);
        assert!(status == 503 && problem.contains("restarting"), "{problem}");
    }
    let load = server.succeeds(&["load"]);
    for line in [
        "state                   draining",
        "tables in memory        1",
        "memory",
    ] {
        assert!(load.contains(line), "{load}");
    }
    server.succeeds(&["drain", "--off"]);
    assert_eq!(server.request("POST", "/api/games", "", table).0, 201);
    assert_eq!(server.request("GET", "/readyz", "", "").0, 200);

    server.succeeds(&["announce", "Maintenance at 22:00 UTC"]);
    let announcement = || server.request("GET", "/api/announcement", "", "").1;
    assert_eq!(announcement(), r#"{"text":"Maintenance at 22:00 UTC"}"#);
    server.refuses(&["announce", "two\nlines"], "tabs or line breaks");
    server.succeeds(&["announce"]);
    assert_eq!(announcement(), r#"{"text":null}"#);
}

#[test]
fn the_socket_belongs_to_one_server() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("admin.sock");
    let path = socket.to_str().unwrap();
    let none = run(&["admin", "--socket", path, "load"], b"");
    assert_eq!(none.exit, 1);
    assert!(
        none.errors
            .contains("`noughts serve --admin PATH` creates the socket"),
        "{}",
        none.errors
    );
    let serve = |path: &str| {
        let words = "serve --store memory: --http 127.0.0.1:0 --tcp none --tcp-pairs none --admin";
        let words: Vec<&str> = words.split(' ').chain([path]).collect();
        run(&words, b"")
    };
    let mut server = start(folder.path(), "admin.sock");
    let second = serve(path);
    assert!(
        second.exit == 1 && second.errors.contains("another server uses it"),
        "{}",
        second.errors
    );
    // A killed server leaves its socket behind.
    server.server.kill();
    assert!(socket.exists());
    start(folder.path(), "admin.sock").succeeds(&["load"]);
    let file = folder.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let other = serve(file.to_str().unwrap());
    assert!(
        other.exit == 1 && other.errors.contains("there is another file"),
        "{}",
        other.errors
    );
}
