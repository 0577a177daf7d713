//! Everything that the doors share: the tables, the lobby, the robots, the store.

use std::sync::{Arc, Mutex, PoisonError};

use noughts_engine::{Setup, StrategyName, Unfit};
use noughts_rules::{Game, Options, Variant};
use tokio::sync::mpsc;

use crate::id::Ids;
use crate::lobby::{Entered, Lobby, Ticket};
use crate::robots::Robots;
use crate::room::{MOST_NOTICES, Notice, Room, Sitter};
use crate::store::Store;
use crate::table::{Holder, Setting, Table};

/// Everything that the doors share.
pub struct House {
    store: Box<dyn Store>,
    robots: Robots,
    pairs: Mutex<Lobby<Waiting>>,
    ids: Ids,
    /// Tic-tac-toe: all that the TCP doors play.
    variant: Variant,
    /// Every room holds one while it lasts.
    open: mpsc::Sender<()>,
}

/// Somebody who waits for a seat.
#[derive(Debug)]
struct Waiting {
    name: String,
    notices: mpsc::Sender<Notice>,
}

/// Somebody who asked for a seat, and hears what becomes of it. Dropped, they are gone: out of
/// the lobby if they still waited.
#[derive(Debug)]
pub struct Guest {
    /// What they hear, from [`Notice::Seated`] on. It ends early where no table could be laid.
    pub notices: mpsc::Receiver<Notice>,
    queue: Option<(Arc<House>, Ticket)>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        if let Some((house, ticket)) = self.queue.take() {
            house.pairs().leave(ticket);
        }
    }
}

/// Ends when every room has.
#[derive(Debug)]
pub struct Rooms(mpsc::Receiver<()>);

impl Rooms {
    /// Waits until every table is closed, in a house that nobody holds any more.
    pub async fn closed(mut self) {
        while self.0.recv().await.is_some() {}
    }
}

impl House {
    /// A house around a store, with so many robots that may think at once. The seed decides what
    /// is drawn by lot.
    pub fn new(store: Box<dyn Store>, thinkers: usize, outside: Setup) -> (Arc<House>, Rooms) {
        let (open, rooms) = mpsc::channel(1);
        let house = House {
            store,
            pairs: Mutex::new(Lobby::new(outside.seed)),
            robots: Robots::new(thinkers, outside),
            ids: Ids::default(),
            variant: "3x3k3".parse().expect("tic-tac-toe is a variant"),
            open,
        };
        (Arc::new(house), Rooms(rooms))
    }

    /// Whether this strategy plays at the TCP door, or why not.
    pub fn check(&self, strategy: &StrategyName) -> Result<(), Unfit> {
        let game = Game::new(&self.variant, Options::default()).expect("tic-tac-toe can be played");
        strategy.fits(&game)
    }

    /// Seats somebody, who moves first, against a robot.
    pub fn against_robot(
        self: &Arc<House>,
        name: String,
        strategy: &StrategyName,
    ) -> Result<Guest, Unfit> {
        let holders = vec![human(name), Holder::Robot(strategy.clone())];
        let table = self.table(holders);
        let mind = self.robots.mind(strategy, table.game())?;
        let (to_guest, notices) = mpsc::channel(MOST_NOTICES);
        self.keep(table, vec![Sitter::Listener(to_guest), Sitter::Robot(mind)]);
        Ok(Guest {
            notices,
            queue: None,
        })
    }

    /// Seats somebody with whoever waits longest, or lets them wait. Who moves first is drawn.
    pub fn against_anybody(self: &Arc<House>, name: String) -> Guest {
        let (to_guest, notices) = mpsc::channel(MOST_NOTICES);
        let waiting = Waiting {
            name,
            notices: to_guest,
        };
        // The guard must be gone before anything else is asked of the lobby.
        let entered = self
            .pairs()
            .enter(waiting, |other| !other.notices.is_closed());
        let queue = match entered {
            Entered::Waits(ticket) => Some((Arc::clone(self), ticket)),
            Entered::Paired { first, second } => {
                let table = self.table(vec![human(first.name), human(second.name)]);
                let sitters = [first.notices, second.notices].map(Sitter::Listener);
                self.keep(table, sitters.into());
                None
            }
        };
        Guest { notices, queue }
    }

    fn table(&self, holders: Vec<Holder>) -> Table {
        let setting = Setting {
            id: self.ids.draw(),
            variant: self.variant,
            history: 0,
            holders,
        };
        Table::new(setting).expect("tic-tac-toe has two seats")
    }

    fn keep(self: &Arc<House>, table: Table, sitters: Vec<Sitter>) {
        let mut room = Room::new(Arc::clone(self), table, sitters, self.open.clone());
        // The room lives in its task and is only borrowed there: handed over, it would be kept twice.
        tokio::spawn(async move { room.keep().await });
    }

    /// A five-digit id for a session whose client leaves the choice to the server. It is a label,
    /// and two sessions may have the same.
    pub fn session_id(&self) -> u32 {
        10_000 + (self.ids.draw().number() % 90_000) as u32
    }

    /// How many wait for somebody.
    pub fn waiting(&self) -> usize {
        self.pairs().len()
    }

    /// Where the games last.
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }

    pub(crate) fn robots(&self) -> &Robots {
        &self.robots
    }

    fn pairs(&self) -> std::sync::MutexGuard<'_, Lobby<Waiting>> {
        // Nothing is half done in a lobby, whoever panicked while holding it.
        self.pairs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("House").finish_non_exhaustive()
    }
}

/// Somebody at a TCP door.
fn human(name: String) -> Holder {
    Holder::Human { name, tied: true }
}
