//! Registered players: their names, the hashes of their tokens, and codes that link another device.

use sha2::{Digest, Sha256};

use crate::id::PlayerId;

/// A player as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredPlayer {
    /// The player's id.
    pub id: PlayerId,
    /// The player's name.
    pub name: String,
    /// Whether the player is a program.
    pub is_bot: bool,
    /// When the player was created, in milliseconds since 1970.
    pub created_ms: u64,
}

/// The SHA-256 hash of a token or a link code. The secrets themselves are not stored. They are random and
/// long, so they need no salt.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SecretHash([u8; 32]);

impl SecretHash {
    /// The hash of a secret.
    pub fn of(secret: &str) -> SecretHash {
        SecretHash(Sha256::digest(secret.as_bytes()).into())
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        self.0.to_vec()
    }
}

/// Maximum number of tokens per player. Each device of a player has its own token.
pub const MAX_TOKENS: usize = 16;

/// Maximum number of unused link codes per player.
pub const MAX_LINKS: usize = 5;

/// How long a link code is valid, in milliseconds.
pub const LINK_LIFETIME_MS: u64 = 600_000;

/// The result of storing a link code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkCreation {
    /// The code is stored.
    Created,
    /// The player has [`MAX_LINKS`] codes.
    TooMany,
    /// There is no such player.
    NoSuchPlayer,
}

/// The result of redeeming a link code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Redemption {
    /// The new token belongs to this player. The code is used up.
    Linked(StoredPlayer),
    /// The player has [`MAX_TOKENS`] tokens. The code stays valid.
    TooManyTokens,
    /// The code is unknown, was used, or is too old.
    NoSuchCode,
}

/// The result of deleting a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Deletion {
    /// The player, its tokens and its codes are gone.
    Deleted,
    /// Nothing has changed: the player has running games.
    HasRunningGames,
    /// There is no such player.
    NoSuchPlayer,
}
