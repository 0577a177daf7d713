//! Offers, answers, abort and claims: who may use them, and their effects.

use noughts_rules::{Action, Conclusion, DrawReason, Refusal, Seat, Side, Sides, WinReason};
use noughts_server::{
    Absence, Answer, Claim, Command, Context, Decision, Entry, Holder, MAX_OTHER_ENTRIES, Offer,
    OpenTo, Table, TableRefusal,
};

use crate::{act, apply, human, play, settings, submit, table};

fn offer(seat: u8, offer: Offer) -> Command {
    Command::Offer {
        seat: Seat(seat),
        offer,
        key: None,
    }
}

fn accept(seat: u8, offer: Offer) -> Command {
    answer(seat, Answer::Accept(offer))
}

fn decline(seat: u8, offer: Offer) -> Command {
    answer(seat, Answer::Decline(offer))
}

fn answer(seat: u8, answer: Answer) -> Command {
    Command::Answer {
        seat: Seat(seat),
        answer,
        key: None,
    }
}

fn abort(seat: u8) -> Command {
    Command::Abort { seat: Seat(seat) }
}

fn claim(seat: u8, claim: Claim) -> Command {
    let seat = Seat(seat);
    Command::Claim { seat, claim }
}

/// A game on a large board after this many turns.
fn played(turns: usize) -> Table {
    let mut table = table("15x15k5", 0);
    play_on(&mut table, turns);
    table
}

/// Plays `turns` turns, none of which completes a line.
fn play_on(table: &mut Table, turns: usize) {
    for _ in 0..turns {
        let done = table.game().turns().len();
        let seat = table.game().to_move().unwrap().0;
        play(table, seat, 30 * (done / 15) + done % 15 + done / 15);
    }
}

fn offers(table: &Table) -> Vec<(u8, Offer)> {
    let offers = table.offers().iter();
    offers.map(|open| (open.seat.0, open.offer)).collect()
}

fn refused(table: &Table, command: &Command) -> TableRefusal {
    table.decide(command, 0).unwrap_err()
}

#[test]
fn draw_is_agreed_when_every_other_person_accepts() {
    let mut two = played(3);
    submit(&mut two, &offer(0, Offer::Draw)).unwrap();
    assert_eq!(offers(&two), [(0, Offer::Draw)]);
    assert_eq!(two.decide(&offer(0, Offer::Draw), 0), Ok(None), "again");
    submit(&mut two, &accept(1, Offer::Draw)).unwrap();
    let reason = DrawReason::Agreement;
    assert_eq!(two.game().conclusion(), Some(&Conclusion::Draw { reason }));
    assert_eq!(offers(&two), []);
    // With three people, both others must accept.
    let mut three = table("15x15k5p3", 0);
    play_on(&mut three, 3);
    submit(&mut three, &offer(0, Offer::Draw)).unwrap();
    submit(&mut three, &accept(2, Offer::Draw)).unwrap();
    assert!(!three.is_over());
    assert_eq!(three.decide(&accept(2, Offer::Draw), 0), Ok(None), "again");
    submit(&mut three, &accept(1, Offer::Draw)).unwrap();
    assert!(three.is_over());
}

#[test]
fn offering_a_draw_to_who_offers_one_accepts_it() {
    let mut table = played(3);
    submit(&mut table, &offer(0, Offer::Draw)).unwrap();
    submit(&mut table, &offer(1, Offer::Draw)).unwrap();
    assert!(table.is_over());
}

#[test]
fn draw_may_be_offered_from_the_second_turn_on_and_not_to_robots() {
    let table = played(1);
    assert!(table.decide(&offer(0, Offer::Draw), 0).is_ok());
    let early = TableRefusal::DrawTooEarly;
    assert_eq!(refused(&table, &offer(1, Offer::Draw)), early);
    let mut settings = settings("15x15k5", 0);
    settings.holders[1] = Holder::Robot("first".parse().unwrap());
    let mut alone = Table::new(settings).unwrap();
    play_on(&mut alone, 2);
    let nobody = TableRefusal::NoOtherPlayer;
    assert_eq!(refused(&alone, &offer(0, Offer::Draw)), nobody);
}

#[test]
fn declined_draw_waits_for_ten_turns_but_one_taken_back_does_not() {
    let mut table = played(3);
    submit(&mut table, &offer(0, Offer::Draw)).unwrap();
    submit(&mut table, &decline(0, Offer::Draw)).unwrap();
    submit(&mut table, &offer(0, Offer::Draw)).unwrap();
    submit(&mut table, &decline(1, Offer::Draw)).unwrap();
    assert_eq!(offers(&table), []);
    for _ in 0..10 {
        let refusal = TableRefusal::DrawRefused { turn: 14 };
        assert_eq!(refused(&table, &offer(0, Offer::Draw)), refusal);
        play_on(&mut table, 1);
    }
    assert_eq!(table.turn(), 14);
    assert!(table.decide(&offer(0, Offer::Draw), 0).is_ok());
}

#[test]
fn withdrawn_takeback_does_not_end_the_pause_after_a_declined_draw() {
    let mut table = played(3);
    submit(&mut table, &offer(0, Offer::Draw)).unwrap();
    submit(&mut table, &decline(1, Offer::Draw)).unwrap();
    submit(&mut table, &offer(0, Offer::Takeback)).unwrap();
    submit(&mut table, &decline(0, Offer::Takeback)).unwrap();
    assert_eq!(offers(&table), []);
    let refusal = TableRefusal::DrawRefused { turn: 14 };
    assert_eq!(refused(&table, &offer(0, Offer::Draw)), refusal);
}

#[test]
fn new_turn_of_an_asked_seat_declines() {
    let mut table = played(4);
    submit(&mut table, &offer(0, Offer::Draw)).unwrap();
    play_on(&mut table, 1);
    assert_eq!(
        offers(&table),
        [(0, Offer::Draw)],
        "the offering seat played"
    );
    play_on(&mut table, 1);
    assert_eq!(offers(&table), []);
    let gone = TableRefusal::NoOffer { offer: Offer::Draw };
    assert_eq!(refused(&table, &accept(1, Offer::Draw)), gone);
    assert_eq!(refused(&table, &decline(1, Offer::Draw)), gone);
    let refusal = TableRefusal::DrawRefused { turn: 17 };
    assert_eq!(refused(&table, &offer(0, Offer::Draw)), refusal);
}

#[test]
fn agreed_takeback_returns_to_before_the_play_of_its_seat() {
    let mut table = played(3);
    submit(&mut table, &offer(0, Offer::Takeback)).unwrap();
    let own = TableRefusal::NoOffer {
        offer: Offer::Takeback,
    };
    assert_eq!(refused(&table, &accept(0, Offer::Takeback)), own);
    submit(&mut table, &accept(1, Offer::Takeback)).unwrap();
    assert_eq!(table.game().plays().len(), 2);
    assert_eq!((table.game().to_move(), table.turn()), (Some(Seat(0)), 5));
    assert_eq!(offers(&table), []);
    // Nobody can take back alone.
    let alone = act(0, Action::Takeback(2), table.turn());
    assert_eq!(refused(&table, &alone), TableRefusal::ConsentNeeded);
    // The offer lapses when its seat plays instead.
    submit(&mut table, &offer(0, Offer::Takeback)).unwrap();
    play(&mut table, 0, 100);
    assert_eq!(offers(&table), []);
}

#[test]
fn takeback_needs_a_play_and_robots_agree_at_once() {
    let mut settings = settings("15x15k5", 0);
    settings.holders[1] = Holder::Robot("first".parse().unwrap());
    let mut table = Table::new(settings).unwrap();
    let nothing = TableRefusal::Rules(Refusal::NothingToTakeBack);
    assert_eq!(refused(&table, &offer(0, Offer::Takeback)), nothing);
    play_on(&mut table, 2);
    let entries = submit(&mut table, &offer(0, Offer::Takeback)).unwrap();
    assert_eq!(entries.len(), 2, "the offer and the turn");
    assert_eq!(table.game().plays().len(), 0);
    assert_eq!(table.game().to_move(), Some(Seat(0)));
}

#[test]
fn game_may_be_aborted_before_every_side_has_played() {
    for turns in 0..2 {
        for seat in 0..2 {
            let mut table = played(turns);
            submit(&mut table, &abort(seat)).unwrap();
            assert_eq!(table.game().conclusion(), Some(&Conclusion::Aborted));
            assert_eq!(table.decide(&abort(seat), 0), Ok(None), "again");
            let over = TableRefusal::Rules(Refusal::Over);
            assert_eq!(refused(&table, &abort(1 - seat)), over);
        }
    }
    assert_eq!(refused(&played(2), &abort(0)), TableRefusal::TooLateToAbort);
}

/// An empty seat never wins.
#[test]
fn waiting_table_is_aborted_also_by_resigning() {
    let mut settings = settings("3x3k3", 0);
    settings.holders[1] = Holder::Open(OpenTo::Link);
    for command in [abort(0), act(0, Action::Resign, 1)] {
        let mut table = Table::new(settings.clone()).unwrap();
        let waits = TableRefusal::NotStarted;
        assert_eq!(refused(&table, &offer(0, Offer::Takeback)), waits);
        assert_eq!(refused(&table, &claim(0, Claim::Win)), waits);
        submit(&mut table, &command).unwrap();
        assert_eq!(table.game().conclusion(), Some(&Conclusion::Aborted));
        assert_eq!(table.decide(&command, 0), Ok(None), "again");
    }
}

fn away(ms: u64, has_left: bool) -> Context {
    Context {
        now_ms: 1_000_000,
        away: vec![None, Some(Absence { ms, has_left })],
    }
}

#[test]
fn claims_need_absence_and_a_played_turn() {
    let with_clock = |clock: Option<&str>, turns| {
        let mut settings = settings("15x15k5", 0);
        settings.clock = clock.map(|clock| clock.parse().unwrap());
        let mut table = Table::new(settings).unwrap();
        play_on(&mut table, turns);
        table
    };
    let win = claim(0, Claim::Win);
    let wait = |wait_ms| Err(TableRefusal::OpponentJustLeft { wait_ms });
    let decide = |table: &Table, context| table.decide(&win, context).map(|d| d.is_some());
    for (clock, has_left, needed_ms) in [
        (Some("180+2"), false, 60_000),
        (Some("move 30"), false, 60_000),
        (None, false, 300_000),
        (Some("180+2"), true, 10_000),
        (None, true, 10_000),
    ] {
        let table = with_clock(clock, 2);
        assert_eq!(decide(&table, away(needed_ms, has_left)), Ok(true));
        assert_eq!(decide(&table, away(needed_ms - 1, has_left)), wait(1));
        assert_eq!(decide(&table, away(0, has_left)), wait(needed_ms));
        let present = TableRefusal::OpponentIsPresent { seat: Seat(1) };
        assert_eq!(decide(&table, Context::from(0)), Err(present));
    }
    let long = away(u64::MAX, true);
    let early = with_clock(None, 1);
    assert_eq!(
        decide(&early, long.clone()),
        Err(TableRefusal::ClaimTooEarly)
    );
    let days = with_clock(Some("days 3"), 2);
    let refusal = TableRefusal::NoClaimInCorrespondence;
    assert_eq!(decide(&days, long.clone()), Err(refusal));
    for (kind, end) in [
        (
            Claim::Win,
            Conclusion::Won {
                sides: Sides::only(Side::FIRST),
                by: WinReason::Claim,
            },
        ),
        (
            Claim::Draw,
            Conclusion::Draw {
                reason: DrawReason::Claim,
            },
        ),
    ] {
        let mut table = with_clock(None, 2);
        let decision: Decision = table
            .decide(&claim(0, kind), long.clone())
            .unwrap()
            .unwrap();
        apply(&mut table, &decision);
        assert_eq!(table.game().conclusion(), Some(&end));
        assert_eq!(table.decide(&claim(0, kind), 0), Ok(None), "again");
        let over = TableRefusal::Rules(Refusal::Over);
        assert_eq!(refused(&table, &claim(1, kind)), over);
    }
}

#[test]
fn game_takes_at_most_a_thousand_entries_that_are_no_turns() {
    let mut table = played(3);
    let mut others = 0;
    let refusal = loop {
        let commands = [offer(0, Offer::Draw), decline(0, Offer::Draw)];
        let results = commands.map(|command| submit(&mut table, &command));
        let is_other = |entry: &Entry| !matches!(entry, Entry::Turn(_));
        for result in results.iter().flatten() {
            others += result
                .iter()
                .filter(|logged| is_other(&logged.entry))
                .count();
        }
        if let Err(refusal) = results[0] {
            break refusal;
        }
    };
    assert_eq!(refusal, TableRefusal::LogFull);
    assert!(others < MAX_OTHER_ENTRIES);
    // There is still room to end the game.
    let resigned = act(0, Action::Resign, table.turn());
    submit(&mut table, &resigned).unwrap();
    assert!(table.is_over());
}

#[test]
fn offers_are_in_the_record() {
    let mut table = Table::new(noughts_server::Settings {
        holders: vec![human(); 2],
        clock: Some("180+2".parse().unwrap()),
        ..settings("15x15k5", 0)
    })
    .unwrap();
    play_on(&mut table, 3);
    submit(&mut table, &offer(0, Offer::Takeback)).unwrap();
    submit(&mut table, &accept(1, Offer::Takeback)).unwrap();
    submit(&mut table, &offer(0, Offer::Draw)).unwrap();
    submit(&mut table, &accept(1, Offer::Draw)).unwrap();
    let events: Vec<String> = table
        .offer_events()
        .iter()
        .map(|event| format!("{} {event}", event.after_turns))
        .collect();
    assert_eq!(
        events,
        [
            "3 offer 0 takeback",
            "3 accept 1 takeback",
            "4 offer 0 draw",
            "4 accept 1 draw"
        ]
    );
    assert_eq!(table.used_ms(), [0; 4]);
}
