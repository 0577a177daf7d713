//! Registered players and quick matches.

use super::{Client, ClientError, EventStream, authorize, expect_success, from_json, read_body};
use crate::player::{
    DeviceLink, LinkCode, Me, NewMatch, NewPlayer, PlayerMessage, PlayerToken, PlayerView, Profile,
    QuickMatchView, Rename, WaitingMatches,
};
use crate::table::{CreatedTable, NewTable, TakeSeat, TakenSeat};

impl Client {
    /// Creates a player. Keep the token: a lost token cannot be recovered.
    pub fn create_player(&self, player: &NewPlayer) -> Result<PlayerToken, ClientError> {
        self.post("/api/players", None, player)
    }

    /// Returns the player with this token: name, running and finished games.
    pub fn me(&self, token: &str) -> Result<Me, ClientError> {
        self.get_as(token, "/api/me")
    }

    /// Renames the player with this token.
    pub fn rename_player(&self, token: &str, name: &str) -> Result<PlayerView, ClientError> {
        let rename = Rename {
            name: name.to_owned(),
        };
        let body = serde_json::to_vec(&rename).expect("every request type serializes to JSON");
        let request = self.agent.patch(self.address("/api/me"));
        let request = authorize(request, Some(token))?.header("Content-Type", "application/json");
        from_json(&read_body(request.send(&body[..])?)?)
    }

    /// Deletes the player with this token: running games are resigned, waiting tables are cancelled, and finished games
    /// stay without the name.
    pub fn delete_player(&self, token: &str) -> Result<(), ClientError> {
        self.delete_as(token, "/api/me")
    }

    /// Returns the public page of a player.
    pub fn profile(&self, player: &str) -> Result<Profile, ClientError> {
        let path = format!("/api/players/{player}");
        from_json(&read_body(self.get(&path, "application/json").call()?)?)
    }

    /// Creates a code that another device can exchange for a token of the player.
    pub fn create_link(&self, token: &str) -> Result<DeviceLink, ClientError> {
        self.post("/api/me/links", Some(token), &())
    }

    /// Exchanges a code from another device for a token. A code works only once.
    pub fn redeem_link(&self, code: &str) -> Result<PlayerToken, ClientError> {
        let code = LinkCode {
            code: code.to_owned(),
        };
        self.post("/api/players/link", None, &code)
    }

    /// Revokes all other tokens of the player.
    pub fn revoke_other_tokens(&self, token: &str) -> Result<(), ClientError> {
        self.delete_as(token, "/api/me/tokens")
    }

    /// Creates a table. The player with this token holds the seats that the request takes.
    pub fn create_table_as(
        &self,
        token: &str,
        table: &NewTable,
    ) -> Result<CreatedTable, ClientError> {
        self.post("/api/games", Some(token), table)
    }

    /// Takes an open seat for the player with this token.
    pub fn take_seat_as(
        &self,
        token: &str,
        game: &str,
        seat: u8,
    ) -> Result<TakenSeat, ClientError> {
        let path = format!("/api/games/{game}/seats/{seat}");
        self.post(&path, Some(token), &TakeSeat::default())
    }

    /// Opens the event stream about the games of the player with this token. The stream begins with the
    /// running games.
    pub fn player_events(&self, token: &str) -> Result<EventStream<PlayerMessage>, ClientError> {
        let request = self.get("/api/me/events", "text/event-stream");
        let response = expect_success(authorize(request, Some(token))?.call()?)?;
        Ok(EventStream::new(response.into_body()))
    }

    /// Requests a quick match. The event stream of [`player_events`](Client::player_events) reports when an opponent
    /// was found.
    pub fn request_match(
        &self,
        token: &str,
        request: &NewMatch,
    ) -> Result<QuickMatchView, ClientError> {
        self.post("/api/matches", Some(token), request)
    }

    /// A quick match of the player with this token.
    pub fn quick_match(&self, token: &str, id: &str) -> Result<QuickMatchView, ClientError> {
        self.get_as(token, &format!("/api/matches/{id}"))
    }

    /// Cancels a quick match.
    pub fn cancel_match(&self, token: &str, id: &str) -> Result<(), ClientError> {
        self.delete_as(token, &format!("/api/matches/{id}"))
    }

    /// Returns how many players wait for a quick match.
    pub fn waiting_matches(&self) -> Result<WaitingMatches, ClientError> {
        let request = self.get("/api/matches", "application/json");
        from_json(&read_body(request.call()?)?)
    }

    fn get_as<T: serde::de::DeserializeOwned>(
        &self,
        token: &str,
        path: &str,
    ) -> Result<T, ClientError> {
        let request = authorize(self.get(path, "application/json"), Some(token))?;
        from_json(&read_body(request.call()?)?)
    }

    fn delete_as(&self, token: &str, path: &str) -> Result<(), ClientError> {
        let request = authorize(self.agent.delete(self.address(path)), Some(token))?;
        expect_success(request.call()?).map(drop)
    }
}
