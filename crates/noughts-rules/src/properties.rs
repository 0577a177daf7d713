//! What holds between the methods of [`Rules`], for every family, in code.
//!
//! One game is played by given choices, and after every play all laws are asked, with the slow
//! twin beside. Tests call it over random games, fuzzers over their own; a broken law panics with
//! the board drawn.

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

/// Plays one game of this variant, each move picked by the next choice out of those that are
/// legal, and checks all laws at every step, for each family that can play it.
///
/// # Panics
/// When a law is broken.
pub fn check_properties(variant: &Variant, choices: &[u16]) {
    let any = AnyTimeline::new(variant);
    match variant {
        Variant::Grid(spec) => {
            let twin = ReferenceGrid(*spec);
            dispatch!(&any, timeline => { Walk::new(timeline.rules(), &twin).play_all(choices); });
            let crowd = ByteGrid::new(*spec);
            let end = Walk::new(&crowd, &twin).play_all(choices);
            end.check_lines(spec, &twin);
        }
        Variant::Nested(spec) => {
            let twin = ReferenceNested(*spec);
            dispatch!(&any, timeline => { Walk::new(timeline.rules(), &twin).play_all(choices); });
        }
    }
}

/// The same game in the rules under test, in their twin, and laid in every symmetric way.
struct Walk<'r, R: Rules, T: Rules> {
    rules: &'r R,
    twin: &'r T,
    position: R::Position,
    slow: T::Position,
    laid: Vec<(Symmetry, R::Position)>,
    last: Option<Move>,
}

impl<'r, R: Rules, T: Rules> Walk<'r, R, T> {
    fn new(rules: &'r R, twin: &'r T) -> Self {
        let position = rules.start();
        let diagram = rules.diagram(&position);
        let lay = |symmetry: Symmetry| {
            let laid = rules.set_up(&symmetry.map_diagram(&diagram));
            (symmetry, laid)
        };
        Walk {
            slow: twin.start(),
            laid: Symmetry::all(&rules.variant())
                .into_iter()
                .map(lay)
                .collect(),
            last: None,
            position,
            rules,
            twin,
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
        self.twin.play(&mut self.slow, at);
        for (symmetry, laid) in &mut self.laid {
            self.rules.play(laid, symmetry.map_move(at));
        }
        let (old, new) = (
            self.rules.diagram(&before),
            self.rules.diagram(&self.position),
        );
        let mut expected = old.marks;
        expected[at.index()] = Some(mover);
        self.law(
            "a play fills one cell with the mover's mark",
            new.marks == expected,
        );
        let next = mover.next(self.rules.sides());
        self.law(
            "a play passes the turn to the next side",
            new.to_move == next,
        );
        if let Some(last) = self.last {
            let mut back = self.position.clone();
            self.rules.take_back(&mut back, at, last);
            self.rules.set_turn(&mut back, mover);
            self.law(
                "a play taken back leaves the position before",
                back == before,
            );
        }
        self.last = Some(at);
    }

    fn check_position(&self) {
        let (rules, position) = (self.rules, &self.position);
        let moves: Vec<Move> = rules.moves(position).collect();
        let outcome = rules.outcome(position);
        self.law(
            "no moves exactly when there is an outcome",
            moves.is_empty() == outcome.is_some(),
        );
        self.law("moves ascend", moves.is_sorted_by(|a, b| a < b));
        self.law(
            "the twin has the same moves",
            moves == self.twin.moves(&self.slow).collect::<Vec<_>>(),
        );
        self.law(
            "the twin has the same outcome",
            outcome == self.twin.outcome(&self.slow),
        );
        let cells = rules.variant().cells();
        for index in (0..cells + 2).chain([usize::from(u16::MAX) - 1]) {
            let at = Move::at(index);
            let check = rules.check(position, at);
            self.law(
                "what is in moves passes check, nothing else",
                check.is_ok() == moves.contains(&at),
            );
            self.law(
                "the twin refuses for the same reason",
                check == self.twin.check(&self.slow, at),
            );
        }
        self.check_texts(&moves);
        self.check_symmetry(&moves);
    }

    fn check_texts(&self, moves: &[Move]) {
        let (rules, variant) = (self.rules, self.rules.variant());
        let diagram = rules.diagram(&self.position);
        self.law(
            "the twin draws the same",
            diagram == self.twin.diagram(&self.slow),
        );
        self.law(
            "a diagram sets up its position",
            rules.set_up(&diagram) == self.position,
        );
        let text = diagram.format(&variant);
        self.law(
            "a position's text reads back",
            Diagram::parse(&variant, &text) == Ok(diagram),
        );
        let round_trip =
            |at: &Move| variant.parse_place(&variant.format_move(*at)) == Ok(Place::Cell(*at));
        self.law("a move's text reads back", moves.iter().all(round_trip));
        let name = variant.to_string();
        self.law("a variant's name reads back", name.parse() == Ok(variant));
    }

    fn check_symmetry(&self, moves: &[Move]) {
        let diagram = self.rules.diagram(&self.position);
        for (symmetry, laid) in &self.laid {
            let mut turned: Vec<Move> = moves.iter().map(|at| symmetry.map_move(*at)).collect();
            turned.sort_unstable();
            let same = self.rules.moves(laid).eq(turned);
            self.law("a board laid differently has the same moves", same);
            let same = self.rules.diagram(laid) == symmetry.map_diagram(&diagram);
            self.law("a board laid differently has the same marks", same);
            let same = self.rules.outcome(laid) == self.rules.outcome(&self.position);
            self.law("a board laid differently has the same outcome", same);
        }
    }

    /// The cells that an outcome names are those of all windows through the latest mark.
    fn check_lines(&self, spec: &GridSpec, twin: &ReferenceGrid) {
        let Some(last) = self.last else { return };
        let diagram = self.rules.diagram(&self.position);
        let slow = twin.set_up(&diagram);
        let same = diagram.line(spec, Some(last)) == twin.cells_of_lines(&slow, last);
        self.law("the twin names the same cells of a line", same);
    }

    #[track_caller]
    fn law(&self, law: &str, holds: bool) {
        if !holds {
            let variant = self.rules.variant();
            let diagram = self.rules.diagram(&self.position);
            panic!(
                "{law}: broken in {variant} by {}\nafter the play {:?} in\n{}\n{}",
                std::any::type_name::<R>(),
                self.last.map(|at| variant.format_move(at)),
                diagram.draw(&variant),
                diagram.format(&variant),
            );
        }
    }
}
