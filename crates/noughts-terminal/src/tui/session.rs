//! Runs the app in a real terminal, and always restores the terminal.

use std::io::{self, IsTerminal, Stdout, stdin, stdout};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event as TerminalEvent,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

use super::app::{App, Effect, Event};
use super::record_files;
use super::robot_thread::RobotThread;
use super::screen;

/// How long to wait for input while a robot computes.
const BUSY: Duration = Duration::from_millis(30);
/// How long to wait for input while no robot computes.
const IDLE: Duration = Duration::from_millis(250);

/// After a signal, the program has this much time to end.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

/// How the full screen ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TuiEnd {
    /// The user pressed a key that quits.
    Quit,
    /// The user pressed Ctrl-C, or a signal arrived.
    Interrupted,
}

/// Plays on the full screen until the user quits. The terminal is restored, also after an error or a panic.
pub fn play(mut app: App) -> io::Result<TuiEnd> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        return Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "the full screen needs a terminal for its input and output",
        ));
    }
    let signals = Signals::listen()?;
    let mut screen = Screen::open()?;
    let mut robots = RobotThread::start();
    let size = screen.terminal.size()?;
    app.handle(Event::Resize(size.width, size.height));
    while !signals.have_arrived() {
        robots.follow(&app);
        screen.terminal.draw(|frame| screen::draw(&app, frame))?;
        match listen(&mut app, &mut robots)? {
            Effect::Quit => return Ok(TuiEnd::Quit),
            Effect::Interrupt => break,
            Effect::Suspend => screen.suspend()?,
            Effect::Redraw => screen.terminal.clear()?,
            Effect::None | Effect::Save { .. } | Effect::Load { .. } => {}
        }
    }
    Ok(TuiEnd::Interrupted)
}

/// Waits for an event and handles all pending events.
fn listen(app: &mut App, robots: &mut RobotThread) -> io::Result<Effect> {
    let mut wait = match robots.time() {
        Some(_) => BUSY,
        None => IDLE,
    };
    while event::poll(wait)? {
        wait = Duration::ZERO;
        let event = match event::read()? {
            TerminalEvent::Key(key) => Event::Key(key),
            TerminalEvent::Mouse(mouse) => Event::Mouse(mouse),
            TerminalEvent::Resize(width, height) => Event::Resize(width, height),
            TerminalEvent::FocusGained | TerminalEvent::FocusLost | TerminalEvent::Paste(_) => {
                continue;
            }
        };
        let mut effect = app.handle(event);
        while let Some(event) = record_files::perform(&effect) {
            effect = app.handle(event);
        }
        if effect != Effect::None {
            return Ok(effect);
        }
        // A key may have ended the robot's turn.
        robots.follow(app);
    }
    if let Some(answer) = robots.answer() {
        app.handle(Event::RobotReply(answer));
    }
    if let Some(time) = robots.time() {
        app.handle(Event::Tick(time));
    }
    Ok(Effect::None)
}

/// The terminal in raw mode, on the alternate screen. The terminal is restored when this value is dropped, and when the
/// thread that called [`Screen::open`] panics.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Switches to raw mode and the alternate screen.
    pub fn open() -> io::Result<Screen> {
        restore_on_panic();
        enter_full_screen()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout()));
        Ok(Screen {
            terminal: terminal.inspect_err(|_| restore_terminal())?,
        })
    }

    /// Restores the terminal, and stops the process as Ctrl-Z does. When the process continues, opens the
    /// full screen again.
    fn suspend(&mut self) -> io::Result<()> {
        restore_terminal();
        Signals::stop_here()?;
        enter_full_screen()?;
        self.terminal.clear()
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore_terminal();
    }
}

/// Whether the terminal is in raw mode on the alternate screen. The terminal must be restored only once.
/// Leaving the alternate screen a second time would move the cursor over text that was written after the
/// first time, such as a panic message.
static IS_FULL_SCREEN: AtomicBool = AtomicBool::new(false);

fn enter_full_screen() -> io::Result<()> {
    enable_raw_mode()?;
    IS_FULL_SCREEN.store(true, Ordering::SeqCst);
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture).inspect_err(|_| restore_terminal())
}

/// Restores the terminal. Errors are ignored.
fn restore_terminal() {
    if IS_FULL_SCREEN.swap(false, Ordering::SeqCst) {
        let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Restores the terminal before a panic of this thread is reported. A panic of another thread is not reported here,
/// because the text would cover the screen. If a robot panics, the app shows a message.
fn restore_on_panic() {
    let ours = thread::current().id();
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().id() == ours {
            restore_terminal();
            before(info);
        }
    }));
}

/// Signals that ask the program to end.
struct Signals(Arc<AtomicBool>);

impl Signals {
    #[cfg(unix)]
    fn listen() -> io::Result<Signals> {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let has_arrived = Arc::new(AtomicBool::new(false));
        let mut signals = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM])?;
        let flag = Arc::clone(&has_arrived);
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                flag.store(true, Ordering::Relaxed);
                // If the terminal was closed, the main thread may wait for input for ever, so this thread ends the
                // process.
                thread::sleep(PATIENCE);
                restore_terminal();
                std::process::exit(128 + signal);
            }
        });
        Ok(Signals(has_arrived))
    }

    #[cfg(not(unix))]
    fn listen() -> io::Result<Signals> {
        Ok(Signals(Arc::default()))
    }

    /// Whether one of the signals has arrived.
    fn have_arrived(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    #[cfg(unix)]
    fn stop_here() -> io::Result<()> {
        use rustix::process::{Signal, kill_current_process_group};
        // Stops the whole process group, so that the shell notices the stop, also under `cargo run`.
        Ok(kill_current_process_group(Signal::TSTP)?)
    }

    #[cfg(not(unix))]
    fn stop_here() -> io::Result<()> {
        Ok(())
    }
}
