//! The properties that every implementation of [`Rules`] must have.
//!
//! [`check_properties`] plays one game and checks all properties after every play. The function also compares
//! every position with the [reference implementation](crate::reference). If a property is violated, the
//! function panics with a picture of the board.

use crate::byte_grid::ByteGrid;
use crate::diagram::Diagram;
use crate::dispatch;
use crate::notation::Place;
use crate::place::Move;
use crate::reference::{ReferenceGrid, ReferenceNested};
use crate::rules::Rules;
use crate::symmetry::Symmetry;
use crate::timeline::AnyTimeline;
use crate::variant::{GridSpec, Variant};

/// Plays one game of `variant` and checks all properties after every play. [`AnyTimeline::new`] chooses the
/// implementation. If the variant has one board, the function then plays the same game again with
/// [`ByteGrid`]. Each number in `choices`, modulo the number of legal moves, is the index of the move to
/// play.
///
/// # Panics
/// If a property does not hold.
///
/// ```
/// noughts_rules::properties::check_properties(&"3x3k3".parse()?, &[4, 0, 7, 1]);
/// # Ok::<(), noughts_rules::VariantError>(())
/// ```
pub fn check_properties(variant: &Variant, choices: &[u16]) {
    let any = AnyTimeline::new(variant);
    match variant {
        Variant::Grid(spec) => {
            let reference = ReferenceGrid(*spec);
            dispatch!(&any, timeline => { Playthrough::new(timeline.rules(), &reference).play_all(choices); });
            let byte_grid = ByteGrid::new(*spec);
            let end = Playthrough::new(&byte_grid, &reference).play_all(choices);
            end.check_lines(spec, &reference);
        }
        Variant::Nested(spec) => {
            let reference = ReferenceNested(*spec);
            dispatch!(&any, timeline => { Playthrough::new(timeline.rules(), &reference).play_all(choices); });
        }
    }
}

/// One game that is played at the same time with the rules under test, with the reference, and on every symmetric image
/// of the board.
struct Playthrough<'r, R: Rules, T: Rules> {
    rules: &'r R,
    reference: &'r T,
    position: R::Position,
    slow: T::Position,
    images: Vec<(Symmetry, R::Position)>,
    last: Option<Move>,
}

impl<'r, R: Rules, T: Rules> Playthrough<'r, R, T> {
    fn new(rules: &'r R, reference: &'r T) -> Self {
        let position = rules.start();
        let diagram = rules.diagram(&position);
        let lay = |symmetry: Symmetry| {
            let image = rules.set_up(&symmetry.map_diagram(&diagram));
            (symmetry, image)
        };
        Playthrough {
            slow: reference.start(),
            images: Symmetry::all(&rules.variant())
                .into_iter()
                .map(lay)
                .collect(),
            last: None,
            position,
            rules,
            reference,
        }
    }

    fn play_all(mut self, choices: &[u16]) -> Self {
        self.check_position();
        for choice in choices {
            let legal: Vec<Move> = self.rules.moves(&self.position).collect();
            if legal.is_empty() {
                break;
            }
            self.play(legal[usize::from(*choice) % legal.len()]);
            self.check_position();
        }
        self
    }

    fn play(&mut self, at: Move) {
        let before = self.position.clone();
        let mover = self.rules.to_move(&before);
        self.rules.play(&mut self.position, at);
        self.reference.play(&mut self.slow, at);
        for (symmetry, image) in &mut self.images {
            self.rules.play(image, symmetry.map_move(at));
        }
        let (old, new) = (
            self.rules.diagram(&before),
            self.rules.diagram(&self.position),
        );
        let mut expected = old.marks;
        expected[at.index()] = Some(mover);
        self.property(
            "a play fills one cell with the mover's mark",
            new.marks == expected,
        );
        let next = mover.next(self.rules.sides());
        self.property(
            "a play passes the turn to the next side",
            new.to_move == next,
        );
        if let Some(last) = self.last {
            let mut back = self.position.clone();
            self.rules.take_back(&mut back, at, last);
            self.rules.set_turn(&mut back, mover);
            self.property("take_back restores the position", back == before);
        }
        self.last = Some(at);
    }

    fn check_position(&self) {
        let (rules, position) = (self.rules, &self.position);
        let moves: Vec<Move> = rules.moves(position).collect();
        let outcome = rules.outcome(position);
        self.property(
            "no moves exactly when there is an outcome",
            moves.is_empty() == outcome.is_some(),
        );
        self.property("moves ascend", moves.is_sorted_by(|a, b| a < b));
        self.property(
            "the moves equal the reference's",
            moves == self.reference.moves(&self.slow).collect::<Vec<_>>(),
        );
        self.property(
            "the outcome equals the reference's",
            outcome == self.reference.outcome(&self.slow),
        );
        let cells = rules.variant().cells();
        for index in (0..cells + 2).chain([usize::from(u16::MAX) - 1]) {
            let at = Move::at(index);
            let check = rules.check(position, at);
            self.property(
                "check accepts exactly the legal moves",
                check.is_ok() == moves.contains(&at),
            );
            self.property(
                "check gives the reference's reason",
                check == self.reference.check(&self.slow, at),
            );
        }
        self.check_texts(&moves);
        self.check_symmetry(&moves);
    }

    fn check_texts(&self, moves: &[Move]) {
        let (rules, variant) = (self.rules, self.rules.variant());
        let diagram = rules.diagram(&self.position);
        self.property(
            "the diagram equals the reference's",
            diagram == self.reference.diagram(&self.slow),
        );
        self.property(
            "set_up inverts diagram",
            rules.set_up(&diagram) == self.position,
        );
        let text = diagram.format(&variant);
        self.property(
            "the text of a position parses to it",
            Diagram::parse(&variant, &text) == Ok(diagram),
        );
        let round_trip =
            |at: &Move| variant.parse_place(&variant.format_move(*at)) == Ok(Place::Cell(*at));
        self.property(
            "the text of a move parses to it",
            moves.iter().all(round_trip),
        );
        let name = variant.to_string();
        self.property(
            "the text of a variant parses to it",
            name.parse() == Ok(variant),
        );
    }

    fn check_symmetry(&self, moves: &[Move]) {
        let diagram = self.rules.diagram(&self.position);
        for (symmetry, image) in &self.images {
            let mut turned: Vec<Move> = moves.iter().map(|at| symmetry.map_move(*at)).collect();
            turned.sort_unstable();
            let same = self.rules.moves(image).eq(turned);
            self.property("a symmetric position has the symmetric moves", same);
            let same = self.rules.diagram(image) == symmetry.map_diagram(&diagram);
            self.property("a symmetric position has the symmetric marks", same);
            let same = self.rules.outcome(image) == self.rules.outcome(&self.position);
            self.property("a symmetric position has the same outcome", same);
        }
    }

    /// Compares the cells of the lines through the latest mark with the reference's result.
    fn check_lines(&self, spec: &GridSpec, reference: &ReferenceGrid) {
        let Some(last) = self.last else { return };
        let diagram = self.rules.diagram(&self.position);
        let slow = reference.set_up(&diagram);
        let same = diagram.line(spec, Some(last)) == reference.cells_of_lines(&slow, last);
        self.property("the cells of lines equal the reference's", same);
    }

    #[track_caller]
    fn property(&self, property: &str, holds: bool) {
        if !holds {
            let variant = self.rules.variant();
            let diagram = self.rules.diagram(&self.position);
            panic!(
                "{property}: violated in {variant} by {}\nafter the play {:?} in\n{}\n{}",
                std::any::type_name::<R>(),
                self.last.map(|at| variant.format_move(at)),
                diagram.draw(&variant),
                diagram.format(&variant),
            );
        }
    }
}
