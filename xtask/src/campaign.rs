//! `cargo xtask campaign`: runs the fault campaign of `crates/noughts/tests/durability`, and sums up its journal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use crate::mutants::Mutant;
use crate::shell;
use crate::tools::{FAKETIME, NEXTEST, POSTGRESQL, Toolbox};

const FOLDER: &str = "target/campaign";
const STORES: [&str; 2] = ["sqlite", "postgres"];
const COPY: &str = "target/campaign/mutants/tree";
const COPY_TARGET: &str = "target/campaign/mutants/target";

/// Faults in the server that a campaign must detect, each with the store that the campaign uses.
const MUTANTS: [(&str, Mutant); 4] = [
    ("sqlite", ACKNOWLEDGES_FIRST),
    ("postgres", ACKNOWLEDGES_FIRST),
    (
        "postgres",
        Mutant {
            name: "a lost hint is never noticed",
            file: "crates/noughts-server/src/presence.rs",
            from: "const COMPARE_INTERVAL: Duration = Duration::from_secs(2);",
            to: "const COMPARE_INTERVAL: Duration = Duration::from_secs(100_000);",
        },
    ),
    (
        "postgres",
        Mutant {
            name: "the time is the node's, not the store's",
            file: "crates/noughts-server/src/clock.rs",
            from: "        let now_ms = self.now_ms();\n        let mut reading",
            to: "        let (now_ms, store_ms) = (self.now_ms(), store_ms.and(None));\n        let mut reading",
        },
    ),
];

const ACKNOWLEDGES_FIRST: Mutant = Mutant {
    name: "a turn is acknowledged before it is stored",
    file: "crates/noughts-server/src/tables.rs",
    from: "            match self.store.append(&append).await {\n",
    to: "            if append.new_game.is_none() {\n\
                 self.apply(live, &append);\n\
                 let tables = Arc::clone(self);\n\
                 tokio::spawn(async move { tables.store.append(&append).await.is_ok() });\n\
                 return Ok(());\n\
             }\n\
             match self.store.append(&append).await {\n",
};

struct Options<'a> {
    seed: u64,
    faults: u64,
    stores: Vec<&'a str>,
    is_resumed: bool,
}

/// Runs a campaign with each chosen store. Returns whether no campaign failed. With `--mutants`, returns whether the
/// campaigns detected all mutants.
pub(crate) fn run(words: &[&str]) -> Result<bool, String> {
    if words == ["--mutants"] {
        return find_mutants();
    }
    let options = parse(words)?;
    require_tools()?;
    fs::create_dir_all(crate::root().join(FOLDER)).map_err(|error| error.to_string())?;
    let journal = format!("{FOLDER}/seed-{}.txt", options.seed);
    let mut is_passed = true;
    for store in &options.stores {
        if !options.is_resumed {
            forget(&journal, store)?;
        }
        let line = campaign(options.seed, options.faults, store, &journal, "");
        is_passed &= shell::run(&line)
            .inspect_err(|why| println!("{why}"))
            .is_ok();
    }
    let lines = fs::read_to_string(crate::root().join(&journal)).unwrap_or_default();
    print!("{}", report(&lines));
    Ok(is_passed)
}

fn require_tools() -> Result<(), String> {
    let mut toolbox = Toolbox::default();
    let tools = [NEXTEST, POSTGRESQL, FAKETIME];
    tools.into_iter().try_for_each(|tool| toolbox.require(tool))
}

fn parse<'a>(words: &[&'a str]) -> Result<Options<'a>, String> {
    let mut options = Options {
        seed: 1,
        faults: 100,
        stores: STORES.to_vec(),
        is_resumed: false,
    };
    let number = |option: &str, text: &str| {
        let number = text.parse::<u64>();
        number.map_err(|_| format!("{option} takes a whole number"))
    };
    let mut rest = words;
    loop {
        rest = match rest {
            [] => return Ok(options),
            ["--seed", text, rest @ ..] => {
                options.seed = number("--seed", text)?;
                rest
            }
            ["--faults", text, rest @ ..] => {
                options.faults = number("--faults", text)?;
                rest
            }
            ["--store", store, rest @ ..] if STORES.contains(store) => {
                options.stores = vec![*store];
                rest
            }
            ["--resume", rest @ ..] => {
                options.is_resumed = true;
                rest
            }
            [word, ..] => {
                return Err(format!(
                    "cannot use `{word}`; usage: cargo xtask campaign [--seed S] [--faults N] \
                     [--store sqlite|postgres] [--resume] [--mutants]"
                ));
            }
        };
    }
}

/// The command line of a campaign with one store. `program` is the server to test. If it is empty, the current server
/// is tested. If `journal` is empty, the campaign writes no journal.
fn campaign(seed: u64, faults: u64, store: &str, journal: &str, program: &str) -> String {
    let journal = match journal {
        "" => String::new(),
        journal => format!("CAMPAIGN_JOURNAL=\"$PWD/{journal}\" "),
    };
    let program = match program {
        "" => String::new(),
        program => format!("CAMPAIGN_PROGRAM=\"$PWD/{program}\" "),
    };
    format!(
        "CAMPAIGN_SEED={seed} CAMPAIGN_FAULTS={faults} {journal}{program}cargo nextest run --locked --workspace \
         --test durability --run-ignored only --no-capture --retries 0 campaign::faults_with_{store}"
    )
}

/// Removes the lines of a store from a journal.
fn forget(journal: &str, store: &str) -> Result<(), String> {
    let path = crate::root().join(journal);
    let text = fs::read_to_string(&path).unwrap_or_default();
    let begins = format!("store={store} ");
    let kept = text.lines().filter(|line| !line.starts_with(&begins));
    let kept: String = kept.map(|line| format!("{line}\n")).collect();
    fs::write(&path, kept).map_err(|error| format!("{}: {error}", path.display()))
}

/// The sums of a journal's counts, as a Markdown table with a column per store.
fn report(journal: &str) -> String {
    let mut sums: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for line in journal.lines() {
        let mut words = line.split(' ').filter_map(|word| word.split_once('='));
        let Some(store) = words
            .next()
            .and_then(|(_, name)| STORES.iter().position(|store| *store == name))
        else {
            continue;
        };
        sums.entry("rounds").or_default()[store] += 1;
        let counts = words.filter(|(name, _)| !["seed", "round"].contains(name));
        for (name, count) in counts {
            let count = count.parse().unwrap_or(0);
            sums.entry(name).or_default()[store] += count;
            if let Some((kind, _)) = name.split_once(':') {
                sums.entry(kind).or_default()[store] += count;
            }
        }
    }
    let mut text = "| | SQLite | PostgreSQL |\n|---|---|---|\n".to_owned();
    for (name, [sqlite, postgres]) in sums {
        let name = name.replace(":", ": ").replace('-', " ");
        let _ = writeln!(text, "| {name} | {sqlite} | {postgres} |");
    }
    text
}

/// Builds the server with each of the [`MUTANTS`], and runs a campaign of at most 100 faults against it. Returns
/// whether every campaign detected its mutant.
fn find_mutants() -> Result<bool, String> {
    require_tools()?;
    shell::run(&format!(
        "rm -rf {COPY} && mkdir -p {COPY} && git ls-files -z | xargs -0 cp --parents -t {COPY}"
    ))?;
    shell::run("cargo nextest run --locked --workspace --test durability --no-run")?;
    let mut missed = Vec::new();
    for (store, mutant) in &MUTANTS {
        println!("   mutant: {} ({store})", mutant.name);
        let is_detected = mutant.with(COPY, || {
            shell::run(&format!(
                "CARGO_TARGET_DIR={COPY_TARGET} cargo build --locked -p noughts --manifest-path {COPY}/Cargo.toml"
            ))?;
            let program = format!("{COPY_TARGET}/debug/noughts");
            let output = shell::output(&campaign(1, 100, store, "", &program))?;
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            let reason = text.lines().find(|line| line.starts_with("failed: "));
            println!("   {}", reason.unwrap_or("not detected"));
            Ok(reason.is_some())
        })?;
        if !is_detected {
            missed.push(mutant.name);
        }
    }
    println!(
        "{} mutants, {} detected",
        MUTANTS.len(),
        MUTANTS.len() - missed.len()
    );
    Ok(missed.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mutant_replaces_one_text() {
        for (_, mutant) in &MUTANTS {
            mutant.check();
        }
    }

    #[test]
    fn report_sums_the_rounds_of_each_store() {
        let journal = "store=sqlite seed=1 round=0 seconds=5 fault:disk-full=2 fault:node-killed=1\n\
                       store=sqlite seed=1 round=1 seconds=4 fault:disk-full=1\n\
                       store=postgres seed=1 round=0 seconds=9 fault:node-killed=7\n";
        let expected = "| | SQLite | PostgreSQL |\n|---|---|---|\n\
                        | fault | 4 | 7 |\n| fault: disk full | 3 | 0 |\n| fault: node killed | 1 | 7 |\n\
                        | rounds | 2 | 1 |\n| seconds | 9 | 9 |\n";
        assert_eq!(report(journal), expected);
    }

    #[test]
    fn wrong_options_are_refused() {
        for words in [
            &["--seed"][..],
            &["--faults", "x"],
            &["--store", "memory"],
            &["now"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
        let options = parse(&["--store", "sqlite", "--faults", "7", "--resume"]).unwrap();
        assert_eq!(
            (options.faults, options.stores, options.is_resumed),
            (7, vec!["sqlite"], true)
        );
    }
}
