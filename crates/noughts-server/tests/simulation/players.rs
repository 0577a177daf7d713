//! API players. They use any node, and repeat a request with the same key until it is answered.

use std::sync::Arc;
use std::time::Duration;

use noughts_engine::Random;
use noughts_rules::{Action, Move, Seat};
use noughts_server::{
    Answer, Claim, Command, Creation, CreationKey, GameId, Holder, Key, NewGame, Offer, OpenTo,
    RequestKey, SeatResult, Settings, SubmitError, Table, TableRefusal,
};
use tokio::time::{sleep, timeout};

use crate::cluster::variant;
use crate::observations::Acted;
use crate::scenario::{Scenario, up_to_ms};

/// A player of one game, and then of its rematches.
struct Player {
    scenario: Arc<Scenario>,
    random: Random,
    name: String,
    game: GameId,
    seat: Seat,
}

/// Creates games, and lets players play them.
pub(crate) async fn run(scenario: Arc<Scenario>, number: usize, mut random: Random) {
    let mut games = 0;
    while scenario.is_open() {
        sleep(up_to_ms(&mut random, 4_000)).await;
        games += 1;
        let name = |seat: usize| format!("api{number}.{games}.{seat}");
        let human = |seat| Holder::Human {
            name: name(seat),
            node: None,
        };
        let robot = |strategy: &str| Holder::Robot(strategy.parse().unwrap());
        let mut holders = match random.below(7) {
            0 => vec![human(0), human(1)],
            1 => vec![human(0), robot("minimax:2")],
            2 => vec![robot("minimax:2"), robot("random")],
            3 => vec![human(0), robot("random")],
            4 => vec![human(0), Holder::Open(OpenTo::Link)],
            _ => vec![human(0), Holder::Open(OpenTo::Lobby)],
        };
        if random.below(2) == 0 {
            holders.swap(0, 1);
        }
        let game = create(&scenario, &mut random, &holders).await;
        scenario.observations().created.insert(game);
        if random.below(2) == 0 {
            scenario.watch_game(game, &mut random);
        }
        let mut playing = Vec::new();
        for (seat, holder) in holders.iter().enumerate() {
            // Some seats have two players with one token.
            let players = match holder {
                Holder::Robot(_) => 0,
                Holder::Human { .. } | Holder::Player(_) => 1 + usize::from(random.below(4) == 0),
                Holder::Open(OpenTo::Link | OpenTo::ListedLink) => 2,
                Holder::Open(OpenTo::Lobby) => random.below(2),
            };
            for nth in 0..players {
                let player = Player {
                    scenario: Arc::clone(&scenario),
                    random: Random::new(random.draw()),
                    name: format!("{}.{nth}", name(seat)),
                    game,
                    seat: Seat(seat as u8),
                };
                playing.push(tokio::spawn(player.run(holder.is_open())));
            }
        }
        for player in playing {
            player.await.expect("a player ends well");
        }
    }
}

fn new_id(random: &mut Random) -> GameId {
    GameId::new(u128::from(random.draw()) << 64 | u128::from(random.draw()))
}

/// Creates a game. Retries with the same key.
async fn create(scenario: &Arc<Scenario>, random: &mut Random, holders: &[Holder]) -> GameId {
    let key = new_key(random);
    // TCP clients take no seats at tables with a clock.
    let is_lobby = holders.contains(&Holder::Open(OpenTo::Lobby));
    let clock = ["10+2", "move 5", "180+0"].get(random.below(6));
    let clock = clock.filter(|_| !is_lobby);
    let clock = clock.map(|clock| clock.parse().unwrap());
    loop {
        let node = scenario.node(random);
        let new = NewGame {
            settings: Settings {
                id: new_id(random),
                variant: variant("3x3k3"),
                history: 0,
                start: None,
                holders: holders.to_vec(),
                clock,
                is_listed: true,
                created_ms: node.tables.clock().now_ms(),
            },
            key: Some(CreationKey {
                scope: String::new(),
                key: key.key.clone(),
            }),
        };
        let created = node.tables.create(new, Some(&key), None);
        match node.while_alive(created).await {
            Some(Ok(Creation::Created(live))) => return live.id(),
            Some(Ok(Creation::Repeat(game))) => {
                scenario.count("creations repeated");
                return game;
            }
            Some(Ok(Creation::KeyReused)) => panic!("a new key was used before"),
            Some(Err(_)) => scenario.count("unavailable"),
            None => {}
        }
        sleep(up_to_ms(random, 800)).await;
    }
}

fn new_key(random: &mut Random) -> RequestKey {
    RequestKey {
        key: Key {
            text: format!("{:x}{:x}", random.draw(), random.draw()),
            request: 1,
        },
        former_hash: 1,
    }
}

/// What a player sees of a table.
struct Seen {
    turn: usize,
    is_its_turn: bool,
    free: Vec<Move>,
    result: Option<SeatResult>,
    rematch: Option<GameId>,
}

impl Player {
    async fn run(mut self, takes_seat: bool) {
        if takes_seat && !self.take_seat().await {
            return;
        }
        while self.scenario.is_open() {
            let pause = up_to_ms(&mut self.random, 1_200);
            sleep(pause).await;
            let seat = self.seat;
            let seen = self.look(|table| Seen {
                turn: table.turn(),
                is_its_turn: table.game().to_move() == Some(seat),
                free: table.game().legal(),
                result: table.result(seat),
                rematch: table.rematch(),
            });
            let seen = seen.await;
            if let Some(result) = seen.result {
                let told = (self.game, self.seat, result);
                self.scenario.observations().results.push(told);
                if self.random.below(5) == 0 || !self.rematch(seen.rematch).await {
                    return;
                }
                continue;
            }
            self.act(&seen).await;
        }
    }

    async fn act(&mut self, seen: &Seen) {
        let whim = self.random.below(40);
        if whim >= 34 {
            return self.negotiate(seen).await;
        }
        let any = Move::at(self.random.below(9));
        let free = seen.free[self.random.below(seen.free.len())];
        let (action, turn) = match (seen.is_its_turn, whim) {
            (true, 0) => (Action::Resign, seen.turn),
            (true, 1) => (Action::Play(any), seen.turn),
            (_, 2) => (Action::Play(any), seen.turn.saturating_sub(1)),
            (_, 3) => (Action::Play(any), seen.turn + 1),
            (true, _) | (false, 4) => (Action::Play(free), seen.turn),
            (false, _) => return,
        };
        let key = new_key(&mut self.random);
        let text = key.key.text.clone();
        let seat = self.seat;
        let command = |action, key| Command::Act {
            seat,
            action,
            turn,
            key: Some(Box::new(key)),
        };
        // At a waiting table a resignation is no turn: it aborts the game.
        let shown = match action {
            Action::Resign => 0,
            Action::Play(_) | Action::Rewind(_) | Action::Takeback(_) => turn,
        };
        let answer = self.submit(&command(action, key.clone()), shown).await;
        let mut observations = self.scenario.observations();
        match answer {
            Ok(()) => {
                observations.acts.push(Acted {
                    game: self.game,
                    seat,
                    action,
                    turn,
                });
                observations.count("acts acknowledged");
            }
            Err(refusal) => {
                observations.count_refusal(refusal);
                // A request for a later turn may still be running at a node where the client did not wait for
                // the answer. It may become valid when that turn comes.
                if turn <= seen.turn {
                    observations.refused_keys.insert(text, refusal);
                }
            }
        }
    }

    /// Makes or answers an offer, aborts or claims.
    async fn negotiate(&mut self, seen: &Seen) {
        let offer = [Offer::Draw, Offer::Takeback][self.random.below(2)];
        let (seat, key) = (self.seat, Some(Box::new(new_key(&mut self.random))));
        let command = match self.random.below(12) {
            0..=3 => Command::Offer { seat, offer, key },
            4..=8 => {
                let answer = Answer::Accept(offer);
                Command::Answer { seat, answer, key }
            }
            9 => {
                let answer = Answer::Decline(offer);
                Command::Answer { seat, answer, key }
            }
            10 if seen.turn == 1 => Command::Abort { seat },
            _ => {
                let claim = Claim::Win;
                Command::Claim { seat, claim }
            }
        };
        let answer = self.submit(&command, 0).await;
        let mut observations = self.scenario.observations();
        match answer {
            Ok(()) => observations.count("negotiations acknowledged"),
            Err(refusal) => observations.count_refusal(refusal),
        }
    }

    /// Takes the seat. Returns whether the player has it now.
    async fn take_seat(&mut self) -> bool {
        let pause = up_to_ms(&mut self.random, 6_000);
        sleep(pause).await;
        let key = new_key(&mut self.random);
        let text = key.key.text.clone();
        let holder = Holder::Human {
            name: self.name.clone(),
            node: None,
        };
        let command = Command::TakeSeat {
            seat: self.seat,
            holder: holder.clone(),
            key: Some(Box::new(key.clone())),
        };
        let answer = self.submit(&command, 0).await;
        {
            let mut observations = self.scenario.observations();
            match answer {
                Ok(()) => {
                    observations
                        .seated
                        .push((self.game, self.seat, holder.clone()));
                    observations.count("seats taken by API players");
                }
                Err(refusal) => {
                    assert_eq!(refusal, TableRefusal::SeatTaken);
                    observations.count_refusal(refusal);
                    observations.refused_keys.insert(text, refusal);
                    return false;
                }
            }
        }
        if self.random.below(4) == 0 {
            // The same key with another request.
            let mut key = key;
            (key.key.request, key.former_hash) = (2, 2);
            let command = Command::TakeSeat {
                seat: self.seat,
                holder,
                key: Some(Box::new(key)),
            };
            let answer = self.submit(&command, 0).await;
            let is_reused = answer == Err(TableRefusal::KeyReused);
            // A node that does not know the seat and the key yet learns of them by a conflict, and refuses too.
            assert!(is_reused, "{answer:?}");
            self.scenario
                .observations()
                .count_refusal(TableRefusal::KeyReused);
        }
        true
    }

    /// Offers a rematch and continues with it. Returns whether there is one.
    async fn rematch(&mut self, known: Option<GameId>) -> bool {
        let command = Command::OfferRematch {
            seat: self.seat,
            next: new_id(&mut self.random),
        };
        let answer = self.submit(&command, 0).await;
        assert_eq!(answer, Ok(()), "a rematch of a game that is over");
        {
            let mut observations = self.scenario.observations();
            observations.offers.push((self.game, self.seat));
            observations.count("offers acknowledged");
        }
        let mut next = known;
        for _ in 0..10 {
            if next.is_some() {
                break;
            }
            sleep(Duration::from_secs(1)).await;
            next = self.look(Table::rematch).await;
        }
        let Some(next) = next else {
            return false;
        };
        self.game = next;
        self.seat = Seat((self.seat.0 + 1) % 2);
        if self.random.below(3) == 0 {
            self.scenario.watch_game(next, &mut self.random);
        }
        true
    }

    /// Reads the table at any node.
    async fn look<T>(&mut self, read: impl Fn(&Table) -> T) -> T {
        loop {
            let node = self.scenario.node(&mut self.random);
            match node.while_alive(node.tables.get(self.game)).await {
                Some(Ok(Some(live))) => return live.read(&read),
                Some(Ok(None)) => panic!("{} is not stored", self.game),
                Some(Err(_)) => self.scenario.count("unavailable"),
                None => {}
            }
            let pause = up_to_ms(&mut self.random, 500);
            sleep(pause).await;
        }
    }

    /// Submits a command to any node until there is an answer. After an acknowledgement the node must show the change:
    /// at least `turns` turns are complete.
    async fn submit(&mut self, command: &Command, turns: usize) -> Result<(), TableRefusal> {
        loop {
            let node = self.scenario.node(&mut self.random);
            let (game, tables) = (self.game, Arc::clone(&node.tables));
            let command = command.clone();
            // The request continues even if the client does not wait.
            let submission = tokio::spawn(async move {
                let live = tables.get(game).await;
                let live = live.map_err(SubmitError::Unavailable)?;
                let live = live.ok_or(SubmitError::NoSuchGame)?;
                tables.submit(&live, &command).await?;
                let turn = live.read(Table::turn);
                assert!(turn > turns, "an acknowledged turn is not shown");
                Ok(())
            });
            let max_wait = Duration::from_millis(100) + up_to_ms(&mut self.random, 4_000);
            let answer = node.while_alive(timeout(max_wait, submission)).await;
            match answer {
                None => self.scenario.count("answers lost with a node"),
                Some(Err(_)) => self.scenario.count("answers not waited for"),
                Some(Ok(answer)) => match answer.expect("a submission does not panic") {
                    Ok(()) => return Ok(()),
                    Err(SubmitError::Refused(refusal)) => return Err(refusal),
                    Err(SubmitError::NoSuchGame) => panic!("{game} is not stored"),
                    Err(SubmitError::Unavailable(_)) => self.scenario.count("unavailable"),
                    Err(SubmitError::Busy) => self.scenario.count("busy"),
                    Err(SubmitError::Closed) => self.scenario.count("closed"),
                },
            }
            let pause = up_to_ms(&mut self.random, 700);
            sleep(pause).await;
        }
    }
}
