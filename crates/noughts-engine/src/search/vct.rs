//! Wins by threes and fours: every play of the attacker threatens a sequence of fours, so that few
//! replies are left; each of them is tried.

use noughts_rules::Move;

use crate::features::{Candidate, Features, Searchable};
use crate::search::forcing_moves::LAST_SEQUENCE;
use crate::search::vcf::only_completion;
use crate::search::{Search, WIN};

/// Attacks that are tried in a position, at most.
const MOST_ATTACKS: usize = 12;

/// VcfSearch in a pursuit, at most.
const LONGEST: u32 = 12;

/// Places for positions that were pursued in vain.
const REMEMBERED: usize = 1 << 12;

/// Before so many positions were looked at, they are better spent on looking around.
const LEAST_LOOKED: u64 = 4_000;

/// What a pursuit keeps.
pub(super) struct VctState {
    /// At how many nodes it is given up.
    until: u64,
    /// The first play of the win that was found last.
    first: Option<Move>,
    /// Some attack went on after the last threat that was allowed.
    cut: bool,
    /// Positions without a win in so many threats.
    vain: Vec<(u64, u32)>,
    /// When the side that thinks pursues again.
    due: u64,
    /// Moves at the root after which the other side has pursued.
    refutations: Vec<RefutationAttempt>,
}

/// What a pursuit after a move at the root has shown.
struct RefutationAttempt {
    at: Move,
    /// How many positions it was allowed.
    allowed: u64,
    /// It loses in so many plies.
    lost: Option<u32>,
}

impl VctState {
    pub(super) fn new() -> VctState {
        VctState {
            until: 0,
            first: None,
            cut: false,
            vain: vec![(0, 0); REMEMBERED],
            due: LEAST_LOOKED,
            refutations: Vec::new(),
        }
    }
}

impl<R: Searchable> Search<'_, R> {
    /// Now and then, between two depths: a win by threats for the side that thinks.
    pub(super) fn pursue_when_due(&mut self) -> Option<(Move, i32)> {
        if !self.by_force || self.nodes < self.vct.due {
            return None;
        }
        let plies = self.pursue(self.nodes / 4);
        self.vct.due = 4 * self.nodes;
        let first = self.vct.first?;
        plies.map(|plies| (first, WIN - plies as i32))
    }

    /// What a move at the root is worth that is known to lose by a pursuit.
    pub(super) fn known_loss(&self, at: Move) -> Option<i32> {
        let plies = self.refutation(at)?.lost?;
        Some(plies as i32 - WIN)
    }

    /// What a move at the root is worth where the other side is found to win by threats after it.
    /// It is asked for moves that seem best, and again when much more was looked at.
    pub(super) fn refute(&mut self, at: Move) -> Option<i32> {
        let allowed = self.nodes / 4;
        let enough = |refutation: &RefutationAttempt| 2 * refutation.allowed > allowed;
        if !self.by_force
            || self.assists
            || self.nodes < LEAST_LOOKED
            || self.refutation(at).is_some_and(enough)
        {
            return None;
        }
        self.board.play(at);
        let plies = match self.board.outcome() {
            Some(_) => None,
            None => self.pursue(allowed),
        };
        self.board.take_back();
        let lost = plies.map(|plies| plies + 1);
        self.vct
            .refutations
            .retain(|refutation| refutation.at != at);
        self.vct
            .refutations
            .push(RefutationAttempt { at, allowed, lost });
        self.known_loss(at)
    }

    fn refutation(&self, at: Move) -> Option<&RefutationAttempt> {
        let mut refutations = self.vct.refutations.iter();
        refutations.find(|refutation| refutation.at == at)
    }

    /// In how many plies the side to move wins by threats, where that is found within so many
    /// positions.
    fn pursue(&mut self, most: u64) -> Option<u32> {
        self.vct.until = self.nodes + most;
        for threats in 1..=LONGEST {
            self.vct.cut = false;
            let plies = self.attack(threats);
            if plies.is_some() || self.gives_up() || !self.vct.cut {
                return plies;
            }
        }
        None
    }

    fn gives_up(&self) -> bool {
        self.aborted || self.nodes >= self.vct.until
    }

    /// In how many plies the side to move wins with so many threats.
    fn attack(&mut self, threats: u32) -> Option<u32> {
        self.nodes += 1;
        self.look_at_limits();
        if self.gives_up() {
            return None;
        }
        let mover = self.board.to_move();
        if let Some(plies) = self.sequence(mover, LAST_SEQUENCE) {
            self.vct.first = self.vcf.first();
            return Some(plies);
        }
        if threats == 0 {
            self.vct.cut = true;
            return None;
        }
        let key = self.board.key().0;
        let place = key as usize % REMEMBERED;
        let (known, tried) = self.vct.vain[place];
        if known == key && tried >= threats {
            self.vct.cut = true;
            return None;
        }
        let must = only_completion(self.board.windows()?, mover.next(2)).ok()?;
        let mut list = self.take_list();
        match must {
            Some(at) => list.push(Candidate { at, promise: 0 }),
            None => self.board.features().attacks(mover, &mut list),
        }
        list.sort_unstable_by_key(|attack| (-attack.promise, attack.at));
        list.truncate(MOST_ATTACKS);
        let mut found = None;
        for attack in &list {
            self.board.play(attack.at);
            found = self.defend(threats - 1);
            self.board.take_back();
            if found.is_some() {
                self.vct.first = Some(attack.at);
            }
            if found.is_some() || self.gives_up() {
                break;
            }
        }
        self.lists[self.board.ply()] = list;
        if found.is_none() && !self.gives_up() {
            self.vct.vain[place] = (key, threats);
        }
        found.map(|plies| plies + 1)
    }

    /// In how many plies the side to move loses, whatever it does against the threat that was made.
    fn defend(&mut self, threats: u32) -> Option<u32> {
        let mover = self.board.to_move();
        let windows = self.board.windows()?;
        if !windows.lacking(mover, 1).is_empty() {
            return None;
        }
        let completion = only_completion(windows, mover.next(2));
        let mut list = self.take_list();
        match completion {
            Err(()) => {
                self.lists[self.board.ply()] = list;
                return Some(2);
            }
            Ok(Some(at)) => list.push(Candidate { at, promise: 0 }),
            Ok(None) => {
                if self.sequence(mover, LAST_SEQUENCE).is_none() {
                    self.list_defences(&mut list);
                    list.sort_unstable_by_key(|defence| (-defence.promise, defence.at));
                }
            }
        }
        let mut longest = if list.is_empty() { None } else { Some(0) };
        for defence in &list {
            self.board.play(defence.at);
            let plies = self.attack(threats);
            self.board.take_back();
            longest = longest.max(plies).filter(|_| plies.is_some());
            if longest.is_none() {
                break;
            }
        }
        self.lists[self.board.ply()] = list;
        longest.map(|plies| plies + 1)
    }

    /// The list of this ply, empty.
    fn take_list(&mut self) -> Vec<Candidate> {
        let ply = self.board.ply();
        if self.lists.len() <= ply {
            self.lists.resize_with(ply + 1, Vec::new);
            self.killers.resize(ply + 1, None);
        }
        let mut list = std::mem::take(&mut self.lists[ply]);
        list.clear();
        list
    }
}
