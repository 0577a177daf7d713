//! The text of a proof, line by line and in bounded memory.

use std::io::BufRead;

use noughts_rules::{Diagram, Move, Place, Quoted, Side, Variant};

use crate::{Claim, GameValue, ProofError};

/// No line of a proof is longer, in bytes: 128 cells, and each of them in a pair.
const LONGEST: usize = 4096;

/// Why a position is what is claimed of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    /// The side that the claim speaks for plays here.
    Plays(Move),
    /// Whatever the other side plays.
    All,
    /// These pairs, and counting, hold it.
    Pairs(Vec<(Move, Move)>),
}

pub(crate) struct Lines<R> {
    from: R,
    /// The line that is looked at; empty at the end.
    line: String,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(crate) fn new(from: R) -> Lines<R> {
        Lines {
            from,
            line: String::new(),
            number: 0,
        }
    }

    /// Something is wrong with the line that is looked at.
    pub(crate) fn error(&self, reason: String) -> ProofError {
        ProofError {
            line: self.number,
            reason,
        }
    }

    /// Turns to the next line, or to nothing at the end.
    fn next(&mut self) -> Result<(), ProofError> {
        self.number += 1;
        let mut bytes = Vec::new();
        loop {
            let held = match self.from.fill_buf() {
                Ok(held) => held,
                Err(error) => return Err(self.error(format!("it can't be read: {error}"))),
            };
            let end = held.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(held.len(), |end| end + 1);
            if bytes.len() + taken > LONGEST {
                return Err(self.error(format!("it has more than {LONGEST} bytes")));
            }
            bytes.extend_from_slice(&held[..taken]);
            self.from.consume(taken);
            if end.is_some() || taken == 0 {
                break;
            }
        }
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        } else if !bytes.is_empty() {
            return Err(self.error("it ends in the middle of a line".to_owned()));
        } else {
            self.line.clear();
            return Ok(());
        }
        match String::from_utf8(bytes) {
            Ok(line) if line.is_empty() => Err(self.error("it is empty".to_owned())),
            Ok(line) => {
                self.line = line;
                Ok(())
            }
            Err(_) => Err(self.error("it is not UTF-8".to_owned())),
        }
    }

    /// The next line, which must begin with this word.
    fn after(&mut self, word: &str) -> Result<String, ProofError> {
        self.next()?;
        let rest = self.line.strip_prefix(word);
        match rest.and_then(|rest| rest.strip_prefix(' ')) {
            Some(rest) => Ok(rest.to_owned()),
            None => {
                let line = Quoted::from(self.line.as_str());
                Err(self.error(format!("it should be `{word} …`, not {line}")))
            }
        }
    }

    /// Which position, and what it is said to be worth.
    pub(crate) fn heading(&mut self) -> Result<(Variant, Diagram, GameValue), ProofError> {
        self.next()?;
        if self.line != "noughts proof 1" {
            return Err(self.error("a proof begins with `noughts proof 1`".to_owned()));
        }
        let name = self.after("variant")?;
        let variant: Variant = name.parse().map_err(|why| self.error(format!("{why}")))?;
        if variant.sides() != 2 || variant.cells() > 256 {
            return Err(self.error("only games for two on up to 256 cells have proofs".to_owned()));
        }
        let text = self.after("position")?;
        let position =
            Diagram::parse(&variant, &text).map_err(|why| self.error(format!("{why}")))?;
        let value = match self.after("value")?.as_str() {
            "win" => GameValue::Win,
            "draw" => GameValue::Draw,
            "loss" => GameValue::Loss,
            other => {
                let other = Quoted::from(other);
                return Err(self.error(format!("a value is win, draw or loss, not {other}")));
            }
        };
        self.next()?;
        Ok((variant, position, value))
    }

    /// The line must make this claim.
    pub(crate) fn claim(&mut self, claim: Claim) -> Result<(), ProofError> {
        let what = if claim.wins { "wins" } else { "cannot win" };
        let expected = format!("claim {} {what}", claim.attacker.symbol());
        if self.line != expected {
            return Err(self.error(format!("it should be `{expected}`")));
        }
        self.next()
    }

    /// Whether the line says that a strategy is stolen; if so, goes on.
    pub(crate) fn takes_stealing(&mut self) -> Result<bool, ProofError> {
        let is_it = self.line == "stealing";
        if is_it {
            self.next()?;
        }
        Ok(is_it)
    }

    /// The next record of a claim, or `None` where it ends.
    pub(crate) fn record(
        &mut self,
        variant: &Variant,
    ) -> Result<Option<(Diagram, Step)>, ProofError> {
        if self.line.is_empty() || self.line.starts_with("claim ") {
            return Ok(None);
        }
        let line = std::mem::take(&mut self.line);
        let parsed = parse(variant, &line).map_err(|why| self.error(why))?;
        // A fault in it is told with its number, so the number goes on only afterwards.
        self.line = line;
        Ok(Some(parsed))
    }

    /// Goes on to the next line.
    pub(crate) fn advance(&mut self) -> Result<(), ProofError> {
        self.next()
    }

    /// Nothing may follow.
    pub(crate) fn end(&self) -> Result<(), ProofError> {
        if self.line.is_empty() {
            return Ok(());
        }
        Err(self.error("the proof is complete, nothing may follow".to_owned()))
    }
}

fn parse(variant: &Variant, line: &str) -> Result<(Diagram, Step), String> {
    let fields = match variant {
        Variant::Grid(_) => 2,
        Variant::Nested(_) => 3,
    };
    let mut ends = line.match_indices(' ').map(|(at, _)| at);
    let Some(end) = ends.nth(fields - 1) else {
        return Err("it should be a position and a reason".to_owned());
    };
    let (text, reason) = (&line[..end], &line[end + 1..]);
    let position = Diagram::parse(variant, text).map_err(|why| format!("{why}"))?;
    let mut words = reason.split(' ');
    let step = match words.next() {
        Some("all") => Step::All,
        Some("plays") => Step::Plays(cell(variant, words.next())?),
        Some("pairs") => {
            let mut pairs = Vec::new();
            while let Some(one) = words.next() {
                pairs.push((cell(variant, Some(one))?, cell(variant, words.next())?));
            }
            Step::Pairs(pairs)
        }
        Some(_) | None => {
            let reason = Quoted::from(reason);
            return Err(format!("a reason is plays, all or pairs, not {reason}"));
        }
    };
    match words.next() {
        None => Ok((position, step)),
        Some(word) => Err(format!("{} is too much", Quoted::from(word))),
    }
}

fn cell(variant: &Variant, word: Option<&str>) -> Result<Move, String> {
    let word = word.ok_or("a cell is missing")?;
    match variant.parse_place(word) {
        Ok(Place::Cell(at)) if at.index() < variant.cells() => Ok(at),
        _ => Err(format!("{} is no cell of the board", Quoted::from(word))),
    }
}

/// Who the claim speaks for: the attacker who wins, or who defends.
pub(crate) fn speaker(claim: Claim) -> Side {
    if claim.wins {
        claim.attacker
    } else {
        claim.attacker.next(2)
    }
}
