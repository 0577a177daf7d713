//! Features of nine boards: the value of each small board, and the boards to which moves send the opponent.

use std::sync::LazyLock;

use noughts_rules::{
    LINES_3X3, Move, Nested, NestedPosition, NestedSpec, Rules, Scoring, Side, Symmetry, Variant,
};

use crate::features::{Candidate, Features};
use crate::rng::Random;

/// A bit set of all nine cells, or of all nine boards.
const ALL: u16 = 0o777;

const WON: i32 = 1000;

/// Powers of 3. The code of a small board is a number in base 3 with one digit per cell: 0 free, 1 first side, 2
/// second side.
const POWERS: [u16; 9] = [1, 3, 9, 27, 81, 243, 729, 2187, 6561];

/// The value of a small board for the first side. The index is the code of its nine cells.
static BOARD_VALUES: LazyLock<Vec<i16>> = LazyLock::new(|| {
    let board_value = |code: u16| {
        let cells = |side: u16| {
            let has = |cell: &usize| code / POWERS[*cell] % 3 == side;
            (0..9).filter(has).fold(0u16, |set, cell| set | 1 << cell)
        };
        let (x, o) = (cells(1), cells(2));
        let has_line = |marks: u16| LINES_3X3.iter().any(|line| marks & line == *line);
        match (has_line(x), has_line(o)) {
            (true, false) => WON as i16,
            (false, true) => -WON as i16,
            _ if x | o == ALL => 0,
            _ => side_value(x, o) - side_value(o, x),
        }
    };
    (0..3 * POWERS[8]).map(board_value).collect()
});

/// The value of an open board for one side. The value depends on the side's threats, on the lines that the
/// side has begun, and on the side's marks in the middle and in the corners.
fn side_value(mine: u16, theirs: u16) -> i16 {
    let threats = completing(mine, theirs).count_ones();
    let open = LINES_3X3.iter().filter(|line| theirs & **line == 0);
    let begun = open
        .filter(|line| (mine & **line).count_ones() == 1)
        .count();
    let cells = 6 * (mine & 0o020).count_ones() + 2 * (mine & 0o505).count_ones();
    let by_threats = match threats {
        0 => 0,
        1 => 220,
        // The opponent cannot block two threats.
        _ => 420,
    };
    by_threats + 30 * begun as i16 + cells as i16
}

/// For each set of cells, the cells that complete a line together with two cells of the set.
const COMPLETE: [u16; 512] = {
    let mut table = [0; 512];
    let mut set = 0;
    while set < 512 {
        let mut line = 0;
        while line < LINES_3X3.len() {
            let missing = LINES_3X3[line] & !(set as u16);
            if missing.count_ones() == 1 {
                table[set] |= missing;
            }
            line += 1;
        }
        set += 1;
    }
    table
};

/// The free cells that complete a line of `mine`.
#[inline]
fn completing(mine: u16, theirs: u16) -> u16 {
    COMPLETE[usize::from(mine & ALL)] & !theirs
}

/// For each set of cells, whether the set contains a line.
const HAS_LINE: [bool; 512] = {
    let mut table = [false; 512];
    let mut set = 0;
    while set < 512 {
        let mut line = 0;
        while line < LINES_3X3.len() {
            table[set] |= set as u16 & LINES_3X3[line] == LINES_3X3[line];
            line += 1;
        }
        set += 1;
    }
    table
};

/// A bonus for the side to move. The bonus is higher if this side can complete a line on a `playable` board,
/// or block a line of the opponent there. Several playable boards also raise the bonus. `marks` returns the
/// cells of the side to move and of the opponent on a board.
#[inline]
fn urgency(playable: u16, marks: impl Fn(usize) -> (u16, u16)) -> i32 {
    let (mut line, mut block) = (0, 0);
    let mut boards = playable;
    while boards != 0 {
        let (mine, theirs) = marks(boards.trailing_zeros() as usize);
        line |= completing(mine, theirs);
        block |= completing(theirs, mine);
        boards &= boards - 1;
    }
    let sent = match (line, block) {
        (0, 0) => 20,
        (0, _) => 150,
        (_, _) => 500,
    };
    let several = playable & playable.wrapping_sub(1) != 0;
    sent + if several { 120 } else { 0 }
}

#[derive(Clone)]
pub(crate) struct NestedFeatures {
    scoring: Scoring,
    keys: [[u64; 81]; 2],
    playable_keys: Vec<u64>,
    hashes: Vec<u64>,
    symmetries: Vec<SymmetryTable>,
    board_values: &'static [i16],
    /// The code of each small board.
    codes: [u16; 9],
    /// The sum of the values of all boards for the first side.
    sum: i32,
}

/// A symmetry of the nine boards, as tables.
#[derive(Clone)]
struct SymmetryTable {
    to: [u8; 81],
    back: [u8; 81],
    /// For each set of boards, the set to which the symmetry maps it.
    boards: Vec<u16>,
}

impl NestedFeatures {
    pub(crate) fn new(spec: NestedSpec, position: &NestedPosition) -> NestedFeatures {
        let mut random = Random::new(0x6E6F_7567_6874_7339);
        let keys = std::array::from_fn(|_| std::array::from_fn(|_| random.draw()));
        let symmetries: Vec<SymmetryTable> = Symmetry::all(&Variant::Nested(spec))
            .iter()
            .map(SymmetryTable::new)
            .collect();
        let mut features = NestedFeatures {
            scoring: spec.scoring(),
            keys,
            playable_keys: (0..512).map(|_| random.draw()).collect(),
            hashes: vec![0; symmetries.len()],
            symmetries,
            board_values: &BOARD_VALUES,
            codes: [0; 9],
            sum: 0,
        };
        for side in [Side::FIRST, Side::SECOND] {
            for board in 0..9 {
                let marks = position.marks(side, board);
                for cell in (0..9).filter(|cell| marks >> cell & 1 == 1) {
                    features.change(side, Move::at(9 * board + cell), true);
                }
            }
        }
        features
    }

    fn change(&mut self, by: Side, at: Move, add: bool) {
        let (board, cell) = (at.index() / 9, at.index() % 9);
        let digit = POWERS[cell] << (by.index() & 1);
        let old = self.codes[board];
        let new = if add { old + digit } else { old - digit };
        self.codes[board] = new;
        self.sum += self.board_value(new) - self.board_value(old);
        for (hash, mapped) in self.hashes.iter_mut().zip(&self.symmetries) {
            *hash ^= self.keys[by.index() & 1][usize::from(mapped.to[at.index()])];
        }
    }

    /// The value of a board with this code, for the first side.
    #[inline]
    fn board_value(&self, code: u16) -> i32 {
        self.board_values[usize::from(code)].into()
    }

    /// The part of a move's score that comes from the board to which the move sends the opponent. This board has the
    /// number `cell`, and may be closed.
    #[inline]
    fn send_score(&self, position: &NestedPosition, mover: Side, cell: usize) -> i32 {
        let (mine, theirs) = (
            position.marks(mover, cell),
            position.marks(mover.next(2), cell),
        );
        match (position.closed() >> cell & 1 == 1, self.scoring) {
            (true, Scoring::MetaLine) => -300,
            (true, Scoring::MostBoards) => 0,
            (false, _) if completing(theirs, mine) != 0 => -400,
            (false, _) => 0,
        }
    }

    /// The value of all boards for the first side.
    fn boards(&self, position: &NestedPosition) -> i32 {
        match self.scoring {
            Scoring::MostBoards => self.sum,
            Scoring::MetaLine => self.lines_of_boards(position),
        }
    }

    fn lines_of_boards(&self, position: &NestedPosition) -> i32 {
        let won = [position.won(Side::FIRST), position.won(Side::SECOND)];
        let drawn = position.closed() & !won[0] & !won[1];
        let blocked = [won[1] | drawn, won[0] | drawn];
        // For each side, the weight of a board is 1 plus the number of lines of boards through this board that the side
        // can still complete.
        let mut weights = [[1i32; 9]; 2];
        let mut lines = [0i32; 2];
        for side in 0..2 {
            for line in LINES_3X3.iter().filter(|line| *line & blocked[side] == 0) {
                lines[side] += [0, 300, 1400, 0][(line & won[side]).count_ones() as usize];
                (0..9)
                    .filter(|b| line >> b & 1 == 1)
                    .for_each(|b| weights[side][b] += 1);
            }
        }
        let open = |board: &usize| position.closed() >> board & 1 == 0;
        let boards = (0..9).filter(open).map(|board| {
            let value = self.board_value(self.codes[board]);
            value * weights[usize::from(value < 0)][board] / 4
        });
        let count = won[0].count_ones() as i32 - won[1].count_ones() as i32;
        boards.sum::<i32>() + lines[0] - lines[1] + 150 * count
    }
}

impl Features<Nested> for NestedFeatures {
    fn play(&mut self, by: Side, at: Move) {
        self.change(by, at, true);
    }

    fn take_back(&mut self, by: Side, at: Move) {
        self.change(by, at, false);
    }

    fn key(&self, position: &NestedPosition) -> (u64, usize) {
        let key = |symmetry: usize| {
            let boards = self.symmetries[symmetry].boards[usize::from(position.playable())];
            self.hashes[symmetry] ^ self.playable_keys[usize::from(boards)]
        };
        let mut least = (key(0), 0);
        for symmetry in 1..self.symmetries.len() {
            let key = key(symmetry);
            if key < least.0 {
                least = (key, symmetry);
            }
        }
        least
    }

    fn map_move(&self, symmetry: usize, at: Move) -> Move {
        Move::at(self.symmetries[symmetry].to[at.index()].into())
    }

    fn unmap_move(&self, symmetry: usize, at: Move) -> Move {
        Move::at(self.symmetries[symmetry].back[at.index()].into())
    }

    fn estimate(&self, rules: &Nested, position: &NestedPosition, me: Side) -> i32 {
        let mover = rules.to_move(position);
        let other = mover.next(2);
        let playable = position.playable();
        let marks = |board| (position.marks(mover, board), position.marks(other, board));
        let turn = urgency(playable, marks);
        let turn = if mover == me { turn } else { -turn };
        let boards = self.boards(position);
        if me == Side::FIRST {
            boards + turn
        } else {
            turn - boards
        }
    }

    /// Returns `None` in Ultimate, and in Multi when only one board is open. In these two cases, a move can
    /// end the game.
    fn best_after(
        &self,
        rules: &Nested,
        position: &NestedPosition,
        enough: i32,
    ) -> Option<(i32, u64)> {
        let open = !position.closed() & ALL;
        if self.scoring != Scoring::MostBoards || open & open.wrapping_sub(1) == 0 {
            return None;
        }
        let mover = rules.to_move(position);
        let other = mover.next(2);
        let (digit, sign) = if mover == Side::FIRST {
            (0, 1)
        } else {
            (1, -1)
        };
        let (mut best, mut looked) = (i32::MIN, 0);
        let mut boards = position.playable();
        while boards != 0 {
            let board = boards.trailing_zeros() as usize;
            boards &= boards - 1;
            let (mine, theirs) = (position.marks(mover, board), position.marks(other, board));
            let code = self.codes[board];
            let without = self.sum - self.board_value(code);
            let mut cells = !(mine | theirs) & ALL;
            // Moves that complete a line come first, then moves that block a line. Usually the first move already
            // reaches `enough`.
            let completing_now = completing(mine, theirs);
            let then = completing(theirs, mine);
            while cells != 0 {
                let among = if completing_now & cells != 0 {
                    completing_now & cells
                } else if then & cells != 0 {
                    then & cells
                } else {
                    cells
                };
                let cell = among.trailing_zeros() as usize;
                cells &= !(1 << cell);
                let after = mine | 1 << cell;
                let closes = HAS_LINE[usize::from(after & ALL)] || after | theirs == ALL;
                let open = if closes { open & !(1 << board) } else { open };
                let turn = urgency(rules.sent_to(open, cell), |target| {
                    let ours = if target == board {
                        after
                    } else {
                        position.marks(mover, target)
                    };
                    (position.marks(other, target), ours)
                });
                let sum = without + self.board_value(code + (POWERS[cell] << digit));
                best = best.max(sign * sum - turn);
                looked += 1;
                if best >= enough {
                    return Some((best, looked));
                }
            }
        }
        Some((best, looked))
    }

    fn candidates(
        &self,
        rules: &Nested,
        position: &NestedPosition,
        _max_moves: usize,
        into: &mut Vec<Candidate>,
    ) -> bool {
        let mover = rules.to_move(position);
        let other = mover.next(2);
        let (mut board, mut wins, mut blocks) = (9, 0, 0);
        for at in rules.moves(position) {
            let cell = at.index() % 9;
            if at.index() / 9 != board {
                board = at.index() / 9;
                let (mine, theirs) = (position.marks(mover, board), position.marks(other, board));
                (wins, blocks) = (completing(mine, theirs), completing(theirs, mine));
            }
            let move_score = if wins >> cell & 1 == 1 {
                1000
            } else {
                let old = self.codes[board];
                let gain = self.board_value(old + (POWERS[cell] << (mover.index() & 1)))
                    - self.board_value(old);
                let gain = if mover == Side::FIRST { gain } else { -gain };
                gain + if blocks >> cell & 1 == 1 { 300 } else { 0 }
            };
            let move_score = move_score + self.send_score(position, mover, cell);
            into.push(Candidate { at, move_score });
        }
        true
    }

    fn forced(&self, _: &Nested, _: &NestedPosition, _: Option<Side>, _: &mut Vec<Candidate>) {}

    fn is_dead(&self) -> bool {
        false
    }

    fn can_win(&self, _side: Side) -> bool {
        true
    }
}

impl SymmetryTable {
    fn new(symmetry: &Symmetry) -> SymmetryTable {
        let to: [u8; 81] = std::array::from_fn(|at| symmetry.map_move(Move::at(at)).index() as u8);
        let mut back = [0; 81];
        for (from, to) in to.iter().enumerate() {
            back[usize::from(*to)] = from as u8;
        }
        let board = |board: usize| usize::from(to[9 * board]) / 9;
        let boards = |set: u16| {
            let members = (0..9).filter(|b| set >> b & 1 == 1);
            members.fold(0, |mapped, b| mapped | 1 << board(b))
        };
        SymmetryTable {
            back,
            boards: (0..512).map(boards).collect(),
            to,
        }
    }
}
