//! Parses typed lines.

use noughts_rules::{Game, PlaceError, Quoted, Seat};

use super::{Claim, OfferKind, PlayRequest, TableState, is_quit, messages, open_offers};
use crate::console::sentence;

/// What a typed line asks for.
pub(super) enum Typed {
    Request(PlayRequest),
    Leave,
    /// Show the clocks.
    Clocks,
    Explain(String),
}

/// Whether a line is handled at any time, also in another player's turn.
pub(super) fn is_any_time(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    line.starts_with(':')
        || matches!(
            word,
            "" | "?"
                | "help"
                | "resign"
                | "draw"
                | "takeback"
                | "rematch"
                | "accept"
                | "decline"
                | "abort"
                | "claim"
                | "clock"
                | "leave"
        )
}

/// The request for an action in the current turn.
pub(super) fn act(game: &Game, action: String) -> PlayRequest {
    PlayRequest::Act {
        turn: game.turns().len() + 1,
        action,
    }
}

/// Parses a line during the game. Spectators, who have no seat, can only leave or see the clocks.
pub(super) fn read(state: &TableState, seat: Option<Seat>, line: &str) -> Typed {
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some(seat) = seat else {
        return match &words[..] {
            _ if is_quit(line) => Typed::Leave,
            ["clock"] => Typed::Clocks,
            _ => Typed::Explain(messages::WATCHING.to_owned()),
        };
    };
    let has_offer = |kind| {
        let offers = open_offers(state);
        let mut others = offers.iter().filter(|offer| offer.seat != seat);
        others.any(|offer| offer.kind == kind)
    };
    let offer = |kind| match has_offer(kind) {
        true => PlayRequest::Accept(kind),
        false => PlayRequest::Offer(kind),
    };
    match &words[..] {
        _ if is_quit(line) => Typed::Leave,
        [] if state.clocks.is_some() => Typed::Clocks,
        [] | ["?" | "help"] => Typed::Explain(messages::help(state)),
        ["clock"] => Typed::Clocks,
        ["draw"] => Typed::Request(offer(OfferKind::Draw)),
        ["takeback"] => Typed::Request(offer(OfferKind::Takeback)),
        ["rematch"] => Typed::Explain(messages::REMATCH_LATER.to_owned()),
        ["abort"] => Typed::Request(PlayRequest::Abort),
        ["claim"] | ["claim", "win"] => Typed::Request(PlayRequest::Claim(Claim::Win)),
        ["claim", "draw"] => Typed::Request(PlayRequest::Claim(Claim::Draw)),
        ["accept", rest @ ..] => answer(state, seat, rest, PlayRequest::Accept),
        ["decline", rest @ ..] => answer(state, seat, rest, PlayRequest::Decline),
        _ => read_action(state.record.game(), seat, line),
    }
}

fn read_action(game: &Game, seat: Seat, line: &str) -> Typed {
    Typed::Explain(match game.parse_action(&line.replace(' ', "-")) {
        Ok(action) => match game.check(seat, action) {
            Ok(()) => return Typed::Request(act(game, game.format_action(action))),
            Err(refusal) => sentence(refusal),
        },
        Err(error @ PlaceError::OffBoard { .. }) => sentence(error),
        Err(PlaceError::Unreadable { .. }) => messages::unreadable(line),
    })
}

/// Parses `accept` and `decline`, with or without the kind of the offer.
fn answer(
    state: &TableState,
    seat: Seat,
    kind: &[&str],
    request: fn(OfferKind) -> PlayRequest,
) -> Typed {
    let named = match kind {
        [] => None,
        ["draw"] => Some(OfferKind::Draw),
        ["takeback"] => Some(OfferKind::Takeback),
        ["rematch"] => Some(OfferKind::Rematch),
        _ => {
            let words = kind.join(" ");
            return Typed::Explain(messages::unknown_offer(&Quoted::from(words.as_str())));
        }
    };
    if let Some(kind) = named {
        return Typed::Request(request(kind));
    }
    // Answers the latest offer of another seat. If no other seat has made an offer, `decline` withdraws the
    // player's own offer.
    let offers = open_offers(state);
    let offer = offers.iter().rfind(|offer| offer.seat != seat);
    let own = || match request(OfferKind::Draw) {
        PlayRequest::Decline(_) => offers.last(),
        _ => None,
    };
    match offer.or_else(own) {
        Some(offer) => Typed::Request(request(offer.kind)),
        None => Typed::Explain(messages::NO_OFFER.to_owned()),
    }
}

/// Parses a line after the end of the game.
pub(super) fn read_after(state: &TableState, seat: Option<Seat>, line: &str) -> Typed {
    let words: Vec<&str> = line.split_whitespace().collect();
    match (&words[..], seat) {
        ([] | ["n" | "no"], _) => Typed::Leave,
        _ if is_quit(line) => Typed::Leave,
        (["rematch" | "y" | "yes" | "accept"] | ["accept", "rematch"], _) => {
            Typed::Request(PlayRequest::Offer(OfferKind::Rematch))
        }
        (["decline", rest @ ..], Some(seat)) => answer(state, seat, rest, PlayRequest::Decline),
        _ => Typed::Explain(messages::AFTER_HELP.to_owned()),
    }
}
