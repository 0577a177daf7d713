//! An app with keys, a mouse and a screen in memory.

use noughts_engine::{EngineSetup, Stop};
use noughts_terminal::tui::{
    App, Effect, Event, Purpose, RobotReply, RobotRequest, Theme, TuiOptions, TuiSettings, draw,
    evaluate, perform,
};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{
    KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

pub(crate) const FULL: Theme = Theme {
    unicode: true,
    dots: true,
    colour: true,
};
pub(crate) const PLAIN: Theme = Theme {
    unicode: false,
    dots: false,
    colour: false,
};

/// An app on a screen in memory.
pub(crate) struct TestApp {
    pub(crate) app: App,
    terminal: Terminal<TestBackend>,
    /// The effect of the last event.
    pub(crate) effect: Effect,
}

impl TestApp {
    /// An app with these arguments, such as `3x3k3 human first`; without arguments it shows the start screen.
    pub(crate) fn new(words: &str) -> TestApp {
        TestApp::with(words, "0", FULL)
    }

    pub(crate) fn with(words: &str, history: &str, theme: Theme) -> TestApp {
        let mut words = words.split_whitespace().map(str::to_owned);
        let options = TuiOptions {
            variant: words.next(),
            seats: words.collect(),
            history: Some(history.to_owned()),
            ..TuiOptions::default()
        };
        let setup = TuiSettings {
            hint: "first".to_owned(),
            ..TuiSettings::new(theme, 1)
        };
        TestApp::of(App::new(&options, setup).unwrap())
    }

    pub(crate) fn of(app: App) -> TestApp {
        let mut app = TestApp {
            app,
            terminal: Terminal::new(TestBackend::new(80, 24)).unwrap(),
            effect: Effect::None,
        };
        app.resize(80, 24);
        app
    }

    pub(crate) fn resize(&mut self, width: u16, height: u16) {
        self.terminal.backend_mut().resize(width, height);
        self.handle(Event::Resize(width, height));
    }

    /// Handles an event and carries out its effects on files.
    pub(crate) fn handle(&mut self, event: Event) {
        self.effect = self.app.handle(event);
        while let Some(event) = perform(&self.effect) {
            self.effect = self.app.handle(event);
        }
    }

    pub(crate) fn key(&mut self, code: KeyCode) -> &mut TestApp {
        self.handle(Event::Key(KeyEvent::new(code, KeyModifiers::NONE)));
        self
    }

    pub(crate) fn control(&mut self, letter: char) -> &mut TestApp {
        let code = KeyCode::Char(letter);
        self.handle(Event::Key(KeyEvent::new(code, KeyModifiers::CONTROL)));
        self
    }

    /// Presses keys: letters, and words for special keys.
    pub(crate) fn keys(&mut self, keys: &str) -> &mut TestApp {
        for key in keys.split_whitespace() {
            let code = match key {
                "up" => KeyCode::Up,
                "down" => KeyCode::Down,
                "left" => KeyCode::Left,
                "right" => KeyCode::Right,
                "pgup" => KeyCode::PageUp,
                "pgdn" => KeyCode::PageDown,
                "enter" => KeyCode::Enter,
                "space" => KeyCode::Char(' '),
                "esc" => KeyCode::Esc,
                "back" => KeyCode::Backspace,
                "del" => KeyCode::Delete,
                "tab" => KeyCode::Tab,
                text => {
                    self.type_in(text);
                    continue;
                }
            };
            self.key(code);
        }
        self
    }

    pub(crate) fn type_in(&mut self, text: &str) -> &mut TestApp {
        for letter in text.chars() {
            self.key(KeyCode::Char(letter));
        }
        self
    }

    /// Types moves, presses Enter after each, and then lets the robots answer.
    pub(crate) fn play(&mut self, moves: &str) -> &mut TestApp {
        for one in moves.split_whitespace() {
            self.type_in(one).key(KeyCode::Enter);
            self.let_robots_play();
        }
        self
    }

    pub(crate) fn mouse(
        &mut self,
        kind: MouseEventKind,
        (column, row): (u16, u16),
    ) -> &mut TestApp {
        self.handle(Event::Mouse(MouseEvent {
            kind,
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }));
        self
    }

    pub(crate) fn click(&mut self, at: (u16, u16)) -> &mut TestApp {
        self.mouse(MouseEventKind::Down(MouseButton::Left), at)
    }

    /// Answers the request that the app has now.
    pub(crate) fn let_robot_answer(&mut self) {
        let robot_request = self
            .app
            .robot_request()
            .expect("there is a request for a robot");
        self.handle(Event::RobotReply(answer(&robot_request)));
    }

    /// Answers requests for moves and reviews until the app has no more requests.
    pub(crate) fn let_robots_play(&mut self) {
        while self.app.robot_request().is_some() {
            self.let_robot_answer();
        }
    }

    pub(crate) fn buffer(&mut self) -> Buffer {
        self.terminal.draw(|frame| draw(&self.app, frame)).unwrap();
        self.terminal.backend().buffer().clone()
    }

    /// The screen as text, without the spaces at the ends of its lines.
    pub(crate) fn screen(&mut self) -> String {
        let buffer = self.buffer();
        let mut text = String::new();
        for y in buffer.area.rows() {
            let mut line = String::new();
            let mut covered = 0;
            for position in y.positions() {
                // A wide character covers the cell behind it.
                if covered == 0 {
                    line.push_str(buffer[position].symbol());
                    covered = ratatui::text::Span::raw(buffer[position].symbol()).width();
                }
                covered = covered.saturating_sub(1);
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The position of a text on the screen.
    pub(crate) fn find(&mut self, text: &str) -> (u16, u16) {
        let screen = self.screen();
        let found = screen.lines().zip(0..).find_map(|(line, y)| {
            let at = line.find(text)?;
            Some((line[..at].chars().count() as u16, y))
        });
        found.unwrap_or_else(|| panic!("no {text:?} in\n{screen}"))
    }

    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) -> &mut TestApp {
        let screen = self.screen();
        assert!(screen.contains(text), "no {text:?} in\n{screen}");
        self
    }

    #[track_caller]
    pub(crate) fn does_not_see(&mut self, text: &str) -> &mut TestApp {
        let screen = self.screen();
        assert!(!screen.contains(text), "{text:?} in\n{screen}");
        self
    }
}

/// The reply to a request: the move of the strategy or, for a review, the value of the position.
pub(crate) fn answer(robot_request: &RobotRequest) -> RobotReply {
    if robot_request.request_id.purpose == Purpose::Review {
        return RobotReply {
            request_id: robot_request.request_id,
            decision: Ok(evaluate(&robot_request.game, &Stop::new())),
        };
    }
    let setup = EngineSetup::with_seed(robot_request.seed);
    let built = robot_request.strategy.build(&robot_request.game, &setup);
    let mut strategy = built.expect("it plays this game");
    RobotReply {
        request_id: robot_request.request_id,
        decision: strategy
            .choose(&robot_request.game, &Stop::new())
            .map_err(|fault| fault.to_string()),
    }
}
