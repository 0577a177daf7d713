//! External test tools against a real server. `cargo xtask test` installs them and runs these tests.

#[path = "cli/server_process.rs"]
#[expect(dead_code, reason = "other tests use the rest")]
mod server_process;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use server_process::ServerProcess;

fn is_alive(server: &ServerProcess) -> bool {
    let body = ureq::get(format!("{}/healthz", server.url)).call();
    let text = body.and_then(|mut response| response.body_mut().read_to_string());
    text.is_ok_and(|text| text == "alive\n")
}

/// The path of a script of these tests.
fn script(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/external_tools");
    folder.join(name)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A program of the Python environment that `cargo xtask test` makes.
fn python_tool(name: &str) -> Command {
    Command::new(root().join("target/tools/python/bin").join(name))
}

/// Runs a program to its end, and returns its output followed by its errors.
fn run(command: &mut Command) -> String {
    let output = command.output().expect("the program is there");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{command:?}\n{said}");
    said
}

/// Writes the server's OpenAPI description to a file.
fn description_in(directory: &Path, server: &ServerProcess) -> PathBuf {
    let mut answer = ureq::get(format!("{}/api/openapi.json", server.url))
        .call()
        .unwrap();
    let file = directory.join("openapi.json");
    fs::write(&file, answer.body_mut().read_to_string().unwrap()).unwrap();
    file
}

#[test]
#[ignore = "needs openapi-spec-validator, which cargo xtask test fetches"]
fn description_is_valid_and_describes_every_form() {
    let server = ServerProcess::http("warn");
    let directory = tempfile::tempdir().unwrap();
    let said = run(python_tool("python")
        .arg(script("check_forms.py"))
        .arg(description_in(directory.path(), &server))
        .arg(root().join("testdata/api")));
    assert!(said.contains("forms match their schemas"), "{said}");
}

#[test]
#[ignore = "needs openapi-python-client, which cargo xtask test fetches"]
fn generated_python_client_plays_a_game() {
    let server = ServerProcess::http("warn");
    let directory = tempfile::tempdir().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let tools = root().join("target/tools/python/bin");
    let said = run(python_tool("openapi-python-client")
        .args(["generate", "--meta", "none", "--path"])
        .arg(description_in(directory.path(), &server))
        .arg("--output-path")
        .arg(directory.path().join("noughts_client"))
        // The generator formats its code with ruff.
        .env("PATH", format!("{}:{path}", tools.display()))
        .current_dir(directory.path()));
    // The generator does not support text bodies. Records can also be imported as JSON.
    let warnings = said.matches("WARNING").count();
    let expected = said.matches("Unsupported content type text/plain").count();
    assert_eq!((warnings, expected), (1, 1), "{said}");
    let said = run(python_tool("python")
        .arg(script("generated_client.py"))
        .arg(&server.url)
        .arg(root().join("testdata/api"))
        .env("PYTHONPATH", directory.path())
        .env("PYTHONDONTWRITEBYTECODE", "1"));
    assert!(said.contains("played multi to its end"), "{said}");
}

#[test]
#[ignore = "needs the page's tools, which cargo xtask test fetches"]
fn generated_typescript_matches_the_types_of_the_page() {
    let server = ServerProcess::http("warn");
    let directory = tempfile::tempdir().unwrap();
    let tools = root().join("web/node_modules/.bin");
    run(Command::new(tools.join("openapi-typescript"))
        .arg(description_in(directory.path(), &server))
        // A field with a default may be left out of a request.
        .arg("--default-non-nullable=false")
        .arg("--output")
        .arg(directory.path().join("generated.d.ts")));
    let page = fs::canonicalize(root().join("web/api_types.d.ts")).unwrap();
    let page = page.to_string_lossy().replace(".d.ts", "");
    let check = fs::read_to_string(script("types_match_the_page.ts")).unwrap();
    let file = directory.path().join("check.ts");
    fs::write(&file, check.replace("PAGE", &page)).unwrap();
    run(Command::new(tools.join("tsc"))
        .args(["--noEmit", "--strict", "--target", "es2023"])
        .args(["--module", "esnext", "--moduleResolution", "bundler"])
        .arg(file));
}

/// The examples of docs/api.md in this language, with the address of this server.
fn examples(language: &str, server: &ServerProcess) -> Vec<String> {
    let docs = fs::read_to_string(root().join("docs/api.md")).unwrap();
    let fence = format!("```{language}\n");
    let blocks = docs.split(&fence).skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    let examples = blocks.map(|block| block.replace("http://localhost:8080", &server.url));
    examples.collect()
}

#[test]
#[ignore = "needs Python's websockets and jq, which cargo xtask test fetches"]
fn examples_of_the_api_document_run() {
    let server = ServerProcess::http("warn");
    let shell = examples("sh", &server);
    assert_eq!(shell[0].lines().count(), 5, "a first game in five lines");
    let said = run(Command::new("bash").args(["-euo", "pipefail", "-c", &shell[0]]));
    assert!(said.contains(r#""to_move": 0"#), "{said}");
    let python = examples("python", &server);
    assert_eq!(python.len(), 1);
    assert!(python[0].lines().count() <= 40, "a bot in 40 lines");
    let said = run(python_tool("python").args(["-c", &python[0]]));
    assert!(said.contains("'kind'"), "{said}");
}

#[test]
#[ignore = "needs schemathesis, which cargo xtask test fetches"]
fn responses_match_the_openapi_description() {
    let server = ServerProcess::http("warn");
    let description = format!("{}/api/openapi.json", server.url);
    let checks = "not_a_server_error,status_code_conformance,content_type_conformance,\
        response_headers_conformance,response_schema_conformance";
    let output = python_tool("schemathesis")
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
            // 200 connections send a few bytes every 4 seconds, for 18 seconds. The server waits at most 10 seconds for
            // a request.
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
        // The last report says how the connections ended and whether the probe was served.
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
