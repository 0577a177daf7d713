//! The end of a game: everybody is told, and the archive has it.

use noughts_rules::Seat;
use tracing::{info, warn};

use super::{Keeper, Message, Notice, Sitter};
use crate::store::Ending;
use crate::table::{Holder, Table};

impl Keeper {
    /// The game is over: everybody is told, and the store files it.
    pub(super) async fn end(&mut self) {
        self.thoughts.end();
        self.has_ended = true;
        let is_open = |holder: &Holder| matches!(holder, Holder::Open(_));
        if self.table.setting().holders.iter().any(is_open) {
            self.withdraw_seats();
        }
        let (table, game) = (&self.table, self.table.game());
        for (seat, sitter) in (0..).map(Seat).zip(&self.sitters) {
            if let (Sitter::Listener(notices), Some(verdict)) = (sitter, table.result(seat)) {
                let answer = table.answer_that_ended(seat);
                let _ = notices.try_send(Notice::Over { verdict, answer });
            }
        }
        // Their notices end here, as they were promised.
        for sitter in &mut self.sitters {
            if let Sitter::Listener(_) = sitter {
                *sitter = Sitter::Lasting;
            }
        }
        if self.is_filed && !self.ended_here {
            return;
        }
        // Only where somebody keeps the log are the words for it found.
        info!(
            game = %table.id(), variant = %table.setting().variant, players = players(table),
            turns = game.turns().len(), outcome = table.outcome_in_words(), "game over"
        );
        self.house.counts().games_over.add(1);
        if !self.is_filed {
            self.file().await;
        }
    }

    /// Has the store list how it ended. Until it does, the table stays.
    pub(super) async fn file(&mut self) {
        let Some(conclusion) = self.table.game().conclusion().cloned() else {
            return;
        };
        let (id, at_ms) = (self.table.id(), self.house.now_ms());
        let ending = Ending { conclusion, at_ms };
        match self.house.store().finish(id, ending).await {
            Ok(()) => self.is_filed = true,
            Err(error) => {
                warn!(game = %id, %error, "a finished game could not be filed");
                self.again_later(Message::File);
            }
        }
    }
}

/// Who sat there, for the log.
fn players(table: &Table) -> String {
    let player = |holder: &Holder| match holder {
        Holder::Open(_) => "nobody".to_owned(),
        Holder::Human { name, .. } => format!("{name:?}"),
        Holder::Robot(name) => name.to_string(),
    };
    let players: Vec<String> = table.setting().holders.iter().map(player).collect();
    players.join(" ")
}
