//! The text form of stored values: readable in any database tool, and read back to the same value.

use noughts_rules::{
    Action, Board, Conclusion, Move, Place, Seat, Side, Sides, Variant, WinReason,
};

use crate::id::NodeId;
use crate::table::{EndReason, Holder, Offer, OpenTo, SeatSet, Status};

/// Holders are stored one per line, and PostgreSQL refuses zero bytes in text.
const ESCAPES: [(char, char); 4] = [('\\', '\\'), ('\n', 'n'), ('\r', 'r'), ('\0', '0')];

/// A name as it is stored: one line, with escapes.
pub(in crate::store) fn write_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for letter in name.chars() {
        match ESCAPES.iter().find(|(raw, _)| *raw == letter) {
            Some((_, escaped)) => text.extend(['\\', *escaped]),
            None => text.push(letter),
        }
    }
    text
}

fn read_name(text: &str) -> Option<String> {
    let mut name = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        name.push(match letter {
            '\\' => {
                let escaped = letters.next()?;
                ESCAPES.iter().find(|(_, e)| *e == escaped)?.0
            }
            letter => letter,
        });
    }
    Some(name)
}

/// `00c0ffee00c0ffee`.
pub(in crate::store) fn write_node(node: NodeId) -> String {
    format!("{:016x}", node.0)
}

pub(in crate::store) fn read_node(text: &str) -> Option<NodeId> {
    u64::from_str_radix(text, 16).ok().map(NodeId)
}

/// `open lobby`, `robot perfect`, `human Ann`; for a TCP connection `human@00c0ffee00c0ffee Ann`.
pub(in crate::store) fn write_holder(holder: &Holder) -> String {
    match holder {
        Holder::Open(OpenTo::Link) => "open link".to_owned(),
        Holder::Open(OpenTo::Lobby) => "open lobby".to_owned(),
        Holder::Robot(strategy) => format!("robot {strategy}"),
        Holder::Human { name, node: None } => format!("human {}", write_name(name)),
        Holder::Human {
            name,
            node: Some(node),
        } => format!("human@{} {}", write_node(*node), write_name(name)),
    }
}

pub(in crate::store) fn read_holder(text: &str) -> Option<Holder> {
    let (kind, rest) = text.split_once(' ')?;
    let human = |node| {
        let name = read_name(rest)?;
        Some(Holder::Human { name, node })
    };
    match (kind, rest) {
        ("open", "link") => Some(Holder::Open(OpenTo::Link)),
        ("open", "lobby") => Some(Holder::Open(OpenTo::Lobby)),
        ("robot", strategy) => strategy.parse().ok().map(Holder::Robot),
        ("human", _) => human(None),
        (kind, _) => human(Some(read_node(kind.strip_prefix("human@")?)?)),
    }
}

/// One seat per line.
pub(in crate::store) fn write_holders(holders: &[Holder]) -> String {
    let lines: Vec<String> = holders.iter().map(write_holder).collect();
    lines.join("\n")
}

pub(in crate::store) fn read_holders(text: &str) -> Option<Vec<Holder>> {
    text.lines().map(read_holder).collect()
}

/// The names of the people among these holders, as they are stored. Works on the text alone, so a
/// line that cannot be read costs only its own name.
pub(in crate::store) fn names_in(holders: &str) -> Vec<String> {
    let name = |line: &str| {
        let (kind, name) = line.split_once(' ')?;
        let is_human = kind == "human" || kind.starts_with("human@");
        is_human.then(|| name.to_owned())
    };
    sorted(holders.lines().filter_map(name).collect())
}

/// The names of the people among these holders, as they are stored.
pub(in crate::store) fn names_of<'h>(holders: impl IntoIterator<Item = &'h Holder>) -> Vec<String> {
    let name = |holder: &Holder| match holder {
        Holder::Human { name, .. } => Some(write_name(name)),
        Holder::Open(_) | Holder::Robot(_) => None,
    };
    sorted(holders.into_iter().filter_map(name).collect())
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

/// `0 2`.
pub(in crate::store) fn write_seats(seats: SeatSet) -> String {
    let seats: Vec<String> = seats.iter().map(|seat| seat.0.to_string()).collect();
    seats.join(" ")
}

pub(in crate::store) fn read_seats(text: &str) -> Option<SeatSet> {
    let seat = |word: &str| word.parse().ok().filter(|seat| *seat < 64).map(Seat);
    text.split_ascii_whitespace().map(seat).collect()
}

/// `leaving 0 2`.
pub(in crate::store) fn write_end(reason: EndReason, seats: SeatSet) -> String {
    let reason = match reason {
        EndReason::Leaving => "leaving",
    };
    format!("{reason} {}", write_seats(seats))
}

pub(in crate::store) fn read_end(text: &str) -> Option<(EndReason, SeatSet)> {
    let (reason, seats) = text.split_once(' ')?;
    let reason = match reason {
        "leaving" => EndReason::Leaving,
        _ => return None,
    };
    Some((reason, read_seats(seats)?))
}

pub(in crate::store) fn write_offer(offer: Offer) -> &'static str {
    match offer {
        Offer::Rematch => "rematch",
    }
}

pub(in crate::store) fn read_offer(text: &str) -> Option<Offer> {
    match text {
        "rematch" => Some(Offer::Rematch),
        _ => None,
    }
}

/// `1-0`, `<<2` or `resign`.
pub(in crate::store) fn write_action(variant: &Variant, action: Action) -> String {
    match action {
        Action::Play(at) => variant.format_move(at),
        Action::Rewind(count) => format!("<<{count}"),
        Action::Resign => "resign".to_owned(),
    }
}

pub(in crate::store) fn read_action(variant: &Variant, text: &str) -> Option<Action> {
    if text == "resign" {
        return Some(Action::Resign);
    }
    if let Some(count) = text.strip_prefix("<<") {
        return count.parse().ok().map(Action::Rewind);
    }
    match variant.parse_place(text).ok()? {
        Place::Cell(at) => Some(Action::Play(at)),
        // Entries have the cell where a mark ended up, also with gravity.
        Place::Column(_) => None,
    }
}

pub(in crate::store) fn write_status(status: Status) -> &'static str {
    match status {
        Status::Unlisted => "unlisted",
        Status::Waiting => "waiting",
        Status::Playing => "playing",
        Status::Over => "over",
    }
}

pub(in crate::store) fn read_status(word: &str) -> Option<Status> {
    match word {
        "unlisted" => Some(Status::Unlisted),
        "waiting" => Some(Status::Waiting),
        "playing" => Some(Status::Playing),
        "over" => Some(Status::Over),
        _ => None,
    }
}

/// `draw`, `abandoned`, `won x by line 0 4 8`: cells are counted from 0, row by row.
pub(in crate::store) fn write_conclusion(conclusion: &Conclusion) -> String {
    let (sides, by) = match conclusion {
        Conclusion::Draw => return "draw".to_owned(),
        Conclusion::Abandoned => return "abandoned".to_owned(),
        Conclusion::Won { sides, by } => (sides, by),
    };
    let winners: String = sides.iter().map(Side::symbol).collect();
    let numbers = |word: &str, numbers: &mut dyn Iterator<Item = usize>| {
        numbers.fold(word.to_owned(), |text, number| format!("{text} {number}"))
    };
    let by = match by {
        WinReason::Line(cells) => numbers("line", &mut cells.iter().map(|at| at.index())),
        WinReason::Boards(boards) => {
            numbers("boards", &mut boards.iter().map(|board| board.index()))
        }
        WinReason::Points => "points".to_owned(),
        WinReason::Resignation => "resignation".to_owned(),
        WinReason::Leaving => "leaving".to_owned(),
    };
    format!("won {winners} by {by}")
}

pub(in crate::store) fn read_conclusion(variant: &Variant, text: &str) -> Option<Conclusion> {
    let rest = match text {
        "draw" => return Some(Conclusion::Draw),
        "abandoned" => return Some(Conclusion::Abandoned),
        text => text.strip_prefix("won ")?,
    };
    let (winners, by) = rest.split_once(" by ")?;
    let sides: Option<Sides> = winners.chars().map(Side::from_symbol).collect();
    let mut words = by.split(' ');
    let word = words.next()?;
    let mut numbers = words.map(|number| number.parse::<usize>().ok());
    let cell = |number: Option<usize>| number.filter(|n| *n < variant.cells()).map(Move::at);
    let board = |number: Option<usize>| Board::new(u8::try_from(number?).ok()?);
    let by = match word {
        "line" => WinReason::Line(numbers.by_ref().map(cell).collect::<Option<_>>()?),
        "boards" => WinReason::Boards(numbers.by_ref().map(board).collect::<Option<_>>()?),
        "points" => WinReason::Points,
        "resignation" => WinReason::Resignation,
        "leaving" => WinReason::Leaving,
        _ => return None,
    };
    let sides = sides?;
    numbers
        .next()
        .is_none()
        .then_some(Conclusion::Won { sides, by })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holders_with_any_name_read_back() {
        for name in [
            "",
            "Ann",
            " ",
            "a\\nb",
            "two\nlines\r\n",
            "\0",
            "robot perfect",
            "日本",
        ] {
            for node in [None, Some(NodeId(0)), Some(NodeId(u64::MAX))] {
                let name = name.to_owned();
                let human = Holder::Human { name, node };
                let text =
                    write_holders(&[human.clone(), Holder::Open(OpenTo::Link), human.clone()]);
                assert_eq!(text.lines().count(), 3, "{text:?}");
                let read = read_holders(&text).unwrap();
                assert_eq!(read, [human.clone(), Holder::Open(OpenTo::Link), human]);
            }
        }
        let robot = Holder::Robot("level:8".parse().unwrap());
        assert_eq!(write_holder(&robot), "robot level:8");
        assert_eq!(read_holder("robot level:8"), Some(robot));
    }

    #[test]
    fn names_are_found_in_texts_with_unreadable_lines() {
        let node = Some(NodeId(7));
        let human = |name: &str, node| Holder::Human {
            name: name.to_owned(),
            node,
        };
        let holders = [human("Bo\nb", node), human("Ann", None), human("Ann", node)];
        let text = format!("{}\nnonsense\nrobot x", write_holders(&holders));
        assert_eq!(names_in(&text), ["Ann", "Bo\\nb"]);
        assert_eq!(names_of(&holders), ["Ann", "Bo\\nb"]);
    }

    #[test]
    fn ends_read_back() {
        let seats = SeatSet::only(Seat(0)).with(Seat(63));
        let text = write_end(EndReason::Leaving, seats);
        assert_eq!(text, "leaving 0 63");
        assert_eq!(read_end(&text), Some((EndReason::Leaving, seats)));
    }

    #[test]
    fn conclusions_read_back() {
        let variant = "multi".parse().unwrap();
        let won = |by| Conclusion::Won {
            sides: Sides::only(Side::FIRST),
            by,
        };
        for (conclusion, text) in [
            (Conclusion::Draw, "draw"),
            (Conclusion::Abandoned, "abandoned"),
            (
                won(WinReason::Line(vec![Move::at(0), Move::at(80)])),
                "won x by line 0 80",
            ),
            (won(WinReason::Line(vec![])), "won x by line"),
            (
                won(WinReason::Boards(Board::all().take(2).collect())),
                "won x by boards 0 1",
            ),
            (won(WinReason::Points), "won x by points"),
            (won(WinReason::Resignation), "won x by resignation"),
            (won(WinReason::Leaving), "won x by leaving"),
        ] {
            assert_eq!(write_conclusion(&conclusion), text);
            assert_eq!(read_conclusion(&variant, text), Some(conclusion));
        }
    }

    #[test]
    fn other_texts_are_not_read() {
        let variant = "3x3k3".parse().unwrap();
        for text in [
            "",
            "won",
            "won x by",
            "won x by line 9",
            "won x by points 1",
            "lost",
        ] {
            assert_eq!(read_conclusion(&variant, text), None, "{text:?}");
        }
        for text in ["", "0-3", "<<", "3", "left 0", "<<99999"] {
            assert_eq!(read_action(&variant, text), None, "{text:?}");
        }
        for text in [
            "",
            "open",
            "open door",
            "robot",
            "robot of mine",
            "human",
            "human@x y",
            "human \\x",
        ] {
            assert_eq!(read_holder(text), None, "{text:?}");
        }
        for text in ["", "leaving", "boredom 0", "leaving 64", "leaving x"] {
            assert_eq!(read_end(text), None, "{text:?}");
        }
    }
}
