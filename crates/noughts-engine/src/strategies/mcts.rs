//! `mcts:N`: Monte Carlo tree search (UCT) with N random games and without an evaluation function. With more
//! than two sides, each side maximises its own points.

use noughts_rules::{Game, Move, Outcome, Rules, Side, Timeline, dispatch};

use crate::registry::{StrategyKind, never, number, plays_all};
use crate::rng::Random;
use crate::strategy::{Decision, Stop, Strategy};

pub(crate) const KIND: StrategyKind = StrategyKind {
    name: "mcts",
    syntax: "mcts:N, N random games, 1 to 100000000",
    description: "plays N random games and learns from them",
    parameter: |text| number(text, 1..=100_000_000).map(|games| games.to_string()),
    refuses: plays_all,
    instant: never,
    make: |parameter, setup| {
        Box::new(Mcts {
            games: parameter.parse().unwrap_or(1),
            random: Random::new(setup.seed),
        })
    },
};

/// A random game counts as a draw after this many plies. On the largest boards a full game would take tens of
/// thousands of plies.
const MAX_PLAYOUT_PLIES: usize = 400;

/// A tree with this many nodes (about 40 MB) is full. A full tree no longer grows, and later games only
/// update the existing nodes.
const MAX_TREE_NODES: usize = 1_000_000;

/// The exploration constant of UCT.
const EXPLORE: f64 = 1.0;

struct Mcts {
    games: u64,
    random: Random,
}

impl Strategy for Mcts {
    fn choose(&mut self, game: &Game, stop: &Stop) -> Decision {
        dispatch!(game.timeline(), timeline => {
            Tree::new(game, timeline, &mut self.random).best(self.games, stop)
        })
        .into()
    }
}

struct Tree<'r, R: Rules> {
    rules: &'r R,
    root: &'r R::Position,
    order: Vec<Side>,
    seat: usize,
    nodes: Vec<Node>,
    random: &'r mut Random,
}

struct Node {
    /// The side that made the move to this node, and the move.
    by: Side,
    at: Move,
    /// Half points for `by`: two for a win, one for a draw.
    points: u64,
    visits: u64,
    children: std::ops::Range<usize>,
}

impl<'r, R: Rules> Tree<'r, R> {
    fn new(game: &Game, timeline: &'r Timeline<R>, random: &'r mut Random) -> Self {
        let order = game.order().to_vec();
        let seat = game.to_move().map_or(0, |seat| seat.0.into());
        let top = Node {
            by: order[seat],
            at: Move::at(0),
            points: 0,
            visits: 0,
            children: 0..0,
        };
        Tree {
            rules: timeline.rules(),
            root: timeline.present(),
            order,
            seat,
            nodes: vec![top],
            random,
        }
    }

    fn best(mut self, games: u64, stop: &Stop) -> Move {
        self.grow(0, &self.root.clone(), self.seat);
        for _ in 0..games {
            self.play_one(stop);
            if stop.is_set() {
                break;
            }
        }
        let children = &self.nodes[self.nodes[0].children.clone()];
        let most_visited = children
            .iter()
            .max_by_key(|node| (node.visits, node.points));
        most_visited.map_or(Move::at(0), |node| node.at)
    }

    /// Plays one game: goes down the tree to a leaf and continues with random moves. Adds children to a leaf that was
    /// visited before, unless the tree is full. A game that `stop` interrupts does not count.
    fn play_one(&mut self, stop: &Stop) {
        let mut position = self.root.clone();
        let mut seat = self.seat;
        let mut path = vec![0];
        let mut node = 0;
        while !self.nodes[node].children.is_empty() {
            node = self.most_promising(node);
            self.play(&mut position, self.nodes[node].at, &mut seat);
            path.push(node);
        }
        let grows = self.nodes.len() < MAX_TREE_NODES && self.nodes[node].visits > 0;
        if grows && self.rules.outcome(&position).is_none() {
            self.grow(node, &position, seat);
            let children = self.nodes[node].children.clone();
            node = children.start + self.random.below(children.len());
            self.play(&mut position, self.nodes[node].at, &mut seat);
            path.push(node);
        }
        let Some(outcome) = self.finish(position, seat, stop) else {
            return;
        };
        for node in path {
            let node = &mut self.nodes[node];
            node.visits += 1;
            node.points += match outcome {
                Outcome::Won(sides) => 2 * u64::from(sides.contains(node.by)),
                Outcome::Draw => 1,
            };
        }
    }

    fn grow(&mut self, node: usize, position: &R::Position, seat: usize) {
        let start = self.nodes.len();
        let by = self.order[seat];
        let child = |at| Node {
            by,
            at,
            points: 0,
            visits: 0,
            children: 0..0,
        };
        self.nodes.extend(self.rules.moves(position).map(child));
        self.nodes[node].children = start..self.nodes.len();
    }

    fn most_promising(&self, node: usize) -> usize {
        let log = ((self.nodes[node].visits + 1) as f64).ln();
        let bound = |child: usize| {
            let child = &self.nodes[child];
            if child.visits == 0 {
                return f64::INFINITY;
            }
            let visits = child.visits as f64;
            child.points as f64 / (2.0 * visits) + EXPLORE * (log / visits).sqrt()
        };
        let children = self.nodes[node].children.clone();
        let first = children.start;
        children
            .fold((first, f64::MIN), |best, child| {
                let bound = bound(child);
                if bound > best.1 { (child, bound) } else { best }
            })
            .0
    }

    /// The outcome of a random game from `position`; `None` if `stop` ended the game early.
    fn finish(
        &mut self,
        mut position: R::Position,
        mut seat: usize,
        stop: &Stop,
    ) -> Option<Outcome> {
        for _ in 0..MAX_PLAYOUT_PLIES {
            if let Some(outcome) = self.rules.outcome(&position) {
                return Some(outcome);
            }
            if stop.is_set() {
                return None;
            }
            let count = self.rules.moves(&position).count();
            let chosen = self.random.below(count);
            let Some(at) = self.rules.moves(&position).nth(chosen) else {
                break;
            };
            self.play(&mut position, at, &mut seat);
        }
        Some(self.rules.outcome(&position).unwrap_or(Outcome::Draw))
    }

    fn play(&self, position: &mut R::Position, at: Move, seat: &mut usize) {
        self.rules.play(position, at);
        *seat = (*seat + 1) % self.order.len();
        self.rules.set_turn(position, self.order[*seat]);
    }
}
