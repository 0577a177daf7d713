//! Rotations and reflections of a board that do not change the game.

use crate::diagram::{Diagram, PlayIn};
use crate::place::{Board, Move};
use crate::variant::{GridSpec, Placement, Redirect, Variant};

/// A rotation or reflection of the board: a permutation of its cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symmetry {
    to: Vec<Move>,
}

impl Symmetry {
    /// The symmetries of a variant, the identity first. A square board has 8 symmetries, a rectangle 4, a
    /// board with gravity 2. Ultimate has 8. Multi has only 1, because its redirect rule depends on the
    /// numbers of the boards.
    ///
    /// ```
    /// use noughts_rules::{Move, Symmetry};
    ///
    /// let symmetries = Symmetry::all(&"3x3k3".parse()?);
    /// assert_eq!(symmetries.len(), 8);
    /// let corners = [0, 2, 6, 8].map(Move::at);
    /// assert!(symmetries.iter().all(|symmetry| corners.contains(&symmetry.map_move(Move::at(0)))));
    /// # Ok::<(), noughts_rules::VariantError>(())
    /// ```
    pub fn all(variant: &Variant) -> Vec<Symmetry> {
        match variant {
            Variant::Grid(spec) => grid(spec),
            Variant::Nested(spec) => match spec.redirect() {
                Redirect::NextOpen => vec![Symmetry {
                    to: (0..81).map(Move::at).collect(),
                }],
                Redirect::AnyOpen => {
                    let nested = |small: Symmetry| Symmetry {
                        to: (0..81)
                            .map(|at| {
                                let (board, cell) = (small.to[at / 9], small.to[at % 9]);
                                Move::at(9 * board.index() + cell.index())
                            })
                            .collect(),
                    };
                    grid(&GridSpec::TIC_TAC_TOE)
                        .into_iter()
                        .map(nested)
                        .collect()
                }
            },
        }
    }

    /// The cell to which this symmetry maps the cell `at`.
    pub fn map_move(&self, at: Move) -> Move {
        self.to[at.index()]
    }

    /// The position after this rotation or reflection.
    pub fn map_diagram(&self, diagram: &Diagram) -> Diagram {
        let mut marks = vec![None; diagram.marks.len()];
        for (mark, to) in diagram.marks.iter().zip(&self.to) {
            marks[to.index()] = *mark;
        }
        let board = |board: Board| {
            // A symmetry maps the nine cells of a board to the nine cells of one board.
            let to = self.to[9 * board.index()].index() / 9;
            Board::new(to as u8).map_or(PlayIn::AnyOpen, PlayIn::Board)
        };
        Diagram {
            marks,
            to_move: diagram.to_move,
            play_in: diagram.play_in.map(|play_in| match play_in {
                PlayIn::AnyOpen => PlayIn::AnyOpen,
                PlayIn::Board(number) => board(number),
            }),
        }
    }
}

fn grid(spec: &GridSpec) -> Vec<Symmetry> {
    let (columns, rows) = (spec.columns(), spec.rows());
    let mut found = Vec::new();
    for turn in [false, true] {
        for flip_rows in [false, true] {
            for flip_columns in [false, true] {
                let falls = spec.placement == Placement::Gravity && (turn || flip_rows);
                if falls || turn && columns != rows {
                    continue;
                }
                let lay = |cell: usize| {
                    let (row, column) = (cell / columns, cell % columns);
                    let (row, column) = if turn { (column, row) } else { (row, column) };
                    let row = if flip_rows { rows - 1 - row } else { row };
                    let column = if flip_columns {
                        columns - 1 - column
                    } else {
                        column
                    };
                    Move::at(row * columns + column)
                };
                found.push(Symmetry {
                    to: (0..spec.cells()).map(lay).collect(),
                });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_symmetries_follows_the_shape_of_the_board() {
        for (variant, count) in [
            ("3x3k3", 8),
            ("4x3k3", 4),
            ("3x4k3p3+misere", 4),
            ("7x6k4+gravity", 2),
            ("5x5k4+gravity", 2),
            ("ultimate", 8),
            ("multi", 1),
        ] {
            let variant: Variant = variant.parse().unwrap();
            let all = Symmetry::all(&variant);
            assert_eq!(all.len(), count, "{variant}");
            for (number, one) in all.iter().enumerate() {
                let mut cells = one.to.clone();
                cells.sort_unstable();
                assert!(
                    cells
                        .iter()
                        .enumerate()
                        .all(|(at, cell)| cell.index() == at)
                );
                assert!(!all[..number].contains(one), "{variant} lists one twice");
            }
        }
    }
}
