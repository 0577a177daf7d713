use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

use noughts_rules::{Options, Side};

use super::time_limits::{MAX_THINK, MIN_THINK};
use super::*;

/// A clock that the test sets.
#[derive(Default)]
struct ManualClock(AtomicU64);

impl ManualClock {
    fn advance(&self, time: Duration) {
        self.0.fetch_add(time.as_millis() as u64, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// A clock that advances by ten milliseconds whenever it is read.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(10 * self.0.fetch_add(1, Ordering::Relaxed))
    }
}

fn robots(slots: usize) -> (Robots, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::default());
    let setup = EngineSetup {
        seed: 1,
        clock: Arc::clone(&clock) as Arc<dyn Clock>,
    };
    (Robots::new(slots, setup), clock)
}

fn game(variant: &str) -> Game {
    Game::new(&variant.parse().unwrap(), Options::default()).unwrap()
}

fn address(last: u8) -> Option<IpAddr> {
    Some(IpAddr::from([192, 0, 2, last]))
}

fn first_legal(game: &Game, _: &Stop) -> Option<Move> {
    game.legal().first().copied()
}

/// Polls a future once, without waiting for it.
fn poll<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Future::poll(
        std::pin::Pin::new(future),
        &mut Context::from_waker(Waker::noop()),
    )
}

#[test]
fn shared_strategies_are_bounded_and_reused() {
    let (robots, _) = robots(1);
    let robot = |name: &str, variant: &str| match robots
        .robot(&name.parse().unwrap(), &game(variant))
        .unwrap()
    {
        Robot::Instant(robot) => robot,
        Robot::Slow(name) => panic!("{name} takes its time"),
    };
    for columns in 3..3 + 2 * MAX_SHARED {
        robot("random", &format!("{columns}x3k3"));
    }
    let one = robot("perfect", "3x3k3");
    assert!(Arc::ptr_eq(&one, &robot("perfect", "3x3k3")));
    assert_eq!(robots.instant.lock().unwrap().len(), MAX_SHARED);
}

#[test]
fn shared_strategy_is_refused_in_a_game_that_it_cannot_play() {
    let (robots, _) = robots(1);
    let perfect: StrategyName = "perfect".parse().unwrap();
    assert!(robots.robot(&perfect, &game("3x3k3")).is_ok());
    let two_turns_of_three = Options {
        order: vec![Side::FIRST, Side::FIRST, Side::SECOND],
        ..Options::default()
    };
    let game = Game::new(game("3x3k3").variant(), two_turns_of_three).unwrap();
    assert!(robots.robot(&perfect, &game).is_err());
}

/// The address of a client to which the limits per owner apply.
const OWNER: Option<std::net::IpAddr> =
    Some(std::net::IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1)));

#[tokio::test]
async fn robot_of_another_owner_moves_while_one_owner_has_two_hundred_requests() {
    let (robots, _) = robots(4);
    let (mut releases, mut hostile) = (Vec::new(), Vec::new());
    for _ in 0..200 {
        let (release, released) = mpsc::channel::<()>();
        let strategy = move |game: &Game, stop: &Stop| {
            let _ = released.recv();
            first_legal(game, stop)
        };
        let mut request =
            Box::pin(robots.choose_by(address(1), "test", strategy, game("3x3k3"), 1, Stop::new()));
        assert!(poll(&mut request).is_pending());
        releases.push(release);
        hostile.push(request);
    }
    assert_eq!(robots.busy(), (2, 198));
    for _ in 0..10 {
        let name = "level:4".parse().unwrap();
        let at = robots.choose(address(2), name, game("15x15k5"), 1, Stop::new());
        assert!(at.await.is_some());
    }
    drop(releases);
    for request in hostile {
        assert!(request.await.is_some());
    }
}

#[tokio::test]
async fn panicking_strategy_gives_its_slot_back_and_a_legal_move() {
    let (robots, _) = robots(2);
    for seed in 0..10 {
        let strategy = |_: &Game, _: &Stop| -> Option<Move> { panic!("on purpose") };
        let game = game("3x3k3");
        let at = robots
            .choose_by(None, "test", strategy, game.clone(), seed, Stop::new())
            .await;
        assert!(is_legal(&game, at.unwrap()));
    }
    let illegal = |_: &Game, _: &Stop| Some(Move::at(60_000));
    let at = robots.choose_by(None, "test", illegal, game("3x3k3"), 1, Stop::new());
    assert!(is_legal(&game("3x3k3"), at.await.unwrap()));
    assert_eq!(robots.busy(), (0, 0));
}

#[test]
fn panicking_instant_strategy_leaves_a_legal_move() {
    struct Panics;
    impl Strategy for Panics {
        fn choose(&mut self, _: &Game, _: &Stop) -> noughts_engine::Decision {
            panic!("on purpose")
        }
    }
    let robot: Mutex<Box<dyn Strategy>> = Mutex::new(Box::new(Panics));
    for _ in 0..2 {
        let at = answer(&robot, &game("3x3k3"), &Stop::new());
        assert!(is_legal(&game("3x3k3"), at));
    }
}

#[tokio::test]
async fn dropped_request_leaves_the_queue_and_ends_its_computation() {
    let (robots, _) = robots(2);
    let (ended, end) = tokio::sync::oneshot::channel();
    let until_stop = move |game: &Game, stop: &Stop| {
        while !stop.is_set() {
            std::thread::yield_now();
        }
        let _ = ended.send(());
        first_legal(game, stop)
    };
    let mut running =
        Box::pin(robots.choose_by(OWNER, "test", until_stop, game("3x3k3"), 1, Stop::new()));
    assert!(poll(&mut running).is_pending());
    let mut waiting =
        Box::pin(robots.choose_by(OWNER, "test", first_legal, game("3x3k3"), 1, Stop::new()));
    assert!(poll(&mut waiting).is_pending());
    let last = robots.choose_by(OWNER, "test", first_legal, game("3x3k3"), 1, Stop::new());
    let mut last = Box::pin(last);
    assert!(poll(&mut last).is_pending());
    assert_eq!(robots.busy(), (1, 2));
    drop(waiting);
    assert_eq!(robots.busy(), (1, 1));
    drop(running);
    end.await.unwrap();
    assert!(last.await.is_some());
    assert_eq!(robots.busy(), (0, 0));
}

#[tokio::test]
async fn stopped_request_has_no_move() {
    let (robots, _) = robots(2);
    let stop = Stop::new();
    stop.set();
    let name: StrategyName = "level:4".parse().unwrap();
    let at = robots.choose(None, name, game("15x15k5"), 1, stop.clone());
    assert_eq!(at.await, None);
    assert!(robots.analyze(None, game("15x15k5"), stop).await.is_none());
    assert_eq!(robots.busy(), (0, 0));
}

/// Two `minimax:9` robots on 255x255 once occupied every thread for ever.
#[tokio::test(start_paused = true)]
async fn deadline_ends_every_computation() {
    let (robots, clock) = robots(2);
    let name: StrategyName = "minimax:9".parse().unwrap();
    let stop = Stop::new();
    let mut endless =
        Box::pin(robots.choose(address(1), name.clone(), game("255x255k5"), 1, stop.clone()));
    assert!(poll(&mut endless).is_pending());
    let started = tokio::time::Instant::now();
    tokio::time::advance(MAX_THINK - Duration::from_millis(1)).await;
    assert!(poll(&mut endless).is_pending());
    tokio::time::advance(Duration::from_millis(2)).await;
    assert!(endless.await.is_some());
    assert!(started.elapsed() > MAX_THINK);
    assert!(!stop.is_set(), "the caller's stop is its own");
    // With its budget used up, the owner's next robot gets little time.
    let mut limits = Vec::new();
    for _ in 0..6 {
        let used = Arc::clone(&clock);
        let work = move |_: &Stop, limit: Duration| {
            used.advance(2 * MAX_THINK);
            limit
        };
        limits.push(robots.compute(address(1), &stop, work).await.unwrap());
    }
    assert_eq!(limits.last(), Some(&MIN_THINK));
    let mut hurried = Box::pin(robots.choose(address(1), name, game("255x255k5"), 1, stop));
    assert!(poll(&mut hurried).is_pending());
    tokio::time::advance(MIN_THINK + Duration::from_millis(1)).await;
    assert!(hurried.await.is_some());
}

#[tokio::test]
async fn analysis_of_a_long_game_ends_in_time() {
    let (robots, _) = robots(2);
    let mut long = game("255x255k255");
    for cell in 0..52_000 {
        let seat = long.to_move().unwrap();
        long.act(seat, Action::Play(Move::at(cell))).unwrap();
    }
    // The clock does not advance, so only the stop ends the computation.
    let stop = Stop::new();
    let mut analysis = Box::pin(robots.analyze(None, long.clone(), stop.clone()));
    assert!(poll(&mut analysis).is_pending());
    stop.set();
    assert!(analysis.await.is_none());
    // The clock advances whenever it is read. After 4 s, the analysis skips the remaining turns.
    let ticks = Arc::new(Ticks::default()) as Arc<dyn Clock>;
    let found = analyze_turns(&long, &ticks, MAX_THINK, &Stop::new()).unwrap();
    assert_eq!(found.len(), 52_000);
    assert!(found[0].is_some() && found[51_999].is_none());
}

#[test]
fn analysis_is_complete_or_refused_when_the_budget_is_used_up() {
    let analyze = |turns: usize, limit| {
        let mut game = game("15x15k15");
        for cell in 0..turns {
            let seat = game.to_move().unwrap();
            game.act(seat, Action::Play(Move::at(cell))).unwrap();
        }
        let ticks = Arc::new(Ticks::default()) as Arc<dyn Clock>;
        analyze_turns(&game, &ticks, limit, &Stop::new())
    };
    assert!(analyze(20, MIN_THINK).is_none());
    assert!(analyze(20, MAX_THINK).is_some());
    assert_eq!(analyze(0, MIN_THINK), Some(Vec::new()));
}
