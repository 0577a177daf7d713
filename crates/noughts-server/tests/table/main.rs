//! A table: properties under arbitrary commands, and single cases.

mod offers;
mod random_commands;

use noughts_rules::{Action, Conclusion, Move, Refusal, Seat, Side, WinReason};
use noughts_server::{
    Command, Decision, GameId, Holder, KEY_LIFETIME_MS, Key, LogEntry, Offer, OpenTo, RequestKey,
    SeatResult, SeatSet, Settings, TOO_LONG, Table, TableRefusal,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn table_survives_any_commands(input in prop::collection::vec(any::<u8>(), 0..1_200)) {
        random_commands::check_random_commands(&input);
    }
}

#[test]
fn legal_moves_of_the_random_test_are_accepted() {
    // The bytes select 3x3k3 with two people, and then legal moves of the seat to move until the game is over.
    let moves = [100, 0, 0, 0, 0, 1].repeat(9);
    let input: Vec<u8> = [0, 0xff, 0].into_iter().chain(moves).collect();
    assert!(random_commands::check_random_commands(&input) >= 5);
}

fn human() -> Holder {
    Holder::Human {
        name: "Ann".to_owned(),
        node: None,
    }
}

fn settings(variant: &str, history: u16) -> Settings {
    let variant: noughts_rules::Variant = variant.parse().unwrap();
    Settings {
        id: GameId::new(7),
        variant,
        history,
        start: None,
        holders: vec![human(); variant.sides().into()],
        clock: None,
        is_listed: true,
        created_ms: 0,
    }
}

fn table(variant: &str, history: u16) -> Table {
    Table::new(settings(variant, history)).unwrap()
}

/// Decides a command and applies its entries, which are returned.
fn submit(table: &mut Table, command: &Command) -> Result<Vec<LogEntry>, TableRefusal> {
    let decision = table.decide(command, 0)?.unwrap_or_default();
    apply(table, &decision);
    Ok(decision.entries)
}

fn apply(table: &mut Table, decision: &Decision) {
    for entry in &decision.entries {
        table.apply(entry).unwrap();
    }
}

fn act(seat: u8, action: Action, turn: usize) -> Command {
    Command::Act {
        seat: Seat(seat),
        action,
        turn,
        key: None,
    }
}

fn play(table: &mut Table, seat: u8, cell: usize) {
    let command = act(seat, Action::Play(Move::at(cell)), table.turn());
    submit(table, &command).unwrap();
}

fn finished() -> Table {
    let mut table = table("3x3k3", 0);
    for (turn, cell) in [0, 3, 1, 4, 2].into_iter().enumerate() {
        play(&mut table, turn as u8 % 2, cell);
    }
    table
}

#[test]
fn action_for_another_turn_is_stale_before_the_rules_are_asked() {
    let mut table = table("3x3k3", 0);
    play(&mut table, 0, 4);
    let mut act = |seat, cell, turn| {
        let command = act(seat, Action::Play(Move::at(cell)), turn);
        submit(&mut table, &command).map(|entries| entries.len())
    };
    for turn in [0, 1, 3, usize::MAX] {
        assert_eq!(act(1, 4, turn), Err(TableRefusal::Stale { turn: 2 }));
    }
    let not_yours = Refusal::NotYourTurn { to_move: Seat(1) };
    assert_eq!(act(0, 0, 2), Err(TableRefusal::Rules(not_yours)));
    assert_eq!(act(1, 0, 2), Ok(1));
}

#[test]
fn robot_move_is_stale_after_any_other_entry() {
    let mut settings = settings("3x3k3", 0);
    settings.holders[1] = Holder::Open(OpenTo::Link);
    let mut table = Table::new(settings).unwrap();
    let (seat, at, entry) = (Seat(0), Move::at(4), 0);
    let robot_play = Command::RobotPlay { seat, at, entry };
    assert!(table.decide(&robot_play, 0).is_ok());
    let (seat, holder, key) = (Seat(1), human(), None);
    submit(&mut table, &Command::TakeSeat { seat, holder, key }).unwrap();
    let stale = TableRefusal::Stale { turn: 1 };
    assert_eq!(table.decide(&robot_play, 0), Err(stale));
}

#[test]
fn finished_game_is_over_whatever_turn_is_answered() {
    let table = finished();
    let over = TableRefusal::Rules(Refusal::Over);
    for turn in [1, 5, 6, 99] {
        let command = act(1, Action::Play(Move::at(8)), turn);
        assert_eq!(table.decide(&command, 0), Err(over));
    }
    let leave = table.decide(&Command::Leave(SeatSet::only(Seat(0))), 0);
    assert_eq!(leave, Err(over));
    assert_eq!(table.result(Seat(0)), Some(SeatResult::Won));
    assert_eq!(table.result(Seat(1)), Some(SeatResult::Lost));
    let opponent_move = |seat| table.opponent_move_that_ended(Seat(seat));
    assert_eq!(opponent_move(1), Some(Move::at(2)));
    assert_eq!(opponent_move(0), None);
}

#[test]
fn repeated_action_leads_to_nothing_also_after_the_end() {
    let table = finished();
    for (turn, cell) in [0, 3, 1, 4, 2].into_iter().enumerate() {
        let command = act(turn as u8 % 2, Action::Play(Move::at(cell)), turn + 1);
        assert_eq!(table.decide(&command, 0), Ok(None));
    }
}

#[test]
fn seat_that_leaves_loses_and_a_game_that_all_leave_is_abandoned() {
    let mut one = table("3x3k3", 0);
    play(&mut one, 0, 4);
    let mut both = one.clone();
    let leavers = SeatSet::only(Seat(1));
    let decision = one.decide(&Command::Leave(leavers), 0).unwrap().unwrap();
    apply(&mut one, &decision);
    assert_eq!(one.game().conclusion(), decision.conclusion.as_ref());
    let Some(Conclusion::Won { sides, by }) = one.game().conclusion() else {
        panic!("nobody won");
    };
    assert_eq!(
        (sides.contains(Side::FIRST), by),
        (true, &WinReason::Leaving)
    );
    // The opponent's last move did not end the game.
    assert_eq!(one.opponent_move_that_ended(Seat(1)), None);
    submit(&mut both, &Command::Leave(leavers.with(Seat(0)))).unwrap();
    assert_eq!(both.game().conclusion(), Some(&Conclusion::Abandoned));
    assert_eq!(both.result(Seat(0)), Some(SeatResult::Abandoned));
}

#[test]
fn game_of_rewinds_is_a_draw_after_the_maximum_number_of_turns() {
    let mut table = table("3x3k3", 2);
    let mut log = Vec::new();
    // The maximum is 4 x cells + 100.
    for turn in 0..136 {
        assert_eq!(table.game().conclusion(), None, "after {turn} turns");
        let action = match turn % 2 {
            0 => Action::Play(Move::at(0)),
            _ => Action::Rewind(1),
        };
        log.extend(submit(&mut table, &act(turn as u8 % 2, action, turn + 1)).unwrap());
    }
    assert_eq!(table.game().conclusion(), Some(&TOO_LONG));
    let replayed = Table::replay(table.settings().clone(), &log).unwrap();
    assert_eq!(replayed.game().conclusion(), Some(&TOO_LONG));
}

#[test]
fn rematch_is_created_when_every_person_has_asked() {
    let mut table = finished();
    let offer = |seat, next| Command::OfferRematch {
        seat: Seat(seat),
        next: GameId::new(next),
    };
    let accept = |seat, next| Command::AcceptRematch {
        seat: Seat(seat),
        next: GameId::new(next),
    };
    let no_offer = Err(TableRefusal::NoOffer {
        offer: Offer::Rematch,
    });
    assert_eq!(table.decide(&accept(0, 7), 0), no_offer);
    assert_eq!(submit(&mut table, &offer(1, 8)).unwrap().len(), 1);
    assert_eq!(table.rematch(), None);
    assert_eq!(table.decide(&offer(1, 9), 0), Ok(None));
    assert_eq!(table.decide(&accept(1, 9), 0), no_offer, "its own");
    let accepted = table.decide(&accept(0, 10), 0);
    assert_eq!(accepted, table.decide(&offer(0, 10), 0));
    assert_eq!(submit(&mut table, &accept(0, 10)).unwrap().len(), 2);
    assert_eq!(table.rematch(), Some(GameId::new(10)));
    assert_eq!(table.decide(&offer(0, 11), 0), Ok(None));
    assert_eq!(table.decide(&accept(0, 11), 0), Ok(None));
}

#[test]
fn rematch_offer_does_not_move_the_time_of_the_end() {
    let mut table = finished();
    let before = table.summary();
    let (seat, next) = (Seat(1), GameId::new(8));
    let offer = Command::OfferRematch { seat, next };
    let decision = table.decide(&offer, 60_000).unwrap().unwrap();
    assert_eq!(table.summary_after(&decision), None);
    apply(&mut table, &decision);
    assert_eq!(table.summary(), before);
}

#[test]
fn idempotency_key_is_remembered_for_a_day() {
    let mut table = table("3x3k3", 0);
    let act_with_key = |cell, request, turn| Command::Act {
        seat: Seat(0),
        action: Action::Play(Move::at(cell)),
        turn,
        key: Some(Box::new(RequestKey {
            key: Key {
                text: "key".to_owned(),
                request,
            },
            former_hash: request,
        })),
    };
    submit(&mut table, &act_with_key(4, 1, 1)).unwrap();
    play(&mut table, 1, 0);
    let last_ms = KEY_LIFETIME_MS - 1;
    let other = act_with_key(5, 2, 3);
    assert_eq!(table.decide(&act_with_key(4, 1, 1), last_ms), Ok(None));
    let reused = Err(TableRefusal::KeyReused);
    assert_eq!(table.decide(&other, last_ms), reused);
    let decision = table.decide(&other, KEY_LIFETIME_MS).unwrap().unwrap();
    assert_eq!(decision.entries.len(), 1);
}
