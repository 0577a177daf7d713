//! The properties of every store that concern registered players.

use std::sync::Arc;

use noughts_rules::Conclusion;
use noughts_server::{
    Appended, Deletion, GameId, Holder, LINK_LIFETIME_MS, LinkCreation, ListQuery, MAX_LINKS,
    MAX_TOKENS, PlayerFilter, PlayerId, Redemption, SecretHash, Store, StoredPlayer,
};

use crate::games::{CREATED_MS, append, created, game, over, play, seated, summary};
use crate::properties::every;

fn player(id: u128, name: &str) -> StoredPlayer {
    StoredPlayer {
        id: PlayerId::new(id),
        name: name.to_owned(),
        is_bot: id.is_multiple_of(2),
        created_ms: CREATED_MS,
    }
}

/// The hash of a secret of these tests.
pub(crate) fn hash(text: &str) -> SecretHash {
    SecretHash::of(text)
}

pub(crate) async fn registered(store: &dyn Store, id: u128, name: &str) -> StoredPlayer {
    let player = player(id, name);
    let token = hash(&format!("token of {name}"));
    store.create_player(player.clone(), token).await.unwrap();
    player
}

async fn running(store: &dyn Store, id: PlayerId) -> Vec<GameId> {
    let query = ListQuery {
        player: Some(PlayerFilter::Running(id)),
        ..every()
    };
    let listed = store.list(query).await.unwrap();
    listed.into_iter().map(|listed| listed.id).collect()
}

pub(crate) async fn a_player_is_found_by_its_token(store: Arc<dyn Store>) {
    let ann = registered(&*store, u128::MAX, "Ann 日本 \\player").await;
    let bob = registered(&*store, 2, "Bob").await;
    let of_token = async |text: &str| store.player_of_token(hash(text)).await.unwrap();
    let token = format!("token of {}", ann.name);
    assert_eq!(of_token(&token).await, Some(ann.clone()));
    assert_eq!(of_token("token of Bob").await, Some(bob.clone()));
    assert_eq!(of_token("another").await, None);
    let mut both = store
        .players(vec![ann.id, PlayerId::new(7), bob.id])
        .await
        .unwrap();
    both.sort_by_key(|player| player.id);
    assert_eq!(both, [bob.clone(), ann]);
    assert_eq!(store.players(Vec::new()).await.unwrap(), []);
    // An id is used once. The token of the refused player is not stored.
    let again = store.create_player(player(2, "Cyd"), hash("new")).await;
    assert!(again.is_err(), "{again:?}");
    assert_eq!(of_token("new").await, None);
    assert_eq!(of_token("token of Bob").await, Some(bob));
}

pub(crate) async fn a_link_code_gives_one_token(store: Arc<dyn Store>) {
    let ann = registered(&*store, 1, "Ann").await;
    let link = async |code: &str| {
        let created = store.create_link(ann.id, hash(code), CREATED_MS).await;
        created.unwrap()
    };
    let redeem = async |code: &str, token: &str, at_ms: u64| {
        let redeemed = store.redeem_link(hash(code), hash(token), at_ms).await;
        redeemed.unwrap()
    };
    assert_eq!(link("code").await, LinkCreation::Created);
    let late_ms = CREATED_MS + LINK_LIFETIME_MS;
    assert_eq!(redeem("code", "t", late_ms).await, Redemption::NoSuchCode);
    let linked = redeem("code", "second", late_ms - 1).await;
    assert_eq!(linked, Redemption::Linked(ann.clone()));
    assert_eq!(
        redeem("code", "third", CREATED_MS).await,
        Redemption::NoSuchCode
    );
    let found = store.player_of_token(hash("second")).await.unwrap();
    assert_eq!(found, Some(ann.clone()));
    assert_eq!(store.player_of_token(hash("third")).await.unwrap(), None);
    // Both tokens are valid. Then all tokens except the first are revoked.
    let first = hash("token of Ann");
    assert_eq!(store.revoke_other_tokens(ann.id, first).await, Ok(1));
    assert_eq!(store.player_of_token(hash("second")).await.unwrap(), None);
    assert_eq!(
        store.player_of_token(first).await.unwrap(),
        Some(ann.clone())
    );
    // The numbers of codes and tokens are bounded. Expired codes do not count.
    for number in 0..MAX_LINKS {
        assert_eq!(link(&format!("c{number}")).await, LinkCreation::Created);
    }
    assert_eq!(link("one more").await, LinkCreation::TooMany);
    let later = store.create_link(ann.id, hash("later"), late_ms).await;
    assert_eq!(later, Ok(LinkCreation::Created));
    let nobody = PlayerId::new(9);
    let none = store.create_link(nobody, hash("x"), CREATED_MS).await;
    assert_eq!(none, Ok(LinkCreation::NoSuchPlayer));
    for number in 1..MAX_TOKENS {
        let code = format!("token {number}");
        let made = store.create_link(ann.id, hash(&code), late_ms).await;
        assert_eq!(made, Ok(LinkCreation::Created));
        let linked = redeem(&code, &format!("device {number}"), late_ms).await;
        assert_eq!(linked, Redemption::Linked(ann.clone()));
    }
    let refused = redeem("later", "too many", late_ms).await;
    assert_eq!(refused, Redemption::TooManyTokens);
    // The code is still valid.
    store.revoke_other_tokens(ann.id, first).await.unwrap();
    let linked = redeem("later", "after all", late_ms).await;
    assert_eq!(linked, Redemption::Linked(ann));
}

pub(crate) async fn running_games_of_a_player_are_listed(store: Arc<dyn Store>) {
    let ann = registered(&*store, 7, "Ann").await;
    let (id, text) = (ann.id, "player 7");
    assert_eq!(running(&*store, id).await, []);
    let unlisted = created(&*store, game(&[text, "link"])).await;
    let opened = created(&*store, game(&["Bob", "lobby"])).await;
    let of_others = created(&*store, game(&["Ann", "player 8"])).await;
    assert_eq!(running(&*store, id).await, [unlisted]);
    let mut take = append(opened, 1, [seated(1, text)]);
    let holders = [crate::games::holder("Bob"), Holder::Player(id)];
    take.summary = Some(summary(&holders));
    assert_eq!(store.append(&take).await, Ok(Appended::Stored));
    let mut both = [unlisted, opened];
    both.sort_unstable();
    both.reverse();
    assert_eq!(running(&*store, id).await, both);
    assert_eq!(running(&*store, PlayerId::new(8)).await, [of_others]);
    // Pages follow one another.
    let query = ListQuery {
        player: Some(PlayerFilter::Running(id)),
        attended_at_ms: None,
        before: Some((CREATED_MS, both[0])),
        limit: 1,
        ..every()
    };
    let page = store.list(query).await.unwrap();
    assert_eq!(page.iter().map(|one| one.id).collect::<Vec<_>>(), both[1..]);
    // A player with running games is not deleted.
    let kept = store.delete_player(id).await;
    assert_eq!(kept, Ok(Deletion::HasRunningGames));
    for game in both {
        let first = u32::from(game == opened) + 1;
        let mut end = append(game, first, [play(0, 4)]);
        let holders = store.load(game).await.unwrap().unwrap().settings.holders;
        let holders = match game == opened {
            true => vec![holders[0].clone(), Holder::Player(id)],
            false => holders,
        };
        end.summary = Some(over(&holders, Conclusion::Abandoned, CREATED_MS + 9));
        assert_eq!(store.append(&end).await, Ok(Appended::Stored));
    }
    assert_eq!(running(&*store, id).await, []);
    let query = ListQuery {
        player: Some(PlayerFilter::Player(id)),
        ..every()
    };
    let finished = store.list(query.clone()).await.unwrap();
    assert_eq!(finished.len(), 2);
    // The games of a deleted player stay.
    assert_eq!(store.delete_player(id).await, Ok(Deletion::Deleted));
    assert_eq!(store.delete_player(id).await, Ok(Deletion::NoSuchPlayer));
    assert_eq!(store.list(query).await.unwrap().len(), 2);
    let token = hash("token of Ann");
    assert_eq!(store.player_of_token(token).await, Ok(None));
    assert_eq!(store.players(vec![id]).await, Ok(Vec::new()));
}

pub(crate) async fn a_renamed_player_keeps_its_token(store: Arc<dyn Store>) {
    let ann = registered(&*store, 1, "Ann").await;
    let renamed = store.rename_player(ann.id, "Anna".to_owned()).await;
    assert_eq!(renamed, Ok(true));
    let nobody = store.rename_player(PlayerId::new(2), "x".to_owned()).await;
    assert_eq!(nobody, Ok(false));
    let found = store.player_of_token(hash("token of Ann")).await.unwrap();
    let anna = StoredPlayer {
        name: "Anna".to_owned(),
        ..ann
    };
    assert_eq!(found, Some(anna));
}

pub(crate) async fn players_without_games_expire(store: Arc<dyn Store>) {
    let mut idle = Vec::new();
    for id in 100..250 {
        idle.push(registered(&*store, id, &format!("p{id}")).await.id);
    }
    let plays = registered(&*store, 7, "Ann").await;
    let game = created(&*store, game(&["player 7", "Bob"])).await;
    let before_ms = CREATED_MS + 1;
    let expire = async |before_ms| {
        let mut visited = 0;
        loop {
            match store
                .expire_players(before_ms, CREATED_MS + 5)
                .await
                .unwrap()
            {
                0 => return visited,
                count => visited += count,
            }
        }
    };
    assert_eq!(expire(CREATED_MS).await, 0);
    assert_eq!(expire(before_ms).await, 151);
    assert_eq!(store.players(idle).await, Ok(Vec::new()));
    let token = hash("token of p100");
    assert_eq!(store.player_of_token(token).await, Ok(None));
    assert_eq!(store.players(vec![plays.id]).await, Ok(vec![plays.clone()]));
    // The player was just checked, and is checked again only later.
    assert_eq!(expire(before_ms).await, 0);
    let forgotten = store.forget(u64::MAX >> 1).await.unwrap();
    assert_eq!(forgotten, [game]);
    assert_eq!(running(&*store, plays.id).await, []);
    assert_eq!(expire(CREATED_MS + 6).await, 1);
    assert_eq!(store.players(vec![plays.id]).await, Ok(Vec::new()));
}
