//! A client that lets its clock run out: the game must end by itself, in time and not before.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::http_player::{PAUSE, Requests};
use super::state::CampaignState;

/// Each turn has one second, except the first turn of each side.
const TABLE: &str = r#"{"variant":"3x3k3","seats":[{"human":"Gil"},{"human":"Hal"}],"take":[0,1],"clock":{"move":1}}"#;
const TURN: Duration = Duration::from_secs(1);

/// Maximum time from the deadline to the end of the game, if the node that served the game died.
const PROMISED: Duration = Duration::from_secs(6);

/// Additional time for a busy machine.
const SLACK: Duration = Duration::from_secs(4);

/// Plays games until the campaign ends.
pub(super) fn play(campaign: &CampaignState, seed: u64) {
    let mut requests = Requests::new(campaign, seed ^ 0xC10C);
    let mut game = 0;
    while campaign.is_running() {
        if play_one(campaign, &mut requests, game).is_none() {
            return;
        }
        game += 1;
    }
}

fn play_one(campaign: &CampaignState, requests: &mut Requests<'_>, game: usize) -> Option<()> {
    let created = requests.create(TABLE, &format!("clock-player-game-{game}"))?;
    let id = created["id"].as_str().expect("a table has an id");
    let view = requests.play_turn(&created, &created["view"])?;
    let asked = Instant::now();
    requests.play_turn(&created, &view)?;
    // From now on the first seat does not move.
    let (answered, faulty) = (Instant::now(), campaign.faulty());
    loop {
        let view = requests.view(id)?;
        if !view["outcome"].is_null() {
            let expected = serde_json::json!({"kind": "won", "sides": [1], "reason": "time"});
            let is_expected = ["kind", "sides", "reason"]
                .iter()
                .all(|field| view["outcome"][field] == expected[field]);
            if !is_expected || asked.elapsed() < TURN {
                let after = asked.elapsed();
                campaign.fail(format!(
                    "game {id} ended {after:?} after the last turn: {view}"
                ));
            }
            campaign.count("games:clock");
            return Some(());
        }
        // Faults delay the end, and the time of an outage does not count.
        let faulty = campaign.faulty().saturating_sub(faulty);
        if answered.elapsed() > TURN + PROMISED + SLACK + 2 * faulty {
            campaign.fail(format!(
                "the clock of game {id} ran out, and it did not end: {view}"
            ));
            return None;
        }
        sleep(2 * PAUSE);
    }
}
