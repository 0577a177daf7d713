//! A record is refused with a short message, or becomes a stored game. The log of this game replays, and importing its
//! record gives the same log.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_rules::Record;
use noughts_server::{GameId, PlayerNames, Table, game_from_record, game_to_record};

const NOW_MS: u64 = 1_700_000_000_000;

fuzz_target!(|text: &str| {
    let record: Record = match text.parse() {
        Ok(record) => record,
        Err(error) => return assert!(error.to_string().len() < 1_000),
    };
    let (stored, summary) = match game_from_record(&record, GameId::new(1), NOW_MS) {
        Ok(stored) => stored,
        Err(why) => return assert!(why.to_string().len() < 1_000),
    };
    let table = Table::replay(stored.settings.clone(), &stored.entries).expect("it replays");
    assert!(table.is_over());
    assert_eq!(table.summary(), summary);
    assert_eq!(
        table.game().conclusion().cloned(),
        record.game().conclusion().cloned()
    );
    let written = game_to_record(&table, &PlayerNames::default()).expect("it has a record");
    let again: Record = written
        .to_string()
        .parse()
        .expect("what was written can be read");
    let (restored, _) = game_from_record(&again, GameId::new(1), NOW_MS).expect("it can be stored");
    assert_eq!(restored.entries, stored.entries);
});
