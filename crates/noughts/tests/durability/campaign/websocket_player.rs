//! A client that plays against a robot over a WebSocket, at any node.

use std::net::TcpStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

use super::http_player::{PAUSE, Requests};
use super::state::{CampaignState, MAX_WAIT};

const TABLES: [&str; 2] = [
    r#"{"variant":"3x3k3","seats":[{"human":"Ida"},{"robot":"random"}],"take":[0]}"#,
    r#"{"variant":"4x4k4","seats":[{"human":"Jon"},{"robot":"mcts:20"}],"take":[0]}"#,
];

/// How long the player waits for a message before it connects to another node.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Plays games until the campaign ends.
pub(super) fn play(campaign: &CampaignState, seed: u64) {
    let mut requests = Requests::new(campaign, seed ^ 0x3EB);
    let mut number = 0;
    while campaign.is_running() {
        let key = format!("websocket-player-game-{number}");
        let Some(created) = requests.create(TABLES[number % TABLES.len()], &key) else {
            return;
        };
        let mut game = Game {
            campaign,
            id: created["id"]
                .as_str()
                .expect("a table has an id")
                .to_owned(),
            token: created["tokens"]["0"].clone(),
            view: created["view"].clone(),
            pending: None,
        };
        let begun = Instant::now();
        while !game.is_over() && !campaign.is_failed() {
            let _ = game.play_at_one_node(&mut requests);
            sleep(PAUSE);
            if begun.elapsed() > 2 * MAX_WAIT {
                campaign.fail(format!("game {} over a WebSocket does not end", game.id));
            }
        }
        campaign.count("games:websocket");
        number += 1;
    }
}

struct Game<'c> {
    campaign: &'c CampaignState,
    id: String,
    token: Value,
    /// The newest view.
    view: Value,
    /// A turn that was sent and not answered: number and cell.
    pending: Option<(u64, String)>,
}

type Socket = WebSocket<TcpStream>;

impl Game<'_> {
    fn is_over(&self) -> bool {
        self.pending.is_none() && !self.view["outcome"].is_null()
    }

    /// Plays until the game is over; `None` when the connection is lost or the store is unavailable.
    fn play_at_one_node(&mut self, requests: &mut Requests<'_>) -> Option<()> {
        let port = self.campaign.pick(&mut requests.draw)?.http;
        let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
        stream.set_read_timeout(Some(TIMEOUT)).ok()?;
        stream.set_nodelay(true).ok()?;
        let url = format!("ws://127.0.0.1:{port}/api/games/{}/ws", self.id);
        let (mut socket, _) = client(url, stream).ok()?;
        send(&mut socket, &json!({"token": self.token}))?;
        let first = self.receive(&mut socket)?;
        self.take(&first)?;
        while !self.is_over() {
            let is_ours = self.view["to_move"] == 0;
            if self.pending.is_none() && is_ours {
                let legal = self.view["legal"].as_array().expect("the board is small");
                let cell = legal[requests.draw.below(legal.len())].as_str()?;
                self.pending = Some((self.view["turn"].as_u64()?, cell.to_owned()));
            }
            match self.pending.clone() {
                Some((turn, cell)) => {
                    let request = json!({"id": "it", "turn": turn, "play": cell});
                    send(&mut socket, &request)?;
                    while self.pending.is_some() {
                        let message = self.receive(&mut socket)?;
                        self.take(&message)?;
                    }
                }
                // The robot is to move.
                None => {
                    let message = self.receive(&mut socket)?;
                    self.take(&message)?;
                }
            }
            sleep(PAUSE);
        }
        Some(())
    }

    fn receive(&self, socket: &mut Socket) -> Option<Value> {
        loop {
            match socket.read().ok()? {
                Message::Text(text) => {
                    return Some(serde_json::from_str(&text).expect("messages are JSON"));
                }
                Message::Close(_) => return None,
                _ => {}
            }
        }
    }

    /// Records a message; `None` if the request must be repeated at another node.
    fn take(&mut self, message: &Value) -> Option<()> {
        let is_answer = message["id"] == "it";
        if !message["problem"].is_null() {
            if message["problem"]["status"] != 503 {
                let (id, pending) = (&self.id, &self.pending);
                self.campaign
                    .fail(format!("game {id}, {pending:?}: {message}"));
            }
            return None;
        }
        for name in ["view", "change"] {
            let content = &message[name];
            if content.is_null() {
                continue;
            }
            self.campaign.observe(&self.id, content);
            if content["entry"].as_u64() >= self.view["entry"].as_u64() {
                let fields = content.as_object().expect("it has fields").clone();
                let view = self.view.as_object_mut().expect("it has fields");
                view.extend(fields);
            }
        }
        if is_answer && let Some((turn, cell)) = self.pending.take() {
            self.campaign
                .acknowledge("websocket", &self.id, (turn, 0, cell));
        }
        Some(())
    }
}

fn send(socket: &mut Socket, message: &Value) -> Option<()> {
    socket.send(Message::text(message.to_string())).ok()
}
