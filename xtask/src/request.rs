//! What somebody asked for on the command line.

/// What `cargo xtask` alone says.
pub const USAGE: &str = "\
cargo xtask test [--long]                   every test; installs the tools that are missing
                                            --long: also the long tests, and a minute of each fuzz target
cargo xtask bench [NAME [ARGUMENT...]]      times and instruction counts; without NAME, what there is
cargo xtask fuzz [TARGET] [--seconds N]     one fuzz target, or all in turn, 60 seconds each
cargo xtask mutants [WORD]                  faults put into the solver on purpose; its tests must find them
";

/// How long one target is fuzzed when nobody says.
pub const FUZZ_SECONDS: u32 = 60;

/// One command with its arguments, read and found to make sense.
///
/// Names of benches and fuzz targets are still only text: whether they exist is for
/// [`bench`](crate::bench) and [`fuzz`](crate::fuzz) to say.
#[derive(Debug, PartialEq, Eq)]
pub enum Request {
    /// Show [`USAGE`].
    Help,
    /// Run every part of the suite.
    Test {
        /// Also the parts that take long.
        long: bool,
    },
    /// Say which benches there are.
    ListBenches,
    /// Run one bench.
    Bench {
        /// Its name in the registry.
        name: String,
        /// What the bench itself is told.
        arguments: Vec<String>,
    },
    /// Put faults into the solver and the checker of its proofs.
    Mutants {
        /// Only those with this word in their names.
        word: Option<String>,
    },
    /// Run fuzz targets.
    Fuzz {
        /// One of them, or all in turn.
        target: Option<String>,
        /// For each of them.
        seconds: u32,
    },
}

impl Request {
    /// Reads the arguments after `cargo xtask`; the error is a sentence that lists what there is.
    pub fn parse(arguments: &[String]) -> Result<Request, String> {
        let Some((command, rest)) = arguments.split_first() else {
            return Ok(Request::Help);
        };
        // A bench may have a `--help` of its own; for everything else it is ours.
        let help_is_ours = command != "bench" || rest.len() == 1;
        if is_help(command) || (help_is_ours && rest.iter().any(|word| is_help(word))) {
            return Ok(Request::Help);
        }
        match command.as_str() {
            "test" => parse_test(rest),
            "bench" => Ok(parse_bench(rest)),
            "fuzz" => parse_fuzz(rest),
            "mutants" => parse_mutants(rest),
            other => Err(format!(
                "no command `{other}`: there are test, bench, fuzz and mutants"
            )),
        }
    }
}

fn is_help(word: &str) -> bool {
    matches!(word, "-h" | "--help" | "help")
}

fn parse_test(rest: &[String]) -> Result<Request, String> {
    match rest.iter().find(|word| *word != "--long") {
        Some(other) => Err(format!(
            "no argument `{other}`: `test` takes --long or nothing"
        )),
        None => Ok(Request::Test {
            long: !rest.is_empty(),
        }),
    }
}

fn parse_bench(rest: &[String]) -> Request {
    let Some((name, arguments)) = rest.split_first() else {
        return Request::ListBenches;
    };
    let arguments = arguments
        .strip_prefix(&["--".to_owned()])
        .unwrap_or(arguments);
    Request::Bench {
        name: name.clone(),
        arguments: arguments.to_vec(),
    }
}

fn parse_fuzz(rest: &[String]) -> Result<Request, String> {
    let (mut target, mut seconds) = (None, FUZZ_SECONDS);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        if word == "--seconds" {
            seconds = parse_seconds(words.next())?;
        } else if word.starts_with('-') || target.is_some() {
            return Err(format!(
                "no argument `{word}`: `fuzz` takes one TARGET or none, and --seconds N"
            ));
        } else {
            target = Some(word.clone());
        }
    }
    Ok(Request::Fuzz { target, seconds })
}

fn parse_mutants(rest: &[String]) -> Result<Request, String> {
    match rest {
        [] => Ok(Request::Mutants { word: None }),
        [word] if !word.starts_with('-') => Ok(Request::Mutants {
            word: Some(word.clone()),
        }),
        [word, ..] => Err(format!(
            "no argument `{word}`: `mutants` takes one WORD or nothing"
        )),
    }
}

/// Zero is refused because libFuzzer reads it as "forever".
fn parse_seconds(word: Option<&String>) -> Result<u32, String> {
    word.and_then(|word| word.parse().ok())
        .filter(|&seconds| seconds > 0)
        .ok_or_else(|| "`--seconds` takes a whole number from 1 on".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Request::parse(&words)
    }

    fn bench(name: &str, arguments: &[&str]) -> Request {
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        Request::Bench {
            name: name.to_owned(),
            arguments,
        }
    }

    #[test]
    fn every_form_of_the_usage_is_understood() {
        let fuzz = |target: Option<&str>, seconds| Request::Fuzz {
            target: target.map(str::to_owned),
            seconds,
        };
        for (line, request) in [
            ("", Request::Help),
            ("--help", Request::Help),
            ("test --help", Request::Help),
            ("bench --help", Request::Help),
            ("test", Request::Test { long: false }),
            ("test --long", Request::Test { long: true }),
            ("bench", Request::ListBenches),
            ("bench rules", bench("rules", &[])),
            ("bench rules --help", bench("rules", &["--help"])),
            ("bench rules -- perft", bench("rules", &["perft"])),
            ("mutants", Request::Mutants { word: None }),
            ("fuzz", fuzz(None, 60)),
            ("fuzz --seconds 5 roundtrip", fuzz(Some("roundtrip"), 5)),
        ] {
            assert_eq!(parse(line), Ok(request), "{line}");
        }
    }

    #[test]
    fn a_refusal_says_what_there_is() {
        for (line, part) in [
            ("tset", "test, bench, fuzz and mutants"),
            ("mutants --all", "takes one WORD"),
            ("test --lng", "takes --long"),
            ("test --long rules", "no argument `rules`"),
            ("fuzz a b", "no argument `b`"),
            ("fuzz --second 3", "--seconds N"),
            ("fuzz --seconds", "from 1 on"),
            ("fuzz --seconds 0", "from 1 on"),
            ("fuzz --seconds ten", "from 1 on"),
        ] {
            let refusal = parse(line).expect_err(line);
            assert!(refusal.contains(part), "{line}: {refusal}");
        }
    }
}
