//! Clocks, strategies, ids, networks, strings of TCP frames, addresses of servers and rows of a large board: a text is
//! refused with a short message, or is a value that formats and parses to itself.
#![no_main]

use std::fmt::{Debug, Display};
use std::str::FromStr;

use libfuzzer_sys::fuzz_target;
use noughts_api::{ServerUrl, decode_row, encode_row};
use noughts_engine::StrategyName;
use noughts_rules::ClockSettings;
use noughts_server::{GameId, Network, PlayerId, WaitingId};
use noughts_wire::Text;

fuzz_target!(|text: &str| {
    round_trip::<ClockSettings>(text);
    round_trip::<StrategyName>(text);
    round_trip::<GameId>(text);
    round_trip::<PlayerId>(text);
    round_trip::<WaitingId>(text);
    round_trip::<Network>(text);
    check_text(text);
    round_trip::<ServerUrl>(text);
    if let Some(row) = decode_row(text) {
        assert_eq!(decode_row(&encode_row(&row)), Some(row));
    }
});

/// A string of a TCP frame keeps its bytes. Its printed form has U+FFFD for each control character.
fn check_text(text: &str) {
    match text.parse::<Text>() {
        Ok(value) => {
            let bytes: String = value.as_bytes().iter().copied().map(char::from).collect();
            assert_eq!(bytes, text);
            let visible = |sign: char| if sign.is_control() { '\u{fffd}' } else { sign };
            assert_eq!(
                value.to_string(),
                text.chars().map(visible).collect::<String>()
            );
        }
        Err(error) => assert!(error.to_string().len() < 2_000, "{error}"),
    }
}

fn round_trip<T: FromStr<Err: Display> + Display + PartialEq + Debug>(text: &str) {
    match text.parse::<T>() {
        Ok(value) => {
            let printed = value.to_string();
            let again = printed.parse::<T>();
            assert_eq!(
                again.ok(),
                Some(value),
                "{text:?} was printed as {printed:?}"
            );
        }
        Err(error) => assert!(error.to_string().len() < 2_000, "{error}"),
    }
}
