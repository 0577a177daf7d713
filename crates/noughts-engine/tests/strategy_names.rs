//! Parsing and formatting strategy names.

use noughts_engine::{STRATEGY_KINDS, StrategyName};

#[test]
fn names_parse_and_print() {
    for (written, printed) in [
        ("random", "random"),
        ("first", "first"),
        ("greedy", "greedy"),
        ("minimax:7", "minimax:7"),
        ("search:200ms", "search:200ms"),
        ("search:2000ms", "search:2s"),
        ("search:5s", "search:5s"),
        ("search:500000n", "search:500000n"),
        ("mcts:10000", "mcts:10000"),
        ("perfect", "perfect"),
        ("level:1", "level:1"),
        ("level:8", "level:8"),
    ] {
        let name: StrategyName = written.parse().unwrap();
        assert_eq!(name.to_string(), printed);
        assert_eq!(printed.parse(), Ok(name));
    }
}

#[test]
fn errors_list_the_strategies_or_the_right_syntax() {
    for text in ["", "best", "Random", " random", "random:", "level 3"] {
        let error = text.parse::<StrategyName>().unwrap_err().to_string();
        for kind in STRATEGY_KINDS {
            assert!(error.contains(kind.syntax), "{text:?}: {error}");
        }
    }
    for (text, hint) in [
        (
            "engine:rm",
            "external programs are allowed only on the command line",
        ),
        ("random:1", "it is written random"),
        ("minimax", "minimax:N"),
        ("minimax:0", "minimax:N, N from 1 to 99"),
        ("minimax:100", "minimax:N, N from 1 to 99"),
        ("minimax:07", "minimax:N"),
        ("minimax:-1", "minimax:N"),
        ("search:5", "search:TIME"),
        ("search:0ms", "search:TIME"),
        ("search:99999999s", "search:TIME"),
        ("mcts:many", "mcts:N"),
        ("level:0", "level:1 to level:8"),
        ("level:9", "level:1 to level:8"),
        ("level:", "there are random"),
    ] {
        let error = text.parse::<StrategyName>().unwrap_err().to_string();
        assert!(error.contains(hint), "{text:?}: {error}");
    }
}
