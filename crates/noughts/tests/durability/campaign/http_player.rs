//! A client that plays over HTTP and repeats requests until they are answered.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::state::{CampaignState, MAX_WAIT};
use crate::client::{Answer, Client};
use crate::load::{Draw, TABLES};

/// How long a player waits for a response before it tries another node.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Pause between two requests of a player, so that the campaign needs little processor time.
pub(super) const PAUSE: Duration = Duration::from_millis(25);

/// A table at which a turn has 20 s, more than any fault lasts, and the seats that the client takes.
const TABLE_WITH_CLOCK: (&str, &[u64]) = (
    r#"{"variant":"3x3k3","seats":[{"human":"Eve"},{"human":"Fay"}],"take":[0,1],"clock":{"move":20}}"#,
    &[0, 1],
);

/// Requests to any node, repeated until they are answered.
pub(super) struct Requests<'c> {
    campaign: &'c CampaignState,
    clients: HashMap<u16, Client>,
    pub(super) draw: Draw,
}

impl<'c> Requests<'c> {
    pub(super) fn new(campaign: &'c CampaignState, seed: u64) -> Requests<'c> {
        Requests {
            campaign,
            clients: HashMap::new(),
            draw: Draw(seed),
        }
    }

    /// Repeats a request until the answer is not 503, and returns this answer; `None` if the campaign failed.
    pub(super) fn ask_until_answered(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        key: &str,
        body: Option<&str>,
    ) -> Option<Answer> {
        let begun = Instant::now();
        loop {
            let port = self.campaign.pick(&mut self.draw)?.http;
            let client = self.clients.entry(port);
            let client = client.or_insert_with(|| Client::with_timeout(port, TIMEOUT));
            match client.ask(method, path, token, key, body) {
                Ok(answer) if answer.status == 503 => {}
                Ok(answer) => return Some(answer),
                Err(_) => drop(self.clients.remove(&port)),
            }
            if begun.elapsed() > MAX_WAIT {
                self.campaign
                    .fail(format!("{method} {path} is not answered"));
                return None;
            }
            sleep(PAUSE);
        }
    }

    /// Creates a table and returns the response; `None` if the campaign failed.
    pub(super) fn create(&mut self, table: &str, key: &str) -> Option<Value> {
        let created = self.ask_until_answered("POST", "/api/games", "", key, Some(table))?;
        // 200: an earlier attempt had created it.
        if ![200, 201].contains(&created.status) {
            self.campaign.fail(format!("no table: {created:?}"));
            return None;
        }
        let id = created.body["id"].as_str().expect("a table has an id");
        self.campaign.observe(id, &created.body["view"]);
        self.campaign.offer_to_watchers(id);
        Some(created.body)
    }

    /// The current view; `None` if the campaign failed.
    pub(super) fn view(&mut self, id: &str) -> Option<Value> {
        let answer = self.ask_until_answered("GET", &format!("/api/games/{id}"), "", "", None)?;
        if answer.status != 200 {
            self.campaign.fail(format!("game {id} is lost: {answer:?}"));
            return None;
        }
        self.campaign.observe(id, &answer.body);
        Some(answer.body)
    }

    /// Plays a legal move for the seat to move, and returns the view after the move; `None` if the campaign failed.
    pub(super) fn play_turn(&mut self, created: &Value, view: &Value) -> Option<Value> {
        let id = created["id"].as_str().expect("a table has an id");
        let seat = view["to_move"].as_u64().expect("a seat is to move");
        let legal = view["legal"].as_array().expect("the board is small");
        let cell = legal[self.draw.below(legal.len())].as_str().unwrap();
        let turn = view["turn"].as_u64().expect("a view has a turn");
        let body = format!(r#"{{"turn":{turn},"play":"{cell}"}}"#);
        let token = created["tokens"][seat.to_string()].as_str().unwrap();
        let path = format!("/api/games/{id}/actions");
        let key = format!("campaign-turn-{turn}");
        let done = self.ask_until_answered("POST", &path, token, &key, Some(&body))?;
        if done.status != 200 {
            self.campaign.fail(format!("{path} {body}: {done:?}"));
            return None;
        }
        self.campaign.observe(id, &done.body);
        let turn = (turn, seat, cell.to_owned());
        self.campaign.acknowledge("http", id, turn);
        Some(done.body)
    }
}

/// Plays games until the campaign ends.
pub(super) fn play(campaign: &CampaignState, seed: u64, number: u64) {
    let mut requests = Requests::new(campaign, seed ^ number << 32);
    let mut game = number as usize;
    while campaign.is_running() {
        if play_one(&mut requests, number, game).is_none() {
            return;
        }
        game += 1;
    }
}

fn play_one(requests: &mut Requests<'_>, number: u64, game: usize) -> Option<()> {
    let (table, seats) = TABLES
        .get(game % (TABLES.len() + 1))
        .unwrap_or(&TABLE_WITH_CLOCK);
    let created = requests.create(table, &format!("http-player-{number}-game-{game}"))?;
    let id = created["id"]
        .as_str()
        .expect("a table has an id")
        .to_owned();
    let mut view = created["view"].clone();
    let mut seen = 0;
    while view["outcome"].is_null() {
        // The view of another node may be older than what this client knows.
        let turn = view["turn"].as_u64().expect("a view has a turn");
        let is_old = turn < seen;
        seen = seen.max(turn);
        let is_ours = view["to_move"]
            .as_u64()
            .is_some_and(|seat| seats.contains(&seat));
        view = match is_ours && !is_old {
            true => requests.play_turn(&created, &view)?,
            false => requests.view(&id)?,
        };
        sleep(PAUSE);
    }
    if view["outcome"]["reason"] == "time" {
        requests
            .campaign
            .fail(format!("a player who always moves lost on time: {view}"));
    }
    requests.campaign.count("games:http");
    Some(())
}
