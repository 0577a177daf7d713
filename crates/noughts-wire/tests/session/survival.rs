//! Whatever is sent and told, in any order: nothing panics, and everything keeps its bound.

use noughts_wire::{Ask, Cell, Door, MOST_HELD, News, Refused, Session, Verdict};

/// The most that is answered before something is asked: 49 errors, READY, and 50 more errors.
const MOST_ANSWERED: usize = 100 * 28;

/// Each byte of the plan is a step: news, or a look at how many of the bytes to give. Asks are not
/// answered but by chance, and news comes that nobody asked for.
pub(crate) fn survive(door: Door, is_full: bool, plan: &[u8], bytes: &[u8]) {
    let mut session = Session::new(door, is_full);
    let mut rest = bytes;
    for &step in plan {
        let mut out = Vec::new();
        if let Some(news) = news(step) {
            session.tell(news, &mut out);
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
        while let Some(ask) = session.next(&mut out, || u32::from(step)) {
            assert!(!was_closed && out.len() <= MOST_ANSWERED);
            assert_eq!(matches!(ask, Ask::Close(_)), session.is_closed());
            out.clear();
        }
        assert!(out.len() <= MOST_ANSWERED && session.room() <= MOST_HELD);
        // Who is waited for can always speak: a whole frame has room.
        assert!(!session.waits_for_client() || session.room() > 270);
    }
}

fn news(step: u8) -> Option<News> {
    let cell = Cell::from_index(step / 16 % 9).expect("a cell");
    Some(match step % 16 {
        0 | 1 => News::Admitted { first: step >= 128 },
        2 => News::NotSeated,
        3 => News::Accepted,
        4 | 5 => News::Played(cell),
        6 => News::Refused(
            [Refused::NoSuchCell, Refused::Occupied, Refused::NotNow][usize::from(step / 16 % 3)],
        ),
        7 => News::Over {
            verdict: [Verdict::Lost, Verdict::Won, Verdict::Draw][usize::from(step / 16 % 3)],
            opponent_cell: (step >= 128).then_some(cell),
        },
        _ => return None,
    })
}
