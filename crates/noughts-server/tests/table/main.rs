//! What a table promises, whatever it is told.

mod survival;

use noughts_rules::{Action, By, Conclusion, Move, Refusal, Seat, Side};
use noughts_server::{Command, Event, GameId, Holder, Leavers, Refused, Setting, Table, Verdict};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn table_survives_any_commands(input in prop::collection::vec(any::<u8>(), 0..1_200)) {
        survival::survive(&input);
    }
}

#[test]
fn the_survivors_are_told_something() {
    // The first game, legal moves by whoever is to move, until it is over.
    let input: Vec<u8> = std::iter::once(0).chain([100, 0, 0, 0].repeat(9)).collect();
    assert!(survival::survive(&input) >= 5);
}

fn table(variant: &str, history: u16) -> Table {
    let variant: noughts_rules::Variant = variant.parse().unwrap();
    let human = Holder::Human {
        name: "Ann".to_owned(),
        node: None,
    };
    Table::new(Setting {
        id: GameId::new(7),
        variant,
        history,
        start: None,
        holders: vec![human; variant.sides().into()],
        created_ms: 0,
    })
    .unwrap()
}

fn act(table: &mut Table, seat: u8, action: Action, at_turn: usize) -> Result<(), Refused> {
    let event = table.check(Command::Act {
        seat: Seat(seat),
        action,
        at_turn,
    })?;
    let end = table.conclusion_after(event);
    table.happen(event)?;
    assert_eq!(
        table.game().conclusion().cloned(),
        end,
        "an end is known before"
    );
    Ok(())
}

fn play(table: &mut Table, seat: u8, cell: usize) {
    let turn = table.turn();
    act(table, seat, Action::Play(Move::at(cell)), turn).unwrap();
}

#[test]
fn an_answer_to_another_turn_is_stale_before_anything_else_is_said_of_it() {
    let mut table = table("3x3k3", 0);
    play(&mut table, 0, 4);
    let mut tell = |seat, cell, turn| act(&mut table, seat, Action::Play(Move::at(cell)), turn);
    for turn in [0, 1, 3, usize::MAX] {
        assert_eq!(tell(1, 4, turn), Err(Refused::Stale { turn: 2 }));
    }
    let not_yours = Refusal::NotYourTurn { to_move: Seat(1) };
    assert_eq!(tell(0, 0, 2), Err(Refused::Rules(not_yours)));
    assert_eq!(tell(1, 0, 2), Ok(()));
}

#[test]
fn a_finished_game_is_over_whatever_turn_is_answered() {
    let mut table = table("3x3k3", 0);
    for (turn, cell) in [0, 3, 1, 4, 2].into_iter().enumerate() {
        play(&mut table, turn as u8 % 2, cell);
    }
    for turn in [1, 5, 6, 99] {
        let told = act(&mut table, 1, Action::Play(Move::at(8)), turn);
        assert_eq!(told, Err(Refused::Rules(Refusal::Over)));
    }
    let leave = table.check(Command::Leave(Leavers::one(Seat(0))));
    assert_eq!(leave, Err(Refused::Rules(Refusal::Over)));
    assert_eq!(table.result(Seat(0)), Some(Verdict::Won));
    assert_eq!(table.result(Seat(1)), Some(Verdict::Lost));
    assert_eq!(table.answer_that_ended(Seat(1)), Some(Move::at(2)));
    assert_eq!(table.answer_that_ended(Seat(0)), None);
}

#[test]
fn who_leaves_loses_and_if_all_leave_at_once_nobody_wins() {
    let mut one = table("3x3k3", 0);
    play(&mut one, 0, 4);
    let mut both = one.clone();
    let leavers = Leavers::one(Seat(1));
    one.happen(Event::Left(leavers)).unwrap();
    let Some(Conclusion::Won { sides, by }) = one.game().conclusion() else {
        panic!("nobody won");
    };
    assert_eq!((sides.contains(Side::FIRST), by), (true, &By::Leaving));
    // The other's last cell did not end it.
    assert_eq!(one.answer_that_ended(Seat(1)), None);
    both.happen(Event::Left(leavers.and(Seat(0)))).unwrap();
    assert_eq!(both.game().conclusion(), Some(&Conclusion::Abandoned));
    assert_eq!(both.result(Seat(0)), Some(Verdict::Abandoned));
}

#[test]
fn a_game_that_goes_round_in_rewinds_is_a_draw_in_the_end() {
    let mut table = table("3x3k3", 2);
    // 4 x cells + 100.
    for turn in 0..136 {
        assert_eq!(table.game().conclusion(), None, "after {turn} turns");
        let action = match turn % 2 {
            0 => Action::Play(Move::at(0)),
            _ => Action::Rewind(1),
        };
        act(&mut table, turn as u8 % 2, action, turn + 1).unwrap();
    }
    assert_eq!(table.game().conclusion(), Some(&Conclusion::Draw));
    let stored = survival::stored(table.setting(), table.game().turns(), None);
    let again = Table::restore(stored).unwrap();
    assert_eq!(again.game().conclusion(), Some(&Conclusion::Draw));
}
