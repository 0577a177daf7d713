//! Possible causes of a broken case. The kit uses them to report a fault that breaks several cases as one FAIL.
//!
//! One fault shows up in many cases: a program that does not recognize rows fails in every game that ends with a row.
//! Each broken case lists the causes that explain the first difference between its output and the expected output.
//! Cases with a common cause count as one fault. One of these cases reports the fault, preferably the case that checks
//! for this cause.

use std::collections::BTreeMap;

/// The kind of the last command before a place in the output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Trigger {
    /// Nothing was typed yet.
    Start,
    /// A legal play that does not end the game. `has_run` is true if the play makes three or more adjacent equal
    /// symbols in a row, a column or a diagonal.
    Play { has_run: bool },
    /// A play that completes a line.
    Line(Line),
    /// A play that fills the board without a line.
    Full,
    /// A legal rewind.
    Rewind,
    /// The command `:q`.
    Quit,
    /// A play on a cell that is taken.
    Taken,
    /// A play off the board.
    OffBoard,
    /// A typed line that is not a command.
    Invalid,
    /// A rewind that is not possible.
    Unable,
}

impl Trigger {
    /// Whether the course document has an error message for this command.
    pub(super) fn is_error(self) -> bool {
        match self {
            Trigger::Taken | Trigger::OffBoard | Trigger::Invalid | Trigger::Unable => true,
            Trigger::Start
            | Trigger::Play { .. }
            | Trigger::Line(_)
            | Trigger::Full
            | Trigger::Rewind
            | Trigger::Quit => false,
        }
    }
}

/// A completed line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Line {
    pub(super) direction: Direction,
    /// Whether the line is a diagonal that is not a main diagonal.
    pub(super) is_beside: bool,
    /// Whether the last play is inside the line, not at an end.
    pub(super) is_middle: bool,
    /// Whether the line is longer than needed to win.
    pub(super) is_long: bool,
    /// Whether the line belongs to a player other than the first.
    pub(super) is_others: bool,
    pub(super) fills_board: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Direction {
    Row,
    Column,
    Diagonal,
    OtherDiagonal,
}

/// What is wrong at the first difference between the output and the expected output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Aspect {
    /// The number of the turn is wrong.
    Turn,
    Board,
    Player,
    /// The expected error message is missing.
    NoMessage,
    /// The program shows a different error message than expected.
    WrongMessage,
    /// Instead of the error message, the program shows a text that is not an error message.
    Text,
    /// An invalid or illegal command was executed.
    Accepted,
    /// A legal command was not executed.
    Refused,
    /// The game goes on although it should end.
    GoesOn,
    /// The game ends although it should go on.
    Ends,
    Winner,
    /// The number of turns at the end is wrong.
    Count,
    Crash,
    Hangs,
    /// The output ends too early, without a crash or a timeout.
    Stops,
    /// Anything else is wrong.
    Other,
}

/// A fault of a program that may explain why a case is broken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Cause {
    /// The program recognizes no lines at all.
    NoLine,
    /// Lines in this direction are not recognized.
    Direction(Direction),
    /// Diagonals other than the two main diagonals are not recognized.
    Beside,
    /// Lines are not recognized if the last play is inside the line.
    Middle,
    /// Lines that are longer than needed are not recognized.
    Long,
    /// Only the first player's lines are recognized.
    Others,
    /// The winner is missing or wrong.
    Winner,
    /// The output is wrong in this aspect after every command that causes an error.
    AnyError(Aspect),
    After(Trigger, Aspect),
    /// No game is shown.
    NoGame,
    /// The words of the output are right, but other bytes are wrong, such as a newline. After the text
    /// `after`, the program writes the byte `shown`. If `shown` is `None`, the program writes nothing more.
    Bytes {
        after: &'static str,
        shown: Option<u8>,
    },
    /// The exit code is wrong.
    ExitCode,
    /// A fault that only the case with this index shows.
    Own(usize),
}

impl Cause {
    /// The names of the cases that are best suited to report this cause, the best case first. Empty if all
    /// cases are equally suited.
    fn preferred(self) -> &'static [&'static str] {
        match self {
            Cause::Winner => &["second-wins"],
            Cause::AnyError(Aspect::Turn | Aspect::Player) => &["errors-in-a-row"],
            Cause::After(Trigger::Rewind, Aspect::Turn) => &["rewind-counts"],
            Cause::After(Trigger::Rewind, _) => &["rewind"],
            Cause::After(Trigger::Quit, _) => &["quit-is-no-turn", "quit"],
            Cause::After(Trigger::Play { .. }, Aspect::Board) => &["row-first"],
            Cause::After(Trigger::Start, Aspect::Player) => &["order"],
            Cause::NoGame => &["defaults", "long-options"],
            _ => &[],
        }
    }

    /// True if a program that recognizes `line` does not have this fault.
    fn is_refuted_by(self, line: Line) -> bool {
        match self {
            Cause::NoLine => true,
            Cause::Direction(direction) => direction == line.direction,
            Cause::Beside => line.is_beside,
            Cause::Middle => line.is_middle,
            Cause::Long => line.is_long,
            Cause::Others => line.is_others,
            _ => false,
        }
    }
}

/// Returns the causes that explain `aspect` after `trigger`, without [`Cause::Own`].
pub(super) fn causes(trigger: Trigger, aspect: Aspect) -> Vec<Cause> {
    match (trigger, aspect) {
        (Trigger::Line(line), Aspect::GoesOn) => unseen(line),
        (Trigger::Line(line), Aspect::Winner) => {
            let mut causes = vec![Cause::Winner];
            if line.fills_board {
                causes.extend(unseen(line));
            }
            causes
        }
        (
            error,
            Aspect::Turn | Aspect::Player | Aspect::NoMessage | Aspect::Board | Aspect::Other,
        ) if error.is_error() => vec![Cause::AnyError(aspect)],
        // A program may accept one wrong command and refuse another, so this fault has no cause in common with other
        // cases.
        (Trigger::Invalid | Trigger::Taken | Trigger::OffBoard, Aspect::Accepted) => Vec::new(),
        (Trigger::Taken | Trigger::OffBoard, Aspect::Text) => {
            vec![Cause::After(Trigger::OffBoard, aspect)]
        }
        (Trigger::Play { .. }, Aspect::Board | Aspect::Player | Aspect::Turn | Aspect::Refused) => {
            vec![Cause::After(Trigger::Play { has_run: false }, aspect)]
        }
        (trigger, aspect) => vec![Cause::After(trigger, aspect)],
    }
}

fn unseen(line: Line) -> Vec<Cause> {
    let mut causes = vec![Cause::Direction(line.direction), Cause::NoLine];
    let features = [
        (line.is_beside, Cause::Beside),
        (line.is_middle, Cause::Middle),
        (line.is_long, Cause::Long),
        (line.is_others, Cause::Others),
    ];
    let features = features.into_iter().filter(|(has, _)| *has);
    causes.extend(features.map(|(_, cause)| cause));
    causes
}

/// A case whose rule the program breaks, with the possible causes.
pub(super) struct BrokenCase<'c> {
    pub(super) place: usize,
    pub(super) name: &'c str,
    pub(super) is_demanded: bool,
    pub(super) causes: Vec<Cause>,
}

/// Groups the broken cases by fault. In each group, one case reports the fault. The result maps the index of
/// each other case in the group to the index of the case that reports the fault. `seen` contains the
/// completed lines that the program has recognized.
pub(super) fn same_faults(broken: &[BrokenCase<'_>], seen: &[Line]) -> BTreeMap<usize, usize> {
    let mut left: Vec<(&BrokenCase<'_>, Vec<Cause>)> = broken
        .iter()
        .map(|case| {
            let mut causes = case.causes.clone();
            causes.retain(|cause| !seen.iter().any(|line| cause.is_refuted_by(*line)));
            causes.push(Cause::Own(case.place));
            (case, causes)
        })
        .collect();
    let mut reported_by = BTreeMap::new();
    // Start with the cause that explains the most cases.
    while let Some(cause) = most_common(&left) {
        let (covered, rest): (Vec<_>, Vec<_>) = left
            .into_iter()
            .partition(|(_, causes)| causes.contains(&cause));
        left = rest;
        let is_demanded = covered.iter().any(|(case, _)| case.is_demanded);
        let mut reporters = covered
            .iter()
            .map(|(case, _)| *case)
            .filter(|case| case.is_demanded == is_demanded);
        let preferred = cause.preferred().iter();
        let reporter = preferred
            .filter_map(|name| reporters.clone().find(|case| case.name == *name))
            .next()
            .or_else(|| reporters.next());
        let Some(reporter) = reporter else { break };
        for (case, _) in covered {
            if case.place != reporter.place {
                reported_by.insert(case.place, reporter.place);
            }
        }
    }
    reported_by
}

/// Returns the cause that explains the most cases. If several causes explain the same number of cases, returns the
/// first.
fn most_common(left: &[(&BrokenCase<'_>, Vec<Cause>)]) -> Option<Cause> {
    let mut best = None;
    for cause in left.iter().flat_map(|(_, causes)| causes) {
        let count = left.iter().filter(|(_, all)| all.contains(cause)).count();
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, *cause));
        }
    }
    best.map(|(_, cause)| cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Line = Line {
        direction: Direction::Row,
        is_beside: false,
        is_middle: false,
        is_long: false,
        is_others: false,
        fills_board: false,
    };
    const COLUMN: Line = Line {
        direction: Direction::Column,
        ..ROW
    };
    const MIDDLE: Line = Line {
        is_middle: true,
        ..ROW
    };

    fn check(unseen_lines: &[(&str, Line)], seen: &[Line], reported: &[&str]) {
        let broken: Vec<BrokenCase<'_>> = unseen_lines
            .iter()
            .enumerate()
            .map(|(place, (name, line))| BrokenCase {
                place,
                name,
                is_demanded: true,
                causes: causes(Trigger::Line(*line), Aspect::GoesOn),
            })
            .collect();
        let same = same_faults(&broken, seen);
        let found: Vec<&str> = broken
            .iter()
            .filter(|case| !same.contains_key(&case.place))
            .map(|case| case.name)
            .collect();
        assert_eq!(found, reported);
    }

    #[test]
    fn lines_that_are_not_seen_are_one_fault_if_one_cause_explains_them() {
        check(&[("row", ROW), ("middle", MIDDLE)], &[COLUMN], &["row"]);
        check(&[("row", ROW), ("column", COLUMN)], &[], &["row"]);
        check(&[("middle", MIDDLE)], &[ROW, COLUMN], &["middle"]);
        let beside = |direction| Line {
            direction,
            is_beside: true,
            ..ROW
        };
        let (one, other) = (
            beside(Direction::Diagonal),
            beside(Direction::OtherDiagonal),
        );
        check(&[("one", one), ("other", other)], &[ROW], &["one"]);
        check(
            &[("one", one), ("column", COLUMN)],
            &[ROW],
            &["one", "column"],
        );
    }
}
