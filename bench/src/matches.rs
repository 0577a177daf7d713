//! Games of Ultimate against the searches of `ai-ultimate-tictactoe`, with the same time per move.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ai_ultimate_tictactoe::{
    MctsOptions, MctsSearcher, MctsStrategy, Move as Theirs, Position, SearchOptions, Searcher,
};
use noughts_arena::{
    Format, GameResult, Openings, Standings, Tournament, TournamentOptions, report,
};
use noughts_engine::{Decision, EngineHost, Engines, Robot, RobotFault, RobotFaultKind, Stop};
use noughts_rules::Game;

/// The alpha-beta search of `ai-ultimate-tictactoe`, and the tree search that its documentation calls the strongest.
const THEIRS: [&str; 2] = ["alpha-beta", "learned-puct"];

/// Plays the strategy `search` of Noughts against each search of `ai-ultimate-tictactoe`. Returns whether `search` gets
/// significantly more than half of the points each time.
pub(crate) fn play(games: u32, time: &str) -> bool {
    let Some(limit) = time.parse().ok().and_then(|limits: Limits| limits.time) else {
        eprintln!("bench: a time is written 100ms or 2s, not {time:?}");
        return false;
    };
    let engines = Engines::hosted_by(Arc::new(OtherCrate(limit)));
    let mut good = true;
    for theirs in THEIRS {
        let robots = [format!("search:{time}"), format!("engine:{theirs}")];
        let options = TournamentOptions {
            variant: "ultimate".parse().expect("a variant"),
            robots: robots
                .iter()
                .map(|name| engines.parse(name).expect("a robot"))
                .collect(),
            format: Format::RoundRobin,
            games,
            seed: 2026,
            openings: Openings::Balanced,
        };
        let tournament = Tournament::new(options).expect("both play it");
        let mut results = BTreeMap::new();
        let numbers: Vec<u32> = (0..tournament.games()).collect();
        let take = |result: GameResult, _: &_| -> Result<(), ()> {
            results.insert(result.game.number, result);
            eprint!(
                "\r{theirs}: game {} of {} ",
                results.len(),
                tournament.games()
            );
            let _ = std::io::stderr().flush();
            Ok(())
        };
        let _ = tournament.play(&numbers, 1, &Stop::new(), take);
        eprint!("\r");
        let standings = Standings::new(&tournament, &results, None);
        println!("{}", report(&tournament, &standings, &results));
        let ours = standings.standings.iter().find(|one| one.participant == 0);
        let low = ours.map_or(0.0, |one| one.scores.interval().low);
        println!(
            "  at least {:.1} % of the points (95 % confidence)\n",
            100.0 * low
        );
        good &= low > 0.5;
    }
    good
}

/// Runs the searches of `ai-ultimate-tictactoe` in this process, with this time per move.
struct OtherCrate(Duration);

impl EngineHost for OtherCrate {
    fn check(&self, command: &str, _: &Game) -> Result<(), String> {
        match THEIRS.contains(&command) {
            true => Ok(()),
            false => Err("there is no such search".to_owned()),
        }
    }

    fn create_robot(&self, command: &str) -> Box<dyn Robot> {
        let mind = match command {
            "alpha-beta" => Mind::AlphaBeta(Box::new(Searcher::new())),
            _ => Mind::Puct(MctsSearcher::new()),
        };
        Box::new(OtherRobot { mind, time: self.0 })
    }
}

enum Mind {
    AlphaBeta(Box<Searcher>),
    Puct(MctsSearcher),
}

struct OtherRobot {
    mind: Mind,
    time: Duration,
}

impl Robot for OtherRobot {
    fn choose(&mut self, game: &Game, _: &Stop) -> Result<Decision, RobotFault> {
        let moves: Vec<Theirs> = game
            .plays()
            .iter()
            .map(|play| {
                let (board, cell) = game.variant().coordinates(play.at);
                Theirs::new(board as u8, cell as u8)
            })
            .collect();
        let crash = |reason: String| RobotFault {
            kind: RobotFaultKind::Crash,
            reason,
        };
        let position = Position::from_moves(&moves).map_err(|error| crash(format!("{error:?}")))?;
        let soft_time_ms = self.time.as_millis() as u32;
        let asked = Instant::now();
        let best = match &mut self.mind {
            Mind::AlphaBeta(searcher) => {
                let options = SearchOptions {
                    max_depth: 81,
                    node_limit: u64::MAX,
                    soft_time_ms,
                };
                searcher.search(position, options).best_move
            }
            Mind::Puct(searcher) => {
                let options = MctsOptions {
                    max_simulations: u32::MAX,
                    soft_time_ms,
                    strategy: MctsStrategy::PuctLearned,
                    ..MctsOptions::default()
                };
                searcher.search(position, options).best_move
            }
        };
        // The limit is generous, because their searches read the clock rarely and the machine may be busy.
        if asked.elapsed() > 20 * self.time {
            return Err(RobotFault {
                kind: RobotFaultKind::Time,
                reason: format!("took {:?}", asked.elapsed()),
            });
        }
        let best = best.ok_or_else(|| crash("gave no move".to_owned()))?;
        let at = game
            .variant()
            .move_at(best.board().into(), best.cell().into());
        at.map(Decision::from)
            .ok_or_else(|| crash("gave no cell".to_owned()))
    }
}
