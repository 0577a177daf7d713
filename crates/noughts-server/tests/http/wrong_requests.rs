//! `testdata/api/wrong_requests.txt`: every wrong request is refused with the right status, type, field and message.

use serde_json::Value;

use crate::client::{Response, TestServer, exchange};
use crate::request_bytes::request_bytes;

const CASES: &str = include_str!("../../../../testdata/api/wrong_requests.txt");

/// Words of parsers and of Rust that mean nothing to a user.
const PARSER_WORDS: [&str; 20] = [
    "expected",
    "newtype",
    "deserialize",
    "serde",
    "EOF",
    "u8",
    "u16",
    "u32",
    "u64",
    "usize",
    "i64",
    "f64",
    "struct",
    "enum",
    "tuple",
    "invalid type",
    "invalid value",
    "trailing",
    "`",
    "at line",
];

/// A wrong request, and how it must be refused.
#[derive(Default, Debug)]
struct Case {
    line: usize,
    method: String,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
    status: u16,
    kind: String,
    field: Option<(String, String)>,
    detail: Option<String>,
}

fn read_cases(replace: impl Fn(&str) -> String) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let lines = CASES
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.starts_with('#'));
    for (line, number) in lines {
        let line = replace(line);
        let (mark, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let case = cases.last_mut();
        match (mark, case) {
            ("", _) => {}
            ("+", Some(case)) => {
                let (name, value) = rest.split_once(": ").unwrap();
                case.headers.push((name.to_owned(), value.to_owned()));
            }
            (">", Some(case)) => case.body = Some(rest.as_bytes().to_vec()),
            (">x", Some(case)) => {
                let digits = rest.as_bytes().chunks(2);
                let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
                case.body = Some(digits.map(|pair| byte(pair).unwrap()).collect());
            }
            ("<", Some(case)) => {
                let words: Vec<&str> = rest.split(' ').collect();
                case.status = words[0].parse().unwrap();
                case.kind = words[1].to_owned();
                case.field = match words[2..] {
                    [part, pointer] => Some((part.to_owned(), pointer.to_owned())),
                    _ => None,
                };
            }
            ("=", Some(case)) => case.detail = Some(rest.to_owned()),
            (method, _) => {
                let (path, token) = rest.split_once(" as ").unwrap_or((rest, ""));
                let mut case = Case {
                    line: number,
                    method: method.to_owned(),
                    path: path.to_owned(),
                    ..Case::default()
                };
                if !token.is_empty() {
                    let value = format!("Bearer {token}");
                    case.headers.push(("Authorization".to_owned(), value));
                }
                cases.push(case);
            }
        }
    }
    cases
}

async fn send(server: &TestServer, case: &Case) -> Response {
    let headers = case.headers.iter();
    let headers: Vec<(&str, &str)> = headers.map(|(name, value)| (&**name, &**value)).collect();
    let request = request_bytes(&case.method, &case.path, "", &headers, case.body.as_deref());
    exchange(server.connect().await, &request).await
}

/// What is wrong with an answer, if anything.
fn check(case: &Case, answer: &Response) -> Vec<String> {
    let mut wrong = Vec::new();
    let body = &answer.body;
    let mut compare = |what: &str, is: &Value, must: Value| {
        if *is != must {
            wrong.push(format!("{what} is {is} and must be {must}"));
        }
    };
    compare("status", &answer.status.into(), case.status.into());
    compare("status", &body["status"], case.status.into());
    compare(
        "type",
        &body["type"],
        format!("/problems/{}", case.kind).into(),
    );
    let first = &body["errors"][0];
    let (part, pointer) = match &case.field {
        Some((part, pointer)) => (Value::from(part.as_str()), Value::from(pointer.as_str())),
        None => (Value::Null, Value::Null),
    };
    compare("in", &first["in"], part);
    compare("pointer", &first["pointer"], pointer);
    if let Some(detail) = &case.detail {
        compare("detail", &body["detail"], detail.as_str().into());
    }
    let messages = body["errors"].as_array().into_iter().flatten();
    let messages = messages
        .map(|error| &error["detail"])
        .chain([&body["detail"], &body["title"]]);
    for message in messages {
        let Some(text) = message.as_str().filter(|text| !text.is_empty()) else {
            wrong.push(format!("a message is {message}"));
            continue;
        };
        for word in PARSER_WORDS.iter().filter(|word| text.contains(*word)) {
            wrong.push(format!("{text:?} has the word {word:?}"));
        }
    }
    for header in [
        "content-type: application/problem+json",
        "cache-control: no-store",
    ] {
        if !answer.headers.contains(header) {
            wrong.push(format!("no header {header:?}"));
        }
    }
    wrong
}

#[tokio::test]
async fn wrong_requests_are_refused_with_the_right_problem() {
    let server = TestServer::new().await;
    let humans = |rest: &str| {
        format!(r#"{{"seats":[{{"human":"Ann"}},{{"human":"Bob"}}],"take":[0,1],{rest}}}"#)
    };
    let (game, players) = server
        .create_table(&humans(r#""variant":"3x3k3","history":3"#))
        .await;
    server.play(&game, &players["0"], 1, "1-1").await;
    server.play(&game, &players["1"], 2, "0-0").await;
    let (fixed, xavier) = server.create_table(&humans(r#""variant":"3x3k3""#)).await;
    let (over, ended) = server.create_table(&humans(r#""variant":"3x3k3""#)).await;
    server.play(&over, &ended["0"], 1, "1-1").await;
    let loser = ended["1"].as_str().unwrap();
    let resign = r#"{"turn":2,"resign":true}"#;
    let path = format!("/api/games/{over}/actions");
    assert_eq!(server.request_as(loser, &path, resign).await.status, 200);
    let (gravity, newton) = server
        .create_table(&humans(r#""variant":"7x6k4+gravity""#))
        .await;
    let (nine, nina) = server
        .create_table(&humans(r#""variant":"multi@4","history":5"#))
        .await;
    server.play(&nine, &nina["0"], 1, "4-0").await;
    let waiting = r#"{"variant":"3x3k3","seats":[{"human":"Ann"},{"open":"lobby"}]}"#;
    let (waiting, host) = server.create_table(waiting).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let names = [
        ("{game}", game.clone()),
        ("{ann}", text(&players["0"])),
        ("{bob}", text(&players["1"])),
        ("{fixed}", fixed),
        ("{xavier}", text(&xavier["0"])),
        ("{over}", over),
        ("{winner}", text(&ended["0"])),
        ("{gravity}", gravity),
        ("{newton}", text(&newton["0"])),
        ("{nine}", nine),
        ("{nina}", text(&nina["1"])),
        ("{waiting}", waiting.clone()),
        ("{host}", text(&host["0"])),
        ("{nobody}", "0".repeat(26)),
    ];
    let replace = |line: &str| {
        let replace = |line: String, (name, value): &(&str, String)| line.replace(name, value);
        names.iter().fold(line.to_owned(), replace)
    };
    let cases = read_cases(replace);
    assert!(cases.len() >= 80, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let answer = send(&server, case).await;
        for fault in check(case, &answer) {
            wrong.push(format!(
                "line {}: {} {}: {fault}",
                case.line, case.method, case.path
            ));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    // Nothing has changed.
    let view = server
        .request("GET", &format!("/api/games/{game}"), None)
        .await
        .body;
    assert_eq!(view["turn"], 3);
    let view = server
        .request("GET", &format!("/api/games/{waiting}"), None)
        .await
        .body;
    assert_eq!(view["seats"][1]["kind"], "open");
}
