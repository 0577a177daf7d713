//! Boards that don't fit, and terminals that are too small.

use noughts_terminal::tui::Effect;
use ratatui::crossterm::event::MouseEventKind;

use crate::player::{PLAIN, Player};

#[test]
fn a_board_of_255_scrolls_with_the_focus() {
    let mut player = Player::new("255x255k5 human human");
    player.sees("At 127-127.");
    for arrow in ["↑", "↓", "←·", "→"] {
        player.sees(arrow);
    }
    for _ in 0..130 {
        player.keys("left up");
    }
    player.sees("At 0-0.").sees("  0 [·]").does_not_see("←·");
    player.keys("pgdn").sees("At 18-0.").keys("pgup");
    player.sees("At 0-0.");
    // A play that nobody would see is brought into view.
    player
        .play("254-254")
        .sees("254")
        .sees("At 254-254.")
        .sees("[×]");
    player.play("3-3").sees("[○]").keys(",").sees("(×)");
}

#[test]
fn the_wheel_scrolls_and_takes_the_focus_along() {
    let mut player = Player::new("255x255k5 human human");
    let at = player.find("[");
    player
        .sees("At 127-127.")
        .mouse(MouseEventKind::ScrollDown, at);
    player.sees("At 127-127.");
    for _ in 0..100 {
        player.mouse(MouseEventKind::ScrollDown, at);
    }
    player.sees("254  ·").sees("At 236-127.");
    for _ in 0..100 {
        player.mouse(MouseEventKind::ScrollRight, at);
    }
    player.sees("At 236-234.");
    for _ in 0..100 {
        player.mouse(MouseEventKind::ScrollUp, at);
    }
    player.sees("  0  ·").sees("At 18-234.");
}

#[test]
fn a_click_on_a_scrolled_board_plays_what_it_shows() {
    let mut player = Player::new("255x255k5 human human");
    for _ in 0..70 {
        player.keys("down");
    }
    let (x, y) = player.find("[");
    player.click((x + 3, y)).sees("1 × 197-128");
    player.click((x, y + 1)).sees("2 ○ 198-127");
}

#[test]
fn a_terminal_that_is_too_small_says_how_large_it_must_be() {
    let mut player = Player::new("3x3k3 human human");
    player.resize(63, 24);
    player.sees("This terminal is 63 x 24. Noughts needs 64 x 20");
    // Nothing is played on a board that nobody sees.
    player.keys("enter").resize(80, 24);
    player.sees("turn 1").resize(80, 19);
    player.sees("This terminal is 80 x 19.").resize(20, 3);
    player.screen();
    player.keys("q");
    assert_eq!(player.effect, Effect::Quit);
}

#[test]
fn sixty_four_sides_have_their_seats() {
    let seats = "human ".repeat(64);
    let mut player = Player::with(&format!("20x20k5p64 {seats}"), "0", PLAIN);
    for column in 0..20 {
        player.play(&format!("0-{column}"));
    }
    player.sees("20 s 0-19").sees(">t human").sees("t to play.");
}
