//! Writes proofs in the format of `docs/solving.md`.
//!
//! Each position is written once, after the positions that it depends on. Positions that are obvious to the
//! checker are not written.

use std::collections::HashSet;
use std::io::{self, Write};

use noughts_rules::{Bits, Diagram, Move, Side, Variant};

use super::GameValue;
use super::dfpn::{Child, Dfpn, Field, StaticResult};
use super::general::{Endgame, General};
use super::plain_grid::PlainGrid;

pub(crate) fn heading(
    into: &mut dyn Write,
    variant: &Variant,
    start: &Diagram,
    value: GameValue,
) -> io::Result<()> {
    writeln!(into, "noughts proof 1\nvariant {variant}")?;
    writeln!(into, "position {}\nvalue {value}", start.format(variant))
}

pub(crate) fn claim(into: &mut dyn Write, attacker: Side, wins: bool) -> io::Result<()> {
    let what = if wins { "wins" } else { "cannot win" };
    writeln!(into, "claim {} {what}", attacker.symbol())
}

pub(crate) fn stealing(into: &mut dyn Write) -> io::Result<()> {
    writeln!(into, "stealing")
}

/// A position for which a proof can be written.
pub(crate) trait Explain: Field {
    /// Whether this answer is obvious to the checker.
    fn is_obvious(&mut self, wins: bool) -> bool;

    /// A move of the side to move that wins at once or makes two threats.
    fn quick_win(&mut self) -> Option<Move>;

    /// The moves that a proof must answer.
    fn all_moves(&mut self) -> Vec<Move>;

    /// Pairs with which the defender prevents a win, if some are found.
    fn pairs(&mut self) -> Option<Vec<(usize, usize)>>;

    fn diagram(&self) -> Diagram;
}

/// A position and the attacker.
pub(crate) struct Explained<F> {
    field: F,
    attacker: Side,
}

impl<B: Bits, L: Bits, const W: usize> Explained<PlainGrid<B, L, W>> {
    pub(crate) fn plain(field: PlainGrid<B, L, W>, attacker: Side) -> Self {
        Explained { field, attacker }
    }
}

impl<R: Endgame> Explained<General<R>> {
    pub(crate) fn general(field: General<R>) -> Self {
        Explained {
            field,
            attacker: Side::FIRST,
        }
    }
}

impl<F: Field> Field for Explained<F> {
    #[inline]
    fn attacks(&self) -> bool {
        self.field.attacks()
    }
    #[inline]
    fn key(&self) -> u64 {
        self.field.key()
    }
    #[inline]
    fn wide_key(&self) -> u64 {
        self.field.wide_key()
    }
    #[inline]
    fn look(&mut self, is_new: bool, moves: &mut Vec<Child>) -> StaticResult {
        self.field.look(is_new, moves)
    }
    #[inline]
    fn play(&mut self, at: Move) {
        self.field.play(at);
    }
    #[inline]
    fn take_back(&mut self, at: Move) {
        self.field.take_back(at);
    }
}

impl<B: Bits, L: Bits, const W: usize> Explain for Explained<PlainGrid<B, L, W>> {
    fn is_obvious(&mut self, wins: bool) -> bool {
        if !wins && self.field.is_counted_out() {
            return true;
        }
        self.attacks() == wins && self.quick_win().is_some()
    }

    fn quick_win(&mut self) -> Option<Move> {
        self.field.wins_soon()
    }

    fn all_moves(&mut self) -> Vec<Move> {
        self.field.all_moves()
    }

    fn pairs(&mut self) -> Option<Vec<(usize, usize)>> {
        self.field.pairs()
    }

    fn diagram(&self) -> Diagram {
        let [attacker, defender] = self.field.marks();
        let side = |at: usize| match (attacker.has(at), defender.has(at)) {
            (true, _) => Some(self.attacker),
            (_, true) => Some(self.attacker.next(2)),
            (false, false) => None,
        };
        Diagram {
            marks: (0..self.field.cells()).map(side).collect(),
            to_move: if self.attacks() {
                self.attacker
            } else {
                self.attacker.next(2)
            },
            play_in: None,
        }
    }
}

impl<R: Endgame> Explain for Explained<General<R>> {
    fn is_obvious(&mut self, wins: bool) -> bool {
        self.field.over().or_else(|| self.field.score()) == Some(wins)
    }

    fn quick_win(&mut self) -> Option<Move> {
        None
    }

    fn all_moves(&mut self) -> Vec<Move> {
        self.field.all_moves()
    }

    fn pairs(&mut self) -> Option<Vec<(usize, usize)>> {
        None
    }

    fn diagram(&self) -> Diagram {
        self.field.rules().diagram(self.field.position())
    }
}

/// A move after which the answer is still `wins`. Searches if the answer is not in the table; `None` if a
/// limit is reached.
pub(crate) fn keeping<F: Explain>(dfpn: &mut Dfpn<'_, F>, wins: bool) -> Option<Move> {
    // The side to move may be the defender. A win of the defender also keeps the answer.
    if let Some(at) = dfpn.field.quick_win() {
        return Some(at);
    }
    let moves = dfpn.field.all_moves();
    let behind = |dfpn: &mut Dfpn<'_, F>, is_it: &dyn Fn(&mut Dfpn<'_, F>) -> bool| {
        moves.iter().copied().find(|at| {
            dfpn.field.play(*at);
            let found = is_it(dfpn);
            dfpn.field.take_back(*at);
            found
        })
    };
    let known = |dfpn: &mut Dfpn<'_, F>| dfpn.known() == Some(wins);
    behind(dfpn, &|dfpn| dfpn.field.is_obvious(wins))
        .or_else(|| behind(dfpn, &known))
        .or_else(|| {
            dfpn.answer()?;
            behind(dfpn, &known)
        })
        .or_else(|| behind(dfpn, &|dfpn| dfpn.answer() == Some(wins)))
}

/// Whether this answer is obvious to the checker.
pub(crate) fn is_obvious(mut field: impl Explain, wins: bool) -> bool {
    field.is_obvious(wins)
}

/// Whether there is no move that a proof must answer.
pub(crate) fn is_dead(mut field: impl Explain) -> bool {
    field.all_moves().is_empty()
}

/// A move in a lost position: a move that does not lose at once, or any move if every move loses at once.
pub(crate) fn resisting_move<F: Explain>(dfpn: &mut Dfpn<'_, F>) -> Option<Move> {
    let moves = dfpn.field.all_moves();
    let longer = moves.iter().copied().find(|at| {
        dfpn.field.play(*at);
        let at_once = dfpn.field.is_obvious(true);
        dfpn.field.take_back(*at);
        !at_once
    });
    longer.or(moves.first().copied())
}

/// Writes the proof lines of a claim.
pub(crate) fn records<F: Explain>(
    dfpn: Dfpn<'_, F>,
    variant: &Variant,
    wins: bool,
    into: &mut dyn Write,
) -> io::Result<()> {
    let mut writer = Writer {
        dfpn,
        variant,
        wins,
        written: HashSet::new(),
        into,
    };
    writer.position()
}

struct Writer<'a, 'm, F> {
    dfpn: Dfpn<'m, F>,
    variant: &'a Variant,
    wins: bool,
    written: HashSet<u64>,
    into: &'a mut dyn Write,
}

impl<F: Explain> Writer<'_, '_, F> {
    /// Writes the line of the current position, after the lines of the positions that it depends on.
    fn position(&mut self) -> io::Result<()> {
        if self.dfpn.field.is_obvious(self.wins) || !self.written.insert(self.dfpn.field.wide_key())
        {
            return Ok(());
        }
        let reason = match self.pairs() {
            Some(pairs) => pairs,
            None if self.dfpn.field.attacks() == self.wins => self.one_move()?,
            None => self.all_moves()?,
        };
        let position = self.dfpn.field.diagram().format(self.variant);
        writeln!(self.into, "{position} {reason}")
    }

    fn pairs(&mut self) -> Option<String> {
        if self.wins {
            return None;
        }
        let pairs = self.dfpn.field.pairs()?;
        let write = |at: usize| self.variant.format_move(Move::at(at));
        let words = pairs
            .iter()
            .map(|(one, other)| format!(" {} {}", write(*one), write(*other)));
        Some(format!("pairs{}", words.collect::<String>()))
    }

    fn one_move(&mut self) -> io::Result<String> {
        let Some(at) = keeping(&mut self.dfpn, self.wins) else {
            let what = "internal error: a stored answer was not found again";
            return Err(io::Error::other(what));
        };
        self.behind(at)?;
        Ok(format!("plays {}", self.variant.format_move(at)))
    }

    fn all_moves(&mut self) -> io::Result<String> {
        for at in self.dfpn.field.all_moves() {
            self.behind(at)?;
        }
        Ok("all".to_owned())
    }

    fn behind(&mut self, at: Move) -> io::Result<()> {
        self.dfpn.field.play(at);
        let result = self.position();
        self.dfpn.field.take_back(at);
        result
    }
}
