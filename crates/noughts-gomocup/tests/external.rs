//! External engines: a correct one, and one for each kind of failure.

use std::time::Duration;

use noughts_engine::{EngineSetup, Robot, RobotFaultKind, RobotName, Stop};
use noughts_gomocup::ExternalEngines;
use noughts_rules::{Action, Game, Options, Seat};

const LIMITS: ExternalEngines = ExternalEngines {
    // Long, so that no engine is late on a busy machine.
    move_time: Duration::from_secs(20),
    nodes: None,
    tolerance: Duration::from_secs(10),
    start_timeout: Duration::from_secs(60),
    exit_timeout: Duration::from_secs(20),
};

fn command(file: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/engines");
    format!("engine:python3 {folder}/{file}")
}

fn name(text: &str, limits: ExternalEngines) -> RobotName {
    limits.engines().parse(text).unwrap()
}

fn game(variant: &str) -> Game {
    Game::new(&variant.parse().unwrap(), Options::default()).unwrap()
}

fn seat(text: &str, limits: ExternalEngines) -> Box<dyn Robot> {
    name(text, limits)
        .build(&game("15x15k5"), &EngineSetup::with_seed(1))
        .unwrap()
}

/// Plays until the robot at this seat fails or the game is over. The other seat plays near the end of the board.
fn play(robot: &mut dyn Robot, own: Seat) -> (Game, Option<(RobotFaultKind, String)>) {
    let mut game = game("15x15k5");
    while let Some(to_move) = game.to_move() {
        let at = if to_move == own {
            match robot.choose(&game, &Stop::new()) {
                Ok(decision) => decision.at,
                Err(fault) => return (game, Some((fault.kind, fault.reason))),
            }
        } else {
            let legal = game.legal();
            // The other seat plays every third cell, so that it completes no line.
            legal[legal.len() - 1 - (3 * game.plays().len()) % legal.len()]
        };
        game.act(to_move, Action::Play(at)).unwrap();
    }
    (game, None)
}

fn fault(file: &str, limits: ExternalEngines, own: Seat) -> (usize, RobotFaultKind, String) {
    let mut robot = seat(&command(file), limits);
    let (game, fault) = play(robot.as_mut(), own);
    let (kind, reason) = fault.expect(file);
    // After a failure the program has already been ended.
    assert_eq!(robot.finish(), Ok(()));
    (game.plays().len(), kind, reason)
}

#[test]
fn correct_engine_plays_to_the_end() {
    for own in [Seat(0), Seat(1)] {
        let mut robot = seat(&command("correct.py"), LIMITS);
        let (game, fault) = play(robot.as_mut(), own);
        assert_eq!(fault, None);
        assert!(game.conclusion().is_some());
        assert_eq!(robot.finish(), Ok(()));
    }
    assert_eq!(
        name(&command("correct.py"), LIMITS).check(&game("15x15k5")),
        Ok(())
    );
}

#[test]
fn hanging_engine_loses_on_time() {
    let limits = ExternalEngines {
        move_time: Duration::from_millis(50),
        tolerance: Duration::from_millis(50),
        ..LIMITS
    };
    let (plays, kind, reason) = fault("hangs.py", limits, Seat(0));
    assert_eq!((plays, kind), (0, RobotFaultKind::Time));
    assert_eq!(reason, "sent no move within 50 ms and 50 ms of tolerance");
}

#[test]
fn crash_report_has_the_last_error_line() {
    let (plays, kind, reason) = fault("crashes.py", LIMITS, Seat(0));
    assert_eq!((plays, kind), (4, RobotFaultKind::Crash));
    assert_eq!(
        reason,
        "ended with exit code 1; last error line: SystemError: out of ideas"
    );
}

#[test]
fn move_to_a_taken_cell_is_illegal() {
    let (plays, kind, reason) = fault("occupied.py", LIMITS, Seat(1));
    assert_eq!((plays, kind), (1, RobotFaultKind::Illegal));
    assert_eq!(
        reason,
        "played \"14,14\", which is not legal: that cell is taken, choose an empty one"
    );
}

#[test]
fn endless_line_is_a_crash() {
    let (plays, kind, reason) = fault("floods.py", LIMITS, Seat(0));
    assert_eq!((plays, kind), (0, RobotFaultKind::Crash));
    assert_eq!(reason, "sent a line that is too long");
}

#[test]
fn engine_that_ignores_end_is_killed() {
    let limits = ExternalEngines {
        exit_timeout: Duration::from_millis(50),
        ..LIMITS
    };
    let mut robot = seat(&command("stays.py"), limits);
    let (game, fault) = play(robot.as_mut(), Seat(0));
    assert_eq!(fault, None, "{game:?}");
    let fault = robot.finish().unwrap_err();
    assert_eq!(fault.kind, RobotFaultKind::DidNotExit);
    assert_eq!(
        fault.reason,
        "did not exit within 50 ms after END and was killed"
    );
}

#[test]
fn engine_that_cannot_start_is_refused_before_the_game() {
    let told = |text: &str| {
        let error = name(text, LIMITS).check(&game("15x15k5")).unwrap_err();
        error.to_string()
    };
    let error = told("engine:/no/such/program");
    assert!(error.contains("ended with exit code 127"), "{error}");
    let error = told("engine:echo hello");
    assert!(
        error.contains("answered START with \"hello\" instead of OK"),
        "{error}"
    );
    let error = told("engine:true");
    assert!(error.contains("ended with exit code 0"), "{error}");
    let error = told("engine:kill -9 $$");
    assert!(error.contains("was killed by a signal: 9"), "{error}");
}

#[test]
fn stopped_request_does_not_wait_for_the_engine() {
    let mut robot = seat(&command("hangs.py"), LIMITS);
    let stop = Stop::new();
    stop.set();
    let fault = robot.choose(&game("15x15k5"), &stop).unwrap_err();
    assert_eq!(fault.kind, RobotFaultKind::Stopped);
    let mut robot = seat(&command("correct.py"), LIMITS);
    let fault = robot.choose(&game("15x15k5"), &stop).unwrap_err();
    assert_eq!(fault.kind, RobotFaultKind::Stopped);
    assert!(robot.choose(&game("15x15k5"), &Stop::new()).is_ok());
}

#[test]
fn child_processes_of_an_engine_end_with_it() {
    // A shell that starts a child which would outlive the shell. The shell writes the child's process id to a file.
    let folder = std::env::temp_dir().join(format!("noughts-host-{}", std::process::id()));
    let shell = format!(
        "engine:sleep 1000 & echo $! > '{}'; echo OK; cat > /dev/null",
        folder.display()
    );
    let limits = ExternalEngines {
        move_time: Duration::from_millis(20),
        tolerance: Duration::ZERO,
        ..LIMITS
    };
    let mut robot = seat(&shell, limits);
    let fault = robot.choose(&game("15x15k5"), &Stop::new()).unwrap_err();
    assert_eq!(fault.kind, RobotFaultKind::Time);
    let child = std::fs::read_to_string(&folder).unwrap();
    std::fs::remove_file(&folder).unwrap();
    let is_running = || {
        let status = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
        // A zombie has ended, even if its parent has not waited for it yet.
        status.is_ok_and(|status| !status.contains(") Z"))
    };
    while is_running() {
        std::thread::yield_now();
    }
}
