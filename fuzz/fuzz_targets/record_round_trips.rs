//! A text is refused with a short message, or is a record that formats and parses to the same game.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_rules::Record;

fuzz_target!(|text: &str| {
    match text.parse::<Record>() {
        Ok(record) => {
            let written = record.to_string();
            let again = written
                .parse::<Record>()
                .expect("what was written can be read");
            assert_eq!(again.to_string(), written);
            assert_eq!(again.game().view(), record.game().view());
            assert_eq!(again.seats(), record.seats());
        }
        Err(error) => assert!(error.to_string().len() < 2_000),
    }
});
