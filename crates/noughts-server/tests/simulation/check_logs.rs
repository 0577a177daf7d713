//! Compares the stored logs with what clients observed.

use std::collections::{HashMap, HashSet};

use noughts_rules::{Action, Conclusion, Seat, Turn, WinReason};
use noughts_server::{
    EndReason, Entry, GameId, Holder, ListedGame, NodeId, Offer, Status, StoredGame, Table,
};

use crate::observations::Observations;
use crate::scenario::Scenario;
use crate::watchers::Watched;

/// A stored game and its replay.
struct CheckedGame {
    stored: StoredGame,
    table: Table,
}

/// Compares the stored logs with the lists and with what clients observed. Panics if they disagree.
pub(crate) async fn check(scenario: &Scenario, killed: NodeId, watched: Vec<Watched>) {
    let mut games = HashMap::new();
    for id in scenario.database.ids() {
        if let Some(stored) = scenario.database.load(id).await {
            let table = Table::replay(stored.settings.clone(), &stored.entries);
            let table = table.unwrap_or_else(|invalid| panic!("{invalid:?} in {stored:?}"));
            games.insert(id, CheckedGame { stored, table });
        }
    }
    let listed = scenario.database.list().await;
    let mut observations = scenario.observations();
    for checked in games.values() {
        check_log(checked, &observations);
        check_seats(checked, killed, scenario, &mut observations);
        count(checked, &mut observations);
    }
    check_rematches(&games, &observations);
    check_observations(&games, &observations);
    check_lists(&games, &listed);
    for (node, seat) in scenario.kept.lock().unwrap().iter_mut() {
        if !node.is_killed() {
            let told = seat.progress().end.map(|end| end.result);
            let table = &games[&seat.game()].table;
            assert_eq!(told, table.result(seat.seat()), "{seat:?}");
        }
    }
    for watched in watched {
        let checked = &games[&watched.game];
        assert_eq!(watched, Watched::of(&checked.table), "{:?}", checked.stored);
    }
}

/// Checks the log of one game by itself.
fn check_log(checked: &CheckedGame, observations: &Observations) {
    let CheckedGame { stored, table } = checked;
    let mut at_ms = stored.settings.created_ms;
    let mut keys = HashSet::new();
    let (mut ends, mut rematches) = (0, 0);
    for logged in &stored.entries {
        assert!(logged.at_ms >= at_ms, "time goes back: {stored:?}");
        at_ms = logged.at_ms;
        if let Some(key) = &logged.key {
            assert!(keys.insert(&key.text), "a key acted twice: {stored:?}");
            let refused = observations.refused_keys.get(&key.text);
            assert_eq!(refused, None, "{logged:?}: {stored:?}");
        }
        match &logged.entry {
            Entry::Ended { .. } => ends += 1,
            Entry::RematchCreated(_) => rematches += 1,
            Entry::Turn(_)
            | Entry::Seated { .. }
            | Entry::Offered { .. }
            | Entry::Answered { .. }
            | Entry::TimeAdded { .. } => {}
        }
    }
    assert!(ends <= 1 && rematches <= 1, "{stored:?}");
    assert_eq!(
        table.robot_to_move(),
        None,
        "a robot stands still: {stored:?}"
    );
}

/// Checks the seats of TCP clients.
fn check_seats(
    checked: &CheckedGame,
    killed: NodeId,
    scenario: &Scenario,
    observations: &mut Observations,
) {
    let CheckedGame { stored, table } = checked;
    let kept: HashSet<(GameId, Seat)> = {
        let kept = scenario.kept.lock().unwrap();
        kept.iter()
            .map(|(_, seat)| (seat.game(), seat.seat()))
            .collect()
    };
    let left = stored
        .entries
        .iter()
        .find_map(|logged| match &logged.entry {
            Entry::Ended {
                reason: EndReason::Leaving,
                seats,
            } => Some(*seats),
            _ => None,
        });
    let left = left.unwrap_or_default();
    for (seat, holder) in (0..).map(Seat).zip(table.holders()) {
        let Holder::Human {
            node: Some(node), ..
        } = holder
        else {
            assert!(
                !left.contains(seat),
                "{seat:?} has no connection: {stored:?}"
            );
            continue;
        };
        let place = (table.id(), seat);
        if *node == killed {
            assert!(
                table.is_over(),
                "{seat:?} of a dead node plays on: {stored:?}"
            );
            observations.add("games killed with a node", left.contains(seat).into());
            continue;
        }
        let has_left = observations.connected.get(&place).is_none_or(|left| *left);
        assert!(
            has_left || !left.contains(seat),
            "{seat:?} is connected and did not leave: {stored:?}"
        );
        assert!(
            table.is_over() || kept.contains(&place),
            "nobody is at {seat:?}: {stored:?}"
        );
    }
}

/// Checks that each rematch was created exactly once, together with the entry of its game.
fn check_rematches(games: &HashMap<GameId, CheckedGame>, observations: &Observations) {
    let mut rematches = HashSet::new();
    for CheckedGame { stored, table } in games.values() {
        let Some(next) = table.rematch() else {
            continue;
        };
        assert!(rematches.insert(next), "{next} is the rematch of two games");
        let next = games.get(&next);
        let next = next.unwrap_or_else(|| panic!("the rematch of {stored:?} is not stored"));
        let mut holders = table.holders().to_vec();
        holders.rotate_right(1);
        assert_eq!(next.stored.settings.holders, holders);
    }
    for (id, checked) in games {
        let is_connected = |holder: &Holder| matches!(holder, Holder::Human { node: Some(_), .. });
        let is_tcp = checked.stored.settings.holders.iter().any(is_connected);
        let kinds = [
            observations.created.contains(id),
            rematches.contains(id),
            is_tcp,
        ];
        let kinds = kinds.iter().filter(|kind| **kind).count();
        assert_eq!(kinds, 1, "nobody or too many created {:?}", checked.stored);
    }
}

/// Checks that everything that clients observed is in the logs exactly once.
fn check_observations(games: &HashMap<GameId, CheckedGame>, observations: &Observations) {
    for act in &observations.acts {
        let CheckedGame { stored, table } = &games[&act.game];
        let turn = Turn {
            by: act.seat,
            action: act.action,
        };
        let done = table.game().turns().get(act.turn - 1);
        let is_aborted = table.game().conclusion() == Some(&Conclusion::Aborted);
        if act.action == Action::Resign && is_aborted {
            // A resignation at a waiting table aborts the game and is not a turn.
            continue;
        }
        assert_eq!(done, Some(&turn), "{act:?} is lost: {stored:?}");
    }
    for (game, seat, holder) in &observations.seated {
        let CheckedGame { stored, table } = &games[game];
        let is_it = |entry: &Entry| matches!(entry, Entry::Seated { seat: its, .. } if its == seat);
        let times = stored.entries.iter().filter(|logged| is_it(&logged.entry));
        assert_eq!(times.count(), 1, "{stored:?}");
        assert_eq!(table.holder(*seat), Some(holder), "{stored:?}");
    }
    for (game, seat) in &observations.offers {
        let CheckedGame { stored, .. } = &games[game];
        let is_it = |entry: &Entry| matches!(entry, Entry::Offered { seat: its, offer: Offer::Rematch } if its == seat);
        let times = stored.entries.iter().filter(|logged| is_it(&logged.entry));
        assert_eq!(times.count(), 1, "the offer of {seat:?}: {stored:?}");
    }
    for (game, seat, result) in &observations.results {
        let CheckedGame { stored, table } = &games[game];
        assert_eq!(table.result(*seat), Some(*result), "{seat:?}: {stored:?}");
    }
    for (game, turns) in &observations.turns {
        let CheckedGame { stored, table } = &games[game];
        assert!(
            table.game().turns().starts_with(turns),
            "{turns:?}: {stored:?}"
        );
    }
    for game in &observations.created {
        assert!(games.contains_key(game), "{game} is lost");
    }
}

/// Checks that the lists agree with the logs.
fn check_lists(games: &HashMap<GameId, CheckedGame>, listed: &[ListedGame]) {
    let shown: HashMap<GameId, &ListedGame> = listed.iter().map(|one| (one.id, one)).collect();
    assert_eq!(shown.len(), listed.len(), "a game is listed twice");
    for (id, CheckedGame { stored, table }) in games {
        let expected = table.summary();
        let Some(one) = shown.get(id) else {
            assert_eq!(expected.status, Status::Unlisted, "{stored:?}");
            continue;
        };
        let summary = &one.summary;
        assert_eq!(summary.status, expected.status, "{stored:?}");
        assert_eq!(summary.holders, expected.holders, "{stored:?}");
        match (summary.deadline_ms, expected.deadline_ms) {
            // Turns do not always store the deadline of a clock. The stored deadline may be too early, but never too
            // late.
            (Some(listed), Some(expected)) if table.settings().clock.is_some() => {
                assert!(listed <= expected, "{listed} {expected}: {stored:?}");
            }
            (listed, expected) => assert_eq!(listed, expected, "{stored:?}"),
        }
        let conclusions = [summary, &expected]
            .map(|summary| summary.ending.as_ref().map(|ending| &ending.conclusion));
        assert_eq!(conclusions[0], conclusions[1], "{stored:?}");
    }
}

fn count(checked: &CheckedGame, observations: &mut Observations) {
    let table = &checked.table;
    observations.count("games");
    observations.add("rematches", table.rematch().is_some().into());
    observations.count(match table.game().conclusion() {
        None => "unfinished",
        Some(Conclusion::Draw { .. }) => "draws",
        Some(Conclusion::Abandoned) => "abandoned",
        Some(Conclusion::Aborted) => "aborted",
        Some(Conclusion::Won { by, .. }) => match by {
            WinReason::Line(_) | WinReason::Boards(_) | WinReason::Points => "lines",
            WinReason::Resignation => "resignations",
            WinReason::Leaving => "leavings",
            WinReason::Time => "flags",
            WinReason::Claim => "claims",
        },
    });
    for logged in &checked.stored.entries {
        match &logged.entry {
            Entry::Turn(Turn {
                by,
                action: Action::Play(_),
            }) => match table.holder(*by) {
                Some(Holder::Robot(name)) if name.to_string() == "minimax:2" => {
                    observations.count("moves of robots that think");
                }
                Some(Holder::Robot(_)) => observations.count("moves of instant robots"),
                _ => observations.count("moves of people"),
            },
            Entry::Seated {
                holder: Holder::Human { node: Some(_), .. },
                ..
            } => observations.count("seats taken by TCP clients"),
            _ => {}
        }
    }
}
