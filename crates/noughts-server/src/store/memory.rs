//! A store that keeps games in memory. Tests use it as the reference implementation for the other stores.

mod players;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use players::Players;

use super::present_games::PresentGames;
use super::waiting::WaitingPlayers;
use super::{
    Append, Appended, Ban, Created, Deletion, LinkCreation, ListQuery, ListedGame, LogTail,
    MAX_OUTAGES, MAX_OVERDUE, MIN_OUTAGE_MS, Matches, OperatorSettings, QuickMatch, Redemption,
    Reply, SecretHash, Store, StoreError, StoredGame, StoredPlayer, Sweep, WaitingCount, WaitingId,
    WaitingList,
};
use crate::id::{GameId, IdHash, NodeId, PlayerId, random_bytes};
use crate::table::{
    CreationKey, Holder, KEY_LIFETIME_MS, LogEntry, NewGame, Outage, SeatSet, Settings, Status,
    Summary,
};

/// A store that keeps games in memory. It keeps only the latest finished games, so that finished games take
/// bounded memory.
#[derive(Debug)]
pub struct Memory {
    shards: [Mutex<Shard>; SHARDS],
    /// The latest game of each creation key, by scope and text.
    keys: Mutex<HashMap<(String, String), KeyUse>>,
    waiting: Mutex<WaitingPlayers>,
    players: Mutex<Players>,
    heartbeat: Mutex<Heartbeat>,
    operator_settings: Mutex<OperatorSettings>,
    present: PresentGames,
    max_finished: usize,
    secret: [u8; 32],
}

/// Number of shards: enough that two threads seldom wait for each other.
const SHARDS: usize = 16;

/// Initial capacity for the entries of a game. Most games have no more entries than this.
const SHORT_LOG: usize = 10;

#[derive(Debug, Default)]
struct Shard {
    games: HashMap<GameId, MemoryGame, IdHash>,
    /// The finished games, in the order of their ends.
    finished: VecDeque<GameId>,
    deadlines: BTreeSet<(u64, GameId)>,
}

#[derive(Debug)]
struct MemoryGame {
    settings: Settings,
    key: Option<CreationKey>,
    entries: Vec<LogEntry>,
    summary: Summary,
    analysis: Option<String>,
}

/// The game that was created with a key, and when.
#[derive(Clone, Debug)]
struct KeyUse {
    game: GameId,
    key: CreationKey,
    created_ms: u64,
}

/// The time of the latest sweep, and the outages before it, newest first.
#[derive(Debug, Default)]
struct Heartbeat {
    at_ms: Option<u64>,
    outages: VecDeque<Outage>,
}

impl Heartbeat {
    fn beat(&mut self, now_ms: u64) -> Vec<Outage> {
        let at_ms = self.at_ms.unwrap_or(now_ms);
        if now_ms.saturating_sub(at_ms) > MIN_OUTAGE_MS {
            self.outages.push_front(Outage {
                from_ms: at_ms,
                until_ms: now_ms,
            });
            self.outages.truncate(MAX_OUTAGES);
        }
        self.at_ms = Some(now_ms.max(at_ms));
        self.outages.iter().copied().collect()
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::keeping(10_000)
    }
}

impl Memory {
    /// A store that keeps about `finished` finished games.
    pub fn keeping(finished: usize) -> Memory {
        Memory {
            shards: Default::default(),
            keys: Mutex::default(),
            waiting: Mutex::default(),
            players: Mutex::default(),
            heartbeat: Mutex::default(),
            operator_settings: Mutex::default(),
            present: PresentGames::default(),
            max_finished: finished.div_ceil(SHARDS),
            secret: random_bytes(),
        }
    }

    /// The number of stored games.
    pub fn len(&self) -> usize {
        let shards = self.shards.iter();
        shards.map(|shard| lock(shard).games.len()).sum()
    }

    /// Whether no game is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn shard(&self, game: GameId) -> MutexGuard<'_, Shard> {
        lock(&self.shards[shard_of(game)])
    }

    fn read<T>(&self, game: GameId, read: impl FnOnce(&MemoryGame) -> T) -> Option<T> {
        self.shard(game).games.get(&game).map(read)
    }

    /// Stores a game unless its key was used before.
    fn insert(&self, game: MemoryGame) -> Result<Created, StoreError> {
        let id = game.settings.id;
        let now_ms = game.settings.created_ms;
        let mut keys = lock(&self.keys);
        if let Some(key) = &game.key
            && let Some(before) = find_key(&keys, key, now_ms)
        {
            return Ok(Created::Existing(before.game, before.key.clone()));
        }
        let key = game.key.clone();
        let forgotten = self.shard(id).insert(game, self.max_finished)?;
        if let Some(key) = key {
            let scope_and_text = (key.scope.clone(), key.key.text.clone());
            let used = KeyUse {
                game: id,
                key,
                created_ms: now_ms,
            };
            if let Some(expired) = keys.insert(scope_and_text, used)
                && let Some(game) = self.shard(expired.game).games.get_mut(&expired.game)
            {
                game.key = None;
            }
        }
        forget_keys(&mut keys, forgotten);
        Ok(Created::Stored)
    }

    /// Appends entries and creates a game: both or neither. The shards of the two games are locked in a fixed order, so
    /// that two such calls cannot deadlock.
    fn append_with_game(
        &self,
        append: &Append,
        new_game: &NewGame,
        summary: &Summary,
    ) -> Result<Appended, StoreError> {
        let (here, there) = (shard_of(append.game), shard_of(new_game.settings.id));
        let mut shards: BTreeMap<usize, MutexGuard<'_, Shard>> = BTreeSet::from([here, there])
            .into_iter()
            .map(|shard| (shard, lock(&self.shards[shard])))
            .collect();
        if let Some(refused) = shards[&here].refusal(append) {
            return Ok(refused);
        }
        let new_game = NewGame {
            settings: new_game.settings.clone(),
            key: None,
        };
        let mut forgotten = Vec::new();
        if let Some(shard) = shards.get_mut(&there) {
            let game = MemoryGame::new(new_game, summary.clone());
            forgotten.extend(shard.insert(game, self.max_finished)?);
        }
        if let Some(shard) = shards.get_mut(&here) {
            forgotten.extend(shard.append(append, self.max_finished));
        }
        drop(shards);
        forget_keys(&mut lock(&self.keys), forgotten);
        Ok(Appended::Stored)
    }
}

fn shard_of(game: GameId) -> usize {
    game.number() as usize % SHARDS
}

/// Locks `mutex`. Each change under a lock is complete, so the value is valid even if the lock is poisoned.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The latest game with this key, unless the key has expired.
fn find_key<'k>(
    keys: &'k HashMap<(String, String), KeyUse>,
    key: &CreationKey,
    now_ms: u64,
) -> Option<&'k KeyUse> {
    // Keys of older versions have no scope and match every client.
    let scopes = [key.scope.clone(), String::new()];
    let found = scopes.map(|scope| keys.get(&(scope, key.key.text.clone())));
    let found = found.into_iter().flatten();
    found
        .filter(|used| now_ms < used.created_ms + KEY_LIFETIME_MS)
        .max_by_key(|used| (used.created_ms, used.game))
}

fn forget_keys(keys: &mut HashMap<(String, String), KeyUse>, forgotten: Vec<MemoryGame>) {
    for game in forgotten {
        let Some(CreationKey { scope, key }) = game.key else {
            continue;
        };
        let scope_and_text = (scope, key.text);
        if keys.get(&scope_and_text).map(|used| used.game) == Some(game.settings.id) {
            keys.remove(&scope_and_text);
        }
    }
}

impl MemoryGame {
    fn new(game: NewGame, summary: Summary) -> MemoryGame {
        MemoryGame {
            settings: game.settings,
            key: game.key,
            entries: Vec::with_capacity(SHORT_LOG),
            summary,
            analysis: None,
        }
    }

    /// The time of the latest entry; the time of creation if there is no later entry.
    fn last_ms(&self) -> u64 {
        let last = self.entries.last().map_or(0, |entry| entry.at_ms);
        last.max(self.settings.created_ms)
    }

    fn listed(&self) -> ListedGame {
        ListedGame::new(&self.settings, self.summary.clone())
    }

    fn stored(&self) -> StoredGame {
        StoredGame {
            settings: self.settings.clone(),
            key: self.key.clone(),
            entries: self.entries.clone(),
        }
    }
}

impl Shard {
    /// Stores a new game. If the new game is already over, returns the older finished games that were removed to make
    /// room.
    fn insert(
        &mut self,
        game: MemoryGame,
        max_finished: usize,
    ) -> Result<Vec<MemoryGame>, StoreError> {
        let id = game.settings.id;
        if self.games.contains_key(&id) {
            return Err(StoreError::another_game(id));
        }
        if let Some(deadline_ms) = game.summary.deadline_ms {
            self.deadlines.insert((deadline_ms, id));
        }
        let is_over = game.summary.status == Status::Over;
        self.games.insert(id, game);
        Ok(match is_over {
            true => self.finish(id, max_finished),
            false => Vec::new(),
        })
    }

    /// Why the entries cannot be appended; `None` if they can.
    fn refusal(&self, append: &Append) -> Option<Appended> {
        let Some(game) = self.games.get(&append.game) else {
            return Some(Appended::NoSuchGame);
        };
        let is_next = append.first as usize == game.entries.len() + 1;
        (!is_next).then_some(Appended::Conflict)
    }

    /// Appends entries. The caller must have checked that [`refusal`](Shard::refusal) returns `None`. If the
    /// game is finished now, returns the older finished games that were removed to make room.
    fn append(&mut self, append: &Append, max_finished: usize) -> Vec<MemoryGame> {
        let id = append.game;
        let Some(game) = self.games.get_mut(&id) else {
            return Vec::new();
        };
        game.entries.extend_from_slice(&append.entries);
        let Some(summary) = &append.summary else {
            return Vec::new();
        };
        let before = std::mem::replace(&mut game.summary, summary.clone());
        if let Some(deadline_ms) = before.deadline_ms {
            self.deadlines.remove(&(deadline_ms, id));
        }
        if let Some(deadline_ms) = summary.deadline_ms {
            self.deadlines.insert((deadline_ms, id));
        }
        match before.status != Status::Over && summary.status == Status::Over {
            true => self.finish(id, max_finished),
            false => Vec::new(),
        }
    }

    fn finish(&mut self, game: GameId, max_finished: usize) -> Vec<MemoryGame> {
        self.finished.push_back(game);
        let excess = self.finished.len().saturating_sub(max_finished);
        let oldest: Vec<GameId> = self.finished.drain(..excess).collect();
        let mut forgotten = Vec::with_capacity(oldest.len());
        for id in oldest {
            let Some(game) = self.games.remove(&id) else {
                continue;
            };
            if let Some(deadline_ms) = game.summary.deadline_ms {
                self.deadlines.remove(&(deadline_ms, id));
            }
            forgotten.push(game);
        }
        forgotten
    }
}

impl Store for Memory {
    fn create(&self, game: NewGame, summary: Summary) -> Reply<'_, Created> {
        let game = MemoryGame::new(game, summary);
        match game.key {
            Some(_) => ready(self.insert(game)),
            // Only requests with keys need the lock that all games share.
            None => {
                let mut shard = self.shard(game.settings.id);
                let inserted = shard.insert(game, self.max_finished);
                drop(shard);
                ready(inserted.map(|forgotten| {
                    if forgotten.iter().any(|game| game.key.is_some()) {
                        forget_keys(&mut lock(&self.keys), forgotten);
                    }
                    Created::Stored
                }))
            }
        }
    }

    fn created_with(
        &self,
        key: CreationKey,
        now_ms: u64,
    ) -> Reply<'_, Option<(GameId, CreationKey)>> {
        let keys = lock(&self.keys);
        let found = find_key(&keys, &key, now_ms);
        ready(Ok(found.map(|used| (used.game, used.key.clone()))))
    }

    fn append<'a>(&'a self, append: &'a Append) -> Reply<'a, Appended> {
        if let Some((new_game, summary)) = &append.new_game {
            return ready(self.append_with_game(append, new_game, summary));
        }
        let mut shard = self.shard(append.game);
        if let Some(refused) = shard.refusal(append) {
            return ready(Ok(refused));
        }
        let forgotten = shard.append(append, self.max_finished);
        drop(shard);
        if forgotten.iter().any(|game| game.key.is_some()) {
            forget_keys(&mut lock(&self.keys), forgotten);
        }
        ready(Ok(Appended::Stored))
    }

    fn load(&self, game: GameId) -> Reply<'_, Option<StoredGame>> {
        ready(Ok(self.read(game, MemoryGame::stored)))
    }

    fn entries_after(&self, game: GameId, after: u32) -> Reply<'_, Option<LogTail>> {
        let tail = |game: &MemoryGame| LogTail {
            last: game.entries.len() as u32,
            entries: game.entries.iter().skip(after as usize).cloned().collect(),
        };
        ready(Ok(self.read(game, tail)))
    }

    fn import(&self, game: StoredGame, summary: Summary) -> Reply<'_, Created> {
        ready(self.insert(MemoryGame {
            settings: game.settings,
            key: game.key,
            entries: game.entries,
            summary,
            analysis: None,
        }))
    }

    fn list(&self, query: ListQuery) -> Reply<'_, Vec<ListedGame>> {
        let mut found = BTreeMap::new();
        for shard in &self.shards {
            for game in lock(shard).games.values() {
                let sort_key = (game.settings.created_ms, game.settings.id);
                if query.before.is_some_and(|before| sort_key >= before) {
                    continue;
                }
                let listed = game.listed();
                let is_present = |id| self.present.contains(id);
                if query.matches(&listed) && !query.leaves_out(&listed, is_present) {
                    found.insert(sort_key, listed);
                    if found.len() > query.limit {
                        found.pop_first();
                    }
                }
            }
        }
        ready(Ok(found.into_values().rev().collect()))
    }

    fn analysis(&self, game: GameId) -> Reply<'_, Option<String>> {
        let analysis = self.read(game, |game| game.analysis.clone());
        ready(Ok(analysis.flatten()))
    }

    fn store_analysis(&self, game: GameId, analysis: String) -> Reply<'_, ()> {
        if let Some(game) = self.shard(game).games.get_mut(&game) {
            game.analysis.get_or_insert(analysis);
        }
        ready(Ok(()))
    }

    fn secret(&self) -> Reply<'_, [u8; 32]> {
        ready(Ok(self.secret))
    }

    /// Returns no other nodes and no time, because no other process uses this store.
    fn sweep(&self, _: NodeId, now_ms: u64, grace_ms: u64) -> Reply<'_, Sweep> {
        let mut overdue: Vec<(u64, GameId)> = Vec::new();
        for shard in &self.shards {
            let is_due = |(at_ms, _): &&(u64, GameId)| at_ms.saturating_add(grace_ms) < now_ms;
            let shard = lock(shard);
            let due = shard.deadlines.iter().take_while(is_due);
            overdue.extend(due.take(MAX_OVERDUE));
        }
        overdue.sort_unstable();
        overdue.truncate(MAX_OVERDUE);
        ready(Ok(Sweep {
            overdue: overdue.into_iter().map(|(_, id)| id).collect(),
            outages: lock(&self.heartbeat).beat(now_ms),
            ..Sweep::default()
        }))
    }

    fn postpone(&self, game: GameId, before_ms: u64, deadline_ms: u64) -> Reply<'_, ()> {
        let Shard {
            games, deadlines, ..
        } = &mut *self.shard(game);
        if let Some(deadline) = games
            .get_mut(&game)
            .and_then(|game| game.summary.deadline_ms.as_mut())
            .filter(|deadline| **deadline < before_ms)
        {
            deadlines.remove(&(*deadline, game));
            *deadline = deadline_ms;
            deadlines.insert((deadline_ms, game));
        }
        ready(Ok(()))
    }

    fn seats_of_node(&self, _: NodeId) -> Reply<'_, Vec<(GameId, SeatSet)>> {
        ready(Ok(Vec::new()))
    }

    fn remove_node(&self, node: NodeId) -> Reply<'_, ()> {
        self.present.remove_node(node);
        ready(Ok(()))
    }

    fn set_presence(&self, node: NodeId, seats: Vec<(GameId, SeatSet)>) -> Reply<'_, ()> {
        self.present.set(node, &seats);
        ready(Ok(()))
    }

    fn match_waiting(&self, node: NodeId, list: WaitingList, now_ms: u64) -> Reply<'_, Matches> {
        let mut waiting = lock(&self.waiting);
        let Some(mut plan) = waiting.plan(node, &list, now_ms) else {
            return ready(Ok(Matches::default()));
        };
        for (new, summary) in std::mem::take(&mut plan.games) {
            if let Err(error) = self.insert(MemoryGame::new(new, summary)) {
                return ready(Err(error));
            }
        }
        ready(Ok(waiting.carry_out(plan, node, list.version, now_ms)))
    }

    fn quick_match(&self, id: WaitingId) -> Reply<'_, Option<QuickMatch>> {
        ready(Ok(lock(&self.waiting).quick_match(id)))
    }

    fn waiting_counts(&self) -> Reply<'_, Vec<WaitingCount>> {
        ready(Ok(lock(&self.waiting).counts()))
    }

    fn forget(&self, before_ms: u64) -> Reply<'_, Vec<GameId>> {
        let mut forgotten = Vec::new();
        for shard in &self.shards {
            let Shard {
                games,
                finished,
                deadlines,
            } = &mut *lock(shard);
            let old = games.extract_if(|_, game| game.last_ms() < before_ms);
            forgotten.extend(old.map(|(_, game)| game));
            finished.retain(|id| games.contains_key(id));
            deadlines.retain(|(_, id)| games.contains_key(id));
        }
        let ids = forgotten.iter().map(|game| game.settings.id).collect();
        forget_keys(&mut lock(&self.keys), forgotten);
        ready(Ok(ids))
    }

    fn create_player(&self, player: StoredPlayer, token: SecretHash) -> Reply<'_, ()> {
        ready(lock(&self.players).create(player, token))
    }

    fn player_of_token(&self, token: SecretHash) -> Reply<'_, Option<StoredPlayer>> {
        ready(Ok(lock(&self.players).of_token(token)))
    }

    fn players(&self, ids: Vec<PlayerId>) -> Reply<'_, Vec<StoredPlayer>> {
        let players = lock(&self.players);
        ready(Ok(ids.iter().filter_map(|id| players.get(*id)).collect()))
    }

    fn rename_player(&self, player: PlayerId, name: String) -> Reply<'_, bool> {
        ready(Ok(lock(&self.players).rename(player, name)))
    }

    fn delete_player(&self, player: PlayerId) -> Reply<'_, Deletion> {
        let is_running = |game: &MemoryGame| {
            let mut holders = game.summary.holders.iter();
            game.summary.status != Status::Over
                && holders.any(|holder| holder.player_id() == Some(player))
        };
        let mut shards = self.shards.iter();
        if shards.any(|shard| lock(shard).games.values().any(is_running)) {
            return ready(Ok(Deletion::HasRunningGames));
        }
        ready(Ok(lock(&self.players).delete(player)))
    }

    fn revoke_other_tokens(&self, player: PlayerId, kept: SecretHash) -> Reply<'_, u64> {
        ready(Ok(lock(&self.players).revoke_other_tokens(player, kept)))
    }

    fn create_link(
        &self,
        player: PlayerId,
        code: SecretHash,
        now_ms: u64,
    ) -> Reply<'_, LinkCreation> {
        ready(Ok(lock(&self.players).create_link(player, code, now_ms)))
    }

    fn redeem_link(
        &self,
        code: SecretHash,
        token: SecretHash,
        now_ms: u64,
    ) -> Reply<'_, Redemption> {
        ready(Ok(lock(&self.players).redeem(code, token, now_ms)))
    }

    fn expire_players(&self, before_ms: u64, now_ms: u64) -> Reply<'_, usize> {
        let mut seated: HashSet<PlayerId> = HashSet::new();
        for shard in &self.shards {
            let shard = lock(shard);
            let holders = shard.games.values().flat_map(|game| &game.summary.holders);
            seated.extend(holders.filter_map(Holder::player_id));
        }
        let mut players = lock(&self.players);
        ready(Ok(players.expire(before_ms, now_ms, &seated)))
    }

    fn operator_settings(&self) -> Reply<'_, OperatorSettings> {
        ready(Ok(lock(&self.operator_settings).clone()))
    }

    fn set_ban(&self, ban: Ban) -> Reply<'_, ()> {
        let bans = &mut lock(&self.operator_settings).bans;
        match bans.binary_search_by(|other| other.network.cmp(&ban.network)) {
            Ok(at) => bans[at] = ban,
            Err(at) => bans.insert(at, ban),
        }
        ready(Ok(()))
    }

    fn remove_ban(&self, network: String) -> Reply<'_, bool> {
        let bans = &mut lock(&self.operator_settings).bans;
        let before = bans.len();
        bans.retain(|ban| ban.network != network);
        ready(Ok(bans.len() < before))
    }

    fn announce(&self, text: Option<String>) -> Reply<'_, ()> {
        lock(&self.operator_settings).announcement = text;
        ready(Ok(()))
    }

    fn list_players(&self, after: Option<PlayerId>, limit: usize) -> Reply<'_, Vec<StoredPlayer>> {
        ready(Ok(lock(&self.players).list(after, limit)))
    }

    fn delete_game(&self, game: GameId) -> Reply<'_, bool> {
        let deleted = {
            let Shard {
                games,
                finished,
                deadlines,
            } = &mut *self.shard(game);
            finished.retain(|id| *id != game);
            deadlines.retain(|(_, id)| *id != game);
            games.remove(&game)
        };
        let is_deleted = deleted.is_some();
        forget_keys(&mut lock(&self.keys), deleted.into_iter().collect());
        ready(Ok(is_deleted))
    }

    fn check_writable(&self) -> Reply<'_, ()> {
        ready(Ok(()))
    }
}

/// A reply that is ready immediately.
fn ready<'a, T: Send + 'a>(reply: Result<T, StoreError>) -> Reply<'a, T> {
    Box::pin(std::future::ready(reply))
}
