//! Random events on screens of any size: nothing panics, and drawing stays on the screen.

use noughts_engine::Random;
use noughts_terminal::tui::{Event, RobotReply};
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

use crate::test_app::{FULL, PLAIN, TestApp};

const GAMES: [&str; 10] = [
    "",
    "3x3k3 human random",
    "3x3k3 random random",
    "7x6k4+gravity human human",
    "4x4k3p3+misere human random human",
    "9x9k5p64",
    "20x12k5 human random",
    "255x255k5 human random",
    "multi human random",
    "ultimate human human",
];

const KEYS: [KeyCode; 18] = [
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::Enter,
    KeyCode::Enter,
    KeyCode::Enter,
    KeyCode::Esc,
    KeyCode::Tab,
    KeyCode::BackTab,
    KeyCode::Backspace,
    KeyCode::Delete,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::F(1),
    KeyCode::Insert,
];

/// The characters that are typed. `s` is missing, because it would write a file.
const LETTERS: &[u8] = b"0123456789-,.<>ahrlnyg?q xok+";

fn event(random: &mut Random) -> Event {
    let any = |random: &mut Random, count: usize| random.below(count) as u16;
    match random.below(12) {
        0 => Event::Resize(any(random, 170), any(random, 60)),
        1..4 => {
            let kinds = [
                MouseEventKind::Down(MouseButton::Left),
                MouseEventKind::Moved,
                MouseEventKind::ScrollUp,
                MouseEventKind::ScrollDown,
                MouseEventKind::ScrollLeft,
                MouseEventKind::ScrollRight,
            ];
            Event::Mouse(MouseEvent {
                kind: kinds[random.below(kinds.len())],
                column: any(random, 170),
                row: any(random, 60),
                modifiers: KeyModifiers::NONE,
            })
        }
        4..8 => key(KEYS[random.below(KEYS.len())]),
        _ => key(KeyCode::Char(LETTERS[random.below(LETTERS.len())].into())),
    }
}

fn key(code: KeyCode) -> Event {
    Event::Key(KeyEvent::new(code, KeyModifiers::NONE))
}

#[test]
fn no_events_make_it_panic() {
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let game = GAMES[random.below(GAMES.len())];
        let history = if game.is_empty() { "0" } else { "5" };
        let theme = if seed % 2 == 0 { FULL } else { PLAIN };
        println!("seed {seed}: {game}");
        let mut app = TestApp::with(game, history, theme);
        for _ in 0..300 {
            let event = event(&mut random);
            match event {
                Event::Resize(width, height) => app.resize(width, height),
                event => app.handle(event),
            }
            if random.below(3) == 0
                && let Some(robot_request) = app.app.robot_request()
            {
                // Any legal move.
                let legal = robot_request.game.legal();
                let at = legal[random.below(legal.len())];
                app.handle(Event::RobotReply(RobotReply {
                    request_id: robot_request.request_id,
                    decision: Ok(at.into()),
                }));
            }
            if random.below(8) == 0 {
                app.buffer();
            }
        }
        app.buffer();
    }
}
