//! Plain grids: there are two sides, any empty cell may be played, and the side that first completes a line of K or
//! more wins.
//!
//! In these games an extra mark is never a disadvantage for its owner. The checker uses these consequences:
//!
//! - A mark does not matter if its side can no longer complete a line through the mark. An empty cell does
//!   not matter if neither side can still complete a line through the cell. Positions that differ only in
//!   such cells count as the same position.
//! - A line is *live* if a side can still complete the line. If all live lines through a cell also pass
//!   through another empty cell, a move in the first cell is no better than a move in the second cell.
//! - A side to move that can complete a line wins. A side to move that can make two threats with one mark wins, unless
//!   the other side can complete a line. A threat is a line that lacks one mark.
//! - Counting and pairing (`pairing.rs`) show that the attacker cannot win.

use std::collections::HashSet;

use noughts_rules::{Diagram, Goal, GridSpec, Move, Overline, Placement, Side, Symmetry, Variant};

use crate::pairing::{Counting, disjoint_pairs};
use crate::reader::{MOVE_NEEDED, OTHER_SIDE_MOVES, Reason};
use crate::{Checker, Claim};

/// A set of cells, one bit per cell.
pub(crate) type Cells = u128;

/// Whether the game is a plain grid: two sides, every empty cell may be played, and a line of K or more wins.
pub(crate) fn is_plain(spec: &GridSpec) -> bool {
    spec.sides() == 2
        && spec.goal == Goal::Make
        && spec.placement == Placement::Anywhere
        && spec.overline == Overline::Counts
}

/// The spec of a plain grid whose cells fit into [`Cells`]; `None` for all other variants.
pub(crate) fn spec(variant: &Variant) -> Option<GridSpec> {
    match variant {
        Variant::Grid(spec) if is_plain(spec) && spec.cells() <= 128 => Some(*spec),
        Variant::Grid(_) | Variant::Nested(_) => None,
    }
}

pub(crate) struct PlainGrid {
    claim: Claim,
    variant: Variant,
    counting: Counting,
    lines: Vec<Cells>,
    /// For each symmetry of the board, the cell to which the symmetry maps each cell.
    symmetries: Vec<Vec<u8>>,
    proved: HashSet<Key>,
}

/// The cells that matter (marks of the attacker, marks of the defender, empty cells), and whether the attacker is to
/// move.
type Key = ([Cells; 3], bool);

#[derive(Clone, Copy)]
struct Position {
    attacker: Cells,
    defender: Cells,
    attacker_to_move: bool,
}

/// The lines that each side can still complete.
struct LiveLines {
    attacker: Vec<Cells>,
    defender: Vec<Cells>,
}

impl PlainGrid {
    pub(crate) fn new(spec: GridSpec, claim: Claim) -> PlainGrid {
        let variant = Variant::Grid(spec);
        let images = |symmetry: &Symmetry| {
            let cells = (0..spec.cells()).map(Move::at);
            cells
                .map(|at| symmetry.map_move(at).index() as u8)
                .collect()
        };
        PlainGrid {
            counting: Counting::new(spec.line()),
            lines: lines(&spec),
            symmetries: Symmetry::all(&variant).iter().map(images).collect(),
            proved: HashSet::new(),
            variant,
            claim,
        }
    }

    fn position(&self, diagram: &Diagram) -> Position {
        let of = |side: Side| {
            let cells = (0..diagram.marks.len()).filter(|at| diagram.marks[*at] == Some(side));
            cells.fold(0, |set, at| set | 1 << at)
        };
        Position {
            attacker: of(self.claim.attacker),
            defender: of(self.claim.attacker.next(2)),
            attacker_to_move: diagram.to_move == self.claim.attacker,
        }
    }

    fn live_lines(&self, position: Position) -> LiveLines {
        let without = |marks: Cells| {
            let lines = self.lines.iter().copied();
            lines.filter(|line| line & marks == 0).collect()
        };
        LiveLines {
            attacker: without(position.defender),
            defender: without(position.attacker),
        }
    }

    /// A key that is equal for equivalent positions: the smallest key of all rotations and reflections of the
    /// position.
    fn key(&self, position: Position, live: &LiveLines) -> Key {
        let all = |lines: &[Cells]| lines.iter().fold(0, |all, line| all | line);
        let (attacker, defender) = (all(&live.attacker), all(&live.defender));
        let empty = (attacker | defender) & !(position.attacker | position.defender);
        let sets = [
            position.attacker & attacker,
            position.defender & defender,
            empty,
        ];
        let image = |cells: &Vec<u8>| {
            sets.map(|mut set| {
                let mut image = 0;
                while set != 0 {
                    image |= 1 << cells[set.trailing_zeros() as usize];
                    set &= set - 1;
                }
                image
            })
        };
        let least = self.symmetries.iter().map(image).min().unwrap_or(sets);
        (least, position.attacker_to_move)
    }

    /// Whether the proof's claim holds in a position that neither side has won.
    fn holds(&self, position: Position) -> bool {
        let live = self.live_lines(position);
        let wins = self.claim.wins;
        position.attacker_to_move == wins && wins_at_once(position, &live)
            || self.proved.contains(&self.key(position, &live))
            || !wins && self.is_held(position, &live, &[])
    }

    /// Whether the proof's claim holds after a move in the cell `at`.
    fn holds_after(&self, position: Position, at: usize) -> bool {
        let mut next = position;
        next.attacker_to_move = !position.attacker_to_move;
        let mine = if position.attacker_to_move {
            &mut next.attacker
        } else {
            &mut next.defender
        };
        *mine |= 1 << at;
        if self.has_line(*mine) {
            return position.attacker_to_move == self.claim.wins;
        }
        self.holds(next)
    }

    fn has_line(&self, marks: Cells) -> bool {
        self.lines.iter().any(|line| line & !marks == 0)
    }

    /// Whether counting together with `pairs` shows that the attacker cannot win.
    fn is_held(&self, position: Position, live: &LiveLines, pairs: &[Cells]) -> bool {
        let (lines, marks) = (&live.attacker, position.attacker);
        self.counting
            .holds(lines, marks, pairs, position.attacker_to_move)
    }

    /// The moves that a proof record must answer: the empty cells on live lines (lines that a side can still
    /// complete). A cell is left out if all live lines through it also pass through another empty cell. If
    /// several cells lie on exactly the same live lines, only the cell with the lowest number is included.
    fn moves(&self, position: Position, live: &LiveLines) -> Vec<usize> {
        let empty = !(position.attacker | position.defender);
        // For each cell, the cells that lie on all live lines through this cell.
        let mut shared = [Cells::MAX; 128];
        let mut cells = 0;
        for line in live.attacker.iter().chain(&live.defender) {
            let mut on_line = line & empty;
            cells |= on_line;
            while on_line != 0 {
                shared[on_line.trailing_zeros() as usize] &= line;
                on_line &= on_line - 1;
            }
        }
        let is_needed = |at: &usize| {
            let mut others = shared[*at] & cells & !(1 << at);
            while others != 0 {
                let other = others.trailing_zeros() as usize;
                let equal = shared[other] >> at & 1 == 1;
                if !equal || other < *at {
                    return false;
                }
                others &= others - 1;
            }
            true
        };
        (0..128)
            .filter(|at| cells >> at & 1 == 1)
            .filter(is_needed)
            .collect()
    }
}

impl Checker for PlainGrid {
    fn record(&mut self, diagram: &Diagram, reason: &Reason) -> Result<(), String> {
        let position = self.position(diagram);
        if self.has_line(position.attacker) || self.has_line(position.defender) {
            return Err("the game is over in this position".to_owned());
        }
        let live = self.live_lines(position);
        let taken = position.attacker | position.defender;
        let claimant_moves = diagram.to_move == self.claim.claimant();
        let format = |at: Move| self.variant.format_move(at);
        let unproved = |at: usize| {
            let at = format(Move::at(at));
            Err(format!("the position after {at} is not proved"))
        };
        match reason {
            Reason::Plays(_) if !claimant_moves => return Err(OTHER_SIDE_MOVES.to_owned()),
            Reason::All if claimant_moves => return Err(MOVE_NEEDED.to_owned()),
            Reason::Plays(at) => {
                let at = at.index();
                if taken >> at & 1 == 1 {
                    return Err("the cell is taken".to_owned());
                }
                if !self.holds_after(position, at) {
                    return unproved(at);
                }
            }
            Reason::All => {
                let moves = self.moves(position, &live);
                // Without a live line the game is a draw, so a win cannot be proved.
                if moves.is_empty() && self.claim.wins {
                    return Err("no side can make a line any more".to_owned());
                }
                if let Some(at) = moves
                    .into_iter()
                    .find(|at| !self.holds_after(position, *at))
                {
                    return unproved(at);
                }
            }
            Reason::Pairs(_) if self.claim.wins => {
                return Err("pairs cannot prove a win".to_owned());
            }
            Reason::Pairs(pairs) => {
                let pairs = disjoint_pairs(taken, pairs).map_err(|(one, other)| {
                    let (one, other) = (format(one), format(other));
                    format!("{one} {other} is not a pair of free cells")
                })?;
                if !self.is_held(position, &live, &pairs) {
                    return Err("the lines that the pairs leave weigh too much".to_owned());
                }
            }
        }
        let key = self.key(position, &live);
        self.proved.insert(key);
        Ok(())
    }

    fn is_proved(&self, position: &Diagram) -> bool {
        self.holds(self.position(position))
    }
}

/// Whether the side to move can complete a line, or can make two threats while the other side cannot complete
/// a line.
fn wins_at_once(position: Position, live: &LiveLines) -> bool {
    let attacker = (&live.attacker, position.attacker);
    let defender = (&live.defender, position.defender);
    let ((mine, marks), (theirs, others)) = if position.attacker_to_move {
        (attacker, defender)
    } else {
        (defender, attacker)
    };
    let lacks = |lines: &[Cells], marks: Cells, count: u32| -> Vec<Cells> {
        let empty = lines.iter().map(|line| line & !marks);
        empty.filter(|empty| empty.count_ones() == count).collect()
    };
    if !lacks(mine, marks, 1).is_empty() {
        return true;
    }
    if !lacks(theirs, others, 1).is_empty() {
        return false;
    }
    // A fork: two lines that each lack two cells have exactly one of these cells in common.
    let twos = lacks(mine, marks, 2);
    twos.iter().enumerate().any(|(number, one)| {
        let later = &twos[number + 1..];
        later.iter().any(|other| (one & other).count_ones() == 1)
    })
}

/// Every line of the board.
fn lines(spec: &GridSpec) -> Vec<Cells> {
    let (columns, rows, line) = (spec.columns(), spec.rows(), spec.line());
    let mut found = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let cell = |row: usize, column: usize| -> Cells { 1 << (row * columns + column) };
            let right = column + line <= columns;
            let down = row + line <= rows;
            if right {
                found.push((0..line).fold(0, |set, n| set | cell(row, column + n)));
            }
            if down {
                found.push((0..line).fold(0, |set, n| set | cell(row + n, column)));
            }
            if right && down {
                found.push((0..line).fold(0, |set, n| set | cell(row + n, column + n)));
            }
            if down && column + 1 >= line {
                found.push((0..line).fold(0, |set, n| set | cell(row + n, column - n)));
            }
        }
    }
    found
}
