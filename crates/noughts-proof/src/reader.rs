//! Reads the text of a proof, line by line and in bounded memory.

use std::io::BufRead;

use noughts_rules::{Diagram, Move, Place, Quoted, Variant};

use crate::{Claim, GameValue, ProofError};

/// Maximum length of a line in bytes, including its newline: enough for 128 cells, all of them in pairs.
const MAX_LINE: usize = 4096;

pub(crate) const OTHER_SIDE_MOVES: &str = "`plays` is wrong here: the other side is to move";
pub(crate) const MOVE_NEEDED: &str = "`all` is wrong here: name one move with `plays`";

/// Why the proof's claim holds in a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// The claimant plays this move.
    Plays(Move),
    /// The claim holds after every move of the other side.
    All,
    /// The pairing rule: the defender stops the lines that contain one of these pairs. The counting rule covers all
    /// other lines.
    Pairs(Vec<(Move, Move)>),
}

pub(crate) struct Reader<R> {
    from: R,
    /// The current line; empty at the end of the text.
    line: String,
    number: u64,
}

impl<R: BufRead> Reader<R> {
    pub(crate) fn new(from: R) -> Reader<R> {
        Reader {
            from,
            line: String::new(),
            number: 0,
        }
    }

    /// An error with the number of the current line.
    pub(crate) fn error(&self, reason: String) -> ProofError {
        ProofError {
            line: self.number,
            reason,
        }
    }

    pub(crate) fn next_line(&mut self) -> Result<(), ProofError> {
        self.number += 1;
        let mut bytes = Vec::new();
        loop {
            let held = match self.from.fill_buf() {
                Ok(held) => held,
                Err(error) => return Err(self.error(format!("cannot read the line: {error}"))),
            };
            let end = held.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(held.len(), |end| end + 1);
            if bytes.len() + taken > MAX_LINE {
                return Err(self.error(format!("the line has more than {MAX_LINE} bytes")));
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
            return Err(self.error("the text ends in the middle of a line".to_owned()));
        } else {
            self.line.clear();
            return Ok(());
        }
        match String::from_utf8(bytes) {
            Ok(line) if line.is_empty() => Err(self.error("the line is empty".to_owned())),
            Ok(line) => {
                self.line = line;
                Ok(())
            }
            Err(_) => Err(self.error("the line is not UTF-8".to_owned())),
        }
    }

    /// Reads the next line, which must begin with `keyword`. Returns the text after `keyword`.
    fn field(&mut self, keyword: &str) -> Result<String, ProofError> {
        self.next_line()?;
        let rest = self.line.strip_prefix(keyword);
        match rest.and_then(|rest| rest.strip_prefix(' ')) {
            Some(rest) => Ok(rest.to_owned()),
            None => {
                let line = Quoted::from(self.line.as_str());
                Err(self.error(format!("expected `{keyword} …`, not {line}")))
            }
        }
    }

    /// Reads the version, the variant, the position and the value. Afterwards, the line after the value is
    /// the current line.
    pub(crate) fn heading(&mut self) -> Result<(Variant, Diagram, GameValue), ProofError> {
        self.next_line()?;
        if self.line != "noughts proof 1" {
            return Err(self.error("a proof begins with `noughts proof 1`".to_owned()));
        }
        let name = self.field("variant")?;
        let variant: Variant = name.parse().map_err(|why| self.error(format!("{why}")))?;
        if variant.sides() != 2 || variant.cells() > 256 {
            let why = "only games for two sides on at most 256 cells have proofs";
            return Err(self.error(why.to_owned()));
        }
        let text = self.field("position")?;
        let position =
            Diagram::parse(&variant, &text).map_err(|why| self.error(format!("{why}")))?;
        let value = match self.field("value")?.as_str() {
            "win" => GameValue::Win,
            "draw" => GameValue::Draw,
            "loss" => GameValue::Loss,
            other => {
                let other = Quoted::from(other);
                return Err(self.error(format!("expected win, draw or loss, not {other}")));
            }
        };
        self.next_line()?;
        Ok((variant, position, value))
    }

    /// Checks that the current line is the text of `claim`, and reads the next line.
    pub(crate) fn claim(&mut self, claim: Claim) -> Result<(), ProofError> {
        let what = if claim.wins { "wins" } else { "cannot win" };
        let expected = format!("claim {} {what}", claim.attacker.symbol());
        if self.line != expected {
            return Err(self.error(format!("expected `{expected}`")));
        }
        self.next_line()
    }

    /// Whether the current line is `stealing`. If so, reads the next line.
    pub(crate) fn skip_stealing(&mut self) -> Result<bool, ProofError> {
        let is_stealing = self.line == "stealing";
        if is_stealing {
            self.next_line()?;
        }
        Ok(is_stealing)
    }

    /// The record (a position and a reason) in the current line; `None` after the last record of a claim.
    /// Does not read the next line, so that an error in the record has the right line number.
    pub(crate) fn record(
        &mut self,
        variant: &Variant,
    ) -> Result<Option<(Diagram, Reason)>, ProofError> {
        if self.line.is_empty() || self.line.starts_with("claim ") {
            return Ok(None);
        }
        let record = parse_record(variant, &self.line).map_err(|why| self.error(why))?;
        Ok(Some(record))
    }

    /// Checks that the text has ended.
    pub(crate) fn end(&self) -> Result<(), ProofError> {
        if self.line.is_empty() {
            return Ok(());
        }
        Err(self.error("the proof is complete, nothing may follow".to_owned()))
    }
}

fn parse_record(variant: &Variant, line: &str) -> Result<(Diagram, Reason), String> {
    let fields = match variant {
        Variant::Grid(_) => 2,
        Variant::Nested(_) => 3,
    };
    let mut ends = line.match_indices(' ').map(|(at, _)| at);
    let Some(end) = ends.nth(fields - 1) else {
        return Err("expected a position and a reason".to_owned());
    };
    let (position, text) = (&line[..end], &line[end + 1..]);
    let position = Diagram::parse(variant, position).map_err(|why| format!("{why}"))?;
    let mut words = text.split(' ');
    let reason = match words.next() {
        Some("all") => Reason::All,
        Some("plays") => Reason::Plays(parse_cell(variant, words.next())?),
        Some("pairs") => {
            let mut pairs = Vec::new();
            while let Some(one) = words.next() {
                let one = parse_cell(variant, Some(one))?;
                pairs.push((one, parse_cell(variant, words.next())?));
            }
            Reason::Pairs(pairs)
        }
        Some(_) | None => {
            let text = Quoted::from(text);
            return Err(format!("expected plays, all or pairs, not {text}"));
        }
    };
    match words.next() {
        None => Ok((position, reason)),
        Some(word) => Err(format!("unexpected {}", Quoted::from(word))),
    }
}

fn parse_cell(variant: &Variant, word: Option<&str>) -> Result<Move, String> {
    let word = word.ok_or("a cell is missing")?;
    match variant.parse_place(word) {
        Ok(Place::Cell(at)) if at.index() < variant.cells() => Ok(at),
        _ => Err(format!("{} is not a cell of the board", Quoted::from(word))),
    }
}
