//! Whole games between a client and a server session.

use noughts_wire::{
    Cell, Client, Dialect, ErrorCode, Event, FromClient, GameResult, Greeting, Name, Stage,
};

use crate::stream::Computer;

/// Plays every cell in order, including taken ones, until the game is over.
fn play(client: &mut Client<Computer>) -> GameResult {
    assert_eq!(
        client.play().expect("an answer"),
        Event::Admitted { first: true }
    );
    let mut taken = Vec::new();
    for cell in Cell::all() {
        match client.act(cell).expect("an answer") {
            Event::Played(reply) => taken.extend([cell, reply]),
            Event::Refused { code, .. } => {
                assert_eq!(ErrorCode::try_from(code), Ok(ErrorCode::InvalidMove));
                assert!(taken.contains(&cell));
            }
            Event::Over {
                result,
                opponent_cell: None,
            } => return result,
            other => panic!("{other:?}"),
        }
    }
    panic!("all cells were played and the game is not over");
}

#[test]
fn whole_games_work_in_both_dialects() {
    for piece in [1, 7, 4_096] {
        for (greeting, id, dialect) in [
            (Greeting::Seed(12_345), 12_345, Dialect::Seed),
            (Greeting::Later, 54_321, Dialect::Later),
        ] {
            let mut client = Client::new(Computer::new(piece));
            let name = Name::new("Núria").expect("a name");
            assert_eq!(
                client.hello(&name, greeting).expect("an answer"),
                Event::Ready { id }
            );
            assert_eq!(
                (client.session().id(), client.session().dialect()),
                (id, dialect)
            );
            for _ in 0..3 {
                assert_eq!(play(&mut client), GameResult::Draw);
                assert_eq!(client.session().stage(), Stage::Ready);
            }
        }
    }
}

#[test]
fn every_frame_is_one_write() {
    let mut client = Client::new(Computer::new(4_096));
    client
        .hello(&Name::default(), Greeting::Seed(5))
        .expect("an answer");
    client
        .hello(&Name::default(), Greeting::Later)
        .expect("an answer");
    play(&mut client);
    let writes = &client.stream().writes;
    assert!(writes.len() > 9);
    for bytes in writes {
        let whole = FromClient::decode(bytes)
            .is_ok_and(|frame| frame.is_some_and(|(_, length)| length == bytes.len()));
        assert!(whole, "{bytes:?} is not one frame");
    }
}
