//! Writes proofs in the format of `docs/solving.md`.
//!
//! Each position is written once, after the positions that it depends on. Positions that are obvious to the
//! checker are not written.

use std::collections::HashSet;
use std::io::{self, Write};

use noughts_rules::{Bits, Diagram, Move, Side, Variant};

use super::GameValue;
use super::dfpn::{Child, Dfpn, SearchPosition, StaticResult};
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
pub(crate) trait ProvablePosition: SearchPosition {
    /// Whether the proof needs no record for this position, because the checker sees without search that the
    /// attacker wins (with `wins`) or cannot win (without `wins`).
    fn is_obvious(&mut self, wins: bool) -> bool;

    /// A move of the side to move that wins immediately or makes two threats; `None` if no such move is
    /// known.
    fn quick_win(&mut self) -> Option<Move>;

    /// The moves that a record with the reason `all` must answer. Moves that are never better than another
    /// move may be missing.
    fn all_moves(&mut self) -> Vec<Move>;

    /// Pairs of cells with which the defender prevents a win; `None` if no such pairs are found.
    fn pairs(&mut self) -> Option<Vec<(usize, usize)>>;

    fn diagram(&self) -> Diagram;
}

/// A position and the attacker. With `General` the field `attacker` is not used, because `General` stores the attacker
/// itself.
pub(crate) struct AttackedPosition<P> {
    inner: P,
    attacker: Side,
}

impl<B: Bits, L: Bits, const W: usize> AttackedPosition<PlainGrid<B, L, W>> {
    pub(crate) fn plain(inner: PlainGrid<B, L, W>, attacker: Side) -> Self {
        AttackedPosition { inner, attacker }
    }
}

impl<R: Endgame> AttackedPosition<General<R>> {
    pub(crate) fn general(inner: General<R>) -> Self {
        AttackedPosition {
            inner,
            attacker: Side::FIRST,
        }
    }
}

impl<P: SearchPosition> SearchPosition for AttackedPosition<P> {
    #[inline]
    fn attacks(&self) -> bool {
        self.inner.attacks()
    }
    #[inline]
    fn key(&self) -> u64 {
        self.inner.key()
    }
    #[inline]
    fn wide_key(&self) -> u64 {
        self.inner.wide_key()
    }
    #[inline]
    fn expand(&mut self, is_new: bool, moves: &mut Vec<Child>) -> StaticResult {
        self.inner.expand(is_new, moves)
    }
    #[inline]
    fn play(&mut self, at: Move) {
        self.inner.play(at);
    }
    #[inline]
    fn take_back(&mut self, at: Move) {
        self.inner.take_back(at);
    }
}

impl<B: Bits, L: Bits, const W: usize> ProvablePosition for AttackedPosition<PlainGrid<B, L, W>> {
    fn is_obvious(&mut self, wins: bool) -> bool {
        if !wins && self.inner.is_counted_out() {
            return true;
        }
        self.attacks() == wins && self.quick_win().is_some()
    }

    fn quick_win(&mut self) -> Option<Move> {
        self.inner.wins_soon()
    }

    fn all_moves(&mut self) -> Vec<Move> {
        self.inner.all_moves()
    }

    fn pairs(&mut self) -> Option<Vec<(usize, usize)>> {
        self.inner.pairs()
    }

    fn diagram(&self) -> Diagram {
        let [attacker, defender] = self.inner.marks();
        let side = |at: usize| match (attacker.has(at), defender.has(at)) {
            (true, _) => Some(self.attacker),
            (_, true) => Some(self.attacker.next(2)),
            (false, false) => None,
        };
        Diagram {
            marks: (0..self.inner.cells()).map(side).collect(),
            to_move: if self.attacks() {
                self.attacker
            } else {
                self.attacker.next(2)
            },
            play_in: None,
        }
    }
}

impl<R: Endgame> ProvablePosition for AttackedPosition<General<R>> {
    fn is_obvious(&mut self, wins: bool) -> bool {
        self.inner.over().or_else(|| self.inner.score()) == Some(wins)
    }

    fn quick_win(&mut self) -> Option<Move> {
        None
    }

    fn all_moves(&mut self) -> Vec<Move> {
        self.inner.all_moves()
    }

    fn pairs(&mut self) -> Option<Vec<(usize, usize)>> {
        None
    }

    fn diagram(&self) -> Diagram {
        self.inner.rules().diagram(self.inner.position())
    }
}

/// With `wins`, a move after which the attacker still wins. Without `wins`, a move after which the attacker
/// still cannot win. Searches if the answer is not in the table. Returns `None` if the search reaches its
/// limit.
pub(crate) fn keeping<P: ProvablePosition>(dfpn: &mut Dfpn<'_, P>, wins: bool) -> Option<Move> {
    // The side to move may be the defender. A win of the defender also keeps the answer that the attacker cannot win.
    if let Some(at) = dfpn.position.quick_win() {
        return Some(at);
    }
    let moves = dfpn.position.all_moves();
    let behind = |dfpn: &mut Dfpn<'_, P>, is_it: &dyn Fn(&mut Dfpn<'_, P>) -> bool| {
        moves.iter().copied().find(|at| {
            dfpn.position.play(*at);
            let found = is_it(dfpn);
            dfpn.position.take_back(*at);
            found
        })
    };
    let known = |dfpn: &mut Dfpn<'_, P>| dfpn.known() == Some(wins);
    behind(dfpn, &|dfpn| dfpn.position.is_obvious(wins))
        .or_else(|| behind(dfpn, &known))
        .or_else(|| {
            dfpn.answer()?;
            behind(dfpn, &known)
        })
        .or_else(|| behind(dfpn, &|dfpn| dfpn.answer() == Some(wins)))
}

/// Whether the proof needs no record for this position, because the checker sees without search that the
/// attacker wins (with `wins`) or cannot win (without `wins`).
pub(crate) fn is_obvious(mut position: impl ProvablePosition, wins: bool) -> bool {
    position.is_obvious(wins)
}

/// Whether no further move matters in this position, or no legal move is left.
pub(crate) fn is_dead(mut position: impl ProvablePosition) -> bool {
    position.all_moves().is_empty()
}

/// A move in a lost position. Prefers a move after which the attacker's win is not obvious to the checker.
/// `None` if no move matters.
pub(crate) fn resisting_move<P: ProvablePosition>(dfpn: &mut Dfpn<'_, P>) -> Option<Move> {
    let moves = dfpn.position.all_moves();
    let longer = moves.iter().copied().find(|at| {
        dfpn.position.play(*at);
        let at_once = dfpn.position.is_obvious(true);
        dfpn.position.take_back(*at);
        !at_once
    });
    longer.or(moves.first().copied())
}

/// Writes the proof of a claim, one line (record) per position. With `wins`, the claim is that the attacker wins.
/// Without `wins`, the claim is that the attacker cannot win.
pub(crate) fn records<P: ProvablePosition>(
    dfpn: Dfpn<'_, P>,
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
    writer.write_position()
}

struct Writer<'a, 'm, P> {
    dfpn: Dfpn<'m, P>,
    variant: &'a Variant,
    wins: bool,
    written: HashSet<u64>,
    into: &'a mut dyn Write,
}

impl<P: ProvablePosition> Writer<'_, '_, P> {
    /// Writes the record of the current position, after the records of the positions that it depends on.
    fn write_position(&mut self) -> io::Result<()> {
        if self.dfpn.position.is_obvious(self.wins)
            || !self.written.insert(self.dfpn.position.wide_key())
        {
            return Ok(());
        }
        let reason = match self.pairs() {
            Some(pairs) => pairs,
            None if self.dfpn.position.attacks() == self.wins => self.one_move()?,
            None => self.all_moves()?,
        };
        let position = self.dfpn.position.diagram().format(self.variant);
        writeln!(self.into, "{position} {reason}")
    }

    fn pairs(&mut self) -> Option<String> {
        if self.wins {
            return None;
        }
        let pairs = self.dfpn.position.pairs()?;
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
        for at in self.dfpn.position.all_moves() {
            self.behind(at)?;
        }
        Ok("all".to_owned())
    }

    fn behind(&mut self, at: Move) -> io::Result<()> {
        self.dfpn.position.play(at);
        let result = self.write_position();
        self.dfpn.position.take_back(at);
        result
    }
}
