//! Robots think beside the screen: it never waits for them, and they are told to stop.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use noughts_engine::{Decision, FaultKind, Robot, RobotName, Setup, Stop};
use noughts_rules::{Game, Seat};

use super::app::App;

/// Which question an answer is for. Answers to any other than the present one are stale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ticket {
    /// Which table, counted up.
    pub table: u64,
    /// After so many turns.
    pub turn: usize,
    /// What for.
    pub purpose: Purpose,
}

/// What is thought for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// To play it.
    Play,
    /// To show it to a person.
    Hint,
}

/// Something to think about.
#[derive(Clone, Debug)]
pub struct Question {
    /// Which one.
    pub ticket: Ticket,
    /// For whom.
    pub seat: Seat,
    /// How.
    pub strategy: RobotName,
    /// The game as it stands.
    pub game: Game,
    /// For chance.
    pub seed: u64,
    /// Answers come no faster than this.
    pub pace: Duration,
}

/// What was thought of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The question.
    pub ticket: Ticket,
    /// The move, or why there is none.
    pub decision: Result<Decision, String>,
}

/// Where questions go, and answers come from.
type Channels = (SyncSender<(Question, Stop)>, Receiver<Answer>);

/// Whoever thinks, one question at a time.
pub(super) struct Robots {
    /// Both are there until the end.
    channels: Option<Channels>,
    thread: Option<JoinHandle<()>>,
    busy: Option<(Ticket, Stop, Instant)>,
}

impl Robots {
    /// Starts the thread. It ends when this is dropped, and is told to stop thinking then.
    pub(super) fn start() -> Robots {
        let (questions, asked) = sync_channel(1);
        let (answer, answers) = sync_channel(1);
        let thread = thread::spawn(move || think_about_all(&asked, &answer));
        Robots {
            channels: Some((questions, answers)),
            thread: Some(thread),
            busy: None,
        }
    }

    /// Makes sure that what the app wants to know is being thought about, and nothing else.
    pub(super) fn follow(&mut self, app: &App) {
        let wanted = app.ticket();
        if wanted == self.busy.as_ref().map(|(ticket, ..)| *ticket) {
            return;
        }
        self.stop();
        let Some(question) = app.question() else {
            return;
        };
        let (ticket, stop) = (question.ticket, Stop::new());
        // Full while an earlier question is being given up: the next call tries again.
        let Some((questions, _)) = &self.channels else {
            return;
        };
        if questions.try_send((question, stop.clone())).is_ok() {
            self.busy = Some((ticket, stop, Instant::now()));
        }
    }

    /// An answer, if there is one.
    pub(super) fn answer(&mut self) -> Option<Answer> {
        self.channels.as_ref()?.1.try_recv().ok()
    }

    /// How long the present question has been thought about.
    pub(super) fn time(&self) -> Option<Duration> {
        self.busy.as_ref().map(|(_, _, since)| since.elapsed())
    }

    fn stop(&mut self) {
        if let Some((_, stop, _)) = self.busy.take() {
            stop.set();
        }
    }
}

impl Drop for Robots {
    fn drop(&mut self) {
        self.stop();
        self.channels = None;
        // Programs from outside are ended by the thread, so it is waited for.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The strategies of one table, each with what it learned.
#[derive(Default)]
struct Minds {
    table: u64,
    seated: Vec<(Seat, Box<dyn Robot>)>,
}

fn think_about_all(questions: &Receiver<(Question, Stop)>, answers: &SyncSender<Answer>) {
    let mut minds = Minds::default();
    for (question, stop) in questions {
        let since = Instant::now();
        let ticket = question.ticket;
        // A strategy that fails must not take the screen with it.
        let thought = catch_unwind(AssertUnwindSafe(|| minds.think(&question, &stop)));
        let decision = thought.unwrap_or_else(|_| {
            minds = Minds::default();
            Err(format!("{} failed and gave no move", question.strategy))
        });
        while since.elapsed() < question.pace && !stop.is_set() {
            thread::sleep(Duration::from_millis(10));
        }
        let answer = Answer { ticket, decision };
        if !stop.is_set() && answers.send(answer).is_err() {
            return;
        }
    }
}

impl Minds {
    fn think(&mut self, question: &Question, stop: &Stop) -> Result<Decision, String> {
        let setup = Setup::with_seed(question.seed);
        let build = || question.strategy.build(&question.game, &setup);
        if question.ticket.purpose == Purpose::Hint {
            let mut robot = build().map_err(|unfit| unfit.to_string())?;
            return ask(robot.as_mut(), question, stop);
        }
        if question.ticket.table != self.table {
            self.table = question.ticket.table;
            self.seated.clear();
        }
        let known = self.seated.iter().position(|(s, _)| *s == question.seat);
        let known = match known {
            Some(known) => known,
            None => {
                let robot = build().map_err(|unfit| unfit.to_string())?;
                self.seated.push((question.seat, robot));
                self.seated.len() - 1
            }
        };
        ask(self.seated[known].1.as_mut(), question, stop)
    }
}

fn ask(robot: &mut dyn Robot, question: &Question, stop: &Stop) -> Result<Decision, String> {
    robot.choose(&question.game, stop).map_err(|fault| {
        let name = question.strategy.label();
        match fault.kind {
            FaultKind::Stopped => format!("{name} was told to stop"),
            FaultKind::Illegal | FaultKind::Time | FaultKind::Crash | FaultKind::Stubborn => {
                format!("{name} {} and has lost", fault.reason)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::{Asked, Event, Look, Setup};
    use ratatui::crossterm::event::{KeyCode, KeyEvent};

    fn app(seats: [&str; 2]) -> App {
        let asked = Asked {
            variant: Some("3x3k3".to_owned()),
            seats: seats.map(str::to_owned).to_vec(),
            ..Asked::default()
        };
        let look = Look::from_environment(|_| None);
        App::new(&asked, Setup::new(look, 1)).unwrap()
    }

    fn wait_for_answer(robots: &mut Robots) -> Answer {
        loop {
            match robots.answer() {
                Some(answer) => return answer,
                None => thread::yield_now(),
            }
        }
    }

    #[test]
    fn a_robot_answers_from_its_own_thread() {
        let mut app = app(["first", "human"]);
        let mut robots = Robots::start();
        robots.follow(&app);
        assert!(robots.time().is_some());
        let answer = wait_for_answer(&mut robots);
        assert_eq!(Some(answer.ticket), app.ticket());
        app.handle(Event::Answer(answer));
        robots.follow(&app);
        assert!(robots.time().is_none() && robots.answer().is_none());
    }

    #[test]
    fn who_is_no_longer_asked_is_told_to_stop() {
        let mut app = app(["first", "first"]);
        let mut robots = Robots::start();
        robots.follow(&app);
        let (_, stop, _) = robots.busy.clone().unwrap();
        // Paused.
        app.handle(Event::Key(KeyEvent::from(KeyCode::Char(' '))));
        robots.follow(&app);
        assert!(stop.is_set() && robots.time().is_none());
        app.handle(Event::Key(KeyEvent::from(KeyCode::Char(' '))));
        while robots.time().is_none() {
            robots.follow(&app);
            thread::yield_now();
        }
        let (_, stop, _) = robots.busy.clone().unwrap();
        drop(robots);
        assert!(stop.is_set());
    }
}
