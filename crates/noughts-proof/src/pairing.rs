//! The counting and pairing rules of plain grids: when the defender can stop every line of the attacker.
//!
//! *Counting* (Erdős and Selfridge 1973): a line weighs 2 to the power of the number of its non-empty cells. If the
//! defender is to move and all lines together weigh less than one complete line, the defender stops all lines by always
//! taking the cell with the largest weight. The weight of a cell is the sum of the weights of all lines through the
//! cell.
//!
//! *Pairing*: when the attacker takes one cell of a pair, the defender takes the other cell. So the attacker
//! never gets a line through both cells. The attacker may get either of the two cells. Therefore both cells
//! count as marks of the attacker in all other lines.

use noughts_rules::Move;

use crate::plain_grid::Cells;

/// A line with more empty cells than this number has the weight of a line with only this number of empty
/// cells. So a weight may be too high, but never too low, and the checker never accepts a wrong proof for
/// this reason.
const MAX_COUNTED: u32 = 40;

/// Maximum number of cells of a plain grid.
const MAX_CELLS: usize = 128;

pub(crate) struct Counting {
    /// The weight of a complete line.
    complete_weight: u64,
}

impl Counting {
    pub(crate) fn new(line_length: usize) -> Counting {
        Counting {
            complete_weight: 1 << (line_length as u32).min(MAX_COUNTED),
        }
    }

    /// Whether the defender stops all `lines` with `pairs` and counting. The lines must have no mark of the defender.
    pub(crate) fn holds(
        &self,
        lines: &[Cells],
        attacker_marks: Cells,
        pairs: &[Cells],
        attacker_to_move: bool,
    ) -> bool {
        let paired = pairs.iter().fold(0, |all, pair| all | pair);
        let is_stopped = |line: &Cells| pairs.iter().any(|pair| line & pair == *pair);
        let left: Vec<Cells> = lines
            .iter()
            .filter(|line| !is_stopped(line))
            .map(|line| line & !attacker_marks & !paired)
            .collect();
        if !attacker_to_move {
            return self.defender_holds(&left);
        }
        let (sum, on) = self.weigh(&left);
        let is_answered = |at: usize| {
            sum + on[at] < self.complete_weight || {
                let after: Vec<Cells> = left.iter().map(|line| line & !(1 << at)).collect();
                self.defender_holds(&after)
            }
        };
        sum < self.complete_weight && (0..on.len()).all(is_answered)
    }

    /// Whether the defender, who is to move, stops all lines. Each item of `lines` is the set of the empty
    /// cells of a line. True if all lines together weigh less than a complete line. Also true if the defender
    /// can take a cell after which no move of the attacker makes the lines as heavy as a complete line.
    fn defender_holds(&self, lines: &[Cells]) -> bool {
        let (sum, on) = self.weigh(lines);
        let is_enough = |at: usize| {
            sum - on[at] < self.complete_weight && {
                let missed = lines.iter().filter(|line| *line >> at & 1 == 0);
                let (sum, on) = self.weigh(&missed.copied().collect::<Vec<Cells>>());
                sum + on.into_iter().max().unwrap_or(0) < self.complete_weight
            }
        };
        sum < self.complete_weight || (0..on.len()).any(is_enough)
    }

    /// The total weight of all lines, and for each cell the weight of the lines through this cell. Each item of `lines`
    /// is the set of the empty cells of a line.
    fn weigh(&self, lines: &[Cells]) -> (u64, [u64; MAX_CELLS]) {
        let (mut sum, mut on) = (0, [0; MAX_CELLS]);
        for line in lines {
            let mut empty = *line;
            let weight = self.complete_weight >> empty.count_ones().min(MAX_COUNTED);
            sum += weight;
            while empty != 0 {
                on[empty.trailing_zeros() as usize] += weight;
                empty &= empty - 1;
            }
        }
        (sum, on)
    }
}

/// The pairs as sets of two cells. The error is the first pair that shares a cell with an earlier pair, contains a
/// taken cell, or contains the same cell twice.
pub(crate) fn disjoint_pairs(
    mut taken: Cells,
    pairs: &[(Move, Move)],
) -> Result<Vec<Cells>, (Move, Move)> {
    let mut sets = Vec::new();
    for (one, other) in pairs {
        let pair: Cells = 1 << one.index() | 1 << other.index();
        if pair.count_ones() != 2 || pair & taken != 0 {
            return Err((*one, *other));
        }
        taken |= pair;
        sets.push(pair);
    }
    Ok(sets)
}
