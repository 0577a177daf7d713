//! The solver and the proof checker, which are independent of each other.

mod cli;
mod damage;
mod values;

use noughts_engine::{Budget, GameValue, Solver, Stop, SystemClock};
use noughts_rules::{Diagram, Variant};

/// The value of a position, and a proof of it.
fn prove(variant: &Variant, position: Option<Diagram>) -> (GameValue, Vec<u8>) {
    let mut solver = Solver::new(variant, position, Budget::default()).unwrap();
    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
    let mut proof = Vec::new();
    solver.prove(&mut proof).unwrap().unwrap();
    (found.value().unwrap(), proof)
}

fn same(solved: GameValue, proved: noughts_proof::GameValue) -> bool {
    solved.to_string() == proved.to_string()
}
