//! Registered players in memory.

use std::collections::{BTreeMap, HashSet};

use crate::id::PlayerId;
use crate::store::players::{
    Deletion, LINK_LIFETIME_MS, LinkCreation, MAX_LINKS, MAX_TOKENS, Redemption, SecretHash,
    StoredPlayer,
};
use crate::store::{MAX_EXPIRED, StoreError};

/// The players, their tokens and their link codes.
#[derive(Debug, Default)]
pub(super) struct Players {
    players: BTreeMap<PlayerId, Known>,
    tokens: BTreeMap<SecretHash, PlayerId>,
    /// For each link code: its player, and when the code expires, in milliseconds since 1970.
    links: BTreeMap<SecretHash, (PlayerId, u64)>,
}

#[derive(Debug)]
struct Known {
    player: StoredPlayer,
    checked_ms: u64,
}

impl Players {
    pub(super) fn create(
        &mut self,
        player: StoredPlayer,
        token: SecretHash,
    ) -> Result<(), StoreError> {
        let (id, checked_ms) = (player.id, player.created_ms);
        if self.players.contains_key(&id) || self.tokens.contains_key(&token) {
            return Err(StoreError::Invalid(format!("there is another player {id}")));
        }
        self.players.insert(id, Known { player, checked_ms });
        self.tokens.insert(token, id);
        Ok(())
    }

    pub(super) fn of_token(&self, token: SecretHash) -> Option<StoredPlayer> {
        self.get(*self.tokens.get(&token)?)
    }

    pub(super) fn get(&self, id: PlayerId) -> Option<StoredPlayer> {
        self.players.get(&id).map(|known| known.player.clone())
    }

    /// At most `limit` players whose ids are greater than `after`, ordered by id.
    pub(super) fn list(&self, after: Option<PlayerId>, limit: usize) -> Vec<StoredPlayer> {
        let known = self.players.values();
        let is_later = |known: &&Known| after.is_none_or(|after| known.player.id > after);
        let later = known.filter(is_later).take(limit);
        later.map(|known| known.player.clone()).collect()
    }

    pub(super) fn rename(&mut self, id: PlayerId, name: String) -> bool {
        let Some(known) = self.players.get_mut(&id) else {
            return false;
        };
        known.player.name = name;
        true
    }

    /// Deletes a player. The caller has checked that the player has no running games.
    pub(super) fn delete(&mut self, id: PlayerId) -> Deletion {
        self.tokens.retain(|_, player| *player != id);
        self.links.retain(|_, (player, _)| *player != id);
        match self.players.remove(&id) {
            Some(_) => Deletion::Deleted,
            None => Deletion::NoSuchPlayer,
        }
    }

    pub(super) fn revoke_other_tokens(&mut self, id: PlayerId, kept: SecretHash) -> u64 {
        let before = self.tokens.len();
        self.tokens
            .retain(|token, player| *player != id || *token == kept);
        (before - self.tokens.len()) as u64
    }

    pub(super) fn create_link(
        &mut self,
        id: PlayerId,
        code: SecretHash,
        now_ms: u64,
    ) -> LinkCreation {
        self.links.retain(|_, (_, expires_ms)| *expires_ms > now_ms);
        if !self.players.contains_key(&id) {
            return LinkCreation::NoSuchPlayer;
        }
        let codes = self.links.values().filter(|(player, _)| *player == id);
        if codes.count() >= MAX_LINKS {
            return LinkCreation::TooMany;
        }
        self.links
            .insert(code, (id, now_ms.saturating_add(LINK_LIFETIME_MS)));
        LinkCreation::Created
    }

    pub(super) fn redeem(
        &mut self,
        code: SecretHash,
        token: SecretHash,
        now_ms: u64,
    ) -> Redemption {
        let found = self.links.get(&code).copied();
        let found = found.filter(|(_, expires_ms)| *expires_ms > now_ms);
        let Some(player) = found.and_then(|(id, _)| self.get(id)) else {
            return Redemption::NoSuchCode;
        };
        let tokens = self.tokens.values().filter(|id| **id == player.id);
        if tokens.count() >= MAX_TOKENS {
            return Redemption::TooManyTokens;
        }
        self.links.remove(&code);
        self.tokens.insert(token, player.id);
        Redemption::Linked(player)
    }

    /// Checks at most [`MAX_EXPIRED`] players that were last checked before `before_ms`, and deletes the checked
    /// players that are not in `seated`. Returns the number of checked players.
    pub(super) fn expire(
        &mut self,
        before_ms: u64,
        now_ms: u64,
        seated: &HashSet<PlayerId>,
    ) -> usize {
        let old = self.players.values_mut();
        let old = old.filter(|known| known.checked_ms < before_ms);
        let mut gone = Vec::new();
        let mut count = 0;
        for known in old.take(MAX_EXPIRED) {
            count += 1;
            match seated.contains(&known.player.id) {
                true => known.checked_ms = now_ms,
                false => gone.push(known.player.id),
            }
        }
        for id in gone {
            self.delete(id);
        }
        count
    }
}
