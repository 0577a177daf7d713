//! The mistakes of a finished game, turn by turn.

use std::sync::Arc;

use noughts_engine::{
    Analysis, GameValue, IterativeDeepening, Limits, Mistake, Stop, SystemClock, Value,
    find_mistakes,
};
use noughts_rules::{Game, Turn};
use noughts_server::conclusion_in_words;

use crate::progress;

/// A finished game with the analyses of the positions before its turns. An analysis that was not computed is `None`.
pub(crate) struct Review<'g> {
    game: &'g Game,
    found: Vec<Option<Analysis>>,
}

impl Review<'_> {
    /// Analyzes the position before every turn, each within `limits`. If `stop` is set during this work, the
    /// current turn and the turns after it are not analyzed.
    pub(crate) fn new<'g>(
        game: &'g Game,
        limits: Limits,
        threads: usize,
        stop: &Stop,
    ) -> Review<'g> {
        let turns = game.turns();
        let bar = progress::bar(turns.len() as u64, "turns");
        let mut found = vec![None; turns.len()];
        let mut past = game.after(0);
        for (turn, found) in turns.iter().zip(&mut found) {
            let analysis = IterativeDeepening::new(limits, Arc::new(SystemClock::default()))
                .with_threads(threads)
                .analyze(&past, stop);
            if stop.is_set() || past.act(turn.by, turn.action).is_err() {
                break;
            }
            *found = Some(analysis);
            bar.inc(1);
        }
        bar.finish_and_clear();
        Review { game, found }
    }

    /// The number of turns that were analyzed.
    pub(crate) fn analyzed(&self) -> usize {
        self.found.iter().flatten().count()
    }

    fn turns(&self) -> impl Iterator<Item = (usize, &Turn, Option<&Analysis>, Option<Mistake>)> {
        let mistakes = find_mistakes(self.game, &self.found);
        let turns = self.game.turns().iter().zip(&self.found).zip(mistakes);
        (1..)
            .zip(turns)
            .map(|(number, ((turn, found), mistake))| (number, turn, found.as_ref(), mistake))
    }

    fn symbol(&self, turn: &Turn) -> char {
        let side = self.game.order().get(usize::from(turn.by.0));
        side.map_or('?', |side| side.symbol())
    }

    /// A table with one line per turn.
    pub(crate) fn words(&self) -> String {
        let variant = self.game.variant();
        let turns = self.game.turns().len();
        let ending = self.game.conclusion().map(conclusion_in_words);
        let ending = ending.unwrap_or_else(|| "unfinished".to_owned());
        if turns == 0 {
            return format!(
                "{variant}: {ending}\n\nThe game is over, and its turns are not known: nothing to analyze.\n"
            );
        }
        let mut text = format!(
            "{variant}, {turns} turns: {ending}\n\n{:>4}    {:<6} {:<11} {}\n",
            "turn", "move", "value", "best"
        );
        let mut mistakes = Vec::new();
        for (number, turn, found, mistake) in self.turns() {
            let action = self.game.format_action(turn.action);
            let symbol = self.symbol(turn);
            let (value, best) = match found {
                Some(found) => {
                    let best = found.line.first();
                    let best = best.map_or(String::new(), |at| variant.format_move(*at));
                    (found.value.to_string(), best)
                }
                None => ("?".to_owned(), String::new()),
            };
            let comment = mistake.map_or(String::new(), |mistake| {
                mistakes.push(format!("{number} ({symbol})"));
                format!("mistake: {} became {}", mistake.before, mistake.after)
            });
            let line = format!("{number:>4} {symbol}  {action:<6} {value:<11} {best:<6} {comment}");
            text += line.trim_end();
            text.push('\n');
        }
        text += &match mistakes.len() {
            0 if self.analyzed() < turns => String::new(),
            0 => "\nNo mistakes are known.\n".to_owned(),
            1 => format!("\n1 mistake, in turn {}\n", mistakes[0]),
            count => format!("\n{count} mistakes, in turns {}\n", mistakes.join(", ")),
        };
        text
    }

    /// Writes JSON without a library. No text in the JSON comes from a user, so nothing needs escapes.
    pub(crate) fn json(&self) -> String {
        let variant = self.game.variant();
        let turns = self.turns().map(|(number, turn, found, mistake)| {
            let action = self.game.format_action(turn.action);
            let known = found.map_or(String::new(), |found| {
                let best = found.line.first().map_or("null".to_owned(), |at| {
                    format!("\"{}\"", variant.format_move(*at))
                });
                format!(",{},\"best\":{best}", value(found.value))
            });
            let mistake = mistake.map_or("null".to_owned(), |Mistake { before, after }| {
                format!("{{\"had\":\"{before}\",\"left\":\"{after}\"}}")
            });
            let seat = turn.by.0;
            format!(
                "{{\"turn\":{number},\"seat\":{seat},\"action\":\"{action}\"{known},\"mistake\":{mistake}}}"
            )
        });
        let turns: Vec<String> = turns.collect();
        format!(
            "{{\"variant\":\"{variant}\",\"turns\":[{}]}}\n",
            turns.join(",")
        )
    }
}

fn value(value: Value) -> String {
    let known = |value: GameValue, plies: &str| format!("\"value\":\"{value}\",\"plies\":{plies}");
    match value {
        Value::Win { plies } => known(GameValue::Win, &plies.to_string()),
        Value::Loss { plies } => known(GameValue::Loss, &plies.to_string()),
        Value::Draw => known(GameValue::Draw, "null"),
        Value::Estimate(points) => format!("\"value\":\"unknown\",\"estimate\":{points}"),
    }
}
