//! Facts about positions on nine boards, for the solver. The marks on a closed board do not matter. In Ultimate, only
//! the owner of the board counts. In Multi, only the difference between the numbers of boards that the two sides have
//! won counts. A side cannot win a board if the opponent has a mark in each line of the board.

use noughts_rules::{LINES_3X3, Nested, NestedPosition, Rules, Scoring, Side, Variant};

use super::general::Endgame;

/// For each set of cells, whether some line of the board has no cell in the set.
const HAS_ROOM: [bool; 512] = {
    let mut table = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut line = 0;
        while line < LINES_3X3.len() {
            table[set] |= set as u16 & LINES_3X3[line] == 0;
            line += 1;
        }
        set += 1;
    }
    table
};

/// The open boards that a side can still win.
fn within_reach(position: &NestedPosition, side: Side) -> u16 {
    let mut open = !position.closed() & 0o777;
    let mut found = 0;
    while open != 0 {
        let board = open.trailing_zeros() as usize;
        let theirs = position.marks(side.next(2), board);
        found |= u16::from(HAS_ROOM[usize::from(theirs & 0o777)]) << board;
        open &= open - 1;
    }
    found
}

fn scoring(rules: &Nested) -> Scoring {
    match rules.variant() {
        Variant::Nested(spec) => spec.scoring(),
        Variant::Grid(_) => unreachable!("nested rules have a nested variant"),
    }
}

impl Endgame for Nested {
    fn playable(&self, position: &NestedPosition) -> u16 {
        position.playable()
    }

    fn can_win(&self, position: &NestedPosition, side: Side) -> bool {
        let mine = position.won(side) | within_reach(position, side);
        match scoring(self) {
            Scoring::MostBoards => mine.count_ones() > position.won(side.next(2)).count_ones(),
            Scoring::MetaLine => LINES_3X3.iter().any(|line| line & !mine == 0),
        }
    }

    fn has_won(&self, position: &NestedPosition, side: Side) -> bool {
        let other = side.next(2);
        let theirs = position.won(other) | within_reach(position, other);
        match scoring(self) {
            Scoring::MostBoards => position.won(side).count_ones() > theirs.count_ones(),
            Scoring::MetaLine => false,
        }
    }

    fn closed(&self, position: &NestedPosition) -> u16 {
        position.closed()
    }

    fn marks(&self, position: &NestedPosition, side: Side, board: usize) -> u16 {
        position.marks(side, board) & 0o777
    }

    fn owner(&self, position: &NestedPosition, board: usize) -> usize {
        let won = |side: Side| usize::from(position.won(side) >> board & 1);
        match scoring(self) {
            Scoring::MostBoards => 0,
            Scoring::MetaLine => won(Side::FIRST) + 2 * won(Side::SECOND),
        }
    }

    fn lead(&self, position: &NestedPosition) -> i32 {
        let points = |side: Side| position.won(side).count_ones() as i32;
        match scoring(self) {
            Scoring::MostBoards => points(Side::FIRST) - points(Side::SECOND),
            Scoring::MetaLine => 0,
        }
    }
}
