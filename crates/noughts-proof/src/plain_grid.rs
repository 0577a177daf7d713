//! The plain game: two sides, any empty cell, who first makes a line of K or more wins.
//!
//! Beyond the rules these theorems are used, all of which rest on one: a mark more never hurts its owner.
//!
//! - A mark in no line that its side can still make only stands in the way, and an empty cell in no line
//!   that anybody can still make is as good as taken. So positions are compared without them.
//! - A cell all of whose lines go through another empty cell is no better than that one.
//! - Who can complete a line wins; who can make two threats at once, while the other has none, wins too.
//! - Lines through both cells of a pair are never made by who is answered in the pair, and lines that weigh
//!   little enough can be held (Erdős and Selfridge 1973).

use std::collections::HashSet;

use noughts_rules::{Diagram, Goal, GridSpec, Move, Overline, Placement, Side, Symmetry, Variant};

use crate::reader::{Step, speaker};
use crate::{Checker, Claim};

/// How many marks count in a line: of longer ones the first do not, so that they never weigh too little.
const HEAVIEST: u32 = 40;

/// Cells, by their bits.
type Cells = u128;

/// The numbers of a plain game that fits.
pub(crate) fn spec(variant: &Variant) -> Option<GridSpec> {
    let Variant::Grid(spec) = variant else {
        return None;
    };
    let plain = spec.sides() == 2
        && spec.goal == Goal::Make
        && spec.placement == Placement::Anywhere
        && spec.overline == Overline::Counts
        && spec.cells() <= 128;
    plain.then_some(*spec)
}

pub(crate) struct PlainGrid {
    claim: Claim,
    variant: Variant,
    line: usize,
    lines: Vec<Cells>,
    /// Where each cell comes to lie, in every way to lay the board.
    ways: Vec<Vec<u8>>,
    /// What matters of each position that was proved, and whether the attacker is to move there.
    proved: HashSet<([Cells; 3], bool)>,
}

/// A position, from the attacker's side.
#[derive(Clone, Copy)]
struct Position {
    attacker: Cells,
    defender: Cells,
    attacks: bool,
}

/// The lines that both sides can still make.
struct Alive {
    attacker: Vec<Cells>,
    defender: Vec<Cells>,
}

impl PlainGrid {
    pub(crate) fn new(spec: GridSpec, claim: Claim) -> PlainGrid {
        let variant = Variant::Grid(spec);
        let way = |way: &Symmetry| {
            let cells = (0..spec.cells()).map(Move::at);
            cells.map(|at| way.map_move(at).index() as u8).collect()
        };
        PlainGrid {
            line: spec.line(),
            lines: lines(&spec),
            ways: Symmetry::all(&variant).iter().map(way).collect(),
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
            attacks: diagram.to_move == self.claim.attacker,
        }
    }

    fn alive(&self, position: Position) -> Alive {
        let without = |marks: Cells| {
            let lines = self.lines.iter().copied();
            lines.filter(|line| line & marks == 0).collect()
        };
        Alive {
            attacker: without(position.defender),
            defender: without(position.attacker),
        }
    }

    /// What matters of a position, in the least of all ways to lay it.
    fn key(&self, position: Position, alive: &Alive) -> ([Cells; 3], bool) {
        let all = |lines: &[Cells]| lines.iter().fold(0, |all, line| all | line);
        let (attacker, defender) = (all(&alive.attacker), all(&alive.defender));
        let empty = (attacker | defender) & !(position.attacker | position.defender);
        let sets = [
            position.attacker & attacker,
            position.defender & defender,
            empty,
        ];
        let lay = |way: &Vec<u8>| {
            sets.map(|mut set| {
                let mut laid = 0;
                while set != 0 {
                    laid |= 1 << way[set.trailing_zeros() as usize];
                    set &= set - 1;
                }
                laid
            })
        };
        let least = self.ways.iter().map(lay).min().unwrap_or(sets);
        (least, position.attacks)
    }

    /// Whether the claim holds in a position that neither side has won.
    fn holds(&self, position: Position) -> bool {
        let alive = self.alive(position);
        let wins = self.claim.wins;
        position.attacks == wins && wins_soon(position, &alive)
            || self.proved.contains(&self.key(position, &alive))
            || !wins && self.is_counted_out(position, &alive, &[])
    }

    /// Whether the claim holds after a move.
    fn holds_after(&self, position: Position, at: usize) -> bool {
        let mark = 1 << at;
        let mut next = position;
        next.attacks = !position.attacks;
        let mine = if position.attacks {
            &mut next.attacker
        } else {
            &mut next.defender
        };
        *mine |= mark;
        let marks = *mine;
        if self.has_line(marks) {
            return position.attacks == self.claim.wins;
        }
        self.holds(next)
    }

    fn has_line(&self, marks: Cells) -> bool {
        self.lines.iter().any(|line| line & !marks == 0)
    }

    /// Whether the attacker's lines that no pair holds weigh too little. Cells of pairs count as the
    /// attacker's own.
    fn is_counted_out(&self, position: Position, alive: &Alive, pairs: &[Cells]) -> bool {
        let paired = pairs.iter().fold(0, |all, pair| all | pair);
        let is_held = |line: &Cells| pairs.iter().any(|pair| line & pair == *pair);
        let lines = alive.attacker.iter().filter(|line| !is_held(line));
        let left: Vec<Cells> = lines
            .map(|line| line & !position.attacker & !paired)
            .collect();
        if !position.attacks {
            return self.is_answered(&left);
        }
        let (sum, on) = self.weigh(&left);
        let is_well = |at: usize| {
            sum + on[at] < self.made() || {
                let mut after: Vec<Cells> = left.clone();
                after.iter_mut().for_each(|line| *line &= !(1 << at));
                self.is_answered(&after)
            }
        };
        sum < self.made() && (0..on.len()).all(is_well)
    }

    /// Whether the defender, to move, holds lines with these empty cells: because they weigh little, or by
    /// taking one cell after which they weigh little enough whatever the attacker takes.
    fn is_answered(&self, lines: &[Cells]) -> bool {
        let (sum, on) = self.weigh(lines);
        let is_enough = |at: usize| {
            sum - on[at] < self.made() && {
                let missed = lines.iter().filter(|line| *line >> at & 1 == 0);
                let (sum, on) = self.weigh(&missed.copied().collect::<Vec<Cells>>());
                sum + on.into_iter().max().unwrap_or(0) < self.made()
            }
        };
        sum < self.made() || (0..on.len()).any(is_enough)
    }

    /// What lines with these empty cells weigh, all together and on each cell.
    fn weigh(&self, lines: &[Cells]) -> (u64, [u64; 128]) {
        let (mut sum, mut on) = (0, [0; 128]);
        for line in lines {
            let mut empty = *line;
            let weight = self.made() >> empty.count_ones().min(HEAVIEST);
            sum += weight;
            while empty != 0 {
                on[empty.trailing_zeros() as usize] += weight;
                empty &= empty - 1;
            }
        }
        (sum, on)
    }

    /// What a line weighs that is made.
    fn made(&self) -> u64 {
        1 << (self.line as u32).min(HEAVIEST)
    }

    /// The cells that must be answered: all that matter and are not dominated.
    fn moves(&self, position: Position, alive: &Alive) -> Vec<usize> {
        let empty = !(position.attacker | position.defender);
        // For each cell what all its lines have in common.
        let mut shared = [Cells::MAX; 128];
        let mut cells = 0;
        for line in alive.attacker.iter().chain(&alive.defender) {
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

    fn pairs(&self, position: Position, pairs: &[(Move, Move)]) -> Result<Vec<Cells>, String> {
        let mut taken = position.attacker | position.defender;
        let mut sets = Vec::new();
        for (one, other) in pairs {
            let pair: Cells = 1 << one.index() | 1 << other.index();
            if pair.count_ones() != 2 || pair & taken != 0 {
                let write = |at: &Move| self.variant.format_move(*at);
                return Err(format!(
                    "{} {} is no pair of cells that are free",
                    write(one),
                    write(other)
                ));
            }
            taken |= pair;
            sets.push(pair);
        }
        Ok(sets)
    }
}

impl Checker for PlainGrid {
    fn record(&mut self, diagram: &Diagram, step: &Step) -> Result<(), String> {
        let position = self.position(diagram);
        if self.has_line(position.attacker) || self.has_line(position.defender) {
            return Err("the game is over there, it needs no reason".to_owned());
        }
        let alive = self.alive(position);
        let speaks = diagram.to_move == speaker(self.claim);
        let unproved = |at: usize| {
            let at = self.variant.format_move(Move::at(at));
            Err(format!("what follows {at} is not proved"))
        };
        match step {
            Step::Plays(_) if !speaks => return Err("the other side is to move there".to_owned()),
            Step::All if speaks => return Err("one move must be named there".to_owned()),
            Step::Plays(at) => {
                let at = at.index();
                if (position.attacker | position.defender) >> at & 1 == 1 {
                    return Err("the cell that is played is taken".to_owned());
                }
                if !self.holds_after(position, at) {
                    return unproved(at);
                }
            }
            Step::All => {
                let moves = self.moves(position, &alive);
                // Where nobody can make a line, who claims a win has nothing to show.
                if moves.is_empty() && self.claim.wins {
                    return Err("nobody can make a line there".to_owned());
                }
                if let Some(at) = moves
                    .into_iter()
                    .find(|at| !self.holds_after(position, *at))
                {
                    return unproved(at);
                }
            }
            Step::Pairs(_) if self.claim.wins => {
                return Err("pairs hold a position, they do not win it".to_owned());
            }
            Step::Pairs(pairs) => {
                let pairs = self.pairs(position, pairs)?;
                if !self.is_counted_out(position, &alive, &pairs) {
                    return Err("the pairs leave too many lines".to_owned());
                }
            }
        }
        let key = self.key(position, &alive);
        self.proved.insert(key);
        Ok(())
    }

    fn is_proved(&self, position: &Diagram) -> bool {
        self.holds(self.position(position))
    }
}

/// Whether the side to move completes a line, or makes two threats while it has none to answer.
fn wins_soon(position: Position, alive: &Alive) -> bool {
    let (mine, theirs, marks, others) = if position.attacks {
        (
            &alive.attacker,
            &alive.defender,
            position.attacker,
            position.defender,
        )
    } else {
        (
            &alive.defender,
            &alive.attacker,
            position.defender,
            position.attacker,
        )
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
    let twos = lacks(mine, marks, 2);
    // Two lines that lack two each, have one of these in common and differ in the other.
    twos.iter().enumerate().any(|(number, one)| {
        let later = &twos[number + 1..];
        later.iter().any(|other| (one & other).count_ones() == 1)
    })
}

/// Every line that the board has room for.
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
