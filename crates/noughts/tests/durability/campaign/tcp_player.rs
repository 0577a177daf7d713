//! A client of the TCP protocol, against the computer or another client. A game lasts as long as its connection.

use std::net::TcpStream;
use std::thread::sleep;
use std::time::Duration;

use noughts_wire::{Cell, Client, Event, GameResult, Greeting, Name};

use super::http_player::PAUSE;
use super::state::CampaignState;
use crate::load::Draw;

/// How long a client waits for a frame before it leaves.
const TIMEOUT: Duration = Duration::from_secs(15);

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opponent {
    Computer,
    Client,
}

/// What a client knows of one game.
#[derive(Debug)]
pub(super) struct TcpGame {
    /// A name that no other game has.
    pub(super) name: String,
    /// The moves that the server has confirmed, of both sides.
    pub(super) moves: Vec<Cell>,
    /// The client's last move, if the server reported the end of the game instead of confirming the move. The move is
    /// in the log if a turn ended the game; it may be missing if the opponent left.
    pub(super) last: Option<Cell>,
    pub(super) result: Option<GameResult>,
}

/// Plays games until the campaign ends.
pub(super) fn play(campaign: &CampaignState, seed: u64, opponent: Opponent, name: &str) {
    let bytes = name.bytes().map(u64::from);
    let mut draw = Draw(seed ^ bytes.fold(7, |all, byte| all * 31 + byte));
    let mut number = 0;
    while campaign.is_running() {
        let Some(ports) = campaign.pick(&mut draw) else {
            return;
        };
        let port = match opponent {
            Opponent::Computer => ports.tcp,
            Opponent::Client => ports.pairs,
        };
        let name = format!("{name}-{number}");
        let _ = play_one(campaign, &mut draw, port, opponent, name);
        number += 1;
        sleep(PAUSE);
    }
}

/// Plays one game; `None` if no game begins, because the connection is lost or no opponent comes.
fn play_one(
    campaign: &CampaignState,
    draw: &mut Draw,
    port: u16,
    opponent: Opponent,
    name: String,
) -> Option<()> {
    let interface = match opponent {
        Opponent::Computer => "tcp",
        Opponent::Client => "pairs",
    };
    let stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).ok()?;
    stream.set_nodelay(true).ok()?;
    let mut client = Client::new(stream);
    let id = 10_000 + draw.below(90_000) as u32;
    let greeting = [Greeting::Seed(id), Greeting::Later][draw.below(2)];
    let wire_name = Name::new(&name).expect("it is short");
    let Event::Ready { .. } = client.hello(&wire_name, greeting).ok()? else {
        return None;
    };
    // If no opponent comes, the client tries another node.
    let Event::Admitted { first } = client.play().ok()? else {
        return None;
    };
    let mut game = TcpGame {
        name,
        moves: Vec::new(),
        last: None,
        result: None,
    };
    let mut free: Vec<Cell> = Cell::all().collect();
    let mut sent = None;
    let mut event = None;
    if !first {
        event = Some(client.wait());
    }
    loop {
        let (has_answer, is_over) = match event.take() {
            None => (false, false),
            Some(Ok(Event::Played(cell))) => {
                game.moves.extend(sent.take());
                game.moves.push(cell);
                (true, false)
            }
            Some(Ok(Event::Over { result, .. })) => {
                game.last = sent.take();
                game.result = Some(result);
                (true, true)
            }
            Some(Ok(Event::Left) | Err(_)) => (false, true),
            Some(Ok(other)) => {
                campaign.fail(format!("{interface} client {game:?}: {other:?}"));
                (false, true)
            }
        };
        if has_answer {
            campaign.acknowledge_one(interface);
        }
        if is_over {
            break;
        }
        free.retain(|cell| !game.moves.contains(cell));
        let cell = free[draw.below(free.len())];
        sent = Some(cell);
        event = Some(client.act(cell));
        sleep(PAUSE);
    }
    if game.result.is_some() {
        campaign.count(&format!("games:{interface}"));
    }
    campaign.add_tcp_game(game);
    Some(())
}
