//! `noughts serve` with TLS, and its clients.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::thread;

use rcgen::{CertificateParams, date_time_ymd};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

use crate::certificates::Authority;
use crate::server_process::{ANY_PORT, PROGRAM, ServerProcess};
use crate::transcript::run;

/// A server with every listener: HTTP with TLS, and the TCP listeners with and without TLS.
struct TlsServer {
    server: ServerProcess,
    log: BufReader<ChildStderr>,
    folder: TempDir,
}

impl TlsServer {
    fn start() -> TlsServer {
        let folder = tempfile::tempdir().unwrap();
        Authority::new().write(folder.path(), |_| ());
        let listeners = ["http", "tcp", "tcp-pairs", "tcp-tls", "tcp-pairs-tls"];
        let words = ["--store", "memory:", "--log", "info"].map(str::to_owned);
        let words = [&words[..], &files(folder.path())].concat();
        let mut server = ServerProcess::start_by(
            Command::new(PROGRAM).stderr(Stdio::piped()),
            &listeners.map(|name| (name, ANY_PORT)),
            &words.iter().map(String::as_str).collect::<Vec<&str>>(),
        );
        TlsServer {
            log: BufReader::new(server.process.stderr.take().unwrap()),
            server,
            folder,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn ca(&self) -> String {
        self.path("ca.pem").to_string_lossy().into_owned()
    }

    fn url(&self) -> String {
        format!("https://localhost:{}", self.server.port("http"))
    }

    /// Sends SIGHUP, and returns the log line about the certificate.
    fn reload(&mut self) -> String {
        self.server.signal("-HUP");
        loop {
            let mut line = String::new();
            assert_ne!(self.log.read_line(&mut line).unwrap(), 0);
            if line.contains("certificate") {
                return line;
            }
        }
    }

    /// Connects with TLS. Returns an error if the server's certificate is not from the authority in the file `ca`.
    fn connect(&self, listener: &str, ca: &Path) -> Result<TlsClient, String> {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from_pem_file(ca).unwrap())
            .unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("localhost").unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        let socket = TcpStream::connect(self.server.address(listener)).unwrap();
        let mut stream = StreamOwned::new(session, socket);
        while stream.conn.is_handshaking() {
            let done = stream.conn.complete_io(&mut stream.sock);
            done.map_err(|error| error.to_string())?;
        }
        Ok(stream)
    }
}

type TlsClient = StreamOwned<ClientConnection, TcpStream>;

/// The options for certificate and key.
fn files(folder: &Path) -> [String; 4] {
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let option = |name: &str| format!("--tls-{name}");
    [
        option("cert"),
        path("cert.pem"),
        option("key"),
        path("key.pem"),
    ]
}

/// Sends a request without a body, and returns the response.
fn request(stream: &mut TlsClient, head: &str) -> String {
    write!(
        stream,
        "{head}\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut response = String::new();
    // The server may close the connection without closing the TLS session.
    let _ = stream.read_to_string(&mut response);
    response
}

#[test]
fn every_listener_is_reached_with_tls() {
    let server = TlsServer::start();
    let ca = server.path("ca.pem");
    let mut http = server.connect("http", &ca).unwrap();
    let answer = request(&mut http, "GET /api/variants HTTP/1.1");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(
        answer.contains("strict-transport-security: max-age=31536000\r\n"),
        "{answer}"
    );
    // The links for link previews in the page begin with https.
    let page = request(&mut server.connect("http", &ca).unwrap(), "GET / HTTP/1.1");
    assert!(page.contains("https://localhost"), "{page}");
    assert!(!page.contains("content=\"http://"), "{page}");

    let played = run(
        &[
            "play",
            &server.url(),
            "--cacert",
            &server.ca(),
            "--robot",
            "perfect",
        ],
        b"",
    );
    assert_eq!(played.exit, 0, "{}", played.errors);
    let connect = |listener: &str, words: &[&str]| {
        let port = server.server.port(listener);
        let words = [
            &["connect", "--tls", "-h", "localhost", "-p", port][..],
            words,
        ]
        .concat();
        run(&words, b"")
    };
    let robot = [
        "--robot",
        "perfect",
        "--games",
        "3",
        "--cacert",
        &server.ca(),
    ];
    let played = connect("tcp-tls", &robot);
    assert_eq!((played.exit, played.errors.as_str()), (0, ""));
    thread::scope(|scope| {
        let two = [0, 1].map(|_| {
            let words = [&["--pairs"], &robot[..2], &robot[4..]].concat();
            let connect = &connect;
            scope.spawn(move || connect("tcp-pairs-tls", &words))
        });
        for client in two {
            let played = client.join().unwrap();
            assert_eq!((played.exit, played.errors.as_str()), (0, ""));
        }
    });

    let unknown = connect("tcp-tls", &["--robot", "perfect"]);
    assert_eq!(unknown.exit, 1);
    let told = unknown.errors.contains("UnknownIssuer") && unknown.errors.contains("--cacert FILE");
    assert!(told, "{}", unknown.errors);
    let plain = connect("tcp", &robot);
    assert_eq!(plain.exit, 1);
    assert!(
        plain.errors.contains("cannot use TLS with \"localhost\""),
        "{}",
        plain.errors
    );
}

#[test]
fn websockets_work_over_tls() {
    let server = TlsServer::start();
    let ca = server.path("ca.pem");
    let body = r#"{"variant":"3x3k3"}"#;
    let mut http = server.connect("http", &ca).unwrap();
    let head = format!(
        "POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    http.write_all(head.as_bytes()).unwrap();
    let mut created = String::new();
    let _ = http.read_to_string(&mut created);
    let (_, rest) = created.split_once("\"id\":\"").expect(&created);
    let id = &rest[..26];

    let mut socket = server.connect("http", &ca).unwrap();
    write!(
        socket,
        "GET /api/games/{id}/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    .unwrap();
    // A text frame with the mask 0: `{}`, to watch.
    socket
        .write_all(&[0x81, 0x82, 0, 0, 0, 0, b'{', b'}'])
        .unwrap();
    let mut received = Vec::new();
    let mut bytes = [0; 1024];
    while !String::from_utf8_lossy(&received).contains("\"view\"") {
        let count = socket.read(&mut bytes).unwrap();
        assert_ne!(count, 0, "{}", String::from_utf8_lossy(&received));
        received.extend_from_slice(&bytes[..count]);
    }
    assert!(received.starts_with(b"HTTP/1.1 101 Switching Protocols"));
}

#[test]
fn certificates_are_read_again_at_sighup() {
    let mut server = TlsServer::start();
    let old = server.path("old.pem");
    fs::rename(server.path("ca.pem"), &old).unwrap();
    let mut open = server.connect("http", &old).unwrap();
    Authority::new().write(server.folder.path(), |_| ());
    assert!(server.connect("http", &old).is_ok(), "not before SIGHUP");
    let told = server.reload();
    assert!(told.contains("read the certificate again"), "{told}");
    let new = server.path("ca.pem");
    for listener in ["http", "tcp-tls", "tcp-pairs-tls"] {
        assert!(server.connect(listener, &new).is_ok(), "{listener}");
        assert!(server.connect(listener, &old).is_err(), "{listener}");
    }
    let answer = request(&mut open, "GET /healthz HTTP/1.1");
    assert!(
        answer.ends_with("alive\n"),
        "open connections stay: {answer}"
    );

    fs::write(server.path("cert.pem"), "nonsense").unwrap();
    let told = server.reload();
    let expected = "the old certificate stays in use";
    assert!(told.contains("ERROR") && told.contains(expected), "{told}");
    assert!(
        told.contains("there is no certificate in PEM format in"),
        "{told}"
    );
    assert!(server.connect("http", &new).is_ok());
}

fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("version").output();
    version.is_ok()
}

#[test]
fn only_tls_1_2_and_1_3_are_spoken() {
    if !is_installed("openssl") {
        eprintln!("openssl is not installed");
        return;
    }
    let server = TlsServer::start();
    for listener in ["http", "tcp-tls", "tcp-pairs-tls"] {
        for (version, is_spoken) in [
            ("-tls1", false),
            ("-tls1_1", false),
            ("-tls1_2", true),
            ("-tls1_3", true),
        ] {
            let address = format!("localhost:{}", server.server.port(listener));
            let shaken = Command::new("openssl")
                .args(["s_client", "-connect", &address, "-CAfile", &server.ca()])
                .args([
                    "-verify_return_error",
                    "-brief",
                    "-cipher",
                    "DEFAULT:@SECLEVEL=0",
                    version,
                ])
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let told = String::from_utf8_lossy(&shaken.stderr);
            let is_established = told.contains("CONNECTION ESTABLISHED");
            assert_eq!(is_established, is_spoken, "{listener} {version}: {told}");
        }
    }
    if is_installed("curl") {
        let curl = Command::new("curl")
            .args([
                "--silent",
                "--show-error",
                "--include",
                "--cacert",
                &server.ca(),
            ])
            .arg(format!("{}/healthz", server.url()))
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&curl.stdout).to_lowercase();
        assert!(
            told.contains("strict-transport-security") && told.ends_with("alive\n"),
            "{told}"
        );
    }
}

#[test]
fn wrong_certificates_and_keys_are_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        path
    };
    let refused = |folder: &Path, reason: &str| {
        let store = format!("sqlite:{}", folder.join("games.db").display());
        let words = [
            "serve",
            "--http",
            "127.0.0.1:0",
            "--tcp",
            "none",
            "--tcp-pairs",
            "none",
        ];
        let words = words.map(str::to_owned);
        let words = [&words[..], &["--store".to_owned(), store], &files(folder)].concat();
        let run = run(&words, b"");
        assert_eq!(
            (run.exit, run.output.as_slice()),
            (1, &b""[..]),
            "{}",
            run.errors
        );
        assert!(run.errors.starts_with("Error: TLS: "), "{}", run.errors);
        assert!(run.errors.contains(reason), "{}", run.errors);
        assert_eq!(run.errors.lines().count(), 1, "{}", run.errors);
        assert!(!folder.join("games.db").exists());
    };
    let authority = Authority::new();
    let expired = |params: &mut CertificateParams| {
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2021, 1, 1);
    };
    let of_the_future = |params: &mut CertificateParams| {
        params.not_before = date_time_ymd(3000, 1, 1);
        params.not_after = date_time_ymd(3001, 1, 1);
    };
    let at = place("expired");
    authority.write(&at, expired);
    refused(&at, "cert.pem has expired");
    let at = place("future");
    authority.write(&at, of_the_future);
    refused(&at, "cert.pem is not valid yet");
    let at = place("mismatch");
    authority.write(&at, |_| ());
    let (_, other) = authority.issue(|_| ());
    fs::write(at.join("key.pem"), other.serialize_pem()).unwrap();
    refused(&at, "does not belong to the certificate in");
    let at = place("swapped");
    authority.write(&at, |_| ());
    fs::copy(at.join("key.pem"), at.join("cert.pem")).unwrap();
    refused(&at, "there is no certificate in PEM format in");
    let at = place("no-key");
    authority.write(&at, |_| ());
    fs::copy(at.join("cert.pem"), at.join("key.pem")).unwrap();
    refused(&at, "there is no private key in PEM format in");
    let at = place("empty");
    refused(&at, "No such file or directory");

    for words in [
        &["serve", "--tls-cert", "cert.pem"][..],
        &["serve", "--tcp-tls", "127.0.0.1:0"],
        &["connect", "--tls"],
        &["connect", "--cacert", "ca.pem"],
    ] {
        assert_eq!(run(words, b"").exit, 2, "{words:?}");
    }
}
