//! Nine boards in the terminal: Multi and Ultimate.

mod command;
mod messages;
mod options;
mod screen;

use std::io::{self, BufRead, Write};

use noughts_engine::EngineSetup;
use noughts_rules::{Action, Game, Seat, View};

pub(crate) use messages::WHICH_BOARD;
pub use options::{DEFAULT_ROBOT, MultiOptions, MultiSettings, OptionError};
pub use screen::BoardSize;

use crate::console::{Console, Exit, sentence};
use crate::robots::Robots;
use command::Typed;
use messages::MoveDuration;

/// Plays one game until it is over, the user quits, or the input ends.
///
/// Returns an error if reading or writing fails. The error for a closed output is
/// [`BrokenPipe`](io::ErrorKind::BrokenPipe).
pub fn play(
    settings: &MultiSettings,
    engine_setup: &EngineSetup,
    board_size: BoardSize,
    input: impl BufRead,
    output: impl Write,
) -> io::Result<()> {
    let mut console = Console::new(input, output);
    let mut game = MultiGame::new(settings, engine_setup, board_size);
    match game.take_turns(&mut console) {
        Ok(()) => console.tell(game.ended())?,
        Err(Exit::Quit) => console.tell(messages::unfinished(&game.game.view()))?,
        Err(Exit::Failed(error)) => return Err(error),
    }
    console.flush()
}

/// A game and its robots.
struct MultiGame {
    game: Game,
    seats: Robots,
    /// The time that the robot took for the last turn. `None` before the first turn and after a person's turn.
    last_move_duration: Option<MoveDuration>,
    /// The lines of the instructions. They are shown beside the boards in the first turn, and when the player
    /// asks for help.
    instructions: Vec<String>,
    board_size: BoardSize,
}

impl MultiGame {
    fn new(
        settings: &MultiSettings,
        engine_setup: &EngineSetup,
        board_size: BoardSize,
    ) -> MultiGame {
        let game = settings.game();
        let seats = Robots::new(&game, settings.holders(), engine_setup);
        MultiGame {
            seats: seats.expect("the robots were checked"),
            game,
            last_move_duration: None,
            instructions: messages::instructions(settings, board_size),
            board_size,
        }
    }

    fn take_turns(&mut self, console: &mut Console<impl BufRead, impl Write>) -> Result<(), Exit> {
        while let Some(seat) = self.game.to_move() {
            let view = self.game.view();
            let mut boards = screen::boards(self.board_size, &view, self.game.plays().last());
            if self.game.turns().is_empty() {
                boards = screen::beside(self.board_size, &boards, &self.instructions);
            }
            console.tell(boards)?;
            let status = messages::status(&view, self.last_move_duration);
            console.tell(self.board_size.wrap_status(&status))?;
            if self.seats.is_robot(seat) {
                self.let_think(seat, console)?;
            } else {
                self.ask(seat, &view, console)?;
            }
        }
        Ok(())
    }

    fn let_think(
        &mut self,
        seat: Seat,
        console: &mut Console<impl BufRead, impl Write>,
    ) -> Result<(), Exit> {
        console.begin(messages::thinking(seat))?;
        let Some(thought) = self.seats.think(seat, &self.game) else {
            return Ok(());
        };
        let thought = match thought {
            Ok(thought) => thought,
            Err(fault) => {
                console.tell(sentence(fault))?;
                self.game
                    .leave(seat)
                    .expect("a seat of a game that goes on");
                return Ok(());
            }
        };
        let action = Action::Play(thought.at);
        console.tell(messages::thought(&self.game.format_action(action)))?;
        self.last_move_duration = Some(MoveDuration {
            seat,
            took: thought.took,
        });
        self.game
            .act(seat, action)
            .expect("strategies choose legal moves");
        Ok(())
    }

    /// Asks until the player has taken a legal action.
    fn ask(
        &mut self,
        seat: Seat,
        view: &View,
        console: &mut Console<impl BufRead, impl Write>,
    ) -> Result<(), Exit> {
        let board = view.nested.and_then(|nested| nested.active);
        loop {
            let line = console.ask(screen::beside_key(&messages::prompt(seat, board)))?;
            let done = match command::read(&self.game, board, &line) {
                Typed::Action(action) => self.game.act(seat, action).map_err(sentence),
                Typed::WhichBoard => Err(messages::WHICH_BOARD.to_owned()),
                Typed::NoCell(cell) => Err(messages::no_cell(&cell)),
                Typed::Help => Err(self.instructions.join("\n")),
                Typed::Nothing => Err(messages::what_to_type(board, view)),
                Typed::Unreadable(text) => Err(messages::unreadable(&text, board, view)),
                Typed::NoSuchPlace(reason) => Err(sentence(reason)),
            };
            match done {
                Ok(()) => {
                    self.last_move_duration = None;
                    return Ok(console.tell("")?);
                }
                Err(reason) => console.tell(reason)?,
            }
        }
    }

    fn ended(&self) -> String {
        let view = self.game.view();
        let boards = screen::boards(self.board_size, &view, self.game.plays().last());
        format!(
            "{boards}\n{}",
            messages::end(&view, self.last_move_duration)
        )
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use super::*;
    use noughts_engine::Clock;

    /// A clock that advances by a fixed time with every reading.
    struct Ticking(AtomicU64, u64);

    impl Clock for Ticking {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(self.1, Ordering::Relaxed))
        }
    }

    fn session(options: &MultiOptions, tick_ms: u64, input: &[u8]) -> String {
        let engine_setup = EngineSetup {
            seed: 1,
            clock: Arc::new(Ticking(AtomicU64::new(0), tick_ms)),
        };
        let mut output = Vec::new();
        play(
            &MultiSettings::new(options, 1).unwrap(),
            &engine_setup,
            BoardSize::Large,
            input,
            &mut output,
        )
        .unwrap();
        String::from_utf8(output).unwrap()
    }

    fn against(o: &str) -> MultiOptions {
        MultiOptions {
            o: Some(o.to_owned()),
            start: Some("4".to_owned()),
            ..MultiOptions::default()
        }
    }

    #[test]
    fn thinking_time_is_shown() {
        let shown = session(&against("first"), 12, b"0\n");
        assert!(
            shown.contains(
                "\nMove 3: X to play on board 0. Score: X 0, O 0, drawn 0. O took 12 ms.\n"
            ),
            "{shown}"
        );
        let shown = session(&against("first"), 9_999, b"0\n");
        assert!(shown.contains(" O took 9999 ms.\n"), "{shown}");
        let shown = session(&against("first"), 12_345, b"0\n");
        assert!(shown.contains(" O took 12.3 s.\n"), "{shown}");
        // The time is shown only after a robot's move.
        let shown = session(&against("first"), 12, b"0\nresign\n");
        assert_eq!(shown.matches("took").count(), 1, "{shown}");
        // No time is shown before the robot's first move or after a person's move.
        assert!(!session(&against("first"), 12, b"").contains("took"));
        assert!(!session(&against("human"), 12, b"0\n0\n").contains("took"));
    }

    #[test]
    fn instructions_fit_on_a_screen_of_80_by_24() {
        let options = MultiOptions {
            history: Some("3".to_owned()),
            rules: noughts_rules::NestedSpec::ULTIMATE,
            ..against("minimax:7")
        };
        for options in [against("minimax:7"), options] {
            let shown = session(&options, 1, b"?\n");
            let (screen, rest) = shown.split_once("(0 to 8): ").unwrap();
            assert!(screen.lines().count() <= 24, "{screen}");
            assert!(screen.lines().all(|line| line.len() <= 80), "{screen}");
            for text in ["names the", ":q      leave", "O is minimax:7."] {
                assert!(screen.contains(text) && rest.contains(text), "{shown}");
            }
        }
    }

    #[test]
    fn first_board_is_derived_from_the_seed() {
        let drawn = |seed| {
            let options = MultiOptions {
                start: None,
                ..against("first")
            };
            MultiSettings::new(&options, seed)
                .unwrap()
                .variant()
                .to_string()
        };
        assert_eq!(drawn(5), drawn(5));
        let mut all: Vec<String> = (0..200).map(drawn).collect();
        all.sort();
        all.dedup();
        let expected: Vec<String> = (0..9).map(|board| format!("multi@{board}")).collect();
        assert_eq!(all, expected);
    }
}
