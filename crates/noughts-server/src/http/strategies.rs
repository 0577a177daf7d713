//! The strategies that clients may use, their limits, and `GET /api/strategies`.

use axum::response::{IntoResponse, Response};
use noughts_api::{FieldLocation, OfferedStrategy, ProblemKind};
use noughts_engine::{STRATEGY_KINDS, StrategyName};
use noughts_rules::{Game, Options, Quoted};
use serde::Deserialize;
use utoipa::IntoParams;

use super::create_table::read_variant;
use super::error::{ApiError, api_error};
use super::extract::QueryParams;
use super::openapi::StrategyErrors;

/// The maximum parameters that clients may use, by kind of strategy. Other kinds have no parameter, or a parameter with
/// only a few values. In addition, every move has a time limit, and every address has a budget of processor time.
const MAX_PARAMETERS: [(&str, &[&str]); 3] = [
    ("minimax", &["minimax:9"]),
    ("search", &["search:5s", "search:5000000n"]),
    ("mcts", &["mcts:1000000"]),
];

/// The maximum parameters of a kind of strategy; empty if the kind has no limits.
fn max_parameters(kind: &str) -> &'static [&'static str] {
    let found = MAX_PARAMETERS.iter().find(|(name, _)| *name == kind);
    found.map_or(&[], |(_, limits)| limits)
}

/// Parses the name of a strategy. Refuses a strategy that would compute too long.
pub(super) fn read_strategy(text: &str) -> Result<StrategyName, ApiError> {
    let kind = text.split_once(':').map_or(text, |(kind, _)| kind);
    let limits = max_parameters(kind);
    if limits.iter().any(|limit| exceeds(text, limit)) {
        let (text, limits) = (Quoted::from(text), limits.join(" or "));
        let detail = format!("{text} computes too long; at most {limits} is allowed here");
        return Err(api_error(ProblemKind::ExpensiveStrategy, detail));
    }
    let name = text.parse::<StrategyName>();
    name.map_err(|error| api_error(ProblemKind::UnknownStrategy, error))
}

/// Whether the parameter of the strategy `text` is larger than the parameter of the strategy `limit`. For example,
/// `search:6s` exceeds `search:5s`. Parameters in different units are not compared: the result is false.
fn exceeds(text: &str, limit: &str) -> bool {
    match (amount(text), amount(limit)) {
        (Some((unit, amount)), Some((same, limit))) => unit == same && amount > limit,
        _ => false,
    }
}

/// The unit and the amount of a strategy's parameter, with seconds converted to milliseconds. `None` if there is no
/// parameter that begins with a digit.
fn amount(text: &str) -> Option<(&str, u128)> {
    let (_, parameter) = text.split_once(':')?;
    let end = parameter.find(|c: char| !c.is_ascii_digit());
    let (digits, unit) = parameter.split_at(end.unwrap_or(parameter.len()));
    if digits.is_empty() {
        return None;
    }
    // The text has only digits, so an error means that the number is too large.
    let number: u128 = digits.parse().unwrap_or(u128::MAX);
    Some(match unit {
        "s" => ("ms", number.saturating_mul(1_000)),
        unit => (unit, number),
    })
}

/// Which strategies to list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct StrategyFilter {
    /// Only strategies that can play this variant.
    #[param(example = "3x3k3")]
    variant: Option<String>,
}

/// Lists the strategies of robots that this server accepts, with their limits.
#[utoipa::path(
    get, path = "/api/strategies", tag = "catalog", operation_id = "listStrategies",
    params(StrategyFilter),
    responses(
        (status = 200, body = [OfferedStrategy], description = "The strategies"),
        StrategyErrors,
    )
)]
pub(super) async fn strategies(
    QueryParams(filter): QueryParams<StrategyFilter>,
) -> Result<Response, ApiError> {
    let in_query = |error: ApiError| error.at(FieldLocation::Query, "/variant");
    let variant = filter.variant.map(|name| read_variant(&name)).transpose();
    let game = match variant.map_err(in_query)? {
        Some(variant) => Game::new(&variant, Options::default()).ok(),
        None => None,
    };
    let can_play = |refuses: fn(&Game) -> Option<String>| match &game {
        Some(game) => refuses(game).is_none(),
        None => true,
    };
    let kinds = STRATEGY_KINDS.iter().filter(|kind| can_play(kind.refuses));
    let offered = kinds.map(|kind| OfferedStrategy {
        name: kind.name.to_owned(),
        form: kind.syntax.to_owned(),
        about: kind.description.to_owned(),
        max: max_parameters(kind.name)
            .iter()
            .map(ToString::to_string)
            .collect(),
    });
    Ok(axum::Json(offered.collect::<Vec<_>>()).into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maximum_parameters_are_accepted_and_larger_ones_are_not() {
        for (kind, limits) in MAX_PARAMETERS {
            for text in limits {
                assert!(text.starts_with(kind));
                assert!(read_strategy(text).is_ok(), "{text}");
            }
        }
        for text in [
            "minimax:10",
            "minimax:100",
            "minimax:99999999999999999999999999999999999999999999",
            "mcts:1000001",
            "search:6s",
            "search:5001ms",
            "search:5000001n",
            "search:99999999999999999999s",
        ] {
            let error = read_strategy(text).unwrap_err();
            assert_eq!(error.kind, ProblemKind::ExpensiveStrategy, "{text}");
        }
        for text in [
            "",
            "minimax",
            "minimax:",
            "minimax:010x",
            "level:9",
            "engine:rm",
            "nobody",
        ] {
            let error = read_strategy(text).unwrap_err();
            assert_eq!(error.kind, ProblemKind::UnknownStrategy, "{text}");
        }
    }
}
