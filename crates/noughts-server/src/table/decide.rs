//! Decides commands: returns the entries to append to the log, or a refusal.

use std::fmt;

use noughts_rules::{Action, Conclusion, DrawReason, Move, Refusal, Seat, Termination, Turn};

use super::{
    Answer, Claim, Clock, Context, EndReason, Entry, Holder, KEY_LIFETIME_MS, Key, LogEntry, Offer,
    OpenOffer, OpenTo, Outage, RequestKey, SeatSet, Settings, Table,
};
use crate::id::GameId;

/// The conclusion of a game that has reached its maximum number of turns.
pub const TOO_LONG: Conclusion = Conclusion::Draw {
    reason: DrawReason::Limit,
};

/// A request to a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// A player plays, rewinds or resigns in turn `turn`.
    Act {
        /// The seat that acts.
        seat: Seat,
        /// What the seat does: a play, a rewind or a resignation.
        action: Action,
        /// The number of the current turn, as the player saw it: the number of completed turns plus one.
        turn: usize,
        /// The idempotency key of the request.
        key: Option<Box<RequestKey>>,
    },
    /// A robot's move, chosen when `entry` was the latest entry.
    RobotPlay {
        /// The seat of the robot.
        seat: Seat,
        /// The move that the robot chose.
        at: Move,
        /// The number of the latest entry when the robot chose its move.
        entry: u32,
    },
    /// A player takes an open seat.
    TakeSeat {
        /// The open seat.
        seat: Seat,
        /// The new holder.
        holder: Holder,
        /// The idempotency key of the request.
        key: Option<Box<RequestKey>>,
    },
    /// A seat offers a rematch. When every human seat has offered a rematch, a new game with the id `next` is created.
    OfferRematch {
        /// The seat that offers the rematch.
        seat: Seat,
        /// An unused id for the new game.
        next: GameId,
    },
    /// A seat accepts the rematch that another seat has offered. This counts as an offer of the accepting seat.
    AcceptRematch {
        /// The seat that accepts the rematch.
        seat: Seat,
        /// An unused id for the new game.
        next: GameId,
    },
    /// A seat offers a draw or a takeback.
    Offer {
        /// The seat that makes the offer.
        seat: Seat,
        /// What the seat offers: a draw or a takeback.
        offer: Offer,
        /// The idempotency key of the request.
        key: Option<Box<RequestKey>>,
    },
    /// A seat answers an offer, or withdraws its own offer.
    Answer {
        /// The seat that answers.
        seat: Seat,
        /// Whether the seat accepts or declines, and which kind of offer.
        answer: Answer,
        /// The idempotency key of the request.
        key: Option<Box<RequestKey>>,
    },
    /// A seat aborts the game before every seat has completed a turn, or cancels a table that waits for players.
    Abort {
        /// The seat that aborts the game.
        seat: Seat,
    },
    /// A seat claims the end of the game, because all other players are away.
    Claim {
        /// The seat that makes the claim.
        seat: Seat,
        /// What the seat claims: a win or a draw.
        claim: Claim,
    },
    /// The current turn gets back the time that it lost because of this outage.
    AddTime(Outage),
    /// The game ends if the time of the seat to move has run out.
    CheckDeadline,
    /// These seats leave the game, because their connections have ended.
    Leave(SeatSet),
    /// An operator ends the game without a result.
    Terminate,
}

/// What a command leads to. The parts of a decision are stored together or not at all.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Decision {
    /// The next entries of the log.
    pub entries: Vec<LogEntry>,
    /// How the entries end the game; `None` if they do not end it.
    pub conclusion: Option<Conclusion>,
    /// A game to create together with the entries.
    pub new_game: Option<NewGame>,
}

/// A game to create.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewGame {
    /// The settings of the game's table.
    pub settings: Settings,
    /// The idempotency key of the request; `None` if the request had no key.
    pub key: Option<CreationKey>,
}

/// The idempotency key of a request that creates a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CreationKey {
    /// Identifies the client that used the key, because two clients may use the same text. Empty in keys that
    /// older versions of the server stored.
    pub scope: String,
    /// The text that the client sent as `Idempotency-Key`, and a hash of the request.
    pub key: Key,
}

/// What lists show of a table, and when a node must check the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The status of the table.
    pub status: Status,
    /// Who holds each seat.
    pub holders: Vec<Holder>,
    /// See [`Table::deadline_ms`].
    pub deadline_ms: Option<u64>,
    /// How the game ended; `None` if it is not over.
    pub ending: Option<Ending>,
}

/// The status of a table in lists.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// The game is not over, and lists do not show it: either [`Settings::is_listed`] is false, or a seat is
    /// open to [`OpenTo::Link`].
    Unlisted,
    /// The table has an open seat, and lists show the table.
    Waiting,
    /// All seats are taken, the game is not over, and lists show it.
    Playing,
    /// The game is over.
    Over,
}

/// How and when a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ending {
    /// How the game ended.
    pub conclusion: Conclusion,
    /// When the game ended, in milliseconds since 1970.
    pub at_ms: u64,
}

/// Why a command was refused. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TableRefusal {
    /// The request is not for the current turn.
    Stale {
        /// The number of the current turn.
        turn: usize,
    },
    /// The seat's time has run out. [`Command::CheckDeadline`] ends the game.
    TimeIsOver,
    /// The rules of the game refuse the action.
    Rules(Refusal),
    /// The idempotency key was used for another request.
    KeyReused,
    /// The seat is not open, or the game is over.
    SeatTaken,
    /// The game is not over, so there is no rematch yet.
    NotOver,
    /// A takeback needs the consent of the other players.
    ConsentNeeded,
    /// A seat is still open, so there is no player to ask.
    NotStarted,
    /// No other seat is held by a person.
    NoOtherPlayer,
    /// There is no open offer of this kind to answer.
    NoOffer {
        /// The kind of offer.
        offer: Offer,
    },
    /// The seat has not completed a turn yet, so it may not offer a draw.
    DrawTooEarly,
    /// A draw offer of this seat was refused less than [`DRAW_OFFER_PAUSE`](super::DRAW_OFFER_PAUSE) turns
    /// ago.
    DrawRefused {
        /// The first turn in which the seat may offer a draw again.
        turn: usize,
    },
    /// Every seat has completed a turn, so the game can no longer be aborted.
    TooLateToAbort,
    /// A seat has not completed a turn yet, so claims are not allowed yet.
    ClaimTooEarly,
    /// There are no claims in correspondence games.
    NoClaimInCorrespondence,
    /// Another player is present, so claims are not allowed.
    OpponentIsPresent {
        /// The seat of this player.
        seat: Seat,
    },
    /// The other players have not been away for long enough.
    OpponentJustLeft {
        /// How much longer to wait, in milliseconds.
        wait_ms: u64,
    },
    /// The log has no room for the entry: see [`MAX_OTHER_ENTRIES`](super::MAX_OTHER_ENTRIES).
    LogFull,
}

impl fmt::Display for TableRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TableRefusal::Stale { turn } => {
                write!(f, "the game has gone on: it is in turn {turn}")
            }
            TableRefusal::TimeIsOver => f.write_str("your time has run out"),
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
            TableRefusal::ConsentNeeded => {
                f.write_str("a takeback needs the consent of the other players: offer it")
            }
            TableRefusal::NotStarted => {
                f.write_str("a seat is still open; until it is taken, only abort ends this game")
            }
            TableRefusal::NoOtherPlayer => f.write_str("there is no other person to ask"),
            TableRefusal::NoOffer { offer } => write!(
                f,
                "there is no open offer of a {}; it was answered, was withdrawn or has lapsed",
                offer.word()
            ),
            TableRefusal::DrawTooEarly => {
                f.write_str("you may offer a draw only after your first turn")
            }
            TableRefusal::DrawRefused { turn } => write!(
                f,
                "your draw offer was declined; you may offer a draw again in turn {turn}"
            ),
            TableRefusal::TooLateToAbort => f.write_str(
                "every side has played, so the game can no longer be aborted; resign instead",
            ),
            TableRefusal::ClaimTooEarly => {
                f.write_str("not every side has played; abort the game instead")
            }
            TableRefusal::NoClaimInCorrespondence => {
                f.write_str("in correspondence only the clock decides; there are no claims")
            }
            TableRefusal::OpponentIsPresent { seat } => {
                write!(
                    f,
                    "the player of seat {} is present; claims are only possible against players who are away",
                    seat.0
                )
            }
            TableRefusal::OpponentJustLeft { wait_ms } => write!(
                f,
                "the other players may come back; claim again in {} seconds",
                wait_ms.div_ceil(1_000)
            ),
            TableRefusal::LogFull => f.write_str("this game has had too many offers; play on"),
        }
    }
}

impl std::error::Error for TableRefusal {}

impl Table {
    /// The entries that a command leads to; `None` if there is nothing to do, for example because the command repeats
    /// an earlier command. Nothing changes until the entries are [applied](Table::apply).
    pub fn decide(
        &self,
        command: &Command,
        now: impl Into<Context>,
    ) -> Result<Option<Decision>, TableRefusal> {
        let now = now.into();
        let now_ms = now.now_ms;
        // The previous entry may come from a node whose clock is ahead of this node's clock. But an entry
        // must not be earlier than the previous entry.
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
                self.check_time(*seat, at_ms)?;
                match action {
                    Action::Takeback(_) => Err(TableRefusal::ConsentNeeded),
                    // While a seat is open, a resignation aborts the game, because an empty seat cannot win.
                    Action::Resign if self.has_open_seat() => self.decide_abort(*seat, at_ms),
                    Action::Play(_) | Action::Rewind(_) | Action::Resign => {
                        self.decide_turn(acted, at_ms, key.as_deref()).map(Some)
                    }
                }
            }
            Command::RobotPlay { seat, at, entry } => {
                if *entry != self.entry() {
                    return Err(TableRefusal::Stale { turn: self.turn() });
                }
                self.check_time(*seat, at_ms)?;
                let action = Action::Play(*at);
                self.decide_turn(Turn { by: *seat, action }, at_ms, None)
                    .map(Some)
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
            Command::AcceptRematch { seat, next } => {
                let offer = Offer::Rematch;
                let is_of_other = |open: &OpenOffer| open.offer == offer && open.seat != *seat;
                let is_offered = self.rematch().is_some() || self.offers().iter().any(is_of_other);
                match self.is_over() && !is_offered {
                    true => Err(TableRefusal::NoOffer { offer }),
                    false => self.decide_rematch(*seat, *next, at_ms),
                }
            }
            Command::Offer { seat, offer, key } => {
                match self.is_repeat(*seat, key.as_deref(), now_ms)? {
                    true => Ok(None),
                    false => self.decide_offer(*seat, *offer, at_ms, key.as_deref()),
                }
            }
            Command::Answer { seat, answer, key } => {
                match self.is_repeat(*seat, key.as_deref(), now_ms)? {
                    true => Ok(None),
                    false => self.decide_answer(*seat, *answer, at_ms, key.as_deref()),
                }
            }
            Command::Abort { seat } => self.decide_abort(*seat, at_ms),
            Command::Claim { seat, claim } => self.decide_claim(*seat, *claim, &now),
            Command::AddTime(outage) => self.decide_add_time(outage, at_ms),
            Command::CheckDeadline => Ok(self.at_deadline(now_ms)),
            Command::Terminate => {
                let (seats, end) = (self.seats().collect(), Termination::Aborted);
                let end = self.decide_end(EndReason::Aborted, seats, end, at_ms);
                end.map(Some)
            }
            Command::Leave(seats) => {
                let Some(first) = self.first_of(*seats) else {
                    return Ok(None);
                };
                let end = match self.is_everybody(*seats) {
                    true => Termination::Abandoned,
                    false => Termination::Left(first),
                };
                let end = self.decide_end(EndReason::Leaving, *seats, end, at_ms);
                end.map(Some)
            }
        }
    }

    pub(super) fn decide_turn(
        &self,
        turn: Turn,
        at_ms: u64,
        key: Option<&RequestKey>,
    ) -> Result<Decision, TableRefusal> {
        let check = self.game.check(turn.by, turn.action);
        check.map_err(TableRefusal::Rules)?;
        let by_rules = self.game.conclusion_after(turn);
        let is_last = self.turn() >= self.max_turns;
        Ok(Decision {
            conclusion: by_rules.or(is_last.then_some(TOO_LONG)),
            ..Decision::one(Entry::Turn(turn), at_ms, key)
        })
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

    /// Whether `seat` has used the idempotency key within [`KEY_LIFETIME_MS`] for the same request. Returns
    /// an error if the seat has used the key for another request.
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

    /// Whether the turn with the number `turn` is completed and equal to `acted`.
    fn has_turn(&self, turn: usize, acted: Turn) -> bool {
        let done = turn.checked_sub(1).and_then(|n| self.game.turns().get(n));
        done == Some(&acted)
    }

    /// The summary of the table as it is now.
    pub fn summary(&self) -> Summary {
        let ending = self.game.conclusion().map(|conclusion| Ending {
            conclusion: conclusion.clone(),
            // A game may start from a position in which it is already over.
            at_ms: self.ended_ms().unwrap_or(self.last_ms()),
        });
        Summary {
            status: self.status(self.holders(), ending.is_some()),
            holders: self.holders().to_vec(),
            deadline_ms: self.deadline_ms(),
            ending,
        }
    }

    fn status(&self, holders: &[Holder], is_over: bool) -> Status {
        let has = |open_to| holders.contains(&Holder::Open(open_to));
        match is_over {
            true => Status::Over,
            false if !self.settings().is_listed || has(OpenTo::Link) => Status::Unlisted,
            false if has(OpenTo::Lobby) || has(OpenTo::ListedLink) => Status::Waiting,
            false => Status::Playing,
        }
    }

    /// The summary after a decision; `None` if the stored summary can stay as it is. A turn that only makes
    /// the deadline later needs no new summary: a stored deadline may be too early, but never too late.
    pub fn summary_after(&self, decision: &Decision) -> Option<Summary> {
        let mut holders: Option<Vec<Holder>> = None;
        // Without robots, and after the first turn of every seat, a turn never makes the deadline earlier.
        let is_turn = |logged: &LogEntry| matches!(logged.entry, Entry::Turn(_));
        let is_between_people = decision.entries.iter().all(is_turn) && !self.has_robots();
        let may_change = |clock: &&Clock| !is_between_people || !clock.has_everybody_moved();
        let mut clock = self.clock.as_ref().filter(may_change).cloned();
        let (mut next, mut at_ms) = (self.game.to_move(), self.last_ms());
        let mut has_clock_changed = false;
        for logged in &decision.entries {
            at_ms = logged.at_ms;
            match &logged.entry {
                Entry::Turn(turn) => {
                    if let (Some(clock), Some(to_move)) = (&mut clock, next) {
                        let had_moved = clock.has_everybody_moved();
                        clock.end_turn(to_move, *turn, at_ms);
                        has_clock_changed |= clock.has_everybody_moved() != had_moved;
                    }
                    let shift = u8::from(!matches!(turn.action, Action::Takeback(_)));
                    next = Some(Seat((turn.by.0 + shift) % self.holders.len() as u8));
                }
                Entry::Seated { seat, holder } => {
                    let holders = holders.get_or_insert_with(|| self.holders().to_vec());
                    if let Some(held) = holders.get_mut(usize::from(seat.0)) {
                        *held = holder.clone();
                    }
                    if let (Some(clock), false) = (&mut clock, holders.iter().any(Holder::is_open))
                    {
                        clock.start(at_ms);
                    }
                }
                Entry::TimeAdded { ms, until_ms } => {
                    if let Some(clock) = &mut clock {
                        clock.add_time(*ms, *until_ms, at_ms);
                        has_clock_changed = true;
                    }
                }
                Entry::Offered { .. }
                | Entry::Answered { .. }
                | Entry::Ended { .. }
                | Entry::RematchCreated(_) => {}
            }
        }
        let is_over = self.is_over() || decision.conclusion.is_some();
        let next = next.filter(|_| !is_over);
        let robot_ms = next.and_then(|next| self.robot_deadline_if_next(next, at_ms));
        let ends = decision.conclusion.is_some();
        let is_same = robot_ms == self.robot_deadline_ms() && !has_clock_changed;
        if holders.is_none() && !ends && is_same {
            return None;
        }
        let clock_ms = clock.zip(next).and_then(|(clock, next)| {
            // This is the earliest deadline of this turn and of all later turns, so the deadline need not be
            // stored with every turn.
            clock.earliest_deadline_ms(next, at_ms)
        });
        let ending = decision.conclusion.clone();
        let holders = holders.unwrap_or_else(|| self.holders().to_vec());
        Some(Summary {
            status: self.status(&holders, is_over),
            holders,
            deadline_ms: [robot_ms, clock_ms].into_iter().flatten().min(),
            ending: ending.map(|conclusion| Ending { conclusion, at_ms }),
        })
    }
}

impl Decision {
    pub(super) fn one(entry: Entry, at_ms: u64, key: Option<&RequestKey>) -> Decision {
        let key = key.map(|request| Box::new(request.key.clone()));
        // Room for two entries: the second may be a robot's reply.
        let mut entries = Vec::with_capacity(2);
        entries.push(LogEntry { at_ms, entry, key });
        Decision {
            entries,
            ..Decision::default()
        }
    }

    /// Adds an entry to the decision, without an idempotency key.
    pub fn push(&mut self, entry: Entry, at_ms: u64) {
        let key = None;
        self.entries.push(LogEntry { at_ms, entry, key });
    }
}
