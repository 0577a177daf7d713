//! Computes books, for `cargo xtask book` (feature `book`).
//!
//! The writer lets `perfect` play from the start against every reply. A book has the positions of these games
//! in which `perfect` would need long to answer without the book.

use std::collections::{HashMap, HashSet};

use super::super::board::{Geometry, Marks};
use super::super::{ConnectFour, Score, Stopped};
use super::openings::{self, Openings};
use super::{BOARDS, BYTES, Board, Book, MAX_MARKS};
use crate::strategies::perfect::{DISTANCE_NODES, SOLVER_MEMORY};

/// The book leaves out a position if `perfect` needs at most this many nodes for its answer. Nodes for the
/// distance do not count.
const QUICK_NODES: u64 = 400_000;

/// A position in which `perfect` is to move.
#[derive(Clone, Copy)]
struct OwnPosition {
    marks: Marks,
    /// A lower bound for the sign of the position's score.
    at_least: i32,
}

/// Computes a book.
pub struct BookWriter {
    geometry: Geometry,
    /// A solver without a book, but with a large table.
    solver: ConnectFour,
    /// All entries, known and new, by canonical key.
    entries: HashMap<u64, u64>,
    seen: HashSet<u64>,
    /// `open` has positions with the same number of marks; `next` has the positions that follow from them.
    open: Vec<OwnPosition>,
    next: Vec<OwnPosition>,
}

/// The progress of a [`BookWriter`] after a visit to one position.
#[derive(Clone, Copy, Debug)]
pub struct BookProgress {
    /// Number of marks of the position.
    pub marks: u32,
    /// Number of positions with `marks` marks that are not visited yet.
    pub open: usize,
    /// The new entry, if the position needed one.
    pub entry: Option<u64>,
    /// Nodes searched so far.
    pub nodes: u64,
}

impl BookWriter {
    /// A writer for a board such as `7x6`. The book already has `entries`, and the solver's table takes at
    /// most `bytes` bytes. `None` if the board has no book. The writer begins with the games in which
    /// `perfect` is the first player.
    pub fn new(board: &str, entries: &[u64], bytes: usize) -> Option<BookWriter> {
        let (geometry, solver) = solver_without_book(board, bytes)?;
        let start = OwnPosition {
            marks: Marks { mine: 0, mask: 0 },
            at_least: -1,
        };
        Some(BookWriter {
            geometry,
            solver,
            entries: entries.iter().map(|entry| (entry >> 5, *entry)).collect(),
            seen: HashSet::new(),
            open: vec![start],
            next: Vec::new(),
        })
    }

    /// Continues with the games in which `perfect` is the second player.
    pub fn start_second(&mut self) {
        let empty = Marks { mine: 0, mask: 0 };
        let children = self.solver.children(empty).into_iter();
        self.open = children
            .map(|(_, marks)| OwnPosition {
                marks,
                at_least: -1,
            })
            .collect();
    }

    /// Visits the next position. Returns `None` when all positions were visited.
    pub fn step(&mut self) -> Option<BookProgress> {
        if self.open.is_empty() {
            self.open = std::mem::take(&mut self.next);
            // Positions with similar keys share many entries of the transposition table.
            let geometry = self.geometry;
            self.open
                .sort_unstable_by_key(|position| geometry.canonical_key(position.marks));
        }
        let position = self.open.pop()?;
        let mark_count = position.marks.mask.count_ones();
        let key = self.geometry.canonical_key(position.marks);
        let mut entry = None;
        if self.seen.insert(key) {
            entry = self.visit(key, position);
        }
        Some(BookProgress {
            marks: mark_count,
            open: self.open.len(),
            entry,
            nodes: self.solver.nodes,
        })
    }

    /// Visits a position. Returns the new entry; `None` if the position needs no entry or already has one.
    fn visit(&mut self, key: u64, position: OwnPosition) -> Option<u64> {
        // The position with the canonical key.
        let mirror = self.geometry.mirror(position.marks);
        let marks = match self.geometry.key(position.marks) == key {
            true => position.marks,
            false => mirror,
        };
        let known = self.entries.get(&key).copied();
        let is_quick = known.is_none() && self.is_quick(marks);
        if is_quick {
            return None;
        }
        let entry = known.unwrap_or_else(|| self.solve(key, marks, position.at_least));
        self.entries.insert(key, entry);
        let (sign, column) = ((entry >> 3 & 3) as i32 - 1, (entry & 7) as u32);
        let cell = self.geometry.playable(marks.mask) & self.geometry.column(column);
        let after = marks.after(cell);
        if marks.mask.count_ones() + 2 <= MAX_MARKS && !self.solver.is_won(after) {
            let children = self.solver.children(after).into_iter();
            let goes_on = children.filter(|(_, child)| !self.solver.is_won(*child));
            self.next.extend(goes_on.map(|(_, marks)| OwnPosition {
                marks,
                at_least: sign,
            }));
        }
        known.is_none().then_some(entry)
    }

    /// Whether `perfect` answers quickly without the book.
    fn is_quick(&self, marks: Marks) -> bool {
        let mut solver = ConnectFour::for_board(self.geometry, SOLVER_MEMORY);
        solver.book = None;
        let limit = QUICK_NODES + DISTANCE_NODES;
        solver
            .choose(marks, DISTANCE_NODES, &mut |nodes, _| nodes > limit)
            .is_ok()
    }

    /// The entry of a position. The sign of the position's score must be at least `at_least`.
    fn solve(&mut self, key: u64, marks: Marks, at_least: i32) -> u64 {
        let found = self
            .sign_and_move(marks, at_least)
            .expect("nothing stops it");
        let (sign, column) = found;
        key << 5 | ((sign + 1) as u64) << 3 | u64::from(column)
    }

    fn sign_and_move(&mut self, marks: Marks, at_least: i32) -> Result<(i32, u32), Stopped> {
        let never = &mut |_, _| false;
        let mut sign = at_least;
        if sign < 1 && self.solver.reaches(marks, Score(1), never)? {
            sign = 1;
        }
        if sign < 0 && self.solver.reaches(marks, Score(0), never)? {
            sign = 0;
        }
        let (at, _) = self.solver.best(marks, Score(sign), false, never)?;
        let cell = self.geometry.bit(at);
        Ok((sign, cell.trailing_zeros() / (self.geometry.rows + 1)))
    }
}

/// The bytes of a book with these entries.
pub fn pack(mut entries: Vec<u64>) -> Vec<u8> {
    entries.sort_unstable();
    let bytes = entries.iter().map(|entry| entry.to_le_bytes());
    bytes
        .flat_map(|bytes| bytes.into_iter().take(BYTES))
        .collect()
}

/// A solver for a board that has a book, such as `7x6`.
fn solver_without_book(board: &str, bytes: usize) -> Option<(Geometry, ConnectFour)> {
    let is_named = |known: &&Board| format!("{}x{}", known.columns, known.rows) == board;
    let known = BOARDS.iter().find(is_named)?;
    let geometry = Geometry::new(known.columns, known.rows);
    let mut solver = ConnectFour::for_board(geometry, bytes);
    solver.book = None;
    Some((geometry, solver))
}

/// Computes the scores of all positions with nine marks.
pub struct OpeningSolver {
    geometry: Geometry,
    solver: ConnectFour,
}

/// Size of the table in bytes. A table of this size stays in the processor's cache. 80 positions with
/// neighbouring keys took 3.2 s with this size, and 5.0 s with 64 MB or more, although the smaller table
/// needed a fifth more nodes.
const OPENING_MEMORY: usize = 4 << 20;

impl OpeningSolver {
    /// A solver for a board such as `7x6`; `None` if the board has no book.
    pub fn new(board: &str) -> Option<OpeningSolver> {
        let (geometry, solver) = solver_without_book(board, OPENING_MEMORY)?;
        Some(OpeningSolver { geometry, solver })
    }

    /// Makes the solver use known scores of later positions, which must all have the same number of marks.
    /// Each position is a list of columns. Each column is a list of its marks from the bottom up: true for a
    /// mark of the side to move. The number after the columns is the number of plies to the end: positive if
    /// the side to move wins, negative if it loses, 0 for a draw.
    pub fn know(&mut self, positions: impl Iterator<Item = (Vec<Vec<bool>>, i32)>) {
        let mut known = Vec::new();
        let mut mark_count = 0;
        for (columns, plies) in positions {
            let mut marks = Marks { mine: 0, mask: 0 };
            for (column, cells) in columns.iter().enumerate() {
                for (height, is_mine) in cells.iter().enumerate() {
                    let cell = 1 << (column as u32 * (self.geometry.rows + 1) + height as u32);
                    marks.mask |= cell;
                    marks.mine |= if *is_mine { cell } else { 0 };
                }
            }
            mark_count = marks.mask.count_ones();
            let score = Score::of_plies(plies, self.solver.free(marks));
            known.push((self.geometry.canonical_key(marks), score));
        }
        known.sort_unstable();
        let book = Book {
            entries: Vec::new(),
            openings: Some(Openings::of_sorted(mark_count, &known)),
        };
        // The book may be leaked, because the solver lives until the end of the program.
        self.solver.book = Some(Box::leak(Box::new(book)));
    }

    /// The canonical keys of the positions to solve, in the order of the openings file.
    pub fn keys(&self) -> Vec<u64> {
        openings::keys(&self.geometry, openings::OPENING_MARKS)
    }

    /// A number that grows with the distances of the marks from the middle column. Positions with a smaller
    /// number occur more often in games and in searches, and take longer to solve, so callers solve them
    /// first.
    pub fn distance_from_middle(&self, key: u64) -> u32 {
        let mask = self.geometry.position(key).mask;
        let mark_count = |column: u32| (mask & self.geometry.column(column)).count_ones();
        let distance = |column: u32| (2 * column + 1).abs_diff(self.geometry.columns);
        (0..self.geometry.columns)
            .map(|column| mark_count(column) * distance(column))
            .sum()
    }

    /// The score of the position with this key; see the module [`connect_four`](super::super).
    pub fn score(&mut self, key: u64) -> i32 {
        let marks = self.geometry.position(key);
        let score = self.solver.score(marks, &mut |_, _| false);
        score.expect("nothing stops it").0
    }

    /// Whether the position with this key has this score. The function makes two searches: one for a score of
    /// at least `score`, one for a higher score.
    pub fn has_score(&mut self, key: u64, score: i32) -> bool {
        let marks = self.geometry.position(key);
        let never = &mut |_, _| false;
        let mut reaches = |score| self.solver.reaches(marks, Score(score), never);
        reaches(score).expect("nothing stops it") && !reaches(score + 1).expect("nothing stops it")
    }
}

/// The bytes of a file with these scores, in the order of [`OpeningSolver::keys`].
pub fn pack_openings(scores: &[i32]) -> Vec<u8> {
    let scores: Vec<Score> = scores.iter().copied().map(Score).collect();
    openings::pack(&scores)
}
