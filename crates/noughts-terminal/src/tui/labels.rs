//! Names of players, and results as sentences.

use noughts_rules::{Conclusion, Seat, Side, Sides, WinReason};

use super::local_game::LocalGame;
use super::theme::Theme;
use crate::holder::Holder;

impl LocalGame {
    /// The name of a seat: the name of the person or the strategy, followed by the seat's mark if another
    /// seat has the same holder. A person without a name is "You" or, if several people play, the seat's
    /// mark.
    pub(super) fn name(&self, seat: Seat, theme: Theme) -> String {
        let alike = |holder: &&Holder| *holder == self.holder(seat);
        let is_only = self.holders().iter().filter(alike).count() == 1;
        let mark = theme.glyph(self.symbol(self.side(seat)), self.side(seat));
        let people = self.holders().iter().filter(|h| h.is_human()).count();
        match self.holder(seat) {
            Holder::Human(name) if name.is_empty() && people == 1 => "You".to_owned(),
            Holder::Human(name) if name.is_empty() => mark.to_string(),
            Holder::Human(name) if is_only => name.clone(),
            Holder::Human(name) => format!("{name} ({mark})"),
            Holder::Robot(strategy) if is_only => strategy.to_string(),
            Holder::Robot(strategy) => format!("{strategy} ({mark})"),
        }
    }

    /// Whose turn it is, or the result, as a sentence. "Replay." while an earlier state is shown.
    pub(super) fn headline(&self, theme: Theme) -> String {
        let view = self.view();
        match (&view.outcome, view.to_move) {
            // When an earlier turn is shown, nobody can move.
            (None, Some(_)) if !self.shows_present() => "Replay.".to_owned(),
            (Some(conclusion), _) => self.result(conclusion, theme),
            (None, None) => String::new(),
            (None, Some(seat)) => match (self.holder(seat), self.name(seat, theme).as_str()) {
                (Holder::Human(_), "You") => "Your turn.".to_owned(),
                (Holder::Human(_), name) => format!("{name} to play."),
                (Holder::Robot(_), name) => format!("{name} is thinking."),
            },
        }
    }

    fn result(&self, conclusion: &Conclusion, theme: Theme) -> String {
        let (sides, by) = match conclusion {
            Conclusion::Draw { .. } => return "A draw.".to_owned(),
            Conclusion::Abandoned => return "Everybody left.".to_owned(),
            Conclusion::Aborted => return "The game was aborted.".to_owned(),
            Conclusion::Won { sides, by } => (*sides, by),
        };
        let winners: Vec<String> = sides
            .iter()
            .map(|side| self.side_name(side, theme))
            .collect();
        let verb = match winners.as_slice() {
            [winner] if winner != "You" => "wins",
            _ => "win",
        };
        let how = match by {
            WinReason::Line(_) => "",
            WinReason::Boards(_) => " with three boards in a line",
            WinReason::Points => " on points",
            WinReason::Resignation => " by resignation",
            WinReason::Leaving => ": the others left",
            WinReason::Time => " on time",
            WinReason::Claim => ": the others were away",
        };
        format!("{} {verb}{how}.", listed(&winners))
    }

    /// Returns the name of the side's only seat. If the side has several seats, returns the side's mark.
    fn side_name(&self, side: Side, theme: Theme) -> String {
        let order = self.game().order().iter().zip(0..);
        let mut seats = order
            .filter(|(s, _)| **s == side)
            .map(|(_, seat)| Seat(seat));
        match (seats.next(), seats.next()) {
            (Some(only), None) => self.name(only, theme),
            (Some(_), Some(_)) | (None, _) => theme.glyph(self.symbol(side), side).to_string(),
        }
    }

    /// The sides that won.
    pub(super) fn winners(&self) -> Sides {
        match &self.view().outcome {
            Some(Conclusion::Won { sides, .. }) => *sides,
            Some(Conclusion::Draw { .. } | Conclusion::Abandoned | Conclusion::Aborted) | None => {
                Sides::NONE
            }
        }
    }
}

fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        Some(_) | None => names.concat(),
    }
}

/// Capitalizes a text, and adds a full stop unless the text ends with a full stop, a question mark or `…`.
pub(super) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    let mut sentence: String = first.into_iter().flatten().chain(letters).collect();
    if !sentence.ends_with(['.', '?', '…']) {
        sentence.push('.');
    }
    sentence
}
