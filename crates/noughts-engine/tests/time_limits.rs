//! How much of its time limit a search uses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use noughts_engine::{
    Analysis, Clock, EngineSetup, IterativeDeepening, Limits, Stop, StrategyName, Value,
};
use noughts_rules::{Action, Diagram, Game, Options, Variant};

/// A clock that advances by a millisecond whenever it is read.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

const HOUR: Limits = Limits {
    depth: None,
    nodes: None,
    time: Some(Duration::from_secs(3600)),
};

fn five_in_a_line(rows: &[&str], to_move: &str) -> Game {
    let variant: Variant = "15x15k5".parse().unwrap();
    let mut rows: Vec<String> = rows.iter().map(|row| format!("{row:.<15}")).collect();
    rows.resize(15, ".".repeat(15));
    let diagram = Diagram::parse(&variant, &format!("{} {to_move}", rows.join("/"))).unwrap();
    Game::from_diagram(&variant, Options::default(), diagram).unwrap()
}

fn find_move(game: &Game, limits: Limits, usual: Option<Duration>) -> Analysis {
    IterativeDeepening::new(limits, Arc::new(Ticks::default())).find_move(game, usual, &Stop::new())
}

#[test]
fn the_only_reply_is_played_at_once() {
    // o has a four with one end free, and x has none.
    let game = five_in_a_line(&["", "xoooo", "", "...x.x", "....x"], "x");
    let analysis = find_move(&game, HOUR, None);
    assert_eq!(game.variant().format_move(analysis.line[0]), "1-5");
    assert!(
        analysis.time < Duration::from_millis(100),
        "{:?}",
        analysis.time
    );
    let name: StrategyName = "search:3600s".parse().unwrap();
    let setup = EngineSetup {
        seed: 1,
        clock: Arc::new(Ticks::default()),
    };
    let mut robot = name.build(&game, &setup).unwrap();
    let decision = robot.choose(&game, &Stop::new());
    assert_eq!(decision.at, analysis.line[0]);
    // An analysis does not stop early, because its value matters and not only its move.
    let limits = "5000n".parse::<Limits>().unwrap();
    let mut search = IterativeDeepening::new(limits, Arc::new(Ticks::default()));
    assert!(search.analyze(&game, &Stop::new()).nodes >= 5_000);
    assert!(find_move(&game, limits, None).nodes < 5_000);
}

#[test]
fn the_last_move_and_forced_wins_are_played_at_once() {
    let full = Game::from_diagram(
        &"3x3k3".parse().unwrap(),
        Options::default(),
        Diagram::parse(&"3x3k3".parse().unwrap(), "xox/oxx/o.o x").unwrap(),
    );
    let won = five_in_a_line(&["", "xxxx", "", "o.o.o", "...o"], "x");
    // x is to move and has an open three, so a sequence of fours wins.
    let forced = five_in_a_line(&["", "...xxx", "", "....x", "....xo", "oo.o"], "x");
    for game in [full.unwrap(), won, forced] {
        let analysis = find_move(&game, HOUR, None);
        assert!(
            analysis.time < Duration::from_millis(100),
            "{:?}: {:?}",
            analysis.time,
            analysis.value
        );
    }
}

/// The analyses of the first moves of a search against itself, with this usual time per move.
fn game_with_a_clock(
    variant: &str,
    usual: Duration,
    limits: Limits,
    moves: usize,
) -> Vec<Analysis> {
    let mut game = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
    let mut search = IterativeDeepening::new(limits, Arc::new(Ticks::default()));
    let mut found = Vec::new();
    while let (Some(seat), true) = (game.to_move(), found.len() < moves) {
        let analysis = search.find_move(&game, Some(usual), &Stop::new());
        game.act(seat, Action::Play(analysis.line[0])).unwrap();
        found.push(analysis);
    }
    found
}

#[test]
fn search_with_a_usual_time_stops_early_and_without_it_uses_the_limit() {
    let usual = Duration::from_millis(150);
    let limits = Limits {
        time: Some(Duration::from_millis(600)),
        ..Limits::default()
    };
    // The list has 8x7k4+gravity and not 7x6k4+gravity, because 7x6k4+gravity has an opening book.
    for variant in ["15x15k5", "ultimate", "8x7k4+gravity"] {
        let found = game_with_a_clock(variant, usual, limits, 8);
        let all: Duration = found.iter().map(|analysis| analysis.time).sum();
        let mean = all / found.len() as u32;
        assert!(mean > usual / 8, "{variant}: {mean:?}");
        // If the value falls, a move may take four times the usual time, which is the limit here.
        assert!(mean < limits.time.unwrap() * 2 / 3, "{variant}: {mean:?}");
        for analysis in &found {
            // The clock is read once more at the end.
            let max = limits.time.unwrap() + Duration::from_millis(2);
            assert!(analysis.time <= max, "{variant}: {:?}", analysis.time);
        }
        // Without a usual time the whole limit is used, unless a win is found.
        let fresh = Game::new(&variant.parse().unwrap(), Options::default()).unwrap();
        let whole = find_move(&fresh, limits, None);
        assert!(whole.time >= limits.time.unwrap(), "{:?}", whole.time);
        assert!(!matches!(whole.value, Value::Win { .. }));
    }
}
