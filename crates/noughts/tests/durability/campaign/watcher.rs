//! A client that follows games by server-sent events, at any node, and misses no entry.

use std::io::{BufRead, BufReader};
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

use super::http_player::PAUSE;
use super::state::CampaignState;
use crate::load::Draw;

/// Maximum time without data. The server sends a comment every 15 s.
const TIMEOUT: Duration = Duration::from_secs(20);

/// Follows one game after the other until the campaign ends.
pub(super) fn watch(campaign: &CampaignState, seed: u64) {
    let mut draw = Draw(seed ^ 0x5EE);
    while let Some(game) = campaign.next_to_watch() {
        let mut last = None;
        while !campaign.is_failed() && !follow(campaign, &mut draw, &game, &mut last) {
            campaign.count("streams resumed");
            sleep(PAUSE);
        }
        campaign.stop_watching(&game);
        campaign.count("games:sse");
    }
}

/// Follows a game until the game ends or the connection is lost. Returns whether the game ended.
fn follow(campaign: &CampaignState, draw: &mut Draw, game: &str, last: &mut Option<u64>) -> bool {
    let Some(ports) = campaign.pick(draw) else {
        return false;
    };
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None)
        .timeout_per_read(Some(TIMEOUT))
        .build()
        .new_agent();
    let url = format!("http://127.0.0.1:{}/api/games/{game}/events", ports.http);
    let mut request = agent.get(url);
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last.to_string());
    }
    let Ok(response) = request.call() else {
        return false;
    };
    match response.status().as_u16() {
        200 => {}
        503 => return false,
        other => {
            campaign.fail(format!("game {game}: its events are answered with {other}"));
            return false;
        }
    }
    let mut lines = BufReader::new(response.into_body().into_reader());
    let (mut id, mut line) = (None, String::new());
    while !campaign.is_failed() {
        line.clear();
        match lines.read_line(&mut line) {
            Ok(1..) if line.ends_with('\n') => {}
            Ok(_) | Err(_) => return false,
        }
        if let Some(text) = line.strip_prefix("id:") {
            id = text.trim().parse::<u64>().ok();
        } else if let Some(data) = line.strip_prefix("data:") {
            let event: Value = serde_json::from_str(data).expect("events are JSON");
            if is_end(campaign, game, id.take(), last, &event) {
                return true;
            }
        }
    }
    false
}

/// Checks and records an event. Returns whether the game is over.
fn is_end(
    campaign: &CampaignState,
    game: &str,
    id: Option<u64>,
    last: &mut Option<u64>,
    event: &Value,
) -> bool {
    let fields = event.as_object();
    let Some((name, content)) = fields.and_then(|fields| fields.iter().next()) else {
        campaign.fail(format!("game {game}: an event without content"));
        return false;
    };
    if let Some(id) = id {
        // A view may replace entries that the stream leaves out; nothing else may.
        let is_next = match (*last, name.as_str()) {
            (None, _) => name == "view",
            (Some(last), "view") => id >= last,
            (Some(last), _) => id == last + 1,
        };
        if !is_next {
            campaign.fail(format!("game {game}: after {last:?} came {id}: {event}"));
        }
        *last = Some(id);
        campaign.count("acknowledged:sse");
    }
    if matches!(name.as_str(), "view" | "change") {
        if id.is_some() && content["entry"].as_u64() != id {
            campaign.fail(format!(
                "game {game}: event {id:?} has another entry: {event}"
            ));
        }
        campaign.observe(game, content);
        return !content["outcome"].is_null();
    }
    false
}
