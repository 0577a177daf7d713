//! The text form of stored values. The text is readable in any database tool. Parsing the text gives the
//! original value.

use noughts_rules::{
    Action, Board, Conclusion, DrawReason, Move, Place, Seat, Side, Sides, Variant, WinReason,
};

use crate::id::{NodeId, PlayerId};
use crate::table::{Answer, EndReason, Holder, Offer, OpenTo, SeatSet, Status};

/// The characters that are escaped in names. Each pair has the character itself and the character after the backslash.
/// For example, a line break is stored as `\n`. Line breaks are escaped because holders are stored one per line. Zero
/// bytes are escaped because PostgreSQL refuses them in text.
const ESCAPES: [(char, char); 4] = [('\\', '\\'), ('\n', 'n'), ('\r', 'r'), ('\0', '0')];

/// A name as stored: one line, with escapes.
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

/// Formats a node's id: `00c0ffee00c0ffee`.
pub(in crate::store) fn write_node(node: NodeId) -> String {
    format!("{:016x}", node.0)
}

pub(in crate::store) fn read_node(text: &str) -> Option<NodeId> {
    u64::from_str_radix(text, 16).ok().map(NodeId)
}

/// The prefix of registered players in the table `seat_names`. All other names in this table have the form that
/// [`write_name`] returns. They never begin with this prefix, because `\p` is not an escape.
const PLAYER_PREFIX: &str = "\\player ";

/// The text of a registered player in the table `seat_names`: `\player 0123…`.
pub(in crate::store) fn write_player(player: PlayerId) -> String {
    format!("{PLAYER_PREFIX}{player}")
}

/// Formats a holder: `open lobby`, `robot perfect`, `human Ann`, `player 0123…`, or, for a TCP connection,
/// `human@00c0ffee00c0ffee Ann`.
pub(in crate::store) fn write_holder(holder: &Holder) -> String {
    match holder {
        Holder::Open(OpenTo::Link) => "open link".to_owned(),
        Holder::Open(OpenTo::ListedLink) => "open listed-link".to_owned(),
        Holder::Open(OpenTo::Lobby) => "open lobby".to_owned(),
        Holder::Robot(strategy) => format!("robot {strategy}"),
        Holder::Player(player) => format!("player {player}"),
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
        ("open", "listed-link") => Some(Holder::Open(OpenTo::ListedLink)),
        ("open", "lobby") => Some(Holder::Open(OpenTo::Lobby)),
        ("robot", strategy) => strategy.parse().ok().map(Holder::Robot),
        ("player", id) => id.parse().ok().map(Holder::Player),
        ("human", _) => human(None),
        (kind, _) => human(Some(read_node(kind.strip_prefix("human@")?)?)),
    }
}

/// Formats the holders of a table, one seat per line.
pub(in crate::store) fn write_holders(holders: &[Holder]) -> String {
    let lines: Vec<String> = holders.iter().map(write_holder).collect();
    lines.join("\n")
}

pub(in crate::store) fn read_holders(text: &str) -> Option<Vec<Holder>> {
    text.lines().map(read_holder).collect()
}

/// The names of the people among stored holders, in the form of the table `seat_names`. The function works on the text,
/// so an unreadable line affects only the name in this line.
pub(in crate::store) fn names_in(holders: &str) -> Vec<String> {
    let name = |line: &str| {
        let (kind, name) = line.split_once(' ')?;
        match kind {
            "player" => Some(format!("{PLAYER_PREFIX}{name}")),
            kind if kind == "human" || kind.starts_with("human@") => Some(name.to_owned()),
            _ => None,
        }
    };
    sorted(holders.lines().filter_map(name).collect())
}

/// The names of the people among `holders`, in the form of the table `seat_names`.
pub(in crate::store) fn names_of<'h>(holders: impl IntoIterator<Item = &'h Holder>) -> Vec<String> {
    let name = |holder: &Holder| match holder {
        Holder::Human { name, .. } => Some(write_name(name)),
        Holder::Player(player) => Some(write_player(*player)),
        Holder::Open(_) | Holder::Robot(_) => None,
    };
    sorted(holders.into_iter().filter_map(name).collect())
}

/// The registered players among `holders`, in the form of the table `seat_names`.
pub(in crate::store) fn players_of(holders: &[Holder]) -> Vec<String> {
    let players = holders.iter().filter_map(Holder::player_id);
    sorted(players.map(write_player).collect())
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort_unstable();
    names.dedup();
    names
}

/// Formats a set of seats: `0 2`.
pub(in crate::store) fn write_seats(seats: SeatSet) -> String {
    let seats: Vec<String> = seats.iter().map(|seat| seat.0.to_string()).collect();
    seats.join(" ")
}

pub(in crate::store) fn read_seats(text: &str) -> Option<SeatSet> {
    let seat = |word: &str| word.parse().ok().filter(|seat| *seat < 64).map(Seat);
    text.split_ascii_whitespace().map(seat).collect()
}

/// Formats the end of a game: `leaving 0 2`.
pub(in crate::store) fn write_end(reason: EndReason, seats: SeatSet) -> String {
    format!("{} {}", end_word(reason), write_seats(seats))
}

pub(in crate::store) fn read_end(text: &str) -> Option<(EndReason, SeatSet)> {
    let (reason, seats) = text.split_once(' ')?;
    let reasons = [
        EndReason::Leaving,
        EndReason::Agreement,
        EndReason::Time,
        EndReason::Aborted,
        EndReason::WinClaimed,
        EndReason::DrawClaimed,
    ];
    let reason = reasons.into_iter().find(|one| end_word(*one) == reason)?;
    Some((reason, read_seats(seats)?))
}

fn end_word(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Leaving => "leaving",
        EndReason::Agreement => "agreement",
        EndReason::Time => "time",
        EndReason::Aborted => "aborted",
        EndReason::WinClaimed => "win-claimed",
        EndReason::DrawClaimed => "draw-claimed",
    }
}

/// Formats an answer to an offer: `accept draw`.
pub(in crate::store) fn write_answer(answer: Answer) -> String {
    match answer {
        Answer::Accept(offer) => format!("accept {}", offer.word()),
        Answer::Decline(offer) => format!("decline {}", offer.word()),
    }
}

pub(in crate::store) fn read_answer(text: &str) -> Option<Answer> {
    let (word, offer) = text.split_once(' ')?;
    let offer = Offer::from_word(offer)?;
    match word {
        "accept" => Some(Answer::Accept(offer)),
        "decline" => Some(Answer::Decline(offer)),
        _ => None,
    }
}

/// Formats the time that is added after an outage, such as `10250 until 1700000000000`: the added milliseconds, and the
/// end of the outage.
pub(in crate::store) fn write_added_time(ms: u64, until_ms: u64) -> String {
    format!("{ms} until {until_ms}")
}

pub(in crate::store) fn read_added_time(text: &str) -> Option<(u64, u64)> {
    let (ms, until_ms) = text.split_once(" until ")?;
    Some((ms.parse().ok()?, until_ms.parse().ok()?))
}

/// Formats an action: `1-0`, `<<2`, `takeback 2` or `resign`.
pub(in crate::store) fn write_action(variant: &Variant, action: Action) -> String {
    match action {
        Action::Play(at) => variant.format_move(at),
        Action::Rewind(count) => format!("<<{count}"),
        Action::Takeback(count) => format!("takeback {count}"),
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
    if let Some(count) = text.strip_prefix("takeback ") {
        return count.parse().ok().map(Action::Takeback);
    }
    match variant.parse_place(text).ok()? {
        Place::Cell(at) => Some(Action::Play(at)),
        // An entry always has a cell, also in games with gravity.
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

/// Formats how a game ended: `draw`, `abandoned`, `won x by line 0 4 8`. A cell is written as its `Move::index`.
pub(in crate::store) fn write_conclusion(conclusion: &Conclusion) -> String {
    let (sides, by) = match conclusion {
        Conclusion::Draw { reason } => return write_draw(*reason).to_owned(),
        Conclusion::Abandoned => return "abandoned".to_owned(),
        Conclusion::Aborted => return "aborted".to_owned(),
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
        WinReason::Time => "time".to_owned(),
        WinReason::Claim => "claim".to_owned(),
    };
    format!("won {winners} by {by}")
}

/// A draw on a full board is written as `draw`, as in older versions, which did not write the reason.
fn write_draw(reason: DrawReason) -> &'static str {
    match reason {
        DrawReason::Full => "draw",
        DrawReason::Agreement => "draw by agreement",
        DrawReason::Claim => "draw by claim",
        DrawReason::Time => "draw by time",
        DrawReason::Limit => "draw by limit",
    }
}

fn read_draw(text: &str) -> Option<DrawReason> {
    let reasons = [
        DrawReason::Full,
        DrawReason::Agreement,
        DrawReason::Claim,
        DrawReason::Time,
        DrawReason::Limit,
    ];
    reasons
        .into_iter()
        .find(|reason| write_draw(*reason) == text)
}

pub(in crate::store) fn read_conclusion(variant: &Variant, text: &str) -> Option<Conclusion> {
    if let Some(reason) = read_draw(text) {
        return Some(Conclusion::Draw { reason });
    }
    let rest = match text {
        "abandoned" => return Some(Conclusion::Abandoned),
        "aborted" => return Some(Conclusion::Aborted),
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
        "time" => WinReason::Time,
        "claim" => WinReason::Claim,
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
        let player = Holder::Player(PlayerId::new(33));
        let text = "player 00000000000000000000000011";
        assert_eq!(write_holder(&player), text);
        assert_eq!(read_holder(text), Some(player));
        let robot = Holder::Robot("level:8".parse().unwrap());
        assert_eq!(write_holder(&robot), "robot level:8");
        assert_eq!(read_holder("robot level:8"), Some(robot));
        for open_to in [OpenTo::Link, OpenTo::ListedLink, OpenTo::Lobby] {
            let open = Holder::Open(open_to);
            assert_eq!(read_holder(&write_holder(&open)), Some(open));
        }
    }

    #[test]
    fn names_are_found_in_texts_with_unreadable_lines() {
        let node = Some(NodeId(7));
        let human = |name: &str, node| Holder::Human {
            name: name.to_owned(),
            node,
        };
        // A person may choose the text of a registered player as a name. The stored form of this name differs from that
        // text.
        let id = PlayerId::new(33);
        let disguised = human(&write_player(id), None);
        let holders = [
            human("Bo\nb", node),
            human("Ann", None),
            human("Ann", node),
            Holder::Player(id),
            disguised,
        ];
        let text = format!("{}\nnonsense\nrobot x", write_holders(&holders));
        let names = names_of(&holders);
        assert_eq!(names_in(&text), names);
        assert_eq!(names.len(), 4);
        assert!(names.contains(&write_player(id)));
        assert!(names.contains(&"Bo\\nb".to_owned()));
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
        let draw = |reason| Conclusion::Draw { reason };
        for (conclusion, text) in [
            (draw(DrawReason::Full), "draw"),
            (draw(DrawReason::Agreement), "draw by agreement"),
            (draw(DrawReason::Claim), "draw by claim"),
            (draw(DrawReason::Time), "draw by time"),
            (draw(DrawReason::Limit), "draw by limit"),
            (Conclusion::Aborted, "aborted"),
            (won(WinReason::Time), "won x by time"),
            (won(WinReason::Claim), "won x by claim"),
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
            "draw by boredom",
            "lost",
        ] {
            assert_eq!(read_conclusion(&variant, text), None, "{text:?}");
        }
        for text in ["", "0-3", "<<", "3", "left 0", "<<99999", "takeback"] {
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
            "player Ann",
            "human \\x",
        ] {
            assert_eq!(read_holder(text), None, "{text:?}");
        }
        for text in ["", "leaving", "boredom 0", "leaving 64", "leaving x"] {
            assert_eq!(read_end(text), None, "{text:?}");
        }
    }
}
