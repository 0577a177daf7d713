//! How the databases write what the rules and the tables have no text for: one that people can
//! read in any database tool, and that reads back to the same.

use noughts_rules::{Action, Board, By, Conclusion, Move, Place, Seat, Side, Sides, Variant};

use crate::id::NodeId;
use crate::table::{Holder, Leavers, Opening};

/// Every text here ends up in a line of its own, and PostgreSQL takes no zero in a text.
const ESCAPES: [(char, char); 4] = [('\\', '\\'), ('\n', 'n'), ('\r', 'r'), ('\0', '0')];

/// A name as it is stored.
pub(super) fn write_name(name: &str) -> String {
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
pub(super) fn write_node(node: NodeId) -> String {
    format!("{:016x}", node.0)
}

pub(super) fn read_node(text: &str) -> Option<NodeId> {
    u64::from_str_radix(text, 16).ok().map(NodeId)
}

/// `open lobby`, `robot perfect`, `human Ann`, and at a TCP door `human@00c0ffee00c0ffee Ann`.
pub(super) fn write_holder(holder: &Holder) -> String {
    match holder {
        Holder::Open(Opening::Link) => "open link".to_owned(),
        Holder::Open(Opening::Lobby) => "open lobby".to_owned(),
        Holder::Robot(strategy) => format!("robot {strategy}"),
        Holder::Human { name, node: None } => format!("human {}", write_name(name)),
        Holder::Human {
            name,
            node: Some(node),
        } => format!("human@{} {}", write_node(*node), write_name(name)),
    }
}

pub(super) fn read_holder(text: &str) -> Option<Holder> {
    let (kind, rest) = text.split_once(' ')?;
    let human = |node| {
        let name = read_name(rest)?;
        Some(Holder::Human { name, node })
    };
    match (kind, rest) {
        ("open", "link") => Some(Holder::Open(Opening::Link)),
        ("open", "lobby") => Some(Holder::Open(Opening::Lobby)),
        ("robot", strategy) => strategy.parse().ok().map(Holder::Robot),
        ("human", _) => human(None),
        (kind, _) => human(Some(read_node(kind.strip_prefix("human@")?)?)),
    }
}

/// One seat a line.
pub(super) fn write_holders(holders: &[Holder]) -> String {
    let lines: Vec<String> = holders.iter().map(write_holder).collect();
    lines.join("\n")
}

pub(super) fn read_holders(text: &str) -> Option<Vec<Holder>> {
    text.lines().map(read_holder).collect()
}

/// What stands where an action would when seats left: `left 0 2`.
pub(super) fn write_leavers(leavers: Leavers) -> String {
    let seats = (0..64).filter(|seat| leavers.contains(Seat(*seat)));
    seats.fold("left".to_owned(), |text, seat| format!("{text} {seat}"))
}

pub(super) fn read_leavers(text: &str) -> Option<Leavers> {
    let mut words = text.split(' ');
    words.next().filter(|word| *word == "left")?;
    let nobody = Leavers::one(Seat(u8::MAX));
    words.try_fold(nobody, |leavers, seat| {
        Some(leavers.and(Seat(seat.parse().ok()?)))
    })
}

/// A play is written by the database, which knows the board: `1-0`. The rest is `<<2` or `resign`.
pub(super) fn write_action(action: Action) -> Result<Move, String> {
    match action {
        Action::Play(at) => Ok(at),
        Action::Rewind(count) => Err(format!("<<{count}")),
        Action::Resign => Err("resign".to_owned()),
    }
}

pub(super) fn read_action(variant: &Variant, text: &str) -> Option<Action> {
    if text == "resign" {
        return Some(Action::Resign);
    }
    if let Some(count) = text.strip_prefix("<<") {
        return count.parse().ok().map(Action::Rewind);
    }
    match variant.read_place(text).ok()? {
        Place::Cell(at) => Some(Action::Play(at)),
        // Where it comes to rest is known when it is stored.
        Place::Column(_) => None,
    }
}

/// What the second number of a move counts to: columns, or cells of a small board.
pub(super) fn row_length(variant: &Variant) -> usize {
    match variant {
        Variant::Grid(spec) => spec.columns(),
        Variant::Nested(_) => 9,
    }
}

/// `draw`, `abandoned`, `won x by line 0 4 8`: cells are counted from 0, row by row.
pub(super) fn write_conclusion(conclusion: &Conclusion) -> String {
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
        By::Line(cells) => numbers("line", &mut cells.iter().map(|at| at.index())),
        By::Boards(boards) => numbers("boards", &mut boards.iter().map(|board| board.index())),
        By::Points => "points".to_owned(),
        By::Resignation => "resignation".to_owned(),
        By::Leaving => "leaving".to_owned(),
    };
    format!("won {winners} by {by}")
}

pub(super) fn read_conclusion(variant: &Variant, text: &str) -> Option<Conclusion> {
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
        "line" => By::Line(numbers.by_ref().map(cell).collect::<Option<_>>()?),
        "boards" => By::Boards(numbers.by_ref().map(board).collect::<Option<_>>()?),
        "points" => By::Points,
        "resignation" => By::Resignation,
        "leaving" => By::Leaving,
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
    fn holders_read_back_whatever_their_names() {
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
                    write_holders(&[human.clone(), Holder::Open(Opening::Link), human.clone()]);
                assert_eq!(text.lines().count(), 3, "{text:?}");
                let read = read_holders(&text).unwrap();
                assert_eq!(read, [human.clone(), Holder::Open(Opening::Link), human]);
            }
        }
        let robot = Holder::Robot("level:8".parse().unwrap());
        assert_eq!(write_holder(&robot), "robot level:8");
        assert_eq!(read_holder("robot level:8"), Some(robot));
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
                won(By::Line(vec![Move::at(0), Move::at(80)])),
                "won x by line 0 80",
            ),
            (won(By::Line(vec![])), "won x by line"),
            (
                won(By::Boards(Board::all().take(2).collect())),
                "won x by boards 0 1",
            ),
            (won(By::Points), "won x by points"),
            (won(By::Resignation), "won x by resignation"),
            (won(By::Leaving), "won x by leaving"),
        ] {
            assert_eq!(write_conclusion(&conclusion), text);
            assert_eq!(read_conclusion(&variant, text), Some(conclusion));
        }
    }

    #[test]
    fn what_nobody_wrote_is_not_read() {
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
        assert_eq!(read_leavers("right 0"), None);
        assert_eq!(
            read_leavers("left 0 2"),
            Some(Leavers::one(Seat(0)).and(Seat(2)))
        );
    }
}
