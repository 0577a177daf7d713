//! Random bytes and events in any order: nothing panics, and every bound holds.

use noughts_wire::{
    Cell, GameMode, GameResult, MAX_BUFFERED_BYTES, MoveRefusal, Session, SessionEvent,
    SessionRequest,
};

/// Maximum number of bytes that one call of `next_request` appends: 49 errors, READY and 50 more errors, with at most
/// 28 bytes each.
const MAX_ANSWERED_BYTES: usize = 100 * 28;

/// Runs a session and checks its bounds. Each byte of `plan` is a step: an event, or a number of `bytes` to pass.
/// Requests are answered only by chance, and events come that were not requested.
pub(crate) fn survive(mode: GameMode, is_full: bool, plan: &[u8], bytes: &[u8]) {
    let mut session = Session::new(mode, is_full);
    let mut rest = bytes;
    for &step in plan {
        let mut out = Vec::new();
        if let Some(event) = event(step) {
            session.handle(event, &mut out);
            assert!(out.len() <= 28, "one frame at most");
            out.clear();
        } else {
            let length = rest.len().min(usize::from(step));
            let room = session.room();
            let taken = session.receive(&rest[..length]);
            assert_eq!(taken, length.min(room));
            rest = &rest[taken..];
        }
        let was_closed = session.is_closed();
        while let Some(ask) = session.next_request(&mut out, || u32::from(step)) {
            assert!(!was_closed && out.len() <= MAX_ANSWERED_BYTES);
            assert_eq!(matches!(ask, SessionRequest::Close(_)), session.is_closed());
            out.clear();
        }
        assert!(out.len() <= MAX_ANSWERED_BYTES && session.room() <= MAX_BUFFERED_BYTES);
        // While the session waits for the client, it has room for a whole frame.
        assert!(!session.waits_for_client() || session.room() > 270);
    }
}

fn event(step: u8) -> Option<SessionEvent> {
    let cell = Cell::from_index(step / 16 % 9).expect("a cell");
    Some(match step % 16 {
        0 | 1 => SessionEvent::Admitted { first: step >= 128 },
        2 => SessionEvent::NotSeated,
        3 => SessionEvent::Accepted,
        4 | 5 => SessionEvent::Played(cell),
        6 => SessionEvent::Refused(
            [
                MoveRefusal::NoSuchCell,
                MoveRefusal::Occupied,
                MoveRefusal::NotNow,
            ][usize::from(step / 16 % 3)],
        ),
        7 => SessionEvent::Over {
            result: [GameResult::Lost, GameResult::Won, GameResult::Draw]
                [usize::from(step / 16 % 3)],
            opponent_cell: (step >= 128).then_some(cell),
        },
        _ => return None,
    })
}
