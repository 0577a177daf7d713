//! External test tools against a real server. `cargo xtask test` installs them and runs these tests.

#[path = "cli/server_process.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod server_process;

use std::path::Path;
use std::process::{Command, Stdio};

use server_process::ServerProcess;

fn is_alive(server: &ServerProcess) -> bool {
    let body = ureq::get(format!("{}/healthz", server.url)).call();
    let text = body.and_then(|mut response| response.body_mut().read_to_string());
    text.is_ok_and(|text| text == "alive\n")
}

#[test]
#[ignore = "needs schemathesis, which cargo xtask test fetches"]
fn responses_match_the_openapi_description() {
    let server = ServerProcess::http("warn");
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/python/bin");
    let description = format!("{}/api/openapi.json", server.url);
    let checks = "not_a_server_error,status_code_conformance,content_type_conformance,\
        response_headers_conformance,response_schema_conformance";
    let output = Command::new(tools.join("schemathesis"))
        // Event streams do not end.
        .args(["run", &description, "--exclude-path-regex", "/(events|ws)$"])
        .args(["--checks", checks, "--phases", "examples,coverage,fuzzing"])
        .args(["--max-examples", "40", "--seed", "1", "--workers", "2"])
        .args(["--generation-database", "none", "--request-timeout", "20"])
        .args(["--warnings", "off"])
        .current_dir(std::env::temp_dir())
        .output()
        .expect("schemathesis is there");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(is_alive(&server));
}

#[test]
#[ignore = "needs slowhttptest, which cargo xtask test fetches"]
fn slow_clients_are_disconnected_while_others_are_served() {
    let server = ServerProcess::http("warn");
    let games = format!("{}/api/games", server.url);
    let slow = |mode: &[&str]| {
        Command::new("slowhttptest")
            .args(mode)
            // 200 connections, a few bytes every 4 seconds, for 18 seconds: the server waits for 10.
            .args(["-c", "200", "-r", "200", "-i", "4", "-l", "18", "-x", "8"])
            .args(["-p", "3", "-v", "1", "-u", &games])
            .stdout(Stdio::piped())
            .spawn()
            .expect("slowhttptest is there")
    };
    let headers = slow(&["-H"]);
    let bodies = slow(&["-B", "-s", "8192", "-f", "application/json"]);
    for slow in [headers, bodies] {
        let output = slow.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        // The last report: what became of the connections, and whether the probe was served.
        let last = |name: &str| {
            let mut lines = said.lines().rev();
            let line = lines.find(|line| line.contains(name));
            line.map(|line| line.rsplit(':').next().unwrap().trim().to_owned())
        };
        let plain = |text: Option<String>| {
            let text = text.unwrap_or_default();
            let kept = text.chars().filter(char::is_ascii_alphanumeric);
            kept.collect::<String>()
        };
        assert!(plain(last("service available")).contains("YES"), "{said}");
        assert!(!said.contains("service available:   NO"), "{said}");
        assert!(said.contains("No open connections left"), "{said}");
    }
    assert!(is_alive(&server));
}
