//! Victory by continuous threats (VCT). Every move of the attacker is a four or threatens a VCF (victory by
//! continuous fours). So the opponent has few replies, and the search tries all of them.

use noughts_rules::Move;

use crate::features::{Candidate, Features, Searchable};
use crate::search::forcing_moves::LAST_SEQUENCE;
use crate::search::vcf::only_completion;
use crate::search::{Search, WIN};

/// Maximum number of attacks tried per position.
const MAX_ATTACKS: usize = 12;

/// Maximum number of threats in a sequence.
const MAX_THREATS: u32 = 12;

/// Number of slots of the table `failed`: positions without a VCT (victory by continuous threats).
const FAILED_SLOTS: usize = 1 << 12;

/// The first search for a VCT (victory by continuous threats) starts after this many nodes. With fewer nodes,
/// the ordinary search is more useful.
const MIN_NODES: u64 = 4_000;

pub(super) struct VctState {
    /// Node count at which the current attempt ends.
    until: u64,
    /// The first move of the latest VCT (victory by continuous threats) found.
    first: Option<Move>,
    /// Whether the maximum number of threats ended an attack. If so, a higher maximum may find a VCT.
    cut: bool,
    /// Keys of positions without a VCT, each with the maximum number of threats that was searched.
    failed: Vec<(u64, u32)>,
    /// The node count at which the next attempt at the root starts.
    due: u64,
    /// The searches for a VCT of the opponent after root moves.
    refutations: Vec<RefutationAttempt>,
}

/// A search for a VCT (victory by continuous threats) of the opponent after the root move `at`.
struct RefutationAttempt {
    at: Move,
    /// The node limit of the search.
    allowed: u64,
    /// The number of plies in which the root move loses; `None` if the search found no VCT.
    lost: Option<u32>,
}

impl VctState {
    pub(super) fn new() -> VctState {
        VctState {
            until: 0,
            first: None,
            cut: false,
            failed: vec![(0, 0); FAILED_SLOTS],
            due: MIN_NODES,
            refutations: Vec::new(),
        }
    }
}

impl<R: Searchable> Search<'_, R> {
    /// Searches for a VCT (victory by continuous threats) of the side to move at the root, if enough nodes
    /// were searched since the previous attempt.
    pub(super) fn vct_when_due(&mut self) -> Option<(Move, i32)> {
        if !self.seeks_fours || self.nodes < self.vct.due {
            return None;
        }
        let plies = self.search_vct(self.nodes / 4);
        self.vct.due = 4 * self.nodes;
        let first = self.vct.first?;
        plies.map(|plies| (first, WIN - plies as i32))
    }

    /// The value of a root move that is known to lose by a VCT (victory by continuous threats). `None` if no
    /// loss is known.
    pub(super) fn known_loss(&self, at: Move) -> Option<i32> {
        let plies = self.refutation(at)?.lost?;
        Some(plies as i32 - WIN)
    }

    /// The value of a root move if the opponent has a VCT (victory by continuous threats) after the move;
    /// otherwise `None`. Called for moves that seem best. Searches the same move again only after the node
    /// count has about doubled.
    pub(super) fn refute(&mut self, at: Move) -> Option<i32> {
        let allowed = self.nodes / 4;
        let enough = |refutation: &RefutationAttempt| 2 * refutation.allowed > allowed;
        if !self.seeks_fours
            || self.is_helper
            || self.nodes < MIN_NODES
            || self.refutation(at).is_some_and(enough)
        {
            return None;
        }
        self.board.play(at);
        let plies = match self.board.outcome() {
            Some(_) => None,
            None => self.search_vct(allowed),
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

    /// The number of plies in which the side to move wins by a VCT; `None` if no VCT is found. Ends soon after
    /// `max_nodes` nodes.
    fn search_vct(&mut self, max_nodes: u64) -> Option<u32> {
        self.vct.until = self.nodes + max_nodes;
        for threats in 1..=MAX_THREATS {
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

    /// The number of plies in which the side to move wins with at most `threats` threats; `None` if no such win is
    /// found.
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
        let place = key as usize % FAILED_SLOTS;
        let (known, tried) = self.vct.failed[place];
        if known == key && tried >= threats {
            self.vct.cut = true;
            return None;
        }
        let must = only_completion(self.board.windows()?, mover.next(2)).ok()?;
        let mut list = self.take_list();
        match must {
            Some(at) => list.push(Candidate { at, move_score: 0 }),
            None => self.board.features().attacks(mover, &mut list),
        }
        list.sort_unstable_by_key(|attack| (-attack.move_score, attack.at));
        list.truncate(MAX_ATTACKS);
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
            self.vct.failed[place] = (key, threats);
        }
        found.map(|plies| plies + 1)
    }

    /// The number of plies in which the side to move loses, if it loses after every useful reply to the
    /// latest threat; otherwise `None`.
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
            Ok(Some(at)) => list.push(Candidate { at, move_score: 0 }),
            Ok(None) => {
                if self.sequence(mover, LAST_SEQUENCE).is_none() {
                    self.list_defences(&mut list);
                    list.sort_unstable_by_key(|defence| (-defence.move_score, defence.at));
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

    /// Takes the reusable list of the current ply and empties it.
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
