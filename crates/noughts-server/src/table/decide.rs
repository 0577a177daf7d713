//! Decides commands: which entries follow, or why the command is refused.

use std::fmt;

use noughts_rules::{Action, Conclusion, Move, Refusal, Seat, Turn};

use super::{
    EndReason, Entry, Holder, KEY_LIFETIME_MS, Key, LogEntry, Offer, OpenTo, RequestKey, SeatSet,
    Settings, Table,
};
use crate::id::GameId;

/// A request to a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// A player's action in turn `turn`.
    Act {
        /// Which seat.
        seat: Seat,
        /// The action.
        action: Action,
        /// Completed turns plus one, as the player saw them.
        turn: usize,
        /// The key of the request.
        key: Option<Box<RequestKey>>,
    },
    /// A robot's move, chosen after entry `entry`.
    RobotPlay {
        /// Which seat.
        seat: Seat,
        /// The move.
        at: Move,
        /// The latest entry that the robot knew.
        entry: u32,
    },
    /// A player takes an open seat.
    TakeSeat {
        /// Which seat.
        seat: Seat,
        /// Who will hold it.
        holder: Holder,
        /// The key of the request.
        key: Option<Box<RequestKey>>,
    },
    /// A seat offers a rematch. When every human seat has done so, a new game with the id `next` is created.
    OfferRematch {
        /// Which seat.
        seat: Seat,
        /// An unused id.
        next: GameId,
    },
    /// The connections of these seats have ended.
    Leave(SeatSet),
}

/// The result of a command. All of it is stored together, or nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decision {
    /// The next entries of the log.
    pub entries: Vec<LogEntry>,
    /// How they end the game, if they do.
    pub conclusion: Option<Conclusion>,
    /// A game to create with them.
    pub new_game: Option<NewGame>,
}

/// A game to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewGame {
    /// The settings of its table.
    pub settings: Settings,
    /// The key of the request.
    pub key: Option<CreationKey>,
}

/// The idempotency key of a request that creates a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CreationKey {
    /// The client that the key belongs to: two clients may use the same text. Empty for keys of older versions.
    pub scope: String,
    /// The key.
    pub key: Key,
}

/// What lists show of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Its status.
    pub status: Status,
    /// Who holds each seat.
    pub holders: Vec<Holder>,
    /// See [`Table::deadline_ms`].
    pub deadline_ms: Option<u64>,
    /// How it ended.
    pub ending: Option<Ending>,
}

/// The status of a table in lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It has a seat for clients with the link, and is not listed.
    Unlisted,
    /// It has an open seat in the lobby.
    Waiting,
    /// It is being played.
    Playing,
    /// It is over.
    Over,
}

/// How and when a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// How.
    pub conclusion: Conclusion,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Why a command was refused; nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableRefusal {
    /// The request is for another turn than the current one.
    Stale {
        /// The current turn.
        turn: usize,
    },
    /// The rules refuse it.
    Rules(Refusal),
    /// The idempotency key was used for another request.
    KeyReused,
    /// The seat is not open.
    SeatTaken,
    /// The game is not over, so there is no rematch yet.
    NotOver,
}

impl fmt::Display for TableRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableRefusal::Stale { turn } => {
                write!(f, "the game has gone on: it is in turn {turn}")
            }
            TableRefusal::Rules(refusal) => refusal.fmt(f),
            TableRefusal::KeyReused => f.write_str(
                "this Idempotency-Key was used for another request; take a new one for each",
            ),
            TableRefusal::SeatTaken => {
                f.write_str("somebody sits there; only open seats can be taken")
            }
            TableRefusal::NotOver => {
                f.write_str("the game goes on; a rematch is for games that are over")
            }
        }
    }
}

impl std::error::Error for TableRefusal {}

impl Table {
    /// The entries that follow from a command; `None` if it repeats an earlier one. Nothing changes until they are
    /// [applied](Table::apply).
    pub fn decide(&self, command: &Command, now_ms: u64) -> Result<Option<Decision>, TableRefusal> {
        // The clocks of two nodes may differ.
        let at_ms = now_ms.max(self.last_ms());
        match command {
            Command::Act {
                seat,
                action,
                turn,
                key,
            } => {
                let acted = Turn {
                    by: *seat,
                    action: *action,
                };
                if self.is_repeat(*seat, key.as_deref(), now_ms)? || self.has_turn(*turn, acted) {
                    return Ok(None);
                }
                if !self.is_over() && *turn != self.turn() {
                    return Err(TableRefusal::Stale { turn: self.turn() });
                }
                self.decide_turn(acted, at_ms, key.as_deref())
            }
            Command::RobotPlay { seat, at, entry } => {
                if *entry != self.entry() {
                    return Err(TableRefusal::Stale { turn: self.turn() });
                }
                let action = Action::Play(*at);
                self.decide_turn(Turn { by: *seat, action }, at_ms, None)
            }
            Command::TakeSeat { seat, holder, key } => {
                if self.is_repeat(*seat, key.as_deref(), now_ms)? {
                    return Ok(None);
                }
                if self.is_over() || !self.holder(*seat).is_some_and(Holder::is_open) {
                    return Err(TableRefusal::SeatTaken);
                }
                let (seat, holder) = (*seat, holder.clone());
                let seated = Entry::Seated { seat, holder };
                Ok(Some(Decision::one(seated, at_ms, key.as_deref())))
            }
            Command::OfferRematch { seat, next } => self.decide_rematch(*seat, *next, at_ms),
            Command::Leave(seats) => {
                let Some(first) = self.first_of(*seats) else {
                    return Ok(None);
                };
                // Refused for the same reasons as resigning.
                let check = self.game.check(first, Action::Resign);
                check.map_err(TableRefusal::Rules)?;
                let conclusion = match self.is_everybody(*seats) {
                    true => Some(Conclusion::Abandoned),
                    false => self.game.conclusion_without(first),
                };
                let (reason, seats) = (EndReason::Leaving, *seats);
                let ended = Entry::Ended { reason, seats };
                Ok(Some(Decision {
                    conclusion,
                    ..Decision::one(ended, at_ms, None)
                }))
            }
        }
    }

    fn decide_turn(
        &self,
        turn: Turn,
        at_ms: u64,
        key: Option<&RequestKey>,
    ) -> Result<Option<Decision>, TableRefusal> {
        let check = self.game.check(turn.by, turn.action);
        check.map_err(TableRefusal::Rules)?;
        let by_rules = self.game.conclusion_after(turn);
        let is_last = self.turn() >= self.max_turns;
        Ok(Some(Decision {
            conclusion: by_rules.or(is_last.then_some(Conclusion::Draw)),
            ..Decision::one(Entry::Turn(turn), at_ms, key)
        }))
    }

    fn decide_rematch(
        &self,
        seat: Seat,
        next: GameId,
        at_ms: u64,
    ) -> Result<Option<Decision>, TableRefusal> {
        if !self.is_over() {
            return Err(TableRefusal::NotOver);
        }
        if self.holder(seat).is_none() {
            let seats = self.holders().len();
            return Err(TableRefusal::Rules(Refusal::NoSuchSeat { seats }));
        }
        let has_offered = self.rematch_offers().contains(seat);
        if self.rematch().is_some() || has_offered {
            return Ok(None);
        }
        let offer = Offer::Rematch;
        let mut decision = Decision::one(Entry::Offered { seat, offer }, at_ms, None);
        let offers = self.rematch_offers().with(seat);
        let mut people = self
            .seats()
            .filter(|seat| self.holder(*seat).is_some_and(Holder::is_human));
        if people.all(|seat| offers.contains(seat)) {
            let mut holders = self.holders().to_vec();
            holders.rotate_right(1);
            decision.push(Entry::RematchCreated(next), at_ms);
            decision.new_game = Some(NewGame {
                settings: Settings {
                    id: next,
                    created_ms: at_ms,
                    holders,
                    ..self.settings().clone()
                },
                key: None,
            });
        }
        Ok(Some(decision))
    }

    /// Whether this seat has used the key before, for the same request.
    fn is_repeat(
        &self,
        seat: Seat,
        key: Option<&RequestKey>,
        now_ms: u64,
    ) -> Result<bool, TableRefusal> {
        let Some(request) = key else {
            return Ok(false);
        };
        let text = request.key.text.clone();
        match self.keys.get(&(seat, text.clone())) {
            Some((hash, at_ms)) if now_ms < at_ms + KEY_LIFETIME_MS => {
                let stored = Key {
                    text,
                    request: *hash,
                };
                match request.is_repeat_of(&stored) {
                    true => Ok(true),
                    false => Err(TableRefusal::KeyReused),
                }
            }
            Some(_) | None => Ok(false),
        }
    }

    /// Whether the turn was this action.
    fn has_turn(&self, turn: usize, acted: Turn) -> bool {
        let done = turn.checked_sub(1).and_then(|n| self.game.turns().get(n));
        done == Some(&acted)
    }

    /// What lists show of the table now.
    pub fn summary(&self) -> Summary {
        let ending = self.game.conclusion().map(|conclusion| Ending {
            conclusion: conclusion.clone(),
            // A game may begin from a position in which it is over.
            at_ms: self.ended_ms().unwrap_or(self.last_ms()),
        });
        Summary {
            status: status(self.holders(), ending.is_some()),
            holders: self.holders().to_vec(),
            deadline_ms: self.deadline_ms(),
            ending,
        }
    }

    /// What lists show of the table after a decision, if that differs from now.
    pub fn summary_after(&self, decision: &Decision) -> Option<Summary> {
        let mut holders: Option<Vec<Holder>> = None;
        let (mut next, mut at_ms) = (self.game.to_move(), self.last_ms());
        for logged in &decision.entries {
            at_ms = logged.at_ms;
            match &logged.entry {
                Entry::Turn(turn) => {
                    next = Some(Seat((turn.by.0 + 1) % self.holders.len() as u8));
                }
                Entry::Seated { seat, holder } => {
                    let holders = holders.get_or_insert_with(|| self.holders().to_vec());
                    if let Some(held) = holders.get_mut(usize::from(seat.0)) {
                        *held = holder.clone();
                    }
                }
                Entry::Offered { .. } | Entry::Ended { .. } | Entry::RematchCreated(_) => {}
            }
        }
        let is_over = self.is_over() || decision.conclusion.is_some();
        let deadline_ms = match is_over {
            true => None,
            false => next.and_then(|next| self.deadline_if_next(next, at_ms)),
        };
        let ends = decision.conclusion.is_some();
        if holders.is_none() && !ends && deadline_ms == self.deadline_ms() {
            return None;
        }
        let ending = decision.conclusion.clone();
        let holders = holders.unwrap_or_else(|| self.holders().to_vec());
        Some(Summary {
            status: status(&holders, is_over),
            holders,
            deadline_ms,
            ending: ending.map(|conclusion| Ending { conclusion, at_ms }),
        })
    }
}

fn status(holders: &[Holder], is_over: bool) -> Status {
    let has = |open_to| holders.contains(&Holder::Open(open_to));
    match is_over {
        true => Status::Over,
        false if has(OpenTo::Link) => Status::Unlisted,
        false if has(OpenTo::Lobby) => Status::Waiting,
        false => Status::Playing,
    }
}

impl Decision {
    fn one(entry: Entry, at_ms: u64, key: Option<&RequestKey>) -> Decision {
        let key = key.map(|request| Box::new(request.key.clone()));
        // Room for a robot's reply.
        let mut entries = Vec::with_capacity(2);
        entries.push(LogEntry { at_ms, entry, key });
        Decision {
            entries,
            ..Decision::default()
        }
    }

    /// Adds an entry that follows from the others.
    pub fn push(&mut self, entry: Entry, at_ms: u64) {
        let key = None;
        self.entries.push(LogEntry { at_ms, entry, key });
    }
}
