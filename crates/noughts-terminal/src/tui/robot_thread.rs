//! Robots compute in a separate thread and can be stopped, so that the screen never waits for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use noughts_engine::{
    Decision, EngineSetup, Limits, Robot, RobotFaultKind, RobotName, Stop, SystemClock, analyze,
};
use noughts_rules::{Game, Seat};

use super::app::App;

/// Time to evaluate a position of a review.
const REVIEW_TIME: Duration = Duration::from_millis(300);

/// Identifies a request. Replies to earlier requests are stale.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestId {
    /// The number of the game. An undone turn changes the number too.
    pub local: u64,
    /// The number of completed turns.
    pub turn: usize,
    /// What the move is for.
    pub purpose: Purpose,
}

/// What a move is computed for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The robot plays the move.
    Play,
    /// The screen shows the move as a hint.
    Hint,
    /// The review uses only the value of the position, to judge the turn that was played.
    Review,
}

/// A request for a move.
#[derive(Clone, Debug)]
pub struct RobotRequest {
    /// The id of the request.
    pub request_id: RequestId,
    /// The seat to move.
    pub seat: Seat,
    /// The strategy or engine.
    pub strategy: RobotName,
    /// The game in the position for which a move is requested.
    pub game: Game,
    /// The robot's seed.
    pub seed: u64,
    /// Minimum time until the reply.
    pub pace: Duration,
}

/// The reply to a request.
#[derive(Clone, PartialEq, Debug)]
pub struct RobotReply {
    /// The id of the request.
    pub request_id: RequestId,
    /// The move, or the error.
    pub decision: Result<Decision, String>,
}

/// The channels to and from the thread.
type Channels = (SyncSender<(RobotRequest, Stop)>, Receiver<RobotReply>);

/// The thread that runs robots, one request at a time.
pub(super) struct RobotThread {
    /// `None` only while the `RobotThread` is dropped.
    channels: Option<Channels>,
    thread: Option<JoinHandle<()>>,
    busy: Option<(RequestId, Stop, Instant)>,
}

impl RobotThread {
    /// Starts the thread. Dropping the `RobotThread` stops the current computation and ends the thread.
    pub(super) fn start() -> RobotThread {
        let (questions, options) = sync_channel(1);
        let (answer, answers) = sync_channel(1);
        let thread = thread::spawn(move || think_about_all(&options, &answer));
        RobotThread {
            channels: Some((questions, answers)),
            thread: Some(thread),
            busy: None,
        }
    }

    /// Starts the computation that the app needs, and stops every other computation.
    pub(super) fn follow(&mut self, app: &App) {
        let wanted = app.request_id();
        if wanted == self.busy.as_ref().map(|(request_id, ..)| *request_id) {
            return;
        }
        self.stop();
        let Some(request) = app.robot_request() else {
            return;
        };
        let (request_id, stop) = (request.request_id, Stop::new());
        // The queue may be full while the thread stops an earlier computation. The next call tries again.
        let Some((questions, _)) = &self.channels else {
            return;
        };
        if questions.try_send((request, stop.clone())).is_ok() {
            self.busy = Some((request_id, stop, Instant::now()));
        }
    }

    /// The next reply, if one has arrived.
    pub(super) fn answer(&mut self) -> Option<RobotReply> {
        self.channels.as_ref()?.1.try_recv().ok()
    }

    /// How long the current computation has been running.
    pub(super) fn time(&self) -> Option<Duration> {
        self.busy.as_ref().map(|(_, _, since)| since.elapsed())
    }

    fn stop(&mut self) {
        if let Some((_, stop, _)) = self.busy.take() {
            stop.set();
        }
    }
}

impl Drop for RobotThread {
    fn drop(&mut self) {
        self.stop();
        self.channels = None;
        // Wait for the thread, because it ends the external engines.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The robots of one game, which keep their state between moves.
#[derive(Default)]
struct SeatedRobots {
    local: u64,
    seated: Vec<(Seat, Box<dyn Robot>)>,
}

fn think_about_all(questions: &Receiver<(RobotRequest, Stop)>, answers: &SyncSender<RobotReply>) {
    let mut robots = SeatedRobots::default();
    for (request, stop) in questions {
        let since = Instant::now();
        let request_id = request.request_id;
        // A panic in a strategy must not end the program.
        let thought = catch_unwind(AssertUnwindSafe(|| robots.think(&request, &stop)));
        let decision = thought.unwrap_or_else(|_| {
            robots = SeatedRobots::default();
            Err(format!("{} failed and gave no move", request.strategy))
        });
        while since.elapsed() < request.pace && !stop.is_set() {
            thread::sleep(Duration::from_millis(10));
        }
        let answer = RobotReply {
            request_id,
            decision,
        };
        if !stop.is_set() && answers.send(answer).is_err() {
            return;
        }
    }
}

impl SeatedRobots {
    fn think(&mut self, request: &RobotRequest, stop: &Stop) -> Result<Decision, String> {
        let setup = EngineSetup::with_seed(request.seed);
        let build = || request.strategy.build(&request.game, &setup);
        match request.request_id.purpose {
            Purpose::Play => {}
            Purpose::Hint => {
                let mut robot = build().map_err(|error| error.to_string())?;
                return ask(robot.as_mut(), request, stop);
            }
            Purpose::Review => return Ok(evaluate(&request.game, stop)),
        }
        if request.request_id.local != self.local {
            self.local = request.request_id.local;
            self.seated.clear();
        }
        let known = self.seated.iter().position(|(s, _)| *s == request.seat);
        let known = match known {
            Some(known) => known,
            None => {
                let robot = build().map_err(|error| error.to_string())?;
                self.seated.push((request.seat, robot));
                self.seated.len() - 1
            }
        };
        ask(self.seated[known].1.as_mut(), request, stop)
    }
}

/// Evaluates a position for the review of a game.
pub fn evaluate(game: &Game, stop: &Stop) -> Decision {
    let limits = Limits {
        time: Some(REVIEW_TIME),
        ..Limits::default()
    };
    let analysis = analyze(game, limits, stop, Arc::new(SystemClock::default()));
    Decision {
        at: analysis.line[0],
        analysis: Some(analysis),
    }
}

fn ask(robot: &mut dyn Robot, request: &RobotRequest, stop: &Stop) -> Result<Decision, String> {
    robot.choose(&request.game, stop).map_err(|fault| {
        let name = request.strategy.label();
        match fault.kind {
            RobotFaultKind::Stopped => format!("{name} was stopped"),
            RobotFaultKind::Illegal
            | RobotFaultKind::Time
            | RobotFaultKind::Crash
            | RobotFaultKind::DidNotExit => {
                format!("{name} {} and has lost", fault.reason)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::{Event, Theme, TuiOptions, TuiSettings};
    use ratatui::crossterm::event::{KeyCode, KeyEvent};

    fn app(seats: [&str; 2]) -> App {
        let options = TuiOptions {
            variant: Some("3x3k3".to_owned()),
            seats: seats.map(str::to_owned).to_vec(),
            ..TuiOptions::default()
        };
        let theme = Theme::from_environment(|_| None);
        App::new(&options, TuiSettings::new(theme, 1)).unwrap()
    }

    fn wait_for_answer(robots: &mut RobotThread) -> RobotReply {
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
        let mut robots = RobotThread::start();
        robots.follow(&app);
        assert!(robots.time().is_some());
        let answer = wait_for_answer(&mut robots);
        assert_eq!(Some(answer.request_id), app.request_id());
        app.handle(Event::RobotReply(answer));
        robots.follow(&app);
        assert!(robots.time().is_none() && robots.answer().is_none());
    }

    #[test]
    fn stale_computation_is_stopped() {
        let mut app = app(["first", "first"]);
        let mut robots = RobotThread::start();
        robots.follow(&app);
        let (_, stop, _) = robots.busy.clone().unwrap();
        // The space key pauses the robots.
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
