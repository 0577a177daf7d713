//! Random actions, compared with a simple model of a game.

use noughts_rules::reference::{ReferenceGrid, ReferenceNested};
use noughts_rules::{
    Action, Conclusion, Diagram, DrawReason, Game, Move, Outcome, Player, Record, RecordSeat,
    Rules, Seat, Side, Sides, Termination, Turn, Variant,
};
use proptest::prelude::*;

use crate::{read_setup, set_up};

/// A random action. The game may refuse it.
#[derive(Clone, Debug)]
enum Ask {
    LegalPlay(u16),
    AnyPlay(u16),
    Rewind(u16),
    Takeback(u16),
    Resign,
}

impl Ask {
    fn action(&self, game: &Game) -> Action {
        let any = |choice: &u16| Move::at(usize::from(*choice) % (game.variant().cells() + 2));
        match self {
            Ask::LegalPlay(choice) => {
                let legal = game.legal();
                let at = legal.get(usize::from(*choice) % legal.len().max(1));
                Action::Play(at.copied().unwrap_or(any(choice)))
            }
            Ask::AnyPlay(choice) => Action::Play(any(choice)),
            Ask::Rewind(count) => Action::Rewind(*count),
            Ask::Takeback(count) => Action::Takeback(*count),
            Ask::Resign => Action::Resign,
        }
    }
}

fn any_ask() -> impl Strategy<Value = (Option<u8>, Ask)> {
    let by = prop_oneof![9 => Just(None), 1 => (0..5u8).prop_map(Some)];
    let ask = prop_oneof![
        60 => any::<u16>().prop_map(Ask::LegalPlay),
        10 => any::<u16>().prop_map(Ask::AnyPlay),
        15 => (0..6u16).prop_map(Ask::Rewind),
        15 => (0..4u16).prop_map(Ask::Takeback),
        1 => Just(Ask::Resign),
    ];
    (by, ask)
}

fn any_setup() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "3x3k3",
        "3x3k3 history=8",
        "3x3k3 history=3 xxo",
        "3x3k3 history=3 xx",
        "3x3k3+misere history=2 xoox",
        "4x3k3+misere history=4",
        "4x4k3p3 history=5",
        "4x4k3p3+misere history=5 xoax",
        "5x5k3+exact history=5",
        "7x6k4+gravity history=3",
        "5x4k3p5+gravity history=3",
        "12x11k3 history=5",
        "23x23k3+exact history=5",
        "3x3k3p64",
        "multi history=5",
        "multi@4 history=80",
        "multi history=4 xxo",
        "ultimate history=5",
        "ultimate@0",
    ])
}

/// The simplest model of a game: the marks in order with their seats, the number of turns, and the seat to move.
struct Model {
    variant: Variant,
    history: usize,
    order: Vec<Side>,
    marks: Vec<(Side, Move)>,
    seats: Vec<Seat>,
    next: usize,
    turns: usize,
    resigned: bool,
}

impl Model {
    fn new(game: &Game) -> Model {
        Model {
            variant: *game.variant(),
            history: game.history().into(),
            order: game.order().to_vec(),
            marks: Vec::new(),
            seats: Vec::new(),
            next: 0,
            turns: 0,
            resigned: false,
        }
    }

    fn to_move(&self) -> Seat {
        Seat((self.next % self.order.len()) as u8)
    }

    fn board(&self) -> Vec<Option<Side>> {
        let mut board = vec![None; self.variant.cells()];
        for (side, at) in &self.marks {
            board[at.index()] = Some(*side);
        }
        board
    }

    fn outcome(&self) -> Option<Outcome> {
        self.replay(Move::at(0)).0
    }

    /// The outcome of the marks by the reference rules, and whether a mark may be placed at `at`.
    fn replay(&self, at: Move) -> (Option<Outcome>, bool) {
        match self.variant {
            Variant::Grid(spec) => replay(&ReferenceGrid(spec), &self.marks, at),
            Variant::Nested(spec) => replay(&ReferenceNested(spec), &self.marks, at),
        }
    }

    fn is_over(&self) -> bool {
        self.resigned || self.outcome().is_some()
    }

    fn takes(&self, by: Seat, action: Action) -> bool {
        if self.is_over() || usize::from(by.0) >= self.order.len() {
            return false;
        }
        match action {
            Action::Resign => true,
            Action::Play(at) => by == self.to_move() && self.replay(at).1,
            Action::Rewind(count) => {
                let may_pass = matches!(self.variant, Variant::Grid(_));
                let count = usize::from(count);
                let in_range = count < self.history && count <= self.marks.len();
                by == self.to_move() && in_range && (count > 0 || may_pass)
            }
            Action::Takeback(count) => {
                let from = self.marks.len().checked_sub(count.into());
                let removed = from.map_or(&[][..], |from| &self.seats[from..]);
                removed.first() == Some(&by) && !removed[1..].contains(&by)
            }
        }
    }

    fn act(&mut self, by: Seat, action: Action) {
        match action {
            Action::Play(at) => {
                self.marks.push((self.order[usize::from(by.0)], at));
                self.seats.push(by);
            }
            Action::Rewind(count) | Action::Takeback(count) => {
                let kept = self.marks.len() - usize::from(count);
                self.marks.truncate(kept);
                self.seats.truncate(kept);
            }
            Action::Resign => self.resigned = true,
        }
        self.next = match action {
            Action::Takeback(_) => by.0.into(),
            Action::Play(_) | Action::Rewind(_) | Action::Resign => usize::from(by.0) + 1,
        };
        self.turns += 1;
    }

    /// Checks that the game and the model agree, and that the position passes `Diagram::check`.
    fn check_same(&self, game: &Game) {
        let view = game.view();
        let over = self.is_over();
        assert_eq!(view.marks, self.board());
        assert_eq!(view.turn, self.turns + 1);
        assert_eq!(view.to_move, (!over).then_some(self.to_move()));
        assert_eq!(view.outcome.is_some(), over);
        assert_eq!(view.legal.is_empty(), over);
        if let Some(outcome) = self.outcome() {
            let seated: Sides = self.order.iter().copied().collect();
            let winners = match outcome {
                Outcome::Draw => Sides::NONE,
                Outcome::Won(sides) => sides.and(seated),
            };
            assert_eq!(winners_of(view.outcome.as_ref()), winners);
        }
        let position = game.diagram();
        let possible = position.check(game.variant());
        assert_eq!(possible, Ok(()), "{}", position.draw(game.variant()));
    }
}

fn replay<R: Rules>(rules: &R, marks: &[(Side, Move)], at: Move) -> (Option<Outcome>, bool) {
    let mut position = rules.start();
    for (side, at) in marks {
        rules.set_turn(&mut position, *side);
        rules.play(&mut position, *at);
    }
    (rules.outcome(&position), rules.check(&position, at).is_ok())
}

fn winners_of(conclusion: Option<&Conclusion>) -> Sides {
    match conclusion {
        Some(Conclusion::Won { sides, .. }) => *sides,
        None | Some(Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted) => {
            Sides::NONE
        }
    }
}

/// Checks that the record of a game, written as text, parses to the same game and is then written as the same text.
fn check_record(game: &Game) {
    let seat = |side: &Side| RecordSeat {
        symbol: "ż🦀x-".chars().nth(side.index()).unwrap_or(side.symbol()),
        player: match side.index() % 2 {
            0 => Player::Human(format!("Ann {}", side.index())),
            _ => Player::Robot("level:8".to_owned()),
        },
    };
    let seats = game.order().iter().map(seat).collect();
    let text = Record::new(game.clone(), seats).unwrap().to_string();
    let record = text
        .parse::<Record>()
        .unwrap_or_else(|error| panic!("{error} in\n{text}"));
    assert_eq!(record.to_string(), text);
    assert_eq!(record.game().view(), game.view(), "{text}");
    assert_eq!(record.game().turns(), game.turns());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn game_agrees_with_a_model_of_marks_and_turns(
        setup in any_setup(),
        asks in prop::collection::vec(any_ask(), 0..120),
        ending in 0..8u8,
    ) {
        let mut game = set_up(setup).unwrap();
        let mut model = Model::new(&game);
        let mut views = vec![game.view()];
        for (seat, ask) in asks {
            let (by, action) = (seat.map_or(model.to_move(), Seat), ask.action(&game));
            let takes = model.takes(by, action);
            prop_assert_eq!(game.check(by, action).is_ok(), takes, "{:?} by {:?}", action, by);
            let before = game.view();
            let end = game.conclusion_after(Turn { by, action });
            prop_assert_eq!(game.act(by, action).is_ok(), takes);
            if takes {
                model.act(by, action);
                prop_assert_eq!(end.as_ref(), game.conclusion(), "{:?} by {:?}", action, by);
                views.push(game.view());
            } else {
                prop_assert_eq!(end, None, "{:?} by {:?}", action, by);
                prop_assert_eq!(game.view(), before);
            }
            model.check_same(&game);
        }
        for turns in [0, views.len() / 2, views.len() - 1] {
            prop_assert_eq!(&game.after(turns).view(), &views[turns]);
        }
        check_record(&game);
        let end = match ending {
            0 => Termination::Draw(DrawReason::Limit),
            1 => Termination::Abandoned,
            2 => Termination::Left(Seat(1)),
            3 => Termination::Draw(DrawReason::Agreement),
            4 => Termination::WinClaimed(Seat(0)),
            5 => Termination::Aborted,
            _ => return Ok(()),
        };
        let expected = game.conclusion_of(end);
        let ended = game.terminate(end);
        prop_assert_eq!(ended.is_ok(), !model.is_over());
        prop_assert_eq!(expected.is_ok(), !model.is_over());
        if let Ok(conclusion) = &expected {
            prop_assert_eq!(game.conclusion(), Some(conclusion));
        }
        check_record(&game);
    }

    #[test]
    fn game_can_continue_from_any_of_its_positions(
        setup in any_setup(),
        before in prop::collection::vec(any::<u16>(), 0..80),
        after in prop::collection::vec(any::<u16>(), 0..20),
    ) {
        let (variant, options) = read_setup(setup);
        let mut game = Game::new(&variant, options.clone()).unwrap();
        walk(&mut game, &before);
        let text = game.diagram().format(&variant);
        let start = Diagram::parse(&variant, &text).unwrap();
        let mut from = Game::from_diagram(&variant, options, start).unwrap();
        prop_assert_eq!(from.legal(), game.legal());
        prop_assert_eq!(from.diagram(), game.diagram());
        prop_assert_eq!(from.view().nested, game.view().nested);
        prop_assert_eq!(winners_of(from.conclusion()), winners_of(game.conclusion()));
        walk(&mut from, &after);
        check_record(&from);
    }
}

/// Plays random legal moves.
fn walk(game: &mut Game, choices: &[u16]) {
    for choice in choices {
        let action = Ask::LegalPlay(*choice).action(game);
        match game.to_move() {
            Some(seat) => game.act(seat, action).unwrap(),
            None => return,
        }
    }
}
