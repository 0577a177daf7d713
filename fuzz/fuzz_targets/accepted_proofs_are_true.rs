//! If the checker accepts a proof for a board of at most 16 cells, the solver finds the same value, unless it reaches
//! its limit of nodes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use noughts_engine::{Budget, Solver, Stop, SystemClock};

fuzz_target!(|bytes: &[u8]| {
    let Ok(proved) = noughts_proof::verify(bytes) else {
        return;
    };
    // Larger boards take too long to solve here.
    if proved.variant.cells() > 16 {
        return;
    }
    let budget = Budget {
        memory: 1 << 20,
        nodes: Some(200_000),
        ..Budget::default()
    };
    let mut solver = Solver::new(&proved.variant, Some(proved.position), budget)
        .expect("a proved position is possible");
    let found = solver.solve(&Stop::new(), &SystemClock::default(), &mut |_| {});
    if let Some(value) = found.value() {
        assert_eq!(value.to_string(), proved.value.to_string());
    }
});
