//! With any server and any input, the client ends with a message.

use std::time::Duration;

use proptest::prelude::*;

use crate::server::ClientRun;

/// A random answer of the server. Never an answer after which both sides wait.
fn any_answer() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        4 => prop::sample::select(vec!["READY", "ADMIT1", "ADMIT2+1-1", "ADMIT0", "WON", "LOST", "DRAW", "ERROR1", "!", "#08+!"])
            .prop_map(str::to_owned),
        4 => (0..4u8, 0..4u8).prop_map(|(row, column)| format!("{row}-{column}")),
    ];
    prop::collection::vec(word, 1..4).prop_map(|words| words.join("+"))
}

fn any_line() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (0..4u8, 0..4u8).prop_map(|(row, column)| format!("{row} {column}\n")),
        1 => prop::sample::select(vec!["y\n", "n\n", "\n", ":q\n", "resign\n"]).prop_map(str::to_owned),
        1 => "\\PC{0,8}\n",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn any_server_and_input_end_with_a_message(
        answers in prop::collection::vec(any_answer(), 0..12),
        // The session starts with valid answers. Otherwise most sessions would end at the start.
        good in 0..=3usize,
        lines in prop::collection::vec(any_line(), 0..20),
        robot in prop::sample::select(vec![None, Some("first"), Some("perfect")]),
        is_pair: bool,
        is_later: bool,
    ) {
        let script = [&["READY", "ADMIT1", "1-1"][..good], &answers.iter().map(String::as_str).collect::<Vec<_>>()].concat();
        let mut run = ClientRun::against(&script.join("|"));
        run.options.robot = robot.map(str::to_owned);
        // Short, because a game may be over on the board but not at the server.
        run.patience = Duration::from_millis(200);
        (run.options.is_pair, run.options.is_later) = (is_pair, is_later);
        let result = run.typed(&lines.concat());
        match &result.error {
            Some(error) => prop_assert!(error.starts_with("the server "), "{error}"),
            None => prop_assert!(result.output.ends_with("Goodbye.\n"), "{}", result.output),
        }
        prop_assert!(result.output.is_empty() || result.output.ends_with('\n'), "{}", result.output);
    }

    #[test]
    fn any_bytes_are_survived(good in 0..=3usize, bytes: Vec<u8>) {
        let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let any = format!("#{hex}+!");
        let script = [&["READY", "ADMIT1", "1-1"][..good], &[any.as_str()]].concat();
        let result = ClientRun::against(&script.join("|")).typed_and_silent("0 0\n0 1\n");
        prop_assert!(result.error.is_some_and(|error| error.starts_with("the server ")));
    }
}
